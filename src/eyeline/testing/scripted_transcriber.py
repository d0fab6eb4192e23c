"""A transcriber that hears what its script says wherever sound stands out, and nothing in silence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import TYPE_CHECKING

from eyeline.convert.lanes import Precision, Transcript, Turn
from eyeline.convert.voices import loud_spans
from eyeline.model.reading import Component

if TYPE_CHECKING:
    from eyeline.errors import EyelineError
    from eyeline.toolkit.cancel import CancelToken

SCRIPT = ("Somebody says something.",)


@dataclass(slots=True)
class ScriptedTranscriber:
    """Says the lines of its script in turn, one for each stretch of sound, over and over.

    `speakers` speak in turn, too, where there are any. `failure` is raised in place of an answer. `asked` lists the
    start of each span it was handed and its length in bytes.
    """

    script: tuple[str, ...] = SCRIPT
    speakers: tuple[str, ...] = ()
    precision: Precision = Precision.SEGMENT
    language: str | None = "en"
    failure: EyelineError | None = None
    asked: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    @property
    def components(self) -> tuple[Component, ...]:
        """Its script."""
        return (Component("scripted-transcriber", " / ".join(self.script)),)

    def transcribe(self, sound: bytes, *, start_ms: int, cancel: CancelToken | None = None) -> Transcript:
        """Say what stands in the script; see `Transcriber`."""
        if cancel is not None:
            cancel.raise_if_cancelled()
        self.asked.append((start_ms, len(sound)))
        if self.failure is not None:
            raise self.failure
        spans = loud_spans(sound)
        turns = [
            Turn(start_ms + start, start_ms + end, text)
            for (start, end), text in zip(spans, cycle(self.script), strict=False)
        ]
        if self.speakers:
            turns = [replace(turn, speaker=name) for turn, name in zip(turns, cycle(self.speakers), strict=False)]
        return Transcript(tuple(turns), self.precision, self.language)
