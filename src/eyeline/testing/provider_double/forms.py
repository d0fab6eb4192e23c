"""Reads `multipart/form-data` exactly, in the order of its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eyeline.testing.provider_double.refusing import Refusal

_BOUNDARY = re.compile(r'boundary="?([^";]+)"?')
_NAME = re.compile(r'(?<!file)name="([^"]*)"')
_FILE_NAME = re.compile(r'filename="([^"]*)"')


@dataclass(frozen=True, slots=True)
class FormPart:
    """One part of a form; `file_name` is None for a plain field."""

    name: str
    body: bytes
    file_name: str | None = None
    media_type: str = ""


def form_of(content_type: str, body: bytes) -> list[FormPart]:
    """The parts of a form, in order. Raises `Refusal` with the code `shape`."""
    found = _BOUNDARY.search(content_type)
    if not content_type.startswith("multipart/form-data") or found is None:
        raise Refusal("shape", "a multipart/form-data body was expected")
    pieces = (b"\r\n" + body).split(b"\r\n--" + found[1].encode())
    if len(pieces) < 3 or pieces[0] or pieces[-1].strip() != b"--":
        raise Refusal("shape", "the form is not whole")
    return [_part(piece) for piece in pieces[1:-1]]


def _part(piece: bytes) -> FormPart:
    head, gap, body = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
    lines = [line.partition(":") for line in head.decode("utf-8").split("\r\n")]
    headers = {name.strip().lower(): value.strip() for name, _, value in lines}
    said = headers.get("content-disposition", "")
    name, file_name = _NAME.search(said), _FILE_NAME.search(said)
    if not gap or name is None:
        raise Refusal("shape", "a part of the form has no name")
    return FormPart(name[1], body, None if file_name is None else file_name[1], headers.get("content-type", ""))


def field_of(parts: list[FormPart], name: str) -> str | None:
    """The text of a plain field."""
    return next((part.body.decode("utf-8") for part in parts if part.name == name and part.file_name is None), None)


def file_of(parts: list[FormPart]) -> FormPart:
    """The one file, in the field `file`. Raises `Refusal` with the code `shape`."""
    files = [part for part in parts if part.file_name is not None]
    if len(files) != 1 or files[0].name != "file":
        raise Refusal("shape", "one file in the field `file` was expected")
    return files[0]


def seconds_of(text: str | None) -> int | None:
    """A whole number of seconds. Raises `Refusal` with the code `bad_expiry`."""
    if text is None:
        return None
    if not text.isdecimal():
        raise Refusal("bad_expiry", f"{text!r} is no whole number of seconds")
    return int(text)
