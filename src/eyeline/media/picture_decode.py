"""Opens a picture: facts and limits from its container first, pixels after that, and foreign errors as our own."""

from __future__ import annotations

import logging
import struct
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import pyvips
from pyvips.voperation import Introspect

from eyeline.errors import CorruptMedia, LocatorOutOfRange, MediaTooLarge, UnsupportedMedia
from eyeline.media.containers.facts import Container, damaged
from eyeline.media.containers.png import is_cut_short
from eyeline.media.containers.view import ByteView, Reader
from eyeline.media.picture_depth import showable
from eyeline.media.picture_second import second_frames, second_name
from eyeline.media.picture_source import Feed, Format, format_of
from eyeline.model.geometry import Size
from eyeline.model.media_type import MediaType

_CUT = ("premature end", "read gave", "truncated", "unexpected end", "end of stream", "out of data")
_HARMLESS = ("extraneous bytes", "adobe color transform", "jfif revision", "sos parameters", "progression sequence")
_FOREIGN = (OSError, SyntaxError, ValueError, EOFError, RuntimeError, LookupError, ArithmeticError, struct.error)
"""What Pillow, pi-heif and the walk of a damaged file raise."""

_NOT_BUILT_IN = ("support is not configured", "has not been built in", "bad labq format", "unsupported")
_OUT_OF_MEMORY = ("out of memory", "insufficient memory", "unable to allocate", "creating thread")


_OPERATIONS = (
    "pngload_source",
    "jpegload_source",
    "webpload_source",
    "gifload_source",
    "tiffload_source",
    "heifload_source",
    "svgload_source",
    "crop",
    "flatten",
    "resize",
    "premultiply",
    "unpremultiply",
    "round",
    "shrink",
    "subsample",
    "relational",
    "relational_const",
    "abs",
    "boolean_const",
    "bandbool",
    "avg",
    "copy",
    "cast",
    "rot",
    "flip",
    "embed",
    "tilecache",
    "icc_transform",
    "jpegsave_buffer",
    "pngsave_buffer",
    "webpsave_buffer",
)
# Looked up while the module loads, which is before a child is forked: no operation runs, and each job starts warm.
for _operation in _OPERATIONS:
    Introspect.get(_operation)

DRAWING_DPI, DRAWING_EDGE_PX = 96, 4096
"""A drawing's own size is in inches or in pixels of this many an inch; beyond this edge it is taken smaller."""

_DPI_OF_SCALE_ONE = 72


@lru_cache(maxsize=1)
def set_up_libvips() -> str:
    """Cache off, two threads a job, no log; the name and version for the record."""
    logging.getLogger("pyvips").setLevel(logging.CRITICAL)
    pyvips.cache_set_max(0)
    pyvips.vips_lib.vips_concurrency_set(2)
    return f"libvips {pyvips.version(0)}.{pyvips.version(1)}.{pyvips.version(2)}"


@contextmanager
def decoding(feed: Feed | None = None) -> Generator[None]:
    """Turns what decoders raise into `CorruptMedia` (malformed or truncated), `UnsupportedMedia` or `MemoryError`."""
    try:
        yield
    except pyvips.Error as exc:
        if feed is not None and feed.failure is not None:
            raise feed.failure from exc
        text = f"{exc.message} {exc.detail}".lower()
        if any(words in text for words in _OUT_OF_MEMORY):
            raise MemoryError from exc
        if any(words in text for words in _NOT_BUILT_IN):
            raise UnsupportedMedia("the picture is coded in a way that is not read here", family="image") from exc
        raise damaged(
            "undecodable", outcome="truncated" if any(words in text for words in _CUT) else "malformed"
        ) from exc
    except _FOREIGN as exc:
        if feed is not None and feed.failure is not None:
            raise feed.failure from exc
        raise damaged("undecodable") from exc


class Picture:
    """One picture file whose container was walked and whose size is within bounds; no pixel is decoded yet.

    Raises `CorruptMedia`, `UnsupportedMedia`, and `MediaTooLarge` with the outcome over_pixels or over_frames.
    """

    def __init__(
        self, reader: Reader, media_type: MediaType, *, max_pixels: int, max_frames: int, full: bool = False
    ) -> None:
        self.decoder = set_up_libvips()
        self.format: Format = format_of(media_type)
        self.view = ByteView(reader)
        self.feed = Feed(reader, self.view)
        self.facts: Container = self.format.scan(self.view, full=full, max_frames=max_frames)
        self._check(max_pixels=max_pixels, max_frames=max_frames)
        if self.format.is_drawing:
            self._take_size_of_drawing()
        if self.format.sizes_itself:
            canvas = self.load()
            self.facts.width_px, self.facts.height_px = canvas.width, canvas.height
            self._check(max_pixels=max_pixels, max_frames=max_frames)

    def _check(self, *, max_pixels: int, max_frames: int) -> None:
        facts = self.facts
        largest = max(facts.pages or (facts,), key=lambda page: page.width_px * page.height_px)
        pixels = largest.width_px * largest.height_px
        if pixels > max_pixels:
            raise MediaTooLarge(
                f"{largest.width_px}x{largest.height_px} is {pixels} pixels, above {max_pixels}",
                hint="raise max_pixels, or take in a smaller copy",
                outcome="over_pixels",
                asked=pixels,
                allowed=max_pixels,
            )
        if facts.frames > max_frames:
            raise MediaTooLarge(
                f"there are more than {max_frames} frames",
                outcome="over_frames",
                asked=facts.frames,
                allowed=max_frames,
            )

    @property
    def coded_size(self) -> Size:
        """Width and height before orientation."""
        return Size(self.facts.width_px, self.facts.height_px)

    def load(
        self,
        *,
        frame: int | None = None,
        shrink: int = 1,
        every_frame: bool = False,
        fail_on: str = "truncated",
    ) -> pyvips.Image:
        """The pixels, decoded as they are read from top to bottom, shrunk on load by a whole factor.

        `frame` is 1-based and comes as displayed; `every_frame` stacks all frames. Raises `LocatorOutOfRange`.
        """
        facts = self.facts
        if frame is not None and not 1 <= frame <= facts.frames:
            raise LocatorOutOfRange(f"frame {frame} is outside 1 to {facts.frames}", frames=facts.frames, asked=frame)
        if self._needs_second((frame or 1) > 1 or every_frame):
            *_, last = self._by_second_decoder((facts.frames if every_frame else frame or 1,))
            return last
        options: dict[str, object] = {"access": "sequential", "fail_on": fail_on}
        if self.format.has_frames:
            options |= {"n": -1} if every_frame else {"page": (frame or 1) - 1}
        elif self.format.has_pages:
            options["page"] = facts.at(frame).place
        elif self.format.is_drawing:
            options |= drawing_options(facts.scale / shrink)
        if shrink > 1 and not self.format.is_drawing:
            options |= {"shrink": shrink} if self.format.shrinks_by_blocks else {"scale": 1 / shrink}
        with decoding(self.feed):
            source = self.feed.source(facts.pieces)
            image: pyvips.Image = getattr(pyvips.Image, self.format.loader)(source, **options)
            return showable(image, facts.at(frame))

    def frames_of(self, wanted: Sequence[int], *, fail_on: str = "truncated") -> Iterator[pyvips.Image]:
        """The pixels of several frames (from 1, ascending) as displayed, one after the other."""
        if not self.format.loader or (self.format.second and self.facts.frames > 1):
            yield from self._by_second_decoder(wanted)
        elif not self.format.has_frames or self.facts.frames == 1:
            for frame in wanted:
                yield self.load(frame=frame, fail_on=fail_on)
        else:
            # cut off one by one, frames are let go as they come; taken as one picture, all would be held
            stacked, height = self.load(every_frame=True, fail_on=fail_on), self.facts.height_px
            for frame in wanted:
                with decoding(self.feed):
                    yield stacked.crop(0, (frame - 1) * height, stacked.width, height).copy_memory()

    def _needs_second(self, is_beyond_first: bool) -> bool:
        """Whether the second decoder reads this: always, or where libvips reads one frame of several."""
        if not self.format.loader:
            return True
        if not self.format.second or self.format.has_frames:
            return False
        return self.facts.frames > 1 and (is_beyond_first or self.facts.first_frame_is_apart)

    def _by_second_decoder(self, wanted: Sequence[int]) -> Iterator[pyvips.Image]:
        name, facts = self.format.second, self.facts
        self.decoder = second_name(name)
        with decoding(self.feed):
            file = self.feed.file(facts.bare_pieces)
            for image in second_frames(name, file, facts=facts, wanted=wanted):
                yield showable(image, facts)

    def _take_size_of_drawing(self) -> None:
        """A drawing has the size it says at 96 pixels an inch, or is taken smaller where that is very large."""
        facts = self.facts
        with decoding(self.feed):
            shape = pyvips.Image.svgload_source(self.feed.source(facts.pieces), **drawing_options(1))
        facts.scale = min(1.0, DRAWING_EDGE_PX / max(shape.width, shape.height))
        facts.width_px = max(1, round(shape.width * facts.scale))
        facts.height_px = max(1, round(shape.height * facts.scale))


def drawing_options(scale: float) -> dict[str, Any]:
    """How the loader is told to draw: units by our inch, and a pixel of the drawing as so many of the picture."""
    return {"dpi": DRAWING_DPI, "scale": scale * _DPI_OF_SCALE_ONE / DRAWING_DPI}


def decode_in_full(picture: Picture) -> pyvips.Image:
    """Decode every pixel of every frame and throw them away but for a small average picture, which comes back.

    Raises `CorruptMedia`: truncated where the pixels end early, also where the file was neatly ended after a cut.
    """
    if picture.facts.is_cut:
        raise damaged("pixels_end_early", outcome="truncated")
    try:
        reduced = _reduced(picture, fail_on="warning")
    except CorruptMedia as exc:
        return _second_look(picture, exc)
    if not picture.facts.ended:
        picture.facts.note("no_end_marker")
    return reduced


def _second_look(picture: Picture, failure: CorruptMedia) -> pyvips.Image:
    """Tell a cut from mere oddness after the strict decode failed."""
    facts = picture.facts
    kind = picture.format.loader
    if kind in ("jpegload_source", "tiffload_source", "heifload_source"):
        if kind == "jpegload_source" and not any(words in str(failure.__cause__).lower() for words in _HARMLESS):
            raise failure
        reduced = _reduced(picture, fail_on="error")
        facts.note("decoder_warnings")
        return reduced
    if kind == "pngload_source" and (not facts.ended or is_cut_short(picture.view, facts)):
        raise damaged("pixels_end_early", outcome="truncated") from failure
    if not facts.ended:
        raise damaged("pixels_end_early", outcome="truncated") from failure
    raise failure


_PREVIEW_EDGE = 512


def _reduced(picture: Picture, *, fail_on: str) -> pyvips.Image:
    frames = picture.frames_of(range(1, picture.facts.frames + 1), fail_on=fail_on)
    first = _small(picture, next(frames))
    for image in frames:
        _small(picture, image)
    return first


def _small(picture: Picture, image: pyvips.Image) -> pyvips.Image:
    across = max(1, image.width // _PREVIEW_EDGE)
    with decoding(picture.feed):
        return image.shrink(across, min(across, image.height), ceil=True).copy_memory()
