"""Whether the parts of an answer limit add up: base64, JSON inside JSON and framing inside one message."""

from __future__ import annotations

from eyeline.errors import ConfigError
from eyeline.model.limits import AnswerLimit

FRAMING_BYTES = 30_000
"""Room for the envelope, labels, links and the frame of the message."""

BYTES_OF_A_CHARACTER = 6
"""The longest a character gets in JSON: a control character, written `\\u0001`."""

OUTLINE_CHARS = 4_000
"""What an outline may add to the text of a page."""


def worst_case(answer: AnswerLimit) -> int:
    """How many bytes a message of this surface can have at most under a limit."""
    media = -(-answer.max_media_bytes // 3) * 4
    return media + BYTES_OF_A_CHARACTER * (answer.max_text_chars + OUTLINE_CHARS) + FRAMING_BYTES


def checked(answer: AnswerLimit) -> AnswerLimit:
    """The limit itself; raises `ConfigError` when an answer inside its parts could be over its whole."""
    most = worst_case(answer)
    if most > answer.max_bytes:
        raise ConfigError(
            f"an answer of {answer.max_media_bytes} media bytes and {answer.max_text_chars} characters can take {most} "
            f"bytes on MCP, more than max_bytes={answer.max_bytes}",
            hint="lower mcp_answer.max_media_bytes or mcp_answer.max_text_chars, or raise mcp_answer.max_bytes",
        )
    return answer
