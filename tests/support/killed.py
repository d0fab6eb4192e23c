"""Verbs that are killed or frozen in the middle, and what a home holds afterwards.

As a program, for a process of its own, because it forks: `python -m tests.support.killed SCENARIO FOLDER N,N,…`
prepares a home, and for each N kills the verb before its N-th change of the disk, runs it again, checks, and writes one
line of JSON with what came of it. N = 0 runs undisturbed and says how many changes there are; 0/N is that, and then N
moments spread over them.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.homes import NOTE
from tests.support.mails import enclosing, fixed, forwarding, letter

from eyeline import Eyeline, Settings
from eyeline.errors import DocumentNotFound
from eyeline.media.sample_pdf import make_pdf
from eyeline.model.ids import document_id
from eyeline.request.attachments import Upload
from eyeline.settings import TreeSettings
from eyeline.testing.killing import die, interrupt
from eyeline.testing.media import make_picture

ONE_WORKER = Settings(workers=1)

VOLATILE = {
    "id",
    "rowid",
    "created_ms",
    "decided_ms",
    "pinned_ms",
    "incarnation",
    "attempts",
    "owner",
    "expires_ms",
    "saved_ms",
}
"""Columns that say when and by whom, not what."""

TABLES = (
    *("blobs", "documents", "versions", "representations", "assets", "version_representations"),
    *("current_representations", "admissions", "conversions", "passages", "tombstones"),
    "enclosures",
    *("attachments", "attachment_objects", "attachment_holds"),
)


def snapshot(home: Path) -> dict[str, str]:
    """What a home says, without when and by whom: rows of the catalogue, blobs, every path of the tree."""
    found: dict[str, str] = {}
    with closing(sqlite3.connect(f"{(home / 'catalog.sqlite').as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        for table in TABLES:
            rows = [
                repr(sorted((key, row[key]) for key in set(row.keys()) - VOLATILE))
                for row in connection.execute(f"SELECT * FROM {table}")
            ]
            found |= {f"{table} {number}": text for number, text in enumerate(sorted(rows))}
    for path in sorted((home / "blobs" / "v1").rglob("*")):
        if path.is_file():
            found[f"blob {path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    for path in sorted((home / "attachments").rglob("*")):
        if path.is_file():
            name = path.relative_to(home)
            found[f"{name} {path.stat().st_mode:o}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    for path in sorted((home / "tree").rglob("*")):
        name = str(path.relative_to(home / "tree"))
        if name.startswith(".locks") or name == ".staging":
            continue
        if path.is_symlink():
            found[f"tree {name}"] = f"-> {path.readlink()}"
        else:
            found[f"tree {name}"] = "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def one_thumbnail() -> Settings:
    """Settings under which a PDF is read into another representation."""
    return Settings(workers=1, tree=TreeSettings(max_thumbnails=1))


@dataclass(frozen=True, slots=True)
class Scenario:
    """A home as it is before, the verb, and which settings the verb runs under."""

    prepare: Callable[[Eyeline, Path], object]
    verb: Callable[[Eyeline, Path, Callable[[str], None]], object]
    settings: Settings = ONE_WORKER


def _ingest(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    eye.ingest(inbox, progress=lambda done, total, what: told(what))


def _convert(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    del inbox
    eye.convert(progress=lambda done, total, what: told(what))


def _publish(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    del inbox, told
    eye.publish()


def _forget(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    del inbox, told
    for name in ("note.md", "manual.pdf"):
        doc_id = document_id("default", "path", name)
        try:
            eye.forget(doc_id)
        except DocumentNotFound:
            assert not eye.find("", collection="default", name=name).passages


def _ingest_mail(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    mail = forwarding(letter(), enclosing(letter("inner\n"), ("notes.md", NOTE.encode())))
    (inbox / "a.eml").write_bytes(fixed(enclosing(mail, ("manual.pdf", (inbox / "manual.pdf").read_bytes()))))
    eye.ingest(inbox / "a.eml", progress=lambda done, total, what: told(what))


def _forget_mail(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    del inbox, told
    with suppress(DocumentNotFound):
        eye.forget(document_id("default", "path", "a.eml"))


def _attach(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    """Attach a picture and a text in one message, and a file that is let go again, with all that nobody holds."""
    del told
    picture = Upload(make_picture("image/bmp", width=40, height=30), "plan.bmp")
    refs = eye.attachments.save([picture, Upload((inbox / "note.md").read_bytes(), "note.md")])
    eye.attachments.hold("talk", *refs)
    (gone,) = eye.attach(inbox / "manual.pdf").references
    eye.attachments.delete(gone)
    eye.attachments.collect(grace_ms=0)


def _repair(eye: Eyeline, inbox: Path, told: Callable[[str], None]) -> None:
    del inbox, told
    eye.check(repair=True, grace_ms=0)


def _both(eye: Eyeline, inbox: Path) -> None:
    eye.ingest(inbox)
    eye.ingest(inbox / "note.md", collection="other")
    eye.open("manual.pdf")
    eye.open(eye.find("PX-4417", collection="default")[0].version_id)


def _without_tree(eye: Eyeline, inbox: Path) -> None:
    eye.ingest(inbox)
    subprocess.run(["rm", "-r", str(eye.tree)], check=True)


def _damaged(eye: Eyeline, inbox: Path) -> None:
    eye.ingest(inbox)
    derived = next(eye.tree.glob("doc_*/*/rep_*/assets/*"))
    digest = hashlib.sha256(derived.read_bytes()).hexdigest()
    (eye.home / "blobs/v1/sha256" / digest[:2] / digest).unlink()
    subprocess.run(
        ["rm", "-r", str(derived.parents[1]), str(eye.tree / "by-name"), str(eye.tree / "index")], check=True
    )
    loose = hashlib.sha256(b"loose").hexdigest()
    (eye.home / "blobs/v1/sha256" / loose[:2]).mkdir(exist_ok=True, mode=0o700)
    (eye.home / "blobs/v1/sha256" / loose[:2] / loose).write_bytes(b"loose")


SCENARIOS = {
    "ingest": Scenario(lambda eye, inbox: eye.find(""), _ingest),
    "convert": Scenario(lambda eye, inbox: eye.ingest(inbox), _convert, one_thumbnail()),
    "publish": Scenario(_without_tree, _publish),
    "forget": Scenario(_both, _forget),
    "ingest a mail": Scenario(lambda eye, inbox: eye.ingest(inbox / "manual.pdf"), _ingest_mail),
    "forget a mail": Scenario(lambda eye, inbox: _ingest_mail(eye, inbox, lambda _: None), _forget_mail),
    "attach": Scenario(lambda eye, inbox: eye.attachments.save_file(b"old", name="old.txt"), _attach),
    "repair": Scenario(_damaged, _repair),
}


def fill(inbox: Path) -> Path:
    """Two files: a text, and a PDF of two pages."""
    inbox.mkdir()
    (inbox / "note.md").write_text(NOTE)
    (inbox / "manual.pdf").write_bytes(make_pdf(["first page about pumps", "second page about valves"]))
    return inbox


def forked(work: Callable[[], object], answer: Path) -> int:
    """Run work in a forked process; its exit code, -9 when it was killed. What it returns goes to a file, as JSON."""

    def answering() -> None:
        answer.write_text(json.dumps(work()))

    process = multiprocessing.get_context("fork").Process(target=answering)
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def main() -> None:
    """See above."""
    name, folder, asked = sys.argv[1:4]
    place = Path(folder)
    scenario, inbox, base = SCENARIOS[name], fill(place / "inbox"), place / "base"

    def prepare() -> None:
        with Eyeline(base, settings=ONE_WORKER) as eye:
            scenario.prepare(eye, inbox)

    assert forked(prepare, place / "prepared") == 0

    def one(number: int) -> dict[str, Any]:
        home = place / f"home-{number}"
        subprocess.run(["cp", "-a", str(base), str(home)], check=True)
        outcome = _one(scenario, home, inbox, number)
        sys.stdout.write(json.dumps(outcome) + "\n")
        sys.stdout.flush()
        subprocess.run(["rm", "-r", str(home)], check=True)
        return outcome

    whole, _, samples = asked.partition("/")
    for number in spread(one(int(whole))["count"], int(samples)) if samples else map(int, asked.split(",")):
        one(number)


def spread(count: int, samples: int) -> list[int]:
    """So many moments spread over those that there are, counted from 1."""
    step = count // samples
    return [step * number - 1 for number in range(1, samples + 1)]


def _one(scenario: Scenario, home: Path, inbox: Path, number: int) -> dict[str, Any]:
    told = home.with_suffix(".told")
    told.touch()

    def doomed() -> int:
        calls = interrupt(number, die)
        with told.open("a") as out, Eyeline(home, settings=scenario.settings) as eye:

            def tell(what: str) -> None:
                out.write(f"{what}\n")
                out.flush()

            scenario.verb(eye, inbox, tell)
        return calls.count

    def again() -> dict[str, Any]:
        with Eyeline(home, settings=scenario.settings) as eye:
            for what in told.read_text().split():
                assert b"".join(eye.fetch(what).chunks) == (inbox / what).read_bytes()
            scenario.verb(eye, inbox, lambda what: None)
            report = eye.check(grace_ms=0)
        return {"findings": [[each.code, each.subject] for each in report.findings], "state": snapshot(home)}

    status = forked(doomed, home.with_suffix(".count"))
    assert forked(again, home.with_suffix(".state")) == 0
    outcome = json.loads(home.with_suffix(".state").read_text())
    count = json.loads(home.with_suffix(".count").read_text()) if status == 0 else None
    return {"at": number, "status": status, "count": count, **outcome}


if __name__ == "__main__":
    main()
