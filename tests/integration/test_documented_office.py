"""docs/office.md is true: its example is the file in docs_src, does what the page says, and its numbers hold."""

from __future__ import annotations

import re

import pytest
from docs_src import office_example as example
from tests.meta.tree import ROOT, table_rows

from eyeline.convert.office import MAX_CHARS
from eyeline.media.libreoffice import MAX_PDF_BYTES, PROGRAMS
from eyeline.media.office import engine, odf_sheets, package, rtf, script, sheets, tables, trees
from eyeline.render.embedded_parts import MAX_EMBEDDED
from eyeline.settings import TypesettingSettings

PAGE = (ROOT / "docs" / "office.md").read_text(encoding="utf-8")
SECTIONS = dict(part.split("\n", 1) for part in re.split(r"\n##+ ", PAGE)[1:])
GIB, MIB = 1 << 30, 1 << 20


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    source = (ROOT / "docs_src" / "office_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


@pytest.mark.requirement("SA-16", "XC-07")
def test_what_is_found_names_its_place_and_the_place_opens() -> None:
    assert example.places == {"count.ods": "sheet=Q3&cell=A1:B3", "plan.odp": "page=2"}
    assert example.cells == "|  | A | B |\n| --- | --- | --- |\n| 2 | valve | 12 |\n| 3 | seal | 7 |\n"
    assert example.second == "The valve comes first\n"
    assert example.told == "slides go from 1 to 2"


@pytest.mark.requirement("XC-07")
def test_the_bounds_of_the_page_are_those_in_force() -> None:
    assert MAX_CHARS == engine.MAX_CHARS
    told = {row[0]: row[1] for row in [*table_rows(SECTIONS["Bounds"])][2:]}
    above = f"how many times its size an archive may inflate to, above {package.RATIO_FROM_BYTES // MIB} MiB"
    assert told == {
        "members of an archive": f"{package.MAX_MEMBERS:,}",
        "all members of an archive, inflated": f"{package.MAX_TOTAL_BYTES // GIB} GiB",
        above: str(package.MAX_RATIO),
        "a part that is held whole, inflated": f"{package.MAX_PART_BYTES // MIB} MiB",
        "a sheet, read piece by piece, inflated": f"{package.MAX_STREAM_BYTES // GIB} GiB",
        "an RTF": f"{rtf.MAX_BYTES // MIB} MiB",
        "groups of an RTF inside each other": f"{rtf.MAX_DEPTH:,}",
        "elements inside each other": str(trees.MAX_DEPTH),
        "characters of a reading": f"{MAX_CHARS:,}",
        "sheets of a workbook": f"{engine.MAX_SHEETS:,}",
        "columns of a sheet in a reading": str(tables.MAX_TABLE_COLUMNS),
        "columns of one block that is opened": str(tables.MAX_RANGE_COLUMNS),
        "characters of a cell": f"{sheets.MAX_CELL_CHARS:,}",
        "cells of an `.ods`, repeated ones counted": f"{odf_sheets.MAX_CELLS:,}",
        "how often a row of an `.ods` that holds something is repeated": f"{odf_sheets.MAX_REPEATED_ROWS:,}",
        "how often a cell of it is": f"{odf_sheets.MAX_REPEATED_COLUMNS:,}",
        "pictures of a document": str(script.MAX_PICTURES),
    }


@pytest.mark.requirement("XC-07")
def test_what_the_page_says_of_libreoffice_is_what_is_done() -> None:
    first, second = PROGRAMS
    assert f"the first of `{first}` and `{second}` on the path" in PAGE
    settings = TypesettingSettings()
    assert (settings.program, f"{settings.timeout_ms // 1000} s if not set" in PAGE) == ("auto", True)
    assert f"{MAX_PDF_BYTES // MIB} MiB" in SECTIONS["How it is shut off"]
    assert f"up to {MAX_EMBEDDED} of its pictures" in PAGE
