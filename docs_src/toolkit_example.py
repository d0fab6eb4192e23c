"""One tool from definition to answer: the example of docs/toolkit.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeline.errors import InvalidRequest
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.definition import ToolAnnotations, ToolDefinition
from eyeline.toolkit.hooks import ToolEvent, ToolHooks
from eyeline.toolkit.registry import ToolRegistry
from eyeline.toolkit.runner import ToolRunner


@dataclass(frozen=True, slots=True)
class Turn:
    degrees: int = field(metadata={"description": "Clockwise, a multiple of 90.", "ge": 0, "lt": 360})


@dataclass(frozen=True, slots=True)
class Turned:
    quarters: int


def turn(request: Turn, context: ToolContext) -> Turned:
    context.cancel.raise_if_cancelled()
    quarters, rest = divmod(request.degrees, 90)
    if rest:
        raise InvalidRequest(f"{request.degrees} is no multiple of 90", hint="send 0, 90, 180 or 270")
    return Turned(quarters=quarters)


class Journal(ToolHooks):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def after_call(self, event: ToolEvent) -> None:
        self.lines.append(f"{event.call.context.principal} {event.call.name} {event.status}")


TURN = ToolDefinition(
    name="turn",
    identity="example/turn@1",
    description="Says how many quarter turns an angle is.",
    input_type=Turn,
    output_type=Turned,
    handler=turn,
    annotations=ToolAnnotations(title="Turn", read_only=True, idempotent=True, open_world=False),
    surfaces=frozenset({"python", "mcp"}),
    presenters={"mcp": lambda turned: f"{turned.quarters} quarter turns"},
)

journal = Journal()
runner = ToolRunner(ToolRegistry([TURN]), hooks=[journal])
ada = ToolContext(principal="ada", surface="mcp")

answer = runner.run("turn", {"degrees": 270}, context=ada)
refusal = runner.run("turn", '{"degrees": 45}', context=ada)
