from __future__ import annotations

import pytest
from tests.support.markup import read

from eyeline.media.markup_scan import CLOSED, END, RAW, START, TEXT, attributes_of, scan, text_of


def tokens(source: str) -> list[tuple[str, str]]:
    return [(each.kind, each.name or source[each.start : each.end]) for each in scan(source).tokens]


def test_tags_end_where_their_quoted_values_let_them() -> None:
    source = "<A b='>' c=\"</a>\" d=x>1<2</A ><br/>"
    assert tokens(source) == [(START, "a"), (TEXT, "1<2"), (END, "a"), (CLOSED, "br")]
    assert attributes_of(source, scan(source).tokens[0]) == {"b": ">", "c": "</a>", "d": "x"}


def test_references_in_addresses_are_resolved_as_browsers_do() -> None:
    source = '<a href="?a=1&copy=2&amp;b&lt;c&#x41;&nosuch;" href=second Title=a&ampb&notit;>'
    found = attributes_of(source, scan(source).tokens[0])
    assert found == {"href": "?a=1&copy=2&b<cA&nosuch;", "title": "a&ampb&notit;"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<svg><style>a<b>c</b></style></svg>", [START, START, TEXT, START, TEXT, END, END, END]),
        ("<style>a<b>c</b></style>", [START, END]),
        ("<svg><style/>x</svg>", [START, CLOSED, TEXT, END]),
        ("<svg><![CDATA[a<b]]></svg>", [START, RAW, END]),
        ("<p><![CDATA[a<b]]></p>", [START, END]),
        ("<svg><foreignObject><style>a<b></style>", [START, START, START, END]),
        ("<svg><p><style>a<b></style>", [START, START, START, END]),
        ("<svg></p><style>a<b></style>", [START, END, START, END]),
        ("<svg><font color=x><style>a<b></style>", [START, START, START, END]),
        ("<math><title>a<b></title>", [START, START, TEXT, START, END]),
        ("<xmp>a<b></xmp>", [START, RAW, END]),
        ("<plaintext>a</plaintext>", [START, RAW]),
        ("<script><!--<script></script>--></script>x", [START, END, TEXT]),
        ("<script><!--</script>x", [START, END, TEXT]),
    ],
)
def test_what_holds_characters_only_depends_on_what_is_around_it(source: str, expected: list[str]) -> None:
    assert [each.kind for each in scan(source).tokens] == expected


def test_long_runs_are_cut_at_blanks_and_lose_nothing() -> None:
    source = " ".join(f"word{number}&amp;" for number in range(1000))
    runs = scan(source).tokens
    assert len(runs) > 10
    assert "".join(source[each.start : each.end] for each in runs) == source
    assert "".join(text_of(source, each) for each in runs) == source.replace("&amp;", "&")


def test_more_tags_than_are_taken_are_a_rest_with_a_place() -> None:
    source = "<b>x</b>" * 10
    found = scan(source, max_tokens=6)
    assert not found.is_complete
    assert source[found.end :] == "<b>x</b>" * 8


def test_very_many_blocks_are_joined_for_the_reader() -> None:
    found = read("".join(f"<p>{number}</p>" for number in range(25_000)))
    assert found.text.count("\n\n") == 24_999
    assert len(found.blocks) < 1000
    assert all(block.source is not None for block in found.blocks)
