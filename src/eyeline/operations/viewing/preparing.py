"""Preparing one item: admitted like everything that is decoded, then drafted by what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eyeline.errors import EngineFailed, MediaError
from eyeline.media.admission import admit
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import OFFICE_TYPES, engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.display import shown
from eyeline.model.document import Admission, AdmissionOutcome, BlobRef
from eyeline.model.limits import MARKDOWN, PLAIN, Limits
from eyeline.model.locator import Chars, Locator, Span
from eyeline.model.manifest import Part, Role
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe
from eyeline.model.reading import HIDDEN_TEXT, DerivationKind
from eyeline.model.viewing import ViewStatus
from eyeline.operations.viewing.arriving import Left
from eyeline.operations.viewing.choosing import SOUNDS
from eyeline.operations.viewing.drafting import Drawing, MediaDraft, TextDraft, sound
from eyeline.operations.viewing.failing import failed
from eyeline.render.picture_parts import about_sheet, kind_of_frames
from eyeline.render.planning import sheet_for, target_from
from eyeline.render.recording_facts import about_recording
from eyeline.render.recording_parts import DAMAGED, SHEET_FRAMES
from eyeline.render.recording_plans import duration_of, whole
from eyeline.render.subject import Subject
from eyeline.render.text_parts import TextReader, text_part
from eyeline.source.held import HeldSource
from eyeline.toolkit.cancel import CancelToken

MARKUP = ("text/html", "application/xml", "application/x-ipynb+json")
READABLE = ("message/rfc822", "application/vnd.ms-outlook", "application/epub+zip")
MAX_READ_CHARS = 400_000
_WAYS_OUT = {
    AdmissionOutcome.TIMEOUT: "the same file may do on a machine that is less busy",
    AdmissionOutcome.ENCRYPTED: "save it without its password",
}


@dataclass(slots=True)
class Drafted:
    """One item that was decoded: its texts and media in the order they are shown, and what was left out already."""

    probe: Probe | None = None
    texts: list[TextDraft] = field(default_factory=list[TextDraft])
    media: list[MediaDraft] = field(default_factory=list[MediaDraft])
    left_out: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    @property
    def parts(self) -> int:
        """How many parts it would make."""
        return len(self.texts) + len(self.media)

    @property
    def pages(self) -> int:
        """How many pages of a document stand in it."""
        return len(self.media) if self.probe is not None and self.probe.pages else 0

    def drop_page(self) -> None:
        """Leave out the last page."""
        last = self.pages
        self.media.pop()
        self.texts = [text for text in self.texts if text.page != last]


@dataclass(frozen=True, slots=True)
class Preparing:
    """What items are prepared with. `known` gives what these bytes came to before, or decides it by what is given."""

    pool: BoundedPool
    limits: Limits
    drawing: Drawing
    known: Callable[[BlobRef, Callable[[], Admission]], Admission]
    cancel: CancelToken

    def prepared(self, source: HeldSource, *, max_pages: int) -> Drafted | Left:
        """The drafts of an item, or why it has none. Raises `Cancelled`."""
        if source.media_type in SOUNDS and engine_for(source.media_type) is None:
            return Drafted(media=[sound(source)])
        content = BlobRef(source.digest, source.byte_count, source.media_type)
        admission = self.known(content, lambda: self._admit(content, source))
        if admission.outcome is not AdmissionOutcome.ADMITTED or admission.probe is None:
            return _not_admitted(admission)
        subject = Subject(content, source, admission.probe, None)
        try:
            return self._drafted(subject, source, max_pages=max_pages)
        except (MediaError, EngineFailed) as exc:
            return failed(exc, name=shown(source.name))

    def _admit(self, content: BlobRef, source: HeldSource) -> Admission:
        return admit(content, source.open, pool=self.pool, limits=self.limits, now_ms=0, cancel=self.cancel)

    def _drafted(self, subject: Subject, source: HeldSource, *, max_pages: int) -> Drafted:
        probe, media_type = subject.probe, subject.content.media_type
        if media_type.name in OFFICE_TYPES:
            return self._office(subject, source)
        if probe.pages:
            return self._pages(subject, max_pages=max_pages)
        if probe.tracks:
            return self._recording(subject, source)
        if probe.size is not None:
            return self._picture(subject)
        if media_type.name in MARKUP:
            return self._markup(subject, source)
        if media_type.name in READABLE:
            return self._readable(subject, source)
        return Drafted(probe, texts=[self._written(subject)])

    def _picture(self, subject: Subject) -> Drafted:
        probe = subject.probe
        if probe.frames == 1:
            return Drafted(probe, media=[self.drawing.picture(subject, Locator(), role=Role.OVERVIEW)])
        served = self.drawing.room.served
        target = target_from(served, edge_px=served.target_edge_px, max_bytes=1, media_types=())
        sheet = sheet_for(probe, target=target).sheet
        assert sheet is not None
        drafted = Drafted(probe, media=[self.drawing.sheet(subject)])
        about = about_sheet(probe, sheet)
        drafted.texts.append(
            _text(about, where=Locator(), role=Role.CONTEXT, media_type=PLAIN, kind=DerivationKind.SYSTEM)
        )
        shown = len(sheet.frames)
        drafted.left_out.append(f"a contact sheet of {shown} of {probe.frames} {kind_of_frames(probe)}s")
        return drafted

    def _recording(self, subject: Subject, source: HeldSource) -> Drafted:
        """A video as frames with their times, a sound as sound, and what is known of either."""
        probe = subject.probe
        drafted = Drafted(probe)
        if probe.size is not None:
            found = self.drawing.recordings.recordings.shots(
                source, whole(probe), most=SHEET_FRAMES, cancel=self.cancel
            )
            if found.times_ms:
                drafted.media.append(self.drawing.times(subject, found.times_ms))
            drafted.left_out.append(f"a contact sheet of {len(found.times_ms)} frames")
        else:
            end_ms = min(duration_of(probe), self.drawing.room.served.max_sound_ms)
            drafted.media.append(self.drawing.sound(subject, source, span=Span(0, end_ms)))
            if end_ms < duration_of(probe):
                drafted.left_out.append(f"the first {end_ms / 1000:g} of {duration_of(probe) / 1000:g} seconds")
        drafted.left_out += [
            f"track {number}, which cannot be decoded" for number, track in enumerate(probe.tracks, 1) if track.reason
        ]
        drafted.notes += [note for note in probe.notes if note in DAMAGED.values()]
        text = about_recording(probe)
        drafted.texts.append(
            _text(text, where=Locator(), role=Role.CONTEXT, media_type=PLAIN, kind=DerivationKind.SYSTEM)
        )
        return drafted

    def _pages(self, subject: Subject, *, max_pages: int) -> Drafted:
        last = min(subject.probe.page_count, max_pages)
        drafted = Drafted(subject.probe)
        told = self._job(subject.source, "eyeline.media.pdf:read_text", {"first": 1, "last": last})
        for page in told.value["pages"]:
            where, text = Locator(page=page["page"]), str(page.get("text", ""))
            drafted.media.append(self.drawing.picture(subject, where, role=Role.PAGE))
            if text.strip():
                drafted.texts.append(_extracted(text, where=where, media_type=PLAIN))
            if page.get("text_layer") in ("absent", "unusable"):
                drafted.notes.append(f"no_text_layer: page {page['page']}")
            if page.get("hidden_chars"):
                drafted.notes.append(f"{HIDDEN_TEXT}: page {page['page']}")
        return drafted

    def _markup(self, subject: Subject, source: HeldSource) -> Drafted:
        """What it says, or its characters where that cannot be read."""
        params = {"encoding": subject.probe.encoding} if subject.probe.encoding else {}
        try:
            told = self._job(source, "eyeline.media.markup:read_blocks", params)
        except (MediaError, EngineFailed):
            return Drafted(subject.probe, texts=[self._written(subject)], notes=["as_written"])
        text = told.outputs[0].decode("utf-8")
        if not text.strip():
            return Drafted(subject.probe, texts=[self._written(subject)], notes=["as_written"])
        draft = _extracted(text, where=Locator(), media_type=MARKDOWN)
        hidden = [HIDDEN_TEXT] if any(told.value["unseen"].get(what) for what in ("elements", "comments")) else []
        return Drafted(subject.probe, texts=[draft], notes=hidden)

    def _office(self, subject: Subject, source: HeldSource) -> Drafted:
        """What it says: the text in order, with tables, slide by slide or sheet by sheet."""
        told = self._job(source, "eyeline.media.office.engine:read_blocks", {})
        text = told.outputs[0].decode("utf-8")
        drafted = Drafted(texts=[_extracted(text, where=Locator(), media_type=MARKDOWN)])
        sections: list[dict[str, Any]] = told.value["sections"]
        drafted.notes += [HIDDEN_TEXT] * any(section["hidden"] for section in sections)
        drafted.notes += ["unreadable_parts"] * any(not section["is_read"] for section in sections)
        if any(any(section["rest"]) for section in sections) or not told.value["is_complete"]:
            drafted.left_out.append("what goes beyond the bounds of one reading")
        if told.value["pictures_found"]:
            drafted.left_out.append(f"{told.value['pictures_found']} embedded pictures")
        return drafted

    def _readable(self, subject: Subject, source: HeldSource) -> Drafted:
        """What a mail or a book says; what it encloses or shows is told of in it and not delivered."""
        engine = engine_for(source.media_type)
        assert engine is not None, "what has no engine is not shown"
        told = self._job(source, engine.job("read_readable"), {"max_chars": MAX_READ_CHARS})
        draft = _extracted(told.outputs[0].decode("utf-8"), where=Locator(), media_type=MARKDOWN)
        hidden = [HIDDEN_TEXT] * any(name.startswith(HIDDEN_TEXT) for name in told.value["warnings"])
        return Drafted(subject.probe, texts=[draft], notes=[*hidden, *told.value["gaps"]])

    def _written(self, subject: Subject) -> TextDraft:
        """The characters of a text, read when it is known how many are wanted."""
        reader = TextReader(self.pool, self.limits)
        native = subject.content.media_type if subject.content.media_type == MARKDOWN else PLAIN

        def make(chars: int) -> Part:
            text = reader.chars(subject, Chars(0, chars), room=self.drawing.room).text if chars else ""
            kind = DerivationKind.PASSTHROUGH
            return text_part(text, role=Role.SOURCE_TEXT, locator=Locator(), media_type=native, kind=kind)

        return TextDraft(subject.probe.chars or 0, make)

    def _job(self, source: Any, job: str, params: dict[str, Any]) -> Any:
        with source.open() as opened:
            return self.pool.run(
                job,
                {"media_type": str(source.media_type), **params},
                source=opened,
                limits=job_limits(self.limits),
                cancel=self.cancel,
            )


def _not_admitted(admission: Admission) -> Left:
    outcome = admission.outcome
    reason = f": {admission.reason}" if admission.reason else ""
    return Left(
        ViewStatus.FAILED,
        outcome.value,
        f"it cannot be shown ({outcome.value}{reason})",
        hint=_WAYS_OUT.get(outcome),
        retryable=outcome is AdmissionOutcome.TIMEOUT,
    )


def _extracted(text: str, *, where: Locator, media_type: MediaType) -> TextDraft:
    return _text(text, where=where, role=Role.SOURCE_TEXT, media_type=media_type, kind=DerivationKind.EXTRACTION)


def _text(text: str, *, where: Locator, role: Role, media_type: MediaType, kind: DerivationKind) -> TextDraft:
    def make(chars: int) -> Part:
        return text_part(text[:chars], role=role, locator=where, media_type=media_type, kind=kind)

    return TextDraft(len(text), make, where.page)
