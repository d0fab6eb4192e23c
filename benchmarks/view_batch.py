"""Eight local pictures of 1 MiB in one batch of `view_file` over MCP, against eight calls of the reference file server.

The peer hands out the files as they are, base64 and all; ours decodes each picture in
full in a bounded child, makes it fit the megabyte that hosts take, and says what it did. So the second peer is what a
program does that wants the same pixels: Pillow, one after the other, in a process that is there already. "Again" is the
same batch once more, from the cache in memory. Every picture is asked for the first time in its turn, of each of them.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult
from PIL import Image

import eyeline
from benchmarks.peers import peer_node
from benchmarks.table import Row
from eyeline.media.sample_pictures import make_photo

BATCHES, PICTURES, BYTES = 6, 8, 1 << 20
AIM = 1.0
PEER = "@modelcontextprotocol/server-filesystem@2026.8.31"
PLACE = {"PYTHONPATH": os.pathsep.join([str(Path(eyeline.__path__[0]).parent), os.environ.get("PYTHONPATH", "")])}
EDGE_PX, QUALITY = 1024, 80

Ask = Callable[..., CallToolResult]


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        batches = [_pictures(folder, number) for number in range(BATCHES)]
        ours, again = _ours(folder, batches)
        pillow = _timed(_with_pillow, batches)
        whole = sum(map(_size, batches[0]))
        remark = f"{PICTURES} JPEG of {whole / PICTURES / 1e6:.2f} MB each, {whole * 4 / 3 / 1e6:.1f} MB of base64"
        found = [
            Row("view a batch for the first time", ours, "Pillow, one after the other", pillow, AIM, remark),
            Row("view it again", again, "Pillow, one after the other", pillow, AIM, "from the cache in memory"),
        ]
        return [*found, *_against_the_file_server(folder, batches, ours=ours, again=again)]


def _against_the_file_server(folder: Path, batches: Sequence[list[Path]], *, ours: float, again: float) -> list[Row]:
    modules = peer_node("server-filesystem", packages=(PEER,))
    node = shutil.which("node")
    if modules is None or node is None:
        return []
    script = modules / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js"
    with _asking(node, [str(script), str(folder)]) as ask:
        peer = _timed(lambda paths: [ask("read_media_file", path=str(path)) for path in paths], batches)
    return [
        Row("view a batch for the first time", ours, "8 × read_media_file", peer, None, "the peer decodes nothing"),
        Row("view it again", again, "8 × read_media_file", peer, AIM, "the peer decodes nothing"),
    ]


def _ours(folder: Path, batches: Sequence[list[Path]]) -> tuple[float, float]:
    home = folder / "home"
    command = ["-m", "eyeline", "--home", str(home), "mcp", "--base-dir", str(folder)]
    with _asking(sys.executable, command) as ask:
        ask("view_file", paths=[path.name for path in _pictures(folder, BATCHES)])

        def view(paths: list[Path]) -> object:
            answer = ask("view_file", paths=[path.name for path in paths])
            assert sum(block.type == "image" for block in answer.content) == PICTURES
            return answer

        return _timed(view, batches), _timed(view, batches)


def _with_pillow(paths: list[Path]) -> object:
    """What a program does that reads, decodes, scales and encodes for a model, in the same process."""
    made: list[str] = []
    for path in paths:
        with Image.open(path) as picture:
            picture.draft("RGB", (EDGE_PX, EDGE_PX))
            picture.thumbnail((EDGE_PX, EDGE_PX), Image.Resampling.LANCZOS)
            buffer = io.BytesIO()
            picture.save(buffer, "JPEG", quality=QUALITY)
            made.append(base64.b64encode(buffer.getvalue()).decode())
    return made


def _timed(work: Callable[[list[Path]], object], batches: Sequence[list[Path]]) -> float:
    """The median of the batches, in milliseconds."""
    times: list[float] = []
    for paths in batches:
        start = time.perf_counter()
        work(paths)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def _pictures(folder: Path, batch: int) -> list[Path]:
    """Photographs of about 1 MiB, none like another."""
    paths = [folder / f"{batch}-{number}.jpg" for number in range(PICTURES)]
    for number, path in enumerate(paths):
        if not path.exists():
            path.write_bytes(make_photo(2560, 1920, seed=batch * PICTURES + number + 1, quality=88))
    return paths


def _size(path: Path) -> int:
    return path.stat().st_size


@contextmanager
def _asking(command: str, arguments: list[str]) -> Generator[Ask]:
    """A way to call the tools of a server in a process of its own."""
    server = StdioServerParameters(command=command, args=arguments, env={**os.environ, **PLACE})
    with (
        tempfile.TemporaryFile("w") as log,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server, errlog=log), mode="legacy")) as client,
    ):
        portal.call(client.list_tools)

        def ask(tool: str, **arguments: Any) -> CallToolResult:
            answer = portal.call(client.call_tool, tool, arguments)
            assert not answer.is_error, answer.content[0]
            return answer

        yield ask
