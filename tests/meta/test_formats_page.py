"""docs/formats.md lists exactly what has an engine and a route, with the decoder that is used."""

from __future__ import annotations

from tests.meta.tree import ROOT, table_rows

from eyeline.convert.routes import route_of
from eyeline.media.engines import engine_for, media_types
from eyeline.media.picture_source import FORMATS
from eyeline.media.recording_formats import MEDIA_TYPES as RECORDINGS
from eyeline.media.sniffing import sniff
from eyeline.model.limits import Limits
from eyeline.model.media_type import MediaType
from eyeline.render.planning import MAX_SHEET_FRAMES

PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
ANY_TEXT = "text/*"


def rows() -> dict[str, list[str]]:
    """Cells of each row by its media type."""
    return {cells[0].strip("`"): cells for cells in table_rows(PAGE) if "/" in cells[0] and len(cells) == 4}


def test_every_media_type_with_an_engine_has_a_row_and_no_other() -> None:
    assert set(rows()) == {*media_types(), *RECORDINGS, ANY_TEXT}
    assert all(engine_for(MediaType(name)) and route_of(MediaType(name)) for name in set(rows()) - {ANY_TEXT})


def test_the_decoder_of_a_picture_is_the_one_that_is_named() -> None:
    second = {
        "": "",
        "apng": "Pillow",
        "bmp": "Pillow",
        "ico": "Pillow",
        "jp2": "Pillow",
        "heif": "pi-heif",
        "webp": "Pillow",
    }
    for name, kind in FORMATS.items():
        named = rows()[name][1]
        assert ("libvips" in named) is bool(kind.loader)
        assert second[kind.second] in named


def test_pages_and_frames_are_offered_where_a_format_has_them() -> None:
    for name, kind in FORMATS.items():
        by = rows()[name][3]
        assert ("`page`" in by) is kind.has_pages
        assert ("`t`" in by) is (kind.has_frames or kind.second == "apng")
        assert "`xywh`" in by


def test_numbers_on_the_page_are_those_in_force() -> None:
    assert f"up to {MAX_SHEET_FRAMES} of them" in PAGE
    assert Limits().max_frames > MAX_SHEET_FRAMES


def test_what_the_page_calls_refused_is_refused() -> None:
    assert route_of(sniff(b"\x00\x00\x00\x0cJXL \r\n\x87\n", size=12)) is None
