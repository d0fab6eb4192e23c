"""What the reference pages are made with: tables, and the sentence under each field of a class."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from itertools import pairwise
from textwrap import dedent


def table(head: str, rows: Iterable[Iterable[object]]) -> str:
    """A table whose head is written `a | b | >c`; a column with `>` is set to the right."""
    names = head.split(" | ")
    rule = "|".join("--:" if name.startswith(">") else "---" for name in names)
    lines = [f"| {' | '.join(name.lstrip('>') for name in names)} |", f"|{rule}|"]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def code(text: object) -> str:
    """A word as it is typed."""
    return f"`{text}`"


def sentences(kind: type) -> dict[str, str]:
    """The sentence that stands under each field or member of a class in its source."""
    (body,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for first, second in pairwise(body.body):
        if isinstance(first, ast.AnnAssign | ast.Assign) and isinstance(second, ast.Expr):
            target = first.target if isinstance(first, ast.AnnAssign) else first.targets[0]
            assert isinstance(second.value, ast.Constant)
            found[ast.unparse(target)] = str(second.value.value)
    return found


def first_sentence(kind: type) -> str:
    """What a class says of itself in its first paragraph."""
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|")
