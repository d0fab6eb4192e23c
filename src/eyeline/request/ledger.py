"""What is kept and for whom: publishing under a quota, holders, deleting, collecting. One change at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from eyeline.catalog.records import KeptObject, SavedAttachment
from eyeline.errors import AttachmentHeld, AttachmentNotFound, IntegrityError
from eyeline.model.attachment import (
    AttachmentEntry,
    AttachmentRef,
    AttachmentRefusal,
    AttachmentUsage,
    CollectReport,
    ImageRef,
)
from eyeline.model.digest import Digest
from eyeline.request import layout
from eyeline.request.objects import Objects, Received
from eyeline.request.refusing import refused

GRACE_MS = 7 * 24 * 60 * 60_000
"""How long an attachment may be without a holder before a collection takes it."""


class Index(Protocol):
    """The records of attachments, as `catalog.attachments.AttachmentIndex` keeps them."""

    def save(self, saved: Sequence[SavedAttachment], *, now_ms: int, holder: str | None = None) -> None:
        """Record attachments, needed by a holder or not; what is recorded already was saved again now."""
        ...

    def hold(self, holder: str, saved: Sequence[SavedAttachment], *, now_ms: int) -> None:
        """Somebody needs attachments."""
        ...

    def release(self, holder: str, refs: Sequence[AttachmentRef] | None) -> int:
        """Somebody needs them no more; how many that were."""
        ...

    def holders(self, ref: AttachmentRef) -> tuple[str, ...]:
        """Who needs an attachment."""
        ...

    def entries(self) -> Iterator[AttachmentEntry]:
        """Every attachment, the latest last."""
        ...

    def has(self, ref: AttachmentRef) -> bool:
        """Whether this very reference is recorded, with its name."""
        ...

    def made_at(self, place: str) -> tuple[ImageRef, ...]:
        """The pictures whose object is at a place, and was made from an upload elsewhere; one for each upload."""
        ...

    def known(self, places: Iterable[str]) -> frozenset[str]:
        """Those of some places that an object is recorded for."""
        ...

    def objects(self) -> Iterator[KeptObject]:
        """Every recorded object, by its place."""
        ...

    def keeps(self, digest: Digest) -> bool:
        """Whether an object with this digest is recorded."""
        ...

    def usage(self) -> tuple[int, int, int]:
        """Attachments, objects, and the bytes of the objects."""
        ...

    def forget(self, ref: AttachmentRef) -> bool:
        """Remove the record of one that nobody holds."""
        ...

    def forget_unheld(self, *, before_ms: int) -> int:
        """Remove the records of those nobody holds, last saved before an instant."""
        ...

    def unneeded(self) -> tuple[KeptObject, ...]:
        """Objects that no attachment needs."""
        ...

    def forget_objects(self, places: Iterable[str]) -> None:
        """Remove the records of objects."""
        ...


@dataclass(frozen=True, slots=True)
class Published:
    """One attachment on its way in: its reference, what came in, and the normalised object where it is another."""

    ref: AttachmentRef
    upload: Received
    object: Received | None = None


class Ledger:
    """The records over the objects. `drop` lets go what was made of an attachment whose object goes."""

    def __init__(
        self,
        objects: Objects,
        index: Index,
        *,
        quota_bytes: int,
        clock_ms: Callable[[], int],
        drop: Callable[[Digest], None],
    ) -> None:
        self._objects = objects
        self._index = index
        self._quota_bytes = quota_bytes
        self._clock_ms = clock_ms
        self._drop = drop

    def publish(self, batch: Sequence[Published], *, holder: str | None = None) -> None:
        """Give all of a batch their names and record them, needed by a holder if there is one, or none of it.

        Raises `AttachmentRefused` over the quota.
        """
        named = {place: received for each in batch for place, received in _named(each)}
        with self._objects.exclusive():
            known = self._index.known(named)
            self._check_quota(sum(received.byte_count for place, received in named.items() if place not in known))
            new: list[PurePosixPath] = []
            try:
                for place, received in named.items():
                    if received.publish(PurePosixPath(place)):
                        new.append(PurePosixPath(place))
                self._index.save([saved(each.ref) for each in batch], now_ms=self._clock_ms(), holder=holder)
            except BaseException:
                for path in new:
                    if str(path) not in known:
                        self._objects.delete(path)
                raise

    def _check_quota(self, more: int) -> None:
        taken = self._index.usage()[2]
        if taken + more > self._quota_bytes:
            raise refused(
                AttachmentRefusal.OVER_QUOTA,
                f"{more} bytes more than the {taken} kept are over the quota of {self._quota_bytes}",
                hint="delete or collect attachments, or raise attachments.quota_bytes",
                allowed=self._quota_bytes,
                asked=taken + more,
            )

    def hold(self, holder: str, refs: Sequence[AttachmentRef], *, check: Callable[[AttachmentRef], None]) -> None:
        """Somebody needs attachments from now on. `check` raises for what nobody stored as its reference says."""
        with self._objects.exclusive():
            for ref in refs:
                check(ref)
            self._index.hold(holder, [saved(ref) for ref in refs], now_ms=self._clock_ms())

    def release(self, holder: str, refs: Sequence[AttachmentRef] | None) -> int:
        """Somebody needs some attachments, or any, no more; how many that were."""
        return self._index.release(holder, refs)

    def entries(self) -> Iterator[AttachmentEntry]:
        """Every attachment, the latest last."""
        return self._index.entries()

    def usage(self) -> AttachmentUsage:
        """What all take together."""
        return AttachmentUsage(*self._index.usage(), self._quota_bytes)

    def delete(self, ref: AttachmentRef) -> bool:
        """Let an attachment go that nobody holds, with the objects that no other needs; false where there is none.

        Raises `AttachmentHeld`.
        """
        with self._objects.exclusive():
            holders = self._index.holders(ref)
            if holders:
                raise AttachmentHeld(
                    f"{len(holders)} holders need the attachment",
                    hint="release it for them first",
                    holders=list(holders),
                )
            is_gone = self._index.forget(ref)
            self._let_go()
        return is_gone

    def collect(self, *, grace_ms: int) -> CollectReport:
        """Let go what nobody has held for the grace period, and objects without a record that are as old."""
        before_ms = self._clock_ms() - grace_ms + 1
        with self._objects.exclusive():
            attachments = self._index.forget_unheld(before_ms=before_ms)
            gone = self._let_go()
            gone += [each for each in self.unnamed(before_ms=before_ms) if self._remove(each)]
        return CollectReport(attachments, len(gone), sum(each.byte_count for each in gone))

    def unnamed(self, *, before_ms: int) -> Iterator[KeptObject]:
        """Objects older than an instant that no record names: whoever published them was killed."""
        for found in self._objects.list():
            place = str(found.path)
            if found.kept_ms < before_ms and not self._index.known([place]):
                yield KeptObject(place, layout.digest_of(found.path), found.byte_count)

    def is_recorded(self, ref: AttachmentRef) -> bool:
        """Whether this very reference is recorded: then it was made here, or compared with its object."""
        return self._index.has(ref)

    def made_at(self, place: str) -> tuple[ImageRef, ...]:
        """The pictures whose object is at a place, and was made from an upload elsewhere; one for each upload."""
        return self._index.made_at(place)

    def replace(self, kept: KeptObject, received: Received) -> bool:
        """Put bytes in the place of an object that is missing or damaged; false where it is needed no more."""
        path = PurePosixPath(kept.place)
        with self._objects.exclusive():
            if not self._index.known([kept.place]):
                return False
            with suppress(AttachmentNotFound, IntegrityError):
                self._objects.verify(path, kept.digest)
                return True
            self._objects.delete(path)
            received.publish(path)
        return True

    def recorded(self) -> Iterator[KeptObject]:
        """Every object with a record."""
        return self._index.objects()

    def remove_unnamed(self, kept: KeptObject) -> bool:
        """Remove an object, unless a record names it by now."""
        with self._objects.exclusive():
            return not self._index.known([kept.place]) and self._remove(kept)

    def _let_go(self) -> list[KeptObject]:
        """Delete what no attachment needs: the bytes first, so that a killed deletion is found by its record.

        What was made of it goes before, and once more after: whoever was making something meanwhile had found a record.
        """
        unneeded = [*self._index.unneeded()]
        for each in unneeded:
            self._remove(each)
        self._index.forget_objects([each.place for each in unneeded])
        for each in unneeded:
            self._drop(each.digest)
        return unneeded

    def _remove(self, unneeded: KeptObject) -> bool:
        self._drop(unneeded.digest)
        return self._objects.delete(PurePosixPath(unneeded.place))


def saved(ref: AttachmentRef) -> SavedAttachment:
    """A reference with the places of its objects, both the same where the upload is the object."""
    kept = KeptObject(str(layout.ref_path(ref)), ref.attachment_id, ref.byte_count)
    if not isinstance(ref, ImageRef) or ref.original.digest == ref.attachment_id:
        return SavedAttachment(ref, kept, kept)
    upload = ref.original
    return SavedAttachment(ref, kept, KeptObject(str(layout.upload_path(upload)), upload.digest, upload.byte_count))


def _named(published: Published) -> Iterator[tuple[str, Received]]:
    """What gets which name, the upload before the object that the reference is called by."""
    places = saved(published.ref)
    yield places.upload.place, published.upload
    if published.object is not None:
        yield places.object.place, published.object
