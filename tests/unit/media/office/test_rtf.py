from __future__ import annotations

from typing import Any

import pytest
from tests.support.jobs import call
from tests.support.office import PIXELS

from eyeline.errors import CorruptMedia
from eyeline.media.office.engine import RTF, read_blocks
from eyeline.media.office.rtf import MAX_DEPTH


def _read(body: str | bytes, *, head: str = r"\ansi\ansicpg1252") -> tuple[str, dict[str, Any], tuple[bytes, ...]]:
    """The text of a document of this body, what the job returns, and the pictures."""
    inside = body if isinstance(body, bytes) else body.encode("latin-1")
    value, (text, _, *pictures) = call(read_blocks, b"{\\rtf1" + head.encode() + b" " + inside + b"}", media_type=RTF)
    return text.decode(), value, tuple(pictures)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (r"\u8364?", "€"),
        (r"\u8364 ?5", "€5"),
        (r"\u8364\'805", "€5"),
        (r"\uc2\u26085\'93\'fa!", "日!"),
        (r"\uc0\u8364 5", "€5"),
        (r"{\uc0\u8364 }\u8364?5", "€€5"),
        (r"\u-10179?\u-8704?!", "😀!"),
        (r"\u-3913?", chr(65536 - 3913)),
        (r"\u8364{?}5", "€5"),
        (r"\u8364\par x", "€\n\nx"),
        (r"\u-10179?x", "�x"),
        (r"\u8364", "€"),
        (r"\uc99\u8364 12345678901", "€901"),
    ],
)
def test_a_letter_by_its_number_takes_the_place_of_what_old_programs_show(body: str, told: str) -> None:
    assert _read(body)[0].strip() == told


@pytest.mark.parametrize(
    ("head", "body", "told"),
    [
        (r"\ansi\ansicpg1252", r"caf\'e9", "café"),
        (r"\ansi\ansicpg1251", r"\'cf\'f0\'e8", "При"),
        (r"\ansi\ansicpg65001", r"\'c3\'a9", "é"),
        (r"\ansi\ansicpg932", r"\'83A\'93\'fa", "ア日"),
        (r"\ansi\ansicpg99999", r"caf\'e9", "café"),
        (r"\ansi", r"caf\'e9 \'80", "café €"),
        (r"\ansi{\fonttbl{\f0 A;}{\f1\fcharset161 B;}}", r"\'e1{\f1 \'e1}\'e1", "áαá"),
        (r"\ansi{\fonttbl{\f7\fcharset128 M;}}", r"\f7 \'93\'fa\plain  \'e9", "日 é"),
    ],
)
def test_bytes_are_letters_of_the_code_page_of_their_font(head: str, body: str, told: str) -> None:
    assert _read(body, head=head)[0].strip() == told


def test_bytes_as_they_are_belong_to_the_code_page_too() -> None:
    assert _read(b"\xcf\xf0\xe8", head=r"\ansi\ansicpg1251")[0].strip() == "При"


def test_a_table_keeps_its_rows_and_cells_and_what_stands_around_it() -> None:
    rows = r"\trowd\cellx1\cellx2\pard\intbl part\cell count | all\cell\row\pard\intbl valve\par seat\cell 12\cell\row"
    assert _read(rf"before\par {rows}\pard after\par")[0] == (
        "before\n\n| part | count \\| all |\n| --- | --- |\n| valve seat | 12 |\n\nafter\n"
    )


def test_a_picture_is_kept_once_whatever_forms_of_it_there_are() -> None:
    digits = "\r\n".join(PIXELS.hex()[at : at + 76] for at in range(0, len(PIXELS) * 2, 76))
    shown = rf"{{\*\shppict{{\pict{{\*\picprop x}}\pngblip\picw60 {digits}}}}}"
    old = r"{\nonshppict{\pict\wmetafile8 0123456789}}"
    text, value, pictures = _read(rf"before {shown}{old} after\par")
    assert pictures == (PIXELS,)
    assert text.strip() == f"before ![]({value['pictures'][0][0]}) after"


def test_groups_end_what_began_in_them() -> None:
    text, value, _ = _read(r"a{\v hidden {deeper} }b{\deleted gone}c{\v0 d}{\*\unknown no{no}}{\*\bkmkstart x}e}}} f")
    shown, _, hidden = text.partition("[hidden text]")
    assert shown.strip() == "abcde f"
    assert "hidden" in hidden
    assert "deeper" in hidden
    assert value["counts"]["deleted_text"] == len("gone")
    assert "gone" not in text
    assert "no" not in text


def test_bytes_of_a_kind_of_their_own_are_passed_over() -> None:
    assert _read(b"a{\\*\\objdata \\bin8 }}}}{{{{}b\\bin3 \\'ec\\bin-5 d")[0].strip() == "abcd"


@pytest.mark.parametrize("depth", [MAX_DEPTH - 2, MAX_DEPTH + 1])
def test_groups_inside_each_other_are_read_to_a_depth(depth: int) -> None:
    body = "{" * depth + "deep" + "}" * depth
    if depth < MAX_DEPTH:
        assert _read(body)[0].strip() == "deep"
    else:
        with pytest.raises(CorruptMedia):
            _read(body)


def test_notes_comments_and_margins_stand_apart() -> None:
    text, value, _ = _read(
        r"{\header top}word{\footnote a {\b note}}{\*\annotation look here}{\field{\*\fldinst HYPERLINK "
        r'"https://example.org/a"}{\fldrslt there}}\par'
    )
    assert text.startswith("word[^1][comment 1][there](https://example.org/a)\n")
    assert [section["kind"] for section in value["sections"]] == ["text", "margins", "notes", "comments"]
    assert "[^1]: a note" in text
    assert "[comment 1]: look here" in text


@pytest.mark.parametrize("word", ["INCLUDEPICTURE", "INCLUDETEXT", "LINK", "DDEAUTO"])
def test_what_a_field_asks_for_is_counted_and_its_result_is_read(word: str) -> None:
    text, value, _ = _read(rf'{{\field{{\*\fldinst {{ {word} "https://example.org/x"}}}}{{\fldrslt result}}}}\par')
    assert text.strip() == "result"
    assert value["counts"] == {"dde" if word == "DDEAUTO" else "outside": 1}


def test_a_document_that_is_cut_is_read_to_its_end() -> None:
    value, (text, *_) = call(read_blocks, rb"{\rtf1 one\par {\b two {\u83", media_type=RTF)
    assert text.decode().startswith("one\n\ntwo")
    assert value["is_complete"]
