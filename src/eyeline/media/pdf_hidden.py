"""Text that the picture of a page does not show.

Invisible text is asked of the page's objects. White, see-through or covered text is tested by drawing: the page is
drawn with and without it, and where no pixel changes, nobody sees it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eyeline.media.pdf_document import Frame, OpenPage, PageBox, raw
from eyeline.media.pdf_draw import Part, draw
from eyeline.media.pdf_objects import PICTURE, objects_of, text_size_pt
from eyeline.model.geometry import Size

MAX_TESTED = 500
MAX_TEST_EDGE_PX = 1000
TEST_SCALE = 1.5
PALE = 200
FAINT_ALPHA = 26
TINY_PT = 1.0
SEEN_STEP = 6

_INVISIBLE_MODES = (3, 7)
# Bound once: these run for every text of every page.
_get_mode, _get_fill = raw.FPDFTextObj_GetTextRenderMode, raw.FPDFPageObj_GetFillColor


@dataclass(frozen=True, slots=True)
class Hidden:
    """Characters of a page that its picture does not show.

    `hidden_chars` are invisible, too small, outside the page, or have the colour of what is behind them.
    `scan_chars` are invisible or covered where a picture is: what text recognition leaves on a scan.
    `picture_share`: how much of the page pictures cover, 0 to 1.
    """

    hidden_chars: int
    scan_chars: int
    picture_share: float


@dataclass(frozen=True, slots=True)
class _Text:
    handle: Any
    box: PageBox


@dataclass(slots=True)
class _Found:
    """What a walk over a page's objects sets apart; boxes in page space (left, bottom, right, top)."""

    pictures: list[PageBox] = field(default_factory=list[PageBox])
    unseen: list[_Text] = field(default_factory=list[_Text])
    invisible: list[_Text] = field(default_factory=list[_Text])
    pale: list[_Text] = field(default_factory=list[_Text])
    dark: list[_Text] = field(default_factory=list[_Text])
    covered: list[_Text] = field(default_factory=list[_Text])


def find_hidden(page: OpenPage, text_handle: Any) -> Hidden:
    """Count the characters of a page that nobody sees."""
    found = _walk(page)
    hidden = sum(_chars(text, text_handle) for text in found.unseen)
    scanned = 0
    for text in found.invisible:
        if any(_covers(picture, text.box) for picture in found.pictures):
            scanned += _chars(text, text_handle)
        else:
            hidden += _chars(text, text_handle)
    tested = (found.pale + found.covered)[:MAX_TESTED]
    unchanged = _without_effect(page, tested) if tested else set[int]()
    for index, text in enumerate(tested):
        if index in unchanged and index < len(found.pale):
            hidden += _chars(text, text_handle)
        elif index in unchanged:
            scanned += _chars(text, text_handle)
    return Hidden(hidden, scanned, _share(page, found.pictures))


def _walk(page: OpenPage) -> _Found:
    found = _Found()
    is_pale = _pale_test()
    frame = page.frame
    for handle, kind, box in objects_of(page):
        if kind == PICTURE:
            found.pictures.append(box)
            found.covered += [text for text in found.dark if _covers(box, text.box)]
            found.dark = [text for text in found.dark if not _covers(box, text.box)]
            continue
        text = _Text(handle, box)
        if _is_outside(box, frame) or _is_tiny(text):
            found.unseen.append(text)
        elif _get_mode(handle) in _INVISIBLE_MODES:
            found.invisible.append(text)
        elif is_pale(handle):
            found.pale.append(text)
        else:
            found.dark.append(text)
    return found


def _is_outside(box: PageBox, frame: Frame) -> bool:
    left, bottom, right, top = box
    return right < frame.left or left > frame.right or top < frame.bottom or bottom > frame.top


def _is_tiny(text: _Text) -> bool:
    # The box is known already and is small for dots and dashes too; only then is the font worth asking.
    return text.box[3] - text.box[1] < TINY_PT and text_size_pt(text.handle) < TINY_PT


def _pale_test() -> Callable[[Any], bool]:
    """A test whether a text is filled with a light or nearly transparent colour; its room is made once."""
    red, green, blue, alpha = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    pointers = tuple(ctypes.byref(part) for part in (red, green, blue, alpha))

    def is_pale(handle: Any) -> bool:
        if not _get_fill(handle, *pointers):
            return False
        return (red.value >= PALE and green.value >= PALE and blue.value >= PALE) or alpha.value <= FAINT_ALPHA

    return is_pale


def _chars(text: _Text, text_handle: Any) -> int:
    """Characters of a text object that are not white space."""
    needed = int(raw.FPDFTextObj_GetText(text.handle, text_handle, None, 0))
    buffer = (ctypes.c_ushort * max(needed // 2, 1))()
    raw.FPDFTextObj_GetText(text.handle, text_handle, buffer, needed)
    return len("".join(bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").split()))


def _covers(picture: PageBox, box: PageBox) -> bool:
    """Whether the middle of a box lies in a picture."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return picture[0] <= x <= picture[2] and picture[1] <= y <= picture[3]


def _share(page: OpenPage, pictures: list[PageBox]) -> float:
    frame = page.frame
    covered = 0.0
    for left, bottom, right, top in pictures:
        width = min(right, frame.right) - max(left, frame.left)
        height = min(top, frame.top) - max(bottom, frame.bottom)
        covered += max(width, 0.0) * max(height, 0.0)
    whole = frame.width_pt * frame.height_pt
    return round(min(covered / whole, 1.0), 3) if whole else 0.0


def _without_effect(page: OpenPage, texts: list[_Text]) -> set[int]:
    """Indexes of texts that change no pixel of the page's picture."""
    frame, part = page.frame, Part.whole(page.frame)
    scale = min(TEST_SCALE, MAX_TEST_EDGE_PX / max(frame.width_pt, frame.height_pt))
    size = Size(max(round(frame.width_pt * scale), 1), max(round(frame.height_pt * scale), 1))
    shown = draw(page, part, size=size, is_grey=True)
    for text in texts:
        raw.FPDFPageObj_SetIsActive(text.handle, 0)
    bare = draw(page, part, size=size, is_grey=True)
    for text in texts:
        raw.FPDFPageObj_SetIsActive(text.handle, 1)
    places = (frame.upright(text.box) for text in texts)
    return {
        index
        for index, (x, y, w, h) in enumerate(places)
        if not _differs(shown, bare, size=size, box=(x * scale, y * scale, (x + w) * scale, (y + h) * scale))
    }


def _differs(shown: bytearray, bare: bytearray, *, size: Size, box: tuple[float, float, float, float]) -> bool:
    """Whether two pictures differ visibly in a box of left, top, right and bottom pixels."""
    left, right = max(int(box[0]) - 1, 0), min(int(box[2]) + 2, size.width_px)
    for row in range(max(int(box[1]) - 1, 0), min(int(box[3]) + 2, size.height_px)):
        start, end = row * size.width_px + left, row * size.width_px + right
        one, other = shown[start:end], bare[start:end]
        if one != other and max(abs(a - b) for a, b in zip(one, other, strict=True)) >= SEEN_STEP:
            return True
    return False
