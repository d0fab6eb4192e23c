"""What every transcriber promises, as tests.

Subclass `TranscriberContract` and make a transcriber that hears the speech of `SPEECH`, or is told what stands there.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from eyeline.convert.lanes import SOUND_RATE_HZ, Precision, Transcriber, run_transcript
from eyeline.errors import Cancelled
from eyeline.testing.sound import make_noise, make_silence, make_speech
from eyeline.toolkit.cancel import CancelToken

if TYPE_CHECKING:
    from eyeline.convert.lanes import Transcript

WORDS = ("Tuesday", "noon")
SPEECH = (
    make_silence(1_000, rate_hz=SOUND_RATE_HZ)
    + make_speech("The parts arrived on Tuesday.", words_a_minute=130)
    + make_silence(2_500)
    + make_speech("Everybody leaves before noon.", words_a_minute=130)
    + make_silence(1_000)
)
"""Two sentences, one of each word, with silence around and between; at `SOUND_RATE_HZ`."""

BEGIN_MS = 90_000


class TranscriberContract:
    """Subclass it and make a transcriber."""

    def make_transcriber(self) -> Transcriber:
        """A transcriber that is asked for the first time."""
        raise AssertionError("the subclass makes the transcriber")

    def heard(self) -> Transcript:
        """What it hears in `SPEECH` when that begins at `BEGIN_MS`."""
        return self.make_transcriber().transcribe(SPEECH.pcm, start_ms=BEGIN_MS)

    def test_words_that_are_said_are_heard_in_turns_of_their_own(self) -> None:
        turns = self.heard().turns
        found = [next(place for place, turn in enumerate(turns) if word in turn.text) for word in WORDS]
        assert found == sorted(set(found))

    def test_turns_lie_in_the_span_on_the_timeline_of_the_recording_and_in_order(self) -> None:
        turns = self.heard().turns
        end_ms = BEGIN_MS + SPEECH.duration_ms
        assert all(BEGIN_MS <= turn.start_ms < turn.end_ms <= end_ms for turn in turns)
        assert [turn.start_ms for turn in turns] == sorted(turn.start_ms for turn in turns)

    def test_times_are_where_the_words_are_unless_they_are_only_those_of_the_span(self) -> None:
        heard = self.heard()
        second_ms = BEGIN_MS + SPEECH.duration_ms // 2
        if heard.precision is not Precision.SPAN:
            for word, begins, ends in zip(WORDS, (BEGIN_MS, second_ms), (second_ms, second_ms * 2), strict=True):
                (turn,) = (each for each in heard.turns if word in each.text)
                assert begins <= (turn.start_ms + turn.end_ms) // 2 < ends

    def test_text_is_one_line_without_controls_and_never_empty(self) -> None:
        for turn in self.heard().turns:
            assert turn.text == turn.text.strip() != ""
            assert not any(unicodedata.category(each) in ("Cc", "Cs") for each in turn.text)

    def test_silence_and_noise_give_no_turns_and_no_error(self) -> None:
        transcriber = self.make_transcriber()
        for sound in (make_silence(4_000), make_noise(4_000), make_silence(1), make_noise(30)):
            assert transcriber.transcribe(sound.pcm, start_ms=BEGIN_MS).turns == ()
        assert transcriber.transcribe(b"", start_ms=0).turns == ()

    def test_no_call_changes_what_another_gives(self) -> None:
        transcriber = self.make_transcriber()
        first = transcriber.transcribe(SPEECH.pcm, start_ms=BEGIN_MS)
        transcriber.transcribe(make_noise(500).pcm, start_ms=0)
        assert transcriber.transcribe(SPEECH.pcm, start_ms=BEGIN_MS) == first

    def test_a_call_that_nobody_wants_any_more_is_cancelled(self) -> None:
        cancel = CancelToken()
        cancel.cancel()
        try:
            self.make_transcriber().transcribe(SPEECH.pcm, start_ms=0, cancel=cancel)
        except Cancelled:
            return
        raise AssertionError("it went on")

    def test_what_decides_the_transcript_is_told_the_same_way_every_time(self) -> None:
        components = self.make_transcriber().components
        assert components == self.make_transcriber().components
        assert len({each.name for each in components}) == len(components) > 0

    def test_the_lane_says_what_was_not_found(self) -> None:
        outcome = run_transcript(self.make_transcriber(), make_silence(2_000).pcm, start_ms=0)
        assert (outcome.value, outcome.code, outcome.retryable) == (None, "nothing_found", False)
