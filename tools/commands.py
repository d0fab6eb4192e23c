"""Regions of docs/cli.md: the help of every command, and the exit codes."""

from __future__ import annotations

import click
from markdown import table

from eyeline.cli.exit import MEANINGS
from eyeline.cli.main import cli

WIDTH = 100


def commands() -> str:
    """The help of the program and of each of its commands."""
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH, "help_option_names": ["-h", "--help"]}
    group = click.Context(cli, info_name="eyeline", **settings)
    parts = [f"## eyeline\n\n{_help(cli, group)}"]
    for name in cli.list_commands(group):
        command = cli.get_command(group, name)
        assert command is not None, name
        parts.append(f"## eyeline {name}\n\n{_help(command, click.Context(command, group, name, **settings))}")
    return "\n".join(parts)


def _help(command: click.Command, context: click.Context) -> str:
    """The help of a command without the exit codes, which stand once at the end of the page."""
    text = command.get_help(context).partition("\nExit codes:")[0].rstrip()
    return f"```text\n{text}\n```\n"


def exit_codes() -> str:
    """Every exit number with its meaning."""
    return table(">exit | means", MEANINGS.items())


REGIONS = {"commands": commands, "exit_codes": exit_codes}
