from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.model.plain_text import plain_line, plain_lines


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("tab\there", "tab here"),
        ("\x1b[31mred\x07", "[31mred"),
        ("\u202egnp.exe\u2066\u200b\ufeff", "gnp.exe"),
        ("hid\U000e0041den", "hidden"),
        ("\ue000private\ud800", "private"),
        ("  \n kept inside  a line \n ", "kept inside  a line"),
    ],
)
def test_what_is_not_seen_or_moves_the_cursor_is_left_out(text: str, plain: str) -> None:
    assert plain_lines(text, max_chars=100) == plain


def test_scripts_and_emoji_keep_what_they_need() -> None:
    text = "نمی\u200cخواهم क्\u200dष 👩\u200d💻 ❤\ufe0f"
    assert plain_lines(text, max_chars=100) == text


def test_a_line_has_no_line_ends() -> None:
    assert plain_line("two\nlines", max_chars=100) == "two lines"


@given(st.text(), st.integers(min_value=0, max_value=40))
def test_what_is_plain_is_bounded_and_stays_as_it_is(text: str, max_chars: int) -> None:
    plain = plain_lines(text, max_chars=max_chars)
    assert len(plain) <= max_chars
    assert plain_lines(plain, max_chars=max_chars) == plain
    assert not any(unicodedata.category(each) in ("Cc", "Cs", "Cn") for each in plain if each != "\n")
