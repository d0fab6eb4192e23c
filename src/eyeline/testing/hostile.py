"""Jobs that do what no engine may: they hang, crash, eat memory, and reach for files, network and other processes.

They run in a bounded pool that lists this module among its extra job modules. Those that try something forbidden
return how it went: `{"refused": "EPERM"}`, or `{"refused": None}` when nothing stopped them.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyeline.errors import AccessDenied, CorruptMedia, LocatorOutOfRange

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

Params = dict[str, Any]

_remembered: list[str] = []
_BLOCK = 1 << 20
_PTRACE_SEIZE = 0x4206
_CAPABILITY_VERSION_3, _PR_SET_DUMPABLE = 0x20080522, 4


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _attempt(act: Callable[[], object]) -> Params:
    try:
        act()
    except OSError as exc:
        return {"refused": errno.errorcode.get(exc.errno or 0, "unknown")}
    return {"refused": None}


def _native(name: str, *arguments: object) -> None:
    """Call a function of the C library; OSError where it returns a negative number."""
    if getattr(_library(), name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


# harmless


def nothing(reader: Reader, params: Params, out: Output) -> Params:
    """Do nothing."""
    return {}


def echo(reader: Reader, params: Params, out: Output) -> Params:
    """Hand the source back: in pieces of `step` bytes as one output, and in one read as another."""
    pieces: list[bytes] = []
    while piece := reader.read(params["step"]):
        pieces.append(piece)
    out.add(b"".join(pieces))
    reader.seek(0)
    out.add(reader.read())
    return {"params": params, "size": reader.size, "seekable": reader.seekable()}


def slices(reader: Reader, params: Params, out: Output) -> Params:
    """Read `length` bytes at each of `places`; one output for each."""
    for place in params["places"]:
        reader.seek(place)
        out.add(reader.read(params["length"]))
    return {}


def through_descriptor(reader: Reader, params: Params, out: Output) -> Params:
    """Read the source as a native library does, over its descriptor from wherever that stands."""
    place = os.lseek(reader.fileno(), 0, os.SEEK_CUR)
    out.add(os.read(reader.fileno(), reader.size))
    return {"place": place}


def parent(reader: Reader, params: Params, out: Output) -> Params:
    """Say who forked this child: the pid of the zygote."""
    return {"pid": os.getppid()}


def shout(reader: Reader, params: Params, out: Output) -> Params:
    """Write to the standard streams, as libraries do."""
    for number in (1, 2):
        os.write(number, b"warning: something\n")
    return {}


def threads(reader: Reader, params: Params, out: Output) -> Params:
    """Start threads, as native libraries do; each reads the whole source."""
    sums: list[int] = []
    workers = [
        threading.Thread(target=lambda: sums.append(_total(reader.size, reader))) for _ in range(params["count"])
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {"ended": len(sums)}


def _total(size: int, reader: Reader) -> int:
    return size + reader.tell()


def environment(reader: Reader, params: Params, out: Output) -> Params:
    """Names of the variables a job has."""
    return {"names": sorted(os.environ)}


def privileges(reader: Reader, params: Params, out: Output) -> Params:
    """Capabilities in effect, and how asking to be looked into again is answered."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()
    _native("capget", header, data)
    return {"capabilities": [data[0], data[1]], **_attempt(lambda: _native("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0))}


def loaded(reader: Reader, params: Params, out: Output) -> Params:
    """Which of `modules` are imported, and how many threads there are."""
    return {"loaded": [name for name in params["modules"] if name in sys.modules], "threads": threading.active_count()}


# what a broken decoder does


def spin(reader: Reader, params: Params, out: Output) -> Params:
    """Compute for ever; with `stubborn`, also through the first signal of the CPU limit."""
    if params.get("stubborn"):
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


def hang(reader: Reader, params: Params, out: Output) -> Params:
    """Wait for something that never comes."""
    threading.Event().wait()
    return {}


def crash(reader: Reader, params: Params, out: Output) -> Params:
    """Read from address zero."""
    ctypes.string_at(0)
    return {}


def abort(reader: Reader, params: Params, out: Output) -> Params:
    """End the way a C library does that trusts itself no more."""
    os.abort()


def leave(reader: Reader, params: Params, out: Output) -> Params:
    """End with an exit status and no word."""
    os._exit(params["status"])


def raise_foreign(reader: Reader, params: Params, out: Output) -> Params:
    """Let a library's exception escape, with a text that must not."""
    raise ZeroDivisionError("/home/somebody/secret.pdf")


def raise_exit(reader: Reader, params: Params, out: Output) -> Params:
    """Let the interpreter's own way out escape."""
    raise SystemExit(0)


def raise_corrupt(reader: Reader, params: Params, out: Output) -> Params:
    """Say that the media is damaged."""
    out.add(b"thrown away")
    raise CorruptMedia("row 7 is missing", hint="send it again", row=7, rows=["7", "8"])


def raise_out_of_range(reader: Reader, params: Params, out: Output) -> Params:
    """Say that a page is not there."""
    raise LocatorOutOfRange("page 9 of 3", pages=3)


def raise_denied(reader: Reader, params: Params, out: Output) -> Params:
    """Say what a job cannot know."""
    raise AccessDenied("\x1b[2Jlook here")


def call_imported(reader: Reader, params: Params, out: Output) -> Params:
    """Stands for a function of this module; the functions it imports are none of its jobs."""
    return nothing(reader, params, out)


# more than allowed


def eat_memory(reader: Reader, params: Params, out: Output) -> Params:
    """Allocate Python objects without end."""
    held: list[bytearray] = []
    while True:
        held.append(bytearray(_BLOCK))


def eat_native_memory(reader: Reader, params: Params, out: Output) -> Params:
    """Allocate as a C library does that never looks whether it got anything."""
    library = _library()
    library.malloc.restype = ctypes.c_void_p
    library.memset.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    while True:
        library.memset(library.malloc(_BLOCK), 1, _BLOCK)


def eat_file_memory(reader: Reader, params: Params, out: Output) -> Params:
    """Hold memory where the limit on address space does not see it."""
    return _attempt(lambda: os.memfd_create("hoard"))


def add_without_end(reader: Reader, params: Params, out: Output) -> Params:
    """Add outputs without end."""
    while True:
        out.add(bytes(_BLOCK))


def write_without_end(reader: Reader, params: Params, out: Output) -> Params:
    """Fill the exchange file behind the back of its limit."""
    exchange = next(number for number in _open_descriptors() if stat.S_ISREG(os.fstat(number).st_mode))
    while True:
        os.write(exchange, bytes(_BLOCK))


def return_too_much(reader: Reader, params: Params, out: Output) -> Params:
    """Return a value of `chars` characters."""
    return {"text": "x" * params["chars"]}


def return_nonsense(reader: Reader, params: Params, out: Output) -> Params:
    """Return what JSON cannot hold."""
    return {"object": object()}


def raise_limits(reader: Reader, params: Params, out: Output) -> Params:
    """Ask for more memory."""
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    return _attempt(lambda: _set_limit(unlimited))


def _set_limit(pair: tuple[int, int]) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_AS, pair)
    except ValueError as exc:
        raise PermissionError(errno.EPERM, "not allowed to raise maximum limit") from exc


# files


def read_path(reader: Reader, params: Params, out: Output) -> Params:
    """Read a file by its path."""
    return _attempt(lambda: out.add(Path(params["path"]).read_bytes()))


def write_path(reader: Reader, params: Params, out: Output) -> Params:
    """Make a file."""
    return _attempt(lambda: Path(params["path"]).write_bytes(b"kilroy"))


def remove_path(reader: Reader, params: Params, out: Output) -> Params:
    """Remove a file."""
    return _attempt(lambda: Path(params["path"]).unlink())


def list_folder(reader: Reader, params: Params, out: Output) -> Params:
    """List a folder."""
    return _attempt(lambda: list(Path(params["path"]).iterdir()))


def _open_descriptors() -> list[int]:
    def is_open(number: int) -> bool:
        try:
            os.fstat(number)
        except OSError:
            return False
        return True

    return [number for number in range(3, 1024) if is_open(number)]


def descriptors(reader: Reader, params: Params, out: Output) -> Params:
    """Count what is open beside the standard three: sockets, regular files, all."""
    modes = [os.fstat(number).st_mode for number in _open_descriptors()]
    return {"sockets": sum(map(stat.S_ISSOCK, modes)), "files": sum(map(stat.S_ISREG, modes)), "all": len(modes)}


def write_source(reader: Reader, params: Params, out: Output) -> Params:
    """Change the source."""
    return _attempt(lambda: os.pwrite(reader.fileno(), b"kilroy", 0))


# network and other processes


def connect(reader: Reader, params: Params, out: Output) -> Params:
    """Reach something over `tcp`, `udp` or `unix`."""
    return _attempt(lambda: _connect(params))


def _connect(params: Params) -> None:
    family = socket.AF_UNIX if params["kind"] == "unix" else socket.AF_INET
    kind = socket.SOCK_DGRAM if params["kind"] == "udp" else socket.SOCK_STREAM
    with socket.socket(family, kind) as end:
        end.connect(params["path"] if params["kind"] == "unix" else ("127.0.0.1", params["port"]))
        end.send(b"hello")


def execute(reader: Reader, params: Params, out: Output) -> Params:
    """Become another program."""
    return _attempt(lambda: _native("execv", b"/bin/true", None))


def multiply(reader: Reader, params: Params, out: Output) -> Params:
    """Fork without end."""
    return _attempt(_multiply)


def _multiply() -> None:
    while True:
        if os.fork() == 0:
            threading.Event().wait()


def send_signal(reader: Reader, params: Params, out: Output) -> Params:
    """End another process: `pid`, or the zygote."""
    return _attempt(lambda: os.kill(params.get("pid") or os.getppid(), signal.SIGKILL))


def send_signal_by_owner(reader: Reader, params: Params, out: Output) -> Params:
    """Have the kernel send a signal: name another process as the owner of our socket."""
    ours = next(number for number in _open_descriptors() if stat.S_ISSOCK(os.fstat(number).st_mode))
    return _attempt(lambda: _set_owner(ours, params["pid"]))


def _set_owner(descriptor: int, pid: int) -> None:
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, pid)


def trace(reader: Reader, params: Params, out: Output) -> Params:
    """Look into another process by `ptrace`."""
    return _attempt(lambda: _native("ptrace", _PTRACE_SEIZE, params["pid"], 0, 0))


def read_memory(reader: Reader, params: Params, out: Output) -> Params:
    """Look into another process by `process_vm_readv`."""
    return _attempt(lambda: _native("process_vm_readv", params["pid"], 0, 0, 0, 0, 0))


def system_call(reader: Reader, params: Params, out: Output) -> Params:
    """Make a system call by `number` with `arguments`."""
    return _attempt(lambda: _native("syscall", *map(ctypes.c_long, [params["number"], *params["arguments"]])))


# the protocol


def remember(reader: Reader, params: Params, out: Output) -> Params:
    """Keep something for the next job; returns what an earlier one kept."""
    before = list(_remembered)
    _remembered.append(params["word"])
    return {"before": before}


def close_everything(reader: Reader, params: Params, out: Output) -> Params:
    """Close every descriptor."""
    os.closerange(0, 1024)
    return {}


def babble(reader: Reader, params: Params, out: Output) -> Params:
    """Write bytes, given in hex, on the job's socket, `times` times, then wait."""
    ours = next(number for number in _open_descriptors() if stat.S_ISSOCK(os.fstat(number).st_mode))
    for _ in range(params["times"]):
        os.write(ours, bytes.fromhex(params["message"]))
    threading.Event().wait()
    return {}


def forge_report(reader: Reader, params: Params, out: Output) -> Params:
    """Write a report of our own into the exchange file and say it is done."""
    exchange = next(number for number in _open_descriptors() if stat.S_ISREG(os.fstat(number).st_mode))
    ours = next(number for number in _open_descriptors() if stat.S_ISSOCK(os.fstat(number).st_mode))
    report = bytes.fromhex(params["report"])
    os.pwrite(exchange, report, 0)
    os.write(ours, bytes.fromhex(params["done"]))
    os._exit(0)
