"""Values to JSON and back, and their JSON Schemas: the only module that knows pydantic.

Value classes carry no trace of it. Those with a canonical text (`Digest`, `MediaType`, `Locator`, …) travel as that
text; dataclasses refuse unknown keys; `None` fields are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from eyeline.errors import EyelineError, InvalidRequest, UnknownInput
from eyeline.model.digest import Digest
from eyeline.model.display import shown
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaRange, MediaType

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

# A value built by hand is checked again when it is validated: a dataclass itself checks no types.
_CONFIG = {"extra": "forbid", "revalidate_instances": "always"}

_TEXT_FORMS: dict[type, tuple[Callable[[str], Any], str]] = {
    Digest: (Digest.parse, "sha256:<64 lower hex>"),
    MediaType: (MediaType.parse, "media type, for example image/png"),
    MediaRange: (MediaRange.parse, "media type or range, for example image/*"),
    Locator: (Locator.parse, "locator, for example page=3&xywh=percent:10,20,40,15"),
}


def dumps(value: object, *, indent: int | None = None) -> str:
    """One JSON text of a value, keys in field order; the same value always gives the same text."""
    return json.dumps(to_plain(value), ensure_ascii=False, indent=indent, separators=None if indent else (",", ":"))


def loads(kind: type[T], text: str | bytes) -> T:
    """Read a value from JSON, nothing coerced: `"5"` is no number and `1` no truth value.

    Raises `UnknownInput` for a key the class does not have and `InvalidRequest`, naming the field, for the rest.
    """
    from pydantic import ValidationError

    try:
        return cast("T", _adapter(kind).validate_json(text, strict=True))
    except ValidationError as exc:
        raise _as_ours(exc, kind) from exc


def to_plain(value: object) -> Any:
    """A value as dicts, lists and plain scalars, ready for any JSON writer."""
    return _adapter(_type_of(value)).dump_python(value, mode="json", exclude_none=True)


def validate(kind: type[T], value: object) -> T:
    """Check plain data against a value class and build it.

    Raises `UnknownInput` for a key the class does not have and `InvalidRequest` for anything else that does not fit.
    """
    from pydantic import ValidationError

    try:
        return cast("T", _adapter(kind).validate_python(value))
    except ValidationError as exc:
        raise _as_ours(exc, kind) from exc


@lru_cache(maxsize=256)
def schema_of(kind: type) -> dict[str, Any]:
    """JSON Schema (2020-12) of a value class; do not change the dict."""
    return _adapter(kind).json_schema()


def _type_of(value: object) -> Any:
    return type(value) if is_dataclass(value) else cast("Any", object)


@lru_cache(maxsize=256)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    _teach(kind)
    return TypeAdapter(kind)


def _teach(kind: Any) -> None:
    """Tell pydantic about one type and all it holds: unknown keys are refused, canonical texts travel as text."""
    if kind in _TEXT_FORMS:
        _teach_text_form(kind)
    elif is_dataclass(kind) and "__pydantic_config__" not in vars(kind):
        type.__setattr__(cast("type", kind), "__pydantic_config__", _CONFIG)
        for held in get_type_hints(kind).values():
            _teach(held)
    else:
        for held in get_args(kind):
            _teach(held)


def _teach_text_form(kind: type) -> None:
    if "__get_pydantic_core_schema__" in vars(kind):
        return
    from pydantic_core import core_schema

    parse, description = _TEXT_FORMS[kind]

    def read(value: object) -> object:
        if isinstance(value, kind):
            return value
        if isinstance(value, str):
            return parse(value)
        raise InvalidRequest(f"a {type(value).__name__} is not text", hint=f"send a {description}")

    def schema(_source: object, _handler: object) -> Any:
        text = core_schema.str_schema(metadata={"pydantic_js_updates": {"description": description}})
        return core_schema.no_info_plain_validator_function(
            read, serialization=core_schema.plain_serializer_function_ser_schema(str), json_schema_input_schema=text
        )

    type.__setattr__(kind, "__get_pydantic_core_schema__", staticmethod(schema))


def _as_ours(failure: ValidationError, kind: object) -> EyelineError:
    first, *rest = ((_way(kind, each["loc"]), each) for each in failure.errors())
    for way, each in rest:
        # a union says first that it is none of its members, then what is wrong inside one of them
        if len(way) > len(first[0]) > 0 and way[: len(first[0])] == first[0]:
            first = way, each
            break
    way, error = first
    field = shown(".".join(map(str, way))) or getattr(kind, "__name__", "value")
    inner = error.get("ctx", {}).get("error")
    if isinstance(inner, EyelineError):
        inner.detail.setdefault("field", field)
        return inner
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        allowed = _allowed(kind, way[:-1])
        return UnknownInput(f"{field!r} is not an input here", hint=f"the inputs are {', '.join(allowed)}", field=field)
    said = {each["msg"]: None for other, each in (first, *rest) if other == way}
    return InvalidRequest(f"{field}: {'; or: '.join(said)}", field=field)


def _way(kind: Any, place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Where an error is in what was sent: a place without the names of members of unions."""
    way: list[int | str] = []
    for step in place:
        members = _members(kind)
        if len(members) > 1:
            kind = next((each for each in members if _called(each) == step), object)
            continue
        way.append(step)
        kind = _held(members[0], step)
    return tuple(way)


def _members(kind: Any) -> list[Any]:
    """The types a value may have, none left out."""
    if get_origin(kind) not in (Union, UnionType):
        return [kind]
    return [each for each in get_args(kind) if each is not NoneType]


def _called(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and get_origin(kind) is None else str(kind)


def _held(kind: Any, step: int | str) -> Any:
    """The type at one step into a value."""
    if is_dataclass(kind):
        return get_type_hints(kind).get(str(step), object)
    arguments = get_args(kind)
    if isinstance(step, int) and len(arguments) > step and Ellipsis not in arguments:
        return arguments[step]
    return next((each for each in reversed(arguments) if each is not Ellipsis), object)


def _allowed(kind: Any, way: tuple[int | str, ...]) -> list[str]:
    """Field names of the dataclass that a way leads to."""
    for step in way:
        kind = _held(next((each for each in _members(kind) if is_dataclass(each) or get_args(each)), object), step)
    kind = next((each for each in _members(kind) if is_dataclass(each)), kind)
    return [field.name for field in fields(kind)] if is_dataclass(kind) else []
