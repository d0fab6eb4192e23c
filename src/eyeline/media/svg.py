"""Jobs that read a drawing as words: where it is drawn, beside its picture, and where it cannot be, in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.media.containers.svg import read_drawing
from eyeline.media.containers.view import ByteView
from eyeline.model.media_type import MediaType
from eyeline.model.plain_text import plain_line

if TYPE_CHECKING:
    from eyeline.media.containers.view import Reader

_MAX_LINE_CHARS = 20_000
_DECODER = "expat"


def admit_words(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: a probe without a size, of a drawing that can be read but not drawn. Raises as `read_words`."""
    del out
    read_drawing(ByteView(reader))
    media_type = MediaType.parse(params["media_type"])
    probe = {"media_type": str(media_type), "is_drawing": True, "has_alpha": True, "notes": ["not_drawn"]}
    return {"outcome": "admitted", "reason": None, "decoder": _DECODER, "probe": probe}


def read_words(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: the words of a drawing in the order of the file, `{"words": [[kind, text]], "outside", "pictures"}`.

    Kinds are `title`, `description` and `text`. Raises `CorruptMedia`, `UnsupportedMedia` and `MediaTooLarge`.
    """
    del params, out
    drawing = read_drawing(ByteView(reader))
    words = [[each.kind, plain_line(each.text, max_chars=_MAX_LINE_CHARS)] for each in drawing.words]
    return {"words": words, "outside": drawing.outside, "pictures": drawing.pictures}
