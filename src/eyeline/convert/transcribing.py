"""The transcript of a recording as a section of its document: turns with their times, and what is lacking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eyeline.convert.converting import Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.hearing import SoundTrack, heard_in, is_listened_to
from eyeline.convert.lanes import TRANSCRIPT, Precision, Turn
from eyeline.convert.resuming import Heard
from eyeline.model.locator import Locator, Span
from eyeline.model.plain_text import plain_line
from eyeline.model.probe import Probe, Track
from eyeline.model.reading import Coverage, DerivationKind, Gap

TITLE = "Transcript"
MAX_TRACKS, MAX_TURN_CHARS = 4, 2_000
WHOLE = Locator()
_COARSE = {
    Precision.SEGMENT: "The times are those of whole segments, as the transcriber gives them.",
    Precision.SPAN: "The transcriber gives no times: each turn has that of the whole span it was asked about.",
}


def add_transcript(original: Original, bench: Bench, *, reading: Reading) -> None:
    """Add what is said in each track; a track that cannot be heard costs no other."""
    reading.builder.heading(TITLE)
    numbers = [
        number for number, track in enumerate(original.probe.tracks, 1) if _may_be_heard(track.reason, track.kind)
    ]
    if not numbers:
        reading.gaps.append(Gap(TRANSCRIPT, "nothing_found", WHOLE))
        reading.builder.note("Gap `nothing_found`: There is no sound that can be decoded.")
        return
    read = total = 0
    for place, number in enumerate(numbers):
        track = SoundTrack(place, _span_of(original.probe, number))
        if len(numbers) > 1:
            reading.builder.heading(f"Track {number}", level=3)
        total += _length(track.span.start_ms, track.span.end_ms)
        if place < MAX_TRACKS:
            heard = heard_in(original, track, bench=bench)
            read += sum(_audible_ms(original.probe.tracks[number - 1], each) for each in heard)
            only = None if len(numbers) == 1 else number
            _state(reading, heard, title=TITLE if only is None else f"{TITLE} of track {number}", track=only)
        else:
            reading.gaps.append(Gap(TRANSCRIPT, "over_budget", WHOLE))
            reading.builder.note("Gap `over_budget`: There are more tracks than are listened to.")
    reading.coverage.append(Coverage(TRANSCRIPT, "milliseconds", read, total))


def _audible_ms(track: Track, heard: Heard) -> int:
    """How much of a span was listened to: what is damaged says nothing."""
    if not is_listened_to(heard.outcome):
        return 0
    inside = (min(each.end_ms or 0, heard.end_ms) - max(each.start_ms, heard.start_ms) for each in track.damaged)
    return heard.end_ms - heard.start_ms - sum(max(0, length) for length in inside)


def _may_be_heard(reason: str | None, kind: str) -> bool:
    return kind == "audio" and reason != "no_decoder"


def _span_of(probe: Probe, number: int) -> Span:
    """When a track (from 1) is heard, within the recording."""
    track, end_ms = probe.tracks[number - 1], max(1, probe.duration_ms or 0)
    start_ms = min(max(0, track.start_ms), end_ms - 1)
    length_ms = end_ms if track.duration_ms is None else track.duration_ms
    return Span(start_ms, max(start_ms + 1, min(end_ms, start_ms + length_ms)))


def _length(start_ms: int, end_ms: int | None) -> int:
    return (end_ms or start_ms) - start_ms


def _state(reading: Reading, heard: Sequence[Heard], *, title: str, track: int | None) -> None:
    """Say what was heard in a track, how sure its times are, and what is lacking where; `track` where it has others."""
    made = [each.outcome.value for each in heard if each.outcome.value is not None]
    if made:
        reading.builder.quote(title, DerivationKind.TRANSCRIPT, pieces=_pieces(_all_turns(heard), track))
        coarsest = max((each.precision for each in made), key=list(Precision).index)
        reading.facts.setdefault("transcript_precision", coarsest.value)
        language = next((each.language for each in made if each.language is not None), None)
        if language is not None:
            reading.facts.setdefault("transcript_language", language)
        if coarsest in _COARSE:
            reading.builder.note(_COARSE[coarsest])
    for each in heard:
        if each.outcome.code is None or (each.outcome.code == "nothing_found" and len(heard) > 1):
            continue  # that nobody speaks for a while is what a recording is like, and no gap
        where = Locator(span=Span(each.start_ms, each.end_ms) if len(heard) > 1 else None, track=track)
        reading.gaps.append(Gap(TRANSCRIPT, each.outcome.code, where, retryable=each.outcome.retryable))
        place = f" at `{where}`" if where else ""
        reading.builder.note(f"Gap `{each.outcome.code}`{place}: {each.outcome.reason}")


def _all_turns(heard: Sequence[Heard]) -> Iterator[Turn]:
    """All turns in order. Spans are heard on their own, so a voice has another label in each of them."""
    known = 0
    for each in heard:
        turns = () if each.outcome.value is None else each.outcome.value.turns
        labels = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker is not None))
        names = {label: f"Speaker {known + place}" for place, label in enumerate(labels, 1)}
        known += len(labels)
        yield from (turn if turn.speaker is None else replace(turn, speaker=names[turn.speaker]) for turn in turns)


def _pieces(turns: Iterator[Turn], track: int | None) -> Iterator[Piece]:
    """One line a turn: when, who, what."""
    for turn in turns:
        where = Locator(span=Span(turn.start_ms, turn.end_ms), track=track)
        speaker = "" if turn.speaker is None else f"{turn.speaker}: "
        # a line is a turn, whoever wrote it: a transcriber of somebody else's must not be able to begin another
        yield Piece(f"[{where}] {speaker}{plain_line(turn.text, max_chars=MAX_TURN_CHARS)}\n", where)
