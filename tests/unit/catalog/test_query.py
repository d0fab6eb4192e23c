"""What a query is read as."""

from __future__ import annotations

import pytest

from eyeline.catalog.folding import fold, index_form, positions
from eyeline.catalog.query import Term, parse, terms_of
from eyeline.errors import LimitExceeded


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("pump serial", (Term("pump"), Term("serial"))),
        ('"serial  number" pump', (Term("serial number"), Term("pump"))),
        ('-draft -"first draft"', (Term("draft", excluded=True), Term("first draft", excluded=True))),
        ("pum* Straße", (Term("pum", prefix=True), Term("strasse"))),
        ("C++ it’s NEAR(", (Term("c++"), Term("it's"), Term("near("))),
        ("--verbose - * ** a**", tuple(map(Term, ("--verbose", "-", "*", "**", "a**")))),
        ('" "" "open', (Term('"'), Term('""'), Term('"open'))),
        ('-"*', (Term('"*', excluded=True),)),
        ("What is it? (really).", (Term("what"), Term("is"), Term("it"), Term("(really)."))),
        ("C++, 3.5; a.b:", (Term("c++,"), Term("3.5"), Term("a.b"))),
        ("pump PUMP pump", (Term("pump"),)),
        ("\0 \udcff \u200b \u0301", ()),
    ],
)
def test_a_query_is_read_as_its_terms(text: str, terms: tuple[Term, ...]) -> None:
    assert parse(text).terms == terms


def test_only_white_space_is_blank() -> None:
    assert [parse(text).blank for text in ("", " \n\t", "\0", "x")] == [True, True, False, False]


def test_a_term_with_symbols_is_looked_for_in_the_text_and_as_whole_words() -> None:
    query = parse("C++ -a.b")
    assert query.literal
    assert [query.holds(text) for text in ("in  C++!", "abc++", "c + +", "c++ and a.b", "c++ and xa.b")] == [
        True,
        False,
        False,
        False,
        True,
    ]


def test_the_first_match_is_told_in_characters_of_the_text_itself() -> None:
    text = "ﬁ\u0301 ﬃ and\nthe   Straße"
    assert text[parse("the strasse").first_match(text) :] == "the   Straße"
    assert text[parse('"the strasse"').first_match(text) :] == "the   Straße"
    assert parse("absent").first_match(text) == 0


def test_terms_are_offered_for_finding_them_again() -> None:
    assert terms_of('Pump -draft "Serial  No"') == ("pump", "serial no")


def test_a_query_over_its_bounds_says_which() -> None:
    with pytest.raises(LimitExceeded) as too_long:
        parse("x" * 4097)
    with pytest.raises(LimitExceeded) as too_many:
        parse(" ".join(map(str, range(65))))
    assert (too_long.value.detail["limit"], too_many.value.detail["limit"]) == ("query_chars", "query_terms")


def test_words_are_cut_at_symbols_and_unspaced_scripts_at_every_character() -> None:
    form = index_form(fold("snake_case C++ 東京tower हिन्दी!"))
    assert form.words == "snake case c 東 京 tower हिन्दी"
    assert form.symbols == "x21 x2b x5f"


def test_positions_lead_back_to_the_text() -> None:
    folded, origins = positions("ﬁX")
    assert (folded, list(origins)) == ("fix", [0, 0, 1])
    assert list(positions("É\n")[1]) == [0, 1]
