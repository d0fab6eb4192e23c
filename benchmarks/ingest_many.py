"""A folder of texts and digital PDF files taken in, against `markitdown` reading the same files in one process.

Ours keeps, hashes, admits, converts, indexes and publishes each file, and parses in bounded children; the peer reads
files and writes nothing. Both start from nothing: imports count. Of pictures the peer reads no text, so those that OCR
reads stand apart, against tesseract alone in one process. Memory is the peak of all processes of a side together.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.corpus import MIXED, PDFS, SCANS, TEXTS, Maker, fill
from benchmarks.measuring import Ran, python, ran, scaled
from benchmarks.peers import peer_python
from benchmarks.table import Row

FILES, FILES_OF_ONE_KIND, PICTURES = 1000, 60, 24
AIM = 0.5
PEER = ("markitdown[pdf]==0.1.9",)

OURS = """
import sys
from pathlib import Path
from eyeline import Eyeline
with Eyeline(Path(sys.argv[2])) as eye:
    report = eye.ingest(Path(sys.argv[1]))
    assert report.complete and all(item.representation_id for item in report.items), report
"""

MARKITDOWN = """
import sys
from pathlib import Path
from markitdown import MarkItDown
reader = MarkItDown()
for path in sorted(Path(sys.argv[1]).iterdir()):
    assert reader.convert(str(path)).text_content
"""

TESSERACT = """
import sys
from pathlib import Path
import tesserocr
from PIL import Image
with tesserocr.PyTessBaseAPI(path=sys.argv[2], lang="eng", psm=tesserocr.PSM.AUTO_OSD) as reader:
    for path in sorted(Path(sys.argv[1]).iterdir()):
        with Image.open(path) as picture:
            reader.SetImage(picture)
            assert reader.GetUTF8Text()
"""


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python_of_peer = peer_python("markitdown", requirements=PEER)
        found = [] if python_of_peer is None else _against_markitdown(folder, python_of_peer)
        return [*found, _pictures(folder)]


def _against_markitdown(folder: Path, python_of_peer: Path) -> list[Row]:
    kinds = (
        (f"take in {scaled(FILES)} texts and PDF files", MIXED, scaled(FILES), AIM),
        (f"{scaled(FILES_OF_ONE_KIND)} texts alone", TEXTS, scaled(FILES_OF_ONE_KIND), None),
        (f"{scaled(FILES_OF_ONE_KIND)} PDF files alone", PDFS, scaled(FILES_OF_ONE_KIND), None),
    )
    found: list[Row] = []
    for number, (work, makers, count, aim) in enumerate(kinds):
        inbox, ours = _taken_in(folder / str(number), makers, count)
        theirs = ran([python_of_peer, "-c", MARKITDOWN, inbox])
        found.append(Row(work, ours.ms, "markitdown", theirs.ms, aim, _memory(ours, theirs)))
    return found


def _pictures(folder: Path) -> Row:
    count = scaled(PICTURES)
    inbox, ours = _taken_in(folder / "pictures", SCANS, count)
    from eyeline.media.ocr_models import find_models

    models = _together(folder / "models", *(each.path for each in find_models(("eng",))))
    theirs = python(TESSERACT, inbox, models)
    return Row(f"take in {count} scans with OCR", ours.ms, "tesseract alone", theirs.ms, None, _memory(ours, theirs))


def _taken_in(folder: Path, makers: tuple[Maker, ...], count: int) -> tuple[Path, Ran]:
    inbox = fill(folder / "inbox", makers, count=count)
    return inbox, python(OURS, inbox, folder / "home")


def _together(folder: Path, *files: Path) -> Path:
    """A folder that leads to some files."""
    folder.mkdir()
    for file in files:
        (folder / file.name).symlink_to(file)
    return folder


def _memory(ours: Ran, theirs: Ran) -> str:
    return f"peak memory {ours.peak}, peer {theirs.peak}"
