"""Numbers as a workbook shows them: dates and times, percentages, thousands, decimals, exponents and text around them.

A format that cannot be read leaves the number as it is kept. Dates come in ISO form, whatever order a format puts their
parts in, so that none is ambiguous.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
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
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?\d{1,15}(?:\.\d{1,15})?)\]")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_ESCAPED = re.compile(r"\\(.)")
_SEPARATOR = re.compile(r'("[^"]*"|\\.)|;')
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|[_*].|\[[^\]]*\]')
_KEPT = re.compile("\x00(.)", re.DOTALL)
_BODY = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*,*)?(?:[eE][+-][0#?]+)?")
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30, tzinfo=UTC), datetime(1904, 1, 1, tzinfo=UTC)
_LAST_DAY = 2_958_466
_PRECISE = 1e15
"""From here on a number has no more digits than it is kept with."""

_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def format_number(text: str, code: str, *, from_1904: bool = False) -> str:
    """A number as it is kept in a workbook, as it is shown in a format; what is no number stays as it is."""
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    if code in (GENERAL, "@", ""):
        return _general(number)
    section, drops_sign = _chosen(number, _sections(code))
    dated = _date_parts(section)
    if dated:
        return _date(number, dated, from_1904=from_1904)
    if section.strip().lower() in ("general", ""):
        return _general(number)
    return _shown(abs(number) if drops_sign else number, section) or _general(number)


def _chosen(number: float, sections: tuple[str, *tuple[str, ...]]) -> tuple[str, bool]:
    """The section of a format that a number is shown in, and whether it stands for the sign."""
    conditions = [_CONDITION.search(section) for section in sections[:3]]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=False):
            if condition is None or _COMPARED[condition[1]](number, float(condition[2])):
                return section, False
        return GENERAL, False
    if number < 0 and len(sections) > 1:
        return sections[1], True
    return sections[2] if number == 0 and len(sections) > 2 else sections[0], False


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[str, *tuple[str, ...]]:
    parted = _SEPARATOR.sub(lambda match: match[1] or "\x00", code[:MAX_FORMAT_CHARS])
    first, *others = parted.split("\x00")
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
    if number < 60 and not from_1904:
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
    """A number in the digits of a section, with the text around them; empty where the section shows none."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        text = next((each for each in match.groups() if each is not None), None)
        if text is None:
            return ""
        kept.append(text)
        return f"\x00{chr(0x4E00 + len(kept) - 1)}"

    bare = _LITERAL.sub(keep, section)
    body = _BODY.search(bare)
    if body is None:
        text = re.sub("general", lambda _: _general(number), bare, flags=re.IGNORECASE)
    elif "/" in bare[body.end() :] or not math.isfinite(number * 100):
        return _general(number)
    else:
        made = _digits(number * 100 if "%" in bare else number, body[0])
        sign, made = ("-", made[1:]) if made.startswith("-") else ("", made)
        text = f"{sign}{bare[: body.start()]}{made}{bare[body.end() :]}"
    return _KEPT.sub(lambda match: kept[ord(match[1]) - 0x4E00], text).strip()


def _digits(number: float, body: str) -> str:
    mantissa, _, exponent = body.replace("e", "E").partition("E")
    whole, _, decimals = mantissa.partition(".")
    thousands = (whole + decimals)[len((whole + decimals).rstrip(",")) :]
    decimals = decimals.rstrip(",")
    if exponent:
        return _powered(number, places=len(decimals), least=len(exponent) - 1)
    text = _rounded(number / 1000 ** min(len(thousands), 10), places=min(len(decimals), 15))
    head, _, tail = text.removeprefix("-").partition(".")
    tail = tail[: decimals.count("0")] + tail[decimals.count("0") :].rstrip("0")
    least = whole.count("0")
    head = "" if head == "0" and not least else head.zfill(least)
    if "," in whole.rstrip(","):
        head = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", head)
    sign = "-" if text.startswith("-") and text.strip("-0.") else ""
    return f"{sign}{head}.{tail}" if tail else f"{sign}{head}"


def _powered(number: float, *, places: int, least: int) -> str:
    """A number with its power of ten, of at least so many digits."""
    text, _, power = f"{number:.{places}E}".partition("E")
    return f"{text}E{power[0]}{power[1:].lstrip('0').zfill(least)}"


def _rounded(number: float, *, places: int) -> str:
    """A number with so many decimals; a half is rounded away from zero, as workbooks do."""
    if not abs(number) < _PRECISE:
        return f"{number:.{places}f}"
    exact = Decimal(f"{number:.15g}")
    return f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=60)):f}"
