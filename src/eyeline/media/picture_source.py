"""Picture files as decoders see them: the file itself, or the file without the parts that need no decoding."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyvips

from eyeline.errors import EyelineError, UnsupportedMedia
from eyeline.media.containers.bmp import scan_bmp
from eyeline.media.containers.facts import Container, Piece
from eyeline.media.containers.gif import scan_gif
from eyeline.media.containers.heif import scan_heif
from eyeline.media.containers.ico import scan_ico
from eyeline.media.containers.jp2 import scan_jp2
from eyeline.media.containers.jpeg import scan_jpeg
from eyeline.media.containers.png import scan_png
from eyeline.media.containers.svg import scan_svg
from eyeline.media.containers.tiff import scan_tiff
from eyeline.media.containers.view import ByteView, Reader, descriptor_of
from eyeline.media.containers.webp import scan_webp
from eyeline.model.media_type import MediaType

Scan = Callable[..., Container]
_BUFFER = 1 << 18


@dataclass(frozen=True, slots=True)
class Format:
    """How one media type is read: its container walk, libvips' loader, what shrinks while decoding, what has frames.

    `second` names the second decoder: of all pictures where there is no loader; else of every frame but the first, or,
    where the loader finds frames itself (`has_frames`), of several frames in a row, all of which it would hold.
    `sizes_itself`: frames may reach beyond the canvas that the header names, and the decoder makes room for them.
    `has_pages`: its frames are pages. `is_drawing`: it has no pixels of its own.
    """

    scan: Scan
    loader: str = ""
    second: str = ""
    shrinks_by_blocks: bool = False
    shrinks_by_scale: bool = False
    has_frames: bool = False
    sizes_itself: bool = False
    has_pages: bool = False
    is_drawing: bool = False


def _png(view: ByteView, **_: object) -> Container:
    return scan_png(view)


def _jpeg(view: ByteView, *, full: bool, **_: object) -> Container:
    return scan_jpeg(view, full=full)


def _webp(view: ByteView, **_: object) -> Container:
    return scan_webp(view)


def _gif(view: ByteView, *, max_frames: int, **_: object) -> Container:
    return scan_gif(view, max_frames=max_frames)


def _tiff(view: ByteView, *, max_frames: int, **_: object) -> Container:
    return scan_tiff(view, max_frames=max_frames)


def _bmp(view: ByteView, **_: object) -> Container:
    return scan_bmp(view)


def _ico(view: ByteView, **_: object) -> Container:
    return scan_ico(view)


def _heif(view: ByteView, **_: object) -> Container:
    return scan_heif(view)


def _jp2(view: ByteView, **_: object) -> Container:
    return scan_jp2(view)


def _svg(view: ByteView, **_: object) -> Container:
    return scan_svg(view)


FORMATS: dict[str, Format] = {
    "image/png": Format(_png, "pngload_source", second="apng"),
    "image/jpeg": Format(_jpeg, "jpegload_source", shrinks_by_blocks=True),
    "image/webp": Format(_webp, "webpload_source", second="webp", shrinks_by_scale=True, has_frames=True),
    "image/gif": Format(_gif, "gifload_source", has_frames=True, sizes_itself=True),
    "image/tiff": Format(_tiff, "tiffload_source", has_pages=True),
    "image/avif": Format(_heif, "heifload_source"),
    "image/heic": Format(_heif, second="heif"),
    "image/heif": Format(_heif, second="heif"),
    "image/bmp": Format(_bmp, second="bmp"),
    "image/vnd.microsoft.icon": Format(_ico, second="ico"),
    "image/jp2": Format(_jp2, second="jp2"),
    "image/svg+xml": Format(_svg, "svgload_source", is_drawing=True),
}


def format_of(media_type: MediaType) -> Format:
    """How a media type is read; `UnsupportedMedia` where it is not."""
    try:
        return FORMATS[media_type.name]
    except KeyError:
        raise UnsupportedMedia(
            f"no picture decoder takes {media_type}",
            hint=f"decoded are {', '.join(FORMATS)}",
            family=media_type.family.value,
        ) from None


class PieceReader(io.RawIOBase):
    """A seekable file made of pieces: ranges of a reader and bytes of our own."""

    def __init__(self, view: ByteView, pieces: tuple[Piece, ...]) -> None:
        super().__init__()
        self._view = view
        self._pieces = pieces
        self._starts: list[int] = []
        self._position = 0
        self._size = 0
        for piece in pieces:
            self._starts.append(self._size)
            self._size += len(piece) if isinstance(piece, bytes) else piece[1]

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move; the new position."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer from the position; 0 at the end."""
        for start, piece in zip(self._starts, self._pieces, strict=True):
            length = len(piece) if isinstance(piece, bytes) else piece[1]
            begin = self._position - start
            if 0 <= begin < length:
                count = min(len(buffer), length - begin)
                if isinstance(piece, bytes):
                    part = piece[begin : begin + count]
                else:
                    part = self._view.at(piece[0] + begin, count)
                buffer[: len(part)] = part
                self._position += len(part)
                return len(part)
        return 0


class Feed:
    """Feeds a decoder from a reader; keep it for as long as pictures are read through it.

    A failing reader ends the file for the decoder; `failure` then says why.
    """

    def __init__(self, reader: Reader, view: ByteView) -> None:
        self._reader = reader
        self._view = view
        self.failure: Exception | None = None
        # libvips calls back into these; they must outlive the pictures that are read through them
        self._sources: list[pyvips.SourceCustom] = []

    def file(self, pieces: tuple[Piece, ...] | None) -> io.BufferedReader:
        """A seekable file over the pieces, or over the whole of it."""
        whole = ((0, self._view.size),) if pieces is None else pieces
        return io.BufferedReader(PieceReader(self._view, whole), _BUFFER)

    def source(self, pieces: tuple[Piece, ...] | None) -> pyvips.Source:
        """A libvips source: the descriptor itself where the whole file is wanted, else calls back here."""
        descriptor = descriptor_of(self._reader)
        if pieces is None and descriptor is not None:
            os.lseek(descriptor, 0, os.SEEK_SET)
            return pyvips.Source.new_from_descriptor(descriptor)
        file = self.file(pieces)

        def read(size: int) -> bytes:
            try:
                return file.read(size)
            except (OSError, EyelineError) as exc:
                self.failure = exc
                return b""

        def seek(offset: int, whence: int) -> int:
            try:
                return file.seek(offset, whence)
            except (OSError, EyelineError) as exc:
                self.failure = exc
                return -1

        source = pyvips.SourceCustom()
        source.on_read(read)
        source.on_seek(seek)
        self._sources.append(source)
        return source
