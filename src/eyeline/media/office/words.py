"""Word processor documents (OOXML): the text in order, lists with their numbers, tables, notes and comments.

What is not shown (hidden runs) is put aside and written down apart; text that a tracked change deletes is left out and
counted. Of alternatives of one thing (a drawing and its older form) the first is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.errors import MediaError
from eyeline.media.office import script as kinds
from eyeline.media.office.numbering import Numbering
from eyeline.media.office.package import Package, Relation
from eyeline.media.office.parts import drawn_text
from eyeline.media.office.script import Script, link
from eyeline.media.office.styles import Styles
from eyeline.media.office.trees import Tree, child, children, is_on, value

MAX_SECTIONS = 500
_THROUGH = ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:smartTag", "w:txbxContent")
_RUNS = (*_THROUGH, "w:fldSimple", "w:dir", "w:bdo", "w:ruby", "w:rubyBase")
_DELETED = ("w:del", "w:moveFrom")
_MARKS = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:ptab": "\t"}


def read_words(package: Package, script: Script) -> None:
    """Write down a whole document. Raises `CorruptMedia` where its main part cannot be read."""
    main = package.main_part()
    words = _Words(package, script, main)
    words.body(package.tree(main))
    words.notes()
    words.margins()
    script.end()


@dataclass(slots=True)
class _Words:
    package: Package
    script: Script
    main: str
    relations: dict[str, Relation] = field(init=False)
    styles: Styles = field(init=False)
    numbering: Numbering = field(init=False)
    floats: list[Tree] = field(default_factory=list[Tree])
    part: str = ""

    def __post_init__(self) -> None:
        self.part, self.relations = self.main, self.package.relations(self.main)
        self.styles = Styles.of(self._side("styles"))
        self.numbering = Numbering.of(self._side("numbering"))

    def body(self, tree: Tree) -> None:
        """The text itself, a section from each heading of the first two levels on."""
        self.script.section(kinds.TEXT, 1)
        self._blocks(child(tree, "w:body"), cuts=True)

    def notes(self) -> None:
        """Footnotes, endnotes and comments, each with the number it has in the text."""
        for kind, tag, mark in (("footnotes", "w:footnote", "^"), ("endnotes", "w:endnote", "^e")):
            found = [each for each in self._listed(kind, tag) if each.get("w:type", "normal") == "normal"]
            if found:
                self.script.section(kinds.NOTES)
            for note in found:
                self.script.paragraph(f"[{mark}{note.get('w:id')}]: {self._plain(note, kind)}")
        comments = self._listed("comments", "w:comment")
        if comments:
            self.script.section(kinds.COMMENTS)
        for comment in comments:
            author = comment.get("w:author", "")
            self.script.paragraph(f"[comment {comment.get('w:id')}] {author}: {self._plain(comment, 'comments')}")

    def margins(self) -> None:
        """What stands above and below the pages, each text once."""
        texts: dict[str, None] = {}
        for relation in list(self.relations.values()):
            if relation.kind in ("header", "footer") and not relation.is_external:
                tree = self.package.side_tree(relation.target)
                if tree is not None:
                    self._at(relation.target)
                    texts.setdefault("\n".join(filter(None, map(self._inline, tree.iter("w:p")))))
        kept = [text for text in texts if text.strip()]
        if kept:
            self.script.section(kinds.MARGINS)
        for text in kept:
            self.script.paragraph(text)

    def _at(self, part: str) -> None:
        """From now on ids are those of another part."""
        if part != self.part:
            self.part, self.relations = part, self.package.relations(part)

    def _side(self, kind: str) -> Tree | None:
        target = next((each.target for each in self.relations.values() if each.kind == kind), None)
        return None if target is None else self.package.side_tree(target)

    def _listed(self, kind: str, tag: str) -> list[Tree]:
        self._at(self.main)
        tree = self._side(kind)
        return list(children(tree, tag))

    def _plain(self, tree: Tree, kind: str) -> str:
        """The paragraphs of a note as lines; its ids are those of the part that holds it."""
        self._at(next((each.target for each in self.relations.values() if each.kind == kind), self.part))
        text = "\n".join(filter(None, (self._inline(each) for each in tree.iter("w:p"))))
        self._at(self.main)
        return text

    def _blocks(self, tree: Tree | None, *, cuts: bool = False) -> None:
        for element in () if tree is None else tree:
            if element.tag == "w:p":
                self._paragraph(element, cuts=cuts)
            elif element.tag == "w:tbl":
                self._table(element)
            elif element.tag in _THROUGH:
                self._blocks(element, cuts=cuts)
            elif element.tag == "mc:AlternateContent":
                self._blocks(_chosen(element))
            elif element.tag in _DELETED:
                self.script.counts["deleted_text"] += _chars(element)
            elif element.tag == "w:altChunk":
                self.script.counts["outside"] += 1

    def _paragraph(self, paragraph: Tree, *, cuts: bool) -> None:
        look = child(paragraph, "w:pPr")
        style = value(look, "w:pStyle")
        level = self.styles.level(style, value(look, "w:outlineLvl"))
        text = self._inline(paragraph)
        if level is not None and text.strip():
            if cuts and level <= 2 and self.script.writer.chars and len(self.script.sections) < MAX_SECTIONS:
                self.script.section(kinds.TEXT, len(self.script.sections) + 1)
            self.script.heading(text, level)
        else:
            at = self.numbering.place(look) or self.numbering.place(self.styles.look(style))
            marker = None if at is None or not text.strip() else self.numbering.marker(at)
            if marker is None or at is None:
                self.script.paragraph(text)
            else:
                self.script.item(text, marker=marker, depth=at[1], group=f"list {at[0]}")
        floats, self.floats = self.floats, []
        for each in floats:
            self._blocks(each)

    def _table(self, table: Tree) -> None:
        rows = [self._row(row) for row in _rows(table)]
        self.script.table(rows)
        floats, self.floats = self.floats, []
        for each in floats:
            self._blocks(each)

    def _row(self, row: Tree) -> list[str]:
        cells: list[str] = []
        skipped = value(row, "w:trPr", "w:gridBefore")
        cells += [""] * _count(skipped, 0)
        for cell in _cells(row):
            look = child(cell, "w:tcPr")
            merged = child(look, "w:vMerge")
            goes_on = merged is not None and merged.get("w:val", "continue") == "continue"
            text = "" if goes_on else " ".join(filter(None, (self._inline(each).strip() for each in _lines(cell))))
            cells += [text, *[""] * (_count(value(look, "w:gridSpan"), 1) - 1)]
        return cells

    def _inline(self, paragraph: Tree) -> str:
        look = child(paragraph, "w:pPr")
        style = value(look, "w:pStyle")
        return "".join(self._pieces(paragraph, is_hidden=self.styles.hides(style)))

    def _pieces(self, tree: Tree, *, is_hidden: bool) -> Iterator[str]:
        for element in tree:
            tag = element.tag
            if tag == "w:r":
                yield from self._run(element, is_hidden=is_hidden)
            elif tag == "w:hyperlink":
                yield self._link(element, is_hidden=is_hidden)
            elif tag in _RUNS:
                yield from self._pieces(element, is_hidden=is_hidden)
            elif tag in _DELETED:
                self.script.counts["deleted_text"] += _chars(element)
            elif tag == "mc:AlternateContent":
                yield from self._pieces(_chosen(element), is_hidden=is_hidden)
            elif tag.startswith("m:oMath"):
                yield "".join(each.text or "" for each in element.iter("m:t"))

    def _run(self, run: Tree, *, is_hidden: bool) -> Iterator[str]:
        look = child(run, "w:rPr")
        vanish = child(look, "w:vanish")
        if vanish is not None:
            is_hidden = is_on(look, "w:vanish")
        else:
            is_hidden = is_hidden or self.styles.hides(value(look, "w:rStyle"))
        text = "".join(self._content(run))
        if is_hidden:
            self.script.hide(text)
        else:
            yield text

    def _content(self, run: Tree) -> Iterator[str]:
        for element in run:
            tag = element.tag
            if tag in ("w:t", "w:delText"):
                yield element.text or ""
            elif tag in _MARKS:
                yield _MARKS[tag]
            elif tag == "w:sym":
                yield _symbol(element.get("w:char", ""))
            elif tag == "w:instrText":
                self.script.counts["dde"] += (element.text or "").strip().upper().startswith("DDE")
            elif tag in ("w:footnoteReference", "w:endnoteReference"):
                yield f"[^{'e' if tag == 'w:endnoteReference' else ''}{element.get('w:id')}]"
            elif tag == "w:commentReference":
                yield f"[comment {element.get('w:id')}]"
            elif tag in ("w:drawing", "w:pict", "w:object"):
                yield self._drawing(element)
            elif tag == "mc:AlternateContent":
                yield from self._content(_chosen(element))

    def _drawing(self, drawing: Tree) -> str:
        """The pictures of a drawing; text boxes are kept for after the paragraph, charts and diagrams become text."""
        self.floats += list(drawing.iter("w:txbxContent"))
        alt = next((each.get("descr") or each.get("title") or "" for each in drawing.iter("wp:docPr")), "")
        ids = [each.get("r:embed") for each in drawing.iter("a:blip")]
        self.script.counts["outside"] += sum("r:link" in each.attrib for each in drawing.iter("a:blip"))
        ids += [each.get("r:id") for each in drawing.iter("v:imagedata")]
        marks = [self._picture(each, alt) for each in ids if each]
        return " ".join([*marks, *drawn_text(drawing, self.relations, package=self.package, script=self.script)])

    def _picture(self, id_: str, alt: str) -> str:
        relation = self.relations.get(id_)
        if relation is None or relation.is_external:
            self.script.counts["unreadable_pictures" if relation is None else "outside"] += 1
            return ""
        try:
            data = self.package.part(relation.target)
        except MediaError:
            self.script.counts["unreadable_pictures"] += 1
            return ""
        return self.script.picture(data, alt, spot=[])

    def _link(self, element: Tree, *, is_hidden: bool) -> str:
        text = "".join(self._pieces(element, is_hidden=is_hidden))
        relation = self.relations.get(element.get("r:id", ""))
        return link(text, relation.target) if relation is not None and relation.is_external else text


def _chosen(alternatives: Tree) -> Tree:
    """The first of several forms of one thing."""
    return next(iter(alternatives), alternatives)


def _rows(table: Tree) -> Iterator[Tree]:
    for element in table:
        if element.tag == "w:tr":
            yield element
        elif element.tag in _THROUGH:
            yield from _rows(element)


def _cells(row: Tree) -> Iterator[Tree]:
    for element in row:
        if element.tag == "w:tc":
            yield element
        elif element.tag in _THROUGH:
            yield from _cells(element)


def _lines(cell: Tree) -> Iterator[Tree]:
    """The paragraphs of a cell, also those of tables in it; not those of boxes that float."""
    for element in cell:
        if element.tag == "w:p":
            yield element
        elif element.tag in (*_THROUGH, "w:tbl", "w:tr", "w:tc"):
            yield from _lines(element)


def _chars(tree: Tree) -> int:
    return sum(len(each.text or "") for each in tree.iter() if each.tag in ("w:t", "w:delText"))


def _count(text: str | None, default: int) -> int:
    return (
        min(int(text), kinds.MAX_COLUMNS) if text and text.isascii() and text.isdigit() and len(text) < 6 else default
    )


def _symbol(code: str) -> str:
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "" if 0xF000 <= number <= 0xF0FF or not 0x20 <= number < 0xD800 else chr(number)
