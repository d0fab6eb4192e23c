"""An agent of Pydantic AI that looks into a home."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.models import Model

from eyeline import Eyeline
from eyeline.integrations.pydantic_ai import as_pydantic_ai_tools
from eyeline.tools.building import tool_runner


async def ask(question: str, *, eye: Eyeline, model: Model) -> str:
    agent = Agent(model, tools=as_pydantic_ai_tools(tool_runner(eye)))
    return (await agent.run(question)).output
