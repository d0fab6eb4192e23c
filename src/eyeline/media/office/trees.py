"""XML parts of office documents as trees of elements, or as events; names are short, whatever prefix a file gives them.

A document type, which these formats forbid, is refused before anything it declares is read, so no entity is expanded
and nothing outside is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from eyeline.errors import CorruptMedia

MAX_DEPTH = 200
MAX_ELEMENTS = 3_000_000

Tree = ET.Element

_OOXML, _STRICT = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMES = {
    **{f"{_OOXML}{path}/2006/main": short for path, short in (("wordprocessingml", "w"), ("presentationml", "p"))},
    **{f"{_OOXML}{path}/2006/main": short for path, short in (("spreadsheetml", "s"), ("drawingml", "a"))},
    **{f"{_STRICT}{path}/main": short for path, short in (("wordprocessingml", "w"), ("presentationml", "p"))},
    **{f"{_STRICT}{path}/main": short for path, short in (("spreadsheetml", "s"), ("drawingml", "a"))},
    **{f"{_OOXML}officeDocument/2006/{path}": short for path, short in (("relationships", "r"), ("math", "m"))},
    **{f"{_STRICT}officeDocument/{path}": short for path, short in (("relationships", "r"), ("math", "m"))},
    f"{_OOXML}package/2006/relationships": "rel",
    f"{_OOXML}package/2006/content-types": "ct",
    f"{_OOXML}markup-compatibility/2006": "mc",
    f"{_OOXML}drawingml/2006/wordprocessingDrawing": "wp",
    f"{_STRICT}drawingml/wordprocessingDrawing": "wp",
    f"{_OOXML}drawingml/2006/spreadsheetDrawing": "xdr",
    f"{_STRICT}drawingml/spreadsheetDrawing": "xdr",
    f"{_OOXML}drawingml/2006/chart": "c",
    f"{_STRICT}drawingml/chart": "c",
    f"{_OOXML}drawingml/2006/diagram": "dgm",
    f"{_STRICT}drawingml/diagram": "dgm",
    f"{_OOXML}drawingml/2006/picture": "pic",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
    "urn:schemas-microsoft-com:vml": "v",
    **{f"{_ODF}{name}:1.0": name for name in ("office", "text", "table", "style", "presentation", "manifest")},
    f"{_ODF}drawing:1.0": "draw",
    f"{_ODF}xsl-fo-compatible:1.0": "fo",
    f"{_ODF}svg-compatible:1.0": "svg",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://purl.org/dc/elements/1.1/": "dc",
}


class _Names:
    """Short names of expanded ones, each made once."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """`w:p` for the name of a paragraph; a name of a vocabulary that is not read here has its local part alone."""
        short = self._known.get(name)
        if short is None:
            uri, found, local = name.rpartition(self._separator)
            prefix = _NAMES.get(uri.removeprefix("{")) if found else None
            short = f"{prefix}:{local}" if prefix else local
            self._known[name] = short
        return short


Start = Callable[[str, dict[str, str]], object]
End = Callable[[str], object]


def tree_of(data: bytes) -> Tree:
    """The tree of a part. Raises `CorruptMedia` for what is not well formed, declares a type, or is nested too deep."""
    builder, names = ET.TreeBuilder(), _Names("}")
    of, count = names.of, 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS:
            raise CorruptMedia("a part of the document has too many elements")
        builder.start(name, {of(each): value for each, value in attributes.items()})

    parse_events((data,), start=start, end=builder.end, text=builder.data)
    return builder.close()


def parse_events(pieces: Iterable[bytes], *, start: Start, end: End, text: Callable[[str], object]) -> None:
    """Call for each element and text of a part that is too large to hold. Raises as `tree_of`, and what is raised.

    Names of elements are short; `short_attributes` makes those of attributes so.
    """
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    names = _Names("}")
    of = names.of
    depth = 0

    def on_start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise CorruptMedia("a part of the document is nested too deeply")
        start(of(name), attributes)

    def on_end(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(of(name))

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = on_start, on_end, text
    parser.StartDoctypeDeclHandler = _on_doctype
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as exc:
        raise CorruptMedia("a part of the document is not well-formed XML") from exc


def short_attributes(attributes: dict[str, str]) -> dict[str, str]:
    """Attributes of an event by their short names."""
    return {_NAMES_OF_EVENTS.of(name): value for name, value in attributes.items()}


def children(tree: Tree | None, name: str) -> Iterator[Tree]:
    """The children of an element by their name; none of no element."""
    return iter(()) if tree is None else (each for each in tree if each.tag == name)


def child(tree: Tree | None, *names: str) -> Tree | None:
    """The first element on a way of names downwards; none where it ends before."""
    for name in names:
        tree = next(children(tree, name), None)
    return tree


def value(tree: Tree | None, *names: str, attribute: str = "w:val") -> str | None:
    """An attribute of the first element on a way of names downwards."""
    found = child(tree, *names)
    return None if found is None else found.get(attribute)


def is_on(tree: Tree | None, name: str) -> bool:
    """Whether a switch is there and not off."""
    found = child(tree, name)
    return found is not None and found.get("w:val", "1").lower() not in ("0", "false", "off", "none")


def _on_doctype(_name: str, _system: str | None, _public: str | None, _has_subset: bool) -> None:
    _refuse_doctype()


def _refuse_doctype() -> NoReturn:
    raise CorruptMedia("a part of the document declares a document type, which is never read")


_NAMES_OF_EVENTS = _Names("}")
