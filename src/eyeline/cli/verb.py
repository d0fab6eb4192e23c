"""What every command shares: the session made by the global options, and a help page that ends with exit codes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli.exit import MEANINGS

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.app.viewer import Viewer
    from eyeline.model.access import Principal


@dataclass(frozen=True, slots=True)
class Session:
    """The home that was asked for; none stands for the default one."""

    home: str | None = None

    def eyeline(self, *, principal: Principal | None = None) -> Eyeline:
        """The application over this home."""
        from eyeline.app.eyeline import Eyeline

        return Eyeline(self.home, principal=principal)

    def viewer(self, base_dir: Path) -> Viewer:
        """What shows files of a folder and URLs, under the settings of this home; it makes none."""
        from eyeline.app.viewer import Viewer
        from eyeline.settings import default_home, load_settings

        home = default_home() if self.home is None else Path(self.home).expanduser().absolute()
        return Viewer(base_dir, allow_urls=True, settings=load_settings(home))


pass_session = click.make_pass_decorator(Session, ensure=True)


class Verb(click.Command):
    """A command whose help page ends with the exit codes."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of exit codes."""
        del ctx
        write_exit_codes(formatter)


def write_exit_codes(formatter: click.HelpFormatter) -> None:
    """The table of exit codes as the last section of a help page."""
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(number), meaning) for number, meaning in MEANINGS.items()])


as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, and nothing else.")
