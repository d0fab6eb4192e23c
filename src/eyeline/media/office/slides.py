"""Slides (OOXML): each with its text in reading order, its tables, notes, comments and pictures.

Reading order is the title, then from top to bottom and, at one height, from left to right. A slide that is hidden is
read like the others and says so; one that cannot be read costs itself alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.errors import CorruptMedia, MediaError
from eyeline.media.office import script as kinds
from eyeline.media.office.package import Package, Relation
from eyeline.media.office.parts import drawn_text, text_lines
from eyeline.media.office.script import Script, Section, link
from eyeline.media.office.trees import Tree, child, children

EMU_A_POINT = 12_700
_TITLES = ("title", "ctrTitle")
_FRAMES = ("p:sp", "p:pic", "p:graphicFrame", "p:grpSp", "p:cxnSp")
_DECORATION = ("dt", "ftr", "sldNum", "hdr", "sldImg")

Box = tuple[int, int, int, int]
"""Left, top, width and height."""


@dataclass(slots=True)
class Deck:
    """The slides of a presentation: the names of their parts in order, and their size in points."""

    package: Package
    names: list[str]
    width_pt: float
    height_pt: float


def deck_of(package: Package) -> Deck:
    """The deck of a package. Raises `CorruptMedia` where its main part cannot be read."""
    main = package.main_part()
    tree, relations = package.tree(main), package.relations(main)
    listed = [each.get("r:id", "") for each in children(child(tree, "p:sldIdLst"), "p:sldId")]
    names = [relations[each].target if each in relations else "" for each in listed]
    size = child(tree, "p:sldSz")
    width, height = (0, 0) if size is None else (_number(size.get("cx")), _number(size.get("cy")))
    return Deck(package, names, (width or 9_144_000) / EMU_A_POINT, (height or 6_858_000) / EMU_A_POINT)


def read_slides(package: Package, script: Script) -> None:
    """Write down every slide."""
    for number, name in enumerate(deck_of(package).names, 1):
        section = script.section(kinds.SLIDE, number)
        script.pictures.begin_place()
        try:
            _Slide(package, script, name, number, section).read()
        except MediaError:
            section.is_read = False


@dataclass(slots=True)
class _Slide:
    package: Package
    script: Script
    name: str
    number: int
    section: Section
    relations: dict[str, Relation] = field(init=False)
    _layouts: list[Tree] = field(default_factory=list[Tree])

    def __post_init__(self) -> None:
        self.relations = self.package.relations(self.name)

    def read(self) -> None:
        tree = self.package.tree(self.name)
        if tree.tag != "p:sld":
            raise CorruptMedia("a slide is none")
        is_hidden = tree.get("show") in ("0", "false")
        if is_hidden:
            self.script.say_hidden(self.section)
        before = self.script.writer.chars
        self._find_layouts()
        for shape in self._ordered(child(tree, "p:cSld", "p:spTree")):
            self._shape(shape)
        self._beside()
        if is_hidden:
            self.section.hidden = self.script.writer.chars - before

    def _find_layouts(self) -> None:
        """The layout and its master, where placeholders without a place of their own have it."""
        relations = self.relations
        for kind in ("slideLayout", "slideMaster"):
            target = next((each.target for each in relations.values() if each.kind == kind), None)
            tree = None if target is None else self.package.side_tree(target)
            if target is None or tree is None:
                return
            self._layouts.append(tree)
            relations = self.package.relations(target)

    def _ordered(self, tree: Tree | None) -> list[Tree]:
        """The shapes of a tree in reading order; groups are taken apart."""
        shapes = [(each, self._box(each)) for each in _flat(tree)]
        titles = [shape for shape, _ in shapes if _role(shape) in _TITLES]
        others = [(shape, box) for shape, box in shapes if _role(shape) not in _TITLES]
        placed = sorted(((box, at) for at, (_, box) in enumerate(others) if box), key=lambda each: each[0][1])
        order: list[int] = []
        row: list[tuple[Box, int]] = []
        for box, at in placed:
            if row and box[1] + box[3] // 2 > row[0][0][1] + row[0][0][3]:
                order += [each for _, each in sorted(row)]
                row = []
            row.append((box, at))
        order += [each for _, each in sorted(row)]
        order += [at for at, (_, box) in enumerate(others) if not box]
        return [*titles, *(others[at][0] for at in order)]

    def _box(self, shape: Tree) -> Box | None:
        own = _own_box(shape)
        if own is not None:
            return own
        wanted = _placeholder(shape)
        if wanted is None:
            return None
        for layout in self._layouts:
            for each in _flat(child(layout, "p:cSld", "p:spTree")):
                there = _placeholder(each)
                if there is not None and _is_same(wanted, there):
                    found = _own_box(each)
                    if found is not None:
                        return found
        return None

    def _shape(self, shape: Tree) -> None:
        if _role(shape) in _DECORATION:
            return
        properties = next(shape.iter("p:cNvPr"), None)
        alt = "" if properties is None else properties.get("descr", "")
        if properties is not None and properties.get("hidden") in ("1", "true"):
            self.script.hide("".join(each.text or "" for each in shape.iter("a:t")))
            return
        if shape.tag == "p:pic":
            self.script.paragraph(self._picture(shape, alt))
        for table in shape.iter("a:tbl"):
            self.script.table([_row(row) for row in children(table, "a:tr")])
        for told in drawn_text(shape, self.relations, package=self.package, script=self.script):
            self.script.paragraph(told)
        body = child(shape, "p:txBody")
        if body is not None:
            self._text(shape, body)

    def _text(self, shape: Tree, body: Tree) -> None:
        role = _role(shape)
        lines = [(paragraph, self._linked(paragraph, text)) for paragraph, text in text_lines(body) if text.strip()]
        if role in _TITLES:
            self.script.heading(" ".join(text for _, text in lines), 1)
            return
        is_list = role in ("body", "obj", "") and _placeholder(shape) is not None and len(lines) > 1
        for paragraph, text in lines:
            look = child(paragraph, "a:pPr")
            depth = 0 if look is None else _number(look.get("lvl"))
            has_mark = any(child(look, name) is not None for name in ("a:buChar", "a:buAutoNum", "a:buBlip"))
            if has_mark or (is_list and child(look, "a:buNone") is None):
                self.script.item(text, depth=depth)
            else:
                self.script.paragraph(text)

    def _linked(self, paragraph: Tree, text: str) -> str:
        """A paragraph of one run that leads outside, with the address."""
        runs = list(children(paragraph, "a:r"))
        found = child(runs[0], "a:rPr", "a:hlinkClick") if len(runs) == 1 else None
        relation = None if found is None else self.relations.get(found.get("r:id", ""))
        return link(text, relation.target) if relation is not None and relation.is_external else text

    def _picture(self, shape: Tree, alt: str) -> str:
        ids = [each.get("r:embed", "") for each in shape.iter("a:blip")]
        self.script.counts["outside"] += sum("r:link" in each.attrib for each in shape.iter("a:blip"))
        self.script.counts["unreadable_pictures"] += sum(bool(each) and each not in self.relations for each in ids)
        marks: list[str] = []
        for relation in [self.relations[each] for each in ids if each in self.relations]:
            if relation.is_external:
                continue
            try:
                marks.append(self.script.picture(self.package.part(relation.target), alt, spot=[self.number]))
            except MediaError:
                self.script.counts["unreadable_pictures"] += 1
        return " ".join(filter(None, marks))

    def _beside(self) -> None:
        """Speaker notes and comments, each in a section of its own."""
        for relation in list(self.relations.values()):
            if relation.is_external or relation.kind not in ("notesSlide", "comments"):
                continue
            tree = self.package.side_tree(relation.target)
            if tree is None:
                continue
            texts = list(_notes(tree) if relation.kind == "notesSlide" else _comments(tree))
            if texts:
                kind = kinds.SPEAKER if relation.kind == "notesSlide" else kinds.COMMENTS
                self.script.section(kind, self.number)
            for text in texts:
                self.script.paragraph(text)


def _notes(tree: Tree) -> Iterator[str]:
    for shape in _flat(child(tree, "p:cSld", "p:spTree")):
        body = child(shape, "p:txBody")
        if body is not None and _role(shape) not in _DECORATION:
            yield from (text for _, text in text_lines(body) if text.strip())


def _comments(tree: Tree) -> Iterator[str]:
    """Comments of either form."""
    for comment in tree:
        old = ["".join(each.itertext()) for each in comment.iter("p:text")]
        text = " ".join(old or [each.text or "" for each in comment.iter("a:t")])
        if text.strip():
            yield text


def _flat(tree: Tree | None) -> Iterator[Tree]:
    for element in () if tree is None else tree:
        if element.tag == "p:grpSp":
            yield from _flat(element)
        elif element.tag in _FRAMES:
            yield element
        elif element.tag == "mc:AlternateContent":
            yield from _flat(next(iter(element), None))


def _placeholder(shape: Tree) -> Tree | None:
    return next(shape.iter("p:ph"), None)


def _role(shape: Tree) -> str | None:
    """What a placeholder stands for; empty where it does not say; none for a shape of its own."""
    found = _placeholder(shape)
    return None if found is None else found.get("type", "")


def _is_same(wanted: Tree, there: Tree) -> bool:
    if wanted.get("idx") is not None and wanted.get("idx") == there.get("idx"):
        return True
    return wanted.get("type", "body") == there.get("type", "body") and wanted.get("idx") is None


def _own_box(shape: Tree) -> Box | None:
    for name in ("a:xfrm", "p:xfrm"):
        frame = next(shape.iter(name), None)
        at, size = child(frame, "a:off"), child(frame, "a:ext")
        if at is not None and size is not None:
            return _number(at.get("x")), _number(at.get("y")), _number(size.get("cx")), _number(size.get("cy"))
    return None


def _row(row: Tree) -> list[str]:
    cells: list[str] = []
    for cell in children(row, "a:tc"):
        covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
        body = child(cell, "a:txBody")
        lines = [] if body is None or covered else [text for _, text in text_lines(body)]
        cells.append(" ".join(filter(None, (line.strip() for line in lines))))
    return cells


def _number(text: str | None) -> int:
    bare = (text or "").removeprefix("-")
    if not bare.isascii() or not bare.isdigit() or len(bare) > 12:
        return 0
    return -int(bare) if (text or "").startswith("-") else int(bare)
