"""Books as they are made, and as they never should be."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from eyeline.media.sample_pictures import make_picture

PICTURE = make_picture(width=40, height=30)
COVER = make_picture("image/jpeg", width=60, height=90)
CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def chapter(body: str) -> str:
    """A chapter as XHTML."""
    head = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
    return f"{head}<head><title/><script src='x.js'/></head><body>{body}<p/></body></html>"


CHAPTERS = {
    "one.xhtml": chapter("<h1>Pumps</h1><p>The serial number is PX-4417.</p><img alt='curve' src='../img/a.png'/>"),
    "two.xhtml": chapter(
        "<h1>Valves</h1><p>The zebra crossed.</p><table><tr><th>part</th><th>n</th></tr><tr><td>valve</td><td>12</td>"
        "</tr></table>"
    ),
    "three.xhtml": chapter("<h1>Seals</h1><p>Last words.</p>"),
}


def package(
    chapters: Mapping[str, str], *, items: str = "", prolog: str = "", order: tuple[str, ...] | None = None
) -> str:
    """The package document of a book."""
    manifest = "".join(
        f'<item id="c{n}" href="text/{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    wanted = tuple(chapters) if order is None else order
    numbers = {name: n for n, name in enumerate(chapters)}
    spine = "".join(f'<itemref idref="c{numbers[name]}"/>' for name in wanted)
    return (
        f'<?xml version="1.0"?>{prolog}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The pump book</dc:title>'
        "<dc:creator>A. Author</dc:creator>"
        f"<dc:language>en</dc:language></metadata><manifest>{manifest}{items}</manifest><spine>{spine}</spine></package>"
    )


NAV = chapter(
    '<nav epub:type="toc"><ol><li><a href="text/one.xhtml">About pumps</a></li><li><a href="text/two.xhtml">About '
    'valves</a><ol><li><a href="text/two.xhtml#t">A table</a></li></ol></li></ol></nav>'
)
ITEMS = (
    '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    '<item id="cover" href="img/cover.jpg" properties="cover-image" media-type="image/jpeg"/>'
    '<item id="a" href="img/a.png" media-type="image/png"/>'
)


def book(
    chapters: Mapping[str, str] = CHAPTERS,
    *,
    opf: str | None = None,
    more: Mapping[str, bytes | str] | None = None,
    without: tuple[str, ...] = (),
) -> bytes:
    """A book; `more` adds or replaces members, `without` leaves some out."""
    members: dict[str, bytes | str] = {
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": package(chapters, items=ITEMS) if opf is None else opf,
        "OPS/nav.xhtml": NAV,
        "OPS/img/cover.jpg": COVER,
        "OPS/img/a.png": PICTURE,
        **{f"OPS/text/{name}": text for name, text in chapters.items()},
        **(more or {}),
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        for name, data in members.items():
            if name not in without:
                archive.writestr(name, data)
    return made.getvalue()


def locked(algorithm: str, member: str) -> str:
    """What says that a member is locked."""
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
        f'<e:EncryptionMethod Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{member}"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )
