from __future__ import annotations

from typing import Any

import pytest
from tests.support.jobs import call
from tests.support.office import make_odf

from eyeline.media.office.engine import ODS, admit, read_blocks, read_cells
from eyeline.media.office.odf_sheets import MAX_CELLS, MAX_REPEATED_COLUMNS, MAX_REPEATED_ROWS


def _book(*rows: str, look: str = "", styles: str = "") -> bytes:
    return make_odf("spreadsheet", f'<table:table table:name="S1" {look}>{"".join(rows)}</table:table>', styles=styles)


def _row(*cells: str, look: str = "") -> str:
    return f"<table:table-row {look}>{''.join(cells)}</table:table-row>"


def _cell(text: str = "", look: str = "") -> str:
    return f"<table:table-cell {look}>{f'<text:p>{text}</text:p>' if text else ''}</table:table-cell>"


def _times(columns: int) -> str:
    return f'table:number-columns-repeated="{columns}"'


def _extent(data: bytes) -> tuple[int, int]:
    value, _ = call(admit, data, media_type=ODS, max_pages=100)
    (sheet,) = value["probe"]["sheets"]
    return sheet["rows"], sheet["columns"]


def _cells(data: bytes, first: tuple[int, int], last: tuple[int, int]) -> tuple[list[list[str]], dict[str, Any]]:
    value, (text,) = call(
        read_cells, data, media_type=ODS, sheet=0, first=list(first), last=list(last), max_chars=100_000
    )
    return [[each.strip() for each in line.strip("|").split(" | ")] for line in text.decode().splitlines()[2:]], value


def test_cells_that_repeat_stand_where_they_are_repeated() -> None:
    book = _book(_row(_cell("a", _times(2)), _cell("", _times(3)), _cell("b"), look='table:number-rows-repeated="2"'))
    assert _extent(book) == (2, 6)
    line = ["a", "a", "", "", "", "b"]
    assert _cells(book, (1, 1), (2, 6))[0] == [["1", *line], ["2", *line]]


def test_empty_cells_to_the_edge_of_the_sheet_are_no_cells() -> None:
    book = _book(
        _row(_cell("a"), _cell("", _times(16_383))),
        _row(_cell("", _times(16_384)), look='table:number-rows-repeated="1048574"'),
        _row(_cell("end")),
    )
    assert _extent(book) == (1_048_576, 1)
    assert _cells(book, (2, 1), (1_048_576, 1))[0] == [["1048576", "end"]]


ALL_ROWS = 'table:number-rows-repeated="1048576"'


@pytest.mark.parametrize(
    ("row", "extent", "is_whole"),
    [
        (_row(_cell("a", _times(MAX_REPEATED_COLUMNS))), (1, MAX_REPEATED_COLUMNS), True),
        (_row(_cell("a", _times(16_384))), (1, MAX_REPEATED_COLUMNS), False),
        (_row(_cell("a"), look=ALL_ROWS), (MAX_REPEATED_ROWS, 1), False),
        (_row(_cell("a", _times(1000)), look=ALL_ROWS), (MAX_CELLS // 1000, MAX_REPEATED_COLUMNS), False),
    ],
    ids=["not cut", "columns", "rows", "both"],
)
def test_what_repeats_to_the_edge_of_a_sheet_is_bounded_and_what_is_left_out_is_told(
    row: str, extent: tuple[int, int], *, is_whole: bool
) -> None:
    book = _book(row)
    assert _extent(book) == extent
    value, _ = call(read_blocks, book, media_type=ODS)
    assert value["sections"][0]["is_read"] is is_whole


@pytest.mark.parametrize("times", ["0", "-5", "x", "9" * 40, "²"])
def test_a_number_of_repeats_that_is_none_is_one(times: str) -> None:
    book = _book(_row(_cell("a", f'table:number-columns-repeated="{times}"'), _cell("b")))
    assert _cells(book, (1, 1), (1, 3))[0] == [["1", "a", "b", ""]]


def test_cells_come_as_the_document_shows_them_with_lines_and_blanks() -> None:
    told = "one<text:s/><text:span>two</text:span></text:p><text:p>three"
    comment = "<office:annotation><text:p>aside</text:p></office:annotation>"
    book = _book(_row(_cell(told), f"<table:table-cell>{comment}<text:p>kept</text:p></table:table-cell>"))
    assert _cells(book, (1, 1), (1, 2))[0] == [["1", "one two three", "kept"]]


def test_a_formula_without_a_value_stands_as_it_is_written() -> None:
    book = _book(_row(_cell("", 'table:formula="of:=SUM([.A1:.B2])"')))
    rows, value = _cells(book, (1, 1), (1, 1))
    assert (rows, value["uncached"]) == ([["1", "=SUM([.A1:.B2])"]], 1)


def test_merged_cells_hidden_rows_and_hidden_sheets_are_told() -> None:
    hiding = '<style:style style:name="ta1"><style:table-properties table:display="false"/></style:style>'
    book = _book(
        _row(
            _cell("wide", 'table:number-columns-spanned="2" table:number-rows-spanned="3"'),
            "<table:covered-table-cell/>",
        ),
        _row(_cell("gone"), look='table:visibility="collapse"'),
        look='table:style-name="ta1"',
        styles=hiding,
    )
    rows, value = _cells(book, (1, 1), (2, 2))
    assert (rows[1][1], value["merged"], value["hidden"]) == ("gone", ["A1:B3"], len("widegone"))
    read, (text, _) = call(read_blocks, book, media_type=ODS)
    assert text.decode().startswith("[hidden sheet]")
    assert read["sections"][0]["hidden"] == len("widegone")
