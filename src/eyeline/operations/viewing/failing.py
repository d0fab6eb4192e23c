"""An item that failed, as its record tells it: safe to show, with an incident where the cause is ours."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TypeVar

from eyeline.errors import AmbiguousName, Cancelled, PathRefused
from eyeline.model.viewing import ViewStatus
from eyeline.operations.viewing.arriving import Left
from eyeline.toolkit.safety import safe_error

T = TypeVar("T")


def settled(future: Future[T]) -> T | BaseException:
    """What a piece of work came to, or whatever it raised: nothing that nobody foresaw costs another item.

    Raises `Cancelled` only.
    """
    cause = future.exception()
    if isinstance(cause, Cancelled):
        raise cause
    return future.result() if cause is None else cause


def failed(cause: BaseException, *, name: str) -> Left:
    """A failed item by what was raised; a path that is refused is told like one that is not there."""
    error = safe_error(cause, about=f"view of {name!r}")
    message, hint = error.message, error.hint
    if isinstance(cause, PathRefused):
        message = f"no file {name!r} can be read inside the base folder"
    if isinstance(cause, AmbiguousName):
        hint = hint or "name one of them"
    return Left(ViewStatus.FAILED, error.code, message, hint=hint, retryable=error.retryable)
