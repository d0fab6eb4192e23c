"""Whether the process that holds a claim still runs."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eyeline.catalog import ownership
from eyeline.catalog.ownership import Owner, this_process


def test_an_owner_is_printed_and_read_back() -> None:
    owner = this_process()
    assert Owner.parse(str(owner)) == owner
    assert owner.pid == os.getpid()
    assert (Owner.parse(""), Owner.parse("a/b/c/d")) == (None, None)


def test_this_process_runs_and_one_that_ended_is_gone() -> None:
    assert not this_process().is_gone()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        started = ownership.PROC / str(child.pid) / "stat"
        owner = replace(this_process(), pid=child.pid, started=started.read_text().rpartition(")")[2].split()[19])
        assert not owner.is_gone()
        child.communicate()
    assert owner.is_gone()


def test_a_later_process_with_the_same_number_is_not_the_owner() -> None:
    assert replace(this_process(), started="1").is_gone()


def test_a_process_of_an_earlier_boot_is_gone_and_one_of_another_container_is_not_known_to_be() -> None:
    assert replace(this_process(), boot="another").is_gone()
    assert not replace(this_process(), space="another", pid=1).is_gone()


def test_without_a_process_table_the_number_alone_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "PROC", tmp_path)
    here = this_process()
    assert (here.boot, here.space, here.started) == ("", "", "")
    assert not here.is_gone()
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert replace(here, pid=child.pid).is_gone()
