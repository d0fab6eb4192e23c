"""Which parts a source can become, and how: a table by family, so that no operation asks what media it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import OFFICE_TYPES, engine_for
from eyeline.model.limits import Limits, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import Family, MediaType
from eyeline.model.probe import Probe
from eyeline.render.embedded_parts import EmbeddedPictures
from eyeline.render.markup_parts import open_markup, open_written
from eyeline.render.office_parts import OfficeTools, office_kinds, open_office
from eyeline.render.page_parts import open_page
from eyeline.render.picture_parts import PictureMaker, open_picture
from eyeline.render.planning import check_kinds
from eyeline.render.readable_parts import open_readable
from eyeline.render.recording_parts import RecordingMaker, open_recording
from eyeline.render.recordings import Recordings
from eyeline.render.renditions import Renditions
from eyeline.render.subject import Answer, Room, Subject
from eyeline.render.text_parts import TextReader, open_text, reading_parts
from eyeline.render.typeset_parts import TypesetPages

OpenParts = Callable[[Subject, Locator, Room], Answer]


@dataclass(frozen=True, slots=True)
class Opener:
    """How one kind of source opens: the locator parts it has, and what makes the answer.

    `whole` makes the answer without a locator, where that is something else. `pictures` and `texts` say which members
    of the served set such a source can become at all; `becomes` says it by locator, where the texts are in part ours.
    `reads_in_place`: it is large and only parts of it are read, so the whole is not verified before; a check finds
    damage.
    """

    locator_kinds: Callable[[Probe], tuple[str, ...]]
    parts: OpenParts
    pictures: bool
    texts: bool
    whole: OpenParts | None = None
    reads_in_place: bool = False
    becomes: Callable[[ServedSet, Locator, Probe], tuple[MediaType, ...]] | None = None

    def members(self, served: ServedSet, *, locator: Locator, probe: Probe, has_reading: bool) -> tuple[MediaType, ...]:
        """The served media types that this source, or the part of it, can become."""
        texts = served.texts if self.texts and (has_reading or self.becomes is not None) else ()
        if self.becomes is not None:
            return self.becomes(served, locator, probe) + texts
        has_pictures = self.pictures and locator.chars is None and (probe.size is not None or bool(probe.pages))
        return (served.pictures if has_pictures else ()) + texts


class Openers:
    """The table of openers, with the tools they work with."""

    def __init__(self, *, pool: BoundedPool, renditions: Renditions, limits: Limits) -> None:
        self._maker = PictureMaker(renditions)
        self._reader = TextReader(pool, limits)
        self._recordings = RecordingMaker(renditions, Recordings(pool, limits))
        self._embedded = EmbeddedPictures(pool, PictureMaker(Renditions(pool, limits=limits)), limits)
        self._table = {
            Family.IMAGE: Opener(_picture_kinds, self._picture, pictures=True, texts=True),
            Family.DOCUMENT: Opener(lambda _: ("page", "xywh", "char"), self._page, pictures=True, texts=True),
            Family.TEXT: Opener(_text_kinds, self._text, pictures=False, texts=True),
        }
        recording = Opener(
            _recording_kinds,
            self._recording,
            pictures=True,
            texts=True,
            reads_in_place=True,
            becomes=_of_recording,
        )
        self._table |= {Family.AUDIO: recording, Family.VIDEO: recording}
        markup = Opener(_text_kinds, self._written, pictures=False, texts=True, whole=self._markup)
        readable = Opener(lambda _: ("char",), self._readable, pictures=False, texts=True)
        office = Opener(office_kinds, self._office, pictures=False, texts=True)
        self._office_tools = OfficeTools(pool, limits, self._embedded, TypesetPages(pool, self._embedded.maker, limits))
        self._readable_opener = readable
        self._by_type = {
            **dict.fromkeys(OFFICE_TYPES, office),
            "text/html": markup,
            "application/xml": markup,
            "application/x-ipynb+json": markup,
            "message/rfc822": readable,
            "application/vnd.ms-outlook": readable,
            "application/epub+zip": readable,
        }

    def of(self, media_type: MediaType) -> Opener | None:
        """The opener of a media type, or none where nothing of it is served."""
        if engine_for(media_type) is None:
            return self._readable_opener
        return self._by_type.get(media_type.name) or self._table.get(media_type.family)

    def open(self, subject: Subject, locator: Locator, *, room: Room) -> Answer:
        """The parts of what a locator names.

        Raises `LocatorUnsupported` and `LocatorOutOfRange`; gives no parts when nothing is acceptable.
        """
        media_type = subject.content.media_type
        opener = self.of(media_type)
        assert opener is not None, "what has no opener is refused before"
        check_kinds(locator, accepted=opener.locator_kinds(subject.probe), what=str(media_type))
        make = opener.parts if locator else opener.whole or opener.parts
        return make(subject, locator, room)

    def _picture(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        if room.pictures() and subject.probe.size is not None and locator.chars is None:
            return open_picture(subject, locator, room=room, maker=self._maker)
        return reading_parts(subject, locator, room=room)

    def _page(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        return open_page(subject, locator, room=room, maker=self._maker)

    def _recording(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        return open_recording(subject, locator, room=room, maker=self._recordings)

    def _office(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        return open_office(subject, locator, room=room, tools=self._office_tools)

    def _text(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        return open_text(subject, locator, room=room, reader=self._reader)

    def _written(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        return open_written(subject, locator, room=room, reader=self._reader, pictures=self._embedded)

    def _readable(self, subject: Subject, locator: Locator, room: Room) -> Answer:
        return open_readable(subject, locator, room=room, pictures=self._embedded)

    def _markup(self, subject: Subject, _: Locator, room: Room) -> Answer:
        return open_markup(subject, room=room, reader=self._reader, pictures=self._embedded)


def _picture_kinds(probe: Probe) -> tuple[str, ...]:
    """Pages of a picture that has them, frames and instants of an animation, regions of whatever has a size.

    Characters are those of the text that was read from it.
    """
    if probe.size is None:
        return ("char",)
    if probe.frames_are_pages:
        return ("page", "xywh", "char")
    if probe.frames == 1:
        return ("xywh", "char")
    return ("frame", "xywh", "t", "char") if probe.frame_times else ("frame", "xywh", "char")


def _recording_kinds(probe: Probe) -> tuple[str, ...]:
    """Instants and spans, regions of a frame, one of the tracks of sound, characters of the transcript."""
    return ("t", "track", "char") if probe.size is None else ("xywh", "t", "track", "char")


def _of_recording(served: ServedSet, locator: Locator, probe: Probe) -> tuple[MediaType, ...]:
    """What the whole, a span or an instant of a recording can become, beside texts."""
    span, is_video = locator.span, probe.size is not None
    if span is None:
        return () if locator.chars is not None else served.pictures
    if span.end_ms is None:
        return served.pictures if is_video else ()
    sounds = served.sounds if any(track.is_sound for track in probe.tracks) else ()
    return (served.pictures + served.clips if is_video else ()) + sounds


def _text_kinds(_probe: Probe) -> tuple[str, ...]:
    return ("char", "line")
