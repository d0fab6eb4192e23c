"""What lies outside a document: files and a port that tell when somebody comes, and documents that lead there."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.office import (
    PIXELS,
    W,
    changed,
    make_odf,
    make_raw_words,
    make_sheets,
    make_slides,
)

CANARY = "the canary sings"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_ODF_FRAME = (
    '<draw:frame xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" svg:x="1cm" svg:y="1cm" '
    'svg:width="5cm" svg:height="5cm" {look}>{inside}</draw:frame>'
)
_OPENED, _READ = 0x20, 0x1


@dataclass(slots=True)
class Outside:
    """Two files and a port on loopback, watched. `port_calls` are the connections that came."""

    picture: Path
    text: Path
    url: str
    port_calls: list[bytes] = field(default_factory=list[bytes])
    _watch: int = -1

    def file_events(self) -> int:
        """How often one of the files was opened or read since it was last asked, by whatever process."""
        try:
            return len(os.read(self._watch, 1 << 16)) // 16
        except BlockingIOError:
            return 0


@contextmanager
def watched(folder: Path) -> Generator[Outside]:
    """The outside of the documents of a test: `inotify(7)` tells of the files, a server of connections."""
    picture, text = folder / "canary.png", folder / "canary.odt"
    picture.write_bytes(PIXELS)
    text.write_bytes(make_odf("text", f"<text:p>{CANARY}</text:p>", more=listing("text")))
    kernel = ctypes.CDLL(None, use_errno=True)
    watch: int = kernel.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    for file in (picture, text):
        assert kernel.inotify_add_watch(watch, os.fsencode(file), _OPENED | _READ) > 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        outside = Outside(picture, text, f"http://127.0.0.1:{server.getsockname()[1]}", _watch=watch)
        serving = threading.Thread(target=_serve, args=(server, outside.port_calls))
        serving.start()
        try:
            yield outside
        finally:
            server.shutdown(socket.SHUT_RDWR)
            serving.join()
            os.close(watch)


def _serve(server: socket.socket, calls: list[bytes]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(5)
            try:
                calls.append(connection.recv(2000))
            except TimeoutError:
                calls.append(b"")


def luring_documents(outside: Outside) -> dict[str, bytes]:
    """A document of each kind that names the outside in all the ways it can: the picture, the text, and addresses."""
    pictures = (outside.picture.as_uri(), f"{outside.url}/picture.png")
    texts = (outside.text.as_uri(), f"{outside.url}/text.odt")
    return {
        "lure.docx": _words(pictures, texts),
        "lure.pptx": _slides(pictures, texts),
        "lure.xlsx": _sheets(pictures, texts),
        "lure.odt": _odt(pictures, texts),
        "lure.odp": _odp(pictures, texts),
        "lure.ods": _ods(pictures, texts),
        "lure.rtf": _rtf((str(outside.picture), *pictures), texts),
    }


def listing(kind: str) -> dict[str, bytes]:
    """The list of parts that LibreOffice wants of an OpenDocument."""
    types = {"/": f"application/vnd.oasis.opendocument.{kind}", "content.xml": "text/xml"}
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media_type}"/>'
        for path, media_type in types.items()
    )
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"'
    return {"META-INF/manifest.xml": f"<manifest:manifest {space}>{entries}</manifest:manifest>".encode()}


def _relations(*leading: tuple[str, str, str], inner: str = "") -> str:
    """Relations by id, kind and target, all of them leading outside."""
    return inner + "".join(
        f'<Relationship Id="{name}" Type="{KINDS}/{kind}" Target="{target}" TargetMode="External"/>'
        for name, kind, target in leading
    )


def _listed(relations: str) -> bytes:
    return f'<Relationships xmlns="{_PACKAGE}">{relations}</Relationships>'.encode()


def _linked_picture(name: str, *, prefix: str, more: str = "") -> str:
    """A picture of DrawingML that is linked and not embedded."""
    return (
        f'<{prefix}:pic xmlns:pic="{_DRAWING}/picture" xmlns:a="{_DRAWING}/main" xmlns:r="{KINDS}"><{prefix}:nvPicPr>'
        f'<{prefix}:cNvPr id="90" name="p"/><{prefix}:cNvPicPr/>{more}</{prefix}:nvPicPr><{prefix}:blipFill>'
        f'<a:blip r:link="{name}"/><a:stretch><a:fillRect/></a:stretch></{prefix}:blipFill><{prefix}:spPr><a:xfrm>'
        f'<a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/>'
        f"</a:prstGeom></{prefix}:spPr></{prefix}:pic>"
    )


def _words(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """Linked pictures of both kinds, fields, a part of another format, a part of another document, and a template."""
    drawn = "".join(
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        'wordprocessingDrawing"><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic xmlns:a="'
        f'{_DRAWING}/main"><a:graphicData uri="{_DRAWING}/picture">{_linked_picture(f"p{at}", prefix="pic")}'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
        '<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:90pt;height:90pt">'
        f'<v:imagedata xmlns:r="{KINDS}" r:id="p{at}"/></v:shape></w:pict></w:r></w:p>'
        for at in range(len(pictures))
    )
    asked = [f'INCLUDEPICTURE "{each}" \\d' for each in pictures] + [f'INCLUDETEXT "{each}"' for each in texts]
    asked.append(f'DDEAUTO soffice "{texts[0]}" x')
    fields = "".join(f'<w:p><w:fldSimple w:instr="{each.replace(chr(34), "&quot;")}"/></w:p>' for each in asked)
    parts = "".join(
        f'<w:altChunk xmlns:r="{KINDS}" r:id="a{at}"/><w:p><w:subDoc xmlns:r="{KINDS}" r:id="s{at}"/></w:p>'
        for at in range(len(texts))
    )
    leading = [(f"p{at}", "image", each) for at, each in enumerate(pictures)]
    leading += [(f"a{at}", "aFChunk", each) for at, each in enumerate(texts)]
    leading += [(f"s{at}", "subDocument", each) for at, each in enumerate(texts)]
    settings = f'<Relationship Id="settings" Type="{KINDS}/settings" Target="settings.xml"/>'
    template = f'<w:settings xmlns:w="{W}" xmlns:r="{KINDS}"><w:attachedTemplate r:id="t"/></w:settings>'
    more = {
        "word/_rels/document.xml.rels": _listed(_relations(*leading, inner=settings)),
        "word/settings.xml": template.encode(),
        "word/_rels/settings.xml.rels": _listed(_relations(("t", "attachedTemplate", texts[1]))),
    }
    return make_raw_words(f"<w:p><w:r><w:t>start</w:t></w:r></w:p>{drawn}{fields}{parts}", more=more)


def _slides(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """A slide with linked pictures, and a film and a document that lie elsewhere."""
    slide, listed = "ppt/slides/slide2.xml", "ppt/slides/_rels/slide2.xml.rels"
    film = '<p:nvPr><a:videoFile r:link="film"/></p:nvPr>'
    drawn = "".join(_linked_picture(f"p{at}", prefix="p", more="<p:nvPr/>") for at in range(len(pictures)))
    drawn += _linked_picture("p0", prefix="p", more=film)
    leading = [(f"p{at}", "image", each) for at, each in enumerate(pictures)]
    relations = _relations(*leading, ("film", "video", pictures[1]), ("other", "oleObject", texts[1]))

    def change(name: str, data: bytes) -> bytes:
        if name == slide:
            return data.replace(b"</p:spTree>", f"{drawn}</p:spTree>".encode())
        return data.replace(b"</Relationships>", f"{relations}</Relationships>".encode()) if name == listed else data

    return changed(make_slides(), change)


def _sheets(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """A workbook with a workbook that it is linked to, functions that ask, and a drawing that is linked."""
    drawing, listed = "xl/drawings/drawing1.xml", "xl/drawings/_rels/drawing1.xml.rels"
    asking = f'<c r="E2" t="str"><f>WEBSERVICE("{pictures[1]}")</f><v>old</v></c>'
    asking += f'<c r="F2" t="str"><f>\'{texts[0]}#$S.A1\'!A1</f><v>older</v></c>'
    relations = _relations(("x0", "image", pictures[0]), ("x1", "image", pictures[1]))

    def change(name: str, data: bytes) -> bytes:
        if name == "xl/worksheets/sheet1.xml":
            return data.replace(b"</row>", f"{asking}</row>".encode(), 1)
        if name == drawing:
            return data.replace(b'r:embed="rId1"', b'r:link="x1" r:embed="x0"')
        return data.replace(b"</Relationships>", f"{relations}</Relationships>".encode()) if name == listed else data

    return changed(make_sheets(), change)


def _odt(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """A text with linked pictures, sections, objects, frames of their own, and a line to another program."""
    look = 'text:anchor-type="as-char"'
    drawn = "".join(_frame(f'<draw:image xlink:href="{each}" xlink:type="simple"/>', look) for each in pictures)
    drawn += "".join(
        _frame(f'<draw:object xlink:href="{each}"/>', look)
        + _frame(f'<draw:floating-frame xlink:href="{each}"/>', look)
        for each in texts
    )
    sections = "".join(
        f'<text:section text:name="S{at}"><text:section-source xlink:href="{each}" xlink:type="simple"/>'
        "<text:p>kept</text:p></text:section>"
        for at, each in enumerate(texts)
    )
    line = (
        '<text:dde-connection-decls><text:dde-connection-decl office:name="d" office:dde-application="soffice" '
        f'office:dde-topic="{texts[0]}" office:dde-item="x" office:automatic-update="true"/>'
        "</text:dde-connection-decls>"
    )
    return make_odf("text", f"{line}<text:p>start {drawn}</text:p>{sections}", more=listing("text"))


def _odp(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """A slide with linked pictures, films and objects."""
    drawn = "".join(
        _frame(f'<draw:image xlink:href="{each}" xlink:type="simple"/>')
        + _frame(f'<draw:plugin xlink:href="{each}" draw:mime-type="application/vnd.sun.star.media"/>')
        for each in pictures
    )
    drawn += "".join(_frame(f'<draw:object xlink:href="{each}"/>') for each in texts)
    said = _frame("<draw:text-box><text:p>start</text:p></draw:text-box>")
    return make_odf("presentation", f'<draw:page draw:name="a">{said}{drawn}</draw:page>', more=listing("presentation"))


def _ods(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """Sheets and cells that are taken from elsewhere, and functions that ask."""
    said = 'office:value-type="string"><text:p>start</text:p></table:table-cell>'
    cells = "".join(
        f'<table:table-cell table:formula="{formula}" {said}'
        for formula in (f"of:=WEBSERVICE(&quot;{pictures[1]}&quot;)", f"of:='{texts[0]}'#$S.A1")
    )
    linked = "".join(f'<table:cell-range-source table:name="S" xlink:href="{each}"/>' for each in texts)
    source = f'<table:table-source xlink:href="{texts[1]}" table:table-name="S"/>'
    row = f"<table:table-row>{cells}<table:table-cell>{linked}</table:table-cell></table:table-row>"
    return make_odf(
        "spreadsheet", f'<table:table table:name="S1">{source}{row}</table:table>', more=listing("spreadsheet")
    )


def _rtf(pictures: tuple[str, ...], texts: tuple[str, ...]) -> bytes:
    """Fields, a template, a linked object and a linked picture."""
    asked = [f'INCLUDEPICTURE "{each}" \\\\d' for each in pictures] + [f'INCLUDETEXT "{each}"' for each in texts]
    asked.append(f'DDEAUTO soffice "{texts[0]}" x')
    fields = "".join(rf"{{\field{{\*\fldinst {each}}}{{\fldrslt}}}}" for each in asked)
    linked = r"{\object\objautlink\objupdate{\*\objclass Word.Document.8}{\*\objdata 0105}{\result x}}"
    return rf"{{\rtf1\ansi{{\*\template {texts[1]}}} start {fields}{linked}\par}}".encode()


def _frame(inside: str, look: str = "") -> str:
    return _ODF_FRAME.format(inside=inside, look=look)
