"""Sample scans: typewritten pages as a flatbed scanner gives them, a little askew, on paper that is not quite white."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from eyeline.media.sample_pdf import LETTER, SamplePicture, make_scanned_pdf

WIDTH_PX, HEIGHT_PX = 1275, 1650
"""A letter page at 150 dots an inch."""

_PAPER, _INK = (247, 244, 236), (38, 36, 44)
_MARGIN_PX, _LINE_PX, _FONT_PX = 150, 44, 28


def make_scan(pages: Sequence[Sequence[str]], *, stamp: str | None = None) -> bytes:
    """A scanned PDF: each page the picture of its lines, without a text layer; the first may carry a red stamp."""
    pictures = [_scanned(lines, number, stamp if number == 0 else None) for number, lines in enumerate(pages)]
    box = (0.0, 0.0, *LETTER)
    return make_scanned_pdf([SamplePicture(each, WIDTH_PX, HEIGHT_PX, box, is_jpeg=True) for each in pictures])


def _scanned(lines: Sequence[str], number: int, stamp: str | None) -> bytes:
    page = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), _PAPER)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=_FONT_PX)
    for row, line in enumerate(lines):
        draw.text((_MARGIN_PX, _MARGIN_PX + row * _LINE_PX), line, font=font, fill=_INK)
    if stamp is not None:
        _stamped(page, stamp)
    page = page.rotate(0.4 - 0.7 * (number % 2), resample=Image.Resampling.BICUBIC, fillcolor=_PAPER)
    page = ImageChops.multiply(page.filter(ImageFilter.GaussianBlur(0.6)), _grain(number))
    buffer = io.BytesIO()
    page.save(buffer, "JPEG", quality=82)
    return buffer.getvalue()


def _stamped(page: Image.Image, text: str) -> None:
    font = ImageFont.load_default(size=46)
    stamp = Image.new("L", (420, 110))
    draw = ImageDraw.Draw(stamp)
    draw.rounded_rectangle((4, 4, 415, 105), radius=12, outline=210, width=6)
    draw.text((210, 55), text, font=font, fill=210, anchor="mm")
    stamp = stamp.rotate(9, expand=True, resample=Image.Resampling.BICUBIC)
    page.paste((190, 40, 48), (WIDTH_PX - 640, HEIGHT_PX - 560), stamp)


def _grain(number: int) -> Image.Image:
    data = hashlib.shake_256(f"scan {number}".encode()).digest(WIDTH_PX * HEIGHT_PX)
    grain = Image.frombytes("L", (WIDTH_PX, HEIGHT_PX), data).point([251 + each // 52 for each in range(256)])
    return Image.merge("RGB", (grain, grain, grain))
