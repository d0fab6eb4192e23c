"""The agent of the demo: it finds and opens through a real MCP client, and keeps what it is handed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.cli.demo_recordings import BRIEFING_NAME, BRIEFING_WORDS, WALK_NAME, WALK_WORD, missing
from eyeline.cli.demo_samples import chosen_line
from eyeline.cli.tables import byte_text
from eyeline.model.geometry import Region
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind
from eyeline.presenters.files import opened_files

if TYPE_CHECKING:
    from eyeline.cli.demo_telling import Teller
    from eyeline.mcp.visiting import Visitor
    from eyeline.model.envelope import Opened, Passage

MARGIN_PERCENT = 1.5


@dataclass(frozen=True, slots=True)
class Errand:
    """What is looked for, the file it should be found in, and which part is opened: `found` is where it was found."""

    folder: str
    why: str
    query: str
    name: str
    locator: str | None

    def part(self, passage: Passage) -> str | None:
        """The locator to open; a place that was found is opened with some margin around it."""
        return str(_with_margin(passage.locator)) if self.locator == "found" else self.locator


def errands() -> tuple[Errand, ...]:
    """What the agent is after, in this order."""
    line, region = chosen_line()
    spoken = (
        Errand("briefing", "what was said in the recording", BRIEFING_WORDS, BRIEFING_NAME, "found"),
        Errand("walk-through", "the moment of the video", WALK_WORD, WALK_NAME, "found"),
    )
    return (
        Errand("photograph", "the photograph, whole", "balloon", "balloon.jpg", None),
        Errand("manual-page-2", "the page that gives the working pressure", "working pressure", "manual.pdf", "page=2"),
        Errand("scan-region", "the serial number on the scanned note", "PX-4417-B", "delivery-note.pdf", "found"),
        Errand("screenshot-region", "one line of small print", line.split()[-1], "status.png", region),
        Errand("damaged", "the photograph that was cut short", "torn", "torn.jpg", None),
        *(() if missing() else spoken),
    )


async def run_errands(visitor: Visitor, *, teller: Teller) -> dict[str, Opened]:
    """Run every errand and tell it; the answers by folder."""
    tools = await visitor.tools()
    teller.line(f"  tools offered: {', '.join(tools)}")
    return {errand.folder: await _run(errand, visitor, teller) for errand in errands()}


async def _run(errand: Errand, visitor: Visitor, teller: Teller) -> Opened:
    teller.line(f"\n  {errand.why}")
    teller.call(f'find(query="{errand.query}")')
    found = await visitor.find(errand.query)
    teller.answer(", ".join(f"{each.source.name} {each.locator}".strip() for each in found))
    passage = next(each for each in found if each.source.name == errand.name)
    locator = errand.part(passage)
    inputs = {} if locator is None else {"locator": locator}
    teller.call(f"source_open(version_id={passage.version_id!r}{_said(inputs)})")
    opened = await visitor.source_open(passage.version_id, **inputs)
    for part in opened.parts:
        teller.answer(_described(part.entry.role.value, opened, opened.parts.index(part)))
    if opened.envelope.boundary is not None:
        boundary = opened.envelope.boundary
        teller.answer(f"no: {boundary.code.value}: {boundary.message}; {boundary.way_out}")
    return opened


def keep(opened: Opened, folder: Path) -> tuple[str, ...]:
    """Write what was delivered into a folder; the names of its pictures."""
    folder.mkdir(parents=True)
    for file in opened_files(opened):
        (folder / file.name).write_bytes(file.bytes)
    pairs = zip(opened_files(opened), opened.parts, strict=False)
    return tuple(file.name for file, part in pairs if part.entry.content_kind is ContentKind.PICTURE)


def _with_margin(locator: Locator) -> Locator:
    """The same place, with `MARGIN_PERCENT` of the page around it."""
    if locator.region is None:
        return locator
    x, y, w, h = locator.region.within(100, 100)
    left, top = max(0.0, x - MARGIN_PERCENT), max(0.0, y - MARGIN_PERCENT)
    right, bottom = min(100.0, x + w + MARGIN_PERCENT), min(100.0, y + h + MARGIN_PERCENT)
    return replace(locator, region=Region.percent(left, top, right - left, bottom - top))


def _said(inputs: dict[str, str]) -> str:
    return "".join(f", {name}={value!r}" for name, value in inputs.items())


def _described(role: str, opened: Opened, place: int) -> str:
    entry = opened.parts[place].entry
    pixels = "" if entry.scale is None else f" {entry.scale.delivered} px,"
    return f"{role}:{pixels} {entry.media_type}, {byte_text(entry.byte_count)}, {entry.origin.value}"
