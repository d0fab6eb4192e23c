"""Execution worlds: the file systems that an agent's tools run in, each asked one question.

`process_path(host_path)` is the path under which a process of the world finds what lies on the host at `host_path`, or
`None` where it finds nothing. Reachability is asked of the world, never inferred from a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any, Protocol, cast

from eyeline.errors import InvalidRequest

_DRIVE = re.compile(r"([A-Za-z]):(?=[\\/]|$)")
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$')


class ExecutionWorld(Protocol):
    """Where an agent's tools run. Answers at once and touches nothing, unless it says otherwise."""

    def process_path(self, host_path: str) -> str | None:
        """The path of a host path inside the world; `None` where it is not there."""
        ...


@dataclass(frozen=True, slots=True)
class HostWorld:
    """Tools run on the host itself: every path is as it is."""

    def process_path(self, host_path: str) -> str | None:
        """The same path."""
        return host_path


@dataclass(frozen=True, slots=True)
class NoWorld:
    """Tools share no file system with the host, or there are none."""

    def process_path(self, host_path: str) -> str | None:
        """None, whatever is asked."""
        del host_path
        return None


@dataclass(frozen=True, slots=True)
class MappedWorld:
    """Folders of the host that are mounted in the world: a container, a virtual machine, Windows beside Linux.

    `mounts` pairs a folder of the host with its folder in the world, or with `None` where something else lies over it
    there. The longest folder that holds a path decides. A folder spelled with a drive letter or as a network share is
    one of Windows: its names match whatever their case, and its separators are backslashes. `ignores_case` says the
    same of the case of all other folders of the host.

    Raises `InvalidRequest` for a folder that is not absolute or has `..` in it.
    """

    mounts: tuple[tuple[str, str | None], ...]
    ignores_case: bool = False
    _parsed: tuple[tuple[_Place, _Place | None], ...] = field(init=False, repr=False, compare=False)

    def __init__(self, mounts: Iterable[tuple[str, str | None]], *, ignores_case: bool = False) -> None:
        pairs = tuple((host, world) for host, world in mounts)
        parsed = [(_place(host), None if world is None else _place(world)) for host, world in pairs]
        parsed.sort(key=lambda pair: len(pair[0].names), reverse=True)
        object.__setattr__(self, "mounts", pairs)
        object.__setattr__(self, "ignores_case", ignores_case)
        object.__setattr__(self, "_parsed", tuple(parsed))

    def process_path(self, host_path: str) -> str | None:
        """The path below the world's folder; `None` outside all mounts and for a name that cannot be there."""
        try:
            asked = _place(host_path)
        except InvalidRequest:
            return None
        for host, world in self._parsed:
            rest = asked.below(host, ignores_case=self.ignores_case)
            if rest is not None:
                return None if world is None else world.joined(rest)
        return None


def windows_beside_wsl(*, distribution: str | None = None, mounted_at: str = "/mnt") -> MappedWorld:
    """The world of Windows tools for a home inside WSL: `/mnt/c/x` is `C:\\x`, the rest lies on `\\\\wsl.localhost`.

    Without `distribution`, only drives are seen.
    """
    drives = [(f"{mounted_at}/{letter}", f"{letter.upper()}:\\") for letter in ascii_lowercase]
    own = [] if distribution is None else [("/", rf"\\wsl.localhost\{distribution}")]
    return MappedWorld([*drives, *own])


def wsl_beside_windows(*, mounted_at: str = "/mnt") -> MappedWorld:
    """The world of tools inside WSL for a home on Windows: `C:\\x` is `/mnt/c/x`."""
    return MappedWorld([(f"{letter.upper()}:\\", f"{mounted_at}/{letter}") for letter in ascii_lowercase])


def world_of(spellings: Iterable[str]) -> ExecutionWorld:
    """The world that is spelled `host`, `none`, `wsl`, `windows` or `windows:DISTRIBUTION`, or by `HOST=WORLD` folders.

    `wsl` are tools inside WSL beside a home on Windows, `windows` the reverse. No spelling is no world. Raises
    `InvalidRequest` for anything else.
    """
    spelled = list(spellings)
    if len(spelled) == 1 and "=" not in spelled[0]:
        name, _, distribution = spelled[0].partition(":")
        if name == "windows":
            return windows_beside_wsl(distribution=distribution or None)
        if not distribution and name in _NAMED:
            return _NAMED[name]()
    if not all("=" in each for each in spelled):
        hint = "write host, none, wsl, windows, windows:DISTRIBUTION, or one or several HOST_FOLDER=WORLD_FOLDER"
        raise InvalidRequest(f"{' '.join(spelled)[:200]!r} is no execution world", hint=hint)
    pairs = (each.partition("=") for each in spelled)
    return MappedWorld([(host, world or None) for host, _, world in pairs]) if spelled else NoWorld()


@dataclass(frozen=True, slots=True)
class ProbingWorld:
    """A world whose answers are checked in it: a path is given only where `is_file` finds a file there.

    `is_file` is called with the path inside the world and looks at nothing but whether it is a file; what it raises as
    `OSError` counts as no. It costs a call for each picture of each request, and a placeholder's text then depends on
    what lies in the world: that is why nothing probes unless it is wrapped.
    """

    world: ExecutionWorld
    is_file: Callable[[str], bool]

    def process_path(self, host_path: str) -> str | None:
        """The path inside the world, where a file is."""
        path = process_path(self.world, host_path)
        try:
            return path if path is not None and self.is_file(path) else None
        except OSError:
            return None


def process_path(world: object, host_path: str | None) -> str | None:
    """What a world answers; an object without the method, no path to ask for and an empty answer are `None`.

    Raises `InvalidRequest` for an answer that is no text.
    """
    if host_path is None or not callable(getattr(world, "process_path", None)):
        return None
    answer: object = cast("Any", world).process_path(host_path)
    if not isinstance(answer, str | None):
        raise InvalidRequest(f"the world answered with {type(answer).__name__}", hint="a path is text, or None")
    return answer or None


_NAMED: dict[str, Callable[[], ExecutionWorld]] = {"host": HostWorld, "none": NoWorld, "wsl": wsl_beside_windows}


@dataclass(frozen=True, slots=True)
class _Place:
    """An absolute path in its parts: its root (`/`, `C:`, `\\\\server\\share`), and the names below it as spelled."""

    root: str
    names: tuple[str, ...]
    is_windows: bool

    def below(self, folder: _Place, *, ignores_case: bool) -> tuple[str, ...] | None:
        """The names that lead from a folder to this place; `None` where it lies elsewhere."""
        fold = str.lower if ignores_case or folder.is_windows else str
        count = len(folder.names)
        if fold(self.root) != fold(folder.root) or self.is_windows != folder.is_windows or len(self.names) < count:
            return None
        if any(fold(own) != fold(other) for own, other in zip(self.names, folder.names, strict=False)):
            return None
        return self.names[count:]

    def joined(self, rest: tuple[str, ...]) -> str | None:
        """A path below this place, spelled as its world spells paths."""
        names = (*self.names, *rest)
        if not self.is_windows:
            return self.root + "/".join(names)
        if any(_NOT_ON_WINDOWS.search(name) for name in rest):
            return None
        return f"{self.root}\\" + "\\".join(names)


def _place(path: str) -> _Place:
    drive = _DRIVE.match(path)
    if drive is not None:
        return _Place(f"{drive[1].upper()}:", _names(path[2:].replace("\\", "/"), path), is_windows=True)
    names = _names(path.replace("\\", "/"), path)
    if path.startswith("\\\\") and len(names) > 1:
        return _Place(rf"\\{names[0]}\{names[1]}", names[2:], is_windows=True)
    if not path.startswith("/"):
        hint = r"write /folder, C:\folder or \\server\share"
        raise InvalidRequest(f"{path[:200]!r} is not an absolute path", hint=hint)
    return _Place("/", _names(path, path), is_windows=False)


def _names(text: str, path: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split("/") if name not in ("", "."))
    if ".." in names:
        raise InvalidRequest(f"{path[:200]!r} has `..` in it", hint="write the folder itself")
    return names
