"""Landlock: what a job may still read by path is a short list of folders; it may write, make and connect nothing.

Landlock does not hide that a path exists, nor its size and dates; it keeps what is in it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from eyeline.media.bounded.kernel import syscall

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION, _RULE_PATH_BENEATH = 1, 1

_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILESYSTEM_BITS = {1: 13, 2: 14, 3: 15, 4: 15}  # how many access rights each ABI knows; 16 since ABI 5
_NEWEST_BITS = 16
_NETWORK_ABI, _NETWORK = 4, 0b11  # bind and connect over TCP
_SCOPE_ABI, _SCOPE = 6, 0b11  # abstract unix sockets and signals

_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")


def supported_abi() -> int | None:
    """The kernel's Landlock ABI; none where it is missing, switched off or forbidden."""
    try:
        return syscall(CREATE_RULESET, 0, 0, _VERSION)
    except OSError as exc:
        if exc.errno in {errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}:
            return None
        raise


class Ruleset:
    """One set of rules, made before the fork and closed over by each child for itself."""

    def __init__(self, abi: int) -> None:
        handled = (1 << _FILESYSTEM_BITS.get(abi, _NEWEST_BITS)) - 1
        network = _NETWORK if abi >= _NETWORK_ABI else 0
        scope = _SCOPE if abi >= _SCOPE_ABI else 0
        attributes = ctypes.create_string_buffer(struct.pack("=QQQ", handled, network, scope), 24)
        self.descriptor = syscall(CREATE_RULESET, ctypes.addressof(attributes), 24, 0)
        self._admitted: set[Path] = set()

    def admit(self, paths: Iterable[Path]) -> None:
        """Allow reading below these paths; those that are missing or already covered change nothing."""
        for path in paths:
            place = path.resolve()
            if place in self._admitted or any(parent in self._admitted for parent in place.parents):
                continue
            self._admit(place)

    def _admit(self, place: Path) -> None:
        try:
            descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            access = _READ_FILE | (_READ_DIR if is_folder else 0)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor), 12)
            syscall(ADD_RULE, self.descriptor, _RULE_PATH_BENEATH, ctypes.addressof(rule), 0)
        finally:
            os.close(descriptor)
        self._admitted.add(place)

    def restrict(self) -> None:
        """Close the calling thread in, for good."""
        syscall(RESTRICT_SELF, self.descriptor, 0)


def interpreter_places() -> Iterator[Path]:
    """Where the interpreter, installed packages and their data, and the system's shared libraries live."""
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        yield Path(sysconfig.get_path(name))
    yield Path(sys.prefix) / "share"  # where packages put models and other data
    for folder in (sysconfig.get_config_var("LIBDIR"), *_SYSTEM_LIBRARIES):
        if folder:
            yield Path(folder)


def package_places() -> Iterator[Path]:
    """Folder or file of every top-level package that is imported, wherever it lives; never the folder around it."""
    for name, module in tuple(sys.modules.items()):
        if "." in name:
            continue
        folders: list[str] = [*getattr(module, "__path__", ())]
        file: str | None = getattr(module, "__file__", None)
        yield from map(Path, folders or ([file] if file else []))
