"""The example of docs/carrying.md: a folder, a sink, a condition and a server on loopback."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import BinaryIO

from eyeline.app.courier import Courier
from eyeline.model.carrying import Checked, Standing
from eyeline.model.media_type import MediaType
from eyeline.model.viewing import UrlPolicy
from eyeline.settings import Settings
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.registry import ToolRegistry
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.carrying import courier_tools


class Archive:
    name = "archive"

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, stream: BinaryIO, *, name: str, media_type: MediaType, byte_count: int) -> str:
        del media_type, byte_count
        self.kept[name] = stream.read()
        return f"archive:{name}"


class Filed:
    name = "filed"

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def check(self, subject: str) -> Checked:
        if subject in self.archive.kept:
            return Checked(Standing.MET, f"{len(self.archive.kept[subject])} bytes are filed")
        return Checked(Standing.PENDING, "not filed yet")


archive = Archive()
ada = ToolContext(principal="ada", surface="python")

with tempfile.TemporaryDirectory() as folder, HostileWeb() as web:
    policy = UrlPolicy(ports=(80, 443, web.port), allow_private_hosts=("127.0.0.1",))
    courier = Courier(
        folder,
        allow_urls=True,
        sinks=[archive],
        conditions=[Filed(archive)],
        settings=Settings(urls=policy),
    )
    runner = ToolRunner(ToolRegistry(courier_tools(courier)))
    saved = runner.run("download", {"url": web.url("/plain"), "path": "notes/plain.txt"}, context=ada).result()
    again = runner.run("download", {"url": web.url("/plain"), "path": "notes/plain.txt"}, context=ada)
    sent = runner.run("upload", {"path": "notes/plain.txt", "sink": "archive"}, context=ada).result()
    waited = runner.run("wait", {"condition": "filed", "subject": "plain.txt"}, context=ada).result()
    text = Path(folder, "notes", "plain.txt").read_text(encoding="utf-8")
