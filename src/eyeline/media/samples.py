"""Sample media for the demo and the tests, made from nothing; the same call always gives the same bytes.

Pictures come from `sample_pictures`, PDF files from `sample_pdf`; here are those that need both, and texts.
"""

from __future__ import annotations

import hashlib
import io

from PIL import Image, ImageDraw, ImageFont

from eyeline.media.sample_pdf import (
    SampleEntry,
    SampleFill,
    SampleLink,
    SamplePage,
    SamplePicture,
    SampleText,
    make_pdf,
    make_scanned_pdf,
)
from eyeline.media.sample_pictures import (
    BLUE,
    RED,
    WHITE,
    cut_short,
    display_p3,
    encoded,
    end_neatly,
    make_animation,
    make_deep_png,
    make_diagram,
    make_dimension_bomb,
    make_drawing,
    make_exif,
    make_metadata_bomb,
    make_overlay_gif,
    make_pages,
    make_photo,
    make_picture,
    make_png_without_pixels,
    make_raw_png,
    make_screenshot,
    png_chunk,
    screenshot_line,
    with_chunk,
)

__all__ = [
    "BLUE",
    "RED",
    "WHITE",
    "SampleEntry",
    "SampleFill",
    "SampleLink",
    "SamplePage",
    "SamplePicture",
    "SampleText",
    "cut_short",
    "display_p3",
    "encoded",
    "end_neatly",
    "make_animation",
    "make_deep_png",
    "make_diagram",
    "make_digital_pdf",
    "make_dimension_bomb",
    "make_drawing",
    "make_exif",
    "make_markdown",
    "make_metadata_bomb",
    "make_overlay_gif",
    "make_pages",
    "make_pdf",
    "make_photo",
    "make_picture",
    "make_png_without_pixels",
    "make_raw_png",
    "make_scan",
    "make_scan_page",
    "make_scanned_pdf",
    "make_screenshot",
    "png_chunk",
    "screenshot_line",
    "with_chunk",
]


def make_scan_page(lines: tuple[str, ...], *, width: int = 1275, height: int = 1650, turn: int = 0) -> SamplePicture:
    """One page as a scanner sees it at 150 dpi: grey paper, dark text, a little noise; `turn` in degrees clockwise."""
    page = Image.new("L", (width, height), 246)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=28)
    for row, line in enumerate(lines):
        draw.text((120, 130 + 46 * row), line, font=font, fill=38)
    grain = hashlib.shake_256(b"paper").digest(256 * 256)
    noise = Image.frombytes("L", (256, 256), grain).resize((width, height))
    page = Image.blend(page, noise, 0.04).rotate(-turn, expand=True)
    buffer = io.BytesIO()
    page.convert("RGB").save(buffer, "JPEG", quality=85)
    box = (0.0, 0.0, 612.0, 612.0 * page.height / page.width)
    return SamplePicture(buffer.getvalue(), page.width, page.height, box, is_jpeg=True)


def make_scan(*, pages: int = 2) -> bytes:
    """A scanned PDF without any text layer: each page says its number and a code that stands nowhere else."""
    texts = [
        (
            f"Delivery note {number} of {pages}",
            f"Pump serial number {7919 * number % 9973:04d}-{104729 * number % 9967:04d}",
            "Checked on arrival, no damage found.",
            "The seal was intact and the box was dry.",
        )
        for number in range(1, pages + 1)
    ]
    return make_scanned_pdf([make_scan_page(lines) for lines in texts])


def make_digital_pdf(*, pages: int = 12) -> bytes:
    """A PDF with text, an outline, a boxed note and a link on every page; page i says `page i of n`."""
    made: list[SamplePage] = []
    for number in range(1, pages + 1):
        texts = (
            SampleText(f"Chapter {(number - 1) // 4 + 1}", y_pt=90, size_pt=20),
            SampleText(f"page {number} of {pages}", y_pt=130),
            SampleText(f"The control word of this page is {104729 * number % 99991:05d}.", y_pt=160),
            SampleText("Boxed: read the valve before the pump.", x_pt=92, y_pt=232),
        )
        fills = (SampleFill((82, 212, 300, 32), (0.9, 0.94, 1.0)),)
        links = (SampleLink((72, 700, 200, 16), page=number % pages + 1),)
        made.append(SamplePage(texts=texts, fills=fills, links=links))
    outline = [SampleEntry(f"Chapter {first // 4 + 1}", first + 1) for first in range(0, pages, 4)]
    return make_pdf(made, outline=outline)


def make_markdown() -> bytes:
    """Notes in Markdown with a table and a fenced block."""
    return MARKDOWN.encode()


MARKDOWN = """# Pump room notes

The pump was serviced on the third of May. Its log is in `logs/pump.txt`.

| part   | state   |
|--------|---------|
| seal   | intact  |
| valve  | worn    |
| filter | changed |

```text
pressure 4.2 bar
flow     31 l/min
```
"""
