"""Execution worlds answer one question: where a process finds what lies on the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from eyeline.errors import InvalidRequest
from eyeline.request.worlds import (
    HostWorld,
    MappedWorld,
    NoWorld,
    ProbingWorld,
    process_path,
    windows_beside_wsl,
    world_of,
    wsl_beside_windows,
)

OBJECT = "/srv/ann/eyeline/attachments/v1/ab/ab12.png"


def test_a_host_has_every_path_as_it_is_and_no_world_has_none() -> None:
    assert HostWorld().process_path(OBJECT) == OBJECT
    assert NoWorld().process_path(OBJECT) is None


@pytest.mark.requirement("AT-07")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("/srv/ann/eyeline/attachments/v1/ab/ab12.png", "/media/v1/ab/ab12.png"),
        ("/srv/ann/eyeline/catalog.sqlite", "/eye/catalog.sqlite"),
        ("/srv/ann/eyeline", "/eye"),
        ("/srv/ann/eyeline/", "/eye"),
        ("/srv/ann/eyeline-evil/x.png", None),
        ("/srv/ann/eyeline/cache/x.png", None),
        ("/srv/ann/x.png", None),
        ("/srv/ann/eyeline/../x.png", None),
        ("relative/x.png", None),
        ("", None),
        ("/SRV/ann/eyeline/x", None),
    ],
)
def test_the_longest_mount_at_a_border_of_names_decides(asked: str, found: str | None) -> None:
    mounts = [
        ("/srv/ann/eyeline", "/eye"),
        ("/srv/ann/eyeline/attachments/", "/media/"),
        ("/srv/ann/eyeline/cache", None),
    ]
    for order in (mounts, mounts[::-1]):
        assert MappedWorld(order).process_path(asked) == found


def test_a_host_that_ignores_case_says_so() -> None:
    world = MappedWorld([("/Volumes/Ann/Eye", "/eye")], ignores_case=True)
    assert world.process_path("/volumes/ann/eye/Ab.png") == "/eye/Ab.png"


def test_the_root_can_be_mounted() -> None:
    assert MappedWorld([("/", "/host")]).process_path("/a/b") == "/host/a/b"
    assert MappedWorld([("/srv", "/")]).process_path("/srv/b") == "/b"


@pytest.mark.requirement("AT-07")
def test_drives_lead_from_linux_to_windows_and_back() -> None:
    to_windows, to_linux = windows_beside_wsl(), wsl_beside_windows()
    assert to_windows.process_path("/mnt/c/Volumes/Ann/eye/ab.png") == r"C:\Volumes\Ann\eye\ab.png"
    assert to_linux.process_path(r"C:\Volumes\Ann\eye\ab.png") == "/mnt/c/Volumes/Ann/eye/ab.png"
    assert to_linux.process_path("c:/Volumes/Ann/eye/ab.png") == "/mnt/c/Volumes/Ann/eye/ab.png"
    assert to_windows.process_path("/mnt/c") == "C:\\"
    assert to_linux.process_path("D:\\") == "/mnt/d"
    assert to_windows.process_path("/mnt/cd/x.png") is None
    assert to_windows.process_path("/srv/ann/x.png") is None
    assert to_linux.process_path(r"\\server\share\x.png") is None


def test_the_own_disk_of_linux_is_a_network_share_of_windows() -> None:
    world = windows_beside_wsl(distribution="Debian")
    assert world.process_path("/srv/ann/ab.png") == r"\\wsl.localhost\Debian\srv\ann\ab.png"
    assert world.process_path("/mnt/d/ab.png") == r"D:\ab.png"


@pytest.mark.parametrize("name", ["a:b.png", "ends.", "ends ", "what?.png", 'a"b.png'])
def test_a_name_that_windows_cannot_hold_has_no_path_there(name: str) -> None:
    assert windows_beside_wsl().process_path(f"/mnt/c/{name}") is None


def test_folders_of_windows_match_whatever_their_case() -> None:
    world = MappedWorld([(r"C:\Volumes\Ann", "/ann"), (r"\\NAS\Share\eye", "/nas")])
    assert world.process_path(r"c:\VOLUMES\ann\Eye\ab.png") == "/ann/Eye/ab.png"
    assert world.process_path(r"\\nas\share\Eye\ab.png") == "/nas/ab.png"


@pytest.mark.parametrize("folder", ["", "eye", "./eye", "/a/../b", "C:eye", "~"])
def test_a_mount_that_is_no_absolute_folder_is_refused(folder: str) -> None:
    with pytest.raises(InvalidRequest):
        MappedWorld([(folder, "/eye")])
    with pytest.raises(InvalidRequest):
        MappedWorld([("/eye", folder)])


def test_a_probe_is_asked_inside_the_world_and_only_whether_a_file_is_there() -> None:
    asked: list[str] = []

    def is_file(path: str) -> bool:
        asked.append(path)
        if path.endswith("locked.png"):
            raise PermissionError
        return path == "/eye/here.png"

    world = ProbingWorld(MappedWorld([("/srv", "/eye")]), is_file)
    assert [world.process_path(f"/srv/{name}.png") for name in ("here", "gone", "locked")] == [
        "/eye/here.png",
        None,
        None,
    ]
    assert world.process_path("/elsewhere/x.png") is None
    assert asked == ["/eye/here.png", "/eye/gone.png", "/eye/locked.png"]


def test_an_object_without_the_method_counts_as_no_world() -> None:
    assert process_path(object(), OBJECT) is None
    assert process_path(None, OBJECT) is None
    assert process_path(HostWorld(), None) is None
    assert process_path(HostWorld(), OBJECT) == OBJECT


def test_an_answer_that_is_no_text_is_refused() -> None:
    class Paths:
        def process_path(self, host_path: str) -> Path:
            return Path(host_path)

    with pytest.raises(InvalidRequest):
        process_path(Paths(), OBJECT)


@pytest.mark.parametrize(
    ("spelled", "world"),
    [
        ([], NoWorld()),
        (["none"], NoWorld()),
        (["host"], HostWorld()),
        (["wsl"], wsl_beside_windows()),
        (["windows"], windows_beside_wsl()),
        (["windows:Debian"], windows_beside_wsl(distribution="Debian")),
        (["/a=/b"], MappedWorld([("/a", "/b")])),
        (["/a=/b", "/a/c="], MappedWorld([("/a", "/b"), ("/a/c", None)])),
    ],
)
def test_a_world_is_spelled_in_words_or_as_mounts(spelled: list[str], world: object) -> None:
    assert world_of(spelled) == world


@pytest.mark.parametrize("spelled", [["docker"], ["host", "none"], ["/a"], ["a=/b"], ["host:x"], ["/a=b"], [""]])
def test_a_world_that_is_not_one_is_refused(spelled: list[str]) -> None:
    with pytest.raises(InvalidRequest):
        world_of(spelled)
