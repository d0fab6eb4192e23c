"""A `source_open` whose rendition is in the cache, over MCP on standard input and output, and what the SDK costs.

Two peers in the same run: a server of the same SDK whose tool does nothing, and the same server when its tool answers
with the very picture of that size, ready-made. What lies between ours and the second is the price of looking the
version up, checking digests, the envelope and the audit record.
"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, ImageContent

import eyeline
from benchmarks.table import Row, in_turns, printed
from eyeline.app.eyeline import Eyeline
from eyeline.media.sample_pdf import make_pdf
from eyeline.media.sample_pictures import make_photo

RUNS = 60
AIM = 3.0
PLACE = {"PYTHONPATH": os.pathsep.join([str(Path(eyeline.__path__[0]).parent), os.environ.get("PYTHONPATH", "")])}

OURS = "import sys; from eyeline.mcp.server import main; main(sys.argv[1])"

PEER = """
import base64, sys
from pathlib import Path
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ImageContent, ListToolsResult, TextContent, Tool
data = base64.b64encode(Path(sys.argv[1]).read_bytes()).decode()
async def tools(request, params):
    return ListToolsResult(tools=[Tool(name=name, input_schema={"type": "object"}) for name in ("nothing", "picture")])
async def call(request, params):
    if params.name == "picture":
        return CallToolResult(content=[ImageContent(type="image", data=data, mime_type="image/jpeg")])
    return CallToolResult(content=[TextContent(type="text", text="nothing")])
async def main():
    server = Server("peer", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
anyio.run(main)
"""

Ask = Callable[..., CallToolResult]


@contextmanager
def asking(script: str, argument: Path) -> Generator[Ask]:
    """A way to call the tools of a server in a process of its own."""
    server = StdioServerParameters(command=sys.executable, args=["-c", script, str(argument)], env=PLACE)
    with (
        tempfile.TemporaryFile("w") as log,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server, errlog=log), mode="legacy")) as client,
    ):
        portal.call(client.list_tools)

        def ask(tool: str, **arguments: Any) -> CallToolResult:
            answer = portal.call(client.call_tool, tool, arguments)
            assert not answer.is_error
            return answer

        yield ask


def _picture(answer: CallToolResult) -> bytes:
    return next(base64.b64decode(block.data) for block in answer.content if isinstance(block, ImageContent))


def rows() -> list[Row]:
    """Measure a page of a PDF (small) and a photograph (large)."""
    with tempfile.TemporaryDirectory() as folder:
        inbox, home = Path(folder) / "inbox", Path(folder) / "home"
        inbox.mkdir()
        (inbox / "page.pdf").write_bytes(make_pdf(["\n".join(["every original in sight of the agent"] * 40)]))
        (inbox / "photo.jpg").write_bytes(make_photo())
        with Eyeline(home) as eye:
            report = eye.ingest(inbox / "page.pdf", inbox / "photo.jpg")
        return [row for item in report.items for row in _compared(home, str(item.version_id), item.source)]


def _compared(home: Path, version_id: str, name: str) -> list[Row]:
    with asking(OURS, home) as ask:
        picture = _picture(ask("source_open", version_id=version_id))
        file = home / "picture"
        file.write_bytes(picture)
        with asking(PEER, file) as peer:
            ours, nothing, ready_made = in_turns(
                lambda: ask("source_open", version_id=version_id),
                lambda: peer("nothing"),
                lambda: peer("picture"),
                runs=RUNS,
            )
    work = f"source_open {name}, cached"
    remark = f"{len(picture) // 1024} kB picture"
    return [
        Row(work, ours, "an empty tool", nothing, None, remark),
        Row(work, ours, "a tool that answers a ready-made picture", ready_made, AIM, remark),
    ]


if __name__ == "__main__":
    print(printed(rows()))
