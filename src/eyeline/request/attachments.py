"""`AttachmentStore`: pictures and files of conversations, kept by reference, and the pictures that requests get."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import PurePosixPath
from typing import BinaryIO

from eyeline.catalog.records import KeptObject
from eyeline.errors import Cancelled, EyelineError, IntegrityError
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.attachment import (
    AttachmentEntry,
    AttachmentLimits,
    AttachmentRef,
    AttachmentUsage,
    CollectReport,
    FileRef,
    ImageRef,
    ImageTarget,
    RequestImage,
    UploadedImage,
)
from eyeline.model.digest import Digest
from eyeline.model.limits import Limits
from eyeline.render.renditions import Renditions
from eyeline.request import layout
from eyeline.request.ledger import GRACE_MS, Index, Ledger
from eyeline.request.normalising import Normaliser
from eyeline.request.objects import HeldBytes, Objects
from eyeline.request.preparing import PixelBudget, side_by_side
from eyeline.request.rebuilding import Rebuilt, rebuild
from eyeline.request.saving import Batch, Upload
from eyeline.request.variants import VariantCache, Variants
from eyeline.request.vouching import Voucher
from eyeline.store.base import StoreFlaw
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.copying import Readable


class AttachmentStore:
    """Keeps attachments in `objects`. References are all a caller needs; they hold no path, no URL and no bytes.

    Every method may be called from any thread. `StoreError` where the disk refuses; no message names a host path.
    """

    def __init__(
        self,
        objects: Objects,
        *,
        index: Index,
        pool: BoundedPool,
        limits: AttachmentLimits,
        decoding: Limits,
        clock_ms: Callable[[], int],
        cache: VariantCache | None = None,
    ) -> None:
        self._objects = objects
        self._budget = PixelBudget()
        self._cache = cache
        self._ledger = Ledger(objects, index, quota_bytes=limits.quota_bytes, clock_ms=clock_ms, drop=self._drop)
        self._limits = limits
        self._normaliser = Normaliser(pool, decoding=decoding, limits=limits)
        renditions = Renditions(pool, limits=decoding)
        self._variants = Variants(renditions, cache=cache)
        self._voucher = Voucher(
            objects,
            is_recorded=self._ledger.is_recorded,
            look=lambda held, cancel: renditions.look(held, cancel=cancel),
        )

    # Saving

    def validate(
        self, content: bytes | Readable, *, name: str | None = None, cancel: CancelToken | None = None
    ) -> UploadedImage:
        """Decode a picture in full and keep nothing; what it is. Raises `AttachmentRefused`, `EngineFailed`."""
        with ExitStack() as stack:
            batch = self._batch(stack)
            came = batch.receive(Upload(content, name), index=0)
            held = HeldBytes(came.digest, came.byte_count, batch.type_of(came, name), came.open)
            return self._normaliser.validate(held, cancel=cancel)

    def save_image(
        self, content: bytes | Readable, *, name: str | None = None, cancel: CancelToken | None = None
    ) -> ImageRef:
        """Keep one picture: the exact upload and its normalised object. Raises `AttachmentRefused`, `EngineFailed`."""
        return self.save_images([Upload(content, name)], cancel=cancel)[0]

    def save_images(self, uploads: Sequence[Upload], *, cancel: CancelToken | None = None) -> list[ImageRef]:
        """Keep the pictures of a message, in order: all are prepared before the first is published, or none is kept.

        Raises `AttachmentRefused` with the `index` of the first that is refused, `EngineFailed` and `Cancelled`.
        """
        kept = self.save([replace(each, kind="picture") for each in uploads], cancel=cancel)
        return [ref for ref in kept if isinstance(ref, ImageRef)]

    def save_file(
        self, content: bytes | Readable, *, name: str | None = None, cancel: CancelToken | None = None
    ) -> FileRef:
        """Keep the exact bytes of a file, a picture too, under a safe leaf name. Raises `AttachmentRefused`."""
        kept = self.save([Upload(content, name, kind="file")], cancel=cancel)
        return next(ref for ref in kept if isinstance(ref, FileRef))

    def save(
        self, uploads: Sequence[Upload], *, holder: str | None = None, cancel: CancelToken | None = None
    ) -> list[AttachmentRef]:
        """Keep what a message attaches, in order: what is a picture by its bytes as one, the rest as files.

        All are prepared before the first is published, or none is kept. A `holder` needs them from the moment they are
        kept. Raises what `save_images` raises.
        """
        with ExitStack() as stack:
            published = self._batch(stack).prepared(uploads, cancel=cancel or CancelToken())
            self._ledger.publish(published, holder=holder)
        return [each.ref for each in published]

    def _batch(self, stack: ExitStack) -> Batch:
        return Batch(self._objects, stack, normaliser=self._normaliser, limits=self._limits)

    # Reading

    def read(self, ref: AttachmentRef) -> bytes:
        """The bytes of the normalised object, or of the file, verified.

        Raises `AttachmentNotFound`, `IntegrityError` and `InvalidReference`.
        """
        with self.open(ref) as opened:
            return _verified(opened, ref.attachment_id)

    def read_original(self, ref: AttachmentRef) -> bytes:
        """The exact upload, verified; raises what `read` raises."""
        if isinstance(ref, FileRef):
            return self.read(ref)
        with self._objects.open(layout.upload_path(ref.original), ref.original.digest) as opened:
            return _verified(opened, ref.original.digest)

    def open(self, ref: AttachmentRef) -> BinaryIO:
        """The normalised object, or the file, at its first byte; not verified."""
        return self._objects.open(layout.ref_path(ref), ref.attachment_id)

    def request_image(self, ref: ImageRef, target: ImageTarget, *, cancel: CancelToken | None = None) -> RequestImage:
        """The picture for one request: the same for the same reference and target, as long as it is recorded.

        Raises `MediaTooLarge` where nothing fits into the target, `AttachmentNotFound`, `IntegrityError`,
        `InvalidReference` and `EngineFailed`.
        """
        self._voucher.check(ref, lambda: self.read(ref), cancel=cancel)
        return self._variants.of(ref, target, read_object=lambda: self.read(ref), cancel=cancel)

    def request_images(
        self, wanted: Sequence[tuple[ImageRef, ImageTarget]], *, cancel: CancelToken | None = None
    ) -> list[RequestImage | EyelineError]:
        """The picture for each reference and target, in order; where one cannot be had, its error in its place.

        What is asked for twice is made once; several are made side by side, as far as their pixels fit into memory.
        Raises `Cancelled`.
        """
        works = [(replace(ref, name=""), target) for ref, target in wanted]
        unique = dict.fromkeys(works)
        token = cancel or CancelToken()

        def make(item: tuple[ImageRef, ImageTarget]) -> RequestImage | EyelineError:
            ref, target = item
            try:
                with self._budget.share(ref.size.pixels):
                    token.raise_if_cancelled()
                    return self.request_image(ref, target, cancel=token)
            except Cancelled:
                raise
            except EyelineError as exc:
                return exc

        made = dict(zip(unique, side_by_side(make, [*unique]), strict=True))
        return [made[work] for work in works]

    # Keeping

    def list(self) -> Iterator[AttachmentEntry]:
        """Every attachment, by when it was last saved, the latest last."""
        return self._ledger.entries()

    def usage(self) -> AttachmentUsage:
        """What all attachments take together, and may take."""
        return self._ledger.usage()

    def hold(self, holder: str, *refs: AttachmentRef) -> None:
        """Say that somebody, a conversation for example, needs attachments: they are neither deleted nor collected.

        Raises `AttachmentNotFound` where the object or the upload of one is not there, `IntegrityError` where it is
        another one than the reference says.
        """
        self._ledger.hold(holder, refs, check=self._check_stored)

    def release(self, holder: str, *refs: AttachmentRef) -> int:
        """Say that somebody needs these attachments no more, or none at all any more; how many that were."""
        return self._ledger.release(holder, refs or None)

    def delete(self, ref: AttachmentRef) -> bool:
        """Let an attachment go, with the objects that no other attachment needs; false where there is none.

        Raises `AttachmentHeld` while somebody says to need it.
        """
        return self._ledger.delete(ref)

    def collect(self, *, grace_ms: int = GRACE_MS) -> CollectReport:
        """Let go what nobody holds and nobody has saved within the grace period, and what killed writers left."""
        return self._ledger.collect(grace_ms=grace_ms)

    # Checking

    def recorded(self) -> Iterator[KeptObject]:
        """Every object that an attachment needs, or needed until a deletion was killed."""
        return self._ledger.recorded()

    def verify(self, kept: KeptObject) -> None:
        """Read an object in full. Raises `AttachmentNotFound` and `IntegrityError`."""
        self._objects.verify(PurePosixPath(kept.place), kept.digest)

    def rebuild(self, kept: KeptObject, *, cancel: CancelToken | None = None) -> Rebuilt:
        """Make an object that is missing or damaged again from its upload, where that gives the same bytes."""
        return rebuild(
            kept,
            objects=self._objects,
            ledger=self._ledger,
            normaliser=self._normaliser,
            cancel=cancel or CancelToken(),
        )

    def unnamed(self, *, before_ms: int) -> Iterator[KeptObject]:
        """Objects older than an instant that no record names: whoever published them was killed."""
        return self._ledger.unnamed(before_ms=before_ms)

    def remove_unnamed(self, kept: KeptObject) -> bool:
        """Remove such an object, unless somebody has recorded it since."""
        return self._ledger.remove_unnamed(kept)

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """What is wrong beside the bytes of objects; `mend` mends what loses nothing."""
        return self._objects.flaws(mend=mend)

    # Where they lie

    def image_host_path(self, ref: ImageRef) -> str | None:
        """The absolute path of the normalised object on this machine; none in a store without files.

        It follows from home, layout version, digest and media type; nothing is looked for. Raises `InvalidReference`.
        """
        return self._objects.host_path(layout.object_path(ref))

    def file_host_path(self, ref: FileRef) -> str | None:
        """The absolute path of a file, whose last part is its name. Raises `InvalidReference`."""
        return self._objects.host_path(layout.file_path(ref.attachment_id, ref.name))

    def original_host_path(self, ref: ImageRef) -> str | None:
        """The absolute path of the exact upload, for whoever lets it be shown. Raises `InvalidReference`."""
        return self._objects.host_path(layout.upload_path(ref.original))

    def _drop(self, attachment: Digest) -> None:
        if self._cache is not None:
            self._cache.drop(attachment)

    def _check_stored(self, ref: AttachmentRef) -> None:
        self._voucher.check(ref, lambda: self.read(ref), with_original=True, cancel=None)


def _verified(opened: BinaryIO, digest: Digest) -> bytes:
    data = opened.read()
    if Digest.of(data) != digest:
        raise IntegrityError("an attachment is not what was kept", digest=str(digest))
    return data
