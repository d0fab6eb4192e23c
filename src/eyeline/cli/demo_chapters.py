"""The chapters of the demo on this side: taking in, walking the tree, and what was recorded."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.cli.demo_samples import samples
from eyeline.cli.ingested import print_report
from eyeline.cli.tables import byte_text, print_table
from eyeline.model.audit import AuditOutcome
from eyeline.model.digest import Digest
from eyeline.model.record import IngestStatus

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.cli.demo_telling import Teller

SHOWN_LINES = 6


def show_inbox(inbox: Path) -> None:
    """What was made to be taken in."""
    rows = [(each.name, byte_text((inbox / each.name).stat().st_size), each.about) for each in samples()]
    print_table(("file", ">size", "what it is"), rows)


def take_in(eye: Eyeline, inbox: Path, *, teller: Teller) -> None:
    """Take the folder in and check what became of each file."""
    report = eye.ingest(inbox)
    print_report(report)
    teller.line()
    taken = [item for item in report.items if item.status is IngestStatus.TAKEN and item.tree_path is not None]
    holds = all(
        Digest.of((inbox / item.source).read_bytes()) == item.digest
        and (eye.tree / str(item.tree_path)).read_bytes() == (inbox / item.source).read_bytes()
        for item in taken
    )
    teller.claim(f"all {len(taken)} originals are kept byte for byte, and reachable in the tree", holds=holds)
    became = {item.source: item.code for item in report.items}
    holds = (became["empty.txt"], became["firmware.bin"]) == ("empty", "no_route")
    teller.claim("what cannot be taken is refused at once, with a reason", holds=holds)
    torn = next(item for item in taken if item.source == "torn.jpg")
    teller.claim(f"the damaged photograph is kept and says so: {torn.code}", holds=torn.code == "truncated")


def walk_tree(eye: Eyeline, *, shown_as: str, teller: Teller) -> None:
    """Publish, and walk as a mounted agent would: with ls, cat and grep."""
    eye.publish()
    tree = eye.tree
    note = next(tree.glob("by-name/default/notes.md"))
    folder = next(iter(note.resolve().glob("current/rep_*")))
    teller.call(f"ls {shown_as}")
    teller.line("  " + "  ".join(sorted(each.name for each in tree.iterdir() if not each.name.startswith(".")))[:400])
    teller.call(f"head -{SHOWN_LINES} {shown_as}/README.md")
    for line in (tree / "README.md").read_text("utf-8").splitlines()[:SHOWN_LINES]:
        teller.line(f"  {line}")
    teller.call(f"ls {shown_as}/by-name/default/notes.md/current/")
    teller.line("  " + "  ".join(sorted(each.name for each in folder.parent.iterdir())))
    teller.call(f'grep -rl "G-7" --include=document.md {shown_as}')
    hits = [path for path in sorted(tree.rglob("document.md")) if "G-7" in path.read_text("utf-8")]
    for path in hits:
        teller.line(f"  {path.relative_to(tree)}")
    teller.line()
    teller.claim("grep finds the gasket in the Markdown, in the PDF and in the scan", holds=len(set(hits)) == 3)
    listed = [each.source for each in eye.find("", limit=100)]
    holds = all(Digest.of((tree / each.tree_path).read_bytes()) == each.content for each in listed)
    teller.claim("the tree path of every source leads to its original", holds=holds)


def fingerprint(eye: Eyeline) -> str:
    """One digest over every blob and every file of the tree."""
    whole = hashlib.sha256()
    for root in (eye.home / "blobs", eye.tree):
        for path in sorted(each for each in root.rglob("*") if each.is_file() and not each.is_symlink()):
            whole.update(f"{path.relative_to(eye.home)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def show_records(eye: Eyeline, *, opens: int, teller: Teller) -> None:
    """Every open left a record, the refused one too, and the records hold together."""
    entries = eye.audit(limit=100).entries
    columns = (">no", "principal", "over", "outcome", "locator", ">parts", ">size")
    rows = [
        (
            str(entry.seq),
            entry.record.principal,
            entry.record.surface,
            entry.record.code or entry.record.outcome.value,
            str(entry.record.locator or "the whole"),
            str(len(entry.record.parts)),
            byte_text(sum(part.byte_count for part in entry.record.parts)),
        )
        for entry in reversed(entries)
    ]
    print_table(columns, rows)
    teller.line()
    outcomes = [entry.record.outcome for entry in entries]
    holds = outcomes.count(AuditOutcome.RELEASED) == opens - 1 and outcomes.count(AuditOutcome.REFUSED) == 1
    teller.claim(f"{opens} opens, {len(entries)} records: what was delivered and what was refused", holds=holds)
    holds = eye.verify_audit().entries == len(entries)
    teller.claim("every record follows from the one before it", holds=holds)
