"""The OCR engine: a job that reads the visible text of a picture, a frame or a page.

Text is read where it stands upright, and reported where it stands in the file: boxes are in the upright frame of the
picture or page, whichever way its text is turned.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from eyeline.media.ocr_sheet import Sheet, as_ink, opened
from eyeline.media.ocr_strips import strips
from eyeline.media.ocr_tesseract import Box, Ink, Line, Tesseract, loaded
from eyeline.model.plain_text import plain_line

if TYPE_CHECKING:
    import pyvips

    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

MAX_LINES = 20_000
MAX_LINE_CHARS = 4_000
SMALL_PX = 12
"""Median height of a word, in pixels, below which a finer scale reads better."""

_SURE = 80
"""Confidence from which on a line is not looked at again at a coarser scale."""

_COARSER = 4
_LEAST_SIDE_PX = 40


def recognise(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Read the text of a picture or page.

    `params`: `media_type`; `page` (from 1) or `frame` (from 1), where one is meant; `languages`; `models`, a path for
    each language and for `osd`; `max_pixels` of the grey picture that is read and `cpu_ms` to read it in;
    `max_source_pixels` and `max_frames`, the bounds on what is decoded.

    Returns `{"lines": [{"text", "box", "confidence", "block", "paragraph"}], "rotation", "size", "complete"}`: boxes
    [x, y, w, h] and size in pixels of the upright picture or points of the upright page, rotation in degrees clockwise.
    """
    with opened(reader, params) as sheet, loaded(params["models"], params["languages"]) as tesseract:
        return _Reading(sheet, tesseract, max_pixels=params["max_pixels"], cpu_ms=params["cpu_ms"]).report()


class _Reading:
    """One sheet being read within its budget."""

    def __init__(self, sheet: Sheet, tesseract: Tesseract, *, max_pixels: int, cpu_ms: int) -> None:
        self._sheet = sheet
        self._tesseract = tesseract
        self._max_pixels = max_pixels
        self._end_s = time.process_time() + cpu_ms / 1000
        self._complete = True

    def report(self) -> dict[str, Any]:
        """Read, and say it in units of the sheet."""
        sheet = self._sheet
        scale = sheet.fitted(sheet.usual, max_pixels=self._max_pixels)
        finer = sheet.fitted(sheet.finest, max_pixels=self._max_pixels)
        rotation, found = self._at(scale, may_stop=finer > 1.2 * scale)
        if found is None:
            scale = finer
            rotation, found = self._at(scale, may_stop=False)
        lines = [] if found is None else found
        return {
            "lines": [self._line(line, rotation, scale) for line in lines[:MAX_LINES]],
            "rotation": (rotation + _usual_turn(lines)) % 360,
            "size": [sheet.width, sheet.height],
            "complete": self._complete and len(lines) <= MAX_LINES,
        }

    def _at(self, scale: float, *, may_stop: bool) -> tuple[int, list[Line] | None]:
        """Rotation and lines at a scale; no lines at all when `may_stop` and letters are too small for it."""
        grey = self._sheet.grey(scale).copy_memory()
        rotation, found = self._seen(grey, as_ink(grey), may_stop=may_stop)
        if found == [] and self._sheet.is_page:
            # On a nearly empty page the grain of the paper can pass for ink; the page as it is then reads better.
            plain = self._seen(grey, grey, may_stop=False)
            return plain if plain[1] else (0, [])
        return rotation, found

    def _seen(self, grey: pyvips.Image, ink: pyvips.Image, *, may_stop: bool) -> tuple[int, list[Line] | None]:
        """Rotation and lines of one way to write the pixels down."""
        told = self._orientation(ink)
        first = told or 0
        best = self._turned(grey, ink, first, may_stop=may_stop)
        if best is None:
            return first, None
        rotation = first
        for other in _others(told, best):
            lines = self._turned(grey, ink, other, may_stop=False) or []
            if _score(lines) > _score(best):
                rotation, best = other, lines
        return rotation, [line for line in best if _is_text(line)]

    def _orientation(self, ink: pyvips.Image) -> int | None:
        for strip in strips(ink):
            told = self._tesseract.orientation(_cut(ink, strip.top, strip.bottom))
            if told is not None:
                return told
        return None

    def _turned(self, grey: pyvips.Image, ink: pyvips.Image, rotation: int, *, may_stop: bool) -> list[Line] | None:
        """Lines as if the text were turned by `rotation`, in the frame in which it then stands upright."""
        upright = _turn_back(ink, rotation).copy_memory()
        lines = self._fine(upright, may_stop=may_stop)
        if lines is None:
            return None
        by = 1
        while min(upright.width, upright.height) // (by * _COARSER) >= _LEAST_SIDE_PX:
            by *= _COARSER
            coarse = as_ink(_turn_back(grey.resize(1 / by), rotation).copy_memory())
            lines = _merged(lines, self._coarse(coarse, by, lines))
        return lines

    def _fine(self, ink: pyvips.Image, *, may_stop: bool) -> list[Line] | None:
        lines: list[Line] = []
        for strip in strips(ink):
            seen = self._read(_cut(ink, strip.top, strip.bottom))
            if may_stop and _is_small(seen):
                return None
            block = lines[-1].block + 1 if lines else 0
            lines += [
                replace(_moved(line, down=strip.top), block=block + line.block)
                for line in seen
                if strip.owns(line.box[1], line.box[3])
            ]
        return lines

    def _coarse(self, ink: pyvips.Image, by: int, known: list[Line]) -> list[Line]:
        """Large letters, in a picture `by` times smaller, where nothing was read surely before."""
        left = Ink(bytearray(ink.write_to_memory()), ink.width, ink.height)
        for line in known:
            for word in line.words if line.confidence >= _SURE else ():
                _erase(left, tuple(edge / by for edge in word.box))
        return [_grown(line, by) for line in self._read(left, is_sparse=True) if _is_surely_text(line)]

    def _read(self, ink: Ink, *, is_sparse: bool = False) -> list[Line]:
        left_ms = round((self._end_s - time.process_time()) * 1000)
        dpi = self._sheet.dpi
        lines = self._tesseract.lines(ink, dpi=dpi, timeout_ms=left_ms, is_sparse=is_sparse) if left_ms > 0 else None
        self._complete = self._complete and lines is not None
        return lines or []

    def _line(self, line: Line, rotation: int, scale: float) -> dict[str, Any]:
        sheet = self._sheet
        box = _as_filed(tuple(edge / scale for edge in line.box), rotation, width=sheet.width, height=sheet.height)
        return {
            "text": plain_line(_text(line), max_chars=MAX_LINE_CHARS),
            "box": _xywh(box, sheet),
            "confidence": round(line.confidence, 1),
            "block": line.block,
            "paragraph": line.paragraph,
        }


def _cut(ink: pyvips.Image, top: int, bottom: int) -> Ink:
    part = ink.crop(0, top, ink.width, bottom - top)
    return Ink(part.write_to_memory(), part.width, part.height)


def _turn_back(image: pyvips.Image, rotation: int) -> pyvips.Image:
    """The picture with text that is turned clockwise by `rotation` standing upright."""
    return image.rot(f"d{(360 - rotation) % 360}")


def _as_filed(box: tuple[float, ...], rotation: int, *, width: float, height: float) -> Box:
    """A box of the frame in which text stands upright, in the frame of the file, whose extent is given."""
    left, top, right, bottom = box
    match rotation:
        case 90:
            return width - bottom, left, width - top, right
        case 180:
            return width - right, height - bottom, width - left, height - top
        case 270:
            return top, height - right, bottom, height - left
        case _:
            return left, top, right, bottom


def _xywh(box: Box, sheet: Sheet) -> list[float]:
    """Within the sheet: whole pixels outwards for a picture, hundredths of a point for a page."""
    left, top = max(box[0], 0.0), max(box[1], 0.0)
    right, bottom = min(box[2], sheet.width), min(box[3], sheet.height)
    if isinstance(sheet.width, int):
        left, top, right, bottom = math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)
    return [round(value, 2) for value in (left, top, right - left, bottom - top)]


def _others(told: int | None, lines: list[Line]) -> tuple[int, ...]:
    """Which other ways to turn the picture are worth a try, seeing what the first one gave."""
    seen = [line for line in lines if line.letters >= 4 and line.confidence >= 40]
    is_doubtful = _score(seen) < 30 * sum(line.letters for line in seen)
    if told:
        return (0,) if is_doubtful or not seen else ()
    return (90, 180, 270) if told is None and is_doubtful and sum(len(line.words) for line in seen) <= 12 else ()


def _usual_turn(lines: list[Line]) -> int:
    """How most letters are turned in a frame in which some lines run up or down."""
    letters: dict[int, int] = {0: 0}
    for line in lines:
        letters[line.turned] = letters.get(line.turned, 0) + line.letters
    return max(letters, key=lambda turn: letters[turn])


def _score(lines: list[Line]) -> float:
    """How much was read, and how surely."""
    return sum(line.letters * max(line.confidence - 50, 0) for line in lines)


def _is_small(lines: list[Line]) -> bool:
    return len(lines) >= 3 and sorted(line.height for line in lines)[len(lines) // 2] < SMALL_PX


def _is_text(line: Line) -> bool:
    """Whether a line is kept: the shorter it is, the surer it must be, for specks look like single letters."""
    least = next(least for letters, least in ((10, 35), (3, 60), (2, 85), (1, 95), (0, 101)) if line.letters >= letters)
    return line.confidence >= least


def _is_surely_text(line: Line) -> bool:
    total = sum(len(word.text) for word in line.words)
    return line.confidence >= _SURE and line.letters >= 3 and line.letters >= 0.6 * total


def _moved(line: Line, *, down: int) -> Line:
    words = [
        replace(word, box=(word.box[0], word.box[1] + down, word.box[2], word.box[3] + down)) for word in line.words
    ]
    return replace(line, words=tuple(words))


def _grown(line: Line, by: int) -> Line:
    words = [
        replace(word, box=(word.box[0] * by, word.box[1] * by, word.box[2] * by, word.box[3] * by))
        for word in line.words
    ]
    return replace(line, words=tuple(words))


def _erase(ink: Ink, box: tuple[float, ...]) -> None:
    left, top = max(math.floor(box[0]) - 1, 0), max(math.floor(box[1]) - 1, 0)
    right, bottom = min(math.ceil(box[2]) + 1, ink.width), min(math.ceil(box[3]) + 1, ink.height)
    white = b"\xff" * max(right - left, 0)
    for row in range(top, bottom):
        memoryview(ink.pixels)[row * ink.width + left : row * ink.width + left + len(white)] = white


def _merged(lines: list[Line], further: list[Line]) -> list[Line]:
    """Both in reading order. A further line replaces less sure ones that it covers: in the place of one that was read
    in about the same length, else (hollows of large letters read as something, too) as a block of its own before the
    first line below it.
    """
    merged: list[Line] = []
    waiting = sorted(further, key=lambda each: (each.box[1], each.box[0]))
    for line in lines:
        better = next((each for each in further if _covers(each, line) and each.confidence > line.confidence), None)
        if better is None:
            merged.append(line)
        elif better in waiting and 2 * line.letters >= better.letters:
            waiting.remove(better)
            merged.append(replace(better, block=line.block, paragraph=line.paragraph))
    for line in waiting:
        below = (index for index, each in enumerate(merged) if _is_below(each, line))
        merged.insert(next(below, len(merged)), replace(line, block=_APART, paragraph=0))
    runs = [list(run) for _, run in groupby(merged, key=lambda line: line.block)]
    return [replace(line, block=number) for number, run in enumerate(runs) for line in run]


_APART = -1


def _is_below(line: Line, other: Line) -> bool:
    """Whether a line starts below the middle of another, and shares columns with it."""
    shares = line.box[0] < other.box[2] and other.box[0] < line.box[2]
    return shares and line.box[1] > (other.box[1] + other.box[3]) / 2


def _covers(line: Line, other: Line) -> bool:
    """Whether the middle of the other line lies in this one."""
    left, top, right, bottom = other.box
    return line.box[0] <= (left + right) / 2 <= line.box[2] and line.box[1] <= (top + bottom) / 2 <= line.box[3]


def _text(line: Line) -> str:
    """Words with a space between them, three where a gap is as wide as between columns."""
    pieces = [line.words[0].text]
    for before, word in zip(line.words, line.words[1:], strict=False):
        is_wide = word.box[0] - before.box[2] > 2.5 * line.height
        pieces += ["   " if is_wide else " ", word.text]
    return "".join(pieces)
