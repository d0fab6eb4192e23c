"""Picture parts: the original untouched where every condition holds, else a rendition.

An animation or a picture of several pages opens as a contact sheet, with the counts beside it.
"""

from __future__ import annotations

from eyeline.model.digest import Digest
from eyeline.model.envelope import Truncation
from eyeline.model.limits import PLAIN
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role
from eyeline.model.plan import RenditionPlan, Sheet
from eyeline.model.probe import Probe
from eyeline.model.reading import DerivationKind
from eyeline.render.planning import plan_for, settled, sheet_for, target_from
from eyeline.render.renditions import Renditions
from eyeline.render.subject import Answer, Room, Subject, read_whole
from eyeline.render.text_parts import text_part


class PictureMaker:
    """Makes the picture parts of an answer."""

    def __init__(self, renditions: Renditions) -> None:
        self._renditions = renditions

    def part(self, subject: Subject, locator: Locator, *, role: Role, room: Room, edge_px: int, share: int) -> Part:
        """One picture of a source, of at most `edge_px` and a `share`-th of the answer's media bytes."""
        target = target_from(
            room.served, edge_px=edge_px, max_bytes=room.picture_bytes(share), media_types=room.pictures()
        )
        plan = plan_for(subject.probe, locator, target=target, served=room.served)
        if _may_go_untouched(subject, plan):
            return self._original(subject, locator, role)
        return self._made(subject, plan, locator=locator, role=role, room=room)

    def sheet(self, subject: Subject, *, room: Room, edge_px: int, share: int = 1) -> tuple[Part, Sheet]:
        """The contact sheet of a picture of several frames or pages, of at most `edge_px`, and what is on it."""
        most = room.picture_bytes(share)
        target = target_from(room.served, edge_px=edge_px, max_bytes=most, media_types=room.pictures())
        plan = sheet_for(subject.probe, target=target)
        assert plan.sheet is not None
        return self._made(subject, plan, locator=Locator(), role=Role.OVERVIEW, room=room), plan.sheet

    def _made(self, subject: Subject, plan: RenditionPlan, *, locator: Locator, role: Role, room: Room) -> Part:
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
        data = read_whole(subject.source)
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
    """An image: the picture or one of its frames; with a region, an overview and the detail at full resolution.

    Without a locator, several frames or pages come as a contact sheet.
    """
    if not locator and subject.probe.frames > 1:
        return _open_sheet(subject, room=room, maker=maker)
    locator = settled(subject.probe, locator)
    answer, edge = Answer(), room.served.target_edge_px
    whole = Locator(page=locator.page, frame=locator.frame)
    if not whole and subject.probe.frames > 1:
        answer.notes.append("first_page_meant" if subject.probe.frames_are_pages else "first_frame_meant")
    if locator.region is None:
        role = Role.OVERVIEW if not whole else Role.FRAME if locator.frame else Role.PAGE
        answer.parts.append(maker.part(subject, whole, role=role, room=room, edge_px=edge, share=1))
        if whole.page is not None:
            answer.goes_on_after(whole.page, count=subject.probe.page_count)
        return answer
    detail = maker.part(subject, locator, role=Role.DETAIL, room=room, edge_px=edge, share=2)
    overview_edge = room.served.overview_edge_px
    overview = maker.part(subject, whole, role=Role.OVERVIEW, room=room, edge_px=overview_edge, share=2)
    answer.parts += [overview, detail]
    return answer


def _open_sheet(subject: Subject, *, room: Room, maker: PictureMaker) -> Answer:
    """A contact sheet, and how many frames or pages there are, which of them it shows, and how to open one."""
    part, sheet = maker.sheet(subject, room=room, edge_px=room.served.target_edge_px)
    answer = Answer(parts=[part])
    probe = subject.probe
    kind = kind_of_frames(probe)
    first = Locator(page=1) if probe.frames_are_pages else Locator(frame=1)
    media_type = room.acceptance.text(PLAIN, served=room.served.texts)
    if media_type is not None:
        also = " or t=SECONDS" if probe.frame_times else ""
        text = f"{about_sheet(probe, sheet)}one of them in full: {kind}=NUMBER{also}\n"
        answer.parts.append(
            text_part(text, role=Role.CONTEXT, locator=Locator(), media_type=media_type, kind=DerivationKind.SYSTEM)
        )
    left_out = f"{len(sheet.frames)} of {probe.frames} {kind}s are shown, each within {sheet.cell} pixels"
    answer.truncation.append(Truncation("contact_sheet", left_out, first))
    return answer


def about_sheet(probe: Probe, sheet: Sheet) -> str:
    """How many frames or pages there are, for how long, and which of them a sheet shows: one line each."""
    lines = [f"{kind_of_frames(probe)}s: {probe.frames}"]
    if probe.duration_ms is not None:
        lines.append(f"duration: {probe.duration_ms / 1000:g} s")
    numbers = ", ".join(map(str, sheet.frames))
    return "\n".join([*lines, f"the sheet shows {len(sheet.frames)} of them, row by row: {numbers}", ""])


def kind_of_frames(probe: Probe) -> str:
    """What the several pictures of one file are: `page` or `frame`."""
    return "page" if probe.frames_are_pages else "frame"


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
