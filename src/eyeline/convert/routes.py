"""Which converter reads which media type: a table. A type without a route is refused at the gate."""

from __future__ import annotations

from eyeline.convert.converting import Converter
from eyeline.convert.image import ImageConverter
from eyeline.convert.markup import MarkupConverter
from eyeline.convert.office import OfficeConverter
from eyeline.convert.pdf import PdfConverter
from eyeline.convert.readable import ReadableConverter
from eyeline.convert.recording import RecordingConverter
from eyeline.convert.text import TextConverter
from eyeline.media.engines import CARD_ENGINE, engine_for
from eyeline.model.media_type import Family, MediaType

_IMAGE, _PDF, _TEXT = ImageConverter(), PdfConverter(), TextConverter()
_BY_TYPE: dict[str, Converter] = {
    "application/pdf": _PDF,
    "text/html": MarkupConverter("html/1", "markdown"),
    "application/xml": MarkupConverter("xml/1", "text"),
    "application/x-ipynb+json": MarkupConverter("notebook/1", "markdown"),
    "message/rfc822": ReadableConverter("mail/1"),
    "application/vnd.ms-outlook": ReadableConverter("mail/1"),
    "application/epub+zip": ReadableConverter("book/1"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": OfficeConverter("docx/1"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": OfficeConverter("pptx/1"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": OfficeConverter("xlsx/1", has_pages=False),
    "application/vnd.oasis.opendocument.text": OfficeConverter("odt/1"),
    "application/vnd.oasis.opendocument.presentation": OfficeConverter("odp/1"),
    "application/vnd.oasis.opendocument.spreadsheet": OfficeConverter("ods/1", has_pages=False),
    "application/rtf": OfficeConverter("rtf/1"),
    "application/x-ooxml-protected": OfficeConverter("ooxml-protected/1", has_pages=False),
}
_BY_FAMILY: dict[Family, Converter] = {
    Family.IMAGE: _IMAGE,
    Family.TEXT: _TEXT,
    Family.AUDIO: RecordingConverter("audio/1"),
    Family.VIDEO: RecordingConverter("video/1"),
}


_CARD = ReadableConverter("card/1", CARD_ENGINE)
CARD_ROUTE = _CARD.route
"""The route of what has none and is kept: it says what is known of it."""


def converter_for(media_type: MediaType) -> Converter:
    """The converter of a media type that is kept; one that has no route of its own gets a card."""
    return _reading(media_type) or _CARD


def route_of(media_type: MediaType) -> str | None:
    """Name and version of the route of a media type, or none where nothing reads it."""
    converter = _reading(media_type)
    return None if converter is None else converter.route


def _reading(media_type: MediaType) -> Converter | None:
    if engine_for(media_type) is None:
        return None
    return _BY_TYPE.get(media_type.name) or _BY_FAMILY.get(media_type.family)
