"""Pictures of text for the OCR lane, and how far a reading is from what was written."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from PIL import Image, ImageDraw, ImageFont

LETTER = (
    "Quarterly report for the northern region",
    "Revenue rose to 4,218,300 in the third quarter",
    "Operating costs fell by 12.5% against last year",
    "Invoice 2024-1187 was paid on 14 March by transfer",
    "The committee meets again on Tuesday at 09:30",
    "Please keep this page with your other records",
)

TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
"""How to turn a picture clockwise by so many degrees."""


def font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A plain font that needs nothing installed."""
    return ImageFont.load_default(size=size_px)


def written(lines: Sequence[str] = LETTER, *, size_px: int = 24, ink: int = 0, ground: int = 255) -> Image.Image:
    """Lines of text in grey, one under the other, with a margin of 40 pixels."""
    face = font(size_px)
    width = max(int(face.getlength(line)) for line in lines) + 80
    picture = Image.new("L", (width, int(len(lines) * size_px * 1.6) + 80), ground)
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        draw.text((40, 40 + int(row * size_px * 1.6)), line, font=face, fill=ink)
    return picture


def as_png(picture: Image.Image) -> bytes:
    """The picture as a PNG file."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def error_rate(read: Iterable[str], written_lines: Sequence[str] = LETTER) -> float:
    """Edits for each written character that make the reading what was written; runs of spaces count as one."""
    wanted, got = " ".join(written_lines), " ".join(" ".join(read).split())
    row = list(range(len(got) + 1))
    for index, character in enumerate(wanted, 1):
        above, row[0] = row[0], index
        for column, other in enumerate(got, 1):
            above, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, above + (character != other))
    return row[-1] / len(wanted)
