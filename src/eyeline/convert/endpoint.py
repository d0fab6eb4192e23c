"""One address of an OpenAI-compatible endpoint, as a lane asks it: bounded in time and bytes, cut off at any point.

What it answers is outside text. Proxies of the environment are not used, redirects are not followed, and the key goes
into one header and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from eyeline.errors import ConfigError, LaneFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx2

    from eyeline.toolkit.cancel import CancelToken

MAX_ANSWER_BYTES = 1 << 20
_CONNECT_S = 10.0


@dataclass(frozen=True, slots=True)
class Naming:
    """What an endpoint is called in messages, its table in the settings, and what it should answer with."""

    what: str
    table: str
    answer: str


class Endpoint:
    """`{base_url}{path}`, asked with POST.

    `base_url` is `http` or `https`, without user, query or fragment; addresses of this machine or network are allowed,
    for the operator named them. `api_key_env` names the environment variable that holds the key; it is read for each
    request. `timeout_ms` bounds one request as a whole. Raises `ConfigError` for settings that cannot work.
    """

    def __init__(
        self, base_url: str, *, path: str, naming: Naming, api_key_env: str | None = None, timeout_ms: int
    ) -> None:
        self._naming = naming
        self._url, self.host = _checked(base_url, path=path, naming=naming)
        if timeout_ms <= 0:
            raise ConfigError(f"{naming.table} timeout_ms={timeout_ms!r} is not above 0", setting="timeout_ms")
        self._api_key_env = api_key_env
        self._timeout_s = timeout_ms / 1000

    def post(
        self, body: bytes, *, content_type: str, max_answer_bytes: int = MAX_ANSWER_BYTES, cancel: CancelToken | None
    ) -> bytes:
        """The body of a good answer. Raises `Cancelled` or `LaneFailed`.

        Its detail `reason` is one of `unreachable`, `timeout`, `busy`, `server_error`, `key_missing`, `malformed`,
        `too_long` and `refused`; where there was an HTTP status, it is the detail `status`.
        """
        said = {"content-type": content_type, "accept-encoding": "identity", "user-agent": "eyeline"}
        headers = {**said, **self._key()}
        return self._in_its_own_loop(lambda: self._ask(body, headers, max_answer_bytes), cancel)

    def malformed(self) -> LaneFailed:
        """The error of an answer that is not what it should be."""
        return self._failed(f"answered something else than {self._naming.answer}", "malformed")

    def empty(self) -> LaneFailed:
        """The error of an answer without a text."""
        return self._failed("answered without a text", "empty")

    def _failed(self, how: str, reason: str) -> LaneFailed:
        return LaneFailed(f"{self._naming.what} {how}", reason=reason)

    def _key(self) -> dict[str, str]:
        if self._api_key_env is None:
            return {}
        key = os.environ.get(self._api_key_env, "").strip()
        if not key or not key.isascii() or not key.isprintable():
            raise LaneFailed(
                f"{self._naming.what} needs a key and there is none",
                hint=f"set the environment variable {self._api_key_env}",
                reason="key_missing",
            )
        return {"authorization": f"Bearer {key}"}

    async def _ask(self, body: bytes, headers: dict[str, str], max_answer_bytes: int) -> bytes:
        import httpx2

        # the whole request has one deadline; only connecting has a shorter one of its own
        timeout = httpx2.Timeout(None, connect=min(_CONNECT_S, self._timeout_s))
        try:
            async with (
                httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=False) as client,
                client.stream("POST", self._url, content=body, headers=headers) as response,
            ):
                self._check_status(response.status_code)
                return await self._bounded_body(response, max_answer_bytes)
        except httpx2.TimeoutException as exc:
            raise self._failed("took too long", "timeout") from exc
        except httpx2.ConnectError as exc:
            raise self._failed("cannot be reached", "unreachable") from exc
        except httpx2.DecodingError as exc:
            raise self.malformed() from exc
        except httpx2.RequestError as exc:
            raise self._failed("broke off", "unreachable") from exc

    def _check_status(self, status: int) -> None:
        """The one table from HTTP status to what became of the lane."""
        what = self._naming.what
        if 200 <= status < 300:
            return
        if status in (408, 429):
            raise LaneFailed(f"{what} is busy", reason="busy", status=status)
        if status >= 500:
            raise LaneFailed(f"{what} failed", reason="server_error", status=status)
        hint = "it redirects; set base_url to where it really is" if 300 <= status < 400 else "see its model and key"
        raise LaneFailed(f"{what} answered {status}", hint=hint, reason="refused", status=status)

    async def _bounded_body(self, response: httpx2.Response, max_bytes: int) -> bytes:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise self.malformed()
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > max_bytes:
                raise self._failed(f"answered more than {max_bytes} bytes", "too_long")
        return bytes(body)

    def _in_its_own_loop(self, ask: Callable[[], Any], cancel: CancelToken | None) -> bytes:
        """Run a request in a thread with a loop of its own, where it can be cut off at any point.

        The caller's thread may have a loop running, and a blocking request could not be cancelled while it waits.
        """

        async def bounded() -> bytes:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            assert task is not None

            def cut_off() -> None:
                with suppress(RuntimeError):  # the answer came first and the loop is closed
                    loop.call_soon_threadsafe(task.cancel)

            unregister = None if cancel is None else cancel.on_cancel(cut_off)
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await ask()
            except TimeoutError as exc:
                raise self._failed("took too long", "timeout") from exc
            finally:
                if unregister is not None:
                    unregister()

        with ThreadPoolExecutor(1, thread_name_prefix="eyeline-endpoint") as thread:
            try:
                return thread.submit(lambda: asyncio.run(bounded())).result()
            except asyncio.CancelledError:
                assert cancel is not None
                cancel.raise_if_cancelled()
                raise


def _checked(base_url: str, *, path: str, naming: Naming) -> tuple[str, str]:
    """The address to post to, and the name of its host."""
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, None
    if (
        parts is None
        or parts.scheme not in ("http", "https")
        or not host
        or parts.username is not None
        or parts.password is not None
        or "?" in base_url
        or "#" in base_url
    ):
        raise ConfigError(
            f"the {naming.table}'s base_url cannot be used",
            hint="it is http:// or https://, a host and a path, without user, query or fragment",
            setting="base_url",
        )
    return f"{base_url.rstrip('/')}{path}", host
