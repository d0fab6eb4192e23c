"""How the zygote is started: a plain subprocess of this interpreter, with nothing of ours but the way to our code."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
import sysconfig
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyeline.errors import EngineFailed
from eyeline.media import fonts
from eyeline.media.bounded.channel import ChannelClosed, receive, send, socket_pair
from eyeline.media.bounded.isolation import Isolation

START_SECONDS = 60
STOP_SECONDS = 3

_BOOTSTRAP = """
import json, os, sys
descriptor = int(sys.argv[2])
sys.path[:] = json.loads(sys.argv[1])
try:
    from eyeline.media.bounded.zygote import main
    main(descriptor)
except BaseException as exc:
    os.write(descriptor, json.dumps({"failed": type(exc).__name__}).encode())
os._exit(0)
"""

_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "PYTHONHOME")
_SET_VARIABLES = {
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # one thread before the sandbox closes, and no more cores for a job than it was given
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # decoding and encoding overlap; more threads than two bring little and take address space
    "VIPS_CONCURRENCY": "2",
    "MALLOC_ARENA_MAX": "1",
    # a job cannot write files, so large pictures stay in memory, where the limit sees them
    "VIPS_DISC_THRESHOLD": "1024g",
}


@dataclass(frozen=True, slots=True)
class ZygoteSettings:
    """What a zygote is told: modules to import before any job, folders jobs may read, job modules beyond our own."""

    preload: tuple[str, ...]
    read_paths: tuple[str, ...]
    extra_modules: tuple[str, ...]


class Zygote:
    """A running zygote, from its parent's side."""

    def __init__(self, settings: ZygoteSettings) -> None:
        if not sys.executable:
            raise unavailable("this program does not say where its Python interpreter is")
        self._lock = threading.Lock()
        self._control, theirs = socket_pair()
        try:
            with theirs:
                self._process = _spawn(theirs)
        except BaseException:
            self._control.close()
            raise
        try:
            self.isolation = self._introduce(settings)
        except BaseException:
            self.close()
            raise

    def order(self, message: dict[str, Any], descriptors: list[int]) -> None:
        """Hand one job over; `ChannelClosed` when the zygote is gone."""
        try:
            with self._lock:
                send(self._control, message, descriptors=descriptors)
        except OSError as exc:
            raise ChannelClosed from exc

    def close(self) -> None:
        """Hang up: the zygote ends its children and itself, or is ended."""
        with self._lock:
            self._control.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def kill(self) -> None:
        """End it at once; the kernel ends its children with it."""
        self._process.kill()

    def forget(self) -> None:
        """Let go without a word: after a fork this process has only a copy, and the zygote serves another."""
        self._control.close()
        self._process.returncode = 0

    def _introduce(self, settings: ZygoteSettings) -> Isolation:
        self._control.settimeout(START_SECONDS)
        try:
            send(self._control, {name: getattr(settings, name) for name in ZygoteSettings.__slots__})
            facts, _ = receive(self._control)
        except (ChannelClosed, TimeoutError) as exc:
            raise unavailable("the decoding process did not start") from exc
        if "failed" in facts:
            raise unavailable("the decoding process cannot start", exception=facts["failed"])
        for name in ("limits", "engines"):
            facts[name] = tuple(facts[name])
        return Isolation(**facts)


def unavailable(message: str, **detail: str) -> EngineFailed:
    """The error of a runtime that cannot run jobs at all."""
    return EngineFailed(message, reason="unavailable", **detail)


def _spawn(theirs: socket.socket) -> subprocess.Popen[bytes]:
    # a parent without standard streams may have been given one of their numbers for this socket
    descriptor = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, 3)
    command = [sys.executable, "-P", "-s", "-B", "-c", _BOOTSTRAP, json.dumps(_import_path()), str(descriptor)]
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={**kept, **_SET_VARIABLES, fonts.VARIABLE: fonts.configuration()},
            pass_fds=(descriptor,),
            start_new_session=True,
        )
    except OSError as exc:
        raise unavailable("the decoding process could not be started", exception=type(exc).__name__) from exc
    finally:
        os.close(descriptor)


def _import_path() -> list[str]:
    """This program's import path without the folders of its script and of its shell; ours comes along always."""
    home = str(Path(__file__).resolve().parents[3])  # the folder that holds the package
    kept = {home, *sysconfig.get_paths().values()}
    main_file = getattr(sys.modules.get("__main__"), "__file__", None)
    left_out = {str(Path(main_file).resolve().parent)} if main_file else set[str]()
    with contextlib.suppress(OSError):
        left_out.add(str(Path.cwd()))
    entries = [entry for entry in sys.path if Path(entry).is_absolute()]
    return [entry for entry in entries if entry in kept or str(Path(entry).resolve()) not in left_out] + [home]
