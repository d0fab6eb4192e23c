"""Homes and inboxes that tests of the whole path share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from eyeline.media.sample_pdf import SampleEntry, make_pdf
from eyeline.media.sample_pictures import make_picture

NOTE = "# Pump report\n\nThe pump serial number is PX-4417.\n" + "".join(f"filler {n}\n" for n in range(200))


def fill_inbox(folder: Path) -> Path:
    """A small inbox: a note, a table, a picture, a PDF of three pages with an outline, an empty file."""
    (folder / "sub").mkdir(parents=True)
    (folder / "note.md").write_text(NOTE)
    (folder / "sub" / "data.csv").write_text("part,count\nvalve,12\n")
    (folder / "mark.png").write_bytes(make_picture(width=400, height=300))
    pages = ["first page about pumps", "second page about valves", "third page about seals"]
    outline = (SampleEntry("Pumps", 1), SampleEntry("Valves", 2))
    (folder / "manual.pdf").write_bytes(make_pdf(pages, outline=outline))
    (folder / "empty.txt").write_bytes(b"")
    return folder


def files_below(folder: Path) -> Iterator[Path]:
    """Every regular file below a folder that is no link, sorted."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def fingerprint(*roots: Path) -> dict[str, str]:
    """Path and SHA-256 of every file at or below these roots, without the scratch files of an open database."""
    found: dict[str, str] = {}
    for root in roots:
        for path in [root] if root.is_file() else files_below(root):
            if not path.name.endswith(("-wal", "-shm", ".lock")):
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
