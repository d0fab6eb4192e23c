"""The pictures of one request, each made once, and for each that cannot be had the reason that its placeholder says."""

from __future__ import annotations

from collections.abc import Sequence

from eyeline.errors import (
    EngineFailed,
    EyelineError,
    IntegrityError,
    LimitExceeded,
    MediaError,
    MediaTooLarge,
    NotFound,
    StoreError,
)
from eyeline.model.assembly import Omission
from eyeline.model.attachment import ImageRef, ImageTarget, RequestImage
from eyeline.request.access import Attachments
from eyeline.toolkit.cancel import CancelToken

Wanted = tuple[ImageRef, ImageTarget]
Encoded = RequestImage | Omission

_REASONS: tuple[tuple[tuple[type[EyelineError], ...], Omission], ...] = (
    ((NotFound,), Omission.MISSING),
    ((MediaTooLarge, LimitExceeded), Omission.NOT_FITTING),
    ((IntegrityError, MediaError), Omission.DAMAGED),
    ((StoreError, EngineFailed), Omission.UNREADABLE),
)


def encode_all(wanted: Sequence[Wanted], *, store: Attachments, cancel: CancelToken) -> list[Encoded]:
    """The picture for each reference and target in order, or why there is none.

    Raises whatever is not about one picture alone.
    """
    return [
        each if isinstance(each, RequestImage) else _reason(each)
        for each in store.request_images(wanted, cancel=cancel)
    ]


def _reason(error: EyelineError) -> Omission:
    """What is wrong with one picture becomes the reason why it is left out."""
    for kinds, reason in _REASONS:
        if isinstance(error, kinds):
            return reason
    raise error
