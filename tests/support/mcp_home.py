"""A home with real files for the tests of the MCP surface: two pictures, a PDF, texts, and a collection apart."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from eyeline.app.eyeline import Eyeline
from eyeline.media.sample_pdf import SampleEntry, make_pdf
from eyeline.media.sample_pictures import make_picture

PAGES = ("The turbine hall stands empty.", "Pump serial 88-1742 failed at noon.", "Nothing else happened.")
STRANGE = '"quoted" \\ back 語語 😀 <tag> ' * 2000
NOISE_PX = 2400


@dataclass(frozen=True, slots=True)
class Sources:
    """The home, and the version id of each thing in it."""

    home: Path
    picture: str
    noise: str
    pdf: str
    text: str
    strange: str
    apart: str


def noise() -> bytes:
    """A picture that no encoder makes small."""
    import os

    from PIL import Image

    picture = Image.frombytes("RGB", (NOISE_PX, NOISE_PX // 2), os.urandom(NOISE_PX * (NOISE_PX // 2) * 3))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def filled_home(folder: Path) -> Sources:
    """Write the files and take them in."""
    files = {
        "plate.png": make_picture(width=400, height=300),
        "noise.png": noise(),
        "report.pdf": make_pdf(list(PAGES), outline=[SampleEntry("Failures", page=2)]),
        "notes.txt": b"".join(b"line %d of the notes\n" % number for number in range(1, 201)),
        "strange.txt": STRANGE.encode(),
    }
    inbox = folder / "inbox"
    inbox.mkdir()
    for name, data in files.items():
        (inbox / name).write_bytes(data)
    apart = folder / "secret.txt"
    apart.write_text("not for everybody")
    with Eyeline(folder / "home", principal="filler") as eye:
        paths = [inbox / name for name in files]
        items = eye.ingest(*paths).items + eye.ingest(apart, collection="apart").items
        ids = [item.version_id for item in items]
        assert None not in ids, items
    return Sources(folder / "home", *(str(each) for each in ids))
