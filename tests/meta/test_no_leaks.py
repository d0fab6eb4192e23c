"""A clone stands alone: nothing in it names the machine, the registry or the folder it was made in."""

from __future__ import annotations

import re

from tests.meta.tree import ROOT, committed_files

# Written in pieces, so that this file does not name what it looks for.
REGISTRIES = ["py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com", "deb." + "debian.org"]
MACHINE = [
    "/ro" + "ot/",
    r"(?<![\w}])/ho" + r"me/(?!(?:me|you|user|somebody)/)",
    "/Us" + "ers/",
    "/tmp/" + "w/",
    "/wo" + r"rk/(?!\{)",
    "\\.\\./sha" + "red",
]
SECRETS = ["BEGIN [A-Z ]*PRIVATE " + "KEY", r"\bgh[ps]_[A-Za-z0-9]{30,}", r"\bsk-[A-Za-z0-9]{30,}"]


def _offences(patterns: list[str]) -> list[str]:
    wanted = re.compile("|".join(patterns))
    found: list[str] = []
    for path in committed_files():
        text = path.read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            if "\0" not in line and (hit := wanted.search(line)):
                found.append(f"{path.relative_to(ROOT)}:{number}: {hit[0]}")
    return found


def test_no_file_names_a_package_registry() -> None:
    assert _offences([re.escape(host) for host in REGISTRIES]) == []


def test_no_file_names_a_path_of_the_machine_it_was_made_on() -> None:
    assert _offences(MACHINE) == []


def test_no_file_holds_something_like_a_secret() -> None:
    assert _offences(SECRETS) == []


def test_nothing_that_a_run_left_behind_is_committed() -> None:
    names = [path.relative_to(ROOT).as_posix() for path in committed_files()]
    left = re.compile(r"[<>:\"|?*]|\.(sqlite|lock|tmp|log)\b|sqlite-(wal|shm)$")
    assert [name for name in names if left.search(name) and name != "requirements.lock"] == []
