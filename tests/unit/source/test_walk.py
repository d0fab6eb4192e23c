"""Walking: one value for each entry, in a stable order, and nothing is left out without a word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eyeline.model.document import GateRefusal
from eyeline.source.path import Refused
from eyeline.source.walk import Candidate, PassedOver, Why, walk


def build(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def seen(*paths: str | Path) -> list[str]:
    """References in order, with what is no candidate after a colon."""
    lines: list[str] = []
    for entry in walk(paths):
        if isinstance(entry, Candidate):
            lines.append(entry.reference)
        else:
            lines.append(f"{entry.reference}: {entry.why if isinstance(entry, PassedOver) else entry.reason}")
    return lines


def contents(*paths: str | Path) -> list[str]:
    found: list[str] = []
    for entry in walk(paths):
        assert isinstance(entry, Candidate)
        opened = entry.open()
        assert not isinstance(opened, Refused)
        with opened:
            found.append(opened.file.read().decode())
    return found


def test_a_folder_is_walked_in_the_order_of_its_names(tmp_path: Path) -> None:
    build(tmp_path, "b.txt", "a/z.txt", "a/b/c.txt", "c.txt", "B.txt")
    assert seen(tmp_path) == ["B.txt", "a/b/c.txt", "a/z.txt", "b.txt", "c.txt"]
    assert contents(tmp_path) == seen(tmp_path)


def test_a_file_is_taken_under_its_own_name(tmp_path: Path) -> None:
    build(tmp_path, "in/box/a.txt")
    assert seen(tmp_path / "in" / "box" / "a.txt") == ["a.txt"]
    assert contents(str(tmp_path / "in" / "box" / "a.txt")) == ["in/box/a.txt"]


def test_a_file_named_through_a_link_is_taken_under_the_name_that_was_given(tmp_path: Path) -> None:
    build(tmp_path, "real/a.txt")
    (tmp_path / "link.txt").symlink_to("real/a.txt")
    assert (seen(tmp_path / "link.txt"), contents(tmp_path / "link.txt")) == (["link.txt"], ["real/a.txt"])


def test_hidden_names_in_a_folder_are_passed_over_and_said_but_taken_when_named(tmp_path: Path) -> None:
    build(tmp_path, ".git/config", ".DS_Store", "a.txt", "sub/.hidden")
    assert seen(tmp_path) == [".DS_Store: hidden", ".git: hidden", "a.txt", "sub/.hidden: hidden"]
    assert seen(tmp_path / ".DS_Store", tmp_path / ".git") == [".DS_Store", "config"]


def test_links_stay_inside_or_are_refused_and_linked_folders_are_walked_at_their_own_place(tmp_path: Path) -> None:
    root = build(tmp_path / "root", "real/a.txt")
    build(tmp_path, "outside/secret.txt")
    (root / "file").symlink_to("real/a.txt")
    (root / "folder").symlink_to("real")
    (root / "loop").symlink_to(".")
    (root / "broken").symlink_to("nothing")
    (root / "away").symlink_to("../outside")
    (root / "away.txt").symlink_to("../outside/secret.txt")
    assert seen(root) == [
        "away: outside_root",
        "away.txt: outside_root",
        "broken: unreadable",
        "file",
        "folder: linked_folder",
        "loop: linked_folder",
        "real/a.txt",
    ]


def test_what_is_no_regular_file_is_refused_and_the_walk_goes_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    build(tmp_path, "z.txt")
    assert seen(tmp_path, tmp_path / "fifo", "/dev/null") == [
        "fifo: not_regular",
        "z.txt",
        "fifo: not_regular",
        "null: not_regular",
    ]


@pytest.mark.parametrize("path", ["gone", "gone/deeper", "~nobody-of-this-name/x", "a\0b"])
def test_a_path_that_is_not_there_is_refused(tmp_path: Path, path: str) -> None:
    (entry,) = walk([tmp_path / path])
    assert isinstance(entry, Refused)
    assert entry.reason is GateRefusal.UNREADABLE
    assert str(tmp_path) not in entry.message + entry.reference


def test_a_file_that_vanishes_after_the_walk_is_a_refusal_of_its_own(tmp_path: Path) -> None:
    build(tmp_path, "a.txt")
    (entry,) = walk([tmp_path])
    assert isinstance(entry, Candidate)
    (tmp_path / "a.txt").unlink()
    assert isinstance(entry.open(), Refused)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.txt", ["a.txt", "b.txt"]),
        ("[ab].txt", ["a.txt", "b.txt"]),
        ("?.md", ["c.md"]),
        ("**/*.txt", ["a.txt", "b.txt", "sub/d.txt", "sub/deep/e.txt"]),
        ("**", ["a.txt", "b.txt", "c.md", "sub/d.txt", "sub/deep/e.txt"]),
        ("sub/*", ["d.txt", "deep/e.txt"]),
        ("s*/*.txt", ["sub/d.txt"]),
        ("*/deep", ["sub/deep/e.txt"]),
        ("s*", ["sub/d.txt", "sub/deep/e.txt"]),
        ("**/deep/**", ["sub/deep/e.txt"]),
        (".*", [".hidden.txt", ".secret/f.txt"]),
        ("*.pdf", ["*.pdf: unreadable"]),
        ("nothing/*.pdf", [".: unreadable"]),
    ],
)
def test_a_glob_takes_what_it_meets(tmp_path: Path, pattern: str, expected: list[str]) -> None:
    build(tmp_path, "a.txt", "b.txt", "c.md", "sub/d.txt", "sub/deep/e.txt", ".hidden.txt", ".secret/f.txt")
    assert seen(tmp_path / pattern) == expected


def test_a_name_that_reads_like_a_glob_is_a_name_when_it_is_there(tmp_path: Path) -> None:
    build(tmp_path, "a[1].txt", "a1.txt")
    assert seen(tmp_path / "a[1].txt") == ["a[1].txt"]


def test_a_glob_looks_only_where_it_can_match(tmp_path: Path) -> None:
    build(tmp_path, "a.txt", "big/b.txt")
    (tmp_path / "big" / "loop").symlink_to("..")
    os.mkfifo(tmp_path / "big" / "fifo")
    assert seen(tmp_path / "*.txt") == ["a.txt"]


def test_a_glob_does_not_leave_its_folder_through_a_link(tmp_path: Path) -> None:
    root = build(tmp_path / "root", "a.txt")
    build(tmp_path, "outside/b.txt")
    (root / "way").symlink_to("../outside")
    assert seen(root / "**/*.txt") == ["a.txt"]
    assert seen(root / "*") == ["a.txt", "way: outside_root"]


def test_names_of_any_bytes_are_walked_spelled_and_opened(tmp_path: Path) -> None:
    names = [b"caf\xe9", b"new\nline", b"back\\slash", "naïve 日本".encode(), b"tab\t\xff"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    found = {entry.reference: entry for entry in walk([tmp_path]) if isinstance(entry, Candidate)}
    assert sorted(found) == sorted([r"caf\xe9", r"new\x0aline", r"back\\slash", "naïve 日本", r"tab\x09\xff"])
    for entry in found.values():
        opened = entry.open()
        assert not isinstance(opened, Refused)
        with opened:
            assert opened.reference == entry.reference
            assert opened.file.read() == entry.path
        assert Path(entry.place).read_bytes() == entry.path


def test_folders_deeper_than_a_path_can_be_long_are_walked(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d" * 20, dir_fd=here)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("end.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    (entry,) = walk([tmp_path])
    assert isinstance(entry, Candidate)
    assert entry.reference.count("/") == 300
    opened = entry.open()
    assert not isinstance(opened, Refused)
    opened.file.close()


def test_why_an_entry_is_passed_over_is_a_closed_list() -> None:
    assert sorted(Why) == ["hidden", "linked_folder"]
