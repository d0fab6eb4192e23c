"""Whether bytes are characters, and which kind of text they are by their structure. Pure."""

from __future__ import annotations

import codecs
import json
import re

LOOKED_AT = 8 << 10
_STRUCTURE = 4 << 10
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# backspace, feeds, escape and the old end of file stand in honest logs
_CONTROLS = re.compile("[\x00-\x07\x0e-\x19\x1c-\x1f\x7f\ufffe\uffff]")
_BYTE_CONTROLS = re.compile(rb"[\x00-\x07\x0e-\x19\x1c-\x1f\x7f]")
_UNASSIGNED_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_HIGH = re.compile(rb"[\x80-\xff]")
_MOST_HIGH = 0.3


def decode(head: bytes, *, is_whole: bool) -> str | None:
    """The first characters, where the bytes are text: UTF-8, UTF-16, UTF-32 or an 8-bit code page; else none.

    `is_whole` says that nothing follows; else the last character may be cut.
    """
    is_whole = is_whole and len(head) <= LOOKED_AT
    data = head[:LOOKED_AT]
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data[len(mark) :], encoding, is_whole=is_whole)
    if b"\x00" in data:
        wide = _wide(data)
        return None if wide is None else _strictly(data, wide, is_whole=is_whole)
    if _BYTE_CONTROLS.search(data) is not None:
        return None
    text = _strictly(data, "utf-8", is_whole=is_whole)
    return _one_byte_each(data) if text is None else text


def _strictly(data: bytes, encoding: str, *, is_whole: bool) -> str | None:
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(data, is_whole)
    except UnicodeDecodeError:
        return None
    return None if _CONTROLS.search(text) else text


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark, by where the zero bytes stand."""
    count = len(data) // 4
    if count >= 2:
        zeros = [data[place : count * 4 : 4].count(0) / count for place in range(4)]
        for encoding, letters, others in (("utf-32-le", zeros[0], zeros[1:]), ("utf-32-be", zeros[3], zeros[:3])):
            if letters < 0.1 and min(others) > 0.6 and sum(others) > 2.5:
                return encoding
        even, odd = (zeros[0] + zeros[2]) / 2, (zeros[1] + zeros[3]) / 2
        if odd > 0.4 and even < 0.05:
            return "utf-16-le"
        if even > 0.4 and odd < 0.05:
            return "utf-16-be"
    return None


def _one_byte_each(data: bytes) -> str | None:
    high = len(_HIGH.findall(data))
    is_plausible = high <= _MOST_HIGH * len(data) and not _UNASSIGNED_1252.search(data)
    is_declared = data[:512].lower().find(b"charset=") >= 0 or data.startswith(b"<?xml")
    return data.decode("latin-1") if is_plausible or is_declared else None


_XML_START = re.compile(r"\s*<\?xml[\s?]", re.IGNORECASE)
_SKIPPED = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?[^>]*>)+", re.IGNORECASE | re.DOTALL)
_DOCTYPE_HTML = re.compile(r"\s*<!doctype\s+html", re.IGNORECASE)
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*(?::[\w.-]+)?)(?=[\s/>])")
_HTML_ELEMENT = re.compile(
    "html|head|body|title|meta|link|script|style|div|span|p|table|form|h[1-6]|ul|ol|center|article|section|main|nav|header"
    "|footer|iframe|base|font|pre|br|img|a"
)


def markup_kind(text: str) -> str | None:
    """svg, html or xml by the first element; none where the text does not begin with one."""
    text = text[:_STRUCTURE].removeprefix("\ufeff")
    if _DOCTYPE_HTML.match(text):
        return "text/html"
    skipped = _SKIPPED.match(text)
    element = _ELEMENT.match(text, skipped.end() if skipped else 0)
    name = "" if element is None else element[1].lower()
    local = name.rpartition(":")[2]
    if local == "svg":
        return "image/svg+xml"
    if _HTML_ELEMENT.fullmatch(name):
        return "text/html"
    if _XML_START.match(text):
        return "application/xml"
    is_rooted = element is not None and ("xmlns" in text[element.end() :][:400] or f"</{element[1]}>" in text)
    return "application/xml" if is_rooted else None


def json_kind(text: str, *, is_whole: bool) -> str | None:
    """JSON, lines of JSON or a notebook; none for anything else, a lone scalar included."""
    text = text.removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return None
    is_whole = is_whole and len(text) <= _STRUCTURE
    begun = text[:_STRUCTURE]
    lines = [line for line in begun.split("\n") if line.strip()]
    complete = lines if is_whole else lines[:-1]
    if len(complete) >= 2 and all(_is_json(line, is_whole=True) for line in complete[:3]):
        return "application/x-ndjson"
    if not _is_json(begun, is_whole=is_whole):
        return None
    is_notebook = '"cells"' in text and ('"nbformat"' in text or '"cell_type"' in text)
    return "application/x-ipynb+json" if is_notebook and start == "{" else "application/json"


def _is_json(text: str, *, is_whole: bool) -> bool:
    """Whether a text is JSON, or the beginning of some where more follows."""
    try:
        value = json.JSONDecoder().raw_decode(text.lstrip())
    except json.JSONDecodeError as exc:
        return not is_whole and _only_cut(text.lstrip(), exc.pos)
    except RecursionError:
        return not is_whole
    return isinstance(value[0], (dict, list)) and not text.lstrip()[value[1] :].strip()


def _only_cut(text: str, position: int) -> bool:
    """Whether reading stopped because the text did: at its end, or in a string or word that has none."""
    rest = text[position:]
    if rest[:1] == '"':
        return re.search(r'(?<!\\)"', rest[1:]) is None
    return (len(rest) < 16 and rest.strip().isalnum()) or not rest.strip(" \t\r\n,:-.")


_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60}):[ \t]?[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n")
_SURE_MAIL = frozenset(("date", "received", "message-id", "return-path", "mime-version", "delivered-to"))
_MAIL_HEADERS = _SURE_MAIL | {"from", "to", "subject", "reply-to", "cc", "sender", "x-mailer", "content-type"}


def is_mail(text: str) -> bool:
    """Whether a text begins with the header of a mail: three known fields at least, one of them telling."""
    text = text[:_STRUCTURE].removeprefix("\ufeff")
    if text.startswith("From ") and "\n" in text:
        text = text[text.index("\n") + 1 :]
    seen: set[str] = set()
    position = 0
    while (field := _HEADER.match(text, position)) is not None:
        seen.add(field[1].lower())
        position = field.end()
    return len(seen & _MAIL_HEADERS) >= 3 and bool(seen & _SURE_MAIL)


_QUOTED = re.compile(r'"[^"]*"')


def table_kind(text: str, *, is_whole: bool) -> str | None:
    """CSV or TSV where every complete line has the same number of cells, enough lines and cells to be no accident."""
    lines = text[:_STRUCTURE].removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    complete = [line for line in (lines if is_whole and len(text) <= _STRUCTURE else lines[:-1]) if line][:50]
    bare = [_QUOTED.sub("", line) for line in complete]
    for mark, kind, least_lines, least_marks in (("\t", "text/tab-separated-values", 3, 1), (",", "text/csv", 4, 2)):
        counts = {line.count(mark) for line in bare}
        if len(bare) >= least_lines and len(counts) == 1 and min(counts) >= least_marks and not _is_prose(bare, mark):
            return kind
    return None


def _is_prose(lines: list[str], mark: str) -> bool:
    """Commas that mostly stand before a space are punctuation."""
    joined = "\n".join(lines)
    return mark == "," and joined.count(", ") > joined.count(",") / 2


_INTERPRETERS = (
    ("python", "text/x-python"),
    ("bash", "text/x-shellscript"),
    ("zsh", "text/x-shellscript"),
    ("sh", "text/x-shellscript"),
    ("node", "text/javascript"),
    ("perl", "text/x-perl"),
    ("ruby", "text/x-ruby"),
    ("php", "text/x-php"),
    ("lua", "text/x-lua"),
)


def script_kind(text: str) -> str | None:
    """The language that a first line beginning with `#!` names."""
    if not text.startswith("#!"):
        return None
    words = text[2:200].split("\n", 1)[0].replace("/", " ").split()
    return next((kind for word in words for name, kind in _INTERPRETERS if word.rstrip("0123456789.") == name), None)
