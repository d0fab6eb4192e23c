"""The pictures of one request, each made once, side by side within a bound on the pixels in work at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Condition

from eyeline.errors import EngineFailed, IntegrityError, LimitExceeded, MediaError, MediaTooLarge, NotFound, StoreError
from eyeline.model.assembly import Omission
from eyeline.model.attachment import ImageRef, ImageTarget, RequestImage
from eyeline.request.access import Attachments
from eyeline.toolkit.cancel import CancelToken

MAX_PIXELS_AT_ONCE = 64_000_000
"""Pixels of the normalised objects that are worked on at the same time; a larger one is worked on alone."""

Wanted = tuple[ImageRef, ImageTarget]
Encoded = RequestImage | Omission


def encode_all(wanted: Sequence[Wanted], *, store: Attachments, cancel: CancelToken) -> list[Encoded]:
    """The picture for each reference and target in order, or why there is none; equal ones are made once."""
    works = [(ref.attachment_id, ref.media_type, target) for ref, target in wanted]
    by_work = dict(zip(reversed(works), reversed(wanted), strict=True))
    room = _Room(MAX_PIXELS_AT_ONCE)

    def encode(each: Wanted) -> Encoded:
        ref, target = each
        with room.of(ref.size.pixels):
            cancel.raise_if_cancelled()
            return _encoded(ref, target, store=store, cancel=cancel)

    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as threads:
        done = dict(zip(by_work, threads.map(encode, by_work.values()), strict=True))
    return [done[work] for work in works]


def _encoded(ref: ImageRef, target: ImageTarget, *, store: Attachments, cancel: CancelToken) -> Encoded:
    """One picture; what is wrong with it alone becomes the reason why it is left out."""
    try:
        return store.request_image(ref, target, cancel=cancel)
    except NotFound:
        return Omission.MISSING
    except (MediaTooLarge, LimitExceeded):
        return Omission.NOT_FITTING
    except (IntegrityError, MediaError):
        return Omission.DAMAGED
    except (StoreError, EngineFailed):
        return Omission.UNREADABLE


class _Room:
    """Lets work in while the pixels of all work inside stay within a bound, and any work into an empty room."""

    def __init__(self, max_pixels: int) -> None:
        self._left = max_pixels
        self._max = max_pixels
        self._changed = Condition()

    def of(self, pixels: int) -> _Taken:
        """Room for so many pixels, as a context manager."""
        return _Taken(self, min(pixels, self._max))

    def take(self, pixels: int) -> None:
        """Wait until there is room and take it."""
        with self._changed:
            self._changed.wait_for(lambda: pixels <= self._left)
            self._left -= pixels

    def give(self, pixels: int) -> None:
        """Give room back."""
        with self._changed:
            self._left += pixels
            self._changed.notify_all()


class _Taken:
    def __init__(self, room: _Room, pixels: int) -> None:
        self._room = room
        self._pixels = pixels

    def __enter__(self) -> None:
        self._room.take(self._pixels)

    def __exit__(self, *_: object) -> None:
        self._room.give(self._pixels)
