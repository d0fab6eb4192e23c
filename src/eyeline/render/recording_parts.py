"""Parts of recordings: previews and facts of the whole; of a span its sound, key frames and words; a frame by time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from eyeline.errors import EngineFailed, LocatorUnsupported, MediaError
from eyeline.model.digest import Digest
from eyeline.model.document import Asset
from eyeline.model.envelope import Truncation
from eyeline.model.limits import JPEG, PLAIN, PNG
from eyeline.model.locator import Locator, Span
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role
from eyeline.model.media_type import MediaType
from eyeline.model.plan import CutPlan, RenditionPlan, Target
from eyeline.model.probe import Probe, Track
from eyeline.model.reading import DerivationKind
from eyeline.model.rendition import Rendition
from eyeline.render.planning import sheet_of_instants, target_from
from eyeline.render.recording_facts import ENDS_ALIKE_MS, about, heard_track
from eyeline.render.recording_plans import clip_plan, duration_of, frame_plan, sound_plan, whole, within
from eyeline.render.recordings import MadeCut, Recordings
from eyeline.render.renditions import Renditions
from eyeline.render.subject import Answer, Room, Subject
from eyeline.render.text_parts import reading_parts, text_part

SHEET_FRAMES, SPAN_FRAMES = 16, 6
TRANSCRIPT_CHARS = 6_000
"""How much of a transcript stands beside the previews of a whole recording."""

SPECTROGRAM_ASSET, SHEET_ASSET = "assets/spectrogram.", "assets/contact-sheet."
NO_SOUND, NO_FRAME, NO_CLIP = "no_sound", "frame_not_viewable", "no_clip"
NOT_HEARD, NO_FRAME_THEN = "sound_not_audible", "no_frame_in_span"
DAMAGED = {"audio": "damaged_sound", "video": "damaged_pictures"}
"""Notes on a part whose time lies where a track is damaged."""


Failures = tuple[MediaError | EngineFailed, ...]
"""Why something could not be made, where others may stand without it."""


@dataclass(frozen=True, slots=True)
class RecordingMaker:
    """What draws, finds and cuts."""

    renditions: Renditions
    recordings: Recordings


def open_recording(subject: Subject, locator: Locator, *, room: Room, maker: RecordingMaker) -> Answer:
    """A recording: without a time its previews, with an instant a frame, with a span what is heard and shown in it."""
    if locator.chars is not None and locator.span is None:
        return reading_parts(subject, locator, room=room, role=Role.TRANSCRIPT)
    opening = _Opening(subject, room, maker, Answer())
    if locator.track is not None and (locator.span is None or locator.span.end_ms is None):
        hint = f"say which span of it, for example t=0,10&track={locator.track}"
        raise LocatorUnsupported("a track is heard in a span", hint=hint, asked=str(locator))
    if locator.span is None:
        if locator.region is not None:
            hint = "say in which frame, for example t=12.5&xywh=percent:0,0,50,50"
            raise LocatorUnsupported("a region needs an instant", hint=hint, asked=str(locator))
        opening.previews()
    else:
        span, was_cut = within(subject.probe, locator.span)
        if was_cut:
            opening.answer.notes.append("clipped_to_extent")
        if span.end_ms is None:
            opening.frame(replace(locator, span=span))
        else:
            opening.stretch(replace(locator, span=span))
        opening.answer.notes += dict.fromkeys(
            DAMAGED[track.kind] for track in subject.probe.tracks if track.kind in DAMAGED and track.is_damaged_in(span)
        )
    return opening.answer


@dataclass(frozen=True, slots=True)
class _Opening:
    """One answer in the making."""

    subject: Subject
    room: Room
    maker: RecordingMaker
    answer: Answer

    @property
    def probe(self) -> Probe:
        return self.subject.probe

    def previews(self) -> None:
        """A contact sheet or the sound drawn, what is known of the recording, and how its transcript begins."""
        if self.room.pictures():
            self._picture_of_all()
        media_type = self.room.acceptance.text(PLAIN, served=self.room.served.texts)
        if media_type is None:
            return
        facts = text_part(
            about(self.probe), role=Role.CONTEXT, locator=Locator(), media_type=media_type, kind=DerivationKind.SYSTEM
        )
        self.answer.parts.append(facts)
        self._words(Locator(), most=TRANSCRIPT_CHARS)

    def frame(self, locator: Locator) -> None:
        """The frame that is shown at an instant; with a region an overview and the detail."""
        if self.probe.size is None:
            span = locator.span
            assert span is not None, "a frame is found by time"
            hint = (
                f"a sound is heard in a span: t={span},{min(span.start_ms + 10_000, duration_of(self.probe)) / 1000:g}"
            )
            raise LocatorUnsupported("there is no frame at an instant of a sound", hint=hint, asked=str(locator))
        if not self.room.pictures():
            return
        served = self.room.served
        if locator.region is None:
            self._add_frame(locator, role=Role.FRAME, edge_px=served.target_edge_px, share=1)
            return
        whole_frame = replace(locator, region=None)
        self._add_frame(whole_frame, role=Role.OVERVIEW, edge_px=served.overview_edge_px, share=2)
        self._add_frame(locator, role=Role.DETAIL, edge_px=served.target_edge_px, share=2)

    def stretch(self, locator: Locator) -> None:
        """Key frames of a span with their true times, its sound and its words; a clip where one is named in accept."""
        span = locator.span
        assert span is not None, "a stretch has a span"
        if locator.region is not None:
            hint = "open one instant with the region: t=12.5&xywh=percent:0,0,50,50"
            raise LocatorUnsupported("a region is cut from one frame", hint=hint, asked=str(locator))
        acceptance, served = self.room.acceptance, self.room.served
        clip = acceptance.named(served.clips) if self.probe.size is not None else None
        sound = acceptance.first(served.sounds) if self.has_sound else None
        locator = replace(locator, track=heard_track(self.probe, span, asked=locator.track))
        failed: list[MediaError | EngineFailed] = []
        if clip is not None:
            failed += self._clip(locator, clip)
        if self.probe.size is not None and self.room.pictures():
            failed += self._key_frames(span, share=3 if sound or clip else 1)
        if sound is not None:
            failed += self._sound(locator, sound)
        elif not self.has_sound or (clip is not None and not self._heard(locator.track).is_on_in(span)):
            self.answer.notes.append(NO_SOUND)
        if failed and not self.answer.parts:
            raise failed[0]
        self._words(locator, most=self.room.answer.max_text_chars)

    @property
    def has_sound(self) -> bool:
        return any(track.is_sound for track in self.probe.tracks)

    def _words(self, locator: Locator, *, most: int) -> None:
        answer = replace(self.room.answer, max_text_chars=min(most, self.room.answer.max_text_chars))
        read = reading_parts(self.subject, locator, room=replace(self.room, answer=answer), role=Role.TRANSCRIPT)
        self.answer.parts += read.parts
        self.answer.truncation += read.truncation

    def _picture_of_all(self) -> None:
        is_video = self.probe.size is not None
        kept = self._asset(SHEET_ASSET if is_video else SPECTROGRAM_ASSET)
        if kept is not None:
            self.answer.parts.append(kept)
            return
        served = self.room.served
        most = self.room.picture_bytes(1)
        target = target_from(served, edge_px=served.target_edge_px, max_bytes=most, media_types=self.room.pictures())
        try:
            plan = self._sheet(target) if is_video else None
            if plan is None and not self.has_sound:
                self.answer.notes.append(NO_FRAME)
                return
            plan = plan or sound_plan(self.probe, target=target)
            made = self.maker.renditions.make(self.subject.source, plan, cancel=self.room.cancel)
        except (MediaError, EngineFailed):
            self.answer.notes.append(NO_FRAME)
            return
        self.answer.parts.append(
            picture_part(made, role=Role.OVERVIEW if is_video else Role.PREVIEW, locator=Locator())
        )

    def _sheet(self, target: Target) -> RenditionPlan | None:
        found = self.maker.recordings.shots(
            self.subject.source, whole(self.probe), most=SHEET_FRAMES, cancel=self.room.cancel
        )
        if not found.times_ms or self.probe.size is None:
            return None
        return sheet_of_instants(found.times_ms, self.probe.size, target=target)

    def _asset(self, prefix: str) -> Part | None:
        """A preview that was made at conversion, where it is taken as it is."""
        reading = self.subject.reading
        assets = () if reading is None else reading.representation.assets
        asset = next((each for each in assets if each.path.startswith(prefix)), None)
        if reading is None or asset is None or not self._is_taken(asset):
            return None
        data = reading.file(asset.path)
        role = Role.OVERVIEW if prefix == SHEET_ASSET else Role.PREVIEW
        entry = ManifestEntry(
            role=role,
            content_kind=ContentKind.PICTURE,
            media_type=asset.content.media_type,
            byte_count=len(data),
            digest=asset.content.digest,
            origin=Origin.AGENT_RENDITION,
            locator=Locator(),
        )
        return Part(data, entry)

    def _is_taken(self, asset: Asset) -> bool:
        fits = asset.content.byte_count <= self.room.picture_bytes(1)
        return fits and asset.content.media_type in self.room.pictures() and {JPEG, PNG} <= {*self.room.pictures()}

    def _add_frame(self, locator: Locator, *, role: Role, edge_px: int, share: int) -> None:
        served, most = self.room.served, self.room.picture_bytes(share)
        target = target_from(served, edge_px=edge_px, max_bytes=most, media_types=self.room.pictures())
        plan = frame_plan(self.probe, locator, target=target, served=served)
        made = self.maker.renditions.make(self.subject.source, plan, cancel=self.room.cancel)
        self.answer.parts.append(picture_part(made, role=role, locator=_at_true_time(locator, made)))

    def _key_frames(self, span: Span, *, share: int) -> Failures:
        """What was chosen, each within its share of what pictures may take; one that fails costs no other."""
        room, source = self.room, self.subject.source
        most = max(1, min(SPAN_FRAMES, room.served.max_parts - 2))
        if not next(track for track in self.probe.tracks if track.is_moving).is_on_in(span):
            self.answer.notes.append(NO_FRAME_THEN)
            return ()
        try:
            found = self.maker.recordings.shots(source, span, most=most, cancel=room.cancel)
        except (MediaError, EngineFailed) as exc:
            self.answer.notes.append(NO_FRAME)
            return (exc,)
        edge = room.served.target_edge_px if len(found.times_ms) == 1 else room.served.overview_edge_px
        each = room.picture_bytes(1) * (share - 1 or 1) // share // max(1, len(found.times_ms))
        target = target_from(room.served, edge_px=edge, max_bytes=each, media_types=room.pictures())
        places = [Locator(span=Span(time)) for time in found.times_ms]
        plans = [frame_plan(self.probe, place, target=target, served=room.served) for place in places]
        made = self.maker.renditions.make_each(source, plans, cancel=room.cancel)
        for place, rendition in zip(places, made, strict=True):
            if rendition is None:
                self.answer.notes.append(NO_FRAME)
            else:
                self.answer.parts.append(
                    picture_part(rendition, role=Role.KEYFRAME, locator=_at_true_time(place, rendition))
                )
        if found.shots > len(found.times_ms):
            self.answer.notes.append(f"shots:{len(found.times_ms)} of {found.shots}")
        return ()

    def _sound(self, locator: Locator, media_type: MediaType) -> Failures:
        """The sound of a span, as long as is served and fits; what is left has its own span."""
        span = _stretch_of(locator)
        legal = _at_most(span, self.room.served.max_sound_ms)
        share = 1 if self.probe.size is None else 3
        plan = CutPlan(span=legal, media_type=media_type, max_bytes=self.room.picture_bytes(share), track=locator.track)
        return self._add_cut(plan, span, Role.AUDIO)

    def _clip(self, locator: Locator, media_type: MediaType) -> Failures:
        span = _stretch_of(locator)
        legal = _at_most(span, self.room.served.max_clip_ms)
        others = bool(self.room.pictures()) or self.room.acceptance.first(self.room.served.sounds) is not None
        plan = clip_plan(
            self.probe,
            legal,
            media_type=media_type,
            served=self.room.served,
            max_bytes=self.room.picture_bytes(3 if others else 1),
        )
        plan = replace(plan, track=locator.track)
        return self._add_cut(plan, span, Role.CLIP)

    def _add_cut(self, plan: CutPlan, asked: Span, role: Role) -> Failures:
        """The cut, and what is left of the span that was asked for; one that fails is a note beside the other parts."""
        try:
            made = self.maker.recordings.cut(self.subject.source, plan, cancel=self.room.cancel)
        except (MediaError, EngineFailed) as exc:
            is_over = exc.detail.get("reason") == "no_sound"
            self.answer.notes.append(NO_CLIP if role is Role.CLIP else NO_SOUND if is_over else NOT_HEARD)
            return () if is_over else (exc,)
        self.answer.parts.append(cut_part(made, plan, role=role))
        end, asked_end = made.span.end_ms or 0, asked.end_ms or 0
        if end < min(self._sound_ends_ms(plan.track, asked_end) if role is Role.AUDIO else asked_end, asked_end):
            left = f"{(asked_end - end) / 1000:g} seconds of {role.value}"
            rest = Locator(span=Span(end, asked_end), track=plan.track)
            self.answer.truncation.append(Truncation("served_duration", left, rest))
        return ()

    def _heard(self, number: int | None) -> Track:
        """The track that is heard; without a number there is but one."""
        tracks = self.probe.tracks
        return next(track for track in tracks if track.is_sound) if number is None else tracks[number - 1]

    def _sound_ends_ms(self, number: int | None, otherwise: int) -> int:
        """When the track that is heard ends, with what a coder may lack at its end."""
        track = self._heard(number)
        return otherwise if track.end_ms is None else track.end_ms - ENDS_ALIKE_MS


def _stretch_of(locator: Locator) -> Span:
    assert locator.span is not None, "a stretch has a span"
    return locator.span


def _at_most(span: Span, most_ms: int) -> Span:
    assert span.end_ms is not None, "a stretch has an end"
    return Span(span.start_ms, min(span.end_ms, span.start_ms + most_ms))


def _at_true_time(locator: Locator, made: Rendition) -> Locator:
    return locator if made.facts.at_ms is None else replace(locator, span=Span(made.facts.at_ms))


def picture_part(made: Rendition, *, role: Role, locator: Locator) -> Part:
    """A picture of a recording as a part."""
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


def cut_part(made: MadeCut, plan: CutPlan, *, role: Role) -> Part:
    """A sound or a clip as a part."""
    entry = ManifestEntry(
        role=role,
        content_kind=ContentKind.VIDEO if role is Role.CLIP else ContentKind.AUDIO,
        media_type=plan.media_type,
        byte_count=len(made.bytes),
        digest=Digest.of(made.bytes),
        origin=Origin.AGENT_RENDITION,
        locator=Locator(span=made.span, track=plan.track),
        transforms=made.transforms,
    )
    return Part(made.bytes, entry)
