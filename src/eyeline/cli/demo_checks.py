"""The claims of the demo about what was delivered, each checked on the bytes themselves."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.cli.demo_samples import CHOSEN_LINE, LINE_PX, chosen_line
from eyeline.model.manifest import ContentKind, Origin, Role

if TYPE_CHECKING:
    from eyeline.cli.demo_telling import Teller
    from eyeline.model.envelope import Opened

Answers = dict[str, "Opened"]


def check_photograph(opened: Opened, original: bytes, *, teller: Teller) -> None:
    """Upright, sRGB, without its position; the original keeps all of it."""
    from eyeline.media.sample_looking import look

    before, after = look(original), look(opened.parts[0].bytes)
    red, green, blue = after.colour(0.25, 0.25)
    is_upright = after.size.height_px > after.size.width_px and red > 230 and max(green, blue) < 60
    teller.claim(f"it is upright, {after.size} px; the original lies on its side, {before.size} px", holds=is_upright)
    steps = {step.step: step.facts for step in opened.parts[0].entry.transforms}
    holds = before.has_profile and not after.has_profile and "colour" in steps
    teller.claim("its colours are sRGB; the original's are Display P3", holds=holds)
    holds = before.has_position and not after.has_position and "strip" in steps
    teller.claim("it does not say where it was taken; the original does", holds=holds)
    is_rendition = opened.parts[0].entry.origin is Origin.AGENT_RENDITION
    teller.claim("its manifest entry calls it a rendition and lists what was done to it", holds=is_rendition)


def check_page(opened: Opened, *, teller: Teller) -> None:
    """A page is a picture and its own text."""
    texts = [part.text for part in opened.parts if part.entry.role is Role.SOURCE_TEXT]
    pictures = [part.entry for part in opened.parts if part.entry.content_kind is ContentKind.PICTURE]
    holds = len(pictures) == 1 and len(texts) == 1 and "4.2 bar" in texts[0] and "G-7" not in texts[0]
    teller.claim("page 2 came as a picture with its own text, and nothing of the other pages", holds=holds)


def check_scan(opened: Opened, *, teller: Teller) -> None:
    """The region of a scan is finer than its overview."""
    scales = {part.entry.role: part.entry.scale for part in opened.parts}
    overview, detail = scales.get(Role.OVERVIEW), scales.get(Role.DETAIL)
    holds = overview is not None and detail is not None and detail.factor_x < overview.factor_x
    finer = 0.0 if overview is None or detail is None else overview.factor_x / detail.factor_x
    teller.claim(f"the serial number came {finer:.1f} times finer than in the overview", holds=holds)


def check_line(opened: Opened, original: bytes, *, teller: Teller) -> None:
    """The region holds the original's own pixels, and its small print can be read."""
    from eyeline.media.sample_looking import look

    detail = next(part for part in opened.parts if part.entry.role is Role.DETAIL)
    top = (CHOSEN_LINE - 2) * LINE_PX
    holds = look(detail.bytes).shows(look(original), left=0, top=top)
    teller.claim("the region holds exactly the pixels of the original", holds=holds)
    line, _ = chosen_line()
    holds = line.split()[-1] in _recognised(detail.bytes)
    teller.claim(f"line {CHOSEN_LINE} is readable in it: text recognition finds {line.split()[-1]!r}", holds=holds)


def check_refusal(opened: Opened, *, teller: Teller) -> None:
    """What cannot be decoded is a typed no with a way out."""
    boundary = opened.envelope.boundary
    holds = boundary is not None and not opened.parts and bool(boundary.way_out)
    teller.claim("the damaged one is answered with a no that says why and what is left to do", holds=holds)


def check_digests(answers: Answers, *, teller: Teller) -> None:
    """Every part is what its manifest entry says; the client checked it as the parts came in."""
    count = sum(len(opened.parts) for opened in answers.values())
    holds = count > 0 and all(
        opened.content_manifest == tuple(p.entry for p in opened.parts) for opened in answers.values()
    )
    teller.claim(f"each of the {count} parts hashes to the digest in its manifest entry", holds=holds)


def _recognised(picture: bytes) -> str:
    """The text that is recognised in a picture, by taking it in to a home of its own."""
    from eyeline.app.eyeline import Eyeline

    with tempfile.TemporaryDirectory(prefix="eyeline-demo-") as folder:
        place = Path(folder) / "delivered.png"
        place.write_bytes(picture)
        with Eyeline(Path(folder) / "home") as eye:
            eye.ingest(place)
            return "".join(part.text for part in eye.read("delivered.png").parts)
