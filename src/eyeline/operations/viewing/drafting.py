"""Drafts: what an item can put into the answer, before it is known how much room there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.limits import MP3, WAV
from eyeline.model.locator import Locator, Span
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role
from eyeline.model.plan import MP3_FRAMING, MP3_RATES, CutPlan
from eyeline.model.viewing import LADDER_PX
from eyeline.operations.viewing.fitting import Ladder
from eyeline.render.picture_parts import PictureMaker
from eyeline.render.planning import plan_for, sheet_for, sheet_of_instants, target_from
from eyeline.render.recording_parts import RecordingMaker, cut_part, picture_part
from eyeline.render.recording_plans import duration_of
from eyeline.render.subject import Room, Subject
from eyeline.source.held import HeldSource


@dataclass(frozen=True, slots=True)
class TextDraft:
    """A text of so many characters; `make` gives the part with the first of them. `page` is the page it stands on."""

    chars: int
    make: Callable[[int], Part]
    page: int | None = None


@dataclass(frozen=True, slots=True)
class MediaDraft:
    """A picture or a sound: its ladder, the edge of each step (none for a sound), and what makes it at a step."""

    ladder: Ladder
    edges: tuple[int | None, ...]
    make: Callable[[int], Part]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What draws the pictures of a batch, and the room they share."""

    maker: PictureMaker
    recordings: RecordingMaker
    room: Room

    def picture(self, subject: Subject, locator: Locator, *, role: Role) -> MediaDraft:
        """A picture of a source: the whole, or one page of it."""

        def size(edge_px: int) -> Size:
            target = target_from(self.room.served, edge_px=edge_px, max_bytes=1, media_types=())
            return plan_for(subject.probe, locator, target=target, served=self.room.served).size

        def make(edge_px: int) -> Part:
            return self.maker.part(subject, locator, role=role, room=self.room, edge_px=edge_px, share=1)

        return _draft(size, make)

    def sheet(self, subject: Subject) -> MediaDraft:
        """The contact sheet of several frames or pages."""

        def size(edge_px: int) -> Size:
            target = target_from(self.room.served, edge_px=edge_px, max_bytes=1, media_types=())
            return sheet_for(subject.probe, target=target).size

        def make(edge_px: int) -> Part:
            return self.maker.sheet(subject, room=self.room, edge_px=edge_px)[0]

        return _draft(size, make)

    def times(self, subject: Subject, times_ms: tuple[int, ...]) -> MediaDraft:
        """The contact sheet of frames at some instants of a video."""
        assert subject.probe.size is not None, "a video has a size"
        frame = subject.probe.size

        def size(edge_px: int) -> Size:
            target = target_from(self.room.served, edge_px=edge_px, max_bytes=1, media_types=())
            return sheet_of_instants(times_ms, frame, target=target).size

        def make(edge_px: int) -> Part:
            served = self.room.served
            most = self.room.picture_bytes(1)
            target = target_from(served, edge_px=edge_px, max_bytes=most, media_types=self.room.pictures())
            plan = sheet_of_instants(times_ms, frame, target=target)
            made = self.recordings.renditions.make(subject.source, plan, cancel=self.room.cancel)
            return picture_part(made, role=Role.OVERVIEW, locator=Locator())

        return _draft(size, make)

    def sound(self, subject: Subject, source: HeldSource, *, span: Span) -> MediaDraft:
        """The sound of a span: as it is where that is all of it and can be, else as MP3, coarser step by step."""
        assert span.end_ms is not None, "a sound has an end"
        length_ms = span.end_ms - span.start_ms
        is_whole = length_ms == duration_of(subject.probe) and source.media_type in (MP3, WAV)
        weights = [*([source.byte_count] if is_whole else []), *(rate * length_ms // 8000 for rate in MP3_RATES)]
        steps = [place for place, weight in enumerate(weights) if not place or weight < min(weights[:place])]

        def make(step: int) -> Part:
            place = steps[step]
            if is_whole and place == 0:
                return as_it_is(source)
            plan = CutPlan(span=span, media_type=MP3, max_bytes=weights[place] + MP3_FRAMING)
            made = self.recordings.recordings.cut(subject.source, plan, cancel=self.room.cancel)
            return cut_part(made, plan, role=Role.AUDIO)

        return MediaDraft(Ladder(tuple(weights[place] for place in steps)), (None,) * len(steps), make)


def as_it_is(source: HeldSource) -> Part:
    """A sound untouched."""
    entry = ManifestEntry(
        role=Role.AUDIO,
        content_kind=ContentKind.AUDIO,
        media_type=source.media_type,
        byte_count=source.byte_count,
        digest=Digest.of(source.data),
        origin=Origin.ORIGINAL,
        locator=Locator(),
    )
    return Part(source.data, entry)


def sound(source: HeldSource) -> MediaDraft:
    """A sound as it is, and no other way."""
    return MediaDraft(Ladder((1,)), (None,), lambda _: as_it_is(source))


def _draft(size: Callable[[int], Size], make: Callable[[int], Part]) -> MediaDraft:
    """The steps of the ladder that differ: a picture that is smaller than a step is the same there as above."""
    edges: list[int] = []
    pixels: list[int] = []
    for edge_px in LADDER_PX:
        at = size(edge_px).pixels
        if not pixels or at < pixels[-1]:
            edges.append(edge_px)
            pixels.append(at)
    return MediaDraft(Ladder(tuple(pixels)), tuple(edges), lambda step: make(edges[step]))
