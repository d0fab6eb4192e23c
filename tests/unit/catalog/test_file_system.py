"""Which file systems a home may be on."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.sqlite import file_system
from eyeline.catalog.sqlite.file_system import file_system_of, is_network
from eyeline.errors import ConfigError

MOUNTS = r"""22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
30 22 0:40 / /mnt/share rw,relatime - nfs4 server:/export rw
31 30 0:41 / /mnt/share/local rw,relatime - xfs /dev/vdb rw
32 22 0:42 / /mnt/with\040space rw - cifs //server/share rw
33 22 0:43 / /home/me/remote rw - fuse.sshfs me@host: rw
34 22 0:44 / /data rw - ext4 /dev/vdc rw
35 34 0:45 / /data rw - 9p drvfs rw
36 22 0:46 / /host rw - virtiofs host rw
a line that is none
"""


@pytest.mark.parametrize(
    ("path", "kind", "refused"),
    [
        ("/srv/home", "ext4", False),
        ("/mnt/share", "nfs4", True),
        ("/mnt/share/deep/er", "nfs4", True),
        ("/mnt/share/local/home", "xfs", False),
        ("/mnt/sharefolder", "ext4", False),
        ("/mnt/with space/home", "cifs", True),
        ("/home/me/remote/home", "fuse.sshfs", True),
        ("/data/home", "9p", True),
        ("/host/home", "virtiofs", False),
    ],
)
def test_the_innermost_and_last_mount_counts(path: str, kind: str, refused: bool) -> None:
    assert file_system_of(PurePosixPath(path), MOUNTS) == kind
    assert is_network(kind) is refused


def test_nothing_is_known_without_mounts() -> None:
    assert file_system_of(PurePosixPath("/srv"), "") is None


def test_a_catalogue_on_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 0:1 / / rw - ext4 x rw\n30 22 0:2 / {tmp_path} rw - nfs server:/export rw\n")
    monkeypatch.setattr(file_system, "MOUNTS", mounts)
    with pytest.raises(ConfigError) as refusal:
        Catalog.open(tmp_path / "home" / "catalog.sqlite")
    assert refusal.value.detail["file_system"] == "nfs"
    assert not (tmp_path / "home").exists()


def test_a_system_that_does_not_tell_refuses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_system, "MOUNTS", tmp_path / "absent")
    Catalog.open(tmp_path / "catalog.sqlite").close()
