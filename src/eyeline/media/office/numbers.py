"""Numbers as a workbook shows them: dates and times, percentages, thousands, decimals, exponents and text around them.

A format that cannot be read leaves the number as it is kept. Dates come in ISO form, whatever order a format puts their
parts in, so that none is ambiguous.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

GENERAL = "General"
BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
MAX_FORMAT_CHARS = 255

_QUOTED = re.compile(r'"([^"]*)"')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_PADDING = re.compile(r"[_*].")
_ESCAPED = re.compile(r"\\(.)")
_BODY = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?(?:[eE][+-][0#?]+)?")
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30, tzinfo=UTC), datetime(1904, 1, 1, tzinfo=UTC)
_LAST_DAY = 2_958_466


def format_number(text: str, code: str, *, from_1904: bool = False) -> str:
    """A number as it is kept in a workbook, as it is shown in a format."""
    try:
        number = float(text)
    except ValueError:
        return text
    if code in (GENERAL, "@", ""):
        return _general(number)
    sections = _sections(code)
    is_negative = number < 0
    section = sections[1] if is_negative and len(sections) > 1 else sections[0]
    section = sections[2] if number == 0 and len(sections) > 2 else section
    dated = _date_parts(section)
    if dated:
        return _date(number, dated, from_1904=from_1904)
    if section.strip().lower() in ("general", ""):
        return _general(number)
    return _shown(abs(number) if len(sections) > 1 and is_negative else number, section)


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[str, *tuple[str, ...]]:
    first, *others = code[:MAX_FORMAT_CHARS].split(";")
    return first, *others


@lru_cache(maxsize=512)
def _date_parts(section: str) -> frozenset[str]:
    """Of a date or time: the parts that it shows (`date`, `time`, `seconds`, `elapsed`); empty for a number."""
    bare = _ESCAPED.sub("", _QUOTED.sub("", section))
    elapsed = bool(_ELAPSED.search(bare))
    bare = _BRACKETS.sub("", _ELAPSED.sub(r"\1", bare)).lower().replace("general", "")
    bare = re.sub(r"am/pm|a/p", "h", bare)
    if not re.search(r"[ymdhs]", bare) or re.search(r"#", bare):
        return frozenset()
    found = {"elapsed"} if elapsed else set[str]()
    found |= {"date"} if re.search(r"[yd]", bare) or ("m" in bare and not re.search(r"[hs]", bare)) else set()
    found |= {"time"} if re.search(r"[hs]", bare) else set()
    found |= {"seconds"} if "s" in bare else set()
    return frozenset(found)


def _date(number: float, parts: frozenset[str], *, from_1904: bool) -> str:
    if "elapsed" in parts or (number < 1 and "date" not in parts):
        return _clock(number, with_seconds="seconds" in parts)
    if not 0 <= number < _LAST_DAY:
        return _general(number)
    if 0 < number < 60 and not from_1904:
        number += 1  # the calendar of workbooks has a 29 February 1900
    moment = (_EPOCH_1904 if from_1904 else _EPOCH) + timedelta(days=int(number))
    seconds = round((number - int(number)) * 86_400)
    moment += timedelta(seconds=seconds)
    clock = f"{moment:%H:%M:%S}" if "seconds" in parts else f"{moment:%H:%M}"
    if "date" not in parts:
        return clock
    day = f"{moment.year:04d}-{moment:%m-%d}"
    return f"{day} {clock}" if "time" in parts else day


def _clock(days: float, *, with_seconds: bool) -> str:
    seconds = round(abs(days) * 86_400)
    hours, rest = divmod(seconds, 3600)
    text = f"{hours:02d}:{rest // 60:02d}" + (f":{rest % 60:02d}" if with_seconds else "")
    return f"-{text}" if days < 0 else text


def _general(number: float) -> str:
    if number == int(number) and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.10g}" if abs(number) < 1e11 else f"{number:.6G}"


def _shown(number: float, section: str) -> str:
    quoted: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quoted.append(match[1])
        return f"\x00{len(quoted) - 1}\x01"

    marked = _CURRENCY.sub(keep, _ESCAPED.sub(keep, _QUOTED.sub(keep, section)))
    bare = _PADDING.sub("", _BRACKETS.sub("", marked))
    is_percent = "%" in bare
    body = _BODY.search(bare)
    if body is None:
        text = bare
    else:
        made = _digits(number * 100 if is_percent else number, body[0])
        if "/" in bare[body.end() :]:
            text = _general(number)
        else:
            sign, made = ("-", made[1:]) if made.startswith("-") else ("", made)
            text = f"{sign}{bare[: body.start()]}{made}{bare[body.end() :]}"
    text = re.sub("\x00(\\d+)\x01", lambda match: quoted[int(match[1])], text)
    return text.strip()


def _digits(number: float, body: str) -> str:
    mantissa, exponent, _ = re.split(r"([eE])", body, maxsplit=1) if re.search("[eE]", body) else (body, "", "")
    whole, _, decimals = mantissa.partition(".")
    if exponent:
        return f"{number:.{len(decimals)}E}"
    scaled = number / 1000 ** (len(whole) - len(whole.rstrip(",")))
    places = min(len(decimals), 15)
    text = f"{scaled:,.{places}f}" if "," in whole.rstrip(",") else f"{scaled:.{places}f}"
    kept = decimals.count("0")
    if "." in text:
        head, tail = text.split(".")
        while len(tail) > kept and tail.endswith("0"):
            tail = tail[:-1]
        text = f"{head}.{tail}" if tail else head
    least = whole.count("0")
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    head, dot, tail = digits.partition(".")
    return f"{sign if float(text.replace(',', '')) else ''}{head.zfill(least)}{dot}{tail}"
