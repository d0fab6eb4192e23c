"""Foreign failures become ours here, in one table; nothing of SQLAlchemy or sqlite3 leaves this package."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import exc as sa

from eyeline.errors import ConfigError, EyelineError, IntegrityError, InvalidRequest, StoreError

BY_CLASS: dict[type[BaseException], type[EyelineError]] = {
    # the database refused or failed
    sqlite3.Error: StoreError,
    sqlite3.OperationalError: StoreError,
    sqlite3.InternalError: StoreError,
    sa.DBAPIError: StoreError,
    sa.OperationalError: StoreError,
    sa.InternalError: StoreError,
    sa.InterfaceError: StoreError,
    sa.DisconnectionError: StoreError,
    sa.TimeoutError: StoreError,
    sa.EmulatedDBAPIException: StoreError,
    OSError: StoreError,
    # records are not what they were when they were kept
    sqlite3.DatabaseError: IntegrityError,
    sa.DatabaseError: IntegrityError,
    sa.IntegrityError: IntegrityError,
    sa.DataError: IntegrityError,
    sa.NoResultFound: IntegrityError,
    sa.MultipleResultsFound: IntegrityError,
    # the database is not one that this program can use
    sqlite3.NotSupportedError: ConfigError,
    sa.NotSupportedError: ConfigError,
    sa.ProgrammingError: ConfigError,
    sa.NoSuchModuleError: ConfigError,
    sa.NoDBAPILoaded: ConfigError,
    sa.NoSuchTableError: ConfigError,
    sa.UnreflectableTableError: ConfigError,
    # text with lone surrogates, numbers beyond 64 bits
    UnicodeEncodeError: InvalidRequest,
    OverflowError: InvalidRequest,
    # mistakes of this package
    sqlite3.ProgrammingError: EyelineError,
    sa.ArgumentError: EyelineError,
    sa.CircularDependencyError: EyelineError,
    sa.CompileError: EyelineError,
    sa.IdentifierError: EyelineError,
    sa.InvalidRequestError: EyelineError,
    sa.StatementError: EyelineError,
}
"""The nearest base class counts."""

_SAID: dict[type[EyelineError], tuple[str, str]] = {
    StoreError: ("the database refused or failed", "another process may hold it, or the disk is full or read-only"),
    IntegrityError: ("the database holds records that cannot be right", "restore the home from a copy"),
    ConfigError: ("the database cannot be used by this program", "use the release that wrote it, or a newer one"),
    InvalidRequest: ("a value cannot be kept or looked for", "text is valid Unicode, numbers fit 64 bits"),
    EyelineError: ("the database was asked wrongly", "report this as a bug"),
}


def as_ours(failure: BaseException) -> EyelineError:
    """Our error for a foreign one, with the database's own code as detail where it has one."""
    kind = next(BY_CLASS[each] for each in type(failure).__mro__ if each in BY_CLASS)
    message, hint = _SAID[kind]
    original = failure.orig if isinstance(failure, sa.StatementError) else failure
    reason = getattr(original, "sqlite_errorname", type(original).__name__)
    return kind(message, hint=hint, reason=str(reason))


_CAUGHT = (sa.SQLAlchemyError, sa.EmulatedDBAPIException, sqlite3.Error, OSError, UnicodeEncodeError, OverflowError)


@contextmanager
def ours() -> Generator[None]:
    """What fails inside fails as one of ours."""
    try:
        yield
    except EyelineError:
        raise
    except _CAUGHT as exc:
        raise as_ours(exc) from exc
