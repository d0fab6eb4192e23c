"""Which file system a home is on: SQLite's locks and shared memory do not hold across machines."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from eyeline.errors import ConfigError

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs"}
    | {"nfs4", "ocfs2", "orangefs", "pvfs2", "smb2", "smb3", "smbfs"}
)
"""Kernel file systems that several machines share."""

NETWORK_FUSE = frozenset(
    {"blobfuse", "blobfuse2", "ceph", "davfs2", "gcsfuse", "glusterfs", "goofys", "juicefs", "mount-s3", "rclone"}
    | {"s3fs", "seaweedfs", "smbnetfs", "sshfs"}
)
"""The same as programs: `fuse.<name>`."""

_ESCAPED = re.compile(r"\\([0-7]{3})")


def file_system_of(path: PurePath, mounts: str) -> str | None:
    """Type of the file system that holds an absolute path, by the text of `/proc/self/mountinfo`; none if unknown."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        mount, dash, filesystem = line.partition(" - ")
        fields = mount.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = PurePath(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        if path.is_relative_to(point) and (best is None or len(point.parts) >= best[0]):
            best = len(point.parts), filesystem.split(" ")[0]
    return None if best is None else best[1]


def is_network(file_system: str) -> bool:
    """Whether other machines may write to a file system of this type."""
    return file_system in NETWORK or file_system.removeprefix("fuse.") in NETWORK_FUSE


def refuse_network(folder: Path) -> None:
    """Raise `ConfigError` when a folder is on a network file system, as far as the system tells."""
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return
    kind = file_system_of(folder.resolve(), mounts)
    if kind is not None and is_network(kind):
        raise ConfigError(
            f"the home is on a network file system ({kind}), where a SQLite catalogue would be damaged",
            hint="set EYELINE_HOME to a folder on a local disk",
            file_system=kind,
        )
