from __future__ import annotations

import base64

import pytest
from tests.support.jobs import call
from tests.support.markup import XML, read

from eyeline.media.markup import admit, read_blocks
from eyeline.media.sample_pictures import make_picture


def test_xml_is_an_outline_of_elements_with_places() -> None:
    found = read(
        '<?xml version="1.0"?>\n<rss xmlns:a="urn:x" version="2.0"><channel>'
        "<title>News &amp; more</title><empty/><item a:id='7'>only text</item></channel></rss>",
        XML,
    )
    assert found.text == (
        'rss version="2.0"\n  channel\n    title: News & more\n    empty\n    item a:id="7": only text\n'
    )
    assert found.source_of("title") == "<title>News &amp; more</title>"
    assert found.source_of("empty") == "<empty/>"
    assert found.source_of("rss") == '<rss xmlns:a="urn:x" version="2.0">'
    assert found.source_of("item") == "<item a:id='7'>only text</item>"


def test_running_text_stays_on_one_line_and_keeps_its_links() -> None:
    found = read('<d><p>The <b>quick</b>\n  fox <a href="/x">runs</a>&#x21;</p>stray<s><p>2</p></s></d>', XML)
    assert found.text == "d\n  p: The quick fox [runs](/x)!\n  stray\n  s\n    p: 2\n"


def test_character_data_keeps_its_lines() -> None:
    found = read("<d><code><![CDATA[\nif a < b:\n    x]]></code><note>a\n b</note></d>", XML)
    assert found.text == "d\n  code:\n    if a < b:\n        x\n  note: a b\n"


def test_places_count_characters_and_not_bytes() -> None:
    source = '<?xml version="1.0" encoding="utf-8"?><!-- ä --><d><a>日本語</a><b ü="x">🙂</b><c>end</c></d>'
    found = read(source, XML)
    assert found.source_of("日本語") == "<a>日本語</a>"
    assert found.source_of("end") == "<c>end</c>"
    assert found.source_of("🙂") == '<b ü="x">🙂</b>'
    assert found.value["unseen"] == {"comments": 3}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('<?xml version="1.0" encoding="ISO-8859-1"?><d>häuser</d>'.encode("latin-1"), "d: häuser\n"),
        ('<?xml version="1.0" encoding="UTF-16"?><d>häuser</d>'.encode("utf-16"), "d: häuser\n"),
        (b'<?xml version="1.1" encoding="no-such-thing"?><d>x</d>', "d: x\n"),
        (b"\xef\xbb\xbf<d>\xff</d>", "d: \ufffd\n"),
    ],
)
def test_a_declared_encoding_never_stops_the_reading(data: bytes, text: str) -> None:
    value, outputs = call(read_blocks, data, media_type=XML)
    assert outputs[0].decode() == text
    assert value["is_well_formed"]


def test_what_stands_before_an_error_is_read_and_the_error_has_its_place() -> None:
    source = "<d><a>one</a><b>two</c><a>three</a></d>"
    found = read(source, XML)
    assert found.text == "d\n  a: one\n  b: two\n"
    assert not found.value["is_well_formed"]
    assert not found.value["is_complete"]
    assert source[: found.value["end"]].startswith("<d><a>one</a><b>two")


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    ("declared", "body", "text"),
    [
        (f'<!DOCTYPE d [<!ENTITY e0 "ha">{BOMB}]>', "<d>&e11;</d>", "d: &e11;\n"),
        (f'<!DOCTYPE d [<!ENTITY e0 "ha">{BOMB}]>', '<d a="&e11;"/>', 'd a=""\n'),
        ('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "<d>&x;</d>", "d: &x;\n"),
        ('<!DOCTYPE d SYSTEM "http://127.0.0.1/x.dtd">', "<d>&nbsp;&unknown;</d>", "d: &unknown;\n"),
        ('<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>', "<d>x</d>", "d: x\n"),
        ('<!DOCTYPE d [<!ATTLIST d a CDATA "filled in">]>', "<d>x</d>", "d: x\n"),
        ('<!DOCTYPE d [<!-- ]> --><?pi ]> ?><!ENTITY x "]>\'">]>', "<d>&x;</d>", "d: &x;\n"),
        ("", "<d>&nbsp;&undeclared;</d>", "d: &undeclared;\n"),
    ],
)
def test_no_entity_is_expanded_and_nothing_outside_is_read(declared: str, body: str, text: str) -> None:
    found = read(f'<?xml version="1.0"?>{declared}{body}', XML)
    assert found.text == text
    assert found.value["is_well_formed"]
    assert found.value["references"] == text.count("&") + (text == 'd a=""\n')


def test_a_second_document_type_ends_the_reading() -> None:
    found = read('<!DOCTYPE d><!DOCTYPE d [<!ENTITY x "y">]><d>&x;</d>', XML)
    assert found.text == ""
    assert not found.value["is_well_formed"]


def test_a_document_type_without_end_ends_the_reading() -> None:
    assert not read("<!DOCTYPE d [" + "<!-- -" * 50_000, XML).value["is_well_formed"]
    assert not read("<!DOCTYPE d [" + "<?" * 50_000, XML).value["is_well_formed"]
    assert not read("<!DOCTYPE d [" + "'" * 50_001, XML).value["is_well_formed"]


def test_deep_elements_are_read_without_end() -> None:
    found = read("<a>" * 20_000 + "deep" + "</a>" * 20_000, XML)
    assert found.text.count("a") == 20_000
    assert found.text.endswith("a: deep\n")


def test_long_values_are_cut_and_long_texts_have_places_of_their_own() -> None:
    words = " ".join(f"word{number}" for number in range(2000))
    found = read(f'<d a="{"x" * 5000}"><t>{words}</t></d>', XML)
    assert found.value["cut"] == 1
    assert len(found.text.splitlines()[0]) < 2100
    place = found.source_of("word1000")
    assert place is not None
    assert "word1000" in place
    assert len(place) < 1500


def test_pictures_in_base64_are_kept_and_never_shown_as_characters() -> None:
    data = make_picture(width=8, height=8)
    encoded = base64.b64encode(data).decode()
    lines = "\n".join(encoded[at : at + 60] for at in range(0, len(encoded), 60))
    source = f'<book><binary id="p">{lines}</binary><image href="data:image/png;base64,{encoded}"/></book>'
    found = read(source, XML)
    assert found.text == (
        'book\n  binary id="p": ![binary](assets/picture-0001.png)\n  image href="assets/picture-0001.png"\n'
    )
    assert found.pictures == (data,)
    assert found.value["pictures"][0][2:] == [source.index("<binary"), source.index("<image")]


def test_a_probe_tells_that_entities_are_declared() -> None:
    answer, _ = call(admit, b'<!DOCTYPE d [<!ENTITY x "y">]><d/>', media_type=XML, max_text_bytes=1000)
    assert answer["probe"]["notes"] == ["declares_entities"]
