"""Making files inside a root: whole or not at all, never over another, never outside."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.swapping import exchanging

from eyeline.errors import AmbiguousName, PathRefused, PathTaken
from eyeline.source.descent import Descent
from eyeline.source.path import FileBoundary
from eyeline.source.writing import NewFile, new_place

EVERY_WAY = pytest.mark.parametrize("unnamed", [True, False], ids=["unnamed", "named"])

ON_A_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from eyeline.errors import StoreError
from eyeline.source.path import FileBoundary
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    with FileBoundary(Path(sys.argv[1])).create_inside("a/b.bin") as new:
        new.write(bytes(5000))
        new.publish()
except StoreError as error:
    print(error.detail["cause"], "a/b.bin" in error.message, sys.argv[1] in error.message)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "file.txt").write_text("top")
    (tmp_path / "outside").mkdir()
    return root


def below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def make(root: Path, path: str | bytes, *, unnamed: bool = True) -> str:
    way = Descent(os.fsencode(root), aliases=[os.fsencode(root)], repair=True)
    with NewFile(new_place(way, path.encode() if isinstance(path, str) else path), unnamed=unnamed) as new:
        new.write(b"new")
        new.publish()
        return new.reference


@EVERY_WAY
def test_a_file_gets_its_name_when_it_is_whole(root: Path, unnamed: bool) -> None:
    before = below(root)
    way = Descent(os.fsencode(root), aliases=[], repair=True)
    with NewFile(new_place(way, b"folder/new.txt"), unnamed=unnamed) as new:
        new.write(b"one ")
        new.write(b"two")
        seen = [name for name in below(root) if not name.rpartition("/")[2].startswith(".")]
        assert seen == before
        new.publish()
        assert new.reference == "folder/new.txt"
    assert (root / "folder" / "new.txt").read_bytes() == b"one two"
    assert (root / "folder" / "new.txt").stat().st_nlink == 1
    assert below(root) == sorted([*before, "folder/new.txt"])


@EVERY_WAY
def test_a_file_that_is_not_published_leaves_nothing(root: Path, unnamed: bool) -> None:
    before = below(root)
    way = Descent(os.fsencode(root), aliases=[], repair=True)
    with NewFile(new_place(way, b"a/b/new.txt"), unnamed=unnamed) as new:
        new.write(b"half")
    assert below(root) == before


def test_a_process_that_is_killed_leaves_nothing(root: Path) -> None:
    before = below(root)
    program = (
        "import os, signal, sys; from pathlib import Path; from eyeline.source.path import FileBoundary\n"
        "new = FileBoundary(Path(sys.argv[1])).create_inside('a/new.txt')\n"
        "new.write(b'half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(root)], check=False, timeout=60)
    assert done.returncode == -9
    assert below(root) == before


@EVERY_WAY
def test_missing_folders_come_with_the_file(root: Path, unnamed: bool) -> None:
    assert make(root, "folder/a/./b//new.txt", unnamed=unnamed) == "folder/a/b/new.txt"
    assert (root / "folder" / "a" / "b" / "new.txt").read_bytes() == b"new"


def test_what_is_made_is_readable_as_the_umask_says_and_never_runs(root: Path) -> None:
    before = os.umask(0o027)
    try:
        make(root, "a/new.sh")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / "a" / "new.sh").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o750


@EVERY_WAY
@pytest.mark.parametrize(
    "there", ["file", "folder", "link to a file", "link that leads nowhere", "link that leads out"]
)
def test_nothing_that_is_there_is_replaced(root: Path, there: str, unnamed: bool) -> None:
    target = root / "there"
    if there == "file":
        target.write_text("old")
    elif there == "folder":
        target.mkdir()
    else:
        leads = {"link to a file": "file.txt", "link that leads nowhere": "gone", "link that leads out": "../outside/x"}
        target.symlink_to(leads[there])
    before = below(root.parent)
    with pytest.raises((PathTaken, PathRefused)):
        FileBoundary(root).create_inside("there")
    assert below(root.parent) == before
    # what comes while the file is being made is not replaced either
    way = Descent(os.fsencode(root), aliases=[], repair=True)
    with NewFile(new_place(way, b"a/late"), unnamed=unnamed) as new:
        (root / "a").mkdir()
        (root / "a" / "late").symlink_to(root.parent / "outside" / "x")
        with pytest.raises(PathTaken):
            new.publish()
    assert below(root.parent / "outside") == []


def test_what_is_there_is_said_to_be_taken(root: Path) -> None:
    for path in ("file.txt", "folder", "", "."):
        with pytest.raises(PathTaken) as caught:
            FileBoundary(root).create_inside(path)
        assert caught.value.code == "path_taken"


@pytest.mark.parametrize(
    "path",
    [
        *("../new.txt", "folder/../new.txt", "/new.txt", "out/new.txt", "abroad/new.txt", "out/a/new.txt", "nowhere/x"),
        *("file.txt/new.txt", "new/", "a\0b", "\ud800", "a\nb", "a\x1bb", "a\\b", b"caf\xe9", "a\u2028b", "x" * 256),
        *(".env", ".git/config", "folder/.x/new.txt", "dots/new.txt", "\u2024hidden/new.txt"),
    ],
)
def test_no_file_is_made_outside_or_under_a_name_that_hides(root: Path, path: str | bytes) -> None:
    (root / "out").symlink_to("../outside")
    (root / "abroad").symlink_to(root.parent / "outside")
    (root / "nowhere").symlink_to("gone")
    (root / ".hidden").mkdir()
    (root / "dots").symlink_to(".hidden")
    before = below(root.parent)
    with pytest.raises(PathRefused) as caught, FileBoundary(root).create_inside(path) as new:
        new.publish()
    assert str(root.parent) not in str(caught.value)
    assert below(root.parent) == before


def test_links_that_stay_inside_are_followed_to_their_folder(root: Path) -> None:
    (root / "link").symlink_to(root / "folder")
    assert make(root, "link/new.txt") == "link/new.txt"
    assert below(root / "folder") == ["new.txt"]


def test_a_folder_that_looks_the_same_is_that_folder(root: Path) -> None:
    (root / "re\u0301sume\u0301s").mkdir()
    assert make(root, "r\u00e9sum\u00e9s/new.txt") == "re\u0301sume\u0301s/new.txt"
    (root / "a\u00a0b").mkdir()
    (root / "a\u202fb").mkdir()
    with pytest.raises(AmbiguousName):
        make(root, "a b/new.txt")


def test_a_folder_that_was_swapped_while_the_file_was_made_does_not_lead_out(root: Path) -> None:
    with FileBoundary(root).create_inside("folder/new.txt") as new:
        (root / "folder").rename(root / "aside")
        (root / "folder").symlink_to("../outside")
        new.write(b"new")
        new.publish()
    assert below(root.parent / "outside") == []
    assert below(root / "aside") == ["new.txt"]
    with FileBoundary(root).create_inside("later/new.txt") as new:
        (root / "later").symlink_to("../outside")
        with pytest.raises(PathRefused):
            new.publish()
    assert below(root.parent / "outside") == []


def test_a_folder_swapped_for_a_link_at_any_moment_never_gets_a_file_outside(root: Path) -> None:
    (root / "trap").symlink_to("../outside")
    made = 0
    with exchanging(root / "folder", root / "trap"):
        for number in range(2000):
            with suppress(PathRefused), FileBoundary(root).create_inside(f"folder/{number}/new.txt") as new:
                new.publish()
                made += 1
    assert below(root.parent / "outside") == []
    assert made


def test_a_disk_that_takes_no_more_leaves_nothing(root: Path) -> None:
    before = below(root)
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, str(root)], check=True, timeout=60, capture_output=True, text=True
    )
    assert done.stdout.split() == ["EFBIG", "True", "False"]
    assert below(root) == before


def test_no_descriptor_is_left_open(root: Path) -> None:
    before = len([*Path("/dev/fd").iterdir()])
    for path in ("a/b/c.txt", "file.txt", ".x", "folder/d.txt", "folder/" + "x" * 256):
        with suppress(PathRefused, PathTaken), FileBoundary(root).create_inside(path) as new:
            new.publish()
    assert len([*Path("/dev/fd").iterdir()]) == before
