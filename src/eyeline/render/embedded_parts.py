"""Pictures that stand as characters inside a text: parts of their own beside the characters they begin among."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from eyeline.errors import EngineFailed, MediaError
from eyeline.media.admission import admit
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import engine_for
from eyeline.model.document import Asset
from eyeline.model.envelope import Truncation
from eyeline.model.limits import Limits
from eyeline.model.locator import Chars, Locator
from eyeline.model.manifest import Origin, Part, Role, Transform
from eyeline.model.media_type import Family
from eyeline.model.probe import Probe
from eyeline.render.picture_parts import PictureMaker
from eyeline.render.subject import Answer, Room, StoredReading, Subject

MAX_EMBEDDED = 4
"""Pictures beside one text; of those that follow the locator is told."""

COVER = "assets/cover"
"""How the path of a picture begins that stands for the whole."""

EMBEDDED_PREFIX = "assets/picture-"
NOT_VIEWABLE = "embedded_picture_not_viewable"


class EmbeddedPictures:
    """Makes parts of embedded pictures. Nothing of them is cached: each is decoded and drawn when it is opened."""

    def __init__(self, pool: BoundedPool, maker: PictureMaker, limits: Limits) -> None:
        self._pool = pool
        self.maker = maker
        self._limits = limits

    def add(self, answer: Answer, subject: Subject, *, among: Chars, room: Room) -> None:
        """Add the pictures that begin among some characters of the original, as many as have room.

        Where the text of an answer goes on elsewhere, so do the pictures that begin there.
        """
        rest = (left.continuation.chars for left in answer.truncation if left.continuation is not None)
        end = min([among.end, *(chars.start for chars in rest if chars is not None)])
        there = _within(subject.reading, Chars(among.start, max(among.start, end)))
        answer.has_pictures = answer.has_pictures or bool(there)
        most = max(0, min(MAX_EMBEDDED, room.served.max_parts - len(answer.parts)))
        shown, left = there[:most], there[most:]
        if not room.pictures() or subject.reading is None:
            return
        for asset, where in shown:
            part = self._part(subject, asset, Locator(chars=where), room=room, count=len(shown))
            if part is None:
                answer.notes.append(NOT_VIEWABLE)
            else:
                answer.parts.append(part)
        if left:
            answer.truncation.append(_left(left, after=shown[-1][1].start if shown else -1))

    def add_at(self, answer: Answer, subject: Subject, *, is_there: Callable[[Locator], bool], room: Room) -> None:
        """Add the pictures of a document that stand at a place, as many as have room."""
        reading = subject.reading
        if reading is None:
            return
        placed = [(asset, Locator.parse(asset.locator)) for asset in reading.representation.assets]
        there = [(asset, where) for asset, where in placed if where and is_there(where) and _is_kept(asset)]
        answer.has_pictures = answer.has_pictures or bool(there)
        if not room.pictures():
            return
        most = max(0, min(MAX_EMBEDDED, room.served.max_parts - len(answer.parts)))
        for asset, where in there[:most]:
            part = self._part(subject, asset, where, room=room, count=min(len(there), most) + 1)
            if part is None:
                answer.notes.append(NOT_VIEWABLE)
            else:
                answer.parts.append(part)
        if there[most:]:
            rest = there[most][1] if there[most][1] != there[most - 1][1] else None
            answer.truncation.append(Truncation("embedded_pictures", f"{len(there) - most} more pictures", rest))

    def _part(self, subject: Subject, asset: Asset, where: Locator, *, room: Room, count: int) -> Part | None:
        reading, engine = subject.reading, engine_for(subject.content.media_type)
        assert reading is not None, "pictures are those of a reading"
        source = reading.source_of(asset)
        decided = admit(asset.content, source.open, pool=self._pool, limits=self._limits, now_ms=0, cancel=room.cancel)
        if decided.probe is None or decided.probe.size is None:
            return None
        picture = Subject(asset.content, source, decided.probe, None)
        try:
            made = self._picture(picture, decided.probe, room=room, count=count)
        except (MediaError, EngineFailed):
            return None
        by = "eyeline" if engine is None else f"eyeline.{engine.module.partition('.')[0]}"
        taken_out = Transform("extract", by, {"asset": asset.path, "sha256": asset.content.digest.hex})
        return Part(
            made.bytes,
            replace(
                made.entry,
                role=Role.PREVIEW if asset.path.startswith(COVER) else Role.DETAIL,
                origin=Origin.AGENT_RENDITION,
                locator=where,
                transforms=(taken_out, *made.entry.transforms),
            ),
        )

    def _picture(self, subject: Subject, probe: Probe, *, room: Room, count: int) -> Part:
        if probe.frames > 1:
            part, _ = self.maker.sheet(subject, room=room, edge_px=room.served.target_edge_px, share=count)
            return part
        edge = room.served.target_edge_px if count == 1 else room.served.overview_edge_px
        return self.maker.part(subject, Locator(), role=Role.DETAIL, room=room, edge_px=edge, share=count)


def _is_kept(asset: Asset) -> bool:
    """Whether an asset is a picture that was taken out, and not one that was made."""
    return asset.path.startswith(EMBEDDED_PREFIX) and asset.content.media_type.family is Family.IMAGE


def has_embedded(subject: Subject) -> bool:
    """Whether pictures stand inside a text, as far as it was read."""
    return bool(_within(subject.reading, Chars(0, subject.probe.chars or 0)))


def _within(reading: StoredReading | None, asked: Chars) -> list[tuple[Asset, Chars]]:
    """The pictures of a reading that begin within a range, in the order of the text."""
    found: list[tuple[Asset, Chars]] = []
    for asset in () if reading is None else reading.representation.assets:
        where = Locator.parse(asset.locator).chars
        if asset.content.media_type.family is not Family.IMAGE or where is None:
            continue
        if asked.start <= where.start < asked.end:
            found.append((asset, where))
    return sorted(found, key=lambda each: each[1].start)


def _left(left: Sequence[tuple[Asset, Chars]], *, after: int) -> Truncation:
    """What was left out, with the characters to go on with, unless those would give the same pictures again."""
    start, end = left[0][1].start, max(where.end for _, where in left)
    rest = Locator(chars=Chars(start, end)) if start > after else None
    return Truncation("embedded_pictures", f"{len(left)} more pictures", rest)
