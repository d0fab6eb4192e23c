"""The second decoders: what libvips does not read, reads as a still picture, or holds in whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import PIL
import pyvips
from PIL import BmpImagePlugin, IcoImagePlugin, Image, Jpeg2KImagePlugin, PngImagePlugin, WebPImagePlugin

from eyeline.media.containers.facts import Container

Frames = Callable[[IO[bytes], Container, Sequence[int]], Iterator[Image.Image]]

_VIPS_MODES = {
    "L": (1, "uchar", "b-w"),
    "LA": (2, "uchar", "b-w"),
    "RGB": (3, "uchar", "srgb"),
    "RGBA": (4, "uchar", "srgb"),
    "CMYK": (4, "uchar", "cmyk"),
    "I;16": (1, "ushort", "grey16"),
}


def second_frames(name: str, file: IO[bytes], *, facts: Container, wanted: Sequence[int]) -> Iterator[pyvips.Image]:
    """The wanted frames (from 1, ascending) through the second decoder of that name, in one pass.

    Raises what the libraries raise; to be read inside `decoding`.
    """
    for image in _BY_NAME[name](file, facts, wanted):
        yield _as_vips(image)


def second_name(name: str) -> str:
    """Name and version of a second decoder, for the record."""
    if name != "heif":
        return f"Pillow {PIL.__version__}"
    import pi_heif

    return f"pi-heif {pi_heif.__version__}"


def _apng(file: IO[bytes], facts: Container, wanted: Sequence[int]) -> Iterator[Image.Image]:
    """Each frame as it is shown, composed over those before it."""
    apart = 1 if facts.first_frame_is_apart else 0
    kept = set(wanted)
    with PngImagePlugin.PngImageFile(file) as opened:
        for number in range(1, max(wanted) + 1):
            opened.seek(apart + number - 1)
            opened.load()
            if number in kept:
                yield opened.convert("RGBA")


def _webp(file: IO[bytes], facts: Container, wanted: Sequence[int]) -> Iterator[Image.Image]:
    """Each frame as it is shown, composed over those before it; no other is held."""
    kept = set(wanted)
    with WebPImagePlugin.WebPImageFile(file) as opened:
        for number in range(1, max(wanted) + 1):
            opened.seek(number - 1)
            opened.load()
            if number in kept:
                yield opened.convert("RGBA" if facts.has_alpha else "RGB")


def _bmp(file: IO[bytes], facts: Container, wanted: Sequence[int]) -> Iterator[Image.Image]:
    del facts, wanted
    with BmpImagePlugin.BmpImageFile(file) as opened:
        yield _plain(opened)


def _icon(file: IO[bytes], facts: Container, wanted: Sequence[int]) -> Iterator[Image.Image]:
    """The one picture of an icon that holds no other; its mask or alpha band is what is transparent."""
    del facts, wanted
    with IcoImagePlugin.IcoImageFile(file) as opened:
        yield _plain(opened.ico.frame(0))


def _jpeg_2000(file: IO[bytes], facts: Container, wanted: Sequence[int]) -> Iterator[Image.Image]:
    del facts, wanted
    with Jpeg2KImagePlugin.Jpeg2KImageFile(file) as opened:
        yield _plain(opened)


def _heif(file: IO[bytes], facts: Container, wanted: Sequence[int]) -> Iterator[Image.Image]:
    """The primary picture, turned and cropped by its container; the orientation in its EXIF is not a second turn."""
    import pi_heif

    del facts, wanted
    library: Any = pi_heif
    library.options.DECODE_THREADS = 1
    yield _plain(library.open_heif(file).to_pillow())


def _plain(image: Image.Image) -> Image.Image:
    """One of the modes we hand on, with every pixel decoded."""
    image.load()
    if image.mode in _VIPS_MODES and "transparency" not in image.info:
        return image
    if image.mode in ("I;16B", "I;16L", "I;16N"):
        return image.convert("I").convert("I;16")
    if image.mode == "1":
        return image.convert("L")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _as_vips(image: Image.Image) -> pyvips.Image:
    bands, form, interpretation = _VIPS_MODES[image.mode]
    pixels = pyvips.Image.new_from_memory(image.tobytes(), image.width, image.height, bands, form)
    return pixels.copy(interpretation=interpretation)


_BY_NAME: dict[str, Frames] = {
    "apng": _apng,
    "bmp": _bmp,
    "ico": _icon,
    "jp2": _jpeg_2000,
    "heif": _heif,
    "webp": _webp,
}
