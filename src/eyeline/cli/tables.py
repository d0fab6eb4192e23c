"""Tables and lines for people, on standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from eyeline.model.display import shown

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 240
CELL_CHARS = 400

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


def print_lines(*lines: tuple[str, str]) -> None:
    """Lines with the name of a style each, wrapped by the screen and not by us. They are made safe."""
    from rich.text import Text

    screen = console(sys.stdout)
    for text, style in lines:
        screen.print(Text(shown(text, max_chars=CELL_CHARS), style=style), soft_wrap=True)


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
