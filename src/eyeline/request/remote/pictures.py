"""The pictures of a request at a provider: uploaded once, reused until near their end, all inline where that fails."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from eyeline.errors import Cancelled
from eyeline.model.prepared import PreparedImage, PreparedToolResult
from eyeline.model.remote import RemoteFile, RemotePolicy, WhyInline
from eyeline.request.providers import FILES_APIS, body_of
from eyeline.request.remote.exchanging import FilesFailure
from eyeline.request.remote.staleness import stale_among
from eyeline.toolkit.cancel import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyeline.model.attachment import RequestImage
    from eyeline.model.digest import Digest
    from eyeline.model.prepared import PreparedPart, PreparedRequest
    from eyeline.request.remote.apis import FilesApi
    from eyeline.request.remote.index import RemoteIndex

T = TypeVar("T")
P = TypeVar("P", bound="PreparedPart")

_AGAIN_S = 0.25
_CLEARINGS = 2


@dataclass(frozen=True, slots=True)
class Placement:
    """A request with the ids of its uploads, or with all its pictures inline and why.

    `files` are the uploads it names, `uploaded` the variants among them that were uploaded for it. `mended` counts how
    often it was made anew because the provider did not know an upload any more.
    """

    request: PreparedRequest
    files: tuple[RemoteFile, ...] = ()
    uploaded: frozenset[Digest] = frozenset()
    inline: WhyInline | None = None
    mended: int = 0

    @property
    def body(self) -> dict[str, Any]:
        """The provider's body."""
        return body_of(self.request)


class RemotePictures:
    """Places the pictures of requests at one Files API. `now_ms` is the time in milliseconds since 1970."""

    def __init__(
        self,
        api: FilesApi,
        index: RemoteIndex,
        *,
        policy: RemotePolicy | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._api = api
        self._index = index
        self._policy = policy or RemotePolicy()
        self._now_ms = now_ms

    def place(self, request: PreparedRequest, *, cancel: CancelToken | None = None) -> Placement:
        """Upload what is not there yet, and name every picture by its id; all inline where one cannot be placed.

        Raises `Cancelled`. Ids that a request already has are not looked at: they may be another account's.
        """
        token = cancel or CancelToken()
        images = _images_of(request)
        if not request.route.files_api == FILES_APIS.get(request.route.adapter) == self._api.name:
            return Placement(_with_ids(request, {}), inline=WhyInline.NO_FILES_API)
        try:
            settled = self._all_settled(images, token)
        except FilesFailure as failure:
            return Placement(_with_ids(request, {}), inline=failure.why)
        files = tuple(file for file, _ in settled)
        ids = {file.variant_id: file.remote_id for file in files}
        return Placement(
            _with_ids(request, ids), files, frozenset(file.variant_id for file, is_new in settled if is_new)
        )

    def after(self, placed: Placement, error: BaseException, *, cancel: CancelToken | None = None) -> Placement | None:
        """What to send after the provider's client raised `error`; None where it is not about uploads that are gone.

        An upload is made anew once. Providers name one unknown id at a time, so the second time every older upload of
        the request is made anew. Where that does not help, all pictures go inline.
        """
        stale = stale_among(error, placed.files)
        if not stale:
            return None
        older = [file for file in placed.files if file.variant_id not in placed.uploaded]
        for file in older if placed.mended else stale:
            self._index.forget(file)
        mended = placed.mended + 1
        if any(file.variant_id in placed.uploaded for file in stale):
            for file in stale:
                self._index.forget(file)
            return Placement(_with_ids(placed.request, {}), inline=WhyInline.STALE, mended=mended)
        again = self.place(placed.request, cancel=cancel)
        return replace(again, uploaded=again.uploaded | placed.uploaded, mended=mended)

    def deliver(
        self, request: PreparedRequest, send: Callable[[dict[str, Any]], T], *, cancel: CancelToken | None = None
    ) -> tuple[T, Placement]:
        """Send a request with `send`, which is given the provider's body and raises what its client raises.

        Returns what `send` returned, and how the pictures went. An error about uploads that are gone is mended as
        `after` says, which ends after three times; every other error is raised as it is, at once.
        """
        placed = self.place(request, cancel=cancel)
        while True:
            try:
                return send(placed.body), placed
            except Exception as exc:
                mended = self.after(placed, exc, cancel=cancel)
                if mended is not None:
                    placed = mended
                    continue
                raise

    def clear(
        self, variants: Sequence[Digest] | None = None, *, cancel: CancelToken | None = None
    ) -> tuple[RemoteFile, ...]:
        """Delete the uploads of these variants at the provider, or all of this scope; those that are gone now.

        For attachments that were deleted, or an account that is given up. One that cannot be deleted now stays listed.
        """
        token = cancel or CancelToken()
        wanted = None if variants is None else set(variants)
        files = [file for file in self._index.listed(self._api.scope) if wanted is None or file.variant_id in wanted]
        return tuple(file for file in files if self._deleted(file, token))

    def _all_settled(self, images: Mapping[Digest, RequestImage], cancel: CancelToken) -> list[tuple[RemoteFile, bool]]:
        """The upload of each picture, several at a time. The first failure ends all others at once and is raised."""
        stop = CancelToken()
        take_back = cancel.on_cancel(lambda: stop.cancel(cancel.reason))

        def settled(image: RequestImage) -> tuple[RemoteFile, bool]:
            with ExitStack() as failing:
                failing.callback(stop.cancel, "another upload failed")
                made = self._settled(image, images, stop)
                failing.pop_all()
            return made

        try:
            with ThreadPoolExecutor(max(1, self._policy.max_parallel), thread_name_prefix="eyeline-upload") as threads:
                jobs = [threads.submit(settled, image) for image in images.values()]
        finally:
            take_back()
        cancel.raise_if_cancelled()
        failures = [exc for job in jobs if (exc := job.exception()) is not None]
        if failures:
            raise next((exc for exc in failures if not isinstance(exc, Cancelled)), failures[0])
        return [job.result() for job in jobs]

    def _settled(
        self, image: RequestImage, wanted: Mapping[Digest, RequestImage], cancel: CancelToken
    ) -> tuple[RemoteFile, bool]:
        """The upload of a picture, and whether it is new."""
        with self._index.claim(self._api.scope, image.variant_id, cancel=cancel):
            cancel.raise_if_cancelled()
            known = self._index.find(self._api.scope, image.variant_id)
            margin_ms = self._policy.margin_s * 1000
            is_same = known is not None and known.digest == image.digest
            if known is not None and is_same and known.is_usable(self._now_ms(), margin_ms=margin_ms):
                return known, False
            # one that is near its end goes by itself, and may be in a request that is under way
            file = self._uploaded(image, wanted, cancel)
            self._index.keep(file)
        return file, True

    def _uploaded(self, image: RequestImage, wanted: Mapping[Digest, RequestImage], cancel: CancelToken) -> RemoteFile:
        clearings, is_again = 0, False
        while True:
            asked_ms = self._now_ms()
            try:
                made = self._api.upload(image, cancel=cancel)
            except FilesFailure as failure:
                if failure.why is WhyInline.FULL and clearings < _CLEARINGS:
                    clearings += 1
                    if self._make_room(len(image.bytes), wanted, cancel):
                        continue
                elif not failure.lasts and not is_again:
                    is_again = True
                    cancel.wait(_AGAIN_S)
                    cancel.raise_if_cancelled()
                    continue
                raise
            ends_ms = None if made.lives_s is None else asked_ms + made.lives_s * 1000
            return RemoteFile(
                self._api.scope, image.variant_id, image.digest, made.remote_id, len(image.bytes), ends_ms
            )

    def _make_room(self, byte_count: int, wanted: Mapping[Digest, RequestImage], cancel: CancelToken) -> bool:
        """Delete our own uploads that this request does not need, those used longest ago first; whether any went."""
        files = self._index.listed(self._api.scope)
        least = max(byte_count, sum(file.byte_count for file in files) * self._policy.clear_share_percent // 100)
        freed = 0
        for file in files:
            if freed >= least:
                break
            if file.variant_id not in wanted and self._deleted(file, cancel):
                freed += file.byte_count
        return freed > 0

    def _deleted(self, file: RemoteFile, cancel: CancelToken) -> bool:
        try:
            self._api.delete(file.remote_id, cancel=cancel)
        except FilesFailure:
            return False
        self._index.forget(file)
        return True


def _images_of(request: PreparedRequest) -> dict[Digest, RequestImage]:
    """Each picture of a request once, in order."""
    found: dict[Digest, RequestImage] = {}
    for message in request.messages:
        for part in message.parts:
            for inner in part.parts if isinstance(part, PreparedToolResult) else (part,):
                if isinstance(inner, PreparedImage):
                    found.setdefault(inner.image.variant_id, inner.image)
    return found


def _with_ids(request: PreparedRequest, ids: Mapping[Digest, str]) -> PreparedRequest:
    """The request with these ids and no others."""

    def with_id(part: P) -> P:
        if isinstance(part, PreparedImage):
            return replace(part, remote_id=ids.get(part.image.variant_id))
        if isinstance(part, PreparedToolResult):
            return replace(part, parts=tuple(with_id(each) for each in part.parts))
        return part

    messages = tuple(replace(message, parts=tuple(map(with_id, message.parts))) for message in request.messages)
    return replace(request, messages=messages)
