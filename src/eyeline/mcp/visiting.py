"""Visiting the server as a host does: `eyeline mcp` in a process of its own, met by the SDK's client over stdio."""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import eyeline
from eyeline.errors import EngineFailed, EyelineError, IntegrityError
from eyeline.model.digest import Digest
from eyeline.model.envelope import Envelope, Found, Opened
from eyeline.model.manifest import ManifestEntry, Part
from eyeline.wire import loads

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp_types import CallToolResult, ContentBlock

R = TypeVar("R")
WAIT_S = 120


class Visitor:
    """One connection. Each method is one call of a tool; `EngineFailed` when its answer is an error."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def tools(self) -> tuple[str, ...]:
        """Names of the tools that are offered."""
        return tuple(tool.name for tool in (await self._client.list_tools()).tools)

    async def find(self, query: str) -> Found:
        """Passages that match."""
        return loads(Found, _text((await self._call("find", query=query)).content[0]))

    async def source_open(self, version_id: str, **inputs: str | Sequence[str]) -> Opened:
        """Open a version; every part is checked against its manifest entry (`IntegrityError`)."""
        blocks = (await self._call("source_open", version_id=version_id, **inputs)).content
        envelope = loads(Envelope, _text(blocks[0]))
        natives = [block for block in blocks[1:] if block.type != "resource_link"][1::2]
        return Opened(envelope, tuple(map(_part, natives, envelope.content_manifest)))

    async def _call(self, tool: str, **inputs: Any) -> CallToolResult:
        answer = await self._client.call_tool(tool, inputs)
        if answer.is_error:
            raise EngineFailed(f"{tool} answered with an error: {_text(answer.content[0])}")
        return answer


def visit(home: Path, talk: Callable[[Visitor], Awaitable[R]]) -> R:
    """Start a server over a home, talk to it, end it; bounded in time. Returns what `talk` returns."""
    import anyio
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = ["-m", "eyeline", "--home", str(home), "mcp"]
    server = StdioServerParameters(command=sys.executable, args=command, env=_environment())

    async def conversation() -> R | EyelineError:
        with tempfile.TemporaryFile("w", encoding="utf-8") as log, anyio.fail_after(WAIT_S):
            async with Client(stdio_client(server, errlog=log)) as client:
                # carried out by hand: on its own way through the client it would come out inside a group
                try:
                    return await talk(Visitor(client))
                except EyelineError as failure:
                    return failure

    result = anyio.run(conversation)
    if isinstance(result, EyelineError):
        raise result
    return result


def _environment() -> dict[str, str]:
    """This environment, and our package where this process found it."""
    places = [str(Path(eyeline.__path__[0]).parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}


def _part(block: ContentBlock, entry: ManifestEntry) -> Part:
    encoded: str | None = getattr(block, "data", None)  # of pictures and sounds
    data = _text(block).encode() if encoded is None else base64.b64decode(encoded)
    if (Digest.of(data), len(data)) != (entry.digest, entry.byte_count):
        raise IntegrityError("a delivered part is not what its manifest entry says", role=entry.role.value)
    return Part(data, entry)


def _text(block: ContentBlock) -> str:
    return block.text if block.type == "text" else ""
