"""The PDF engine: jobs that admit a PDF, draw a page or a part of one, read its text, and read its outline and links.

Positions and sizes on a page are points of its upright crop box, origin top left; pages count from 1.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eyeline.errors import CorruptMedia, LocatorOutOfRange, MediaError
from eyeline.media.pdf_document import ENGINE, OpenPage, OpenPdf, has_end, has_junk, raw
from eyeline.media.pdf_hidden import find_hidden
from eyeline.media.pdf_outline import read_entries, read_links
from eyeline.media.pdf_render import PageRendering
from eyeline.media.pdf_text import read_lines, text_of
from eyeline.media.pictures import plan_from
from eyeline.model.document import AdmissionOutcome
from eyeline.model.media_type import MediaType
from eyeline.model.probe import PageSize, Probe

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

MAX_LOADED_PAGES = 2_000
MAX_LOADING_S = 20.0
MAX_VALUE_BYTES = 8 << 20
UNREADABLE = "unreadable_page"
FALLBACK_SIZE = (612.0, 792.0)


def admit(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Open the PDF and load its pages; see `media.engines` for the contract. `params`: `media_type`, `max_pages`.

    Notes: `has_javascript`, `has_embedded_files`, `has_form`, `owner_password` (it opens, with restrictions),
    `junk_before_header`, `no_end_mark`, `unreadable_pages` (some cannot be loaded; their size is that of the page
    before), `pages_not_all_loaded` (only the first 2000, or those of the first 20 seconds, were loaded).
    """
    try:
        with OpenPdf(reader) as pdf:
            return _admitted(pdf, reader, params)
    except MediaError as exc:
        outcome = exc.detail.get("outcome", AdmissionOutcome.MALFORMED.value)
        return {"outcome": outcome, "reason": exc.message, "decoder": ENGINE, "probe": None}


def render(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Draw one page, or a part of it, by a plan; see `media.engines` for the contract. `params`: `plan`.

    The crop is in thousandths of a point. Only the page asked for is loaded (`pages_loaded` says so), and only the part
    asked for is drawn, at the size that is delivered: no page is too large. Raises `LocatorOutOfRange`, `CorruptMedia`
    (also for a single page, with the reason `unreadable_page`), `EncryptedMedia`, `MediaTooLarge` when nothing fits
    into the plan's bytes, and `UnsupportedMedia` when none of its types can be written.
    """
    with OpenPdf(reader, draws_forms=True) as pdf:
        return {**_render(pdf, params["plan"], out), "pages_loaded": pdf.pages_loaded}


def render_each(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Draw several pages, or parts, in one go: as `render` for each of `plans`.

    Returns `{"made": [...]}`, in the order of the plans: what `render` returns, or none where it would raise, with one
    output for each that was made.
    """
    with OpenPdf(reader, draws_forms=True) as pdf:
        return {"made": [_rendered_if_possible(pdf, plan, out) for plan in params["plans"]]}


def _rendered_if_possible(pdf: OpenPdf, plan: Any, out: Output) -> dict[str, Any] | None:
    try:
        return _render(pdf, plan, out)
    except MediaError:
        # The others are drawn; whoever wants to know why this one cannot be asks for it alone.
        return None


def _render(pdf: OpenPdf, planned: Any, out: Output) -> dict[str, Any]:
    plan = plan_from(planned)
    with pdf.page(plan.page or 1) as page:
        rendering = PageRendering(page, plan, page_count=pdf.page_count)
        encoded = rendering.run()
        pdf.raise_own_failure()
    out.add(encoded.data)
    return rendering.report(encoded)


def read_text(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Text of the pages `first` to `last`, both included.

    Returns `{"pages": [...], "next": page or None, "pages_loaded": n}`; `next` is the first page that did not fit into
    one answer. A page is `page`, `width_pt`, `height_pt`, `text` (lines joined by `\\n`), `lines` (`start` and `end` in
    code points of `text`, `box` [x, y, w, h]), `text_layer` (`usable`, `absent`, `unusable`), `hidden_chars`,
    `scan_chars`, `picture_share` and `chars_left_out`; see `media.pdf_text` and `media.pdf_hidden`. A page that cannot
    be read is `{"page": n, "error": "unreadable_page"}`. Raises `LocatorOutOfRange`, `CorruptMedia`, `EncryptedMedia`.
    """
    first, last = int(params["first"]), int(params["last"])
    with OpenPdf(reader) as pdf:
        count = pdf.page_count
        if not 1 <= first <= last <= count:
            raise LocatorOutOfRange(
                f"pages {first} to {last} of {count}", hint=f"pages run from 1 to {count}", pages=count
            )
        pages: list[dict[str, Any]] = []
        left = MAX_VALUE_BYTES
        for number in range(first, last + 1):
            if left <= 0:
                return {"pages": pages, "next": number, "pages_loaded": pdf.pages_loaded}
            page = _text_of_page(pdf, number)
            left -= 200 + 6 * len(page.get("text", "")) + 70 * len(page.get("lines", ()))
            pages.append(page)
        return {"pages": pages, "next": None, "pages_loaded": pdf.pages_loaded}


def read_outline(reader: Reader, _params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Outline and links: `{"outline": [...], "links": [...], "links_total": n, "link_pages": n}`.

    See `media.pdf_outline` for the entries and the bounds. Raises `CorruptMedia` or `EncryptedMedia`.
    """
    with OpenPdf(reader) as pdf:
        return {"outline": read_entries(pdf), **read_links(pdf)}


def _admitted(pdf: OpenPdf, reader: Reader, params: dict[str, Any]) -> dict[str, Any]:
    count, allowed = pdf.page_count, int(params["max_pages"])
    if count > allowed:
        reason = f"{count} pages, at most {allowed} are taken"
        return {"outcome": AdmissionOutcome.OVER_PAGES.value, "reason": reason, "decoder": ENGINE, "probe": None}
    sizes, notes = _load(pdf)
    pdf.raise_own_failure()
    if not any(sizes):
        raise CorruptMedia(f"none of {count} pages can be loaded" if count else "the PDF has no pages")
    probe = Probe(
        media_type=MediaType(str(params["media_type"])),
        pages=tuple(_runs(sizes)),
        notes=(*notes, *_oddities(pdf, reader)),
    )
    plain = {**asdict(probe), "media_type": str(probe.media_type)}
    return {"outcome": AdmissionOutcome.ADMITTED.value, "reason": None, "decoder": ENGINE, "probe": plain}


def _load(pdf: OpenPdf) -> tuple[list[tuple[float, float] | None], list[str]]:
    """Sizes of all pages, none for one that cannot be loaded, and notes."""
    sizes: list[tuple[float, float] | None] = []
    start = time.process_time()
    for number in range(1, pdf.page_count + 1):
        if pdf.pages_loaded < MAX_LOADED_PAGES and time.process_time() - start < MAX_LOADING_S:
            sizes.append(_loaded_size(pdf, number))
        else:
            sizes.append(pdf.listed_size(number))
    notes = ["unreadable_pages"] * (None in sizes)
    notes += ["pages_not_all_loaded"] * (pdf.pages_loaded < sum(size is not None for size in sizes))
    return sizes, notes


def _loaded_size(pdf: OpenPdf, number: int) -> tuple[float, float] | None:
    try:
        with pdf.page(number) as page:
            return page.frame.width_pt, page.frame.height_pt
    except CorruptMedia:
        # One page that is lost is a note of the document, not its end.
        return None


def _runs(sizes: list[tuple[float, float] | None]) -> Iterator[PageSize]:
    """Runs of pages of one size, in thousandths of a point."""
    known = next((size for size in sizes if size), FALLBACK_SIZE)
    count = 0
    for size in (*sizes, None):
        rounded = known if size is None else (round(size[0], 3), round(size[1], 3))
        if count and rounded != known:
            yield PageSize(count, *known)
            count = 0
        known = rounded
        count += 1
    yield PageSize(count - 1, *known)


def _oddities(pdf: OpenPdf, reader: Reader) -> Iterator[str]:
    if raw.FPDFDoc_GetJavaScriptActionCount(pdf.handle) > 0:
        yield "has_javascript"
    if raw.FPDFDoc_GetAttachmentCount(pdf.handle) > 0:
        yield "has_embedded_files"
    if pdf.form_type:
        yield "has_form"
    if raw.FPDF_GetSecurityHandlerRevision(pdf.handle) > 0:
        yield "owner_password"
    if has_junk(reader):
        yield "junk_before_header"
    if not has_end(reader):
        yield "no_end_mark"


def _text_of_page(pdf: OpenPdf, number: int) -> dict[str, Any]:
    try:
        if pdf.form_type:
            _flatten(pdf, number)
        with pdf.page(number) as page, text_of(page) as handle:
            return _read_page(page, handle)
    except CorruptMedia:
        # A page that cannot be read is told in its place; the others go on.
        return {"page": number, "error": UNREADABLE}


def _flatten(pdf: OpenPdf, number: int) -> None:
    """Make what is filled into a form part of the page, in memory only, so that its text is read as it is shown."""
    with pdf.page(number) as page:
        raw.FPDFPage_Flatten(page.handle, raw.FLAT_NORMALDISPLAY)


def _read_page(page: OpenPage, handle: Any) -> dict[str, Any]:
    read, hidden = read_lines(page, handle), find_hidden(page, handle)
    return {
        "page": page.number,
        "width_pt": round(page.frame.width_pt, 3),
        "height_pt": round(page.frame.height_pt, 3),
        "text": read.text,
        "lines": [{"start": start, "end": end, "box": box} for start, end, box in read.lines],
        "text_layer": read.text_layer,
        "chars_left_out": read.chars_left_out,
        **asdict(hidden),
    }
