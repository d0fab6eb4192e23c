"""An MCP server in a process of its own: met by the SDK's client, or line by line so that a test sees the raw bytes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import eyeline

if TYPE_CHECKING:
    from mcp.client.client import Client

WAIT_S = 60
SOURCES = str(Path(eyeline.__path__[0]).parent)
PRINCIPAL = "ada"
PLACE = {"PYTHONPATH": os.pathsep.join([SOURCES, os.environ.get("PYTHONPATH", "")])}

SERVE = f"import sys; from eyeline.mcp.server import main; main(sys.argv[1], principal={PRINCIPAL!r})"


@asynccontextmanager
async def connected(home: Path, *, mode: str) -> AsyncGenerator[Client]:
    """The SDK's client, connected in one era of the protocol."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=sys.executable, args=["-c", SERVE, str(home)], env=PLACE)
    with tempfile.TemporaryFile("w") as log:
        async with Client(stdio_client(server, errlog=log), mode=mode) as client:
            yield client


class Wire:
    """One connection in the handshake era, line by line."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._last_id = 0
        self.strays: list[dict[str, Any]] = []
        reading = threading.Thread(target=self._read, daemon=True)
        reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def write(self, line: bytes) -> None:
        """Send one line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def notify(self, method: str, **params: object) -> None:
        """Send a notification."""
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def send(self, method: str, **params: object) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self.write(json.dumps(message).encode())
        return self._last_id

    def next_line(self) -> bytes:
        """The next line the server writes."""
        line = self._lines.get(timeout=WAIT_S)
        assert line, f"the server ended: {self.log()}"
        return line

    def raw_answer(self, request: int) -> bytes:
        """The line that answers a request; what else comes before it is kept in `strays`."""
        while True:
            line = self.next_line()
            message = json.loads(line)
            if message.get("id") == request:
                return line
            self.strays.append(message)

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a request and return its answer: a message with `result` or `error`."""
        return json.loads(self.raw_answer(self.send(method, **params)))

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The result of a tool call."""
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def log(self) -> str:
        """What the server wrote to standard error so far."""
        return self._log.read_text(encoding="utf-8")

    def close(self) -> str:
        """End the input, wait for the server to end, and return what it wrote to standard error."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(WAIT_S) == 0
        return self.log()


@contextmanager
def started(home: Path, *, errors: BinaryIO, script: str = SERVE) -> Generator[subprocess.Popen[bytes]]:
    """A server over a home with pipes to its input and output; killed at the end if it still runs."""
    command = [sys.executable, "-c", script, str(home)]
    place = {**os.environ, **PLACE}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=place) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def wired(home: Path, *, script: str = SERVE) -> Generator[Wire]:
    """A server over a home, greeted."""
    with (
        tempfile.NamedTemporaryFile() as errors,
        started(home, errors=cast("BinaryIO", errors), script=script) as process,
    ):
        wire = Wire(process, Path(errors.name))
        greeting = {"name": "tests", "version": "1"}
        wire.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=greeting)
        wire.notify("notifications/initialized")
        yield wire


def envelope(result: dict[str, Any]) -> dict[str, Any]:
    """The envelope in the first block of an answer."""
    assert not result.get("isError"), result["content"][0]["text"]
    return json.loads(result["content"][0]["text"])


def error(result: dict[str, Any]) -> dict[str, Any]:
    """The error in an answer that is one."""
    assert result["isError"] is True
    (block,) = result["content"]
    return json.loads(block["text"])


def native(result: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Label and bytes of each part of an answer, in order."""
    import base64

    blocks = [block for block in result["content"][1:] if block["type"] != "resource_link"]
    for label, block in zip(blocks[::2], blocks[1::2], strict=True):
        data = base64.b64decode(block["data"]) if block["type"] == "image" else block["text"].encode()
        yield label["text"], data
