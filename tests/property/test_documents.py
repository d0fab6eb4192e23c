"""Laws of `document.md`: nothing from outside can end its fence, and offsets cut exactly what they name."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.documents import outside_fences

from eyeline.convert.document import DocumentBuilder, Front, Piece
from eyeline.convert.passages import passages_of
from eyeline.convert.text import pieces_of
from eyeline.model.digest import Digest
from eyeline.model.limits import PLAIN
from eyeline.model.locator import Locator
from eyeline.model.reading import DerivationKind

FRONT = Front(Digest.of(b""), PLAIN, 0, "text/1", {}, ())
HOSTILE = st.text(st.sampled_from("`~#->\n ab---:é語"), max_size=200)


@pytest.mark.requirement("SA-08")
@given(st.lists(HOSTILE, min_size=1, max_size=4))
def test_a_fence_holds_whatever_it_holds(texts: list[str]) -> None:
    builder = DocumentBuilder()
    for number, text in enumerate(texts, start=1):
        builder.heading(f"Section {number}")
        builder.quote(f"Section {number}", DerivationKind.OCR, pieces=[Piece(text, Locator(page=number))])
    built = builder.build(FRONT)
    assert [built.text[section.start : section.end] for section in built.sections] == texts
    assert outside_fences(built.text).count("## Section") == len(texts)
    segments = built.source_map.segments
    assert segments[0].start == 0
    assert segments[-1].end == len(built.text) == built.source_map.chars
    assert all(left.end == right.start for left, right in pairwise(segments))


@given(st.text(st.sampled_from("ab\n é"), max_size=5000))
def test_pieces_of_a_text_are_the_text_and_know_their_lines(text: str) -> None:
    pieces = list(pieces_of(text))
    assert "".join(piece.text for piece in pieces) == text
    lines = text.split("\n")
    for piece in pieces:
        found = piece.locator.lines
        if found is not None:
            assert piece.text.rstrip("\n") == "\n".join(lines[found.first - 1 : found.last]).rstrip("\n")


@given(st.text(min_size=1, max_size=3000))
def test_passages_are_what_their_offsets_cut(text: str) -> None:
    builder = DocumentBuilder()
    builder.quote("Text", DerivationKind.PASSTHROUGH, pieces=pieces_of(text))
    built = builder.build(FRONT)
    for passage in passages_of(built):
        assert built.text[passage.start : passage.end] == passage.text
