"""A model that says what it is told to, behind the interfaces of four providers, on loopback.

It answers Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's generateContent, so that an agent
can be run whole, through the provider's own client, without a model and without a network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from eyeline.testing.loopback import LoopbackExchange, LoopbackServer

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True, slots=True)
class Use:
    """A tool that the model calls, with these arguments."""

    name: str
    arguments: dict[str, Any]


Turn = str | Sequence[Use]
"""What the model says: a text, or the tools it calls at once."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """One request as it arrived: where, and its body."""

    path: str
    body: dict[str, Any] = field(default_factory=dict[str, Any])


Script = Sequence[Turn | Callable[[Prompted], Turn]]
"""Turn by turn what the model says; a function makes it from the request."""


class ScriptedModel:
    """Serves while it is open as a context manager. Each request takes the next turn; `prompted` keeps the requests.

    A request after the last turn, or to a path that no provider has, is answered with status 400.
    """

    def __init__(self, script: Script) -> None:
        self.prompted: list[Prompted] = []
        self._script = list(script)
        self._server = _Server(self)

    @property
    def base_url(self) -> str:
        """The address of the server, without a path: OpenAI's client wants `/v1` behind it."""
        return self._server.address

    def next_turn(self, prompted: Prompted) -> tuple[Turn, int]:
        """The next turn for a request, and its number from 1. Raises `IndexError` after the last."""
        self.prompted.append(prompted)
        number = len(self.prompted)
        turn = self._script[number - 1]
        return turn(prompted) if callable(turn) else turn, number

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()


class _Server(LoopbackServer):
    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(_Exchange, name="scripted-model")
        self.model = model


class _Exchange(LoopbackExchange):
    """One request and its answer."""

    def exchange(self) -> None:
        """One turn for one request."""
        assert isinstance(self.server, _Server)
        body = json.loads(self.body())
        path = self.path.partition("?")[0]
        say = next((say for ending, say in _INTERFACES if path.endswith(ending)), None)
        try:
            answer = None if say is None else say(*self.server.model.next_turn(Prompted(path, body)))
        except IndexError:
            answer = None
        if answer is None:
            error = {"type": "invalid_request_error", "message": "nothing is scripted for this"}
            self.answer_json(400, {"error": error})
        else:
            self.answer_json(200, answer)


def _message(turn: Turn, place: int) -> dict[str, Any]:
    """Anthropic's Messages."""
    uses = () if isinstance(turn, str) else turn
    content: list[dict[str, Any]] = [{"type": "text", "text": turn}] if isinstance(turn, str) else []
    content += [
        {"type": "tool_use", "id": f"toolu_{place}_{number}", "name": use.name, "input": use.arguments}
        for number, use in enumerate(uses, 1)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": "tool_use" if uses else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _response(turn: Turn, place: int) -> dict[str, Any]:
    """OpenAI's Responses."""
    output: list[dict[str, Any]]
    if isinstance(turn, str):
        text = {"type": "output_text", "text": turn, "annotations": list[Any]()}
        output = [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}]
    else:
        output = [
            {
                "type": "function_call",
                "id": f"fc_{place}_{number}",
                "call_id": f"call_{place}_{number}",
                "name": use.name,
                "arguments": json.dumps(use.arguments),
                "status": "completed",
            }
            for number, use in enumerate(turn, 1)
        ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "scripted",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _completion(turn: Turn, place: int) -> dict[str, Any]:
    """OpenAI's Chat Completions."""
    message: dict[str, Any] = {"role": "assistant", "content": turn if isinstance(turn, str) else None}
    if not isinstance(turn, str):
        message["tool_calls"] = [
            {
                "id": f"call_{place}_{number}",
                "type": "function",
                "function": {"name": use.name, "arguments": json.dumps(use.arguments)},
            }
            for number, use in enumerate(turn, 1)
        ]
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    return {
        "id": "chatcmpl_1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _generated(turn: Turn, place: int) -> dict[str, Any]:
    """Gemini's generateContent."""
    parts: list[dict[str, Any]]
    if isinstance(turn, str):
        parts = [{"text": turn}]
    else:
        parts = [
            {"functionCall": {"id": f"fc_{place}_{number}", "name": use.name, "args": use.arguments}}
            for number, use in enumerate(turn, 1)
        ]
    return {"candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}]}


_INTERFACES: tuple[tuple[str, Callable[[Turn, int], dict[str, Any]]], ...] = (
    ("/v1/messages", _message),
    ("/responses", _response),
    ("/chat/completions", _completion),
    (":generateContent", _generated),
)
"""How the path of each interface ends, and how it says a turn."""
