"""`mount_view_file`: the raw tool for a server of your own. Content only, outside the runner: no hooks and no gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

# the SDK reads the annotations of a tool, so its result must be known here by name
from mcp_types import CallToolResult, ToolAnnotations

from eyeline.app.viewer import Viewer
from eyeline.mcp.bounds import checked
from eyeline.mcp.errors import as_tool_result
from eyeline.operations.view import ViewCaller, ViewRequest
from eyeline.presenters.mcp import raw_blocks
from eyeline.toolkit.arguments import read_arguments
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.safety import safe_error
from eyeline.toolkit.threads import run_in_thread
from eyeline.tools.view_file import NAME, ViewFile, paths_of, view_file

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from eyeline.model.viewing import Viewed

GRACE_S = 1.0


def mount_view_file(server: MCPServer, viewer: Viewer) -> None:
    """Register `view_file` on a server of the MCP SDK, over the same batch operation as the managed tool.

    Each item is one line of text, then its pictures, texts and sounds; one that failed is the line alone. Raises
    `ConfigError` for an answer limit that does not add up on MCP. The viewer is closed by whoever made it.
    """
    answer = checked(viewer.settings.mcp_answer)
    definition = view_file(viewer)

    async def view(paths: str | list[str]) -> CallToolResult:
        cancel = CancelToken()

        def work() -> Viewed:
            request = ViewRequest(paths_of(read_arguments(ViewFile, {"paths": paths})))
            return viewer.view_request(request, caller=ViewCaller(answer, cancel))

        try:
            viewed = await run_in_thread(work, cancel=cancel, grace_s=GRACE_S)
        # The top of this surface: the SDK would send an exception's own words.
        except Exception as cause:
            return as_tool_result(safe_error(cause, about=f"raw call of {NAME}"))
        return CallToolResult(content=raw_blocks(viewed), is_error=viewed.report.all_failed)

    hints = definition.annotations
    server.add_tool(
        view,
        name=NAME,
        title=hints.title,
        description=definition.description,
        annotations=ToolAnnotations(
            title=hints.title, read_only_hint=hints.read_only, open_world_hint=hints.open_world
        ),
        structured_output=False,
    )
