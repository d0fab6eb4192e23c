"""An agent on Anthropic's client that looks into a home."""

from __future__ import annotations

from typing import Any

import anthropic

from eyeline import Eyeline
from eyeline.integrations.anthropic import as_anthropic_tools
from eyeline.tools.building import tool_runner


def ask(question: str, *, eye: Eyeline, client: anthropic.Anthropic) -> str:
    tools = as_anthropic_tools(tool_runner(eye))
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = client.messages.create(model="claude-opus-5", max_tokens=4000, tools=tools.schemas, messages=messages)
        messages.append({"role": "assistant", "content": reply.content})
        uses = [block for block in reply.content if block.type == "tool_use"]
        if not uses:
            return "".join(block.text for block in reply.content if block.type == "text")
        results = [tools.run(use.name, use.input, tool_use_id=use.id) for use in uses]
        messages.append({"role": "user", "content": results})
