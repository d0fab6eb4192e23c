"""The example of docs/lanes.md: a home that reads a screenshot and asks a vision endpoint, a double on loopback."""

from __future__ import annotations

import tempfile
from pathlib import Path

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_screenshot
from eyeline.testing.vision_endpoint import VisionEndpoint

SETTINGS = """
[ocr]
languages = ["eng"]

[describer]
base_url = "{base_url}"
model = "looker-1"
timeout_ms = 30000
"""

with tempfile.TemporaryDirectory() as folder, VisionEndpoint(text="Twenty lines of status.") as endpoint:
    home, picture = Path(folder, "home"), Path(folder, "screen.png")
    home.mkdir()
    (home / "eyeline.toml").write_text(SETTINGS.format(base_url=endpoint.base_url), encoding="utf-8")
    picture.write_bytes(make_screenshot(700, 400))
    with Eyeline(home) as eye:
        eye.ingest(picture)
        seen = eye.find("023757")[0]
        described = eye.find("twenty")[0]
