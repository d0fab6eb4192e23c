"""The file boundary: what is inside is opened, whatever the way there; nothing else is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.support.swapping import exchanging

from eyeline.errors import AmbiguousName, PathRefused
from eyeline.model.document import GateRefusal
from eyeline.source.path import FileBoundary, OpenedFile, Refused
from eyeline.source.reference import reference_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "inner.txt").write_text("inner")
    (root / "file.txt").write_text("top")
    (tmp_path / "root-evil").mkdir()
    for outside in (tmp_path / "root-evil" / "secret.txt", tmp_path / "secret.txt"):
        outside.write_text("secret")
    return root


def reason(root: Path, path: str | bytes) -> GateRefusal:
    found = FileBoundary(root).look(path)
    assert isinstance(found, Refused), found
    assert str(root) not in found.message
    return found.reason


def text(root: Path, path: str | bytes, *, repair: bool = False) -> str:
    with FileBoundary(root).open_inside(path, repair=repair) as opened:
        return opened.file.read().decode()


def test_a_file_inside_is_opened_with_its_size_and_reference(root: Path) -> None:
    with FileBoundary(root).open_inside("folder/./inner.txt") as opened:
        assert (opened.byte_count, opened.reference, opened.resolved) == (5, "folder/inner.txt", "folder/inner.txt")
        assert (opened.repaired, opened.hidden, opened.unchanged()) == (False, False, True)
        status = (root / "folder" / "inner.txt").stat()
        assert (opened.device, opened.inode) == (status.st_dev, status.st_ino)
        assert opened.file.read() == b"inner"
        assert os.get_blocking(opened.file.fileno())
    assert opened.file.closed


@pytest.mark.requirement("VF-07")
@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "folder/../../secret.txt",
        "folder/../file.txt",
        "..",
        "../root-evil/secret.txt",
        "/etc/passwd",
        "/",
    ],
)
def test_paths_that_point_out_are_refused_as_written(root: Path, path: str) -> None:
    assert reason(root, path) is GateRefusal.OUTSIDE_ROOT


def test_the_real_path_of_the_root_and_a_sibling_prefix_are_absolute_and_so_refused(root: Path) -> None:
    assert reason(root, f"{root}/file.txt") is GateRefusal.OUTSIDE_ROOT
    assert reason(root, f"{root}-evil/secret.txt") is GateRefusal.OUTSIDE_ROOT


@pytest.mark.parametrize("path", ["file.txt\0.png", b"\0", "\ud800", "nothing", "file.txt/below", "x" * 300])
def test_names_that_cannot_be_or_are_not_there_are_unreadable(root: Path, path: str | bytes) -> None:
    assert reason(root, path) is GateRefusal.UNREADABLE


@pytest.mark.parametrize("path", ["", ".", "folder", "folder/"])
def test_a_folder_is_not_a_regular_file(root: Path, path: str) -> None:
    assert reason(root, path) is GateRefusal.NOT_REGULAR


@pytest.mark.requirement("VF-07")
@pytest.mark.parametrize(
    "target",
    [
        "../secret.txt",
        "../root-evil/secret.txt",
        "folder/../../secret.txt",
        "/etc/passwd",
        "{outside}/secret.txt",
        "{outside}/root-evil/secret.txt",
        "{root}/../secret.txt",
        "folder/inside-then-out",
        "/proc/self/cwd/../secret.txt",
        "/dev/fd/0",
        "out",
    ],
)
def test_a_link_that_leaves_is_refused(root: Path, target: str) -> None:
    (root / "out").symlink_to("..")
    (root / "folder" / "inside-then-out").symlink_to("../out/secret.txt")
    (root / "link").symlink_to(target.format(root=root, outside=root.parent))
    assert reason(root, "link") is GateRefusal.OUTSIDE_ROOT
    assert reason(root, "out/secret.txt") is GateRefusal.OUTSIDE_ROOT


@pytest.mark.parametrize(
    "target", ["file.txt", "folder/../file.txt", "{root}/file.txt", "again", "up/file.txt", "./file.txt"]
)
def test_a_link_that_stays_is_followed(root: Path, target: str) -> None:
    (root / "again").symlink_to("folder/up/file.txt")
    (root / "up").symlink_to("folder/up")
    (root / "folder" / "up").symlink_to("..")
    (root / "link").symlink_to(target.format(root=root))
    with FileBoundary(root).open_inside("link") as opened:
        assert (opened.reference, opened.resolved, opened.file.read()) == ("link", "file.txt", b"top")


def test_a_root_that_is_a_link_itself_is_the_place_it_leads_to(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to("root")
    (root / "by-alias").symlink_to(alias / "file.txt")
    (root / "by-real-path").symlink_to(root / "file.txt")
    assert [text(alias, name) for name in ("file.txt", "by-alias", "by-real-path")] == ["top"] * 3


def test_links_in_a_circle_are_unreadable(root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("folder/../a")
    assert reason(root, "a") is GateRefusal.UNREADABLE
    assert reason(root, "b/file.txt") is GateRefusal.UNREADABLE


@pytest.mark.requirement("VF-07")
def test_fifos_sockets_and_devices_are_refused_and_nobody_waits(root: Path) -> None:
    os.mkfifo(root / "fifo")
    os.mknod(root / "socket", stat.S_IFSOCK | 0o600)
    (root / "link").symlink_to("fifo")
    assert [reason(root, name) for name in ("fifo", "socket", "link")] == [GateRefusal.NOT_REGULAR] * 3
    assert reason(Path("/dev"), "null") is GateRefusal.NOT_REGULAR


def test_what_is_refused_looks_the_same_from_outside(root: Path) -> None:
    (root / "link").symlink_to("../secret.txt")
    told: set[str] = set()
    for path in ("link", "nope", "../x", "folder"):
        with pytest.raises(PathRefused) as caught:
            FileBoundary(root).open_inside(path)
        told.add(caught.value.message.replace(repr(path), "it"))
        assert caught.value.detail == {}
    assert len(told) == 1


def test_a_root_that_is_not_there_refuses_everything(tmp_path: Path) -> None:
    assert reason(tmp_path / "gone", "file.txt") is GateRefusal.UNREADABLE


def test_a_file_changed_after_opening_is_noticed(root: Path) -> None:
    with FileBoundary(root).open_inside("file.txt") as opened:
        with (root / "file.txt").open("ab") as file:
            file.write(b" and more")
        assert not opened.unchanged()


def test_a_name_swapped_after_opening_does_not_change_what_is_read(root: Path) -> None:
    with FileBoundary(root).open_inside("file.txt") as opened:
        (root / "file.txt").unlink()
        (root / "file.txt").symlink_to("../secret.txt")
        assert opened.file.read() == b"top"


@pytest.mark.requirement("VF-07")
def test_a_folder_swapped_for_a_link_at_any_moment_never_lets_anything_out(root: Path) -> None:
    (root / "folder" / "secret.txt").write_text("inner")
    (root / "trap").symlink_to("../root-evil")
    with exchanging(root / "folder", root / "trap"):
        assert found_while_swapping(root, "folder/secret.txt") == {"inner"}


@pytest.mark.requirement("VF-07")
@pytest.mark.parametrize("trap", ["link", "fifo", "folder"])
def test_a_file_swapped_between_check_and_open_is_that_file_or_nothing(root: Path, trap: str) -> None:
    if trap == "link":
        (root / "trap").symlink_to("../secret.txt")
    elif trap == "fifo":
        os.mkfifo(root / "trap")
    else:
        (root / "trap").mkdir()
    with exchanging(root / "file.txt", root / "trap"):
        assert found_while_swapping(root, "file.txt") == {"top"}


def found_while_swapping(root: Path, path: str) -> set[str]:
    """Every text that many openings read; no opening waits, whatever is met."""
    seen: set[str] = set()
    for _ in range(2000):
        found = FileBoundary(root).look(path)
        if isinstance(found, OpenedFile):
            with found:
                seen.add(found.file.read().decode())
    return seen


def test_a_second_name_of_a_file_outside_is_a_file_of_the_root(root: Path) -> None:
    # the stated policy: a hard link is no way out, it is the file itself under a name in here
    (root / "hard.txt").hardlink_to(root.parent / "secret.txt")
    assert text(root, "hard.txt") == "secret"


def test_names_that_are_not_utf8_are_opened_and_spelled_in_a_stable_way(root: Path) -> None:
    (root / os.fsdecode(b"caf\xe9.txt")).write_text("latin")
    assert text(root, b"caf\xe9.txt") == "latin"
    with FileBoundary(root).open_inside("caf\udce9.txt") as opened:
        assert opened.reference == r"caf\xe9.txt"


@pytest.mark.parametrize(
    ("on_disk", "asked"),
    [
        ("Screenshot at 4.42.48\u202fPM.png", "Screenshot at 4.42.48 PM.png"),
        ("Snimek\u00a013.05.05.png", "Snimek 13.05.05.png"),
        ("Screenshot 4 PM.png", "Screenshot\u202f4\u00a0PM.png"),
        ("re\u0301sume\u0301.pdf", "r\u00e9sum\u00e9.pdf"),
        ("r\u00e9sum\u00e9.pdf", "re\u0301sume\u0301.pdf"),
        ("\uac00.png", "\u1100\u1161.png"),
        ("\ufb01le\u2075.txt", "file5.txt"),
        ("file5.txt", "\uff46\uff49\uff4c\uff45\u2075.txt"),
    ],
)
def test_a_name_that_looks_the_same_is_found_when_it_is_the_only_one(root: Path, on_disk: str, asked: str) -> None:
    folder = root / f"in {on_disk}"
    folder.mkdir()
    (folder / on_disk).write_text("found")
    path = f"in {asked}/{asked}"
    with FileBoundary(root).open_inside(path, repair=True) as opened:
        assert (opened.reference, opened.repaired) == (f"in {on_disk}/{on_disk}", True)
        assert opened.file.read() == b"found"
    assert reason(root, path) is GateRefusal.UNREADABLE


def test_the_exact_name_comes_first(root: Path) -> None:
    (root / "a b").write_text("plain")
    (root / "a\u00a0b").write_text("no-break")
    assert [text(root, name, repair=True) for name in ("a b", "a\u00a0b")] == ["plain", "no-break"]


def test_several_names_that_look_the_same_are_listed(root: Path) -> None:
    (root / "a\u202fb").touch()
    (root / "a\u00a0b").touch()
    with pytest.raises(AmbiguousName) as caught:
        FileBoundary(root).open_inside("a b", repair=True)
    assert caught.value.detail == {"candidates": ["a\u00a0b", "a\u202fb"]}


@pytest.mark.parametrize("name", [b"caf\xe9.txt", b"a\nb.txt", b"a\\b.txt", "a\u2028b.txt".encode()])
def test_a_name_that_no_text_can_hold_is_found_by_its_reference(root: Path, name: bytes) -> None:
    (root / os.fsdecode(name)).write_text("found")
    reference = reference_of(name)
    with FileBoundary(root).open_inside(reference, repair=True) as opened:
        assert (opened.reference, opened.file.read()) == (reference, b"found")


@pytest.mark.requirement("VF-07")
def test_a_file_with_a_name_that_begins_with_a_dot_anywhere_on_the_way_is_hidden(root: Path) -> None:
    (root / ".env").write_text("x")
    (root / "link.txt").symlink_to(".env")
    (root / ".inner").mkdir()
    (root / ".inner" / "back").symlink_to("../file.txt")
    (root / "through.txt").symlink_to(".inner/back")
    for asked in ("\u2024env", "link.txt", ".env", "through.txt"):
        with FileBoundary(root).open_inside(asked, repair=True) as opened:
            assert opened.hidden
