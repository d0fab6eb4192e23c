"""Key frames of a video: one for each shot within a bound, at their true times; a poster and a contact sheet."""

from __future__ import annotations

from eyeline.convert.converting import AssetDraft, Bench, Original, Reading
from eyeline.convert.previews import SHEET_BYTES, drafted
from eyeline.errors import EngineFailed, MediaError
from eyeline.model.limits import JPEG, PNG
from eyeline.model.locator import Locator, Span
from eyeline.model.plan import Target
from eyeline.model.reading import Coverage, Gap
from eyeline.model.rendition import Rendition
from eyeline.render.planning import MAX_SHEET_FRAMES, sheet_of_instants, target_from
from eyeline.render.recording_plans import frame_plan, whole
from eyeline.render.recordings import Recordings, Shots

KEYFRAMES, TITLE = "keyframes", "Keyframes"
FRAME_EDGE_PX, FRAME_BYTES = 784, 192 * 1024
WHOLE = Locator()


def add_key_frames(original: Original, bench: Bench, *, reading: Reading) -> None:
    """Add the section of key frames with their files; a frame that cannot be shown is a gap and costs no other."""
    reading.builder.heading(TITLE)
    try:
        found = Recordings(bench.pool, bench.limits).shots(
            original.source, whole(original.probe), most=bench.max_keyframes, cancel=bench.cancel
        )
    except (MediaError, EngineFailed) as exc:
        reading.gaps.append(Gap(KEYFRAMES, "failed", WHOLE, retryable=exc.retryable))
        reading.builder.note("Gap `failed`: The frames of this video cannot be looked at.")
        return
    made = _made(original, bench, found)
    frames = [(time, frame) for time, frame in zip(found.times_ms, made, strict=True) if frame is not None]
    drafts = [
        drafted(frame, f"keyframe-{number:04d}", locator=_at(time, frame))
        for number, (time, frame) in enumerate(frames, 1)
    ]
    reading.assets += [*drafts, *_gathered(original, bench, drafts)]
    reading.builder.listing(f"`{draft.locator}`: [{draft.path}]({draft.path})" for draft in drafts)
    _account(reading, found, made)


def _made(original: Original, bench: Bench, found: Shots) -> list[Rendition | None]:
    target = _target(bench, FRAME_EDGE_PX, FRAME_BYTES)
    plans = [
        frame_plan(original.probe, Locator(span=Span(time)), target=target, served=bench.served)
        for time in found.times_ms
    ]
    return bench.renditions.make_each(original.source, plans, cancel=bench.cancel)


def _gathered(original: Original, bench: Bench, drafts: list[AssetDraft]) -> list[AssetDraft]:
    """The poster, which is the key frame with most in it, and the contact sheet of as many as it holds."""
    if not drafts:
        return []
    best = max(drafts, key=lambda draft: len(draft.bytes))
    poster = AssetDraft(f"assets/poster.{best.media_type.extension}", best.bytes, best.media_type, best.locator)
    times = tuple(draft.locator.span.start_ms for draft in drafts if draft.locator.span is not None)
    step = -(-len(times) // MAX_SHEET_FRAMES)
    size = original.probe.size
    assert size is not None, "what has frames has a size"
    target = _target(bench, bench.served.target_edge_px, SHEET_BYTES)
    plan = sheet_of_instants(times[::step], size, target=target)
    try:
        sheet = bench.renditions.make(original.source, plan, cancel=bench.cancel)
    except (MediaError, EngineFailed):
        return [poster]
    return [poster, drafted(sheet, "contact-sheet", locator=WHOLE)]


def _account(reading: Reading, found: Shots, made: list[Rendition | None]) -> None:
    shown = sum(frame is not None for frame in made)
    reading.coverage.append(Coverage(KEYFRAMES, "shots", min(shown, found.shots), found.shots))
    for time, frame in zip(found.times_ms, made, strict=True):
        if frame is None:
            where = Locator(span=Span(time))
            reading.gaps.append(Gap(KEYFRAMES, "failed", where))
            reading.builder.note(f"Gap `failed` at `{where}`: This frame cannot be shown.")
    if not found.times_ms:
        reading.gaps.append(Gap(KEYFRAMES, "nothing_found", WHOLE))
        reading.builder.note("Gap `nothing_found`: No frame can be shown.")
    elif found.shots > len(made):
        reading.gaps.append(Gap(KEYFRAMES, "over_budget", WHOLE))
        reading.builder.note(
            f"Gap `over_budget`: There are about {found.shots} shots; {len(made)} of them have a frame."
        )


def _at(time: int, frame: Rendition) -> Locator:
    return Locator(span=Span(time if frame.facts.at_ms is None else frame.facts.at_ms))


def _target(bench: Bench, edge_px: int, max_bytes: int) -> Target:
    return target_from(bench.served, edge_px=edge_px, max_bytes=max_bytes, media_types=(PNG, JPEG))
