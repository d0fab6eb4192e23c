"""Standard output: tables for people, JSON for programs, text as it is or made safe for a terminal."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from eyeline.model.display import shown

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 240
CELL_CHARS = 400
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_NOT_ASCII = re.compile(r"[^\x20-\x7e\n]")

Cell = str | tuple[str, str]
"""Text of a cell, alone or with the name of a style."""


def console(stream: TextIO) -> Console:
    """A console on a stream: colours and the width of the screen only where there is one."""
    from rich.console import Console

    is_screen = stream.isatty()
    return Console(
        file=stream,
        force_terminal=is_screen,
        color_system="auto" if is_screen else None,
        width=None if is_screen else PIPE_WIDTH,
        markup=False,
        highlight=False,
        emoji=False,
    )


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, title: str | None = None) -> None:
    """A table on standard output. A column whose name starts with `>` is set to the right. Cells are made safe."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", show_edge=False)
    for column in columns:
        table.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left", overflow="fold")
    for row in rows:
        cells = [(cell, "") if isinstance(cell, str) else cell for cell in row]
        table.add_row(*(Text(shown(text, max_chars=CELL_CHARS), style=style) for text, style in cells))
    screen = console(sys.stdout)
    if screen.is_terminal:
        screen.print(table)
        return
    with screen.capture() as captured:
        screen.print(table)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def print_json(value: object) -> None:
    """A value as its wire JSON, in UTF-8 whatever the terminal speaks; hidden characters are escaped."""
    from eyeline.wire import dumps

    text = dumps(value, indent=2 if sys.stdout.isatty() else None)
    write_bytes(_NOT_ASCII.sub(_escaped, text).encode() + b"\n")


def print_text(text: str) -> None:
    """Outside text: exactly as it is into a pipe or file; on a terminal nothing in it can steer or hide."""
    if sys.stdout.isatty():
        safe = "\n".join(shown(line.expandtabs(), max_chars=len(line) * 8) for line in text.split("\n"))
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


def byte_text(count: int) -> str:
    """A count of bytes as people read it."""
    if count < 1000:
        return f"{count} B"
    size = float(count)
    for unit in ("kB", "MB", "GB", "TB"):
        size /= 1000
        if size < 999.5 or unit == "TB":
            break
    return f"{size:.1f} {unit}" if size < 10 else f"{size:.0f} {unit}"


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    if unicodedata.category(character) not in _HIDDEN:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
