"""RTF: paragraphs, headings, tables, notes, comments and pictures; what is hidden is put aside and written down apart.

Fields show their results; what a field asks for is not done. Objects show their result and are not opened.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field, replace

from eyeline.errors import CorruptMedia, MediaTooLarge
from eyeline.media.office import script as kinds
from eyeline.media.office.rtf_tokens import Token, tokens
from eyeline.media.office.script import Script, link
from eyeline.model.document import AdmissionOutcome

MAX_BYTES = 128 << 20
MAX_DEPTH = 2000

BODY, SKIP, FONTS, STYLES, PICTURE, FIELD, MARKER = "body", "skip", "fonts", "styles", "picture", "field", "marker"
_NOTED = {"footnote": kinds.NOTES, "annotation": kinds.COMMENTS}
_MARGINS = ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf")
_SKIPPED = frozenset(
    "colortbl info listtable listoverridetable revtbl rsidtbl generator themedata datafield objdata objclass "
    "nonshppict filetbl xmlnstbl latentstyles datastore bkmkstart bkmkend atrfstart atrfend atnid atnauthor "
    "atntime atndate atnref atnparent pntext pnseclvl sp sn sv shpinst mmathPr wgrffmtfilter fchars lchars xe "
    "tc private do".split()
)
_DESTINATIONS = {"fonttbl": FONTS, "stylesheet": STYLES, "pict": PICTURE, "fldinst": FIELD, "listtext": MARKER}
_OPTIONAL = frozenset("shppict fldinst listtext annotation shptxt".split())
_MARKS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "emspace": " ",
    "enspace": " ",
    "nestcell": " ",
}
_CHARSETS = {
    77: "mac-roman",
    128: "cp932",
    129: "cp949",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
_HYPERLINK = re.compile(r'HYPERLINK\s+"([^"]{1,2000})"')


@dataclass(slots=True)
class _State:
    """What holds inside a group."""

    into: str = BODY
    is_hidden: bool = False
    is_deleted: bool = False
    uc: int = 1
    font: int | None = None
    is_optional: bool = False
    noted: str = ""


def read_rtf(data: bytes, script: Script) -> None:
    """Write down a whole document. Raises `CorruptMedia` for what is no RTF and `MediaTooLarge`."""
    if len(data) > MAX_BYTES:
        outcome = AdmissionOutcome.OVER_MEMORY.value
        raise MediaTooLarge(f"the document has {len(data)} bytes, allowed are {MAX_BYTES}", outcome=outcome)
    if not data.startswith(b"{\\rtf"):
        raise CorruptMedia("the document does not begin as RTF does")
    script.section(kinds.TEXT, 1)
    reading = _Reading(script)
    for token in tokens(data):
        reading.take(token)
    reading.end()
    script.end()


@dataclass(slots=True)
class _Reading:
    script: Script
    _stack: list[_State] = field(default_factory=lambda: [_State()])
    _parts: list[str] = field(default_factory=list[str])
    _bytes: bytearray = field(default_factory=bytearray)
    _skip: int = 0
    _codepage: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict[int, str])
    _font: int = 0
    _levels: dict[int, int] = field(default_factory=dict[int, int])
    _style: int | None = None
    _level: int | None = None
    _marker: str = ""
    _field: list[str] = field(default_factory=list[str])
    _link: str = ""
    _picture: list[bytes] = field(default_factory=list[bytes])
    _rows: list[list[str]] = field(default_factory=list[list[str]])
    _cells: list[str] = field(default_factory=list[str])
    _in_table: bool = False
    _saved: list[list[str]] = field(default_factory=list[list[str]])
    _aside: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def state(self) -> _State:
        return self._stack[-1]

    def take(self, token: Token) -> None:
        kind, word, number, data = token
        if kind in ("text", "hex"):
            self._text(data)
            return
        self._flush()
        if kind == "open":
            if len(self._stack) > MAX_DEPTH:
                raise CorruptMedia("groups are nested too deeply")
            self._stack.append(replace(self.state, noted="", is_optional=False))
        elif kind == "close":
            self._close()
        else:
            self._skip = 0 if word != "u" else self._skip
            self._word(word, number)

    def end(self) -> None:
        self._flush()
        self._paragraph()
        self._table()
        for kind, texts in self._aside.items():
            self.script.section(kind)
            for text in dict.fromkeys(texts):
                self.script.paragraph(text)

    def _close(self) -> None:
        if len(self._stack) == 1:
            return
        closed = self._stack.pop()
        if closed.into == PICTURE and self.state.into != PICTURE:
            self._end_picture()
        elif closed.into == FIELD and self.state.into != FIELD:
            self._end_field()
        if closed.noted == "result":
            text = "".join(self._parts)
            self._parts = [*self._saved.pop(), link(text, self._link) if self._link else text]
            self._link = ""
        elif closed.noted:
            text = "".join(self._parts).strip()
            self._parts = self._saved.pop()
            if text:
                aside = self._aside.setdefault(closed.noted, [])
                if closed.noted == kinds.MARGINS:
                    aside.append(text)
                else:
                    name = f"[^{len(aside) + 1}]" if closed.noted == kinds.NOTES else f"[comment {len(aside) + 1}]"
                    aside.append(f"{name}: {text}")
                    self._parts.append(name)

    def _aside_from_here(self, noted: str) -> None:
        self.state.noted = noted
        self._saved.append(self._parts)
        self._parts = []

    def _word(self, word: str, number: int | None) -> None:
        state = self.state
        if word == "*":
            state.is_optional = True
            return
        is_optional, state.is_optional = state.is_optional, False
        if word in _DESTINATIONS and (word != "pict" or state.into != SKIP):
            state.into = SKIP if state.into == SKIP else _DESTINATIONS[word]
            self._picture = [] if word == "pict" else self._picture
        elif word in _SKIPPED or (is_optional and word not in _OPTIONAL):
            state.into = SKIP
        elif state.into == BODY and (word in _NOTED or word in _MARGINS):
            self._aside_from_here(_NOTED.get(word, kinds.MARGINS))
        elif state.into == BODY and word == "fldrslt":
            self._aside_from_here("result")
        elif state.into in (FONTS, STYLES):
            self._listed(word, number)
        else:
            self._format(word, number)
            if state.into in (BODY, MARKER):
                self._character(word, number)

    def _listed(self, word: str, number: int | None) -> None:
        """What the lists of fonts and styles say."""
        if self.state.into == FONTS:
            if word == "f":
                self._font = number or 0
            elif word == "fcharset" and number in _CHARSETS:
                self._fonts[self._font] = _CHARSETS[number]
        elif word == "s":
            self._style = number
        elif word == "outlinelevel" and self._style is not None and number is not None and 0 <= number < 9:
            self._levels[self._style] = number + 1

    def _format(self, word: str, number: int | None) -> None:
        state = self.state
        if word == "v":
            state.is_hidden = number != 0
        elif word == "deleted":
            state.is_deleted = number != 0
        elif word == "plain":
            state.is_hidden = state.is_deleted = False
            state.font = None
        elif word == "f":
            state.font = number
        elif word == "uc":
            state.uc = min(max(number or 0, 0), 8)
        elif word == "ansicpg" and number:
            self._codepage = f"cp{number}" if number != 65001 else "utf-8"
        elif word == "pard":
            self._style, self._level, self._in_table = None, None, False
        elif word == "intbl":
            self._in_table = True
        elif word == "s":
            self._style = number
        elif word == "outlinelevel":
            self._level = number + 1 if number is not None and 0 <= number < 9 else None

    def _character(self, word: str, number: int | None) -> None:
        if word in _MARKS:
            self._put(_MARKS[word])
        elif word == "u" and number is not None:
            self._put(chr(number % 65536))
            self._skip = self.state.uc
        elif word in ("par", "sect", "page"):
            self._paragraph() if not self._saved else self._put("\n")
        elif word == "cell":
            self._cells.append(self._taken().strip())
        elif word == "row":
            self._rows.append(self._cells)
            self._cells = []

    def _text(self, data: bytes) -> None:
        into = self.state.into
        if into == PICTURE:
            self._picture.append(data)
        elif into != SKIP:
            left = min(self._skip, len(data))
            self._skip -= left
            self._bytes += data[left:]

    def _flush(self) -> None:
        """Decode what has come by the code page of its font."""
        if not self._bytes:
            return
        data, self._bytes = bytes(self._bytes), bytearray()
        into = self.state.into
        if into in (FONTS, STYLES):
            return
        codepage = self._fonts.get(self.state.font if self.state.font is not None else -1, self._codepage)
        try:
            text = data.decode(codepage, "replace")
        except LookupError:
            text = data.decode("cp1252", "replace")
        self._put(text)

    def _put(self, text: str) -> None:
        state = self.state
        if state.into == FIELD:
            self._field.append(text)
        elif state.into == MARKER:
            self._marker += text
        elif state.is_deleted:
            self.script.counts["deleted_text"] += len(text)
        elif state.is_hidden and state.into == BODY:
            self.script.hide(text)
        elif state.into == BODY:
            self._parts.append(text)

    def _taken(self) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _paragraph(self) -> None:
        if self._in_table and self._parts:
            self._parts.append("\n")
            return
        text, marker = self._taken(), self._marker.strip()
        self._marker = ""
        level = self._level or self._levels.get(-1 if self._style is None else self._style)
        if text.strip():
            self._table()
        if level is not None:
            self.script.heading(text, level)
        elif marker:
            self.script.item(text, marker=marker if re.search(r"\w", marker) else "-")
        else:
            self.script.paragraph(text)

    def _table(self) -> None:
        rows, self._rows = self._rows, []
        self.script.table([row for row in rows if row])

    def _end_picture(self) -> None:
        digits, self._picture = b"".join(self._picture), []
        plain = re.sub(rb"[^0-9A-Fa-f]", b"", digits)
        data = binascii.a2b_hex(plain[: len(plain) // 2 * 2])
        if data and self.state.into == BODY:
            self._parts.append(self.script.picture(data, "", spot=[]))

    def _end_field(self) -> None:
        asked, self._field = "".join(self._field), []
        found = _HYPERLINK.search(asked)
        self._link = found[1] if found else ""
        self.script.counts["dde"] += asked.strip().upper().startswith("DDE")
        self.script.counts["outside"] += asked.strip().upper().startswith(("INCLUDEPICTURE", "INCLUDETEXT", "LINK"))
