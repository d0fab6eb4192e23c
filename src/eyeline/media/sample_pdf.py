"""PDF files written from nothing, for tests, benchmarks and demonstrations; one call always gives the same bytes.

Boxes and positions are in points of the unrotated page with the origin at its top left: `(x, y, w, h)`. Text stands in
Helvetica with Windows-1252 characters; `y_pt` is its baseline.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from eyeline.media.sample_pdf_lock import Lock, make_lock

Box = tuple[float, float, float, float]
Rgb = tuple[float, float, float]
BLACK: Rgb = (0.0, 0.0, 0.0)
WHITE: Rgb = (1.0, 1.0, 1.0)
LETTER = (612.0, 792.0)


@dataclass(frozen=True, slots=True)
class SampleText:
    """One line of text. `scrambled` text shows right but reads as private-use characters."""

    text: str
    x_pt: float = 72
    y_pt: float = 72
    size_pt: float = 12
    colour: Rgb = BLACK
    invisible: bool = False
    scrambled: bool = False


@dataclass(frozen=True, slots=True)
class SampleFill:
    """A filled rectangle."""

    box: Box
    colour: Rgb


@dataclass(frozen=True, slots=True)
class SamplePicture:
    """A picture stretched over a box: a JPEG file, or packed 8-bit RGB rows."""

    data: bytes
    width_px: int
    height_px: int
    box: Box
    is_jpeg: bool = False


@dataclass(frozen=True, slots=True)
class SampleLink:
    """A link to an address or to a page (from 1)."""

    box: Box
    uri: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class SampleField:
    """A filled-in text field of a form."""

    box: Box
    value: str


@dataclass(frozen=True, slots=True)
class SamplePage:
    """One page. What is drawn: fills, then pictures, then texts. `crop` is the crop box; a lost page has no object."""

    texts: tuple[SampleText, ...] = ()
    fills: tuple[SampleFill, ...] = ()
    pictures: tuple[SamplePicture, ...] = ()
    links: tuple[SampleLink, ...] = ()
    fields: tuple[SampleField, ...] = ()
    size_pt: tuple[float, float] = LETTER
    crop: Box | None = None
    rotate: int = 0
    lost: bool = False


@dataclass(frozen=True, slots=True)
class SampleEntry:
    """One entry of the outline; level 0 is the top."""

    title: str
    page: int
    level: int = 0


def make_pdf(
    pages: Sequence[SamplePage | str],
    *,
    outline: Sequence[SampleEntry] = (),
    javascript: str | None = None,
    attachment: bytes | None = None,
    user_password: str | None = None,
    owner_password: str | None = None,
) -> bytes:
    """A PDF of these pages; a string is a page with that text, one line under another from the top.

    A user password is needed to open the file; with an owner password alone it opens, with restrictions.
    """
    lock = None
    if user_password is not None or owner_password is not None:
        lock = make_lock(user_password or "", owner_password or user_password or "")
    writer = _Writer(lock)
    catalog = writer.reserve()
    kids = writer.reserve()
    fonts = _add_fonts(writer)
    numbers = [writer.reserve() for _ in pages]
    fields: list[int] = []
    for number, page in zip(numbers, pages, strict=True):
        whole = _page_of(page) if isinstance(page, str) else page
        if not whole.lost:
            fields += _add_page(writer, whole, number=number, kids=kids, fonts=fonts, numbers=numbers)
    references = " ".join(f"{number} 0 R" for number in numbers)
    writer.put(kids, f"<< /Type /Pages /Count {len(numbers)} /Kids [{references}] >>")
    extra = _add_outline(writer, outline, numbers) + _add_names(writer, javascript, attachment)
    if fields:
        extra += f" /AcroForm << /Fields [{' '.join(f'{field} 0 R' for field in fields)}] /DR << /Font << {fonts} >> >>"
        extra += " /DA (/F1 12 Tf 0 g) >>"
    writer.put(catalog, f"<< /Type /Catalog /Pages {kids} 0 R{extra} >>")
    return writer.finish(catalog)


def make_scanned_pdf(pictures: Sequence[SamplePicture], *, hidden_texts: Sequence[str] = ()) -> bytes:
    """A scan: pages that are one picture each, on request with the invisible text that text recognition leaves."""
    pages: list[SamplePage] = []
    for index, picture in enumerate(pictures):
        text = (SampleText(hidden_texts[index], invisible=True),) if index < len(hidden_texts) else ()
        pages.append(SamplePage(pictures=(picture,), texts=text))
    return make_pdf(pages)


def _page_of(text: str) -> SamplePage:
    lines = text.split("\n")
    return SamplePage(texts=tuple(SampleText(line, y_pt=72 + 16 * row) for row, line in enumerate(lines) if line))


class _Writer:
    """Numbered objects and the file they make."""

    def __init__(self, lock: Lock | None) -> None:
        self._objects: dict[int, bytes] = {}
        self._count = 0
        self._lock = lock

    def reserve(self) -> int:
        self._count += 1
        return self._count

    def put(self, number: int, body: str | bytes) -> int:
        self._objects[number] = body.encode("cp1252") if isinstance(body, str) else body
        return number

    def add(self, body: str) -> int:
        return self.put(self.reserve(), body)

    def add_stream(self, data: bytes, facts: str = "") -> int:
        number = self.reserve()
        data = self._seal(number, data)
        head = f"<< /Length {len(data)}{facts} >>\nstream\n".encode()
        return self.put(number, head + data + b"\nendstream")

    def string(self, number: int, text: str) -> str:
        """A string inside object `number`, as hex digits; what Windows-1252 lacks becomes UTF-16."""
        try:
            data = text.encode("cp1252")
        except UnicodeEncodeError:
            data = b"\xfe\xff" + text.encode("utf-16-be")
        return f"<{self._seal(number, data).hex()}>"

    def _seal(self, number: int, data: bytes) -> bytes:
        return data if self._lock is None else self._lock.seal(number, data)

    def finish(self, catalog: int) -> bytes:
        encryption = ""
        if self._lock is not None:
            number = self.add(self._lock.dictionary)
            encryption = f" /Encrypt {number} 0 R /ID [<{self._lock.file_id.hex()}> <{self._lock.file_id.hex()}>]"
        file = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        rows = ["0000000000 65535 f "]
        for number in range(1, self._count + 1):
            if number not in self._objects:
                rows.append("0000000000 00000 f ")
                continue
            rows.append(f"{len(file):010d} 00000 n ")
            file += b"%d 0 obj\n" % number + self._objects[number] + b"\nendobj\n"
        table = "\n".join(rows)
        file_end = f"xref\n0 {len(rows)}\n{table}\ntrailer\n<< /Size {len(rows)} /Root {catalog} 0 R{encryption} >>\n"
        return bytes(file) + f"{file_end}startxref\n{len(file)}\n%%EOF\n".encode()


def _add_fonts(writer: _Writer) -> str:
    ranges = b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <00> <FF> <E000> endbfrange"
    mapping = b"/CIDInit /ProcSet findresource begin begincmap " + ranges + b" endcmap end"
    scrambled = writer.add_stream(mapping)
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding"
    return f"/F1 {writer.add(font + ' >>')} 0 R /F2 {writer.add(f'{font} /ToUnicode {scrambled} 0 R >>')} 0 R"


def _add_page(
    writer: _Writer, page: SamplePage, *, number: int, kids: int, fonts: str, numbers: Sequence[int]
) -> list[int]:
    """Write one page; returns the objects of its form fields."""
    width, height = page.size_pt
    pictures = [_add_picture(writer, picture) for picture in page.pictures]
    content = writer.add_stream(_content(page))
    links = [_add_link(writer, link, height=height, numbers=numbers) for link in page.links]
    fields = [_add_field(writer, field, height=height, fonts=fonts) for field in page.fields]
    names = " ".join(f"/P{index} {picture} 0 R" for index, picture in enumerate(pictures))
    body = f"<< /Type /Page /Parent {kids} 0 R /MediaBox [0 0 {width:g} {height:g}] /Contents {content} 0 R"
    body += f" /Resources << /Font << {fonts} >> /XObject << {names} >> >>"
    if page.crop is not None:
        body += f" /CropBox [{_corners(page.crop, height)}]"
    if page.rotate:
        body += f" /Rotate {page.rotate}"
    if links or fields:
        body += f" /Annots [{' '.join(f'{each} 0 R' for each in links + fields)}]"
    writer.put(number, body + " >>")
    return fields


def _content(page: SamplePage) -> bytes:
    height = page.size_pt[1]
    steps: list[str] = []
    for fill in page.fills:
        x, y, w, h = fill.box
        steps.append(f"{_rgb(fill.colour)} rg {x:g} {height - y - h:g} {w:g} {h:g} re f")
    for index, picture in enumerate(page.pictures):
        x, y, w, h = picture.box
        steps.append(f"q {w:g} 0 0 {h:g} {x:g} {height - y - h:g} cm /P{index} Do Q")
    for text in page.texts:
        font, mode = "F2" if text.scrambled else "F1", 3 if text.invisible else 0
        place = f"{text.x_pt:g} {height - text.y_pt:g} Td"
        letters = text.text.encode("cp1252").hex()
        steps.append(f"BT {_rgb(text.colour)} rg {mode} Tr /{font} {text.size_pt:g} Tf {place} <{letters}> Tj ET")
    return "\n".join(steps).encode()


def _add_picture(writer: _Writer, picture: SamplePicture) -> int:
    data = picture.data if picture.is_jpeg else zlib.compress(picture.data, 6)
    facts = f" /Type /XObject /Subtype /Image /Width {picture.width_px} /Height {picture.height_px}"
    facts += " /ColorSpace /DeviceRGB /BitsPerComponent 8"
    return writer.add_stream(data, f"{facts} /Filter /{'DCTDecode' if picture.is_jpeg else 'FlateDecode'}")


def _add_link(writer: _Writer, link: SampleLink, *, height: float, numbers: Sequence[int]) -> int:
    number = writer.reserve()
    action = f"/Dest [{numbers[(link.page or 1) - 1]} 0 R /Fit]"
    if link.uri is not None:
        action = f"/A << /S /URI /URI {writer.string(number, link.uri)} >>"
    box = _corners(link.box, height)
    return writer.put(number, f"<< /Type /Annot /Subtype /Link /Rect [{box}] /Border [0 0 0] {action} >>")


def _add_field(writer: _Writer, field: SampleField, *, height: float, fonts: str) -> int:
    w, h = field.box[2:]
    shown = f"/Tx BMC BT /F1 12 Tf 0 g 2 {h / 2 - 4:g} Td <{field.value.encode('cp1252').hex()}> Tj ET EMC"
    facts = f" /Type /XObject /Subtype /Form /BBox [0 0 {w:g} {h:g}] /Resources << /Font << {fonts} >> >>"
    look = writer.add_stream(shown.encode(), facts)
    number = writer.reserve()
    body = f"<< /Type /Annot /Subtype /Widget /FT /Tx /T {writer.string(number, f'field{number}')} /F 4"
    body += f" /V {writer.string(number, field.value)} /DA {writer.string(number, '/F1 12 Tf 0 g')}"
    return writer.put(number, f"{body} /Rect [{_corners(field.box, height)}] /AP << /N {look} 0 R >> >>")


def _add_outline(writer: _Writer, entries: Sequence[SampleEntry], numbers: Sequence[int]) -> str:
    if not entries:
        return ""
    root = writer.reserve()
    objects = [writer.reserve() for _ in entries]
    parents = [root] * len(entries)
    children: dict[int, list[int]] = {root: []}
    path = [root]
    for index, entry in enumerate(entries):
        path = path[: entry.level + 1]
        parents[index] = path[-1]
        children.setdefault(path[-1], []).append(objects[index])
        path.append(objects[index])
    for index, entry in enumerate(entries):
        number, siblings = objects[index], children[parents[index]]
        at = siblings.index(number)
        body = f"<< /Title {writer.string(number, entry.title)} /Parent {parents[index]} 0 R"
        body += f" /Dest [{numbers[entry.page - 1]} 0 R /Fit]"
        body += f" /Prev {siblings[at - 1]} 0 R" if at else ""
        body += f" /Next {siblings[at + 1]} 0 R" if at + 1 < len(siblings) else ""
        writer.put(number, f"{body}{_ends(children.get(number))} >>")
    writer.put(root, f"<< /Type /Outlines{_ends(children[root])} >>")
    return f" /Outlines {root} 0 R"


def _ends(children: Sequence[int] | None) -> str:
    return f" /First {children[0]} 0 R /Last {children[-1]} 0 R /Count {len(children)}" if children else ""


def _add_names(writer: _Writer, javascript: str | None, attachment: bytes | None) -> str:
    names = ""
    if javascript is not None:
        number = writer.reserve()
        writer.put(number, f"<< /S /JavaScript /JS {writer.string(number, javascript)} >>")
        names += f" /JavaScript << /Names [<6a73> {number} 0 R] >>"
    if attachment is not None:
        stream = writer.add_stream(attachment, " /Type /EmbeddedFile")
        number = writer.reserve()
        name = writer.string(number, "attached.txt")
        writer.put(number, f"<< /Type /Filespec /F {name} /EF << /F {stream} 0 R >> >>")
        names += f" /EmbeddedFiles << /Names [<6174> {number} 0 R] >>"
    return f" /Names <<{names} >>" if names else ""


def _corners(box: Box, height: float) -> str:
    x, y, w, h = box
    return f"{x:g} {height - y - h:g} {x + w:g} {height - y:g}"


def _rgb(colour: Rgb) -> str:
    return " ".join(f"{part:g}" for part in colour)
