"""Laws of names in the tree: safe in every file system, stable, never out of the tree; and of text that is shown."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from eyeline.model.display import shown
from eyeline.model.document import Document, SourceKind
from eyeline.tree.layout import MAX_PART_BYTES, name_path, safe_part

ANY = st.text(st.characters(), min_size=1, max_size=400)


@given(ANY)
def test_a_part_is_one_safe_name(name: str) -> None:
    part = safe_part(name)
    assert part not in ("", ".", "..")
    assert "/" not in part
    assert "\x00" not in part
    assert not part.startswith(".")
    assert not part.endswith((".", " "))
    assert len(part.encode()) <= MAX_PART_BYTES
    assert all(unicodedata.category(character) not in ("Cc", "Cf", "Cs") for character in part)
    assert safe_part(name) == part


@given(st.text(st.sampled_from("ab.%/\\: \n"), max_size=8), st.text(st.sampled_from("ab.%/\\: \n"), max_size=8))
def test_two_names_meet_only_when_they_are_one(one: str, other: str) -> None:
    assert (safe_part(one) == safe_part(other)) == (one == other)


@given(ANY, ANY)
def test_a_name_path_stays_below_by_name(collection: str, reference: str) -> None:
    document = Document("doc_" + "0" * 32, collection, SourceKind.PATH, reference, "t", 0)
    path = name_path(document)
    assert path.parts[0] == "by-name"
    assert len(path.parts) >= 3
    assert ".." not in path.parts
    assert not path.is_absolute()


@given(ANY)
def test_shown_text_is_one_harmless_line(text: str) -> None:
    line = shown(text)
    assert len(line.splitlines()) <= 1
    assert "`" not in line
    assert all(unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in line)
