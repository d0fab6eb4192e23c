"""JSON Schemas of tools in the dialects that providers read. What a dialect lacks goes into the description.

The tool runtime checks every argument against the full schema whatever a model was told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from eyeline.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

T = TypeVar("T")
Schema = dict[str, Any]

_SAID = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "a multiple of {}",
    "default": "{} when left out",
    "enum": "one of {}",
    "uniqueItems": "no item twice",
}
"""What is said of a keyword that a dialect does not know; any other is said as `keyword: value`."""

_STRUCTURE = {"type", "description", "properties", "required", "items", "anyOf", "additionalProperties", "prefixItems"}

_STRICT = {"enum", "const", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} | {
    "minItems",
    "maxItems",
}
_STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

_OPENAPI = {"enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}


def inlined(schema: Mapping[str, Any]) -> Schema:
    """A schema without references and titles. Raises `ConfigError` for one that holds itself."""
    return _inlined(schema, schema.get("$defs", {}), within=())


def _inlined(schema: Mapping[str, Any], defs: Mapping[str, Any], *, within: tuple[str, ...]) -> Schema:
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        if name in within:
            raise ConfigError(f"the input {name!r} holds itself, which no provider takes")
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _inlined({**defs[name], **beside}, defs, within=(*within, name))
    flat: Schema = {key: value for key, value in schema.items() if key not in ("$defs", "title", "oneOf")}
    for key in ("anyOf", "oneOf", "prefixItems"):
        if key in schema:
            target = "anyOf" if key == "oneOf" else key
            flat[target] = [_inlined(each, defs, within=within) for each in schema[key]]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            flat[key] = _inlined(schema[key], defs, within=within)
    if "properties" in schema:
        flat["properties"] = {name: _inlined(each, defs, within=within) for name, each in schema["properties"].items()}
    return flat


def strict(schema: Mapping[str, Any]) -> Schema | None:
    """An inlined schema for OpenAI's strict mode, or None for one that it cannot say.

    There every property is required, so one that may be left out may be null; `without_nulls` takes these nulls back.
    """
    try:
        return _strict(schema)
    except ConfigError:
        return None


def _strict(schema: Mapping[str, Any]) -> Schema:
    told = _told(schema, known=_STRICT, formats=_STRICT_FORMATS)
    if "anyOf" in schema:
        return {**told, "anyOf": [_strict(each) for each in schema["anyOf"]]}
    kind = _type_of(schema)
    if kind == "array":
        return {**told, "type": kind, "items": _strict(_items(schema))}
    if kind != "object":
        return {**told, "type": kind}
    needed = schema.get("required", ())
    fields = {
        name: _strict(each) if name in needed else _nullable(_strict(each)) for name, each in _fields(schema).items()
    }
    return {**told, "type": kind, "properties": fields, "required": list(fields), "additionalProperties": False}


def _nullable(schema: Schema) -> Schema:
    forms = schema.get("anyOf", [{key: value for key, value in schema.items() if key != "description"}])
    said = {"description": schema["description"]} if "description" in schema else {}
    return {**said, "anyOf": [*forms, *([] if {"type": "null"} in forms else [{"type": "null"}])]}


def without_nulls(value: object, schema: Mapping[str, Any]) -> Any:
    """Arguments from strict mode, at any depth without the nulls that stand for a property left out."""
    forms = (schema, *schema.get("anyOf", ()))
    if isinstance(value, list):
        items = next((form["items"] for form in forms if "items" in form), Schema())
        return [without_nulls(each, items) for each in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, object]", value)
    form = next((form for form in forms if given.keys() <= form.get("properties", {}).keys()), schema)
    fields, needed = form.get("properties", {}), form.get("required", ())
    return {
        name: without_nulls(held, fields.get(name, {}))
        for name, held in given.items()
        if held is not None or name not in fields or name in needed or _takes_null(fields[name])
    }


def _takes_null(schema: Mapping[str, Any]) -> bool:
    return any(form.get("type") == "null" for form in (schema, *schema.get("anyOf", ())))


def openapi(schema: Mapping[str, Any]) -> Schema:
    """An inlined schema in the dialect of Gemini's `parameters`. Raises `ConfigError` for what it cannot say."""
    known = _OPENAPI if all(isinstance(each, str) for each in schema.get("enum", ())) else _OPENAPI - {"enum"}
    told = _told(schema, known=known, formats={"date-time"})
    if "anyOf" in schema:
        forms = [openapi(each) for each in schema["anyOf"] if each.get("type") != "null"]
        nullable = {"nullable": True} if len(forms) < len(schema["anyOf"]) else {}
        # the description beside the forms is about the property, one inside about its spelling
        return {**forms[0], **told, **nullable} if len(forms) == 1 else {**told, **nullable, "anyOf": forms}
    kind = _type_of(schema)
    if kind == "array":
        return {**told, "type": "ARRAY", "items": openapi(_items(schema))}
    if kind != "object":
        return {**told, "type": kind.upper()}
    fields = {name: openapi(each) for name, each in _fields(schema).items()}
    needed = {"required": list(schema["required"])} if schema.get("required") else {}
    return {**told, "type": "OBJECT", "properties": fields, **needed}


def _told(schema: Mapping[str, Any], *, known: Collection[str], formats: Collection[str]) -> Schema:
    """The keywords a dialect knows, and a description that also says the others."""
    kept = {key: value for key, value in schema.items() if key in known}
    if schema.get("format") in formats:
        kept["format"] = schema["format"]
    notes = [
        _SAID.get(key, f"{key}: {{}}").format(_listed(value))
        for key, value in schema.items()
        if key not in kept and key not in _STRUCTURE and value is not None and value is not False and value != ""
    ]
    said = " ".join([*([schema["description"]] if "description" in schema else []), *_in_brackets(notes)])
    return {**({"description": said} if said else {}), **kept}


def _in_brackets(notes: list[str]) -> list[str]:
    return [f"({', '.join(notes)})"] if notes else []


def _listed(value: object) -> str:
    return ", ".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)


def _type_of(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, str):
        return kind
    raise ConfigError("an input has no type, and this provider needs one")


def _items(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "items" not in schema or "prefixItems" in schema:
        raise ConfigError("an input is a list of unlike items, which this provider does not take")
    return schema["items"]


def _fields(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if schema.get("additionalProperties", False) is not False:
        raise ConfigError("an input takes any names, which this provider does not")
    return schema.get("properties", {})


def described(say: Callable[[Schema], T], schema: Mapping[str, Any]) -> T:
    """The parameters of a tool: its inlined schema in a dialect, without the description of the input class."""
    flat = inlined(schema)
    flat.pop("description", None)
    return say(flat)


def full(schema: Schema) -> Schema:
    """The dialect of those that read JSON Schema as it is."""
    return schema
