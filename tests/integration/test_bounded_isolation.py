"""What a job cannot reach: files, network, other processes, its own limits."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.bounded import HOSTILE, attempt, hostile_pool, settles, zygote_of

import eyeline
from eyeline.media.bounded.job import BytesSource, JobLimits
from eyeline.media.bounded.pool import BoundedPool

REFUSED = {"EPERM", "EACCES"}


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with hostile_pool() as made:
        yield made


def test_what_holds_is_said_in_one_line(pool: BoundedPool) -> None:
    facts = pool.isolation()
    assert facts.system == "linux"
    assert facts.landlock is None or facts.landlock >= 1
    assert {"AS", "CPU", "FSIZE", "NOFILE", "CORE"} <= set(facts.limits)
    assert facts.complete == (facts.landlock is not None and facts.seccomp)
    line = str(facts)
    assert "\n" not in line
    assert all(word in line for word in (facts.machine, "Landlock", "seccomp", "AS"))


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", "/dev/null"])
def test_files_of_the_machine_cannot_be_read(pool: BoundedPool, path: str) -> None:
    result = attempt(pool, "read_path", path=path)
    assert result.value["refused"] in REFUSED
    assert result.outputs == ()


def test_files_of_the_caller_cannot_be_read_listed_made_or_removed(pool: BoundedPool, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"other tenant")
    assert attempt(pool, "read_path", path=str(secret)).value["refused"] in REFUSED
    assert attempt(pool, "list_folder", path=str(tmp_path)).value["refused"] in REFUSED
    assert attempt(pool, "write_path", path=str(tmp_path / "new")).value["refused"] in REFUSED
    assert attempt(pool, "write_path", path=str(secret)).value["refused"] in REFUSED
    assert attempt(pool, "remove_path", path=str(secret)).value["refused"] in REFUSED
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]
    assert secret.read_bytes() == b"other tenant"


@pytest.mark.parametrize("folder", ["/", "/proc", "/proc/self/fd", "/etc", "/tmp", "/home"])
def test_folders_of_the_machine_cannot_be_listed(pool: BoundedPool, folder: str) -> None:
    assert attempt(pool, "list_folder", path=folder).value["refused"] in REFUSED | {"ENOENT"}


def test_the_folder_around_the_package_is_out_of_reach_and_the_package_is_not(pool: BoundedPool) -> None:
    package = Path(eyeline.__path__[0])
    assert attempt(pool, "read_path", path=str(package / "errors.py")).outputs[0].startswith(b'"""')
    assert attempt(pool, "list_folder", path=str(Path(__file__).parents[2])).value["refused"] in REFUSED


def test_the_standard_library_can_still_be_imported_late(pool: BoundedPool) -> None:
    assert attempt(pool, "read_path", path=os.__file__).value == {"refused": None}
    assert attempt(pool, "write_path", path=str(Path(os.__file__).with_name("evil.py"))).value["refused"] in REFUSED


def test_folders_that_the_caller_names_can_be_read_and_not_written(tmp_path: Path) -> None:
    models, beside = tmp_path / "models", tmp_path / "beside"
    for each in (models, beside):
        each.mkdir()
        (each / "weights").write_bytes(b"weights")
    with hostile_pool(read_paths=(models,)) as pool:
        assert attempt(pool, "read_path", path=str(models / "weights")).outputs == (b"weights",)
        assert attempt(pool, "read_path", path=str(beside / "weights")).value["refused"] in REFUSED
        assert attempt(pool, "write_path", path=str(models / "weights")).value["refused"] in REFUSED


def test_only_the_job_s_own_descriptors_are_open(pool: BoundedPool, tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"source")
    with path.open("rb") as file, (tmp_path / "other").open("wb"):
        assert attempt(pool, "descriptors", source=file).value == {"sockets": 1, "files": 2, "all": 3}
    assert attempt(pool, "descriptors").value == {"sockets": 1, "files": 1, "all": 2}


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize("kind", ["tcp", "udp", "unix"])
def test_nothing_can_be_connected_to(pool: BoundedPool, tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / "socket")
    family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as server:
        server.bind(path if kind == "unix" else ("127.0.0.1", 0))
        if kind != "udp":
            server.listen()
        port = 0 if kind == "unix" else server.getsockname()[1]
        assert attempt(pool, "connect", kind=kind, path=path, port=port).value["refused"] in REFUSED
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.recv(1) if kind == "udp" else server.accept()


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize("job", ["execute", "multiply", "send_signal", "eat_file_memory", "raise_limits"])
def test_no_program_no_process_no_signal_no_hidden_memory_no_other_limits(pool: BoundedPool, job: str) -> None:
    assert attempt(pool, job).value["refused"] in REFUSED
    assert settles(pool)


@pytest.mark.parametrize("job", ["send_signal", "send_signal_by_owner", "trace", "read_memory"])
def test_the_parent_is_out_of_reach(pool: BoundedPool, job: str) -> None:
    assert attempt(pool, job, pid=os.getpid()).value["refused"] in REFUSED


def test_io_uring_keys_namespaces_and_mounts_are_out_of_reach(pool: BoundedPool) -> None:
    numbers = {
        "x86_64": [425, 426, 248, 249, 250, 272, 165, 321, 298, 323],
        "aarch64": [425, 426, 217, 218, 219, 97, 40],
    }
    for number in numbers[pool.isolation().machine]:
        assert attempt(pool, "system_call", number=number, arguments=[0] * 5).value["refused"] == "EPERM", number


def test_the_child_has_none_of_the_caller_s_secrets_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_API_KEY", "sk-very-secret")
    monkeypatch.setenv("PYTHONSTARTUP", "/tmp/evil.py")
    with hostile_pool() as pool:
        names = set(attempt(pool, "environment").value["names"])
    assert "PROVIDER_API_KEY" not in names
    assert not {name for name in names if name.startswith("PYTHON")} - {"PYTHONHOME"}
    assert {"OMP_THREAD_LIMIT", "MALLOC_ARENA_MAX", "VIPS_CONCURRENCY"} <= names


def test_the_child_has_no_privileges_whoever_runs_the_service(pool: BoundedPool) -> None:
    assert attempt(pool, "privileges").value == {"capabilities": [0, 0], "refused": "EPERM"}


def test_engines_are_imported_in_one_thread_and_work_in_the_sandbox() -> None:
    modules = ("PIL.Image", "pyvips", "pypdfium2", "pi_heif", "tesserocr", "no_such_engine")
    with hostile_pool(preload=modules) as pool:
        assert pool.isolation().engines == modules[:-1]
        assert attempt(pool, "loaded", modules=list(modules)).value == {"loaded": list(modules[:-1]), "threads": 1}
        assert len(list(Path(f"/proc/{zygote_of(pool)}/task").iterdir())) == 1


def test_memory_is_counted_on_top_of_what_the_engines_take() -> None:
    with hostile_pool(preload=("PIL.Image", "pyvips", "pypdfium2")) as pool:
        small = JobLimits(memory_bytes=16 << 20)
        result = pool.run(f"{HOSTILE}:echo", {"step": 1000}, source=BytesSource(bytes(1 << 20)), limits=small)
        assert len(result.outputs[0]) == 1 << 20
