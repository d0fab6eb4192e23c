"""What several readers of OOXML share: parts that may be broken, and drawings that hold text instead of a picture."""

from __future__ import annotations

from collections.abc import Iterator

from eyeline.media.office.package import Package, Relation
from eyeline.media.office.script import Script, folded
from eyeline.media.office.trees import Tree, child, children

MAX_POINTS = 200


def drawn_text(drawing: Tree, relations: dict[str, Relation], *, package: Package, script: Script) -> Iterator[str]:
    """What the charts and diagrams of a drawing say, each on a line of its own."""
    for element in drawing.iter():
        if element.tag == "c:chart" and "r:id" in element.attrib:
            tree = _related(package, script, relations.get(element.attrib["r:id"]))
            told = "" if tree is None else _chart(tree)
        elif element.tag == "dgm:relIds":
            tree = _related(package, script, relations.get(element.get("r:dm", "")))
            told = "" if tree is None else _diagram(tree)
        else:
            continue
        if told:
            yield told


def _related(package: Package, script: Script, relation: Relation | None) -> Tree | None:
    return None if relation is None or relation.is_external else package.side_tree(relation.target)


def _diagram(tree: Tree) -> str:
    """The points of a diagram, as they stand in it."""
    points = ("".join(each.text or "" for each in point.iter("a:t")) for point in tree.iter("dgm:pt"))
    told = "; ".join(filter(None, map(folded, points)))
    return f"[diagram: {told}]" if told else ""


def _chart(tree: Tree) -> str:
    """The title of a chart and the numbers it keeps of each series."""
    title = "".join(each.text or "" for found in list(tree.iter("c:title"))[:1] for each in found.iter("a:t"))
    series = [_series(each) for each in tree.iter("c:ser")]
    told = "; ".join(filter(None, [folded(title), *series]))
    return f"[chart: {told}]" if told else ""


def _series(series: Tree) -> str:
    named = " ".join(each.text or "" for each in _points(child(series, "c:tx")))
    heads = [each.text or "" for name in ("c:cat", "c:xVal") for each in _points(child(series, name))]
    numbers = [each.text or "" for name in ("c:val", "c:yVal") for each in _points(child(series, name))]
    pairs = [f"{heads[at]} {number}" if at < len(heads) else number for at, number in enumerate(numbers[:MAX_POINTS])]
    return folded(f"{named}: {', '.join(pairs)}" if named else ", ".join(pairs)).replace("\n", " ")


def _points(tree: Tree | None) -> list[Tree]:
    return [] if tree is None else list(tree.iter("c:v"))


def text_lines(body: Tree) -> Iterator[tuple[Tree, str]]:
    """The paragraphs of a text of a drawing, each with its text."""
    for paragraph in children(body, "a:p"):
        yield paragraph, "".join(_pieces(paragraph))


def _pieces(paragraph: Tree) -> Iterator[str]:
    for element in paragraph.iter():
        if element.tag == "a:t":
            yield element.text or ""
        elif element.tag == "a:br":
            yield "\n"
        elif element.tag == "m:t":
            yield element.text or ""
