"""An agent of LangChain's parts that looks into a home."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from eyeline import Eyeline
from eyeline.integrations.langchain import as_langchain_tools
from eyeline.tools.building import tool_runner


def ask(question: str, *, eye: Eyeline, model: BaseChatModel) -> str:
    tools = {tool.name: tool for tool in as_langchain_tools(tool_runner(eye))}
    knowing = model.bind_tools(list(tools.values()))
    messages: list[BaseMessage] = [HumanMessage(question)]
    while True:
        reply = knowing.invoke(messages)
        assert isinstance(reply, AIMessage)
        messages.append(reply)
        if not reply.tool_calls:
            return reply.text
        messages += [tools[call["name"]].invoke(call) for call in reply.tool_calls]
