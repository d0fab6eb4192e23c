"""Which engine takes which media type: a table, so that nothing asks a class name.

An engine is a module whose jobs run in the bounded child. Every engine has

- `admit(reader, params, out)`: probe and full decode. `params`: `media_type`, `max_pixels`, `max_frames`, `max_pages`,
  `max_text_bytes`,
  `max_duration_ms`. Returns `{"outcome", "reason", "decoder", "probe"}`; `probe` is the plain form of `model.Probe`.
- `render(reader, params, out)`, where the family has pictures. `params`: `media_type` and `plan`, the plain form of
  `model.RenditionPlan`. Adds one encoded picture to `out` and returns `{"media_type", "size", "transforms", "scale"}`
  in the plain forms of `model.manifest`.
- `read_readable(reader, params, out)`, where the bytes are no text and say something: see `media.readable`.
- `take_enclosures(reader, params, out)`, of mails: see `media.mail`.
- `render_each(reader, params, out)`, where the table says so: several `plans` in one job. Returns `{"made": [...]}`:
  for each plan what `render` returns or none; adds one picture for each that was made.

Names and versions of the libraries that decide an engine's output enter the keys of what it makes.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pyexpat import EXPAT_VERSION

from eyeline.media.fonts import fonts_version
from eyeline.model.media_type import Family, MediaType

ENGINE_REVISION = "1"
_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Engine:
    """One adapter: its module below `eyeline.media`, and the distributions whose versions name its output.

    `draws_text`: our fonts decide its output, too. `words`: the job that admits what can be read though it cannot be
    drawn, as the probe of a text without a size; none where a picture is all there is. `renders_each`: it draws several
    plans in one job. `extra`: what to install it with, where it does not come with Eyeline; then the first of its
    distributions says whether it is there. `is_slow`: looking at the whole may take as long as a recording needs.
    `parses_here`: what the interpreter brings for archives, markup and headers decides its output, too.
    """

    module: str
    distributions: tuple[str, ...]
    renders: bool
    draws_text: bool = False
    words: str | None = None
    renders_each: bool = False
    extra: str | None = None
    is_slow: bool = False
    parses_here: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether what it needs is there."""
        return self.extra is None or _version(self.distributions[0]) != _ABSENT

    def job(self, function: str) -> str:
        """Name of one of its jobs, as the bounded pool takes it."""
        return f"eyeline.media.{self.module}:{function}"

    def versions(self) -> dict[str, str]:
        """Names and versions that enter the keys of what this engine makes."""
        fonts = {"eyeline.fonts": fonts_version()} if self.draws_text else {}
        libraries = {name: _version(name) for name in self.distributions}
        parsers = {"python": platform.python_version(), "expat": EXPAT_VERSION} if self.parses_here else {}
        return {"eyeline." + self.module: ENGINE_REVISION, **libraries, **parsers, **fonts}


_PICTURES = Engine("pictures", ("pyvips-binary", "Pillow"), renders=True)
_HEIF = Engine("pictures", ("pi-heif", "pyvips-binary"), renders=True)
_DRAWINGS = Engine("pictures", ("pyvips-binary",), renders=True, draws_text=True, words="eyeline.media.svg:admit_words")
_PDF = Engine("pdf", ("pypdfium2", "pyvips-binary"), renders=True, renders_each=True)
_RECORDINGS = Engine(
    "recordings", ("av", "pyvips-binary", "Pillow"), renders=True, renders_each=True, extra="av", is_slow=True
)
_TEXT = Engine("text", (), renders=False)
_MARKUP = Engine("markup", ("selectolax",), renders=False)
_BOOK = Engine("book", ("selectolax",), renders=False, parses_here=True)
_MAIL = Engine("mail", ("selectolax",), renders=False, parses_here=True)
_OUTLOOK = Engine("mail", ("selectolax", "olefile"), renders=False, parses_here=True)
_OFFICE = Engine("office.engine", (), renders=False, parses_here=True)
CARD_ENGINE = Engine("card", (), renders=False, parses_here=True)
"""Says what is known of bytes that nothing else takes; it stands for no media type."""

OCR_ENGINE = Engine("ocr", ("tesserocr", "pyvips-binary", "pypdfium2"), renders=False)
"""Reads visible text of pictures and pages; it admits nothing, so it stands for no media type."""

SPEECH_ENGINE = Engine("speech", ("faster-whisper", "ctranslate2", "onnxruntime"), renders=False, extra="asr")
"""Finds voices in samples and writes down what they say; it stands for no media type either."""

OFFICE_TYPES = (
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/rtf",
    "application/x-ooxml-protected",
)
"""Office documents; the last are those with a password, of which nothing else can be told."""

_BY_TYPE: dict[str, Engine] = {
    "image/png": _PICTURES,
    "image/jpeg": _PICTURES,
    "image/webp": _PICTURES,
    "image/gif": _PICTURES,
    "image/tiff": _PICTURES,
    "image/bmp": _PICTURES,
    "image/vnd.microsoft.icon": _PICTURES,
    "image/heic": _HEIF,
    "image/heif": _HEIF,
    "image/avif": _PICTURES,
    "image/jp2": _PICTURES,
    "image/svg+xml": _DRAWINGS,
    "application/pdf": _PDF,
    "text/html": _MARKUP,
    "application/xml": _MARKUP,
    "application/x-ipynb+json": _MARKUP,
    "message/rfc822": _MAIL,
    "application/vnd.ms-outlook": _OUTLOOK,
    "application/epub+zip": _BOOK,
    **dict.fromkeys(OFFICE_TYPES, _OFFICE),
}
_BY_FAMILY: dict[Family, Engine] = {Family.TEXT: _TEXT, Family.AUDIO: _RECORDINGS, Family.VIDEO: _RECORDINGS}


def media_types() -> tuple[str, ...]:
    """Every media type that has an engine of its own; other texts share one, and recordings another."""
    return tuple(_BY_TYPE)


def engine_for(media_type: MediaType) -> Engine | None:
    """The engine that takes a media type; none where nothing does, or where it is not installed."""
    engine = _engine(media_type)
    return engine if engine is not None and engine.is_installed else None


def missing_extra(media_type: MediaType) -> str | None:
    """The extra that would bring an engine for a media type, where only that is missing."""
    engine = _engine(media_type)
    return None if engine is None or engine.is_installed else engine.extra


def _engine(media_type: MediaType) -> Engine | None:
    return _BY_TYPE.get(media_type.name) or _BY_FAMILY.get(media_type.family)


@lru_cache(maxsize=64)
def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return _ABSENT
