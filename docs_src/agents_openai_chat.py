"""An agent on Chat Completions, which many servers speak, that looks into a home."""

from __future__ import annotations

from typing import Any

import openai

from eyeline import Eyeline
from eyeline.integrations.openai import as_openai_chat_tools, chat_messages
from eyeline.tools.building import tool_runner


def ask(question: str, *, eye: Eyeline, client: openai.OpenAI) -> str:
    tools = as_openai_chat_tools(tool_runner(eye))
    messages: list[Any] = [
        {"role": "system", "content": tools.instructions},
        {"role": "user", "content": question},
    ]
    while True:
        reply = client.chat.completions.create(model="any-vision-model", tools=tools.schemas, messages=messages)
        message = reply.choices[0].message
        messages.append(message)
        calls = [call for call in message.tool_calls or () if call.type == "function"]
        if not calls:
            return message.content or ""
        messages += chat_messages(
            tools.run(call.function.name, call.function.arguments, tool_call_id=call.id) for call in calls
        )
