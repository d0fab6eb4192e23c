"""Standard output for programs and pipes: JSON, bytes, and text as it is or made safe for a terminal."""

from __future__ import annotations

import re
import sys

import click

from eyeline.model.display import is_hidden, spelled

_NOT_ASCII = re.compile(r"[^\x20-\x7e\n]")


def print_json(value: object) -> None:
    """A value as its wire JSON, in UTF-8 whatever the terminal speaks; hidden characters are escaped."""
    from eyeline.wire import dumps

    text = dumps(value, indent=2 if sys.stdout.isatty() else None)
    write_bytes(_NOT_ASCII.sub(_escaped, text).encode() + b"\n")


def print_text(text: str) -> None:
    """Outside text: exactly as it is into a pipe or file; on a terminal nothing in it can steer or hide."""
    if sys.stdout.isatty():
        safe = _NOT_ASCII.sub(_spelled, text.expandtabs())
        click.echo(safe, nl=not safe.endswith("\n"))
    else:
        write_bytes(text.encode("utf-8"))


def write_bytes(data: bytes) -> None:
    """Bytes on standard output, all of them, before anything that follows."""
    sys.stdout.flush()
    left = memoryview(data)
    while left:
        # an unbuffered stream (PYTHONUNBUFFERED) may take a part only
        left = left[sys.stdout.buffer.write(left) :]
    sys.stdout.buffer.flush()


def _spelled(match: re.Match[str]) -> str:
    return spelled(match.group())


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    if not is_hidden(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
