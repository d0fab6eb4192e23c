"""The example of docs/viewing.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mcp.server import MCPServer

from eyeline import Viewer
from eyeline.mcp.mounting import mount_view_file
from eyeline.testing.media import make_digital_pdf, make_photo

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "photo.jpg").write_bytes(make_photo(3000, 2000))
    (folder / "paper.pdf").write_bytes(make_digital_pdf(pages=9))
    with Viewer(folder) as viewer:
        batch = viewer.view("photo.jpg", "paper.pdf", "nowhere.png")
        blocks = batch.to_anthropic()

        server = MCPServer("mine")
        mount_view_file(server, viewer)

codes = [item.code for item in batch.report.items]
left = batch.report.read.left
