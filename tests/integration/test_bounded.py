"""Hangs, crashes and bombs in the bounded child are typed outcomes, and the next job works."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.bounded import HOSTILE, NOTHING, attempt, hostile_pool, reason, settles, zygote_of

from eyeline.errors import (
    Cancelled,
    CorruptMedia,
    EngineFailed,
    EyelineError,
    InvalidRequest,
    LocatorOutOfRange,
    StoreError,
)
from eyeline.media.bounded.channel import ASK, DONE, READ
from eyeline.media.bounded.job import BytesSource, JobLimits
from eyeline.media.bounded.pool import BoundedPool
from eyeline.toolkit.cancel import CancelToken

BOUND_S = 60
TIGHT = JobLimits(wall_ms=20_000, cpu_ms=20_000, memory_bytes=256 << 20, output_bytes=8 << 20)


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with hostile_pool(max_parallel=2) as made:
        yield made


def fails(pool: BoundedPool, job: str, *, limits: JobLimits = TIGHT, **params: object) -> EngineFailed:
    """How a hostile job fails; the pool has to work afterwards, in the same zygote, with nothing left behind."""
    zygote = zygote_of(pool)
    with pytest.raises(EngineFailed) as caught:
        pool.run(f"{HOSTILE}:{job}", params, source=NOTHING, limits=limits)
    assert attempt(pool, "echo", source=BytesSource(b"still here"), step=3).outputs[0] == b"still here"
    assert zygote_of(pool) == zygote
    assert settles(pool)
    return caught.value


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize(
    ("job", "limits", "why"),
    [
        ("hang", JobLimits(wall_ms=100), "timeout"),
        ("spin", JobLimits(wall_ms=100), "timeout"),
        ("crash", TIGHT, "crashed"),
        ("abort", TIGHT, "crashed"),
        ("eat_memory", TIGHT, "over_memory"),
        ("eat_native_memory", TIGHT, "over_memory"),
        ("add_without_end", TIGHT, "over_output"),
        ("write_without_end", TIGHT, "over_output"),
        ("raise_foreign", TIGHT, "crashed"),
        ("raise_exit", TIGHT, "crashed"),
        ("return_nonsense", TIGHT, "crashed"),
        ("close_everything", TIGHT, "crashed"),
        ("no_such_job", TIGHT, "crashed"),
    ],
)
def test_a_job_that_breaks_dies_alone_and_says_why(pool: BoundedPool, job: str, limits: JobLimits, why: str) -> None:
    error = fails(pool, job, limits=limits)
    assert reason(error) == why
    assert "/" not in str(error)


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize("stubborn", [False, True])
def test_cpu_time_runs_out_however_the_job_feels_about_it(pool: BoundedPool, stubborn: bool) -> None:
    error = fails(pool, "spin", limits=JobLimits(cpu_ms=1, wall_ms=BOUND_S * 1000), stubborn=stubborn)
    assert reason(error) == "timeout"


@pytest.mark.parametrize(("status", "why"), [(0, "crashed"), (1, "crashed"), (90, "over_memory"), (91, "over_output")])
def test_an_exit_without_a_word_is_a_failure(pool: BoundedPool, status: int, why: str) -> None:
    assert reason(fails(pool, "leave", status=status)) == why


def test_a_crash_names_its_signal(pool: BoundedPool) -> None:
    assert fails(pool, "crash").detail["signal"] == "SIGSEGV"
    assert fails(pool, "abort").detail["signal"] == "SIGABRT"


def test_of_a_foreign_exception_only_the_class_comes_out(pool: BoundedPool) -> None:
    error = fails(pool, "raise_foreign")
    assert error.detail["exception"] == "ZeroDivisionError"
    assert "secret" not in f"{error} {error.detail}"


def test_our_own_errors_come_back_as_they_were_raised(pool: BoundedPool) -> None:
    with pytest.raises(CorruptMedia) as caught:
        attempt(pool, "raise_corrupt")
    assert (caught.value.message, caught.value.hint) == ("row 7 is missing", "send it again")
    assert caught.value.detail == {"row": 7, "rows": ["7", "8"]}
    with pytest.raises(LocatorOutOfRange):
        attempt(pool, "raise_out_of_range")


def test_a_job_cannot_speak_for_the_service(pool: BoundedPool) -> None:
    error = fails(pool, "raise_denied")
    assert error.detail["exception"] == "access_denied"
    assert str(error).isprintable()


@pytest.mark.requirement("XC-01")
def test_a_value_that_is_too_large_is_refused_in_the_child(pool: BoundedPool) -> None:
    assert reason(fails(pool, "return_too_much", chars=20 << 20)) == "over_output"
    assert reason(fails(pool, "return_too_much", chars=9 << 20)) == "over_output"
    wide = JobLimits(output_bytes=32 << 20)
    result = pool.run(f"{HOSTILE}:return_too_much", {"chars": 10 << 20}, source=NOTHING, limits=wide)
    assert len(result.value["text"]) == 10 << 20


@pytest.mark.parametrize(
    ("message", "times"),
    [
        (b"garbage", 1),
        (ASK.pack(9, 0, 0), 1),
        (ASK.pack(READ, 0, 1 << 40), 1),
        (ASK.pack(READ, 1 << 40, 1), 1),
        (ASK.pack(READ, 0, 0) + b"x", 1),
        (bytes(50_000), 1),
    ],
    ids=["garbage", "unknown word", "endless answer", "beyond the end", "too long", "flood"],
)
def test_a_child_that_breaks_the_protocol_is_ended(pool: BoundedPool, message: bytes, times: int) -> None:
    assert reason(fails(pool, "babble", message=message.hex(), times=times)) == "crashed"


def test_a_child_that_asks_and_never_listens_is_ended(pool: BoundedPool) -> None:
    with pytest.raises(EngineFailed) as caught:
        pool.run(
            f"{HOSTILE}:babble",
            {"message": ASK.pack(READ, 0, 60_000).hex(), "times": 1_000},
            source=BytesSource(bytes(60_000)),
            limits=TIGHT,
        )
    assert reason(caught.value) == "crashed"


@pytest.mark.parametrize(
    ("report", "place", "length"),
    [
        (b'{"value": {}, "outputs": []}', 0, 1 << 50),
        (b'{"value": {}, "outputs": []}', 1 << 50, 28),
        (b'{"value": {}, "outputs": [5]}', 0, 29),
        (b'{"value": {}, "outputs": [-1]}', 0, 30),
        (b'{"value": {}, "outputs": [true]}', 0, 32),
        (b'{"value": [], "outputs": []}', 0, 28),
        (b'{"value": {}}', 0, 13),
        (b"[]", 0, 2),
        (b"\xff\xfe", 0, 2),
        (b"[" * 200_000, 0, 200_000),
        (b'{"code": 7}', 0, 11),
        (b'{"code": "corrupt_media", "message": 7, "detail": {"a": {}, "b": [[]]}}', 0, 71),
    ],
)
def test_a_forged_report_is_an_error_and_harms_nobody(
    pool: BoundedPool, report: bytes, place: int, length: int
) -> None:
    done = ASK.pack(DONE, place, length)
    with pytest.raises(EyelineError) as caught:
        attempt(pool, "forge_report", report=report.hex(), done=done.hex())
    assert caught.value.code in {"engine_failed", "corrupt_media"}
    assert attempt(pool, "nothing").value == {}


def test_nothing_of_one_job_is_there_in_the_next(pool: BoundedPool) -> None:
    for word in ("one", "two", "three"):
        assert attempt(pool, "remember", word=word).value == {"before": []}


def test_only_names_of_jobs_are_run() -> None:
    with hostile_pool(extra_job_modules=()) as strict:
        for name in ("eyeline.testing.hostile:nothing", "os:getpid", "eyeline.media.bounded.zygote:_kill"):
            with pytest.raises(InvalidRequest):
                strict.run(name, {}, source=NOTHING)


def test_a_function_that_a_module_only_imported_is_no_job(pool: BoundedPool) -> None:
    error = fails(pool, "cast")
    assert error.detail["exception"] == "LookupError"


# the source


def test_a_file_and_a_served_source_read_the_same(pool: BoundedPool, tmp_path: Path) -> None:
    data = os.urandom(300_000)
    path = tmp_path / "source"
    path.write_bytes(data)
    with path.open("rb") as file:
        file.seek(17)
        by_file = attempt(pool, "echo", source=file, step=70_000)
        assert file.tell() == 17
    served = attempt(pool, "echo", source=BytesSource(data), step=70_000)
    assert by_file.outputs == served.outputs == (data, data)
    assert by_file.value == served.value == {"params": {"step": 70_000}, "size": 300_000, "seekable": True}


def test_pieces_are_read_where_they_are(pool: BoundedPool) -> None:
    data = bytes(range(256)) * 1024
    places = [0, 262_143, 200_000, 100, 262_100, 300_000]
    result = attempt(pool, "slices", source=BytesSource(data), places=places, length=100)
    assert list(result.outputs) == [data[place : place + 100] for place in places]


def test_a_job_has_its_own_descriptor_and_position(pool: BoundedPool, tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file:
        file.seek(5)
        for _ in range(2):
            result = attempt(pool, "through_descriptor", source=file)
            assert (result.value["place"], result.outputs[0]) == (0, b"0123456789")
        assert file.tell() == 5


def test_a_source_that_is_open_for_writing_cannot_be_written_by_the_job(pool: BoundedPool, tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(b"original")
    with path.open("r+b") as file:
        assert attempt(pool, "write_source", source=file).value == {"refused": "EBADF"}
    assert path.read_bytes() == b"original"


class _BrokenSource:
    size = 100

    def read_at(self, offset: int, length: int, /) -> bytes:
        raise StoreError("the disk does not answer", offset=offset, length=length)


def test_what_reading_the_source_raises_reaches_the_caller(pool: BoundedPool) -> None:
    with pytest.raises(StoreError):
        attempt(pool, "echo", source=_BrokenSource(), step=10)
    assert settles(pool)


def test_a_pipe_is_no_source(pool: BoundedPool) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as file, os.fdopen(writing, "wb"), pytest.raises(InvalidRequest):
        attempt(pool, "nothing", source=file)


def test_threads_of_a_job_share_its_reader(pool: BoundedPool) -> None:
    assert attempt(pool, "threads", source=BytesSource(b"x" * 1000), count=8).value == {"ended": 8}


# cancelling and many at once


@pytest.mark.requirement("XC-01")
def test_cancelling_ends_a_job_that_hangs(pool: BoundedPool) -> None:
    token = CancelToken()
    timer = threading.Timer(0.05, token.cancel, ["enough"])
    timer.start()
    with pytest.raises(Cancelled) as caught:
        pool.run(f"{HOSTILE}:hang", {}, source=NOTHING, limits=JobLimits(wall_ms=BOUND_S * 1000), cancel=token)
    timer.join()
    assert caught.value.message == "enough"
    assert settles(pool)


def test_a_cancelled_token_starts_nothing(pool: BoundedPool) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        pool.run(f"{HOSTILE}:nothing", {}, source=NOTHING, cancel=token)


def test_cancelling_also_ends_the_wait_for_a_turn() -> None:
    with hostile_pool(max_parallel=1) as narrow:
        first, second = CancelToken(), CancelToken()
        outcomes: dict[str, str] = {}

        def hang(name: str, token: CancelToken) -> None:
            try:
                narrow.run(f"{HOSTILE}:hang", {}, source=NOTHING, limits=JobLimits(wall_ms=60_000), cancel=token)
            except Cancelled as exc:
                outcomes[name] = exc.message

        threads = [threading.Thread(target=hang, args=each) for each in (("first", first), ("second", second))]
        for thread in threads:
            thread.start()
        second.cancel("second")
        threads[1].join(BOUND_S)
        first.cancel("first")
        threads[0].join(BOUND_S)
        assert outcomes == {"first": "first", "second": "second"}
        assert attempt(narrow, "nothing").value == {}


@pytest.mark.requirement("XC-01")
def test_two_hundred_jobs_from_eight_threads_keep_apart() -> None:
    wrong: list[object] = []
    with hostile_pool(max_parallel=4) as pool:

        def work(number: int) -> None:
            for turn in range(25):
                mine = f"{number}-{turn}".encode() * 100
                if turn % 5 == 4:
                    try:
                        attempt(pool, "crash")
                    except EngineFailed as exc:
                        if exc.detail["reason"] != "crashed":
                            wrong.append(exc)
                elif attempt(pool, "echo", source=BytesSource(mine), step=1000).outputs != (mine, mine):
                    wrong.append(mine)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(BOUND_S)
        assert not any(thread.is_alive() for thread in threads)
        assert wrong == []
        assert settles(pool)


def test_a_job_lost_with_its_zygote_is_a_crash_and_the_next_starts_another() -> None:
    with hostile_pool() as pool:
        zygote = zygote_of(pool)
        timer = threading.Timer(0.1, os.kill, (zygote, signal.SIGKILL))
        timer.start()
        with pytest.raises(EngineFailed) as caught:
            attempt(pool, "hang")
        timer.join()
        assert reason(caught.value) == "crashed"
        assert attempt(pool, "nothing").value == {}
        assert zygote_of(pool) != zygote
