"""Laws of reading markup: Lexbor alone is the witness for what a page says, and every block has its place."""

from __future__ import annotations

import json
import re
from html import escape, unescape

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode
from tests.support.markup import HTML, NOTEBOOK, XML, read

from eyeline.errors import CorruptMedia
from eyeline.media.markup_scan import scan, text_of
from eyeline.media.markup_tree import ENTER, LEAVE, NO_TOKEN, events_of

SOUP = [
    *(
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        '<i class="x>y">',
        "</i>",
        "<br/>",
        "<h1>",
        "</h1>",
        "</>",
        "</ x>",
    ),
    *("<table>", "<tr>", "<td>", "</td>", "</table>", "<caption>", "<col>", "<ul>", "<li>", "</ul>", "<dd>", "<pre>\n"),
    *(
        "<script>",
        "</script>",
        "<style>",
        "</style>",
        "<title>",
        "</title>",
        "<textarea>",
        "</textarea>",
        "<xmp>",
        "</xmp>",
    ),
    *(
        "<!--",
        "-->",
        "--!>",
        "<!---->",
        "<!-->",
        "<!DOCTYPE html>",
        "<![CDATA[",
        "]]>",
        "<?php x?>",
        "<select>",
        "<option>",
    ),
    *(
        "&amp;",
        "&lt;",
        "&notit;",
        "&copy",
        "&#65;",
        "&#x41",
        "&#",
        "&",
        " ",
        "\n",
        "<",
        ">",
        "</",
        "<3",
        "a",
        "b",
        "xyz",
    ),
    *(
        '"',
        "'",
        "=",
        "<a href=x?a&amp=1>",
        "</a>",
        '<img alt="<p>">',
        "<input value='>'>",
        '<p a="',
        '<A HREF=">">',
        "<p/>",
    ),
    *(
        "<noscript>",
        "</noscript>",
        "<iframe>",
        "</iframe>",
        "<body>",
        "</body>",
        "<head>",
        "</head>",
        "</html>",
        "<form>",
    ),
    *("<button>", "</button>", "<template>", "</template>", "<x-y>", "</x-y>", "<font color=red>", "</font>", "<nobr>"),
]
UNSHOWN = ("script", "style", "iframe", "noembed", "noframes")

soup = st.lists(st.sampled_from(SOUP), max_size=14).map("".join)


def _witness(source: str) -> str:
    parser = LexborHTMLParser(source)
    assert parser.root is not None
    texts = [node for node in parser.root.traverse(include_text=True) if node.is_text_node]
    return _dense("".join(node.text_content or "" for node in texts if _is_shown(node)))


def _is_shown(node: LexborNode) -> bool:
    return node.parent is None or node.parent.tag not in UNSHOWN


def _dense(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(soup)
def test_the_tree_of_a_page_says_what_the_tree_builder_alone_finds_in_it(source: str) -> None:
    found = scan(source)
    names, said = list[str](), list[str]()
    for kind, name, number in events_of(source, found):
        if kind == ENTER:
            names.append(name)
        elif kind == LEAVE:
            names.pop()
        elif number != NO_TOKEN and names[-1] not in UNSHOWN:
            said.append(text_of(source, found.tokens[number]))
    assert names == []
    assert _dense("".join(said)) == _witness(source)


@given(soup | st.text(max_size=60), st.integers(0, 40))
def test_blocks_cover_the_text_and_have_places_whatever_the_source_and_the_bound(source: str, bound: int) -> None:
    for media_type in (HTML, XML):
        found = read(source.replace("\r", ""), media_type, max_chars=bound)
        assert len(found.text) <= bound
        assert 0 <= found.value["end"] <= len(source)


@given(
    st.recursive(
        st.none() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "cells",
                        "cell_type",
                        "source",
                        "outputs",
                        "data",
                        "text/plain",
                        "text/html",
                        "image/png",
                        "metadata",
                    ]
                ),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_notebook_or_corrupt(value: object) -> None:
    try:
        read(json.dumps(value), NOTEBOOK)
    except CorruptMedia:
        return


words = st.lists(st.text(alphabet="abcäß日🙂<>&\"'|`#*_-", min_size=1, max_size=8), min_size=1, max_size=12)


@given(words)
def test_escaped_words_come_back_as_they_were_and_their_place_holds_them(given_words: list[str]) -> None:
    said = " ".join(given_words)
    page = read(f"<title>x</title><p>{escape(said)}</p>")
    assert page.blocks[-1].text == f"{said}\n"
    assert unescape(page.blocks[-1].source or "") == said
    outline = read(f"<d><t>{escape(said)}</t></d>", XML)
    assert outline.text == f"d\n  t: {said}\n"
