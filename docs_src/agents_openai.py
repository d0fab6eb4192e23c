"""An agent on OpenAI's Responses that looks into a home."""

from __future__ import annotations

from typing import Any

import openai

from eyeline import Eyeline
from eyeline.integrations.openai import as_openai_tools
from eyeline.tools.building import tool_runner


def ask(question: str, *, eye: Eyeline, client: openai.OpenAI) -> str:
    tools = as_openai_tools(tool_runner(eye))
    items: list[Any] = [{"role": "user", "content": question}]
    while True:
        reply = client.responses.create(
            model="gpt-5.6", instructions=tools.instructions, tools=tools.schemas, input=items
        )
        items += reply.output
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        items += [tools.run(call.name, call.arguments, call_id=call.call_id) for call in calls]
