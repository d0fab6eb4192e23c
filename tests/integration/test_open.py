"""Opening sources through the Python surface: exactly the part that matters, within the bounds, told truthfully."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import Connection, Engine, event
from tests.support.homes import NOTE, fill_inbox, fingerprint

from eyeline import Eyeline, Locator, Principal
from eyeline.convert.ocr_lane import TesseractOcr, ocr_read_paths
from eyeline.errors import (
    IntegrityError,
    InvalidLocator,
    InvalidMediaType,
    LocatorOutOfRange,
    LocatorUnsupported,
    StoreError,
)
from eyeline.media.bounded.job import BytesSource
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.sample_pdf import SamplePage, SampleText, make_pdf
from eyeline.media.sample_pictures import display_p3, make_picture, make_screenshot, screenshot_line
from eyeline.model.audit import AuditOutcome
from eyeline.model.digest import Digest
from eyeline.model.envelope import BoundaryCode, NegativeCode
from eyeline.model.limits import MCP_ANSWER, AnswerLimit
from eyeline.model.manifest import ContentKind, Origin, Role
from eyeline.presenters.opened import OpenedSource


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    inbox = fill_inbox(tmp_path_factory.mktemp("inbox"))
    phone = make_picture("image/jpeg", width=3000, height=4000, orientation=6, gps=True, profile=display_p3())
    (inbox / "phone.jpg").write_bytes(phone)
    (inbox / "moving.gif").write_bytes(_animation())
    (inbox / "book.pdf").write_bytes(make_pdf([f"page {n} of 701" for n in range(1, 702)]))
    (inbox / "giant.pdf").write_bytes(_giant())
    with Eyeline(tmp_path_factory.mktemp("home"), principal="tester") as eye:
        report = eye.ingest(inbox)
        assert [item.source for item in report.items if item.code not in ("admitted", "empty")] == []
        yield eye


def _animation() -> bytes:
    frames = [Image.new("RGB", (100, 80), colour) for colour in ("red", "lime", "blue")]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=200, loop=0)
    return out.getvalue()


def _giant() -> bytes:
    return make_pdf([SamplePage(texts=(SampleText("corner", x_pt=100, y_pt=200, size_pt=60),), size_pt=(14400, 14400))])


def _picture(opened: OpenedSource, place: int) -> Image.Image:
    return Image.open(io.BytesIO(opened.parts[place].bytes)).convert("RGB")


@pytest.mark.requirement("SA-12", "SA-13")
def test_a_small_plain_picture_goes_out_untouched(eye: Eyeline) -> None:
    opened = eye.open("mark.png")
    (part,) = opened.parts
    assert part.entry.origin is Origin.ORIGINAL
    assert opened.envelope.source is not None
    assert part.entry.digest == opened.envelope.source.content == Digest.of(part.bytes)


@pytest.mark.requirement("SA-12", "SA-13", "SA-17")
def test_a_phone_photograph_is_delivered_upright_in_srgb_without_its_place(eye: Eyeline) -> None:
    opened = eye.open("phone.jpg")
    (part,) = opened.parts
    assert part.entry.origin is Origin.AGENT_RENDITION
    picture = _picture(opened, 0)
    assert picture.width < picture.height == 1568
    red, green, blue = _pixel(picture, 0.5, 0.1)
    assert red > 245
    assert green < 60
    assert blue < 60
    assert b"GPS" not in part.bytes
    assert Image.open(io.BytesIO(part.bytes)).getexif().get_ifd(0x8825) == {}
    assert "icc_profile" not in Image.open(io.BytesIO(part.bytes)).info
    steps = [step.step for step in part.entry.transforms]
    assert {"decode", "orient", "scale", "colour", "strip", "encode"} <= set(steps)
    assert part.entry.scale is not None
    assert part.entry.scale.source.width_px == 3000


def _pixel(picture: Image.Image, x: float, y: float) -> tuple[int, int, int]:
    found = picture.getpixel((int(picture.width * x), int(picture.height * y)))
    assert isinstance(found, tuple)
    return found[0], found[1], found[2]


@pytest.mark.requirement("SA-16", "SA-17", "SA-18")
def test_a_region_gives_an_overview_and_a_detail_from_original_pixels(eye: Eyeline) -> None:
    opened = eye.open("phone.jpg", locator="xywh=pixel:0,0,600,500")
    assert [part.entry.role for part in opened.parts] == [Role.OVERVIEW, Role.DETAIL]
    detail = opened.parts[1].entry
    assert _picture(opened, 1).size == (600, 500)
    assert detail.scale is not None
    assert (detail.scale.factor_x, detail.scale.offset_x) == (1.0, 0.0)
    assert _pixel(_picture(opened, 1), 0.5, 0.5)[0] > 245


@pytest.mark.requirement("SA-16", "SA-17")
def test_a_page_of_a_long_document_is_a_picture_and_its_text(eye: Eyeline) -> None:
    opened = eye.open("book.pdf", locator="page=500")
    assert [part.entry.role for part in opened.parts] == [Role.PAGE, Role.SOURCE_TEXT]
    assert opened.parts[1].text.strip() == "page 500 of 701"
    assert opened.parts[1].entry.evidence_mode == "source_expression"
    assert max(_picture(opened, 0).size) == 1568


@pytest.mark.requirement("SA-17")
def test_a_document_without_a_locator_opens_at_its_first_page_and_says_how_it_goes_on(eye: Eyeline) -> None:
    opened = eye.open("manual.pdf")
    assert [part.entry.role for part in opened.parts] == [Role.PAGE, Role.SOURCE_TEXT, Role.CONTEXT]
    assert "pages: 3" in opened.parts[2].text
    assert "Valves (page 2)" in opened.parts[2].text
    assert [str(each.continuation) for each in opened.envelope.truncation] == ["page=2"]


@pytest.mark.requirement("SA-17")
def test_a_giant_page_is_scaled_and_its_region_is_sharper(eye: Eyeline) -> None:
    whole = eye.open("giant.pdf", locator="page=1")
    assert _picture(whole, 0).size == (1568, 1568)
    part = eye.open("giant.pdf", locator="page=1&xywh=pixel:0,0,720,720")
    scales = [each.entry.scale for each in part.parts[:2]]
    assert scales[0] is not None
    assert scales[1] is not None
    assert scales[1].factor_x < scales[0].factor_x / 10


@pytest.mark.requirement("SA-16")
def test_a_frame_of_an_animation_is_shown_by_its_number(eye: Eyeline) -> None:
    shades = [_pixel(_picture(eye.open("moving.gif", locator=f"frame={n}"), 0), 0.5, 0.5) for n in (1, 2, 3)]
    assert [max(range(3), key=lambda band: shade[band]) for shade in shades] == [0, 1, 2]
    with pytest.raises(LocatorOutOfRange) as caught:
        eye.open("moving.gif", locator="frame=4")
    assert caught.value.detail["extent"] == 3


@pytest.mark.requirement("SA-16")
def test_a_line_range_comes_with_what_stands_around_it(eye: Eyeline) -> None:
    opened = eye.open("note.md", locator="line=3")
    assert [part.entry.role for part in opened.parts] == [Role.CONTEXT, Role.SOURCE_TEXT, Role.CONTEXT]
    assert opened.parts[1].text == "The pump serial number is PX-4417."
    assert "".join(part.text for part in opened.parts) == NOTE[: len("".join(p.text for p in opened.parts))]


@pytest.mark.requirement("SA-12")
def test_a_whole_text_inside_the_bound_is_the_original(eye: Eyeline) -> None:
    (part,) = eye.open("note.md").parts
    assert part.entry.origin is Origin.ORIGINAL
    assert part.text == NOTE


@pytest.mark.requirement("SA-16")
def test_a_text_over_the_bound_goes_on_at_its_continuation(eye: Eyeline) -> None:
    limit = AnswerLimit(max_text_chars=500)
    read, locator = "", ""
    for _ in range(20):
        opened = eye.open("note.md", locator=locator, answer=limit)
        read += next(part.text for part in opened.parts if part.entry.role is Role.SOURCE_TEXT)
        if not opened.envelope.truncation:
            break
        locator = str(opened.envelope.truncation[0].continuation)
    assert read == NOTE


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    ("source", "locator", "error"),
    [
        ("manual.pdf", "page=4", LocatorOutOfRange),
        ("manual.pdf", "line=1", LocatorUnsupported),
        ("manual.pdf", "xywh=pixel:0,0,5000,10", LocatorOutOfRange),
        ("mark.png", "page=1", LocatorUnsupported),
        ("mark.png", "xywh=pixel:399,0,2,1", LocatorOutOfRange),
        ("note.md", "line=900", LocatorOutOfRange),
        ("note.md", "char=999999,1000000", LocatorOutOfRange),
        ("note.md", "t=1,2", LocatorUnsupported),
        ("note.md", "nonsense", InvalidLocator),
    ],
)
def test_a_locator_that_does_not_fit_is_a_typed_error(
    eye: Eyeline, source: str, locator: str, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        eye.open(source, locator=locator)
    assert getattr(caught.value, "hint", None)


@pytest.mark.requirement("SA-14")
def test_accept_chooses_among_what_this_source_can_become(eye: Eyeline) -> None:
    assert str(eye.open("phone.jpg", accept=["image/webp"]).parts[0].entry.media_type) == "image/webp"
    assert str(eye.open("phone.jpg", accept=["image/png"]).parts[0].entry.media_type) == "image/png"
    assert str(eye.open("phone.jpg", accept=["image/jpeg", "image/png"]).parts[0].entry.media_type) == "image/jpeg"
    texts = eye.open("manual.pdf", accept=["text/plain"], locator="page=2").parts
    assert [part.entry.content_kind for part in texts] == [ContentKind.TEXT]
    pictures = eye.open("manual.pdf", accept=["image/*"], locator="page=2").parts
    assert [part.entry.content_kind for part in pictures] == [ContentKind.PICTURE]


@pytest.mark.requirement("SA-14")
def test_nothing_acceptable_is_a_boundary_that_names_what_could_be_had(eye: Eyeline) -> None:
    opened = eye.open("note.md", accept=["image/png", "audio/*"])
    assert opened.parts == ()
    boundary = opened.envelope.boundary
    assert boundary is not None
    assert boundary.code is BoundaryCode.NOTHING_ACCEPTABLE
    assert [str(member) for member in boundary.members] == ["text/markdown", "text/plain"]
    assert boundary.way_out
    with pytest.raises(InvalidMediaType):
        eye.open("note.md", accept=["png"])


@pytest.mark.requirement("SA-13")
def test_the_manifest_lists_each_part_in_order_with_its_digest(eye: Eyeline) -> None:
    opened = eye.open("manual.pdf", locator="page=2&xywh=percent:0,0,50,50")
    assert opened.content_manifest == tuple(part.entry for part in opened.parts)
    assert all(part.entry.digest == Digest.of(part.bytes) for part in opened.parts)
    assert all(part.entry.byte_count == len(part.bytes) for part in opened.parts)
    assert {part.entry.trust for part in opened.parts} == {"untrusted"}
    assert opened.parts[1].entry.locator == Locator.parse("page=2&xywh=percent:0,0,50,50")


@pytest.mark.requirement("SA-10", "SA-18")
def test_after_any_number_of_opens_store_and_catalogue_are_byte_for_byte_the_same(eye: Eyeline) -> None:
    kept = [eye.home / "blobs", eye.home / "catalog.sqlite", eye.tree]
    eye.find("valves")
    before = fingerprint(*kept)
    for source in ("mark.png", "phone.jpg", "manual.pdf", "note.md", "book.pdf"):
        eye.open(source)
        eye.read(source)
        eye.show(source)
    eye.open("manual.pdf", locator="page=3&xywh=percent:1,2,30,40")
    eye.open("phone.jpg", locator="xywh=percent:10,10,5,5")
    with pytest.raises(LocatorOutOfRange):
        eye.open("manual.pdf", locator="page=99")
    assert fingerprint(*kept) == before


@pytest.mark.requirement("SA-23")
def test_the_same_request_under_the_same_limit_gives_the_same_hashes_with_and_without_the_cache(eye: Eyeline) -> None:
    first = [part.entry.digest for part in eye.open("phone.jpg", answer=MCP_ANSWER).parts]
    for path in (eye.home / "cache").rglob("*"):
        if path.is_file():
            path.unlink()
    assert [part.entry.digest for part in eye.open("phone.jpg", answer=MCP_ANSWER).parts] == first


def test_a_damaged_cache_entry_is_made_again(eye: Eyeline) -> None:
    first = eye.open("phone.jpg").parts[0].entry.digest
    for path in (eye.home / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert eye.open("phone.jpg").parts[0].entry.digest == first


def test_one_text_answers_for_unknown_and_not_granted(eye: Eyeline) -> None:
    known = eye.find("", name="note.md")[0].version_id
    stranger = Eyeline(eye.home, principal=Principal("stranger", frozenset({"other"})))
    with stranger:
        hidden, unknown = (stranger.open(each).envelope for each in (known, "ver_" + "0" * 32))
    assert hidden == unknown
    assert hidden.negative is not None
    assert hidden.negative.code is NegativeCode.UNKNOWN_ENTITY


@pytest.mark.requirement("SA-21")
def test_every_open_leaves_one_record_also_a_refused_one(eye: Eyeline) -> None:
    before = len(eye.audit(limit=1000).entries)
    opened = eye.open("manual.pdf", locator="page=2")
    eye.open("note.md", accept=["image/png"])
    eye.open("ver_" + "0" * 32)
    with pytest.raises(LocatorOutOfRange):
        eye.open("manual.pdf", locator="page=99")
    entries = [entry.record for entry in reversed(eye.audit(limit=1000).entries)][before:]
    assert [(entry.outcome, entry.code) for entry in entries] == [
        (AuditOutcome.RELEASED, None),
        (AuditOutcome.REFUSED, "nothing_acceptable"),
        (AuditOutcome.REFUSED, "unknown_entity"),
        (AuditOutcome.REFUSED, "locator_out_of_range"),
    ]
    assert [part.digest for part in entries[0].parts] == [part.entry.digest for part in opened.parts]
    assert {entry.principal for entry in entries} == {"tester"}
    assert entries[0].locator == Locator.parse("page=2")
    assert eye.verify_audit().entries >= 4


@pytest.mark.requirement("SA-21")
def test_nothing_is_delivered_when_the_record_cannot_be_written(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("words")
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(note)
        eye.open("note.txt")
        with sqlite3.connect(eye.home / "audit.sqlite") as database:
            database.execute("ALTER TABLE audit_entries RENAME TO gone")
        database.close()
        with pytest.raises((StoreError, IntegrityError)):
            eye.open("note.txt")
        with pytest.raises((StoreError, IntegrityError)):
            eye.fetch("note.txt")


@pytest.mark.requirement("SA-21")
def test_fetch_gives_the_exact_bytes_or_a_range_and_is_recorded(eye: Eyeline) -> None:
    whole = b"".join(eye.fetch("note.md").chunks)
    assert whole == NOTE.encode()
    part = eye.fetch("note.md", start=2, end=13)
    assert b"".join(part.chunks) == NOTE[2:13].encode()
    part.broken("broken_pipe")
    last, released = (entry.record for entry in eye.audit(limit=2).entries)
    assert released.outcome is AuditOutcome.RELEASED
    assert (last.outcome, last.code) == (AuditOutcome.FAILED, "broken_pipe")
    assert last.completion_of == eye.audit(limit=2).entries[1].seq


def test_blocks_for_tool_results_hold_each_picture_once(eye: Eyeline) -> None:
    opened = eye.open("manual.pdf", locator="page=1")
    blocks = opened.to_anthropic()
    assert [block["type"] for block in blocks] == ["text", "text", "image", "text", "text"]
    assert json.loads(blocks[0]["text"])["content_manifest"][0]["digest"] == str(opened.parts[0].entry.digest)
    data = blocks[2]["source"]["data"]
    assert json.dumps(blocks).count(data) == 1
    assert [block["type"] for block in opened.to_openai_responses()][2] == "input_image"


@pytest.mark.requirement("SA-17")
def test_line_700_of_a_tall_screenshot_is_readable_in_the_crop_of_its_region(tmp_path: Path) -> None:
    tall = tmp_path / "tall.png"
    tall.write_bytes(make_screenshot(1200, 16000))
    with Eyeline(tmp_path / "home") as eye, BoundedPool(read_paths=ocr_read_paths()) as pool:
        eye.ingest(tall)
        opened = eye.open("tall.png", locator=f"xywh=pixel:0,{699 * 20 - 10},1200,40", answer=MCP_ANSWER)
        detail = opened.parts[1]
        assert detail.entry.role is Role.DETAIL
        assert _picture(opened, 1).size == (1200, 40)
        seen = TesseractOcr(pool).recognise(BytesSource(detail.bytes), media_type=detail.entry.media_type)
        assert screenshot_line(700).split()[-1] in seen.text


def test_opening_asks_the_catalogue_once_and_writes_its_record_once(eye: Eyeline) -> None:
    version_id, asked = eye.version_of("phone.jpg"), list[str]()
    eye.open(version_id)

    def count(connection: Connection) -> None:
        asked.append(str(connection.engine.url))

    event.listen(Engine, "begin", count)
    try:
        eye.open(version_id)
    finally:
        event.remove(Engine, "begin", count)
    assert len(asked) == 2
