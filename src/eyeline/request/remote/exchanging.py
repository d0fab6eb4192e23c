"""One HTTP exchange with a provider: bounded, cut off by a cancelled token, without redirects and proxies."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from eyeline.model.remote import WhyInline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyeline.toolkit.cancel import CancelToken

MAX_ANSWER_BYTES = 1 << 20
_CONNECT_S = 10.0
_STALLED_S = 20.0
"""How long nothing may move: a server that takes bytes slowly is waited for, one that is silent is not."""


@dataclass(slots=True)
class FilesFailure(Exception):
    """A Files API did not do what it was asked. `lasts`: it would not do so if it were asked again at once."""

    why: WhyInline
    lasts: bool
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. `form` is sent before `file` as multipart; `content` is sent as it is."""

    method: str
    address: str
    headers: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    file: tuple[str, bytes, str] | None = None
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and JSON of an answer; `said` is empty where there was none."""

    status: int
    headers: Mapping[str, str]
    said: dict[str, Any]


def exchange(ask: Ask, *, timeout_ms: int, cancel: CancelToken) -> Answer:
    """Send one request and read its answer, whatever the status.

    It has a thread and a loop of its own, for the caller's thread may have a loop running. Raises `Cancelled`, and
    `FilesFailure` where nothing came back.
    """

    async def bounded() -> Answer:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def cut_off() -> None:
            with suppress(RuntimeError):  # the answer came first and the loop is closed
                loop.call_soon_threadsafe(task.cancel)

        take_back = cancel.on_cancel(cut_off)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await _sent(ask, timeout_s=timeout_ms / 1000)
        except TimeoutError as exc:
            raise FilesFailure(WhyInline.UNREACHABLE, lasts=True) from exc
        finally:
            take_back()

    with ThreadPoolExecutor(1, thread_name_prefix="eyeline-files") as thread:
        try:
            return thread.submit(lambda: asyncio.run(bounded())).result()
        except asyncio.CancelledError:
            cancel.raise_if_cancelled()
            raise


async def _sent(ask: Ask, *, timeout_s: float) -> Answer:
    import httpx2

    # the whole exchange has a deadline too
    timeout = httpx2.Timeout(min(_STALLED_S, timeout_s), connect=min(_CONNECT_S, timeout_s))
    sent: dict[str, Any] = {"headers": {**ask.headers, "accept-encoding": "identity", "user-agent": "eyeline"}}
    if ask.file is not None:
        sent |= {"data": dict(ask.form), "files": {"file": ask.file}}
    elif ask.content is not None:
        sent |= {"content": ask.content}
    try:
        async with (
            httpx2.AsyncClient(
                verify=_trusted(ask.address), timeout=timeout, follow_redirects=False, trust_env=False
            ) as client,
            client.stream(ask.method, ask.address, **sent) as response,
        ):
            body = bytearray()
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MAX_ANSWER_BYTES:
                    raise FilesFailure(WhyInline.REFUSED, lasts=True, status=response.status_code)
            return Answer(response.status_code, dict(response.headers), _object(bytes(body)))
    except httpx2.TimeoutException as exc:
        # it was waited for long enough: asked again, it would hold the request as long once more
        raise FilesFailure(WhyInline.UNREACHABLE, lasts=True) from exc
    except httpx2.RequestError as exc:
        raise FilesFailure(WhyInline.UNREACHABLE, lasts=False) from exc
    except httpx2.InvalidURL as exc:
        raise FilesFailure(WhyInline.REFUSED, lasts=True) from exc


def _trusted(address: str) -> Any:
    """The certificates of the system, read once; to an address without TLS there is nothing to verify."""
    return _certificates() if address.startswith("https:") else False


@lru_cache(maxsize=1)
def _certificates() -> Any:
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def _object(body: bytes) -> dict[str, Any]:
    try:
        said: object = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", said) if isinstance(said, dict) else {}
