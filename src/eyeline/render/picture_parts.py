"""Picture parts: the original untouched where every condition holds, else a rendition."""

from __future__ import annotations

from eyeline.model.digest import Digest
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role
from eyeline.model.plan import RenditionPlan
from eyeline.render.planning import plan_for, target_from
from eyeline.render.renditions import Renditions
from eyeline.render.subject import Answer, Room, Subject, read_blob
from eyeline.store.base import BlobStore


class PictureMaker:
    """Makes the picture parts of an answer."""

    def __init__(self, renditions: Renditions, store: BlobStore) -> None:
        self._renditions = renditions
        self._store = store

    def part(self, subject: Subject, locator: Locator, *, role: Role, room: Room, edge_px: int, share: int) -> Part:
        """One picture of a source, of at most `edge_px` and a `share`-th of the answer's media bytes."""
        target = target_from(
            room.served, edge_px=edge_px, max_bytes=room.picture_bytes(share), media_types=room.pictures()
        )
        plan = plan_for(subject.probe, locator, target=target, served=room.served)
        if _may_go_untouched(subject, plan):
            return self._original(subject, locator, role)
        made = self._renditions.make(subject.source, plan, cancel=room.cancel)
        entry = ManifestEntry(
            role=role,
            content_kind=ContentKind.PICTURE,
            media_type=made.facts.media_type,
            byte_count=len(made.bytes),
            digest=made.facts.digest,
            origin=Origin.AGENT_RENDITION,
            locator=locator,
            transforms=made.facts.transforms,
            scale=made.facts.scale,
        )
        return Part(made.bytes, entry)

    def _original(self, subject: Subject, locator: Locator, role: Role) -> Part:
        data = read_blob(self._store, subject.content)
        entry = ManifestEntry(
            role=role,
            content_kind=ContentKind.PICTURE,
            media_type=subject.content.media_type,
            byte_count=len(data),
            digest=Digest.of(data),
            origin=Origin.ORIGINAL,
            locator=locator,
        )
        return Part(data, entry)


def open_picture(subject: Subject, locator: Locator, *, room: Room, maker: PictureMaker) -> Answer:
    """An image: the picture or one of its frames; with a region, an overview and the detail at full resolution."""
    answer, edge = Answer(), room.served.target_edge_px
    whole = Locator(page=locator.page, frame=locator.frame)
    if locator.region is None:
        role = Role.OVERVIEW if not whole else Role.FRAME if locator.frame else Role.PAGE
        answer.parts.append(maker.part(subject, whole, role=role, room=room, edge_px=edge, share=1))
        return answer
    detail = maker.part(subject, locator, role=Role.DETAIL, room=room, edge_px=edge, share=2)
    overview_edge = room.served.overview_edge_px
    overview = maker.part(subject, whole, role=Role.OVERVIEW, room=room, edge_px=overview_edge, share=2)
    answer.parts += [overview, detail]
    return answer


def _may_go_untouched(subject: Subject, plan: RenditionPlan) -> bool:
    """Whether the original may go out as it is: of a chosen type, inside every bound, nothing but plain pixels."""
    probe, content = subject.probe, subject.content
    return (
        probe.plain_pixels
        and plan.crop is None
        and plan.page is None
        and plan.frame is None
        and probe.size == plan.size
        and min(plan.size.width_px, plan.size.height_px) >= plan.min_side_px
        and content.byte_count <= plan.max_bytes
        and content.media_type in plan.media_types
    )
