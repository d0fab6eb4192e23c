from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.jobs import CountingFetch, call

from eyeline.errors import InvalidRequest, LocatorOutOfRange
from eyeline.media.text import admit, read_text


def probe(data: bytes, media_type: str = "text/plain", *, max_text_bytes: int = 1 << 20) -> dict[str, Any]:
    answer, _ = call(admit, data, media_type=media_type, max_text_bytes=max_text_bytes)
    assert answer["outcome"] == "admitted", answer["reason"]
    return answer["probe"]


def read(data: bytes, **params: object) -> tuple[str, dict[str, Any]]:
    value, outputs = call(read_text, data, **params)
    assert len(outputs) == 1
    return outputs[0].decode("utf-8"), value


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"plain", "utf-8", "plain"),
        ("häuser €".encode(), "utf-8", "häuser €"),
        ("\ufeffmark".encode(), "utf-8", "mark"),
        ("häuser".encode("utf-16"), "utf-16-le", "häuser"),
        (b"\xfe\xff" + "häuser".encode("utf-16-be"), "utf-16-be", "häuser"),
        ("plain words".encode("utf-16-le"), "utf-16-le", "plain words"),
        ("plain words".encode("utf-16-be"), "utf-16-be", "plain words"),
        ("wide".encode("utf-32"), "utf-32-le", "wide"),
        ("häuser – “so”".encode("cp1252"), "windows-1252", "häuser – “so”"),
        ('<?xml version="1.0" encoding="KOI8-R"?><a>мир</a>'.encode("koi8-r"), "koi8-r", None),
        ("<meta charset=Shift_JIS>日本語".encode("cp932"), "shift_jis", None),
        ("# coding: latin-1\nhäuser".encode("latin-1"), "iso-8859-1", None),
    ],
)
def test_an_encoding_is_found_and_its_characters_are_read(data: bytes, encoding: str, text: str | None) -> None:
    shown, value = read(data)
    assert value["encoding"] == encoding
    assert shown == (text if text is not None else data.decode(encoding.replace("shift_jis", "cp932")))
    assert probe(data)["encoding"] == encoding


def test_a_guess_a_declaration_and_a_mark_are_told_apart() -> None:
    assert "guessed_encoding" in probe("häuser".encode("latin-1"))["notes"]
    assert "declared_encoding" in probe("# coding: latin-1\nhäuser".encode("latin-1"))["notes"]
    assert "byte_order_mark" in probe("\ufeffx".encode())["notes"]
    assert probe("häuser\n".encode())["notes"] == []


def test_utf8_with_a_damaged_character_stays_utf8() -> None:
    data = "日本語のテキスト".encode()[:-1]
    facts = probe(data)
    assert (facts["encoding"], facts["chars"]) == ("utf-8", 8)
    assert "invalid_bytes" in facts["notes"]
    assert read(data)[0] == "日本語のテキス\ufffd"


def test_a_replacement_character_of_the_source_is_no_damage_even_across_a_block() -> None:
    data = b"x" * ((1 << 20) - 1) + "\ufffd end".encode()
    assert probe(data, max_text_bytes=1 << 22)["notes"] == []


@pytest.mark.parametrize(
    ("data", "lines", "note"),
    [
        (b"", 0, None),
        (b"one", 1, None),
        (b"one\n", 1, None),
        (b"one\ntwo", 2, None),
        (b"one\r\ntwo\r\n", 2, "newline_crlf"),
        (b"one\rtwo", 2, "newline_cr"),
        (b"one\r\ntwo\nthree", 3, "newline_mixed"),
        (b"\n\n\n", 3, None),
    ],
)
@pytest.mark.requirement("SA-16")
def test_lines_are_counted_as_they_are_shown(data: bytes, lines: int, note: str | None) -> None:
    facts = probe(data)
    assert facts["lines"] == lines
    assert facts["notes"] == ([] if note is None else [note])
    assert facts["chars"] == len(read(data)[0])


def test_a_new_line_cut_by_a_block_is_one() -> None:
    data = b"x" * ((1 << 20) - 1) + b"\r\ny"
    facts = probe(data, max_text_bytes=1 << 22)
    assert (facts["chars"], facts["lines"]) == ((1 << 20) + 1, 2)


def test_control_characters_are_shown_as_pictures_one_for_one() -> None:
    text, _ = read(b"a\x00b\x1b[31mc\x7f\td\xc2\x85")
    assert text == "a␀b␛[31mc␡\td\ufffd"


@pytest.mark.requirement("SA-05")
def test_what_is_no_text_is_malformed_and_a_coloured_log_is_text() -> None:
    answer, _ = call(admit, bytes(range(256)) * 20, media_type="text/plain", max_text_bytes=1 << 20)
    assert (answer["outcome"], answer["probe"]) == ("malformed", None)
    assert "control_characters" in probe(b"\x1b[31mE\x1b[0m ok\n" * 50)["notes"]


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_range_of_lines_and_the_same_range_of_characters_agree(newline: str) -> None:
    data = newline.join(f"line {number} ü" for number in range(1, 101)).encode()
    text, value = read(data, lines=[10, 12])
    assert text == "line 10 ü\nline 11 ü\nline 12 ü"
    assert (value["first_line"], value["last_line"], value["is_complete"]) == (10, 12, True)
    assert read(data, chars=[value["start"], value["end"]])[0] == text


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    "asked", [{"lines": [3, 4]}, {"lines": [4, 4]}, {"chars": [0, 9]}, {"chars": [9, 9]}, {"chars": [100, 200]}]
)
def test_a_range_outside_the_text_says_its_real_extent(asked: dict[str, list[int]]) -> None:
    with pytest.raises(LocatorOutOfRange) as caught:
        read(b"one\ntwo\n", **asked)
    assert caught.value.detail == {"chars": 8, "lines": 2}


def test_the_last_line_and_the_empty_range_at_the_end_are_inside() -> None:
    assert read(b"one\ntwo", lines=[2, 2])[0] == "two"
    assert read(b"one\n\n", lines=[2, 2])[0] == ""
    assert read(b"one", chars=[3, 3])[0] == ""


def test_a_bound_cuts_and_says_so() -> None:
    text, value = read(b"one\ntwo\nthree", max_chars=5)
    assert (text, value["end"], value["is_complete"]) == ("one\nt", 5, False)
    assert (value["first_line"], value["last_line"]) == (1, 2)
    assert read(b"one\ntwo", max_chars=7)[1]["is_complete"]


def test_a_given_encoding_is_not_looked_for_and_an_unknown_one_is_refused() -> None:
    data = "häuser".encode("latin-1") * 100_000
    searched, known = CountingFetch(data), CountingFetch(data)
    call(read_text, searched.reader(), chars=[0, 5])
    _, outputs = call(read_text, known.reader(), chars=[0, 5], encoding="windows-1252")
    assert outputs == ("häuse".encode(),)
    assert known.bytes_read < searched.bytes_read
    with pytest.raises(InvalidRequest):
        call(read_text, data, encoding="rot13")


def test_a_text_over_the_bound_is_admitted_with_a_note() -> None:
    assert "over_text_bound" in probe(b"line\n" * 100, max_text_bytes=100)["notes"]


@pytest.mark.parametrize(
    ("data", "media_type", "notes"),
    [
        (b'{"a": 1}', "application/json", []),
        (b'{"a": 1', "application/json", ["json_not_parsed"]),
        (b"[" * 100_000, "application/json", ["json_not_parsed"]),
        (b'{"a": 1}\n\n{"b": 2}\n', "application/x-ndjson", []),
        (b'{"a": 1}\n{"b"\n', "application/x-ndjson", ["json_not_parsed"]),
        (b"a;b;c\n1;2;3\n", "text/csv", ["delimiter_semicolon", "columns_3"]),
        (b'a,b\n"x,y",2\n', "text/csv", ["delimiter_comma", "columns_2"]),
        (b"a\tb\n1\t2\n", "text/tab-separated-values", ["delimiter_tab", "columns_2"]),
        (b"just one column\n", "text/csv", []),
    ],
)
def test_structure_that_does_not_hold_is_a_note_and_no_refusal(data: bytes, media_type: str, notes: list[str]) -> None:
    assert probe(data, media_type)["notes"] == notes


@given(st.text(st.characters(codec="utf-8"), max_size=200), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_any_text_with_a_mark_is_read_back_but_for_what_is_normalised(text: str, encoding: str) -> None:
    data = ("\ufeff" + text).encode("utf-8") if encoding == "utf-8" else text.encode(encoding)
    shown, value = read(data)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert len(shown) == len(plain)
    assert all(a == b or not b.isprintable() for a, b in zip(shown, plain, strict=True))
    assert (value["start"], value["end"]) == (0, len(shown))


@given(st.binary(max_size=300), st.data())
def test_any_bytes_are_read_and_every_range_of_them_is_the_slice(data: bytes, draws: st.DataObject) -> None:
    whole, value = read(data)
    start = draws.draw(st.integers(0, len(whole)))
    end = draws.draw(st.integers(start, len(whole)))
    assert read(data, chars=[start, end], encoding=value["encoding"])[0] == whole[start:end]
    lines = whole.removesuffix("\n").split("\n") if whole else []
    if lines:
        first = draws.draw(st.integers(1, len(lines)))
        last = draws.draw(st.integers(first, len(lines)))
        assert read(data, lines=[first, last], encoding=value["encoding"])[0] == "\n".join(lines[first - 1 : last])
