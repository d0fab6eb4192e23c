"""One page of a large PDF: page 500 of 701 as a PNG of 1568 pixels, through the bounded pool and by bare pdfium.

The reference forks a child as well, so that both start cold; it draws with pdfium and encodes with libvips, and has no
limits, no sandbox, no plan and no record.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path
from typing import Any

import pypdfium2.raw as untyped_raw
import pyvips

from benchmarks.table import Row, in_turns
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.sample_pdf import make_pdf

raw: Any = untyped_raw
PAGES, PAGE, RUNS = 701, 500, 15
WIDTH, HEIGHT = 1212, 1568
WORDS = ("every", "original", "in", "sight", "of", "the", "agent", "exact", "and", "recorded", "with", "its", "page")


def sample() -> bytes:
    """701 pages of running text, 42 lines each."""
    return make_pdf(
        [
            "\n".join(
                " ".join(WORDS[(7 * line + word + page) % len(WORDS)] for word in range(14)) for line in range(42)
            )
            for page in range(PAGES)
        ]
    )


def bounded(pool: BoundedPool, path: Path) -> bytes:
    """The page as Eyeline serves it."""
    size = {"width_px": WIDTH, "height_px": HEIGHT}
    plan = {"size": size, "page": PAGE, "media_types": ["image/png"], "max_bytes": 8 << 20}
    with path.open("rb") as source:
        result = pool.run("eyeline.media.pdf:render", {"media_type": "application/pdf", "plan": plan}, source=source)
    assert result.value["pages_loaded"] == 1
    return result.outputs[0]


def bare(path: Path) -> bytes:
    """The page from pdfium and libvips alone, in a forked child that writes it to a file without a name."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if not child:
            os.write(out.fileno(), _draw(path))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        return os.pread(out.fileno(), os.fstat(out.fileno()).st_size, 0)


def _draw(path: Path) -> bytes:
    document = raw.FPDF_LoadDocument(os.fsencode(path), None)
    page = raw.FPDF_LoadPage(document, PAGE - 1)
    pixels = bytearray(3 * WIDTH * HEIGHT)
    buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
    bitmap = raw.FPDFBitmap_CreateEx(WIDTH, HEIGHT, raw.FPDFBitmap_BGR, buffer, 3 * WIDTH)
    raw.FPDFBitmap_FillRect(bitmap, 0, 0, WIDTH, HEIGHT, 0xFFFFFFFF)
    raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, WIDTH, HEIGHT, 0, raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER)
    pyvips.vips_lib.vips_concurrency_set(1)
    image = pyvips.Image.new_from_memory(pixels, WIDTH, HEIGHT, 3, "uchar")
    return image.pngsave_buffer(compression=6, filter=0x08, keep=0)


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder, BoundedPool() as pool:
        path = Path(folder, "pages.pdf")
        path.write_bytes(sample())
        ours, theirs = in_turns(lambda: bounded(pool, path), lambda: bare(path), runs=RUNS)
    return [Row("draw a page of a PDF", ours, "pdfium and vips in a fork", theirs)]
