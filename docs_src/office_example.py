"""The example of docs/office.md: a workbook and slides, opened by block of cells and by slide."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from eyeline import Eyeline
from eyeline.errors import LocatorOutOfRange

NAMES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (("office", "office"), ("table", "table"), ("text", "text"), ("draw", "drawing"))
)


def write(file: Path, kind: str, body: str) -> None:
    """An OpenDocument of a kind, as small as one can be."""
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        body = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
        archive.writestr("content.xml", f"<office:document-content{NAMES}>{body}</office:document-content>")


def row(*cells: str) -> str:
    """A row of a sheet."""
    texts = (f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in cells)
    return f"<table:table-row>{''.join(texts)}</table:table-row>"


def slide(text: str) -> str:
    """A slide with one box."""
    return f"<draw:page><draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame></draw:page>"


with tempfile.TemporaryDirectory() as name:
    inbox, home = Path(name, "inbox"), Path(name, "home")
    inbox.mkdir()
    home.mkdir()
    (home / "eyeline.toml").write_text('[typesetting]\nprogram = "off"\n', encoding="utf-8")
    rows = row("part", "count") + row("valve", "12") + row("seal", "7")
    write(inbox / "count.ods", "spreadsheet", f'<table:table table:name="Q3">{rows}</table:table>')
    write(inbox / "plan.odp", "presentation", slide("Where we are") + slide("The valve comes first"))
    with Eyeline(home) as eye:
        eye.ingest(inbox)
        places = {hit.source.name: str(hit.locator) for hit in eye.find("valve")}
        cells = eye.open("count.ods", locator="sheet=Q3&cell=A2:B3").parts[0].text
        second = eye.open("plan.odp", locator="page=2").parts[0].text
        try:
            eye.open("plan.odp", locator="page=3")
        except LocatorOutOfRange as exc:
            told = exc.hint
