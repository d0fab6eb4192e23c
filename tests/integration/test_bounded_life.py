"""How the zygote lives: with any kind of parent, through forks and deaths, and without leaving anything behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.bounded import attempt, below, hostile_pool, reason, zygote_of, zygotes

import eyeline
from eyeline.errors import EngineFailed

BOUND_S = 60
SOURCES = str(Path(eyeline.__path__[0]).parent)

SCRIPT = """
import json, os, sys
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.bounded.job import BytesSource
pool = BoundedPool(preload=(), extra_job_modules=("eyeline.testing.hostile",))
def run(job, **params):
    return pool.run("eyeline.testing.hostile:" + job, params, source=BytesSource(b"bytes"))
def tell(value):
    with open(sys.argv[-1], "w") as file:
        json.dump(value, file)
"""

OLD_KERNEL = """
import ctypes, errno, struct
def refuse(numbers, answer):
    code = [(0x20, 0, 0, 0)]
    for number in numbers:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | answer)]
    code.append((0x06, 0, 0, 0x7FFF0000))
    packed = b"".join(struct.pack("=HBBI", *each) for each in code)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(buffer)))
    library = ctypes.CDLL(None)
    assert library.prctl(38, 1, 0, 0, 0) == 0
    assert library.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(header)), 0, 0) == 0
"""


def run_script(script: str, told: Path, *, options: tuple[str, ...] = (), stdin: str | None = None) -> Any:
    """What a script tells in a file; it runs with no standard output of ours."""
    place = {"PYTHONPATH": SOURCES, "PATH": os.environ["PATH"]}
    command = [sys.executable, *options, *(("-",) if stdin else ("-c", script)), str(told)]
    done = subprocess.run(command, input=stdin, text=True, capture_output=True, timeout=BOUND_S, check=False, env=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return json.loads(told.read_text())


def ends(pid: int) -> bool:
    """Whether a process ends within the bound."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], BOUND_S)[0])
    finally:
        os.close(descriptor)


def test_a_script_without_a_main_guard_can_run_jobs(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT + 'tell(run("echo", step=2).value)\n')
    command = [sys.executable, "-W", "error", str(path), str(tmp_path / "told")]
    environment = {"PYTHONPATH": SOURCES, "PATH": os.environ["PATH"]}
    done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads((tmp_path / "told").read_text())["size"] == 5


def test_modules_beside_the_script_do_not_get_into_the_zygote(tmp_path: Path) -> None:
    (tmp_path / "selectors.py").write_text("raise SystemExit('not the one')\n")
    path = tmp_path / "script.py"
    hide = "import sys\nbeside = sys.path.pop(0)\n"
    show = "sys.path.insert(0, beside)\n"
    path.write_text(hide + SCRIPT + show + 'tell(run("nothing").value)\n')
    environment = {"PYTHONPATH": SOURCES, "PATH": os.environ["PATH"]}
    command = [sys.executable, str(path), str(tmp_path / "told")]
    subprocess.run(command, timeout=BOUND_S, check=True, env=environment, cwd=tmp_path)
    assert json.loads((tmp_path / "told").read_text()) == {}


def test_code_typed_at_a_prompt_can_run_jobs(tmp_path: Path) -> None:
    told = run_script("", tmp_path / "told", stdin=SCRIPT + 'tell(run("nothing").value)\n')
    assert told == {}


def test_a_parent_without_standard_streams_can_run_jobs(tmp_path: Path) -> None:
    close = "import os\nfor number in (0, 1, 2):\n    os.close(number)\n"
    assert run_script(close + SCRIPT + 'tell(run("echo", step=2).value["size"])\n', tmp_path / "told") == 5


def test_what_a_job_prints_never_reaches_the_parent_s_output(tmp_path: Path) -> None:
    assert run_script(SCRIPT + 'run("shout")\ntell(True)\n', tmp_path / "told") is True


def test_a_forked_process_starts_a_zygote_of_its_own(tmp_path: Path) -> None:
    fork = """
first = run("parent").value["pid"]
reading, writing = os.pipe()
if os.fork() == 0:
    mine = run("parent").value["pid"]
    pool.close()
    os.write(writing, str(mine).encode())
    os._exit(0)
second = int(os.read(reading, 100))
os.wait()
tell([first, second, run("parent").value["pid"]])
"""
    first, second, third = run_script(SCRIPT + fork, tmp_path / "told")
    assert first == third
    assert first != second


def test_a_parent_that_is_killed_takes_zygote_and_jobs_with_it(tmp_path: Path) -> None:
    hang = """
import threading
from eyeline.media.bounded.job import JobLimits
zygote = run("parent").value["pid"]
threading.Thread(target=lambda: run("hang"), daemon=True).start()
tell(zygote)
sys.stdin.readline()
"""
    told = tmp_path / "told"
    command = [sys.executable, "-c", SCRIPT + hang, str(told)]
    environment = {"PYTHONPATH": SOURCES, "PATH": os.environ["PATH"]}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        descriptor = os.pidfd_open(process.pid)
        for _ in range(BOUND_S * 10):
            if told.exists() and told.read_text():
                break
            select.select([descriptor], [], [], 0.1)
        os.close(descriptor)
        zygote = int(told.read_text())
        children = [pid for pid, _ in below(zygote)]
        process.kill()
    assert ends(zygote)
    assert children
    assert all(map(ends, children))


def test_closing_ends_the_zygote_and_what_runs_and_later_jobs_are_refused() -> None:
    pool = hostile_pool()
    zygote = zygote_of(pool)
    children = [pid for pid, _ in below(zygote)]
    assert zygote in zygotes(os.getpid())
    pool.close()
    pool.close()
    assert zygote not in [pid for pid, _ in below(os.getpid())]
    assert all(map(ends, children))
    with pytest.raises(EngineFailed) as caught:
        attempt(pool, "nothing")
    assert reason(caught.value) == "closed"


def test_a_pool_that_nobody_holds_any_more_ends_its_zygote() -> None:
    pool = hostile_pool()
    zygote = zygote_of(pool)
    del pool
    assert ends(zygote)


def test_a_zygote_that_died_between_jobs_is_replaced_unnoticed() -> None:
    with hostile_pool() as pool:
        zygote = zygote_of(pool)
        os.kill(zygote, signal.SIGKILL)
        assert ends(zygote)
        assert attempt(pool, "nothing").value == {}
        assert zygotes(os.getpid()).count(zygote) == 0
        assert zygote_of(pool) != zygote


def test_a_zygote_whose_waiting_child_died_forks_another() -> None:
    with hostile_pool() as pool:
        zygote = zygote_of(pool)
        for _ in range(3):
            children = [child for child, _ in below(zygote)]
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            assert all(map(ends, children))
            assert attempt(pool, "nothing").value == {}
        assert zygote_of(pool) == zygote


def test_a_zygote_that_stops_answering_does_not_hold_up_closing() -> None:
    pool = hostile_pool()
    zygote = zygote_of(pool)
    os.kill(zygote, signal.SIGSTOP)
    pool.close()
    assert ends(zygote)


def test_an_interpreter_that_cannot_be_started_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile_pool() as pool:
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        with pytest.raises(EngineFailed) as caught:
            pool.start()
        assert reason(caught.value) == "unavailable"
        assert "nonexistent" not in f"{caught.value} {caught.value.detail}"
        monkeypatch.setattr(sys, "executable", "/bin/true")
        with pytest.raises(EngineFailed) as caught:
            attempt(pool, "nothing")
        assert reason(caught.value) == "unavailable"
        monkeypatch.undo()
        assert attempt(pool, "nothing").value == {}


def test_where_the_kernel_offers_less_the_limits_hold_and_that_is_said(tmp_path: Path) -> None:
    landlock, pidfd = [444, 445, 446], 434
    script = f"""
from eyeline.errors import EngineFailed
from eyeline.media.bounded.job import JobLimits
from eyeline.toolkit.cancel import CancelToken
import threading
refuse({[*landlock, pidfd]}, errno.ENOSYS)
facts = pool.isolation()
def why(job, **limits):
    try:
        pool.run("eyeline.testing.hostile:" + job, {{}}, source=BytesSource(b""), limits=JobLimits(**limits))
    except EngineFailed as exc:
        return exc.detail["reason"]
write = run("write_path", path={str(tmp_path / "new")!r}).value["refused"]
reasons = [why("hang", wall_ms=100), why("eat_memory", memory_bytes=1 << 27)]
tell([facts.landlock, facts.seccomp, str(facts), write, *reasons])
"""
    told = run_script(OLD_KERNEL + SCRIPT + script, tmp_path / "told")
    assert told[:2] == [None, True]
    assert "no Landlock" in told[2]
    assert told[3:] == ["EPERM", "timeout", "over_memory"]


def test_landlock_alone_keeps_files_network_and_other_processes_away(tmp_path: Path) -> None:
    script = """
import socket
from types import SimpleNamespace
import eyeline.media.bounded.sandbox as sandbox_module
from pathlib import Path
from typing import Any
sandbox_module.filter_program = lambda: None
from eyeline.testing import hostile
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
sandbox = sandbox_module.Sandbox([])
reading, writing = os.pipe()
parent = os.getpid()
if os.fork() == 0:
    sandbox.enter(keep=[writing])
    out = SimpleNamespace(add=len)
    answers = {
        "read": hostile.read_path(None, {"path": "/etc/passwd"}, out),
        "list": hostile.list_folder(None, {"path": "/proc"}, None),
        "write": hostile.write_path(None, {"path": "/tmp/eyeline-test-new"}, None),
        "tcp": hostile.connect(None, {"kind": "tcp", "port": port}, None),
        "signal": hostile.send_signal(None, {"pid": parent}, None),
        "trace": hostile.trace(None, {"pid": parent}, None),
    }
    os.write(writing, json.dumps({name: answer["refused"] for name, answer in answers.items()}).encode())
    os._exit(0)
os.close(writing)
with os.fdopen(reading) as file:
    tell([sandbox.landlock, json.load(file)])
os.wait()
"""
    told = run_script(SCRIPT + script, tmp_path / "told")
    abi, answers = told
    expected = {"read": "EACCES", "list": "EACCES", "write": "EACCES", "trace": "EPERM"}
    if abi is not None and abi >= 4:
        expected["tcp"] = "EACCES"
    if abi is not None and abi >= 6:
        expected["signal"] = "EPERM"
    assert abi is None or {name: answers[name] for name in expected} == expected
