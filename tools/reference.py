"""Regions of docs/reference: errors, settings and limits, from the sentences that stand beside them in the source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, cast, get_args, get_type_hints

from markdown import code, first_sentence, sentences, table

from eyeline.cli.exit import ANSWERS, NUMBERS
from eyeline.errors import EyelineError
from eyeline.mcp.bounds import OUTLINE_CHARS
from eyeline.mcp.errors import NUMBERS as MCP_NUMBERS
from eyeline.mcp.errors import PROTOCOL_ERRORS
from eyeline.mcp.renditions import MAX_URI_CHARS
from eyeline.model.document import AdmissionOutcome, GateRefusal
from eyeline.model.envelope import BoundaryCode, NegativeCode
from eyeline.model.limits import AnswerLimit, Limits, ServedSet
from eyeline.model.locator import MAX_LOCATOR_CHARS
from eyeline.model.media_type import MediaType
from eyeline.model.viewing import UrlPolicy, ViewCode
from eyeline.operations.find import EXCERPT_CHARS, MAX_LIMIT
from eyeline.render.text_parts import CONTEXT_CHARS
from eyeline.settings import Settings
from eyeline.tools.find import MAX_TEXT_CHARS
from eyeline.tools.source_open import MAX_ACCEPT, MAX_ID_CHARS
from eyeline.wire import to_plain

UNITS = {
    "bytes": "bytes",
    "pixels": "pixels",
    "px": "pixels",
    "ms": "milliseconds",
    "frames": "frames",
    "pages": "pages",
    "thumbnails": "pages",
    "dpi": "dots per inch",
    "parts": "parts",
    "chars": "characters",
    "workers": "files",
}
"""What the last word of a name says its number counts."""

LISTED = {str: "texts", int: "whole numbers", MediaType: "media types"}
"""What a list is one of, by the type of its members."""


def errors() -> str:
    """The tree of errors with what each is on every surface."""
    return table("class | code | raised when | retryable | >exit | >JSON-RPC", _error_rows(EyelineError, 0))


def noes() -> str:
    """Negatives and boundaries."""
    return table("code | is | means | >exit", _answer_rows())


def gate_refusals() -> str:
    """Why a file was not taken in."""
    return table("gate refusal | because", _members(GateRefusal))


def admissions() -> str:
    """What decoding an original came to."""
    return table("admission | because", _members(AdmissionOutcome))


def view_codes() -> str:
    """What became of an item of a batch that did not fail."""
    return table("code | when", _members(ViewCode))


def _error_rows(kind: type[EyelineError], depth: int) -> Iterator[tuple[str, ...]]:
    always = " *always*" if kind.code in PROTOCOL_ERRORS else ""
    yield (
        f"{'· ' * depth}`{kind.__name__}`",
        code(kind.code),
        first_sentence(kind),
        "yes" if kind.retryable else "",
        str(NUMBERS[kind.code]),
        f"{MCP_NUMBERS[kind.code]}{always}",
    )
    for below in kind.__subclasses__():
        yield from _error_rows(below, depth + 1)


def _answer_rows() -> Iterator[tuple[str, ...]]:
    for kind, name in ((NegativeCode, "negative"), (BoundaryCode, "boundary")):
        for word, sentence in _members(kind):
            yield word, name, sentence, str(ANSWERS[word.strip("`")])


def _members(kind: type[StrEnum]) -> Iterator[tuple[str, str]]:
    said = sentences(kind)
    return ((code(member.value), said[member.name]) for member in kind)


def settings() -> str:
    """Every setting: those at the top of the file, then table by table."""
    top = [each.name for each in fields(Settings) if not is_dataclass(_hint(Settings, each.name))]
    return "\n".join([_settings(Settings, top, Settings()), *_tables(Settings, Settings(), ())])


def _tables(kind: type, default: Any, place: tuple[str, ...]) -> Iterator[str]:
    """The tables in a table, each with those inside it after it."""
    for each in fields(kind):
        inner = _hint(kind, each.name)
        if is_dataclass(inner):
            below, value = (*place, each.name), getattr(default, each.name)
            plain = [field.name for field in fields(inner) if not is_dataclass(_hint(inner, field.name))]
            yield f"### [{'.'.join(below)}]\n\n{sentences(kind)[each.name]}\n"
            if plain:
                yield _settings(inner, plain, value)
            yield from _tables(inner, value, below)


def url_policy() -> str:
    """The settings of one table, for the page that explains them."""
    return _settings(UrlPolicy, [each.name for each in fields(UrlPolicy)], UrlPolicy())


def settings_file() -> str:
    """A file that sets everything to what it is anyway."""
    return "\n".join(["```toml", *_file(to_plain(Settings()), ()), "```"])


def _file(plain: dict[str, Any], place: tuple[str, ...]) -> Iterator[str]:
    yield from (_assigned(name, value) for name, value in plain.items() if not isinstance(value, dict))
    for name, inner in plain.items():
        if isinstance(inner, dict):
            yield from ("", f"[{'.'.join((*place, name))}]", *_file(cast("dict[str, Any]", inner), (*place, name)))


def _settings(kind: type, names: list[str], default: object) -> str:
    return table("setting | type | default | counts | sets", _setting_rows(kind, names, default))


def _hint(kind: type, name: str) -> Any:
    return get_type_hints(kind)[name]


def _setting_rows(kind: type, names: list[str], default: object) -> Iterator[tuple[str, ...]]:
    plain, said = to_plain(default), sentences(kind)
    for name in names:
        value = plain.get(name)
        yield code(name), _type(_hint(kind, name)), _value(value), _unit(name, value), said[name]


def _type(hint: Any) -> str:
    """The type of a setting in words; a choice says what there is to choose."""
    arguments = get_args(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice(member.value for member in hint)
    if NoneType in arguments:
        return f"{_type(arguments[0])}, or left out"
    if Ellipsis in arguments:
        return f"list of {LISTED[arguments[0]]}"
    if arguments:
        return _choice(arguments)
    return {int: "whole number", str: "text"}[hint]


def _choice(values: Iterable[str]) -> str:
    return ", ".join(map(code, values))


def _value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(code, value))
    return code(f"{value:_}") if isinstance(value, int) else code(f'"{value}"')


def _unit(name: str, value: object) -> str:
    unit = UNITS.get(name.rpartition("_")[2], "") if isinstance(value, int) else ""
    for step, prefix in ((30, "GiB"), (20, "MiB")):
        if unit == "bytes" and isinstance(value, int) and value % (1 << step) == 0:
            return f"bytes ({value >> step} {prefix})"
    return unit


def _assigned(name: str, value: object) -> str:
    return f"{name} = {f'{value:_}' if isinstance(value, int) else json.dumps(value)}"


PAST_INTAKE = {
    "max_bytes": "refused at the gate: `too_large`",
    "max_pixels": "kept, not viewable: `over_pixels`",
    "max_frames": "kept, not viewable: `over_frames`",
    "max_pages": "kept, not viewable: `over_pages`",
    "max_text_bytes": "kept and viewable, with a note in its probe",
    "max_duration_ms": "kept, not viewable: `over_duration`",
    "recording_wall_ms": "the decoder is ended: `timeout` at admission, `engine_failed` later",
    "job_wall_ms": "the decoder is ended: `timeout` at admission, `engine_failed` later",
    "job_cpu_ms": "the decoder is ended: `timeout` at admission, `engine_failed` later",
    "job_memory_bytes": "the decoder is ended: `over_memory` at admission, `engine_failed` later",
    "job_output_bytes": "the decoder is ended: `over_memory` at admission, `engine_failed` later",
}
"""What becomes of what is past a bound of `Limits`."""

FIXED = (
    ("passages or sources in one answer of `find`", MAX_LIMIT, "`limit_exceeded`"),
    ("characters of an excerpt", EXCERPT_CHARS, "cut, ending in `…`"),
    ("characters before and after a range of a text", CONTEXT_CHARS, "not delivered"),
    ("characters of an outline", OUTLINE_CHARS, "cut, ending in `…`"),
    ("characters of a locator", MAX_LOCATOR_CHARS, "`invalid_locator`"),
    ("characters of an id that a tool takes", MAX_ID_CHARS, "`invalid_request`"),
    ("characters of a text that `find` takes", MAX_TEXT_CHARS, "`invalid_request`"),
    ("media types in `accept` of a tool", MAX_ACCEPT, "`invalid_request`"),
    ("characters of the address of a rendition", MAX_URI_CHARS, "no link is sent"),
)
"""Bounds that are no settings: of what, how many, what becomes of more."""


def intake() -> str:
    """Bounds on what is taken in and decoded."""
    assert PAST_INTAKE.keys() == {each.name for each in fields(Limits)}
    rows = ((*row, PAST_INTAKE[row[0].strip("`")]) for row in _bounds(Limits, Limits()))
    return table("bound in `[limits]` | >default | on | past it", rows)


def served() -> str:
    """Bounds on what is delivered."""
    return table("bound in `[served]` | >default | on", _bounds(ServedSet, ServedSet()))


def answers() -> str:
    """What one answer may hold, by surface."""
    here, mcp = _bounds(AnswerLimit, Settings().answer), _bounds(AnswerLimit, Settings().mcp_answer)
    rows = ((name, amount, other, on) for (name, amount, on), (_, other, _) in zip(here, mcp, strict=True))
    return table("bound in `[answer]`, `[mcp_answer]` | >Python, command line | >MCP | on", rows)


def fixed() -> str:
    """Bounds that are no settings."""
    return table("bound on | >is | past it", ((what, f"{count:,}", past) for what, count, past in FIXED))


def _bounds(kind: type, value: object) -> Iterator[tuple[str, str, str]]:
    plain = to_plain(value)
    return ((code(name), _amount(name, plain[name]), sentence) for name, sentence in sentences(kind).items())


def _amount(name: str, value: int | list[str]) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    said = _unit(name, value)
    return said.partition("(")[2].rstrip(")") or f"{value:,} {said}"


REGIONS = {
    each.__name__: each
    for each in (
        errors,
        noes,
        gate_refusals,
        admissions,
        view_codes,
        settings,
        url_policy,
        settings_file,
        intake,
        served,
        answers,
        fixed,
    )
}
