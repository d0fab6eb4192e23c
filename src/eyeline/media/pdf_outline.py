"""Outline and links of a PDF, bounded in number, depth and length; a circle in the file ends where it closes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from eyeline.errors import CorruptMedia
from eyeline.media.pdf_document import OpenPage, OpenPdf, raw

MAX_ENTRIES = 5_000
MAX_DEPTH = 16
MAX_LINKS = 10_000
MAX_LINK_PAGES = 2_000
MAX_TITLE_CHARS = 500
MAX_URI_BYTES = 2_000

_ACTION_URI = 3


def read_entries(pdf: OpenPdf) -> list[dict[str, Any]]:
    """The outline in reading order: `title`, `page` (from 1, or none), `level` (from 0)."""
    entries: list[dict[str, Any]] = []
    seen: set[int] = set()
    waiting: list[tuple[Any, int]] = [(raw.FPDFBookmark_GetFirstChild(pdf.handle, None), 0)]
    while waiting and len(entries) < MAX_ENTRIES:
        entry, level = waiting.pop()
        address = ctypes.cast(entry, ctypes.c_void_p).value
        if address is None or address in seen:
            continue
        seen.add(address)
        entries.append({"title": _title(entry), "page": _page_of_entry(pdf, entry), "level": level})
        waiting.append((raw.FPDFBookmark_GetNextSibling(pdf.handle, entry), level))
        if level + 1 < MAX_DEPTH:
            waiting.append((raw.FPDFBookmark_GetFirstChild(pdf.handle, entry), level + 1))
    return entries


def read_links(pdf: OpenPdf) -> dict[str, Any]:
    """Links of the first pages: `page`, `box` in upright points, and `uri` or `to_page`.

    `links_total` counts all links of the pages looked at, `link_pages` says how many those are.
    """
    links: list[dict[str, Any]] = []
    total = 0
    pages = min(pdf.page_count, MAX_LINK_PAGES)
    for number in range(1, pages + 1):
        try:
            with pdf.page(number) as page:
                for link in _links_of(pdf, page):
                    total += 1
                    if len(links) < MAX_LINKS:
                        links.append(link)
        except CorruptMedia:
            # A page that cannot be loaded has no links to tell; reading its text says that it is damaged.
            continue
    return {"links": links, "links_total": total, "link_pages": pages}


def _links_of(pdf: OpenPdf, page: OpenPage) -> Iterator[dict[str, Any]]:
    position = ctypes.c_int(0)
    handle = raw.FPDF_LINK()
    box = raw.FS_RECTF()
    while raw.FPDFLink_Enumerate(page.handle, ctypes.byref(position), ctypes.byref(handle)):
        target = _target(pdf, handle)
        if target and raw.FPDFLink_GetAnnotRect(handle, ctypes.byref(box)):
            left, right = sorted((float(box.left), float(box.right)))
            bottom, top = sorted((float(box.bottom), float(box.top)))
            yield {"page": page.number, "box": page.frame.cut((left, bottom, right, top)), **target}


def _target(pdf: OpenPdf, link: Any) -> dict[str, Any]:
    """Where a link leads, as `uri` or `to_page`; empty for scripts, other files and damaged links."""
    destination = raw.FPDFLink_GetDest(pdf.handle, link)
    if not destination:
        action = raw.FPDFLink_GetAction(link)
        if action and int(raw.FPDFAction_GetType(action)) == _ACTION_URI:
            uri = _uri(pdf, action)
            return {"uri": uri} if uri else {}
        destination = raw.FPDFAction_GetDest(pdf.handle, action) if action else None
    page = _page_of(pdf, destination)
    return {} if page is None else {"to_page": page}


def _uri(pdf: OpenPdf, action: Any) -> str:
    length = int(raw.FPDFAction_GetURIPath(pdf.handle, action, None, 0))
    if not 1 < length <= MAX_URI_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFAction_GetURIPath(pdf.handle, action, buffer, length)
    return _shown(buffer.value.decode("utf-8", "replace"))


def _title(entry: Any) -> str:
    length = int(raw.FPDFBookmark_GetTitle(entry, None, 0))
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFBookmark_GetTitle(entry, buffer, length)
    text = buffer.raw.decode("utf-16-le", "replace").rstrip("\0")
    return _shown(" ".join(text.split()))[:MAX_TITLE_CHARS]


def _shown(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _page_of_entry(pdf: OpenPdf, entry: Any) -> int | None:
    destination = raw.FPDFBookmark_GetDest(pdf.handle, entry)
    if not destination:
        action = raw.FPDFBookmark_GetAction(entry)
        destination = raw.FPDFAction_GetDest(pdf.handle, action) if action else None
    return _page_of(pdf, destination)


def _page_of(pdf: OpenPdf, destination: Any) -> int | None:
    if not destination:
        return None
    index = int(raw.FPDFDest_GetDestPageIndex(pdf.handle, destination))
    return index + 1 if 0 <= index < pdf.page_count else None
