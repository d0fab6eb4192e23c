"""`Courier`: downloads, uploads and waits for an agent, without a home."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from eyeline.errors import ConfigError
from eyeline.model.carrying import Downloaded, Uploaded, Waited
from eyeline.operations import download as downloading
from eyeline.operations import upload as uploading
from eyeline.operations import wait as waiting
from eyeline.settings import Settings
from eyeline.source.path import FileBoundary
from eyeline.source.url import UrlSource
from eyeline.toolkit.cancel import CancelToken

Progress = Callable[[float, float | None, str], None]


class Courier:
    """Carries what an application lets it carry; safe to share between threads, and holds nothing open.

    `base_dir` is where files come from and go to. With `allow_urls` there are downloads into it, under
    `Settings.urls`; with `sinks`, uploads from it. `conditions` can be waited for. No file may be larger than
    `Settings.view.max_read_bytes`. Raises `ConfigError` for a base folder that is none, for names that are there twice,
    and for sinks without a base folder.
    """

    def __init__(
        self,
        base_dir: str | Path | None = None,
        *,
        allow_urls: bool = False,
        sinks: Iterable[uploading.Sink] = (),
        conditions: Iterable[waiting.Condition] = (),
        settings: Settings | None = None,
    ) -> None:
        self.settings = Settings() if settings is None else settings
        most = self.settings.view.max_read_bytes
        boundary = None if base_dir is None else FileBoundary.below(base_dir)
        given = tuple(sinks)
        if given and boundary is None:
            raise ConfigError("there are sinks and no base folder to send files from", hint="give a base folder")
        self._wait = waiting.WaitParts(tuple(conditions), self.settings.wait)
        self._download = self._upload = None
        if boundary is not None and allow_urls:
            self._download = downloading.DownloadParts(boundary, UrlSource(self.settings.urls), most)
        if boundary is not None and given:
            self._upload = uploading.UploadParts(boundary, given, most)
        _check_names("sink", self.sinks)
        _check_names("condition", self.conditions)

    @property
    def downloads(self) -> bool:
        """Whether there are downloads here."""
        return self._download is not None

    @property
    def sinks(self) -> list[str]:
        """The names of the sinks."""
        return [] if self._upload is None else [sink.name for sink in self._upload.sinks]

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions."""
        return [condition.name for condition in self._wait.conditions]

    def download(
        self, url: str, path: str, *, cancel: CancelToken | None = None, progress: Progress | None = None
    ) -> Downloaded:
        """Make a new file from what a URL leads to; see `eyeline.operations.download`.

        Raises `ConfigError` where there are no downloads.
        """
        if self._download is None:
            raise ConfigError("downloads are off", hint="give a base folder and allow URLs")
        caller = downloading.DownloadCaller(cancel or CancelToken(), progress or _unheard)
        return downloading.download(url, path, parts=self._download, caller=caller)

    def upload(
        self,
        path: str,
        sink: str | None = None,
        *,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Uploaded:
        """Send a file to a sink; see `eyeline.operations.upload`. Raises `ConfigError` where there are no sinks."""
        if self._upload is None:
            raise ConfigError("uploads are off", hint="give a base folder and a sink")
        caller = uploading.UploadCaller(cancel or CancelToken(), progress or _unheard)
        return uploading.upload(path, sink, parts=self._upload, caller=caller)

    def wait(
        self,
        seconds: float | None = None,
        *,
        condition: str | None = None,
        subject: str = "",
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> Waited:
        """Wait for a condition or for some time; see `eyeline.operations.wait`."""
        caller = waiting.WaitCaller(cancel or CancelToken(), progress or _unheard)
        return waiting.wait(waiting.WaitRequest(seconds, condition, subject), parts=self._wait, caller=caller)


def _unheard(done: float, total: float | None, what: str) -> None:
    del done, total, what


def _check_names(what: str, names: list[str]) -> None:
    for name in names:
        if not name.strip() or names.count(name) > 1:
            raise ConfigError(f"{name!r} is no name for a {what}, or one that is taken", hint="give each its own")
