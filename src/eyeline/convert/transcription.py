"""Reading what a transcription endpoint answered: outside data, bounded, cleaned, and held to the span it was asked of.

Understood are the shapes `verbose_json` (segments, and words where there are any), `diarized_json` (segments with a
speaker) and `json` (a text alone).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import cast

from eyeline.convert.lanes import Precision, Transcript, Turn
from eyeline.model.plain_text import plain_line

MAX_TURNS, MAX_TURN_CHARS = 10_000, 2_000
SURE_OF_SILENCE, LEAST_LOGPROB, MOST_REPETITIVE = 0.6, -1.0, 2.4
"""Bounds beyond which a segment is one that the model made up, where it says how sure it was."""

_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z -]{0,30}")


class NotATranscription(ValueError):
    """The answer has none of the shapes that are understood."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A segment or a word, times in milliseconds from the beginning of the sound that was sent."""

    start_ms: int
    end_ms: int
    text: str
    speaker: str | None = None


def read_transcription(answer: bytes, *, extent_ms: int, voices: list[tuple[int, int]]) -> Transcript:
    """The turns of an answer, times from the beginning of the sound that was sent, which lasts `extent_ms`.

    What was heard where no voice was found, and what the model itself doubts, is left out. Raises `NotATranscription`.
    """
    try:
        told = _mapping(json.loads(answer))
    except (ValueError, RecursionError) as exc:
        raise NotATranscription("no JSON") from exc
    segments = [_said(each, "text") for each in _list(told, "segments") if not _is_made_up(_mapping(each))]
    words = [_said(each, "word") for each in _list(told, "words")]
    if told.get("segments") or words:
        precision = Precision.WORD if words else Precision.SEGMENT
        found = _refined(segments, words) if segments else ([] if told.get("segments") else words)
    elif isinstance(text := told.get("text"), str):
        precision, found = Precision.SPAN, [_Said(0, extent_ms, text)]
    elif "segments" in told:
        precision, found = Precision.SEGMENT, []
    else:
        raise NotATranscription("neither a text nor segments")
    turns = sorted(_turns(found[:MAX_TURNS], extent_ms, voices), key=lambda turn: turn.start_ms)
    return Transcript(tuple(_labelled(turns)), precision, _language(told.get("language")))


def _turns(found: list[_Said], extent_ms: int, voices: list[tuple[int, int]]) -> list[Turn]:
    turns: list[Turn] = []
    for each in found:
        start, end = max(0, each.start_ms), min(extent_ms, each.end_ms)
        text = plain_line(each.text, max_chars=MAX_TURN_CHARS)
        if text and start < end and any(begin < end and start < stop for begin, stop in voices):
            turns.append(Turn(start, end, text, each.speaker))
    return turns


def _refined(segments: list[_Said], words: list[_Said]) -> list[_Said]:
    """Segments whose times are those of their first and last word, where words begin in them."""
    refined: list[_Said] = []
    for each in segments:
        inside = [word for word in words if each.start_ms <= word.start_ms < each.end_ms]
        is_known = bool(inside) and inside[0].start_ms < inside[-1].end_ms
        refined.append(replace(each, start_ms=inside[0].start_ms, end_ms=inside[-1].end_ms) if is_known else each)
    return refined


def _labelled(turns: list[Turn]) -> list[Turn]:
    """The same turns, each voice named `Speaker n` in the order in which they are first heard."""
    numbers: dict[str, int] = {}
    return [
        turn
        if turn.speaker is None
        else replace(turn, speaker=f"Speaker {numbers.setdefault(turn.speaker, len(numbers) + 1)}")
        for turn in turns
    ]


def _said(value: object, name: str) -> _Said:
    each = _mapping(value)
    text, speaker = each.get(name), each.get("speaker")
    if not isinstance(text, str):
        raise NotATranscription(f"no {name}")
    return _Said(_ms(each.get("start")), _ms(each.get("end")), text, None if speaker is None else str(speaker)[:200])


def _ms(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e9:
        raise NotATranscription("no time")
    return round(value * 1000)


def _is_made_up(segment: dict[str, object]) -> bool:
    silence, surety, repetition = (
        _number(segment.get(name)) for name in ("no_speech_prob", "avg_logprob", "compression_ratio")
    )
    is_silence = silence is not None and surety is not None and silence > SURE_OF_SILENCE and surety < LEAST_LOGPROB
    return is_silence or (repetition is not None and repetition > MOST_REPETITIVE)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _language(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and _LANGUAGE.fullmatch(value) else None


def _list(told: dict[str, object], name: str) -> list[object]:
    value = told.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise NotATranscription(f"{name} is no list")
    return cast("list[object]", value)


def _mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise NotATranscription("no object")
    return cast("dict[str, object]", value)
