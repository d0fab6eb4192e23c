"""OpenDocument texts and presentations: the text in order, lists, tables, notes, comments and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.errors import CorruptMedia, EncryptedMedia, MediaError
from eyeline.media.office import script as kinds
from eyeline.media.office.odf_styles import OdfStyles, length_pt
from eyeline.media.office.package import Package
from eyeline.media.office.script import Script, link
from eyeline.media.office.trees import Tree, child, children

MAX_SECTIONS, MAX_SPACES, MAX_REPEATS = 500, 200, 64
CONTENT, STYLES, MANIFEST = "content.xml", "styles.xml", "META-INF/manifest.xml"
_THROUGH = ("text:section", "text:index-body", "text:table-of-content", "text:alphabetical-index", "text:user-index")
_BOXES = ("draw:frame", "draw:text-box", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:g", "draw:a")
_REPEATED = ("page-number", "header", "footer", "date-time")
LINKING = frozenset(
    "text:section-source draw:floating-frame draw:object draw:object-ole draw:plugin table:table-source "
    "table:cell-range-source".split()
)
"""Elements that may take what they show from outside the document."""

_UNSHOWN = ("text:hidden-text", "text:hidden-paragraph")


def check_open(package: Package) -> None:
    """Raise `EncryptedMedia` for a document with a password."""
    tree = package.side_tree(MANIFEST) if MANIFEST in package else None
    if tree is not None and next(tree.iter("manifest:encryption-data"), None) is not None:
        raise EncryptedMedia("the document is encrypted", hint="save it without its password")


def leads_outside(href: str) -> bool:
    """Whether an address in a document leads out of it."""
    return ":" in href.split("/", 1)[0] or href.startswith(("/", "../"))


def body_of(package: Package, kind: str) -> tuple[Tree, OdfStyles]:
    """The body of a document of a kind, and its styles. Raises `CorruptMedia` where there is none."""
    check_open(package)
    tree = package.tree(CONTENT)
    body = child(tree, "office:body", kind)
    if body is None:
        raise CorruptMedia("the document has no body of its kind")
    styles = package.side_tree(STYLES) if STYLES in package else None
    return body, OdfStyles.of(styles, tree)


def slide_sizes(package: Package) -> list[tuple[float, float]]:
    """Width and height of each slide in points."""
    body, styles = body_of(package, "office:presentation")
    return [styles.page_size_pt(page.get("draw:master-page-name")) for page in children(body, "draw:page")]


def read_text(package: Package, script: Script) -> None:
    """Write down a text document."""
    body, styles = body_of(package, "office:text")
    odf = _Odf(package, script, styles)
    script.section(kinds.TEXT, 1)
    odf.blocks(body, cuts=True)
    _count_outside(body, script)
    odf.beside(0)
    script.end()


def read_presentation(package: Package, script: Script) -> None:
    """Write down every slide."""
    body, styles = body_of(package, "office:presentation")
    _count_outside(body, script)
    for number, page in enumerate(children(body, "draw:page"), 1):
        section = script.section(kinds.SLIDE, number)
        script.pictures.begin_place()
        odf = _Odf(package, script, styles, spot=[number])
        is_hidden = styles.hides_page(page.get("draw:style-name"))
        if is_hidden:
            script.say_hidden(section)
        before = script.writer.chars
        for shape in sorted(_shown_boxes(page), key=_reading_place):
            odf.shape(shape)
        spoken = _shown_boxes(child(page, "presentation:notes"))
        notes = [line for shape in spoken for line in odf.lines(shape)]
        odf.beside(number)
        if any(notes):
            script.section(kinds.SPEAKER, number)
        for note in notes:
            script.paragraph(note)
        if is_hidden:
            section.hidden = script.writer.chars - before
    script.end()


@dataclass(slots=True)
class _Odf:
    package: Package
    script: Script
    styles: OdfStyles
    spot: list[int] = field(default_factory=list[int])
    notes: list[str] = field(default_factory=list[str])
    comments: list[str] = field(default_factory=list[str])
    floats: list[Tree] = field(default_factory=list[Tree])
    list_style: str | None = None
    marker: str = "-"

    def blocks(self, tree: Tree, *, cuts: bool = False, depth: int = -1) -> None:
        """The blocks below an element; `depth` is that of the list whose items they are."""
        for element in tree:
            tag = element.tag
            if tag == "text:h":
                self._heading(element, cuts=cuts)
            elif tag == "text:p":
                self._paragraph(element, depth)
            elif tag == "text:list":
                self._list(element, depth + 1)
            elif tag == "table:table":
                self.script.table(list(self._rows(element)))
            elif tag in _THROUGH:
                if element.get("text:display") == "none":
                    self.script.hide("\n".join(self.lines(element)))
                else:
                    self.blocks(element, cuts=cuts)
            elif tag == "text:tracked-changes":
                deleted = element.iter("text:deletion")
                self.script.counts["deleted_text"] += sum(len("".join(each.itertext()).strip()) for each in deleted)
            elif tag in _BOXES:
                self.shape(element)

    def shape(self, shape: Tree) -> None:
        """A frame or shape: its picture, its table, its text."""
        text = self._drawn(shape)
        if shape.get("presentation:class") == "title":
            lines = "; ".join(filter(None, (line for box in self._boxes() for line in self.lines(box))))
            self.script.heading(lines, 1)
        self.script.paragraph(text)
        self._sink()

    def lines(self, tree: Tree) -> Iterator[str]:
        """The paragraphs below an element, as lines."""
        for element in tree.iter():
            if element.tag in ("text:p", "text:h"):
                text = "".join(self._pieces(element)).strip()
                if text:
                    yield text

    def beside(self, number: int) -> None:
        """Footnotes and comments that were met, each in a section of its own."""
        for kind, texts in ((kinds.NOTES, self.notes), (kinds.COMMENTS, self.comments)):
            if texts:
                self.script.section(kind, number)
            for text in texts:
                self.script.paragraph(text)

    def _boxes(self) -> list[Tree]:
        boxes, self.floats = self.floats, []
        return boxes

    def _sink(self) -> None:
        """Write down the text boxes that were met on the way."""
        for box in self._boxes():
            if box.tag == "table:table":
                self.script.table(list(self._rows(box)))
            else:
                self.blocks(box)

    def _list(self, listing: Tree, depth: int) -> None:
        """A list; its style is its own or that of the list around it."""
        outer, style = self.list_style, listing.get("text:style-name")
        self.list_style = style or outer
        is_numbered = self.styles.numbers(self.list_style, depth)
        for number, item in enumerate(children(listing, "text:list-item"), 1):
            self.marker = f"{number}." if is_numbered else "-"
            self.blocks(item, depth=depth)
        for header in children(listing, "text:list-header"):
            self.blocks(header)
        self.list_style = outer

    def _heading(self, heading: Tree, *, cuts: bool) -> None:
        level = heading.get("text:outline-level", "1")
        number = int(level) if level in tuple("123456789") else 1
        text = self._inline(heading)
        has_room = len(self.script.sections) < MAX_SECTIONS
        if cuts and number <= 2 and text.strip() and self.script.writer.chars and has_room:
            self.script.section(kinds.TEXT, len(self.script.sections) + 1)
        self.script.heading(text, number)
        self._sink()

    def _paragraph(self, paragraph: Tree, depth: int) -> None:
        text = self._inline(paragraph)
        if self.styles.is_title(paragraph.get("text:style-name")):
            self.script.heading(text, 1)
        elif depth >= 0:
            self.script.item(text, marker=self.marker, depth=depth)
            self.marker = "-"
        else:
            self.script.paragraph(text)
        self._sink()

    def _inline(self, element: Tree) -> str:
        text = "".join(self._pieces(element))
        if self.styles.hides_text(element.get("text:style-name")):
            self.script.hide(text)
            return ""
        return text

    def _pieces(self, element: Tree) -> Iterator[str]:
        yield element.text or ""
        for each in element:
            yield from self._piece(each)
            yield each.tail or ""

    def _piece(self, each: Tree) -> Iterator[str]:
        tag = each.tag
        if tag == "text:s":
            count = each.get("text:c", "1")
            yield " " * (min(int(count), MAX_SPACES) if count.isascii() and count.isdigit() else 1)
        elif tag in ("text:tab", "text:line-break"):
            yield "\t" if tag == "text:tab" else "\n"
        elif tag == "text:a":
            yield link("".join(self._pieces(each)), each.get("xlink:href", ""))
        elif tag == "text:note":
            body = child(each, "text:note-body")
            self.notes.append(f"[^{len(self.notes) + 1}]: " + " ".join(self.lines(body) if body is not None else ()))
            yield f"[^{len(self.notes)}]"
        elif tag == "office:annotation":
            author = "".join(made.text or "" for made in children(each, "dc:creator"))
            self.comments.append(f"[comment {len(self.comments) + 1}] {author}: " + " ".join(self.lines(each)))
            yield f"[comment {len(self.comments)}]"
        elif tag in _UNSHOWN:
            self.script.hide(each.get("text:string-value") or "".join(each.itertext()))
        elif tag in _BOXES:
            yield self._drawn(each)
        elif self.styles.hides_text(each.get("text:style-name")):
            self.script.hide("".join(self._pieces(each)))
        elif not tag.startswith("office:annotation"):
            yield from self._pieces(each)

    def _drawn(self, shape: Tree) -> str:
        """The marks of the pictures of a shape; what text it holds is kept for after the paragraph."""
        if shape.tag == "draw:custom-shape" or shape.tag in ("draw:text-box", "draw:rect", "draw:ellipse"):
            self.floats.append(shape)
            return ""
        titles = [*children(shape, "svg:desc"), *children(shape, "svg:title")]
        alt = next((each.text or "" for each in titles), "")
        marks: list[str] = []
        for each in shape:
            if each.tag == "draw:image":
                marks.append(self._picture(each.get("xlink:href", ""), alt))
                break
            if each.tag == "table:table":
                self.floats.append(each)
            elif each.tag in _BOXES:
                marks.append(self._drawn(each))
        return " ".join(filter(None, marks))

    def _picture(self, href: str, alt: str) -> str:
        name = href.removeprefix("./")
        if name not in self.package:
            self.script.counts["outside"] += bool(name)
            return ""
        try:
            return self.script.picture(self.package.part(name), alt, spot=list(self.spot))
        except MediaError:
            self.script.counts["unreadable_pictures"] += 1
            return ""

    def _rows(self, table: Tree) -> Iterator[list[str]]:
        for element in table:
            if element.tag in ("table:table-rows", "table:table-header-rows", "table:table-row-group"):
                yield from self._rows(element)
            elif element.tag == "table:table-row":
                yield self._cells(element)

    def _cells(self, row: Tree) -> list[str]:
        cells: list[str] = []
        for cell in row:
            if cell.tag in ("table:table-cell", "table:covered-table-cell"):
                repeats = cell.get("table:number-columns-repeated", "1")
                times = min(int(repeats), MAX_REPEATS) if repeats.isascii() and repeats.isdigit() else 1
                cells += [" ".join(self.lines(cell))] * times
        while cells and not cells[-1]:
            cells.pop()
        return cells


def _count_outside(body: Tree, script: Script) -> None:
    linking = (each.get("xlink:href", "") for each in body.iter() if each.tag in LINKING)
    script.counts["outside"] += sum(map(leads_outside, linking))


def _shown_boxes(page: Tree | None) -> list[Tree]:
    """The shapes of a page without what repeats on each."""
    boxes = (each for each in (() if page is None else page) if each.tag in _BOXES)
    return [each for each in boxes if each.get("presentation:class") not in _REPEATED]


def _reading_place(shape: Tree) -> tuple[bool, float, float]:
    """The title first, then from top to bottom and from left to right."""
    return (
        shape.get("presentation:class") != "title",
        length_pt(shape.get("svg:y")),
        length_pt(shape.get("svg:x")),
    )
