"""Names are given to the first who asks, kept, found wherever they stand, and taken without a trace."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from eyeline.tree.layout import Name
from eyeline.tree.naming import Names

FIRST, SECOND, THIRD = (f"doc_{digit * 32}" for digit in "123")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for doc_id in (FIRST, SECOND, THIRD):
        (tmp_path / doc_id).mkdir()
    return tmp_path


def names(root: Path) -> Names:
    return Names(root, staging=root / ".staging")


def found(root: Path, doc_id: str, reference: str) -> list[str]:
    return [str(path) for path in names(root).found(doc_id, Name("default", reference))]


def everything(root: Path) -> set[str]:
    """All that stands in the tree beside the folders of documents."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.name.startswith("doc_")}


@pytest.mark.parametrize("reference", ["a.txt", "deep/er/a.txt", "a b/ü.txt", "%41/../x"])
def test_a_name_that_was_taken_leaves_nothing(root: Path, reference: str) -> None:
    name = Name("default", reference)
    before = everything(root)
    names(root).give(FIRST, name)
    (path,) = found(root, FIRST, reference)
    assert (root / path).resolve() == (root / FIRST).resolve()
    names(root).take(FIRST, name)
    assert everything(root) - {".staging"} == before | {".names", "by-name"}


def test_the_second_to_ask_gets_a_suffix_and_keeps_it_when_the_first_has_gone(root: Path) -> None:
    for doc_id, reference in ((FIRST, "Note.txt"), (SECOND, "note.txt")):
        names(root).give(doc_id, Name("default", reference))
    assert found(root, FIRST, "Note.txt") == ["by-name/default/Note.txt"]
    assert found(root, SECOND, "note.txt") == ["by-name/default/note.txt~22222222"]
    names(root).take(FIRST, Name("default", "Note.txt"))
    names(root).give(SECOND, Name("default", "note.txt"))
    assert found(root, SECOND, "note.txt") == ["by-name/default/note.txt~22222222"]
    names(root).take(SECOND, Name("default", "note.txt"))
    assert not (root / "by-name" / "default").exists()


def test_a_name_below_the_name_of_a_document_is_found_and_taken(root: Path) -> None:
    names(root).give(FIRST, Name("default", "plan"))
    names(root).give(SECOND, Name("default", "plan/b.txt"))
    assert found(root, SECOND, "plan/b.txt") == ["by-name/default/plan~folder/b.txt"]
    names(root).take(FIRST, Name("default", "plan"))
    assert found(root, SECOND, "plan/b.txt") == ["by-name/default/plan~folder/b.txt"]
    names(root).take(SECOND, Name("default", "plan/b.txt"))
    assert not (root / "by-name" / "default").exists()
    assert list((root / ".names").iterdir()) == []


def test_a_claim_of_a_document_that_is_gone_does_not_hold(root: Path) -> None:
    names(root).give(FIRST, Name("default", "a.txt"))
    (root / FIRST).rmdir()
    (root / "by-name" / "default" / "a.txt").unlink()
    names(root).give(SECOND, Name("default", "a.txt"))
    assert found(root, SECOND, "a.txt") == ["by-name/default/a.txt"]


def test_a_taking_that_was_broken_off_is_taken_up(root: Path) -> None:
    name = Name("default", "deep/a.txt")
    names(root).give(FIRST, name)
    (root / "by-name" / "default" / "deep" / "a.txt").unlink()
    names(root).take(FIRST, name)
    assert everything(root) - {".staging"} == {".names", "by-name"}


def test_a_file_that_holds_a_path_leads_where_links_do_not_work(root: Path) -> None:
    pointer = root / "by-name" / "default" / "a.txt"
    pointer.parent.mkdir(parents=True)
    pointer.write_text(f"../../{FIRST}\n")
    assert names(root).leads_to(PurePosixPath("by-name/default/a.txt")) == FIRST
    assert found(root, FIRST, "a.txt") == ["by-name/default/a.txt"]
    pointer.write_text("somebody's own words\n")
    assert names(root).leads_to(PurePosixPath("by-name/default/a.txt")) is None
