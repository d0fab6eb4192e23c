from __future__ import annotations

from typing import Any

import pytest
from tests.support.jobs import CountingFetch, call

from eyeline.errors import CorruptMedia, EncryptedMedia, LocatorOutOfRange
from eyeline.media.pdf import admit, read_outline, read_text
from eyeline.media.sample_pdf import (
    BLACK,
    WHITE,
    SampleEntry,
    SampleField,
    SampleFill,
    SampleLink,
    SamplePage,
    SamplePicture,
    SampleText,
    make_pdf,
    make_scanned_pdf,
)

NOISE = SamplePicture(bytes(range(256)) * 12, 32, 32, (0, 0, 612, 792))


def admission(data: bytes, *, max_pages: int = 20_000) -> dict[str, Any]:
    answer, outputs = call(admit, data, media_type="application/pdf", max_pages=max_pages)
    assert outputs == ()
    assert answer["decoder"].startswith("pdfium ")
    return answer


def page_text(page: SamplePage) -> dict[str, Any]:
    value, _ = call(read_text, make_pdf([page]), first=1, last=1)
    return value["pages"][0]


@pytest.mark.requirement("SA-05")
def test_pages_are_told_as_runs_of_equal_upright_sizes() -> None:
    pages = [*["text"] * 3, SamplePage(size_pt=(300, 200)), SamplePage(size_pt=(300, 200), rotate=90)]
    pages.append(SamplePage(size_pt=(300, 200), rotate=-90, crop=(10, 20, 100, 50)))
    probe = admission(make_pdf(pages))["probe"]
    assert probe["pages"] == [
        {"count": 3, "width_pt": 612.0, "height_pt": 792.0},
        {"count": 1, "width_pt": 300.0, "height_pt": 200.0},
        {"count": 1, "width_pt": 200.0, "height_pt": 300.0},
        {"count": 1, "width_pt": 50.0, "height_pt": 100.0},
    ]
    assert probe["notes"] == []


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        (make_pdf(["B32"], user_password="open sesame"), "encrypted"),
        (b"<html><body>B39</body></html>" * 100, "malformed"),
        (make_pdf(["B39"] * 20)[:-2000], "truncated"),
        (b"%PDF-1.7\n" + b"B39 " * 1000 + b"\n%%EOF\n", "malformed"),
        (make_pdf([]), "malformed"),
        (make_pdf([SamplePage(lost=True), SamplePage(lost=True)]), "malformed"),
    ],
)
def test_what_does_not_open_says_why(data: bytes, outcome: str) -> None:
    answer = admission(data)
    assert (answer["outcome"], answer["probe"]) == (outcome, None)
    assert answer["reason"]


@pytest.mark.parametrize(
    ("data", "notes"),
    [
        (b"junk\n" * 20 + make_pdf(["B39"]), ["junk_before_header"]),
        (make_pdf(["a"], owner_password="keep"), ["owner_password"]),
        (make_pdf(["a"], javascript="app.alert(1)", attachment=b"x"), ["has_javascript", "has_embedded_files"]),
        (make_pdf([SamplePage(fields=(SampleField((72, 72, 100, 20), "x"),))]), ["has_form"]),
        (make_pdf(["a", SamplePage(lost=True), "b"]), ["unreadable_pages"]),
    ],
)
def test_what_is_odd_but_harmless_opens_with_a_note(data: bytes, notes: list[str]) -> None:
    answer = admission(data)
    assert (answer["outcome"], answer["probe"]["notes"]) == ("admitted", notes)


def test_a_lost_page_counts_and_has_the_size_of_the_page_before() -> None:
    pages = [SamplePage(lost=True), SamplePage(size_pt=(100, 100)), SamplePage(lost=True), "a"]
    runs = admission(make_pdf(pages))["probe"]["pages"]
    assert [(run["count"], run["width_pt"]) for run in runs] == [(3, 100.0), (1, 612.0)]


def test_more_pages_than_allowed_are_refused_before_any_is_loaded() -> None:
    answer = admission(make_pdf(["a"] * 12), max_pages=10)
    assert (answer["outcome"], answer["probe"]) == ("over_pages", None)


@pytest.mark.parametrize("job", [admit, read_text, read_outline])
def test_a_source_that_fails_is_no_fault_of_the_pdf(job: Any) -> None:
    source = CountingFetch(make_pdf(["a"]), fails=True)
    with pytest.raises(OSError, match="does not answer"):
        call(job, source.reader(), media_type="application/pdf", max_pages=10, first=1, last=1)


def test_text_comes_with_lines_and_boxes_in_the_upright_frame() -> None:
    page = page_text(SamplePage(texts=(SampleText("First line"), SampleText("second, lower", y_pt=100, size_pt=24))))
    assert page["text"] == "First line\nsecond, lower"
    assert [page["text"][line["start"] : line["end"]] for line in page["lines"]] == page["text"].split("\n")
    (x, y, w, h), (_, y2, _, h2) = (line["box"] for line in page["lines"])
    assert x == pytest.approx(72, abs=2)
    assert y + h == pytest.approx(72, abs=4)
    assert w == pytest.approx(50, abs=8)
    assert y2 + h2 == pytest.approx(100, abs=8)
    assert h2 == pytest.approx(2 * h, rel=0.3)
    assert page["text_layer"] == "usable"


@pytest.mark.parametrize(("rotate", "corner"), [(0, (50, 28)), (90, (472, 50)), (180, (350, 472)), (270, (28, 350))])
def test_boxes_follow_rotation_and_crop(rotate: int, corner: tuple[int, int]) -> None:
    """The text starts 50 from the left and 28 from the top of a crop box of 400 by 500 points."""
    page = page_text(SamplePage(texts=(SampleText("word", x_pt=80, y_pt=68),), crop=(30, 40, 400, 500), rotate=rotate))
    assert (page["width_pt"], page["height_pt"]) == ((500.0, 400.0) if rotate in (90, 270) else (400.0, 500.0))
    x, y, w, h = page["lines"][0]["box"]
    wide = rotate in (0, 180)
    assert (w > h) == wide
    # Which corner of the box the start of the baseline is turns with the page.
    along = {0: (x, y + h), 90: (x, y), 180: (x + w, y), 270: (x + w, y + h)}[rotate]
    assert along == pytest.approx(corner, abs=3)


def test_a_word_broken_at_a_hyphen_stays_as_it_is_shown() -> None:
    texts = (SampleText("a conver-"), SampleText("sion of soft\xad", y_pt=86), SampleText("ware", y_pt=100))
    page = page_text(SamplePage(texts=texts))
    assert page["text"] == "a conver-\nsion of soft-\nware"
    tops = [line["box"][1] for line in page["lines"]]
    assert tops == sorted(set(tops))


def test_control_characters_do_not_reach_the_text_or_move_the_boxes() -> None:
    page = page_text(SamplePage(texts=(SampleText("a\x00b\x01c"), SampleText("next", x_pt=200, y_pt=200))))
    assert page["text"] == "abc\nnext"
    assert page["lines"][1]["box"][0] == pytest.approx(200, abs=2)


@pytest.mark.parametrize(
    ("page", "layer"),
    [
        (SamplePage(), "absent"),
        (SamplePage(pictures=(NOISE,)), "absent"),
        (SamplePage(texts=(SampleText("no meaning", scrambled=True),)), "unusable"),
        (SamplePage(texts=(SampleText("x", scrambled=True), SampleText("and much else", y_pt=90))), "usable"),
    ],
)
def test_the_text_layer_is_judged(page: SamplePage, layer: str) -> None:
    assert page_text(page)["text_layer"] == layer


def test_characters_beyond_the_basic_plane_keep_their_line_and_box() -> None:
    data = make_pdf([SamplePage(texts=(SampleText("abc", scrambled=True), SampleText("tail", x_pt=300, y_pt=200)))])
    value, _ = call(read_text, data.replace(b"<00> <FF> <E000>", b"<00> <FF> <D835DC00>"), first=1, last=1)
    page = value["pages"][0]
    assert page["text"] == "\U0001d461\U0001d462\U0001d463\ntail"
    assert [(line["start"], line["end"]) for line in page["lines"]] == [(0, 3), (4, 8)]
    assert page["lines"][1]["box"][0] == pytest.approx(300, abs=2)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (SampleText("B38 white on white", colour=WHITE), 15),
        (SampleText("nearly white", colour=(0.99, 0.99, 0.99)), 11),
        (SampleText("invisible", invisible=True), 9),
        (SampleText("too small", size_pt=0.4), 8),
        (SampleText("far outside", x_pt=2000), 10),
        (SampleText("black on white"), 0),
        (SampleText("small print", size_pt=5), 0),
        (SampleText(". - ."), 0),
        (SampleText("pale but there", colour=(0.85, 0.85, 0.85)), 0),
    ],
)
def test_characters_that_the_picture_does_not_show_are_counted(text: SampleText, hidden: int) -> None:
    page = page_text(SamplePage(texts=(SampleText("shown", y_pt=300), text)))
    assert (page["hidden_chars"], page["scan_chars"]) == (hidden, 0)


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_white_text_on_a_dark_ground_is_seen_on_every_side(rotate: int) -> None:
    ground = SampleFill((60, 130, 300, 40), BLACK)
    texts = (SampleText("title", y_pt=155, colour=WHITE), SampleText("gone", y_pt=400, colour=WHITE))
    page = page_text(SamplePage(fills=(ground,), texts=texts, rotate=rotate, crop=(20, 30, 500, 600)))
    assert page["hidden_chars"] == 4


def test_what_text_recognition_left_on_a_scan_is_no_hidden_text() -> None:
    value, _ = call(read_text, make_scanned_pdf([NOISE, NOISE], hidden_texts=["recognised"]), first=1, last=2)
    first, second = value["pages"]
    assert (first["hidden_chars"], first["scan_chars"], first["picture_share"]) == (0, 10, 1.0)
    assert (second["text_layer"], second["picture_share"]) == ("absent", 1.0)


def test_what_is_filled_into_a_form_is_read() -> None:
    page = page_text(SamplePage(texts=(SampleText("Name:"),), fields=(SampleField((120, 60, 200, 20), "Ada"),)))
    assert "Ada" in page["text"]
    assert page["hidden_chars"] == 0


def test_one_bad_page_leaves_the_others() -> None:
    value, _ = call(read_text, make_pdf(["one", SamplePage(lost=True), "three"]), first=1, last=3)
    assert [page.get("text") for page in value["pages"]] == ["one", None, "three"]
    assert value["pages"][1] == {"page": 2, "error": "unreadable_page"}


@pytest.mark.requirement("SA-17")
def test_b31_one_page_of_701_is_read_without_the_others() -> None:
    data = make_pdf([f"page {number} " + "filler " * 300 for number in range(1, 702)])
    source = CountingFetch(data)
    value, _ = call(read_text, source.reader(), first=500, last=500)
    assert value["pages"][0]["text"].startswith("page 500")
    assert value["pages_loaded"] == 1
    assert source.bytes_read < len(data) / 10


def test_pages_that_do_not_fit_one_answer_are_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyeline.media.pdf.MAX_VALUE_BYTES", 500)
    value, _ = call(read_text, make_pdf(["word " * 30] * 9), first=2, last=9)
    assert [page["page"] for page in value["pages"]] == [2]
    assert value["next"] == 3


def test_a_page_longer_than_the_bound_is_cut_and_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyeline.media.pdf_text.MAX_PAGE_CHARS", 10)
    page = page_text(SamplePage(texts=(SampleText("twenty characters!!!"),)))
    assert (page["text"], page["chars_left_out"]) == ("twenty cha", 10)


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(("first", "last"), [(0, 1), (1, 4), (3, 2), (9, 9)])
def test_pages_outside_the_document_say_its_extent(first: int, last: int) -> None:
    with pytest.raises(LocatorOutOfRange) as caught:
        call(read_text, make_pdf(["a", "b", "c"]), first=first, last=last)
    assert caught.value.detail["pages"] == 3


def test_reading_what_does_not_open_raises_its_kind() -> None:
    with pytest.raises(EncryptedMedia):
        call(read_text, make_pdf(["a"], user_password="x"), first=1, last=1)
    with pytest.raises(CorruptMedia):
        call(read_outline, b"no pdf at all")


def test_outline_and_links_come_with_pages_and_boxes() -> None:
    links = (SampleLink((10, 20, 100, 30), uri="https://example.org/a"), SampleLink((200, 300, 50, 60), page=2))
    outline = [SampleEntry("Start ☃", 1), SampleEntry("Inner", 2, 1), SampleEntry("End", 2)]
    pages = [SamplePage(links=links), SamplePage(rotate=90, links=(SampleLink((10, 20, 100, 30), page=1),))]
    value, _ = call(read_outline, make_pdf(pages, outline=outline))
    assert value["outline"] == [
        {"title": "Start ☃", "page": 1, "level": 0},
        {"title": "Inner", "page": 2, "level": 1},
        {"title": "End", "page": 2, "level": 0},
    ]
    assert value["links"] == [
        {"page": 1, "box": [10.0, 20.0, 100.0, 30.0], "uri": "https://example.org/a"},
        {"page": 1, "box": [200.0, 300.0, 50.0, 60.0], "to_page": 2},
        {"page": 2, "box": [742.0, 10.0, 30.0, 100.0], "to_page": 1},
    ]
    assert (value["links_total"], value["link_pages"]) == (3, 2)


def test_an_outline_that_runs_in_circles_ends() -> None:
    data = make_pdf(["a"], outline=[SampleEntry("one", 1), SampleEntry("two", 1)])
    second = data.index(b"/Prev")
    first = int(data[second + 6 : data.index(b" ", second + 6)])
    circled = data.replace(b"/Prev %d 0 R" % first, b"/Next %d 0 R" % first)
    value, _ = call(read_outline, circled)
    assert [entry["title"] for entry in value["outline"]] == ["one", "two"]


def test_an_outline_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyeline.media.pdf_outline.MAX_ENTRIES", 3)
    monkeypatch.setattr("eyeline.media.pdf_outline.MAX_LINKS", 2)
    page = SamplePage(links=tuple(SampleLink((0, 0, 9, 9), page=1) for _ in range(5)))
    value, _ = call(read_outline, make_pdf([page], outline=[SampleEntry(str(index), 1) for index in range(9)]))
    assert (len(value["outline"]), len(value["links"]), value["links_total"]) == (3, 2, 5)


def test_the_same_pdf_is_written_twice_alike() -> None:
    assert make_pdf(["a"], user_password="x") == make_pdf(["a"], user_password="x")
