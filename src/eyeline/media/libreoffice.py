"""LibreOffice, where it is present: sets the pages of an office document as a PDF, shut off as far as may be.

Each run has a folder of its own for its profile and its files, a time limit, and settings that run no macro, follow no
link and load nothing from outside. They are not enough: presentations and RTF still make it open files and addresses.
Where bubblewrap works it has no network and sees nothing but the system's programs and that folder. Nothing here
decides what the PDF is worth: it is admitted like any other.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from eyeline.errors import EngineFailed
from eyeline.toolkit.cancel import CancelToken

AUTO, OFF = "auto", "off"
MAX_PDF_BYTES = 256 << 20
PROGRAMS = ("soffice", "libreoffice")

_POLL_SECONDS = 0.1
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc/fonts", "/etc/libreoffice", "/etc/ssl")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/passwd")
_FILTERS = {
    "pptx": 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}',
    "odp": 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}',
}
_SECURITY = "/org.openoffice.Office.Common/Security/Scripting"
_PROFILE = (
    (_SECURITY, "MacroSecurityLevel", "3"),
    (_SECURITY, "DisableMacrosExecution", "true"),
    (_SECURITY, "BlockUntrustedRefererLinks", "true"),
    (_SECURITY, "DisableActiveContent", "true"),
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "0"),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Common/Misc", "UseLocking", "false"),
)


@dataclass(frozen=True, slots=True)
class LibreOffice:
    """A LibreOffice of this machine: its program, its version, and whether bubblewrap shuts it off."""

    program: str
    version: str
    is_shut_off: bool

    def typeset(self, source: BinaryIO, *, extension: str, timeout_ms: int, cancel: CancelToken) -> bytes:
        """The pages of a document as a PDF. Raises `EngineFailed` (`timeout`, `crashed`) and `Cancelled`."""
        with tempfile.TemporaryDirectory(prefix="eyeline-pages-") as name:
            folder = Path(name)
            given = folder / f"document.{extension}"
            with given.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            _write_profile(folder / "profile")
            self._run(folder, given.name, extension, timeout_ms=timeout_ms, cancel=cancel)
            made = folder / "out" / "document.pdf"
            try:
                if made.is_symlink() or made.stat().st_size > MAX_PDF_BYTES:
                    raise _failed("gave no pages that are kept", "over_output")
                return made.read_bytes()
            except FileNotFoundError as exc:
                raise _failed("set no pages", "crashed") from exc

    def _run(self, folder: Path, given: str, extension: str, *, timeout_ms: int, cancel: CancelToken) -> None:
        inside = Path("/work") if self.is_shut_off else folder
        command = [
            self.program,
            *("--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard"),
            f"-env:UserInstallation={(inside / 'profile').as_uri()}",
            *("--convert-to", _FILTERS.get(extension, "pdf"), "--outdir", str(inside / "out"), str(inside / given)),
        ]
        if self.is_shut_off:
            command = [*_shut_off(folder, program=self.program), *command]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={"HOME": str(inside), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
                start_new_session=True,
            )
        except OSError as exc:
            raise _failed("could not be started", "unavailable") from exc
        try:
            _limit(process.pid, timeout_ms)
            _await(process, time.monotonic() + timeout_ms / 1000, cancel=cancel)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def find(chosen: str = AUTO) -> LibreOffice | None:
    """The LibreOffice of this machine, or the one that is chosen by its path; none where there is none, or `off`."""
    if chosen == OFF:
        return None
    names = PROGRAMS if chosen == AUTO else (chosen,)
    program = next((found for name in names if (found := shutil.which(name))), None)
    return None if program is None else _described(os.path.realpath(program))


@lru_cache(maxsize=8)
def _described(program: str) -> LibreOffice:
    """Its version, from the file that stands beside it, or what else tells one build from another."""
    facts: dict[str, str] = {}
    with contextlib.suppress(OSError, UnicodeDecodeError):
        lines = (Path(program).parent / "versionrc").read_text("utf-8").splitlines()
        facts = dict(line.split("=", 1) for line in lines if "=" in line)
    release = facts.get("UpdateID", "").removeprefix("LibreOffice_").partition("_")[0]
    version = f"{release} {facts['buildid']}".strip() if "buildid" in facts else str(Path(program).stat().st_mtime_ns)
    return LibreOffice(program, version, _can_shut_off())


@lru_cache(maxsize=1)
def _can_shut_off() -> bool:
    """Whether bubblewrap is here and may do what it is for, found out by trying."""
    if shutil.which("bwrap") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        command = [*_shut_off(Path(folder)), "true"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0


def _shut_off(folder: Path, *, program: str = "") -> list[str]:
    """The command that runs another without a network, seeing the system's programs, the other, and one folder."""
    home = str(Path(program).parent.parent)
    own = () if not program or home == os.sep or program.startswith(_SYSTEM) else ("--ro-bind-try", home, home)
    bound = [part for place in (*_SYSTEM, *_SYSTEM_FILES) for part in ("--ro-bind-try", place, place)]
    return [
        *(
            shutil.which("bwrap") or "bwrap",
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
            *bound,
        ),
        *("--proc", "/proc", "--dev", "/dev", "--tmpfs", f"{os.sep}tmp", *own),
        *("--bind", str(folder), "/work", "--chdir", "/work", "--"),
    ]


def _write_profile(folder: Path) -> None:
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _PROFILE
    )
    spaces = 'xmlns:oor="http://openoffice.org/2001/registry"'
    (folder / "user").mkdir(parents=True)
    text = f'<?xml version="1.0" encoding="UTF-8"?><oor:items {spaces}>{items}</oor:items>'
    (folder / "user" / "registrymodifications.xcu").write_text(text, "utf-8")


def _limit(pid: int, timeout_ms: int) -> None:
    """Limits that its processes inherit; a system without `prlimit` has the clock alone."""
    set_limit = getattr(resource, "prlimit", None)
    if set_limit is not None:
        seconds = timeout_ms // 1000 + 1
        with contextlib.suppress(OSError, ValueError):
            set_limit(pid, resource.RLIMIT_CPU, (seconds, seconds))
            set_limit(pid, resource.RLIMIT_FSIZE, (MAX_PDF_BYTES, MAX_PDF_BYTES))
            set_limit(pid, resource.RLIMIT_CORE, (0, 0))


def _await(process: subprocess.Popen[bytes], deadline: float, *, cancel: CancelToken) -> None:
    while True:
        cancel.raise_if_cancelled()
        try:
            process.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                raise _failed("ran out of time", "timeout") from None
        else:
            return


def _failed(what: str, reason: str) -> EngineFailed:
    return EngineFailed(f"LibreOffice {what}", reason=reason)
