"""Pictures that stand inside a text or a document: found, decoded, told by their bytes, and kept within bounds."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from eyeline.media.markup_blocks import Place
from eyeline.media.sniffing import sniff
from eyeline.model.digest import Digest
from eyeline.model.media_type import Family, MediaType

MAX_PICTURES = 64
MAX_PICTURE_BYTES = 16 << 20
MAX_TOTAL_BYTES = 32 << 20
DATA_URI = re.compile(r"data:image/[A-Za-z0-9.+-]{1,40}(?:;[A-Za-z0-9=._-]{1,60}){0,4},[A-Za-z0-9+/=%_.~-]+")

_SVG = "image/svg+xml"
_HEAD_BYTES = 4096
# How the base64 of the picture types begins that texts hold.
_BASE64_STARTS = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")


@dataclass(frozen=True, slots=True)
class Kept:
    """One picture: its name among the assets, bytes, type by its bytes, and the place it was first found at."""

    path: str
    bytes: bytes
    media_type: MediaType
    place: Place


@dataclass(slots=True)
class Pictures:
    """The pictures of one text. `found` counts every embedded one, `left_out` those that were not kept.

    Left out is what lies over a bound, does not decode, is no picture by its bytes, or is SVG. `fixed` is the place of
    all that are taken while it is set.
    """

    kept: list[Kept] = field(default_factory=list[Kept])
    found: int = 0
    left_out: int = 0
    fixed: Place | None = None
    most: int = MAX_PICTURES
    most_bytes: int = MAX_TOTAL_BYTES
    _names: dict[Digest, str] = field(default_factory=dict[Digest, str])
    _total: int = 0

    def take_address(self, address: str, place: Place) -> str | None:
        """Keep the picture that an address names inside the same source; none where nothing there has that address."""
        del address, place
        return None

    def take_uri(self, uri: str, place: Place) -> str | None:
        """Keep the picture of a `data:` address; its path, or none where it is left out."""
        head, _, body = uri.partition(",")
        if "base64" in head[-32:].lower():
            return self.take_base64(body, place)
        self.found += 1
        is_kept_type = not head[5:].lower().startswith(_SVG) and len(body) <= MAX_PICTURE_BYTES
        return self._keep(unquote_to_bytes(body) if is_kept_type else b"", place)

    def take_base64(self, text: str, place: Place) -> str | None:
        """Keep a picture from base64, whatever blanks and percent signs stand in it; its path, or none."""
        self.found += 1
        if len(text) * 3 // 4 > MAX_PICTURE_BYTES:
            return self._keep(b"", place)
        plain = unquote_to_bytes(text) if "%" in text else text.encode("ascii", "replace")
        try:
            return self._keep(binascii.a2b_base64(plain), place)
        except binascii.Error:
            return self._keep(b"", place)

    def keep_bytes(self, data: bytes, place: Place) -> str | None:
        """Keep a picture that is there as bytes; its path, or none where it is left out."""
        self.found += 1
        return self._keep(data, place)

    def begin_place(self) -> None:
        """From now on a picture that was kept before is kept once more, with its new place."""
        self._names.clear()

    def _keep(self, data: bytes, place: Place) -> str | None:
        digest = Digest.of(data)
        if digest in self._names:
            return self._names[digest]
        media_type = sniff(data[:_HEAD_BYTES], size=len(data)) if data else None
        is_picture = media_type is not None and media_type.family is Family.IMAGE and media_type.name != _SVG
        is_over = len(self.kept) >= self.most or self._total + len(data) > self.most_bytes
        if media_type is None or not is_picture or is_over or len(data) > MAX_PICTURE_BYTES:
            self.left_out += 1
            return None
        path = f"assets/picture-{len(self.kept) + 1:04d}.{media_type.extension}"
        self.kept.append(Kept(path, data, media_type, self.fixed or place))
        self._names[digest] = path
        self._total += len(data)
        return path


def looks_like_picture(text: str) -> bool:
    """Whether characters may be a picture in base64."""
    return len(text) > 100 and text.lstrip()[:12].startswith(_BASE64_STARTS)
