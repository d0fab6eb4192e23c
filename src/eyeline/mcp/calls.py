"""Tools over MCP: listed from their definitions, called through the one runner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eyeline.mcp.bounds import checked
from eyeline.mcp.errors import as_tool_result
from eyeline.mcp.renditions import links
from eyeline.model.envelope import Opened
from eyeline.presenters.framing import went_wrong
from eyeline.toolkit.context import ProgressListener, ToolContext
from eyeline.tools.building import tool_runner
from eyeline.tools.deliveries import Delivery, run_delivered_async
from eyeline.tools.source_open import NAME as SOURCE_OPEN

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

    from eyeline.app.eyeline import Eyeline
    from eyeline.app.viewer import Viewer
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.hooks import ToolHooks
    from eyeline.toolkit.outcome import ToolOutcome

SURFACE = "mcp"


class Calls:
    """Answers `tools/list` and `tools/call`. Raises `ConfigError` for an answer limit that does not add up."""

    def __init__(self, eye: Eyeline, *, viewer: Viewer | None, hooks: Sequence[ToolHooks]) -> None:
        self._eye = eye
        self._answer_limit = asdict(checked(eye.settings.mcp_answer))
        self._runner = tool_runner(eye, viewer=viewer, hooks=hooks)

    async def list_tools(
        self, _request: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Every tool of this surface, in the order of their names."""
        from mcp_types import ListToolsResult

        return ListToolsResult(tools=[_as_listed(tool) for tool in self._runner.tools.on(SURFACE)])

    async def call_tool(self, request: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        """Run one call; its end by `notifications/cancelled` fires the token of the call."""
        from mcp_types import CallToolResult

        arguments = params.arguments or {}
        outcome, _ = await self.run(request, params.name, arguments=arguments)
        if outcome.error is not None:
            return as_tool_result(outcome.error)
        blocks = list(outcome.presented)
        if params.name == SOURCE_OPEN and isinstance(outcome.value, Opened):
            blocks += links(outcome.value, arguments)
        return CallToolResult(content=blocks, is_error=went_wrong(outcome.value))

    async def run(
        self, request: ServerRequestContext[Any, Any], name: str, *, arguments: Mapping[str, Any]
    ) -> tuple[ToolOutcome[Any], Delivery]:
        """The outcome of a call, and its delivery for whoever then does not send it after all."""
        return await run_delivered_async(self._runner, name, arguments=arguments, context=self._context(request))

    def _context(self, request: ServerRequestContext[Any, Any]) -> ToolContext:
        """Who calls, under which answer limit, and where progress goes if the client asked for it."""
        wants_progress = request.meta is not None and "progress_token" in request.meta
        return ToolContext(
            principal=self._eye.principal.name,
            surface=SURFACE,
            answer_limit=self._answer_limit,
            on_progress=_listener(request) if wants_progress else None,
        )


def _listener(request: ServerRequestContext[Any, Any]) -> ProgressListener:
    from anyio import from_thread

    def tell(done: float, total: float | None, message: str) -> None:
        from_thread.run(request.session.report_progress, done, total, message or None)

    return tell


def _as_listed(tool: ToolDefinition[Any, Any]) -> Tool:
    """A tool as a host lists it. No output schema: hosts that see one keep its JSON and drop the pictures."""
    from mcp_types import Tool, ToolAnnotations

    said = tool.describe()
    hints = tool.annotations
    return Tool(
        name=tool.name,
        title=hints.title,
        description=tool.description,
        input_schema=said["input_schema"],
        annotations=ToolAnnotations(
            title=hints.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
