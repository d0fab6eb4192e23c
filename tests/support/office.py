"""Office documents for tests: written by the libraries that people write them with, and changed part by part."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable
from datetime import date
from typing import Any
from xml.sax.saxutils import quoteattr

import docx
import openpyxl
import pptx
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from pptx.util import Inches

from eyeline.media.sample_pictures import make_picture

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PIXELS = make_picture(width=60, height=40)
CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def make_words() -> bytes:
    """A report: headings, a list, a table, a hidden run, a comment, a picture, a header."""
    made = docx.Document()
    made.add_heading("Pump report", 0)
    made.add_paragraph("The serial number is PX-4417.")
    made.add_heading("Parts", 1)
    for text in ("first part", "second part"):
        made.add_paragraph(text, style="List Number")
    table = made.add_table(2, 2)
    for at, text in enumerate(("part", "count", "valve | seat", "12")):
        table.cell(at // 2, at % 2).text = text
    paragraph = made.add_paragraph("shown ")
    paragraph.add_run("obey the run").font.hidden = True
    made.add_picture(io.BytesIO(PIXELS))
    made.sections[0].header.paragraphs[0].text = "Confidential"
    made.add_comment(paragraph.runs, text="check this", author="Ann")
    return _saved(made.save)


def make_slides(count: int = 2) -> bytes:
    """A deck: points with notes, then slides with boxes out of order, a table and a picture; the last is hidden."""
    made: Any = pptx.Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Pump plan"
    first.placeholders[1].text = "point one\npoint two"
    first.notes_slide.notes_text_frame.text = "tell of PX-4417"
    for number in range(2, count + 1):
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = f"Slide {number}"
        for text, top in (("lower box", 5), ("upper box", 2)):
            box = slide.shapes.add_textbox(Inches(1), Inches(top), Inches(2), Inches(1))
            box.text_frame.text = text
        table = slide.shapes.add_table(2, 2, Inches(4), Inches(2), Inches(3), Inches(1)).table
        table.cell(0, 0).text, table.cell(1, 1).text = "valve", "12"
        slide.shapes.add_picture(io.BytesIO(PIXELS), Inches(6), Inches(5))
    last = f"ppt/slides/slide{count}.xml"
    return changed(_saved(made.save), lambda name, data: _hidden(data) if name == last and count > 1 else data)


def _hidden(slide: bytes) -> bytes:
    return slide.replace(b"<p:sld ", b'<p:sld show="0" ', 1)


def make_sheets() -> bytes:
    """A workbook: numbers in formats, a formula without a value, merged cells, a comment, a picture, a hidden sheet."""
    made = openpyxl.Workbook()
    sheet = made.active
    assert sheet is not None
    sheet.title = "Q3"
    rows = [
        ["part", "count", "when", "share"],
        ["valve", 12, date(2026, 3, 4), 0.256],
        ["seal", 1234.5, None, True],
    ]
    for row in rows:
        sheet.append(row)
    sheet["C2"].number_format = "dd/mm/yyyy"
    sheet["D2"].number_format = "0.0%"
    sheet["B3"].number_format = "#,##0.00"
    sheet["A5"] = "=SUM(B2:B3)"
    sheet["A7"] = "merged"
    sheet.merge_cells("A7:B8")
    sheet["A1"].comment = Comment("look here", "Ann")
    sheet.add_image(SheetImage(io.BytesIO(PIXELS)), "F3")
    sheet.row_dimensions[3].hidden = True
    made.create_sheet("Empty")
    secret = made.create_sheet("Secret & more")
    secret["C3"] = "obey the sheet"
    secret.sheet_state = "hidden"
    return _saved(made.save)


def make_grid(sheets: int, *, rows: int = 1, columns: int = 1) -> bytes:
    """A workbook of so many sheets, each full of numbered cells."""
    made = openpyxl.Workbook(write_only=True)
    for number in range(1, sheets + 1):
        sheet = made.create_sheet(f"S{number}")
        for row in range(1, rows + 1):
            sheet.append([f"s{number}r{row}c{column}" for column in range(1, columns + 1)])
    return _saved(made.save)


def make_rtf() -> bytes:
    """A text with a heading, letters in two code pages, a hidden word, a footnote, a table and a picture."""
    return (
        r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Times;}}"
        r"{\stylesheet{\s1\outlinelevel0 heading 1;}}\pard\s1 Pump title\par"
        r"\pard Caf\'e9 \u8364? {\f1 \'cf\'f0}.\par {\v obey the word}shown{\footnote a note}\par"
        r"\trowd\cellx1000\cellx2000\pard\intbl part\cell 12\cell\row\pard after\par"
        rf"{{\*\shppict{{\pict\pngblip {PIXELS.hex()}}}}}\par}}"
    ).encode()


def make_odf(kind: str, body: str, *, styles: str = "", more: dict[str, bytes] | None = None) -> bytes:
    """An OpenDocument of a kind (`text`, `spreadsheet`, `presentation`) with this body."""
    names = ("office", "text", "table", "style", "presentation", "manifest")
    spaces = " ".join(f'xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"' for each in names)
    spaces += ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    spaces += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    parts = {"mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(), "content.xml": content.encode()}
    return zipped({**parts, **(more or {})})


def make_raw_words(body: str, *, declared: str = "", more: dict[str, bytes] | None = None) -> bytes:
    """A word processor document of this body and nothing else."""
    text = f'<?xml version="1.0"?>{declared}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    parts = {"[Content_Types].xml": CONTENT_TYPES.encode(), "_rels/.rels": RELATIONS.encode()}
    return zipped({**parts, "word/document.xml": text.encode(), **(more or {})})


def locked_words() -> bytes:
    """What a word processor saves with a password: the head of a compound file, and the name of what it encrypts."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(512)


def zipped(parts: dict[str, bytes]) -> bytes:
    """An archive of these parts, in order; the first is stored, as the type of some documents is."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(parts.items()):
            form = zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=form)
    return held.getvalue()


def changed(document: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """A document with its parts changed; a part that becomes none is left out."""
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        parts = {name: change(name, archive.read(name)) for name in archive.namelist()}
    return zipped({name: data for name, data in parts.items() if data is not None})


def with_twin(document: bytes, name: str, data: bytes) -> bytes:
    """A document in which one name stands twice, the second time for other bytes."""
    held = io.BytesIO(document)
    with warnings.catch_warnings(), zipfile.ZipFile(held, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(name, data)
    return held.getvalue()


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    held = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(held)
    return held.getvalue()


def make_raw_book(
    rows: str, *, strings: str = "", styles: str = "", around: tuple[str, str] = ("", ""), look: str = ""
) -> bytes:
    """A workbook of one sheet: rows, the items of its shared texts, formats of its styles, what stands around the rows.

    `styles` are the number formats of cell styles 1, 2 …, separated by line breaks; `look` attributes of the workbook.
    """
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"

    def relations(*listed: tuple[str, str]) -> str:
        each = (
            f'<Relationship Id="r{at}" Type="{kinds}/{kind}" Target="{to}"/>' for at, (kind, to) in enumerate(listed)
        )
        return f'<Relationships xmlns="{package}">{"".join(each)}</Relationships>'

    codes = list(enumerate(styles.splitlines(), 164))
    formats = "".join(f"<numFmt numFmtId='{number}' formatCode={quoteattr(code)}/>" for number, code in codes)
    cells = "".join(f"<xf numFmtId='{number}'/>" for number, _ in [(0, ""), *codes])
    sheets = f'<sheets><sheet name="S1" sheetId="1" xmlns:r="{kinds}" r:id="r0"/></sheets>'
    parts = {
        "[Content_Types].xml": CONTENT_TYPES.replace("/word/document.xml", "/xl/workbook.xml").replace(
            "wordprocessingml.document.main", "spreadsheetml.sheet.main"
        ),
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f"<workbook {main}><workbookPr {look}/>{sheets}</workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "sheet.xml"), ("sharedStrings", "strings.xml"), ("styles", "styles.xml")
        ),
        "xl/sheet.xml": f"<worksheet {main}>{around[0]}<sheetData>{rows}</sheetData>{around[1]}</worksheet>",
        "xl/strings.xml": f"<sst {main}>{strings}</sst>",
        "xl/styles.xml": f"<styleSheet {main}><numFmts>{formats}</numFmts><cellXfs>{cells}</cellXfs></styleSheet>",
    }
    return zipped({name: text.encode() for name, text in parts.items()})
