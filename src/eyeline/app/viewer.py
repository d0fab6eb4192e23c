"""`Viewer`: pictures, pages and texts of paths and URLs, shown without a home."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from eyeline.errors import ConfigError
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.limits import AnswerLimit
from eyeline.model.viewing import Viewed
from eyeline.operations import view as viewing
from eyeline.presenters.viewed import ViewedBatch
from eyeline.render.memory_cache import MemoryCache
from eyeline.render.renditions import Cache
from eyeline.settings import Settings
from eyeline.source.path import FileBoundary
from eyeline.source.url import UrlSource
from eyeline.toolkit.cancel import CancelToken

CACHE_BYTES = 64 << 20


class Viewer:
    """Shows batches of files inside `base_dir` and, with `allow_urls`, of http(s) URLs. Nothing is kept on disk.

    Use it as a context manager, or `close` it; it is safe to share between threads. `pool` is that of another part of
    the program, which closes it; else it has its own. `cache` keeps what was made, by default in `CACHE_BYTES` of
    memory. Raises `ConfigError` for a base folder that is none, and without a base folder and URLs.
    """

    def __init__(
        self,
        base_dir: str | Path | None = None,
        *,
        allow_urls: bool = False,
        settings: Settings | None = None,
        pool: BoundedPool | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.settings = Settings() if settings is None else settings
        boundary = None if base_dir is None else FileBoundary.below(base_dir)
        self.has_files = boundary is not None
        self.allows_urls = allow_urls
        if not self.sources:
            raise ConfigError("there is nothing to view", hint="give a base folder, or allow URLs")
        self._own_pool = BoundedPool() if pool is None else None
        chosen = pool or self._own_pool
        assert chosen is not None, "a pool is given or made"
        self._parts = viewing.ViewParts(
            pool=chosen,
            limits=self.settings.limits,
            served=self.settings.served,
            view=self.settings.view,
            cache=cache or MemoryCache(CACHE_BYTES),
            admissions=viewing.Admissions(),
            boundary=boundary,
            urls=UrlSource(self.settings.urls) if allow_urls else None,
        )

    @property
    def sources(self) -> str:
        """What a batch may name here, in one sentence."""
        files = "paths of files below the base folder" if self.has_files else ""
        return " and ".join(filter(None, (files, "http(s) URLs" if self.allows_urls else "")))

    @property
    def max_items(self) -> int:
        """How many of them one batch has at most."""
        return self.settings.view.max_items

    @property
    def answer(self) -> AnswerLimit:
        """The answer limit of callers that bring none."""
        return self.settings.answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the decoder processes, where they are its own. Closing twice does nothing."""
        if self._own_pool is not None:
            self._own_pool.close()

    def view(
        self,
        *paths: str,
        answer: AnswerLimit | None = None,
        cancel: CancelToken | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> ViewedBatch:
        """Show a batch; see `eyeline.operations.view`."""
        caller = viewing.ViewCaller(answer or self.settings.answer, cancel or CancelToken(), progress)
        return ViewedBatch.of(self.view_request(viewing.ViewRequest(paths), caller=caller))

    def view_request(self, request: viewing.ViewRequest, *, caller: viewing.ViewCaller) -> Viewed:
        """The same for a request value, for surfaces."""
        return viewing.view(request, parts=self._parts, caller=caller)
