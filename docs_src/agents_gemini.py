"""An agent on Google's client that looks into a home."""

from __future__ import annotations

from typing import Any

from google import genai

from eyeline import Eyeline
from eyeline.integrations.gemini import as_gemini_tools
from eyeline.tools.building import tool_runner


def ask(question: str, *, eye: Eyeline, client: genai.Client) -> str:
    tools = as_gemini_tools(tool_runner(eye))
    contents: list[Any] = [{"role": "user", "parts": [{"text": question}]}]
    while True:
        reply = client.models.generate_content(
            model="gemini-3.8-flash",
            contents=contents,
            config={"tools": [{"function_declarations": tools.declarations}]},
        )
        assert reply.candidates is not None
        contents.append(reply.candidates[0].content)
        if not reply.function_calls:
            return reply.text or ""
        answers = [tools.run(call.name or "", call.args or {}, call_id=call.id) for call in reply.function_calls]
        contents.append({"role": "user", "parts": [part for parts in answers for part in parts]})
