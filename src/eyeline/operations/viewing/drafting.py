"""Drafts: what an item can put into the answer, before it is known how much room there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role
from eyeline.model.viewing import LADDER_PX
from eyeline.operations.viewing.fitting import Ladder
from eyeline.render.picture_parts import PictureMaker
from eyeline.render.planning import plan_for, sheet_for, target_from
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


def sound(source: HeldSource) -> MediaDraft:
    """A sound as it is."""
    entry = ManifestEntry(
        role=Role.AUDIO,
        content_kind=ContentKind.AUDIO,
        media_type=source.media_type,
        byte_count=source.byte_count,
        digest=Digest.of(source.data),
        origin=Origin.ORIGINAL,
        locator=Locator(),
    )
    return MediaDraft(Ladder((1,)), (None,), lambda _: Part(source.data, entry))


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
