from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from eyeline.errors import BlobNotFound, StoreError
from eyeline.store.failures import store_error, store_errors


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_failure_of_the_system_has_a_name_and_no_path(number: int) -> None:
    made = store_error(OSError(number, os.strerror(number), "/srv/secret/place"), doing="keep a blob")
    assert (made.code, made.retryable, made.errno) == ("store_error", True, number)
    assert made.detail["cause"] == errno.errorcode[number]
    assert "/srv" not in str(made)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_says_so_and_what_to_do(number: int) -> None:
    made = store_error(OSError(number, "x"), doing="keep a blob")
    assert "full" in made.message
    assert made.hint


def test_an_error_without_a_number_is_a_store_error_too() -> None:
    assert store_error(OSError("odd"), doing="keep a blob").detail == {"cause": "unknown"}


def test_errors_that_already_are_ours_pass_as_they_are() -> None:
    ours = BlobNotFound("gone")
    with pytest.raises(BlobNotFound) as caught, store_errors("read a blob"):
        raise ours
    assert caught.value is ours
    with pytest.raises(StoreError), store_errors("read a blob"):
        Path("/nowhere/at/all").stat()
