"""Which media types a batch shows, from the bytes and, for local files, also from the name."""

from __future__ import annotations

from collections.abc import Sequence

from eyeline.media.engines import engine_for
from eyeline.media.sniffing import extension_of
from eyeline.model.media_type import OCTET_STREAM, Family, MediaType
from eyeline.model.viewing import ViewCode, ViewLimits, ViewStatus
from eyeline.operations.viewing.arriving import Left

SOUNDS = (MediaType("audio/mpeg"), MediaType("audio/wav"))
"""Sounds that go out as they are, where they are short enough."""

_SHOWN = (Family.IMAGE, Family.DOCUMENT, Family.TEXT, Family.AUDIO, Family.VIDEO)


def verdict(media_type: MediaType, *, names: Sequence[str], view: ViewLimits, is_empty: bool) -> Left | None:
    """Why an item of this type is not read on; none where it is shown.

    Text is taken from local files only where all their `names` (as asked for, and where links lead) are listed for
    text: what a name does not announce may be a secret. What is read from a URL has no names here and no such list, for
    whoever serves it chose to.
    """
    if is_empty:
        return Left(ViewStatus.SKIPPED, ViewCode.EMPTY, "it has no bytes")
    if media_type.is_text and any(extension_of(name) not in view.text_extensions for name in names):
        message = f"it holds {media_type}, and text is taken only under the extensions for text"
        return Left(ViewStatus.SKIPPED, ViewCode.NOT_LISTED, message, hint="give the file an extension that says so")
    if media_type in SOUNDS or (media_type.family in _SHOWN and engine_for(media_type) is not None):
        return None
    if media_type == OCTET_STREAM:
        return Left(ViewStatus.LINKED, ViewCode.UNKNOWN_TYPE, "its bytes do not say what it is", hint=_ELSEWHERE)
    return Left(ViewStatus.LINKED, ViewCode.NOT_SHOWN_HERE, f"{media_type} is not shown here", hint=_ELSEWHERE)


_ELSEWHERE = "work on the file with other tools, where you have some"
