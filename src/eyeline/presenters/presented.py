"""`Presented`: an answer with every channel at hand."""

from __future__ import annotations

from typing import Any

from eyeline.presenters import anthropic, gemini, openai
from eyeline.presenters.framing import framed
from eyeline.presenters.text import plain_text


class Presented:
    """What an answer becomes on each channel of an agent. What a channel cannot hold is one line that says so."""

    __slots__ = ()

    def to_anthropic(self) -> list[dict[str, Any]]:
        """Content blocks of an Anthropic `tool_result`."""
        return anthropic.content_blocks(framed(self))

    def to_openai_responses(self) -> list[dict[str, Any]]:
        """The `output` list of an OpenAI Responses `function_call_output`."""
        return openai.output_items(framed(self))

    def to_openai_chat(self, tool_call_id: str) -> list[dict[str, Any]]:
        """The messages that answer one call over Chat Completions: a `tool` message, then the media in a user turn.

        Several calls of one turn are answered together: `eyeline.presenters.openai.chat_messages`.
        """
        return openai.chat_messages([openai.chat_answer(framed(self), tool_call_id=tool_call_id)])

    def to_gemini(self, name: str, *, call_id: str | None = None, nested: bool = True) -> list[dict[str, Any]]:
        """The parts that answer one function call of Gemini; `nested` says that the model is of Gemini 3 or later."""
        return gemini.function_response(framed(self), name=name, call_id=call_id, nested=nested)

    def to_text(self) -> str:
        """Plain text, with a line in place of each picture and sound."""
        return plain_text(framed(self))
