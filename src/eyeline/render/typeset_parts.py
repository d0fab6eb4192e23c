"""Pages that were typeset of an office document at its conversion: pictures and words of them, by the PDF engine."""

from __future__ import annotations

from dataclasses import replace

from eyeline.media.admission import admit
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.job_limits import job_limits
from eyeline.model.envelope import Truncation
from eyeline.model.limits import PLAIN, Limits
from eyeline.model.locator import Chars, Locator
from eyeline.model.manifest import Origin, Part, Role, Transform
from eyeline.model.probe import Probe
from eyeline.model.reading import DerivationKind
from eyeline.render.picture_parts import PictureMaker
from eyeline.render.subject import Answer, Room, StoredReading, Subject
from eyeline.render.text_parts import text_part

PAGES = "assets/pages.pdf"
"""Where a representation keeps the pages."""


class TypesetPages:
    """Opens pages of a representation that has some. Nothing is cached: each is drawn when it is opened."""

    def __init__(self, pool: BoundedPool, maker: PictureMaker, limits: Limits) -> None:
        self._pool = pool
        self._maker = maker
        self._limits = limits

    def has(self, reading: StoredReading, probe: Probe) -> bool:
        """Whether there are pages, and as many as the document has slides, where it has some."""
        return reading.has(PAGES) and probe.page_count in (0, self.count(reading))

    def count(self, reading: StoredReading) -> int:
        """How many pages there are."""
        subject = self._subject(reading)
        return 0 if subject is None else subject.probe.page_count

    def pictures(self, reading: StoredReading, locator: Locator, *, room: Room) -> list[Part]:
        """The picture of a page; with a region an overview and the detail. None where none is acceptable."""
        subject = self._subject(reading) if room.pictures() else None
        if subject is None:
            return []
        edge, page = room.served.target_edge_px, Locator(page=locator.page)
        if locator.region is None:
            return [_typeset(self._maker.part(subject, page, role=Role.PAGE, room=room, edge_px=edge, share=2))]
        small = room.served.overview_edge_px
        detail = self._maker.part(
            subject, replace(page, region=locator.region), role=Role.DETAIL, room=room, edge_px=edge, share=2
        )
        overview = self._maker.part(subject, page, role=Role.OVERVIEW, room=room, edge_px=small, share=2)
        return [_typeset(overview), _typeset(detail)]

    def words(self, reading: StoredReading, locator: Locator, *, room: Room) -> Answer:
        """The words that stand on a page, or some characters of them."""
        subject, answer = self._subject(reading), Answer()
        media_type = room.acceptance.text(PLAIN, served=room.served.texts)
        if subject is None or media_type is None or locator.page is None:
            return answer
        with subject.source.open() as source:
            told = self._pool.run(
                "eyeline.media.pdf:read_text",
                {"media_type": str(subject.content.media_type), "first": locator.page, "last": locator.page},
                source=source,
                limits=job_limits(self._limits),
                cancel=room.cancel,
            )
        text = str(told.value["pages"][0].get("text", ""))
        asked = locator.chars or Chars(0, len(text))
        end = min(asked.end, asked.start + room.answer.max_text_chars, len(text))
        kept = text[asked.start : end]
        if kept.strip():
            part = text_part(
                kept, role=Role.SOURCE_TEXT, locator=locator, media_type=media_type, kind=DerivationKind.EXTRACTION
            )
            answer.parts.append(_typeset(part))
        if end < min(asked.end, len(text)):
            rest = replace(locator, chars=Chars(end, min(asked.end, len(text))))
            answer.truncation.append(Truncation("answer_text_chars", f"{len(text) - end} characters", rest))
        return answer

    def _subject(self, reading: StoredReading) -> Subject | None:
        asset = reading.representation.asset(PAGES)
        if asset is None:
            return None
        source = reading.source_of(asset)
        decided = admit(asset.content, source.open, pool=self._pool, limits=self._limits, now_ms=0)
        return None if decided.probe is None else Subject(asset.content, source, decided.probe, None)


def _typeset(part: Part) -> Part:
    """A part with the step before all others: another program set the pages."""
    step = Transform("typeset", "libreoffice", {"asset": PAGES})
    entry = replace(part.entry, origin=Origin.AGENT_RENDITION, transforms=(step, *part.entry.transforms))
    return Part(part.bytes, entry)
