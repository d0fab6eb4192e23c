"""From how a child ended to a result or a typed error: the one table of it."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from eyeline.errors import (
    Cancelled,
    DetailValue,
    EngineFailed,
    EyelineError,
    InvalidRequest,
    MediaError,
    MissingDependency,
)
from eyeline.media.bounded.job import VALUE_BYTES, JobLimits, JobResult
from eyeline.media.bounded.limits import cpu_seconds
from eyeline.media.bounded.output import REPORT_BYTES, over_output
from eyeline.media.bounded.worker import NOT_ISOLATED, OVER_MEMORY, OVER_OUTPUT, REPORTED

if TYPE_CHECKING:
    from eyeline.media.bounded.exchange import Exchange
    from eyeline.media.bounded.running import Ending

_NEAR_MEMORY_LIMIT = 3 / 4
"""A native library that gets no memory often just crashes; over this part of the limit, memory is likely why."""

_TEXT_CHARS, _DETAIL_ITEMS = 2_000, 32

_RAISABLE = (MediaError, InvalidRequest, EngineFailed, MissingDependency)
"""What a job may say went wrong. It cannot know of stores, permissions or the caller's wishes."""


def _classes(root: type[EyelineError]) -> Iterator[type[EyelineError]]:
    yield root
    for each in root.__subclasses__():
        yield from _classes(each)


def settle(ending: Ending, exchange: Exchange, *, job: str, limits: JobLimits, reason: str) -> JobResult:
    """The result of a job that went well; otherwise raise what became of it. `reason` is why the caller cancelled."""
    if ending.stopped == "cancelled":
        raise Cancelled(reason)
    if ending.stopped == "timeout":
        raise _failed("ran out of time", "timeout", job=job, allowed_ms=limits.wall_ms)
    if ending.stopped == "misbehaved":
        raise _failed("broke the protocol and was ended", "crashed", job=job)
    if ending.refused is not None or ending.status == NOT_ISOLATED:
        raise _failed("could not be started in isolation", "unavailable", job=job)
    if ending.report is None:
        raise _death(ending, job=job, limits=limits)
    report = _report(ending.report, exchange, limits)
    if report is None:
        raise _failed("gave no report that can be read", "crashed", job=job)
    if "value" not in report:
        raise _reported_failure(report, job=job)
    result = _result(report, exchange, end=ending.report[0])
    if result is None:
        raise _failed("gave a report that cannot be", "crashed", job=job)
    return result


def _failed(what: str, reason: str, *, job: str, **detail: DetailValue) -> EngineFailed:
    error = EngineFailed(f"engine job {job!r} {what}", reason=reason, job=job)
    error.detail.update(detail)
    return error


def _death(ending: Ending, *, job: str, limits: JobLimits) -> EngineFailed:
    """A child that did not report: by exit status, signal, and how much it had used."""
    status = ending.status
    if status is None:
        return _failed("was lost with the process that ran it", "crashed", job=job)
    if status == REPORTED:
        return _failed("ended without a report", "crashed", job=job)
    name = _signal_name(status)
    is_out_of_cpu = ending.cpu_ms >= cpu_seconds(limits) * 1000 and status == -signal.SIGKILL
    if status == -signal.SIGXCPU or is_out_of_cpu:
        return _failed("ran out of CPU time", "timeout", job=job, allowed_ms=limits.cpu_ms)
    if status in {OVER_OUTPUT, -signal.SIGXFSZ}:
        return over_output(limits.output_bytes)
    if status == OVER_MEMORY or (status < 0 and ending.peak_bytes >= limits.memory_bytes * _NEAR_MEMORY_LIMIT):
        return _failed("ran out of memory", "over_memory", job=job, allowed_bytes=limits.memory_bytes)
    return _failed(f"crashed ({name})", "crashed", job=job, signal=name)


def _signal_name(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"exit {status}"


def _report(where: tuple[int, int], exchange: Exchange, limits: JobLimits) -> dict[str, Any] | None:
    """What the child wrote, or none where that is not a report; it may be anything."""
    place, length = where
    size = exchange.size()
    if size > limits.output_bytes + REPORT_BYTES or length > VALUE_BYTES or place + length != size:
        return None
    try:
        report = json.loads(exchange.read(place, length))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", report) if isinstance(report, dict) else None


def _result(report: dict[str, Any], exchange: Exchange, *, end: int) -> JobResult | None:
    value, lengths = report["value"], report.get("outputs")
    if not isinstance(value, dict) or not isinstance(lengths, list):
        return None
    outputs: list[bytes] = []
    place = 0
    for length in cast("list[object]", lengths):
        if type(length) is not int or not 0 <= length <= end - place:
            return None
        outputs.append(exchange.read(place, length))
        place += length
    return JobResult(cast("dict[str, Any]", value), tuple(outputs)) if place == end else None


def _reported_failure(report: dict[str, Any], *, job: str) -> EyelineError:
    """The job's own error again, or that a foreign one escaped."""
    for kind in _RAISABLE:
        for each in _classes(kind):
            if each.code == report.get("code"):
                return _again(each, report)
    name = _text(report.get("exception", report.get("code"))) or "unknown"
    return _failed(f"failed with {name}", "crashed", job=job, exception=name)


def _again(kind: type[EyelineError], report: dict[str, Any]) -> EyelineError:
    detail = report.get("detail")
    items = cast("dict[str, object]", detail).items() if isinstance(detail, dict) else ()
    error = kind(_text(report.get("message")), hint=_text(report.get("hint")) or None)
    for name, value in list(items)[:_DETAIL_ITEMS]:
        plain = _plain(value)
        if plain is not None:
            error.detail[_text(name)] = plain
    return error


def _plain(value: object) -> DetailValue:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, list):
        return [_text(each) for each in cast("list[object]", value)[:_DETAIL_ITEMS]]
    return _text(value) if isinstance(value, str) else None


def _text(value: object) -> str:
    """A text from a child: bounded, and without characters that would act on a terminal."""
    return "".join(each for each in value[:_TEXT_CHARS] if each.isprintable()) if isinstance(value, str) else ""
