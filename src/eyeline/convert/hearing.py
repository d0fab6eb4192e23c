"""Hearing what is said in a track: span after span, each cut where it is quiet, each kept until the whole is done.

One span is in memory at a time. A span that cannot be decoded or transcribed costs itself alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from eyeline.convert.converting import Bench, Original
from eyeline.convert.lanes import SOUND_RATE_HZ, TRANSCRIPT, LaneOutcome, Transcript, run_transcript
from eyeline.convert.resuming import Heard, hear_once
from eyeline.convert.voices import quiet_moment
from eyeline.errors import EngineFailed, MediaError
from eyeline.media.job_limits import job_limits
from eyeline.model.locator import Span

SPAN_MS, CUT_FROM_MS, SHORT_SPAN_MS = 240_000, 180_000, 20_000
"""How long a span is at most, from where on it may end sooner, and how long one is tried where a long one failed."""

_LASTING = frozenset({"not_configured", "language_missing"})
"""Gaps that every other span would have, too."""

_FAILURES = 2
"""After so many spans in a row that another try may get, the rest waits for that."""


@dataclass(frozen=True, slots=True)
class SoundTrack:
    """A track that is listened to: its place among the tracks of sound, from 0, and when it is heard."""

    place: int
    span: Span


@dataclass(frozen=True, slots=True)
class _Listening:
    """One track of one original, being heard."""

    original: Original
    bench: Bench
    track: SoundTrack

    def spans(self) -> Iterator[Heard]:
        """Every span in order, up to the bound on a transcript; where nobody can hear, one for all that is left."""
        at_ms, end_ms = self.track.span.start_ms, self.track.span.end_ms or 0
        most_ms = min(end_ms, at_ms + self.bench.max_transcript_ms)
        length_ms, failures = SPAN_MS, 0
        while at_ms < most_ms:
            self.bench.cancel.raise_if_cancelled()
            self.bench.progress(at_ms // 1000, end_ms // 1000, "listening")
            heard = self._heard(Span(at_ms, min(at_ms + length_ms, most_ms)))
            if heard.outcome.code == _UNDECODED and heard.end_ms - at_ms > SHORT_SPAN_MS:
                length_ms = SHORT_SPAN_MS
                continue
            failures = failures + 1 if heard.outcome.retryable else 0
            is_over = heard.outcome.code in _LASTING or failures >= _FAILURES
            length_ms = SHORT_SPAN_MS if heard.outcome.code == _UNDECODED else SPAN_MS
            at_ms = most_ms if is_over else heard.end_ms
            yield Heard(heard.start_ms, at_ms, heard.outcome)
        if most_ms < end_ms:
            reason = "The recording is longer than is listened to."
            yield Heard(most_ms, end_ms, LaneOutcome(TRANSCRIPT, code="over_budget", reason=reason))

    def _heard(self, span: Span) -> Heard:
        if self.bench.transcriber is None:
            return Heard(span.start_ms, span.end_ms or 0, run_transcript(None, b"", start_ms=span.start_ms))
        name = f"transcript-{self.track.place}-{span.start_ms:010d}-{span.end_ms:010d}"
        return hear_once(self.bench.scratch, name, ask=lambda: self._asked(span))

    def _asked(self, span: Span) -> Heard:
        end_ms = span.end_ms or 0
        try:
            sound = self._sound(span)
        except (MediaError, EngineFailed) as exc:
            reason = "Its sound cannot be decoded here."
            return Heard(
                span.start_ms,
                end_ms,
                LaneOutcome(TRANSCRIPT, code=_UNDECODED, reason=reason, retryable=exc.retryable),
            )
        if end_ms - span.start_ms == SPAN_MS:
            kept_ms = quiet_moment(sound, after_ms=CUT_FROM_MS)
            sound, end_ms = sound[: 2 * kept_ms * SOUND_RATE_HZ // 1000], span.start_ms + kept_ms
        outcome = run_transcript(self.bench.transcriber, sound, start_ms=span.start_ms, cancel=self.bench.cancel)
        return Heard(span.start_ms, end_ms, outcome)

    def _sound(self, span: Span) -> bytes:
        """The samples of a span, from its first moment on; shorter where the track ends before."""
        params = {
            "media_type": str(self.original.content.media_type),
            "track": self.track.place,
            "start_ms": span.start_ms,
            "end_ms": span.end_ms,
            "rate_hz": SOUND_RATE_HZ,
        }
        with self.original.source.open() as source:
            made = self.bench.pool.run(
                "eyeline.media.recordings:samples",
                params,
                source=source,
                limits=job_limits(self.bench.limits),
                cancel=self.bench.cancel,
            )
        return made.outputs[0]


_UNDECODED = "undecoded"
"""Stands for `failed` until it is known whether a shorter span can be decoded."""


def heard_in(original: Original, track: SoundTrack, *, bench: Bench) -> list[Heard]:
    """What is said in a track, in order, neighbours that lack the same thing in one. Raises `Cancelled`."""
    heard: list[Heard] = []
    for each in _Listening(original, bench, track).spans():
        told = each.outcome
        if told.code == _UNDECODED:
            told = replace(told, code="failed")
        last = heard[-1].outcome if heard else None
        is_same = last is not None and told.code is not None and told.code == last.code and told.reason == last.reason
        start_ms = heard.pop().start_ms if is_same else each.start_ms
        heard.append(Heard(start_ms, each.end_ms, told))
    return heard


def is_listened_to(outcome: LaneOutcome[Transcript]) -> bool:
    """Whether a span was heard, be it that nobody speaks in it."""
    return outcome.value is not None or outcome.code == "nothing_found"
