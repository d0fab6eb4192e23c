"""tesseract, handed pixels and nothing else: which way text stands, and the words in a picture of ink on white."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import tesserocr

from eyeline.errors import EngineFailed

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""

_AUTO, _SPARSE, _ORIENTATION_ONLY = tesserocr.PSM.AUTO, tesserocr.PSM.SPARSE_TEXT, tesserocr.PSM.OSD_ONLY
_LSTM = tesserocr.OEM.LSTM_ONLY
_BLOCK, _PARAGRAPH, _LINE, _WORD = (
    tesserocr.RIL.BLOCK,
    tesserocr.RIL.PARA,
    tesserocr.RIL.TEXTLINE,
    tesserocr.RIL.WORD,
)


@dataclass(frozen=True, slots=True)
class Ink:
    """A picture of ink on white as packed grey bytes."""

    pixels: bytes | bytearray
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Word:
    """One word as seen: text, box in pixels of the ink, confidence from 0 to 100."""

    text: str
    box: Box
    confidence: float


@dataclass(frozen=True, slots=True)
class Line:
    """Words of one line, which block and paragraph it belongs to, and how many degrees clockwise it is turned."""

    words: tuple[Word, ...]
    block: int
    paragraph: int
    turned: int = 0

    @property
    def box(self) -> Box:
        """The box around all words."""
        lefts, tops, rights, bottoms = zip(*(word.box for word in self.words), strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    @property
    def height(self) -> float:
        """Median height of a word, in pixels."""
        return median(word.box[3] - word.box[1] for word in self.words)

    @property
    def letters(self) -> int:
        """How many letters and digits there are."""
        return sum(map(str.isalnum, "".join(word.text for word in self.words)))

    @property
    def confidence(self) -> float:
        """Mean confidence, longer words counting more."""
        weights = [len(word.text) for word in self.words]
        return sum(word.confidence * weight for word, weight in zip(self.words, weights, strict=True)) / sum(weights)


class Tesseract:
    """A loaded reader for some languages. Use it through `loaded`."""

    def __init__(self, reader: Any, orienter: Any) -> None:
        self._reader = reader
        self._orienter = orienter

    def orientation(self, ink: Ink) -> int | None:
        """Degrees clockwise that the text is turned, or none where there is too little of it to tell."""
        self._orienter.SetImageBytes(bytes(ink.pixels), ink.width, ink.height, 1, ink.width)
        self._orienter.SetSourceResolution(_ANY_DPI)
        found: dict[str, Any] | None = self._orienter.DetectOrientationScript()
        if found is None or found["orient_conf"] < _SURE:
            return None
        return int(found["orient_deg"]) % 360

    def lines(self, ink: Ink, *, dpi: int, timeout_ms: int, is_sparse: bool = False) -> list[Line] | None:
        """Lines in reading order (scattered text in no order with `is_sparse`); none when the time ran out."""
        self._reader.SetPageSegMode(_SPARSE if is_sparse else _AUTO)
        self._reader.SetImageBytes(bytes(ink.pixels), ink.width, ink.height, 1, ink.width)
        self._reader.SetSourceResolution(dpi)
        if not self._reader.Recognize(max(timeout_ms, 1)):
            return None
        found = self._reader.GetIterator()
        return [] if found is None else list(_lines(found))


_ANY_DPI = 150
_SURE = 1.5
"""Confidence of an orientation from which on it is worth trying; two short lines give about 2.5."""


@contextmanager
def loaded(models: dict[str, str], languages: list[str]) -> Generator[Tesseract]:
    """Load the models (a path each, by language, `osd` for orientation). `EngineFailed` when one is damaged."""
    with ExitStack() as stack:
        reader = stack.enter_context(_api([models[language] for language in languages], mode=_AUTO))
        orienter = stack.enter_context(_api([models["osd"]], mode=_ORIENTATION_ONLY))
        # ink is always dark here, so a second try at every doubtful word with black and white swapped is wasted
        reader.SetVariable("tessedit_do_invert", "0")
        yield Tesseract(reader, orienter)


def _api(paths: list[str], *, mode: Any) -> Any:
    # tesseract puts its folder before a name and `.traineddata` after it: with `/` as the folder, names are whole
    # paths, and languages may come from different folders
    names = [path.removeprefix("/").removesuffix(".traineddata") for path in paths]
    api: Any = tesserocr.PyTessBaseAPI(init=False)
    # it would open /dev/null for its remarks, which a bounded child may not, and write to what it could not open
    api.SetVariable("debug_file", "")
    try:
        api.InitFull(path="/", lang="+".join(names), oem=_LSTM if mode is _AUTO else tesserocr.OEM.DEFAULT, psm=mode)
    except RuntimeError as exc:
        raise EngineFailed("a language model cannot be loaded", reason="model_unusable") from exc
    return api


def _lines(found: Any) -> Iterator[Line]:
    words: list[Word] = []
    block = paragraph = -1
    turned = 0
    while True:
        if found.IsAtBeginningOf(_BLOCK):
            block, paragraph, turned = block + 1, -1, _turned(found)
        paragraph += int(found.IsAtBeginningOf(_PARAGRAPH))
        word = _word(found)
        words += [] if word is None else [word]
        is_last = not found.Next(_WORD)
        if words and (is_last or found.IsAtBeginningOf(_LINE)):
            yield Line(tuple(words), max(block, 0), max(paragraph, 0), turned)
            words = []
        if is_last:
            return


def _turned(found: Any) -> int:
    """Degrees clockwise that a block's text is turned; one that runs from top to bottom lies on its right side."""
    orientation, direction, _, _ = found.Orientation()
    return 90 * (int(orientation) + int(direction == tesserocr.WritingDirection.TOP_TO_BOTTOM)) % 360


_SURE_SIGN = 60
"""Confidence below which a word of signs alone is a speck or the edge of a box."""


def _word(found: Any) -> Word | None:
    box: tuple[int, int, int, int] | None = found.BoundingBox(_WORD)
    if box is None or found.Empty(_WORD):
        return None
    try:
        text = str(found.GetUTF8Text(_WORD)).strip()
    except RuntimeError:  # what was taken for a picture has no text
        return None
    confidence = float(found.Confidence(_WORD))
    is_speck = confidence < _SURE_SIGN and not any(map(str.isalnum, text))
    return Word(text, box, confidence) if text and not is_speck else None
