"""Drawing a page or a part of one into packed pixels: only the part is held in memory, whatever the page's size."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from eyeline.errors import CorruptMedia
from eyeline.media.pdf_document import Frame, OpenPage, raw
from eyeline.model.geometry import Size

_WHITE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of the upright page in points, origin top left."""

    x_pt: float
    y_pt: float
    w_pt: float
    h_pt: float

    @classmethod
    def whole(cls, frame: Frame) -> Part:
        """All of a page."""
        return cls(0.0, 0.0, frame.width_pt, frame.height_pt)


def draw(page: OpenPage, part: Part, *, size: Size, is_grey: bool = False) -> bytearray:
    """Draw a part of a page on white, as exactly `size`: packed rows of sRGB (or grey) bytes, top row first.

    Annotations and form fields are drawn; text is smoothed in grey, not for the stripes of a screen.
    """
    bands = 1 if is_grey else 3
    pixels = bytearray(size.pixels * bands)
    buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
    kind = raw.FPDFBitmap_Gray if is_grey else raw.FPDFBitmap_BGR
    bitmap = raw.FPDFBitmap_CreateEx(size.width_px, size.height_px, kind, buffer, size.width_px * bands)
    if not bitmap:
        raise CorruptMedia(f"page {page.number} cannot be drawn at {size}", reason="unreadable_page", page=page.number)
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, size.width_px, size.height_px, _WHITE)
        across, down = size.width_px / part.w_pt, size.height_px / part.h_pt
        matrix = raw.FS_MATRIX(across, 0.0, 0.0, down, -part.x_pt * across, -part.y_pt * down)
        clip = raw.FS_RECTF(0.0, 0.0, float(size.width_px), float(size.height_px))
        flags = raw.FPDF_ANNOT if is_grey else raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER
        raw.FPDF_RenderPageBitmapWithMatrix(bitmap, page.handle, ctypes.byref(matrix), ctypes.byref(clip), flags)
        if page.forms is not None:
            start = round(-part.x_pt * across), round(-part.y_pt * down)
            whole = round(page.frame.width_pt * across), round(page.frame.height_pt * down)
            raw.FPDF_FFLDraw(page.forms, bitmap, page.handle, *start, *whole, 0, flags)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return pixels
