"""From the raw arguments of a call to its input: plain JSON in, nothing guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from eyeline import wire
from eyeline.errors import InvalidRequest
from eyeline.model.display import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

In = TypeVar("In")
Schema = Mapping[str, Any]


def read_arguments(input_type: type[In], arguments: Mapping[str, Any] | str) -> In:
    """Build the input of a tool from a mapping of plain values, or from the JSON text of one.

    Raises `UnknownInput` for an input the tool does not have and `InvalidRequest`, naming the field, for what does not
    fit the input's JSON Schema. A list or an object that arrives as JSON text inside a text is refused, with a hint.
    """
    given = _as_object(arguments)
    schema = wire.schema_of(input_type)
    for field, form in _structures_as_text(given, schema, defs=schema.get("$defs", {})):
        name = shown(field)
        raise InvalidRequest(
            f"{name!r} holds the JSON text of {form}, not {form}", hint=f"send {name} as {form} itself", field=name
        )
    return wire.loads(input_type, _as_text(given))


def _as_object(arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    if not isinstance(arguments, str):
        return dict(arguments)
    try:
        given: object = json.loads(arguments)
    except (ValueError, RecursionError) as exc:
        raise InvalidRequest("the arguments are not JSON", hint="send one JSON object; {} for no arguments") from exc
    if not isinstance(given, dict):
        raise InvalidRequest("the arguments are JSON, but not an object", hint='send {"name": value, …}')
    return cast("dict[str, Any]", given)


def _as_text(given: dict[str, Any]) -> str:
    try:
        return json.dumps(given, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as exc:
        raise InvalidRequest("the arguments hold what JSON cannot", hint="send plain JSON values") from exc


def _structures_as_text(value: object, schema: Schema, *, defs: Schema, at: str = "") -> Iterator[tuple[str, str]]:
    """Fields whose value is the text of a list or an object where the schema has room for a real one."""
    forms = _forms(schema, defs)
    if isinstance(value, str):
        form = _structure_in(value)
        if form is not None and any(each.get("type") == _TYPES[form] for each in forms):
            yield at, form
    elif isinstance(value, Mapping):
        for key, held in cast("Mapping[str, object]", value).items():
            for form in forms:
                field = form.get("properties", {}).get(key, form.get("additionalProperties"))
                if isinstance(field, Mapping):
                    inner = cast("Schema", field)
                    yield from _structures_as_text(held, inner, defs=defs, at=f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for index, held in enumerate(cast("list[object]", value)):
            for form in forms:
                places: list[Schema] = form.get("prefixItems", [])
                item = places[index] if index < len(places) else form.get("items", {})
                yield from _structures_as_text(held, item, defs=defs, at=f"{at}.{index}")


_TYPES = {"a list": "array", "an object": "object"}


def _forms(schema: Schema, defs: Schema) -> list[Schema]:
    """The schemas of which a value may fit any one, references resolved."""
    if "$ref" in schema:
        return _forms(defs.get(str(schema["$ref"]).rpartition("/")[2], {}), defs)
    alternatives: list[Schema] = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [form for each in alternatives for form in _forms(each, defs)] or [schema]


def _structure_in(text: str) -> str | None:
    """`a list` or `an object` if the text is JSON of one; a file called `[preview].PNG` is neither."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        held: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return "a list" if isinstance(held, list) else "an object"
