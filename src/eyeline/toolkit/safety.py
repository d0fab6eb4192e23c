"""From anything raised to an error that may leave the program. The cause stays in the log, under an id."""

from __future__ import annotations

import logging
import re
import secrets
from types import MappingProxyType
from typing import TYPE_CHECKING

from eyeline.errors import (
    AccessDenied,
    AddressRefused,
    Cancelled,
    ConfigError,
    EngineFailed,
    EyelineError,
    FetchFailed,
    IntegrityError,
    InvalidRequest,
    LaneFailed,
    MediaError,
    MissingDependency,
    NotFound,
    StoreError,
)
from eyeline.toolkit.outcome import SafeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyeline.errors import DetailValue

UNEXPECTED = "unexpected"
"""The code of a failure nobody foresaw."""

_logger = logging.getLogger("eyeline")

# Errors that are for the caller: their authors wrote the message to be read outside.
_SPEAKING = (
    *(InvalidRequest, NotFound, AccessDenied, AddressRefused, FetchFailed),
    *(MediaError, MissingDependency, Cancelled),
)

# Errors of ours: the class speaks, the message (which may quote a foreign one) stays in the log.
_SENTENCES: tuple[tuple[type[EyelineError], str], ...] = (
    (IntegrityError, "what is kept is not what was promised when it was kept"),
    (StoreError, "the store could not read or write"),
    (EngineFailed, "an engine died, hung or reached one of its limits"),
    (LaneFailed, "a model endpoint did not answer usefully"),
    (ConfigError, "a setting cannot be used as it stands"),
)

# A word that cannot be a path, an address or a sentence.
_WORD = re.compile(r"[a-z][a-z0-9_]{0,39}")


def safe_error(cause: BaseException, *, about: str) -> SafeError:
    """Make `cause` safe to show; a cause of ours is logged here, once, with the id that the message repeats.

    `about` names the call in the log. An error that already carries the id of an incident keeps it and is not logged
    again.
    """
    if isinstance(cause, _SPEAKING):
        return SafeError(
            code=cause.code,
            message=cause.message,
            hint=cause.hint,
            retryable=cause.retryable,
            detail=MappingProxyType(dict(cause.detail)),
        )
    known = cause.detail.get("incident_id") if isinstance(cause, EyelineError) else None
    incident_id = known if isinstance(known, str) else f"inc_{secrets.token_hex(6)}"
    if known is None:
        _logger.error("%s: incident %s", about, incident_id, exc_info=cause)
    if not isinstance(cause, EyelineError):
        return SafeError(
            code=UNEXPECTED,
            message=f"something unexpected went wrong (incident {incident_id})",
            incident_id=incident_id,
        )
    sentence = next((text for kind, text in _SENTENCES if isinstance(cause, kind)), "something went wrong")
    return SafeError(
        code=cause.code,
        message=f"{sentence} (incident {incident_id})",
        retryable=cause.retryable,
        incident_id=incident_id,
        detail=MappingProxyType(_plain_words(cause.detail)),
    )


def _plain_words(detail: Mapping[str, DetailValue]) -> dict[str, DetailValue]:
    """What of a detail is a number, a truth value or a single word: `limit: memory`, `allowed: 512`."""
    return {
        key: value
        for key, value in detail.items()
        if key != "incident_id"
        and (
            value is None
            or isinstance(value, (bool, int, float))
            or (isinstance(value, str) and _WORD.fullmatch(value))
        )
    }
