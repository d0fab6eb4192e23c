"""The tree of errors: drawn, coded, documented, and known to every surface."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import pytest

import eyeline.errors
from eyeline.cli import exit as cli
from eyeline.errors import EyelineError
from eyeline.mcp.errors import NUMBERS as MCP_NUMBERS
from eyeline.model.envelope import BoundaryCode, NegativeCode
from eyeline.toolkit.safety import UNEXPECTED


def every_error(*, below: type[EyelineError] = EyelineError) -> Iterator[type[EyelineError]]:
    yield below
    for kind in below.__subclasses__():
        yield from every_error(below=kind)


def test_all_errors_live_in_one_file() -> None:
    assert {kind.__module__ for kind in every_error()} == {"eyeline.errors"}


@pytest.mark.requirement("XC-03")
def test_each_error_has_a_code_of_its_own() -> None:
    codes = [vars(kind).get("code", "inherited") for kind in every_error()]
    assert len(codes) == len(set(codes))
    assert [code for code in codes if not re.fullmatch(r"[a-z]+(_[a-z]+)*", code)] == []


def test_each_error_says_in_a_sentence_when_it_is_raised() -> None:
    assert [kind.__name__ for kind in every_error() if not re.search(r"[.;]", kind.__doc__ or "")] == []


def test_the_drawing_names_every_error_and_no_other() -> None:
    drawing = inspect.getdoc(eyeline.errors) or ""
    drawn = {word for line in drawing.splitlines() if "├" in line for word in re.findall(r"\b[A-Z]\w+[a-z]\b", line)}
    drawn |= {word for line in drawing.splitlines() if "└" in line for word in re.findall(r"\b[A-Z]\w+[a-z]\b", line)}
    builtins = {"ValueError", "LookupError", "OSError", "ImportError"}
    assert drawn - builtins == {kind.__name__ for kind in every_error()} - {"EyelineError"}


def test_every_error_can_be_told_apart_from_its_message() -> None:
    for kind in every_error():
        error = kind("what happened", hint="the way out", value=1)
        assert (error.code, error.hint, error.detail) == (kind.code, "the way out", {"value": 1})
        assert isinstance(error, EyelineError)


def every_code() -> list[str]:
    return sorted({UNEXPECTED} | {kind.code for kind in every_error()})


@pytest.mark.requirement("XC-03")
def test_mcp_knows_every_code_and_no_other() -> None:
    assert sorted(MCP_NUMBERS) == every_code()


@pytest.mark.requirement("XC-03")
def test_the_command_line_knows_every_code_and_no_other() -> None:
    assert sorted(cli.NUMBERS) == every_code()
    assert sorted(cli.ANSWERS) == sorted([*NegativeCode, *BoundaryCode])


def test_every_exit_number_means_one_thing_and_is_used() -> None:
    used = {*cli.NUMBERS.values(), *cli.ANSWERS.values(), cli.SOME_FAILED, cli.OUTPUT_CLOSED}
    bad_usage = 2  # click's own
    assert used | {bad_usage} == set(cli.MEANINGS)
    assert len(set(cli.MEANINGS.values())) == len(cli.MEANINGS)
    assert cli.OK not in cli.NUMBERS.values(), "an error is never a success"
