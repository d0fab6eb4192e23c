"""An open PDF: handles that close in order, faults as our errors, and the upright frame of a page.

Points are units of the page's own space: 1/72 inch unless the page sets a larger user unit, which pdfium does not tell.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import pypdfium2.raw as untyped_raw
import pypdfium2.version as untyped_version

from eyeline.errors import CorruptMedia, EncryptedMedia, EyelineError, LocatorOutOfRange, MediaError
from eyeline.model.document import AdmissionOutcome

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

raw: Any = untyped_raw
_version: Any = untyped_version
PageBox = tuple[float, float, float, float]
"""Left, bottom, right and top in a page's own space."""
HEAD_BYTES = 1024
TAIL_BYTES = 2048
ENGINE = f"pdfium {_version.PDFIUM_INFO.tag}"


class OpenPdf:
    """A PDF opened over the reader of a job; parts are read where pdfium needs them, pages when they are asked for.

    `pages_loaded` counts the pages that were parsed. Raises `EncryptedMedia` or `CorruptMedia`, with the admission
    outcome in the detail `outcome`.
    """

    def __init__(self, reader: Reader, *, draws_forms: bool = False) -> None:
        self.pages_loaded = 0
        self._feed = _Feed(reader)
        self._handle: Any = raw.FPDF_LoadCustomDocument(ctypes.byref(self._feed.access), None)
        if not self._handle:
            reason = int(raw.FPDF_GetLastError())
            self._feed.raise_own_failure()
            raise _refusal(reason, reader)
        self._forms = _Forms(self._handle) if draws_forms and self.form_type else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._forms is not None:
            self._forms.close()
        raw.FPDF_CloseDocument(self._handle)

    @property
    def handle(self) -> Any:
        """The document for calls of pdfium."""
        return self._handle

    @property
    def page_count(self) -> int:
        """How many pages the document says it has."""
        return max(int(raw.FPDF_GetPageCount(self._handle)), 0)

    @property
    def form_type(self) -> int:
        """0 without a form, else a `FORMTYPE_` number of pdfium."""
        return int(raw.FPDF_GetFormType(self._handle))

    def listed_size(self, number: int) -> tuple[float, float] | None:
        """Upright width and height of a page in points without parsing it; none when the page is damaged."""
        size = raw.FS_SIZEF()
        if not raw.FPDF_GetPageSizeByIndexF(self._handle, number - 1, ctypes.byref(size)):
            return None
        return (float(size.width), float(size.height)) if size.width > 0 and size.height > 0 else None

    @contextmanager
    def page(self, number: int) -> Generator[OpenPage]:
        """Load a page (from 1). Raises `LocatorOutOfRange`, or `CorruptMedia` when this page cannot be loaded."""
        count = self.page_count
        if not 1 <= number <= count:
            raise LocatorOutOfRange(f"page {number} of {count}", hint=f"pages run from 1 to {count}", pages=count)
        handle = raw.FPDF_LoadPage(self._handle, number - 1)
        if not handle:
            self._feed.raise_own_failure()
            raise CorruptMedia(f"page {number} cannot be loaded", reason="unreadable_page", page=number)
        self.pages_loaded += 1
        if self._forms is not None:
            self._forms.open_page(handle)
        try:
            yield OpenPage(number, handle, None if self._forms is None else self._forms.handle, frame_of(handle))
        finally:
            if self._forms is not None:
                self._forms.close_page(handle)
            raw.FPDF_ClosePage(handle)

    def raise_own_failure(self) -> None:
        """Raise what reading the source raised, if that is why pdfium went wrong."""
        self._feed.raise_own_failure()


@dataclass(frozen=True, slots=True)
class Frame:
    """How a page's own space becomes the upright frame: its visible box in points, and its quarter turns clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def width_pt(self) -> float:
        """Width of the upright page in points."""
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height_pt(self) -> float:
        """Height of the upright page in points."""
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def upright(self, box: PageBox) -> tuple[float, float, float, float]:
        """A box of page space as (x, y, w, h) of the upright page, origin top left; it may lie outside."""
        left, bottom, right, top = box
        if self.turns == 0:
            return left - self.left, self.top - top, right - left, top - bottom
        if self.turns == 1:
            return bottom - self.bottom, left - self.left, top - bottom, right - left
        if self.turns == 2:
            return self.right - right, bottom - self.bottom, right - left, top - bottom
        return self.top - top, self.right - right, top - bottom, right - left

    def cut(self, box: PageBox) -> list[float]:
        """A box of page space as [x, y, w, h] of the upright page, cut off at its edges, in hundredths of a point.

        All zero when nothing of it lies on the page.
        """
        left, right = max(box[0], self.left), min(box[2], self.right)
        bottom, top = max(box[1], self.bottom), min(box[3], self.top)
        if left >= right or bottom >= top:
            return [0.0, 0.0, 0.0, 0.0]
        return [round(value, 2) for value in self.upright((left, bottom, right, top))]


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A loaded page: number from 1, handle, the handle of the form it is drawn with, and its frame."""

    number: int
    handle: Any
    forms: Any | None
    frame: Frame


def frame_of(page: Any) -> Frame:
    """The frame of a loaded page."""
    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
    turns = int(raw.FPDFPage_GetRotation(page)) % 4
    return Frame(float(box.left), float(box.bottom), float(box.right), float(box.top), turns)


class _Feed:
    """The callback that gives pdfium bytes. It keeps what reading raises: an exception cannot pass through C."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._failure: OSError | EyelineError | None = None
        self.access: Any = raw.FPDF_FILEACCESS()
        self.access.m_FileLen = reader.seek(0, 2)
        self.access.m_GetBlock = type(self.access.m_GetBlock)(self._read)

    def _read(self, _param: object, offset: int, target: Any, length: int) -> int:
        try:
            self._reader.seek(offset)
            view = (ctypes.c_ubyte * length).from_address(ctypes.addressof(target.contents))
            return int(self._reader.readinto(view) == length)
        except (OSError, EyelineError) as exc:
            self._failure = exc
            return 0

    def raise_own_failure(self) -> None:
        """Raise what reading the source raised."""
        if self._failure is not None:
            raise self._failure


class _Forms:
    """Form fields of a document, so that they are drawn. No script runs: this pdfium has none."""

    def __init__(self, document: Any) -> None:
        self._facts: Any = raw.FPDF_FORMFILLINFO(version=2)
        self.handle: Any = raw.FPDFDOC_InitFormFillEnvironment(document, ctypes.byref(self._facts))

    def open_page(self, page: Any) -> None:
        raw.FORM_OnAfterLoadPage(page, self.handle)

    def close_page(self, page: Any) -> None:
        raw.FORM_OnBeforeClosePage(page, self.handle)

    def close(self) -> None:
        raw.FPDFDOC_ExitFormFillEnvironment(self.handle)


def _refusal(reason: int, reader: Reader) -> MediaError:
    """The one table from what pdfium answers when a document does not open to our errors."""
    if reason == raw.FPDF_ERR_PASSWORD:
        return EncryptedMedia("the PDF needs its user password", outcome=AdmissionOutcome.ENCRYPTED.value)
    if reason == raw.FPDF_ERR_SECURITY:
        text = "the PDF is encrypted in a way that pdfium does not know"
        return EncryptedMedia(text, outcome=AdmissionOutcome.ENCRYPTED.value)
    if not has_header(reader):
        return CorruptMedia("the bytes are not a PDF: no header", outcome=AdmissionOutcome.MALFORMED.value)
    if not has_end(reader):
        text = "the PDF is cut short: its end, with the table of its parts, is missing"
        return CorruptMedia(text, outcome=AdmissionOutcome.TRUNCATED.value)
    return CorruptMedia("the PDF is damaged: its parts cannot be found", outcome=AdmissionOutcome.MALFORMED.value)


def has_header(reader: Reader) -> bool:
    """Whether the header stands within the first 1024 bytes, where readers look for it."""
    reader.seek(0)
    return b"%PDF-" in reader.read(HEAD_BYTES)


def has_junk(reader: Reader) -> bool:
    """Whether something stands before the header."""
    reader.seek(0)
    return not reader.read(HEAD_BYTES).startswith(b"%PDF-")


def has_end(reader: Reader) -> bool:
    """Whether the end mark stands within the last 2048 bytes."""
    size = reader.seek(0, 2)
    reader.seek(max(size - TAIL_BYTES, 0))
    return b"%%EOF" in reader.read(TAIL_BYTES)
