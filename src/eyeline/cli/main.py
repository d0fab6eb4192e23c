"""The command `eyeline`: global options, verbs that load when asked for, and the top where all ends in a number."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from typing import Any

import click

from eyeline.cli.failing import exit_for
from eyeline.cli.verb import Session, write_exit_codes

VERBS = (
    *("ingest", "convert", "find", "show", "read", "open", "view", "fetch"),
    *("attach", "prepare", "publish", "forget", "check", "limits", "audit", "mcp", "demo"),
)


class Verbs(click.Group):
    """The verbs, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs, in the order in which one meets them."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb."""
        del ctx
        return import_module(f"eyeline.cli.{cmd_name}").command if cmd_name in VERBS else None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End the help page with the exit codes."""
        del ctx
        write_exit_codes(formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; whatever it raises becomes a sentence on standard error and an exit number."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt as cause:
            raise exit_for(cause, about=_about(ctx), home=_home(ctx)) from None
        # The top of this surface: the cause of what nobody foresaw goes to the log of the home.
        except Exception as cause:
            raise exit_for(cause, about=_about(ctx), home=_home(ctx)) from None


def _about(ctx: click.Context) -> str:
    return f"eyeline {ctx.invoked_subcommand or ''}".strip()


def _home(ctx: click.Context) -> str | None:
    return ctx.obj.home if isinstance(ctx.obj, Session) else None


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    try:
        number = version("eyeline")
    except PackageNotFoundError:
        number = "(not installed)"
    click.echo(f"eyeline {number}")
    ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--home", metavar="DIR", help="The home folder. Default: $EYELINE_HOME, else the folder for user data.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@click.pass_context
def cli(ctx: click.Context, home: str | None) -> None:
    """Hand an agent the original behind every derived text: pictures, pages and regions, exact and recorded.

    A SOURCE is a version id, a document id, a name as it was taken in, or a path of the published tree.
    """
    ctx.obj = Session(home)


def main() -> None:
    """What the console script and `python -m eyeline` call."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A name that this terminal cannot write is spelled, not a reason to stop.
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="eyeline")
