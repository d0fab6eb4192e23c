"""The pictures of a conversation in order, and the moments at which a request was made of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eyeline.errors import InvalidReference
from eyeline.model.assembly import Occurrence
from eyeline.model.attachment import FileRef, ImageRef
from eyeline.model.media_type import Family
from eyeline.model.message import FileBlock, ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock

PART_BYTES = 256
"""What the names and brackets around one part of a body are taken for."""

BESIDE_BYTES = 4096
"""What the text beside a picture, in its place or for a file is taken for: always as much, so that no path decides."""

MAX_COUNT = (1 << 53) - 1
"""The most bytes, pixels or frames that a reference says: every reader of JSON keeps such a number exactly."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One occurrence of a picture, and where it stands; `message` counts from 0."""

    occurrence: Occurrence
    ref: ImageRef
    message: int
    is_pinned: bool
    is_in_user_message: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """A request that a conversation came to: how many messages it had, and where its newest turn began.

    `old` and `total` count pictures: those before the newest turn, and all. `text_bytes` is the JSON of all text.
    """

    old: int
    total: int
    text_bytes: int


def standing_in(messages: Sequence[Message]) -> list[Standing]:
    """Every occurrence, in order. Raises `InvalidReference` for a reference that no attachment can have."""
    seen: Counter[object] = Counter()
    found: list[Standing] = []
    for index, message in enumerate(messages):
        for block in _pictures(message):
            _check_image(block.ref)
            seen[block.ref.attachment_id] += 1
            occurrence = Occurrence(block.ref.attachment_id, seen[block.ref.attachment_id])
            found.append(Standing(occurrence, block.ref, index, block.pinned, message.role == "user"))
        for ref in _files(message):
            _check_counts(ref.byte_count + 1)
    return found


def moments(messages: Sequence[Message], standing: Sequence[Standing]) -> list[Moment]:
    """Each time the model was asked, the last time now: wherever an answer follows, and at the end.

    The newest turn is what the model had not answered yet; pictures of `standing` are counted.
    """
    before = _counted_before(messages, standing)
    texts = [0]
    for message in messages:
        texts.append(texts[-1] + PART_BYTES + sum(_text_bytes(block) for block in message.blocks))
    found: list[Moment] = []
    is_answer = [message.role == "assistant" for message in messages]
    last_asked = max((end for end, answer in enumerate(is_answer, start=1) if not answer), default=0)
    start = 0
    for end in range(1, len(messages) + 1):
        if is_answer[end - 1] and end < last_asked:
            start = end
        if end == len(messages) or (is_answer[end] and not is_answer[end - 1]):
            found.append(Moment(before[start], before[end], texts[end]))
    return found


def file_count(messages: Sequence[Message]) -> int:
    """How many files stand in a conversation."""
    return sum(1 for message in messages for _ in _files(message))


def _counted_before(messages: Sequence[Message], standing: Sequence[Standing]) -> list[int]:
    held = Counter(each.message for each in standing)
    counts = [0]
    for index in range(len(messages)):
        counts.append(counts[-1] + held[index])
    return counts


def _pictures(message: Message) -> Iterator[ImageBlock]:
    for block in message.blocks:
        inner = block.blocks if isinstance(block, ToolResultBlock) else (block,)
        yield from (each for each in inner if isinstance(each, ImageBlock))


def _files(message: Message) -> Iterator[FileRef]:
    for block in message.blocks:
        inner = block.blocks if isinstance(block, ToolResultBlock) else (block,)
        yield from (each.ref for each in inner if isinstance(each, FileBlock))


def _text_bytes(block: object) -> int:
    """The JSON of a block's text and of the texts that we write for it; encoded pictures are counted apart."""
    if isinstance(block, TextBlock):
        return PART_BYTES + len(json.dumps(block.text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if isinstance(block, ToolCallBlock):
        return PART_BYTES + len(json.dumps([block.call_id, block.name, block.arguments]))
    if isinstance(block, ToolResultBlock):
        own = len(json.dumps([block.call_id, block.name]))
        return PART_BYTES + own + sum(_text_bytes(each) for each in block.blocks)
    return BESIDE_BYTES + PART_BYTES


def _check_image(ref: ImageRef) -> None:
    upload = ref.original
    _check_counts(ref.width_px, ref.height_px, ref.byte_count)
    _check_counts(upload.width_px, upload.height_px, upload.byte_count, upload.frames)
    for media_type in (ref.media_type, upload.media_type):
        if media_type.family is not Family.IMAGE:
            raise InvalidReference(f"{media_type} is not a media type of pictures", hint=_HINT)


def _check_counts(*counts: int) -> None:
    if min(counts) < 1:
        raise InvalidReference(f"a reference says {min(counts)} where there is at least 1", hint=_HINT)
    if max(counts) > MAX_COUNT:
        raise InvalidReference(f"a reference says more than {MAX_COUNT} of something", hint=_HINT)


_HINT = "hand references on as they came from attaching, unchanged"
