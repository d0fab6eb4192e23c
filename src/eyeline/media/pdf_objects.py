"""Texts and pictures of a page with their boxes, also those inside forms, bounded in number and depth."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from eyeline.media.pdf_document import OpenPage, PageBox, raw

MAX_OBJECTS = 20_000
MAX_DEPTH = 4

TEXT, PICTURE = int(raw.FPDF_PAGEOBJ_TEXT), int(raw.FPDF_PAGEOBJ_IMAGE)
_ASKED = frozenset((TEXT, PICTURE))
_FORM = int(raw.FPDF_PAGEOBJ_FORM)
# Bound once: these run for every object of every page.
_get_kind, _get_bounds = raw.FPDFPageObj_GetType, raw.FPDFPageObj_GetBounds
_Matrix = tuple[float, float, float, float, float, float]
_UNTURNED: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def objects_of(page: OpenPage) -> Iterator[tuple[Any, int, PageBox]]:
    """Texts and pictures of a page and of the forms inside it, in the order they are drawn."""
    left = [MAX_OBJECTS]
    count, get = raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject
    yield from _inside(page.handle, count(page.handle), get, matrix=_UNTURNED, depth=0, left=left)


def _inside(
    owner: Any, count: int, get: Any, *, matrix: _Matrix, depth: int, left: list[int]
) -> Iterator[tuple[Any, int, PageBox]]:
    edges = (ctypes.c_float(), ctypes.c_float(), ctypes.c_float(), ctypes.c_float())
    pointers = tuple(ctypes.byref(edge) for edge in edges)
    for index in range(min(int(count), left[0])):
        left[0] -= 1
        handle = get(owner, index)
        kind = _get_kind(handle)
        if kind == _FORM:
            if depth < MAX_DEPTH:
                inner = _times(_matrix_of(handle), matrix)
                held = raw.FPDFFormObj_CountObjects(handle)
                yield from _inside(handle, held, raw.FPDFFormObj_GetObject, matrix=inner, depth=depth + 1, left=left)
        elif kind in _ASKED and _get_bounds(handle, *pointers):
            box = (edges[0].value, edges[1].value, edges[2].value, edges[3].value)
            yield handle, kind, box if matrix is _UNTURNED else _moved(box, matrix)


def _matrix_of(handle: Any) -> _Matrix:
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(handle, ctypes.byref(matrix)):
        return _UNTURNED
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    a2, b2, c2, d2, e2, f2 = then
    return (
        a * a2 + b * c2,
        a * b2 + b * d2,
        c * a2 + d * c2,
        c * b2 + d * d2,
        e * a2 + f * c2 + e2,
        e * b2 + f * d2 + f2,
    )


def _moved(box: PageBox, matrix: _Matrix) -> PageBox:
    a, b, c, d, e, f = matrix
    corners = [(box[i] * a + box[j] * c + e, box[i] * b + box[j] * d + f) for i in (0, 2) for j in (1, 3)]
    across, up = [corner[0] for corner in corners], [corner[1] for corner in corners]
    return min(across), min(up), max(across), max(up)


def text_size_pt(handle: Any) -> float:
    """Size of the letters of a text object as they stand on the page, in points."""
    size = ctypes.c_float()
    raw.FPDFTextObj_GetFontSize(handle, ctypes.byref(size))
    _, _, c, d, _, _ = _matrix_of(handle)
    return abs(size.value) * (c * c + d * d) ** 0.5
