from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.jobs import call
from tests.support.office import changed, make_grid, make_raw_book

from eyeline.errors import CorruptMedia
from eyeline.media.office.engine import XLSX, admit, read_blocks, read_cells


def _cells(data: bytes, *, last: tuple[int, int] = (10, 10), first: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    """What the job of a block of cells returns, with its table as rows of texts under `rows`."""
    value, (text,) = call(
        read_cells, data, media_type=XLSX, sheet=0, first=list(first), last=list(last), max_chars=100_000
    )
    lines = [line.strip("|").split(" | ") for line in text.decode().splitlines()[2:]]
    return {**value, "rows": [[cell.strip() for cell in line] for line in lines]}


def _row(*cells: str, at: int = 1, look: str = "") -> str:
    return f'<row r="{at}" {look}>{"".join(cells)}</row>'


def test_texts_that_cells_share_are_read_with_all_their_runs_and_without_how_they_are_spoken() -> None:
    strings = (
        "<si><t>plain</t></si>"
        '<si><r><rPr><b/></rPr><t>bold </t></r><r><t xml:space="preserve">and not</t></r></si>'
        "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>"
        "<si/>"
    )
    row = _row(*(f'<c r="{name}1" t="s"><v>{at}</v></c>' for at, name in enumerate("ABCDE")))
    assert _cells(make_raw_book(row, strings=strings), last=(1, 5))["rows"] == [
        ["1", "plain", "bold and not", "東京", "", ""]
    ]


@pytest.mark.parametrize("at", ["99", "-1", "x", ""])
def test_a_shared_text_that_is_not_there_costs_its_cell_alone(at: str) -> None:
    row = _row(f'<c r="A1" t="s"><v>{at}</v></c>', '<c r="B1"><v>7</v></c>')
    assert _cells(make_raw_book(row, strings="<si><t>x</t></si>"), last=(1, 2))["rows"] == [["1", "", "7"]]


def test_each_kind_of_cell_comes_as_it_is_shown() -> None:
    cells = (
        '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>',
        '<c t="b"><v>1</v></c>',
        '<c t="e"><v>#DIV/0!</v></c>',
        '<c t="str"><f>A1</f><v>text</v></c>',
        '<c t="d"><v>2026-03-04</v></c>',
        '<c s="1"><v>46085</v></c>',
        '<c s="2"><v>0.5</v></c>',
        '<c s="99"><v>1.50</v></c>',
        "<c><f>SUM(A1:B1)</f></c>",
    )
    found = _cells(make_raw_book(_row(*cells), styles='dd/mm/yy\n"No. "0.0%'), last=(1, 9))
    told = ["1", "inline", "TRUE", "#DIV/0!", "text", "2026-03-04", "2026-03-04", "No. 50.0%", "1.5", "=SUM(A1:B1)"]
    assert (found["rows"], found["uncached"]) == ([told], 1)


@pytest.mark.parametrize(("look", "day"), [("", "2026-03-04"), ('date1904="1"', "2030-03-05")])
def test_days_count_from_where_the_workbook_says(look: str, day: str) -> None:
    book = make_raw_book(_row('<c s="1"><v>46085</v></c>'), styles="yyyy-mm-dd", look=look)
    assert _cells(book, last=(1, 1))["rows"] == [["1", day]]


def test_rows_and_cells_without_a_name_follow_each_other() -> None:
    rows = "<row><c><v>1</v></c><c><v>2</v></c></row>" + _row("<c/>", '<c r="D4"><v>3</v></c>', "<c><v>4</v></c>", at=4)
    assert _cells(make_raw_book(rows), last=(4, 5))["rows"] == [
        ["1", "1", "2", "", "", ""],
        ["4", "", "", "", "3", "4"],
    ]


@pytest.mark.parametrize(
    "rows",
    ['<row r="1048577"><c><v>1</v></c></row>', '<row r="0"><c/></row>', '<row r="1"><c r="XFE1"><v>1</v></c></row>'],
)
def test_a_cell_where_no_cell_can_be_is_no_sheet(rows: str) -> None:
    with pytest.raises(CorruptMedia):
        _cells(make_raw_book(rows))


def test_merged_cells_are_told_where_they_touch_the_block() -> None:
    merged = "".join(f'<mergeCell ref="{ref}"/>' for ref in ("A1:B2", "D4:E9", "nonsense", "A1:ZZZZ9"))
    book = make_raw_book(_row('<c r="A1"><v>1</v></c>'), around=("", f"<mergeCells>{merged}</mergeCells>"))
    assert _cells(book, last=(3, 3))["merged"] == ["A1:B2"]
    assert _cells(book, last=(4, 4))["merged"] == ["A1:B2", "D4:E9"]
    assert _cells(book, first=(3, 1), last=(3, 9))["merged"] == []


def test_hidden_rows_and_columns_are_read_and_counted() -> None:
    rows = _row('<c r="A1"><v>1</v></c>', '<c r="B1"><v>22</v></c>') + _row(
        '<c r="A2"><v>333</v></c>', at=2, look='hidden="1"'
    )
    book = make_raw_book(rows, around=('<cols><col min="2" max="2" hidden="1"/></cols>', ""))
    found = _cells(book, last=(2, 2))
    assert (found["rows"], found["hidden"]) == ([["1", "1", "22"], ["2", "333", ""]], 5)


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_says_so_in_the_text_itself(state: str) -> None:
    def hide(name: str, data: bytes) -> bytes:
        return data.replace(b'name="S2"', f'name="S2" state="{state}"'.encode()) if name == "xl/workbook.xml" else data

    data = changed(make_grid(2), lambda name, data: hide(name, data).replace(b'state="visible" ', b""))
    value, (text, _) = call(read_blocks, data, media_type=XLSX)
    assert [section["is_hidden"] for section in value["sections"]] == [False, True]
    assert value["sections"][1]["hidden"] == len("s2r1c1")
    assert text.decode().partition("[hidden sheet]")[2].strip().startswith("# S2")


def test_a_cell_that_is_long_is_cut_where_no_program_holds_more() -> None:
    book = make_raw_book(_row(f'<c t="str"><v>{"x" * 40_000}</v></c>'))
    (row,) = _cells(book, last=(1, 1))["rows"]
    assert len(row[1]) == 32_767


def test_a_number_that_is_none_costs_no_sheet() -> None:
    row = _row('<c s="1"><v>1e999</v></c>', '<c s="1"><v>NaN</v></c>', '<c s="1"><v>x</v></c>', '<c s="1"><v>5</v></c>')
    book = make_raw_book(row, styles='"No. "0')
    assert _cells(book, last=(1, 4))["rows"] == [["1", "1e999", "NaN", "x", "No. 5"]]


def test_used_cells_are_told_without_reading_their_texts() -> None:
    rows = _row('<c r="C5" t="s"><v>0</v></c>', '<c r="Z5" s="3"/>', at=5)
    value, _ = call(admit, make_raw_book(rows, strings="<si><t>x</t></si>"), media_type=XLSX, max_pages=100)
    assert json.loads(json.dumps(value["probe"]["sheets"])) == [{"name": "S1", "rows": 5, "columns": 3}]
