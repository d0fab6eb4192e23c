"""`view`: a batch of paths and URLs, read, decoded and shown under one budget; one record each, good and bad.

Knows no store and no records of documents: it works without a home. The outcome is that of taking the items one after
the other, whatever arrives first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock

from eyeline.errors import InvalidRequest, LimitExceeded
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.acceptance import Acceptance
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, AdmissionOutcome, BlobRef
from eyeline.model.limits import AnswerLimit, Limits, ServedSet
from eyeline.model.viewing import Viewed, ViewLimits
from eyeline.operations.viewing.arriving import Doors, Left, Urls
from eyeline.operations.viewing.composing import Composing
from eyeline.operations.viewing.drafting import Drawing
from eyeline.operations.viewing.failing import failed, settled
from eyeline.operations.viewing.preparing import Drafted, Preparing
from eyeline.operations.viewing.read_budget import ReadBudget
from eyeline.operations.viewing.reading import Arrived, BatchReader
from eyeline.operations.viewing.recording import reported
from eyeline.render.picture_parts import PictureMaker
from eyeline.render.recording_parts import RecordingMaker
from eyeline.render.recordings import Recordings
from eyeline.render.renditions import Cache, Renditions
from eyeline.render.subject import Room
from eyeline.source.path import FileBoundary
from eyeline.toolkit.cancel import CancelToken, cancelled_when_left

MAX_SOURCE_CHARS = 4096
_KNOWN = 512
_PASSING = (AdmissionOutcome.TIMEOUT, AdmissionOutcome.OVER_MEMORY, AdmissionOutcome.CRASHED)
"""Outcomes that say as much of this machine at that moment as of the bytes."""
_MAKERS = 2


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """What is asked for: paths below the base folder and http(s) URLs, in the order of the answer."""

    paths: tuple[str, ...]


class Admissions:
    """What bytes came to under the limits in force, for the newest of those that were decoded; thread-safe.

    What may be otherwise the next time is decided anew.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Digest, str], Admission] = OrderedDict()
        self._lock = Lock()

    def known(self, content: BlobRef, decide: Callable[[], Admission]) -> Admission:
        """What these bytes came to before, or what `decide` says now."""
        name = (content.digest, content.media_type.name)
        with self._lock:
            if name in self._known:
                self._known.move_to_end(name)
                return self._known[name]
        decided = decide()
        if decided.outcome in _PASSING:
            return decided
        with self._lock:
            self._known[name] = decided
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        return decided


@dataclass(frozen=True, slots=True)
class ViewParts:
    """What viewing works with; without a boundary there are no local files, without `urls` no downloads."""

    pool: BoundedPool
    limits: Limits
    served: ServedSet
    view: ViewLimits
    cache: Cache
    admissions: Admissions
    boundary: FileBoundary | None = None
    urls: Urls | None = None


@dataclass(frozen=True, slots=True)
class ViewCaller:
    """Under which answer limit, how it is stopped, and whom to tell how far it is (`done`, `total`, what)."""

    answer: AnswerLimit
    cancel: CancelToken = field(default_factory=CancelToken)
    progress: Callable[[int, int, str], None] | None = None


def view(request: ViewRequest, *, parts: ViewParts, caller: ViewCaller) -> Viewed:
    """Show a batch. What is wrong with an item is told by its record.

    Raises `InvalidRequest` for what can be no path, `LimitExceeded` for a batch that is too long, and `Cancelled`.
    """
    asked = _checked(request.paths, most=parts.view.max_items)
    unique = tuple(dict.fromkeys(asked))
    with (
        ThreadPoolExecutor(max_workers=parts.view.at_once, thread_name_prefix="eyeline-read") as readers,
        ThreadPoolExecutor(max_workers=_MAKERS, thread_name_prefix="eyeline-make") as makers,
        # before the pools are waited for: whoever waits for room or for a child would wait forever
        cancelled_when_left(caller.cancel) as cancel,
    ):
        budget = ReadBudget(parts.view.max_read_bytes, cancel=cancel)
        arrived, drafted = _Batch(parts, replace(caller, cancel=cancel)).taken_in(
            unique, budget=budget, readers=readers, makers=makers
        )
        composing = Composing(parts.view, caller.answer)
        ready = [item if isinstance(item, Drafted) else None for item in drafted]
        composed = composing.composed(ready, pool=makers)
    caller.cancel.raise_if_cancelled()
    return reported(asked, arrived=arrived, drafted=drafted, composed=composed, read=budget.used, view=parts.view)


class _Batch:
    """The way of the items from their doors to their drafts."""

    def __init__(self, parts: ViewParts, caller: ViewCaller) -> None:
        self._parts = parts
        self._caller = caller
        # A picture may weigh what it weighs: fitting the batch decides at which step of the ladder it goes out.
        answer = replace(caller.answer, max_media_bytes=parts.view.max_inline_bytes)
        room = Room(parts.served, answer, Acceptance(), caller.cancel)
        renditions = Renditions(parts.pool, limits=parts.limits, cache=parts.cache)
        recordings = RecordingMaker(renditions, Recordings(parts.pool, parts.limits))
        drawing = Drawing(PictureMaker(renditions), recordings, room)
        self._preparing = Preparing(parts.pool, parts.limits, drawing, parts.admissions.known, caller.cancel)

    def taken_in(
        self,
        unique: Sequence[str],
        *,
        budget: ReadBudget,
        readers: ThreadPoolExecutor,
        makers: ThreadPoolExecutor,
    ) -> tuple[list[Arrived], list[Drafted | Left]]:
        """Read and draft everything; an item is drafted while later ones are still on their way."""
        parts = self._parts
        doors = Doors(parts.view, parts.boundary, parts.urls)
        reader = BatchReader(doors, budget=budget, cancel=self._caller.cancel)
        arrived: list[Arrived] = []
        pending: list[Future[Drafted | Left]] = []
        try:
            for item in reader.arrivals(tuple(unique), pool=readers):
                arrived.append(item)
                pending.append(makers.submit(self._drafted, item))
                self._tell(len(arrived), total=2 * len(unique), what=item.name)
            drafted: list[Drafted | Left] = []
            for item, future in zip(arrived, pending, strict=True):
                came = settled(future)
                drafted.append(failed(came, name=item.name) if isinstance(came, BaseException) else came)
                self._tell(len(unique) + len(drafted), total=2 * len(unique), what=item.name)
        finally:
            for future in pending:
                future.cancel()
        return arrived, drafted

    def _drafted(self, item: Arrived) -> Drafted | Left:
        if item.source is None:
            assert item.left is not None
            return item.left
        return self._preparing.prepared(item.source, max_pages=self._parts.view.max_pages)

    def _tell(self, done: int, *, total: int, what: str) -> None:
        if self._caller.progress is not None:
            self._caller.progress(done, total, what)


def _checked(paths: tuple[str, ...], *, most: int) -> tuple[str, ...]:
    if not 1 <= len(paths) <= most:
        raise LimitExceeded(
            f"a batch has 1 to {most} paths, not {len(paths)}",
            hint="ask for the others in another call",
            limit="view.max_items",
            allowed=most,
            asked=len(paths),
        )
    for place, path in enumerate(paths):
        if not path or len(path) > MAX_SOURCE_CHARS:
            raise InvalidRequest(
                f"paths.{place} has {len(path)} characters",
                hint=f"a path or URL has 1 to {MAX_SOURCE_CHARS}",
                field=f"paths.{place}",
            )
    return paths
