"""Every foreign failure has its own error here."""

from __future__ import annotations

import inspect
import sqlite3

import pytest
import sqlalchemy.exc

from eyeline.catalog.failures import BY_CLASS, as_ours, ours
from eyeline.errors import EyelineError, StoreError

ROOTS = {sqlalchemy.exc.SQLAlchemyError, BaseException, Exception, object}


def failures_of(module: object, root: type[BaseException]) -> list[type[BaseException]]:
    return [each for _, each in inspect.getmembers(module, inspect.isclass) if issubclass(each, root)]


@pytest.mark.parametrize(
    "failure",
    [
        *failures_of(sqlalchemy.exc, sqlalchemy.exc.SQLAlchemyError),
        *failures_of(sqlalchemy.exc, sqlalchemy.exc.EmulatedDBAPIException),
        *failures_of(sqlite3, sqlite3.Error),
    ],
)
def test_no_failure_of_the_database_library_is_unmapped(failure: type[BaseException]) -> None:
    if failure is not sqlalchemy.exc.SQLAlchemyError:
        assert any(each in BY_CLASS for each in failure.__mro__ if each not in ROOTS)


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (sqlite3.OperationalError("x"), "store_error"),
        (sqlite3.DatabaseError("file is not a database"), "integrity_error"),
        (sqlite3.IntegrityError("x"), "integrity_error"),
        (sqlalchemy.exc.OperationalError("SELECT", {}, sqlite3.OperationalError("x")), "store_error"),
        (sqlalchemy.exc.DatabaseError("SELECT", {}, sqlite3.DatabaseError("x")), "integrity_error"),
        (sqlalchemy.exc.ProgrammingError("SELECT", {}, sqlite3.ProgrammingError("x")), "config_error"),
        (sqlalchemy.exc.TimeoutError("x"), "store_error"),
        (sqlalchemy.exc.CompileError("x"), "error"),
        (PermissionError(13, "denied", "/home/me/secret"), "store_error"),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates"), "invalid_request"),
        (OverflowError("int too large"), "invalid_request"),
    ],
)
def test_a_failure_gets_the_code_of_its_kind_and_says_nothing_private(raised: Exception, code: str) -> None:
    error = as_ours(raised)
    assert error.code == code
    assert "/home" not in f"{error} {error.detail}"


def test_the_reason_of_the_database_is_kept_as_detail() -> None:
    connection = sqlite3.connect(":memory:")
    with pytest.raises(EyelineError) as failed, ours():
        connection.execute("SELECT * FROM nowhere")
    connection.close()
    assert isinstance(failed.value, StoreError)
    assert failed.value.detail["reason"] == "SQLITE_ERROR"
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)


def test_our_own_errors_pass_as_they_are() -> None:
    raised = StoreError("ours")
    with pytest.raises(StoreError) as passed, ours():
        raise raised
    assert passed.value is raised
