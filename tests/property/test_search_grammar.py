"""Laws of the search grammar and of cursors, over any text."""

from __future__ import annotations

import string
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.cursors import Key, fingerprint, read_cursor, write_cursor
from eyeline.catalog.folding import fold, index_form, literal
from eyeline.catalog.query import parse
from eyeline.errors import InvalidRequest
from eyeline.testing.catalog_samples import convert, found, take_in

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=60)
TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]), st.sampled_from(string.printable + "東京ガタ한국ไทยé\u0301ß’“ﬁ🙂")
    ),
    max_size=60,
)
TAKES = count(1)
WITHIN_ONE_TEST = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Catalog.open(tmp_path / "catalog.sqlite") as opened:
        yield opened


@given(ANY_TEXT)
def test_any_text_is_read_as_a_query(text: str) -> None:
    query = parse(text)
    assert query.blank == (not text.strip())
    query.holds(text)
    assert 0 <= query.first_match(text) <= len(text)


@given(TEXT)
def test_folding_leaves_nothing_to_fold(text: str) -> None:
    assert literal(literal(text)) == literal(text)


@given(TEXT, TEXT)
def test_words_of_a_part_are_words_of_the_whole(before: str, part: str) -> None:
    whole = index_form(fold(f"{before} {part}"))
    inner = index_form(fold(part))
    assert f" {inner.words} " in f" {whole.words} " or not inner.words
    assert set(inner.symbols.split()) <= set(whole.symbols.split())


@WITHIN_ONE_TEST
@given(query=ANY_TEXT)
def test_no_query_fails_in_the_database(catalog: Catalog, query: str) -> None:
    catalog.search(query)


@WITHIN_ONE_TEST
@given(texts=st.lists(TEXT, min_size=1, max_size=2))
def test_every_word_of_a_text_finds_the_text_as_a_literal_phrase(catalog: Catalog, texts: list[str]) -> None:
    recorded = take_in(catalog, "a.bin")
    convert(catalog, recorded, texts=texts, take=next(TAKES))
    for page, text in enumerate(texts, start=1):
        for word in text.split()[:3]:
            phrase = f'"{word}"'
            if '"' not in word and parse(phrase).terms:
                assert f"a.bin#page={page}" in found(catalog, phrase), (word, text)


KEYS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.lists(KEYS, max_size=4))
def test_a_cursor_brings_back_its_keys(keys: list[Key]) -> None:
    question = fingerprint("list", keys)
    cursor = write_cursor(question, tuple(keys))
    assert cursor.isascii()
    assert read_cursor(cursor, question, kinds=tuple(type(key) for key in keys)) == tuple(keys)
    with pytest.raises(InvalidRequest):
        read_cursor(cursor, fingerprint("another"), kinds=tuple(type(key) for key in keys))


@given(st.one_of(ANY_TEXT, st.binary(max_size=40).map(bytes.hex)))
def test_any_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(InvalidRequest):
        read_cursor(text, fingerprint("list"), kinds=(str, int))
