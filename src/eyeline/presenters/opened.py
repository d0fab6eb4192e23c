"""`OpenedSource`: what `Eyeline.open` gives back, with the presenters at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eyeline.model.envelope import Opened
from eyeline.presenters import agents


@dataclass(frozen=True, slots=True)
class OpenedSource(Opened):
    """An answer of `open` or `read`: `envelope`, `parts`, `content_manifest`, and blocks for a tool result."""

    @classmethod
    def of(cls, opened: Opened) -> OpenedSource:
        """The same answer with presenters."""
        return cls(opened.envelope, opened.parts, opened.audit_seq)

    def to_anthropic(self) -> list[dict[str, Any]]:
        """Content blocks of an Anthropic `tool_result`."""
        return agents.to_anthropic(self)

    def to_openai_responses(self) -> list[dict[str, Any]]:
        """The `output` list of an OpenAI Responses `function_call_output`."""
        return agents.to_openai_responses(self)
