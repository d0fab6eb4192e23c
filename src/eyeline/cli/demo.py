"""`eyeline demo`: the main job on a small folder, from taking in to what an agent is handed, every claim checked."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli.failing import note
from eyeline.cli.verb import Verb
from eyeline.errors import InvalidRequest

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.cli.demo_telling import Teller
    from eyeline.model.envelope import Opened

MARK = "about-this-folder.txt"
ABOUT = """\
Made by `eyeline demo`, and replaced when it runs again.

inbox/      the files that were taken in
home/       the home they were taken in to; home/tree/ is the published tree
delivered/  what an agent was handed over MCP, a folder for each answer, with its manifest.json
"""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a demo."""

    folder: Path

    @classmethod
    def cleared(cls, folder: Path) -> Place:
        """An empty folder; what an earlier demo left is removed, anything else raises `InvalidRequest`."""
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            if not (folder / MARK).is_file():
                raise InvalidRequest(f"{str(folder)!r} holds something else", hint="choose another one with --keep")
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).write_text(ABOUT, "utf-8")
        return cls(folder)


@click.command("demo", cls=Verb, short_help="Run the main job on a small folder.")
@click.option(
    "--keep",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("eyeline-demo"),
    show_default=True,
    help="Where everything is left to look at; an earlier demo there is replaced.",
)
def command(folder: Path) -> None:
    """Take a small sample folder in, open it as an agent does through a real MCP client, and check every claim made.

    It uses no network, and a home of its own inside the folder. It ends with 0 only if every claim held.
    """
    from eyeline.app.eyeline import Eyeline
    from eyeline.cli import demo_chapters as chapters
    from eyeline.cli import demo_recordings as recordings
    from eyeline.cli.demo_samples import write_samples
    from eyeline.cli.demo_telling import Teller

    started = time.monotonic()
    teller, place = Teller(), Place.cleared(folder)
    teller.heading("A folder of files")
    write_samples(place.folder / "inbox")
    chapters.show_inbox(place.folder / "inbox")
    recordings.prepare(place.folder / "home", teller=teller)
    with Eyeline(place.folder / "home") as eye:
        teller.heading("Taken in")
        chapters.take_in(eye, place.folder / "inbox", teller=teller)
        teller.heading("Walked, by an agent that has the tree mounted")
        chapters.walk_tree(eye, shown_as=f"{folder}/home/tree", teller=teller)
        teller.heading("Opened, by an agent that has MCP only")
        before = chapters.fingerprint(eye)
        answers = _visit(eye, teller)
        _keep_and_check(place, answers, teller)
        holds = chapters.fingerprint(eye) == before
        teller.claim("opening changed nothing: every kept file is byte for byte the same", holds=holds)
        teller.heading("Recorded")
        chapters.show_records(eye, opens=len(answers), teller=teller)
    teller.heading(f"{teller.end()}, in {time.monotonic() - started:.0f} s")
    note(f"look at the pictures in {folder}/delivered, or go on with: eyeline --home {folder}/home find")


def _visit(eye: Eyeline, teller: Teller) -> dict[str, Opened]:
    from eyeline.cli.demo_agent import run_errands
    from eyeline.mcp.visiting import visit

    teller.aside("  a client of the MCP SDK starts `eyeline mcp` and talks to it over standard input and output")
    return visit(eye.home, lambda visitor: run_errands(visitor, teller=teller))


def _keep_and_check(place: Place, answers: dict[str, Opened], teller: Teller) -> None:
    from eyeline.cli import demo_checks as checks
    from eyeline.cli import demo_recordings as recordings
    from eyeline.cli.demo_agent import keep

    teller.line()
    for name, opened in answers.items():
        for picture in keep(opened, place.folder / "delivered" / name):
            teller.aside(f"  kept {place.folder}/delivered/{name}/{picture}")
    teller.line()
    inbox = place.folder / "inbox"
    checks.check_photograph(answers["photograph"], (inbox / "balloon.jpg").read_bytes(), teller=teller)
    checks.check_page(answers["manual-page-2"], teller=teller)
    checks.check_scan(answers["scan-region"], teller=teller)
    checks.check_line(answers["screenshot-region"], (inbox / "status.png").read_bytes(), teller=teller)
    recordings.check(answers, teller=teller)
    checks.check_refusal(answers["damaged"], teller=teller)
    checks.check_digests(answers, teller=teller)
