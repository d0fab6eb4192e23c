"""The engine of HTML, XML and notebooks: jobs that admit one and read it as blocks.

How each is read is told in `media.markup_html`, `media.markup_xml` and `media.markup_notebook`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eyeline.errors import UnsupportedMedia
from eyeline.media import text as text_engine
from eyeline.media.markup_blocks import BlockWriter
from eyeline.media.markup_html import read_html
from eyeline.media.markup_notebook import read_notebook
from eyeline.media.markup_pictures import Pictures
from eyeline.media.markup_xml import read_xml
from eyeline.media.text_decode import pieces, survey

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

MAX_SOURCE_CHARS = 48 << 20
MAX_CHARS = 4_000_000

Read = Callable[[str, BlockWriter, Pictures], dict[str, Any]]

_OVERLAP = 512
_SIGNS = {
    "has_scripts": re.compile(r"<script[\s>/]|<[a-z][^<>]{0,400}\son[a-z]{3,20}\s*=|javascript:", re.IGNORECASE),
    "embedded_pictures": re.compile(r"data:image/|\"image/(?:png|jpeg|gif|webp)\"\s*:", re.IGNORECASE),
    "declares_entities": re.compile(r"<!ENTITY\s"),
}


def admit(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Decode the whole text once, as the text engine does; see `media.engines` for the contract.

    Notes beside those of the text engine: `has_scripts`, `embedded_pictures`, `declares_entities`.
    """
    answer = text_engine.admit(reader, params, out)
    if answer["probe"] is not None:
        answer["probe"]["notes"] += tuple(_signs(reader, str(answer["probe"]["encoding"])))
    return answer


def read_blocks(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add the readable text, its blocks (see `media.markup_blocks`) and the embedded pictures to `out`, in this order.

    `params`: `media_type`; `max_chars` of readable text; `encoding` as the probe has it, found anew when absent.
    Returns `end` (how far the source was read, in code points) and `is_complete`; `is_well_formed`; `cells` (kinds, of
    notebooks; a cell is a section) and `total_cells`; `unseen` characters by what holds them; `invisible` characters
    that were dropped; `outside` addresses that were not fetched; `references` left as written; `cut` values or outputs
    shown in part; `pictures` (path, media type, place), `pictures_found` and `pictures_left_out`.
    Raises `CorruptMedia` for what cannot be read as its type, `UnsupportedMedia` for another type.
    """
    read = _READ.get(str(params["media_type"]))
    if read is None:
        raise UnsupportedMedia(f"{params['media_type']!r} is no markup that is read here")
    text, is_whole = _source(reader, params)
    writer, pictures = BlockWriter(int(params.get("max_chars", MAX_CHARS))), Pictures()
    found = {**_NOTHING, **read(text, writer, pictures)}
    for output in (*writer.outputs(), *(kept.bytes for kept in pictures.kept)):
        out.add(output)
    return {
        **found,
        "is_complete": is_whole and not writer.is_full and found["end"] >= len(text),
        "invisible": writer.unseen,
        "pictures": [[kept.path, str(kept.media_type), *kept.place] for kept in pictures.kept],
        "pictures_found": pictures.found,
        "pictures_left_out": pictures.left_out,
    }


def _signs(reader: Reader, encoding: str) -> list[str]:
    found: set[str] = set()
    tail = ""
    for piece in pieces(reader, encoding):
        window = tail + piece
        found |= {name for name, sign in _SIGNS.items() if name not in found and sign.search(window)}
        tail = window[-_OVERLAP:]
    return sorted(found)


def _source(reader: Reader, params: dict[str, Any]) -> tuple[str, bool]:
    """The decoded source up to the bound, and whether that is all of it."""
    encoding = str(params["encoding"]) if "encoding" in params else survey(reader).encoding
    parts: list[str] = []
    chars = 0
    for piece in pieces(reader, encoding):
        parts.append(piece[: MAX_SOURCE_CHARS - chars])
        chars += len(piece)
        if chars > MAX_SOURCE_CHARS:
            return "".join(parts), False
    return "".join(parts), True


_NOTHING: dict[str, Any] = {
    "is_well_formed": True,
    "cells": [],
    "total_cells": 0,
    "unseen": {},
    "outside": 0,
    "references": 0,
    "cut": 0,
}


def _html(text: str, writer: BlockWriter, pictures: Pictures) -> dict[str, Any]:
    found = read_html(text, writer=writer, pictures=pictures)
    return {"end": found.end, "unseen": found.unseen, "outside": found.outside}


def _xml(text: str, writer: BlockWriter, pictures: Pictures) -> dict[str, Any]:
    found = read_xml(text, writer=writer, pictures=pictures)
    return {
        "end": found.end,
        "is_well_formed": found.is_well_formed,
        "unseen": found.unseen,
        "references": found.references,
        "cut": found.cut,
    }


def _notebook(text: str, writer: BlockWriter, pictures: Pictures) -> dict[str, Any]:
    found = read_notebook(text, writer=writer, pictures=pictures)
    return {
        "end": found.end,
        "cells": found.cells,
        "total_cells": found.total,
        "unseen": dict(found.unseen),
        "outside": found.outside,
        "cut": found.cut,
    }


_READ: dict[str, Read] = {
    "text/html": _html,
    "application/xml": _xml,
    "application/x-ipynb+json": _notebook,
}
