"""The route of recordings: what is said in them, and pictures of what is heard and shown."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.convert.converting import Bench, Original, Reading
from eyeline.convert.key_frames import KEYFRAMES, add_key_frames
from eyeline.convert.lanes import TRANSCRIPT
from eyeline.convert.previews import sound_drawn
from eyeline.convert.transcribing import add_transcript
from eyeline.media.engines import engine_for
from eyeline.model.document import BlobRef
from eyeline.model.locator import Locator
from eyeline.model.probe import Probe
from eyeline.model.reading import Component, Gap
from eyeline.render.recording_facts import about_recording


@dataclass(frozen=True, slots=True)
class RecordingConverter:
    """Sound and video: duration and tracks, the transcript, key frames of a video, a picture of a sound."""

    route: str

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The engine of recordings, the transcript lane, and the bounds on both."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        return (
            *(Component(name, version) for name, version in versions.items()),
            *(() if bench.transcriber is None else bench.transcriber.components),
            Component("max_transcript_ms", str(bench.max_transcript_ms)),
            Component("max_keyframes", str(bench.max_keyframes)),
        )

    def read(self, original: Original, bench: Bench) -> Reading:
        """Read every track; one that cannot be heard or shown is a gap and costs no other."""
        probe = original.probe
        reading = Reading(facts={"duration_ms": probe.duration_ms or 0, "tracks": len(probe.tracks)})
        if probe.size is not None:
            reading.facts |= {"width_px": probe.size.width_px, "height_px": probe.size.height_px}
        reading.builder.heading("Tracks")
        reading.builder.listing(about_recording(probe).splitlines())
        add_transcript(original, bench, reading=reading)
        if probe.size is not None:
            add_key_frames(original, bench, reading=reading)
        elif any(track.is_sound for track in probe.tracks):
            drawn = sound_drawn(original, bench=bench)
            reading.assets += [] if drawn is None else [drawn]
        _add_damage(reading, probe)
        reading.warnings += probe.notes
        return reading


def _add_damage(reading: Reading, probe: Probe) -> None:
    """State when tracks are damaged, each time a gap of its own."""
    for number, track in enumerate(probe.tracks, 1):
        alone = sum(each.kind == track.kind for each in probe.tracks) == 1
        lane = KEYFRAMES if track.kind == "video" else TRANSCRIPT
        for span in track.damaged:
            where = Locator(span=span, track=None if alone or track.kind == "video" else number)
            reading.gaps.append(Gap(lane, "damaged", where))
            reading.builder.note(f"Gap `damaged` at `{where}`: Nothing of the {track.kind} can be decoded there.")
