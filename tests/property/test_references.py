"""Laws of references and of the file boundary, over paths and links that nobody would write by hand."""

from __future__ import annotations

import os
import shutil
import tempfile
import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import InvalidRequest
from eyeline.source.path import FileBoundary, OpenedFile
from eyeline.source.reference import path_of, reference_of

names = st.sampled_from(["a", "b", "c"])
steps = st.sampled_from(["a", "b", "c", "..", ".", ""])
targets = st.lists(steps, min_size=1, max_size=4).map("/".join) | st.sampled_from(
    ["{root}/a", "{root}/b/c", "{root}/../outside", "{root}-evil/a", "{outside}", "{outside}/a", "/"]
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


@given(st.binary().filter(lambda path: b"\0" not in path))
def test_every_path_has_one_reference_that_leads_back_to_it(path: bytes) -> None:
    reference = reference_of(path)
    assert path_of(reference) == path
    assert all(unicodedata.category(each) not in {"Cc", "Cs", "Zl", "Zp"} for each in reference)
    reference.encode("utf-8")


@given(st.text() | st.text(alphabet="\\x0af/é"))
def test_every_text_is_one_reference_or_none(text: str) -> None:
    try:
        path = path_of(text)
    except InvalidRequest:
        return
    assert reference_of(path) == text


@given(st.binary(), st.binary())
def test_references_of_parts_joined_are_the_reference_of_the_path(first: bytes, second: bytes) -> None:
    whole = first + b"/" + second
    assert reference_of(whole) == f"{reference_of(first)}/{reference_of(second)}"


@given(
    st.lists(st.tuples(paths, st.sampled_from(["file", "folder"]) | targets.map("link:".__add__)), max_size=8),
    st.lists(paths | targets, min_size=1, max_size=6),
)
def test_whatever_the_links_only_the_file_the_system_finds_inside_is_opened(
    entries: list[tuple[str, str]], asked: list[str]
) -> None:
    """The system's own resolution of the same path is the witness; a path that it leads outside is never opened."""
    home = Path(tempfile.mkdtemp(prefix="eyeline-test-")).resolve()
    try:
        root, outside = home / "root", home / "outside"
        for folder in (root, outside, home / "root-evil"):
            folder.mkdir()
            (folder / "a").write_text("outside") if folder != root else None
        for path, kind in entries:
            make(root / path, kind, root=root, outside=outside)
        for path in asked:
            check(path.format(root=root, outside=outside), root=root, has_links_up=leads_up(entries))
    finally:
        shutil.rmtree(home)


def make(path: Path, kind: str, *, root: Path, outside: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.resolve().is_relative_to(root):
            return
        if kind == "folder":
            path.mkdir()
        elif kind == "file":
            path.write_text("inside")
        elif path != root:
            path.symlink_to(kind.removeprefix("link:").format(root=root, outside=outside) or ".")
    except OSError:
        # taken by an entry before it
        return


def leads_up(entries: list[tuple[str, str]]) -> bool:
    return any(".." in kind or "/" in kind.removeprefix("link:")[:1] or "{" in kind for _, kind in entries)


def kernel_finds(path: Path) -> Path | None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    finally:
        os.close(descriptor)


def check(asked: str, *, root: Path, has_links_up: bool) -> None:
    found = FileBoundary(root).look(asked)
    real = kernel_finds(root / asked)
    if isinstance(found, OpenedFile):
        with found:
            assert found.file.read() == b"inside"
            assert real is not None
            assert real == root / found.resolved
    elif real is not None and real.is_file() and not has_links_up and ".." not in asked and not asked.startswith("/"):
        raise AssertionError(f"{asked!r} is inside and was refused: {found}")
