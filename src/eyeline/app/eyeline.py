"""`Eyeline`: the embedded application: every verb over one home."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from eyeline.app.files_apis import remote_pictures
from eyeline.app.home import Home, now_ms
from eyeline.app.offering import Fetching, offered_files, offered_paths, offered_stream
from eyeline.app.viewer import Viewer
from eyeline.catalog.records import AuditChain, AuditFilters
from eyeline.convert.lanes import Describer, Transcriber
from eyeline.errors import DocumentNotFound
from eyeline.model.access import Principal
from eyeline.model.assembly import OffloadRecord
from eyeline.model.audit import AuditOutcome, AuditPage
from eyeline.model.document import DEFAULT_COLLECTION
from eyeline.model.envelope import Found, Opened
from eyeline.model.limits import AnswerLimit
from eyeline.model.locator import Locator
from eyeline.model.route import RoutePolicy
from eyeline.operations import attach as attaching
from eyeline.operations import check as checking
from eyeline.operations import convert as converting
from eyeline.operations import fetch as fetching
from eyeline.operations import find as finding
from eyeline.operations import forget as forgetting
from eyeline.operations import ingest as ingesting
from eyeline.operations import limits as limiting
from eyeline.operations import open as opening
from eyeline.operations import prepare as preparing
from eyeline.operations import publish as publishing
from eyeline.operations import read as reading
from eyeline.operations import show as showing
from eyeline.operations.checking import GRACE_MS, CheckOptions
from eyeline.operations.resolving import UNKNOWN, version_named
from eyeline.presenters.opened import OpenedSource
from eyeline.request.access import Placed
from eyeline.request.assembling import Assembled
from eyeline.request.attachments import AttachmentStore
from eyeline.request.saving import Kind
from eyeline.settings import Settings, default_home, load_settings
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import validate

if TYPE_CHECKING:
    from eyeline.request.remote import RemotePictures

Progress = Callable[[int, int, str], None]
"""Is told how far work is: done, total, what."""


class Eyeline:
    """One home, opened. Use it as a context manager, or `close` it; it is safe to share between threads.

    `home` defaults to `$EYELINE_HOME`, else the platform's data folder. `principal` names the caller in the audit log
    (default `local:<user>`). `tree` is where the tree is published (default `tree/` in the home). `describer`
    and `transcriber` replace the configured ones. Raises `ConfigError` for settings that cannot be used.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        settings: Settings | None = None,
        principal: str | Principal | None = None,
        tree: str | Path | None = None,
        describer: Describer | None = None,
        transcriber: Transcriber | None = None,
    ) -> None:
        self.home = default_home() if home is None else Path(home).expanduser().absolute()
        self.settings = load_settings(self.home) if settings is None else settings
        self.principal = _principal(principal)
        place = None if tree is None else Path(tree).expanduser().absolute()
        self._home = Home(self.home, settings=self.settings, tree=place, describer=describer, transcriber=transcriber)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close databases and end the decoder processes. Closing twice does nothing."""
        self._home.close()

    @property
    def tree(self) -> Path:
        """Where the tree is published."""
        return self._home.tree

    @property
    def attachments(self) -> AttachmentStore:
        """The attachments of this home: pictures and files of conversations."""
        return self._home.attachments

    def ingest(
        self,
        *paths: str | Path,
        collection: str = DEFAULT_COLLECTION,
        ref: str | None = None,
        wait: bool = True,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> ingesting.IngestReport:
        """Take in files, folders, globs and http(s) URLs; one record each, good and bad. `ref` names a single one.

        A URL is a text with `://`; it is fetched under the policy `urls` of the settings, and is the document's name.
        Without `wait`, what was taken in is kept, decoded and viewable, and its text is left to the next `convert`.
        """
        options = ingesting.IngestOptions(self.principal, collection, progress, cancel or CancelToken(), wait)
        fetching = Fetching(lambda: self._home.urls, self.settings.limits.max_bytes)
        offered = offered_paths(paths, ref=ref, fetching=fetching)
        return ingesting.ingest(offered, parts=self._home.ingest_parts, options=options)

    def ingest_stream(
        self,
        stream: BinaryIO,
        *,
        name: str,
        collection: str = DEFAULT_COLLECTION,
        wait: bool = True,
        cancel: CancelToken | None = None,
    ) -> ingesting.IngestReport:
        """Take in one stream under a name."""
        options = ingesting.IngestOptions(self.principal, collection, None, cancel or CancelToken(), wait)
        with offered_stream(stream, name, max_bytes=self.settings.limits.max_bytes) as offered:
            return ingesting.ingest([offered], parts=self._home.ingest_parts, options=options)

    def attach(
        self,
        *paths: str | Path,
        kind: Kind | None = None,
        holder: str | None = None,
        cancel: CancelToken | None = None,
    ) -> attaching.AttachReport:
        """Attach the files of one message, all or none; see `eyeline.operations.attach`. `attachments` has the rest."""
        options = attaching.AttachOptions(kind, holder, cancel or CancelToken())
        return attaching.attach(offered_files(paths), store=self.attachments, options=options)

    def attach_stream(
        self,
        stream: BinaryIO,
        *,
        name: str,
        kind: Kind | None = None,
        holder: str | None = None,
        cancel: CancelToken | None = None,
    ) -> attaching.AttachReport:
        """Attach one stream under a name."""
        options = attaching.AttachOptions(kind, holder, cancel or CancelToken())
        offered = attaching.OfferedFile(name, lambda: stream)
        return attaching.attach([offered], store=self.attachments, options=options)

    def convert(
        self,
        *sources: str,
        again: bool = False,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> converting.ConvertReport:
        """Read originals again where that is due, all of them or those named; see `eyeline.operations.convert`.

        With `again`, also where nothing has changed. The reading before stays; the new one becomes current.
        """
        options = converting.ConvertOptions(self.principal, again, progress, cancel or CancelToken())
        return converting.convert(sources or None, parts=self._home.convert_parts, options=options)

    def check(
        self,
        *,
        repair: bool = False,
        grace_ms: int = GRACE_MS,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> checking.CheckReport:
        """Name what is damaged, missing or left over in this home; with `repair`, mend what can be made again.

        What nothing names yet counts as left over once it is older than `grace_ms`. See docs/checking.md for the codes.
        """
        options = CheckOptions(repair, grace_ms, progress, cancel or CancelToken())
        return checking.check(parts=self._home.check_parts, options=options)

    def forget(
        self,
        *sources: str,
        surface: str = "python",
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> forgetting.ForgetReport:
        """Forget versions, or documents with all their versions, as if they had never been taken in.

        Their text is gone from every file of the home; the audit log keeps who forgot which version, by its id. Raises
        `DocumentNotFound` before anything goes.
        """
        options = forgetting.ForgetOptions(self.principal, surface, progress, cancel or CancelToken())
        parts, audit = self._home.forget_parts, self._home.audit_log
        return forgetting.forget(sources, parts=parts, audit=audit, options=options, clock_ms=now_ms)

    def find(self, query: str = "", *, limit: int = 20, cursor: str | None = None, **filters: str) -> Found:
        """Passages that match, best first; documents when the query is empty.

        Filters: `collection`, `family`, `media_type`, `name`.
        """
        request = validate(finding.FindRequest, {"query": query, "limit": limit, "cursor": cursor, **filters})
        return self.find_request(request)

    def find_request(self, request: finding.FindRequest, *, principal: Principal | None = None) -> Found:
        """The same for a request value, for surfaces."""
        return finding.find(
            request,
            catalog=self._home.catalog,
            store=self._home.store,
            policy=self._home.policy,
            principal=principal or self.principal,
        )

    def show(self, source: str) -> showing.Shown:
        """Everything known of a version, a document, a name or a tree path. Raises `DocumentNotFound`."""
        shown = showing.show(
            self.version_of(source),
            catalog=self._home.catalog,
            store=self._home.store,
            policy=self._home.policy,
            principal=self.principal,
        )
        if shown is None:
            raise DocumentNotFound(UNKNOWN)
        return shown

    def read(
        self,
        source: str,
        *,
        start: int = 0,
        end: int | None = None,
        representation_id: str | None = None,
        answer: AnswerLimit | None = None,
    ) -> OpenedSource:
        """Derived text (`document.md`), whole or the code points `start` to `end`."""
        request = reading.ReadRequest(self.version_of(source), representation_id, start, end)
        return OpenedSource.of(self.read_request(request, answer=answer))

    def read_request(
        self, request: reading.ReadRequest, *, principal: Principal | None = None, answer: AnswerLimit | None = None
    ) -> Opened:
        """The same for a request value, for surfaces."""
        return reading.read(
            request,
            catalog=self._home.catalog,
            store=self._home.store,
            policy=self._home.policy,
            principal=principal or self.principal,
            answer=answer or self.settings.answer,
        )

    def open(
        self,
        source: str,
        *,
        representation_id: str | None = None,
        locator: str | Locator | None = None,
        accept: Iterable[str] | None = None,
        surface: str = "python",
        answer: AnswerLimit | None = None,
        cancel: CancelToken | None = None,
    ) -> OpenedSource:
        """Open a version, a document's current version, a name or a tree path; see `eyeline.operations.open`."""
        request = opening.OpenRequest(
            self.version_of(source),
            representation_id,
            None if locator is None else str(locator),
            None if accept is None else tuple(accept),
        )
        caller = opening.Caller(self.principal, surface, answer or self.settings.answer, cancel or CancelToken())
        return OpenedSource.of(self.open_request(request, caller=caller))

    def open_request(self, request: opening.OpenRequest, *, caller: opening.Caller) -> Opened:
        """The same for a request value, for surfaces."""
        return opening.open_source(request, parts=self._home.open_parts, caller=caller)

    def record_refused_open(self, code: str, *, caller: opening.Caller) -> None:
        """Record an open that was refused before it named a source, for surfaces that read arguments themselves."""
        opening.record_refusal(code, parts=self._home.open_parts, caller=caller)

    def fetch(
        self, source: str, *, start: int = 0, end: int | None = None, surface: str = "python"
    ) -> fetching.Fetched:
        """The exact bytes of an original, or a range of them."""
        return fetching.fetch(
            self.version_of(source),
            start=start,
            end=end,
            parts=self._home.fetch_parts,
            principal=self.principal,
            surface=surface,
        )

    def prepare(
        self,
        conversation: preparing.Conversation,
        *,
        route: str | RoutePolicy,
        world: object = None,
        placed: Placed | None = None,
        record: OffloadRecord | None = None,
        files_api: bool = False,
        cancel: CancelToken | None = None,
    ) -> Assembled:
        """Make a conversation that holds references into one request for a route; see docs/requests.md.

        `route` may be the name of a model. Without a `world`, the model is told that it has no files. Hand the
        `record` of each request to the next one. `files_api` puts the pictures to the Files API of the route.
        """
        remote = self.remote_pictures if files_api else None
        options = preparing.PrepareOptions(route, world, placed or {}, record, remote, cancel or CancelToken())
        return preparing.prepare(conversation, store=self._home.attachments, options=options)

    def remote_pictures(self, name: str) -> RemotePictures:
        """What puts pictures to the Files API of a provider, with the key and the account of the settings.

        Raises `ConfigError` for a provider that has none, and without a key.
        """
        return remote_pictures(name, settings=self.settings.files_api, folder=self.home / "remote")

    def viewer(self, base_dir: str | Path | None = None, *, allow_urls: bool = False) -> Viewer:
        """What shows files inside a folder, and URLs, without taking them in; it works as long as this is open."""
        return Viewer(base_dir, allow_urls=allow_urls, settings=self.settings, pool=self._home.pool)

    def publish(
        self,
        *sources: str,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> int:
        """Write the tree: every document, or those named. Returns how many."""
        doc_ids = [self.show(source).source.doc_id for source in sources] if sources else None
        return publishing.publish(
            doc_ids,
            parts=self._home.forget_parts,
            progress=progress,
            cancel=cancel or CancelToken(),
        )

    def limits(self, *, answer: AnswerLimit | None = None) -> limiting.ServedLimits:
        """The served set and every bound in force, with what isolates the decoders."""
        return limiting.limits(
            served=self.settings.served,
            answer=answer or self.settings.answer,
            intake=self.settings.limits,
            isolation=str(self._home.pool.isolation()),
        )

    def audit(self, filters: AuditFilters | None = None, *, cursor: str | None = None, limit: int = 50) -> AuditPage:
        """What was delivered, refused and failed, newest first."""
        return self._home.audit_log.records(filters or AuditFilters(), cursor=cursor, limit=limit)

    def verify_audit(self) -> AuditChain:
        """Walk the chain of the audit log and say whether every record still follows from the one before it."""
        return self._home.audit_log.verify_chain()

    def complete_delivery(self, opened: Opened, *, code: str) -> None:
        """Record that the delivery of an answer broke off; `code` says why."""
        if opened.audit_seq is not None:
            self._home.audit_log.complete(opened.audit_seq, AuditOutcome.FAILED, code=code, at_ms=now_ms())

    def version_of(self, source: str) -> str:
        """The version id that a version id, document id, name or tree path means. Raises `DocumentNotFound`."""
        return version_named(source, catalog=self._home.catalog, principal=self.principal)


def _principal(given: str | Principal | None) -> Principal:
    if isinstance(given, Principal):
        return given
    return Principal(f"local:{getpass.getuser()}" if given is None else given)
