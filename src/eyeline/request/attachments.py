"""`AttachmentStore`: pictures and files of conversations, kept by reference, and the pictures that requests get."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import BinaryIO

from eyeline.errors import AttachmentRefused, IntegrityError, LimitExceeded
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.attachment import (
    AttachmentLimits,
    AttachmentRef,
    AttachmentRefusal,
    FileRef,
    ImageRef,
    ImageTarget,
    RequestImage,
)
from eyeline.model.digest import Digest
from eyeline.model.limits import Limits
from eyeline.render.renditions import Renditions
from eyeline.request import layout
from eyeline.request.normalising import Normalised, Normaliser, media_type_of
from eyeline.request.objects import HeldBytes, Objects, Received
from eyeline.request.refusing import refused
from eyeline.request.variants import VariantCache, Variants
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.copying import Readable


@dataclass(frozen=True, slots=True)
class Upload:
    """Something to attach: its bytes, or a stream that is read once, and the name it has outside."""

    content: bytes | Readable
    name: str | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """One picture of a batch, ready to be published: what came in, and the normalised object where it is another."""

    ref: ImageRef
    upload: Received
    object: Received | None


class AttachmentStore:
    """Keeps attachments in `objects`. References are all a caller needs; they hold no path, no URL and no bytes.

    Every method may be called from any thread. `StoreError` where the disk refuses; no message names a host path.
    """

    def __init__(
        self,
        objects: Objects,
        *,
        pool: BoundedPool,
        limits: AttachmentLimits,
        decoding: Limits,
        cache: VariantCache | None = None,
    ) -> None:
        self._objects = objects
        self._limits = limits
        self._normaliser = Normaliser(pool, decoding=decoding, limits=limits)
        self._variants = Variants(Renditions(pool, limits=decoding), cache=cache)

    # Saving

    def save_image(
        self, content: bytes | Readable, *, name: str | None = None, cancel: CancelToken | None = None
    ) -> ImageRef:
        """Keep one picture: the exact upload and its normalised object. Raises `AttachmentRefused`, `EngineFailed`."""
        return self.save_images([Upload(content, name)], cancel=cancel)[0]

    def save_images(self, uploads: Sequence[Upload], *, cancel: CancelToken | None = None) -> list[ImageRef]:
        """Keep the pictures of a message, in order: all are prepared before the first is published, or none is kept.

        Raises `AttachmentRefused` with the `index` of the first that is refused.
        """
        limits = self._limits
        if len(uploads) > limits.max_images:
            raise refused(
                AttachmentRefusal.TOO_MANY_IMAGES,
                f"{len(uploads)} pictures are more than the {limits.max_images} of one message",
                allowed=limits.max_images,
                asked=len(uploads),
            )
        with ExitStack() as stack:
            received = self._received(uploads, stack)
            prepared = self._prepared(received, uploads, stack, cancel)
            for each in prepared:
                each.upload.settle()
                if each.object is not None:
                    each.object.settle()
            if cancel is not None:
                cancel.raise_if_cancelled()
            for each in prepared:
                self._publish(each)
        return [each.ref for each in prepared]

    def save_file(
        self, content: bytes | Readable, *, name: str | None = None, cancel: CancelToken | None = None
    ) -> FileRef:
        """Keep the exact bytes of a file under a safe leaf name. Raises `AttachmentRefused`."""
        with ExitStack() as stack:
            received = self._receive(Upload(content, name), stack, index=0, taken=0)
            with received.open() as file:
                media_type = media_type_of(file, byte_count=received.byte_count, name=name)
            leaf = layout.safe_leaf(name, media_type=media_type)
            if cancel is not None:
                cancel.raise_if_cancelled()
            received.publish(layout.file_path(received.digest, leaf))
        return FileRef(received.digest, media_type, received.byte_count, leaf)

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
        return self._variants.of(
            ref,
            target,
            open_object=lambda: self._checked(ref),
            read_object=lambda: self.read(ref),
            cancel=cancel,
        )

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

    def _received(self, uploads: Sequence[Upload], stack: ExitStack) -> list[Received]:
        received: list[Received] = []
        for index, upload in enumerate(uploads):
            taken = sum(each.byte_count for each in received)
            received.append(self._receive(upload, stack, index=index, taken=taken))
        return received

    def _receive(self, upload: Upload, stack: ExitStack, *, index: int, taken: int) -> Received:
        limits, content = self._limits, upload.content
        stream = io.BytesIO(content) if isinstance(content, bytes) else content
        left = limits.max_message_bytes - taken
        try:
            received = stack.enter_context(self._objects.receive(stream, max_bytes=min(limits.max_bytes, left)))
        except LimitExceeded as exc:
            is_large = left >= limits.max_bytes
            refusal = AttachmentRefusal.TOO_LARGE if is_large else AttachmentRefusal.MESSAGE_TOO_LARGE
            allowed = limits.max_bytes if is_large else limits.max_message_bytes
            what = "an attachment" if is_large else "what one message attaches"
            raise refused(refusal, f"{what} has at most {allowed} bytes", index=index, allowed=allowed) from exc
        if not received.byte_count:
            raise refused(AttachmentRefusal.EMPTY, "there are no bytes to attach", index=index)
        return received

    def _prepared(
        self, received: Sequence[Received], uploads: Sequence[Upload], stack: ExitStack, cancel: CancelToken | None
    ) -> list[_Prepared]:
        """Every picture, normalised; equal uploads once, others side by side."""
        first = {each.digest: place for place, each in reversed([*enumerate(received)])}

        def normalise(place: int) -> Normalised:
            return self._normalise(received[place], uploads[place].name, index=place, cancel=cancel)

        places = sorted(first.values())
        if len(places) == 1:
            made = {places[0]: normalise(places[0])}
        else:
            with ThreadPoolExecutor(max_workers=min(len(places), os.cpu_count() or 1)) as threads:
                made = dict(zip(places, threads.map(normalise, places), strict=True))
        objects = {
            place: None if each.data is None else stack.enter_context(self._objects.receive(io.BytesIO(each.data)))
            for place, each in made.items()
        }
        prepared: list[_Prepared] = []
        for upload, came in zip(uploads, received, strict=True):
            place = first[came.digest]
            prepared.append(_Prepared(_ref(made[place], upload.name), came, objects[place]))
        return prepared

    def _normalise(self, received: Received, name: str | None, *, index: int, cancel: CancelToken | None) -> Normalised:
        with received.open() as file:
            media_type = media_type_of(file, byte_count=received.byte_count, name=name)
        try:
            return self._normaliser.normalise(
                HeldBytes(received.digest, received.byte_count, media_type, received.open), cancel=cancel
            )
        except AttachmentRefused as exc:
            exc.detail.setdefault("index", index)
            raise

    def _publish(self, prepared: _Prepared) -> None:
        """Give both objects their names, the one that the reference is called by last."""
        if prepared.object is not None:
            prepared.upload.publish(layout.upload_path(prepared.ref.original))
            prepared.object.publish(layout.object_path(prepared.ref))
        else:
            prepared.upload.publish(layout.object_path(prepared.ref))

    def _checked(self, ref: ImageRef) -> BinaryIO:
        """The normalised object, verified, at its first byte."""
        path = layout.object_path(ref)
        self._objects.verify(path, ref.attachment_id)
        return self._objects.open(path, ref.attachment_id)


def _ref(normalised: Normalised, name: str | None) -> ImageRef:
    return ImageRef(
        attachment_id=normalised.digest,
        media_type=normalised.media_type,
        byte_count=normalised.byte_count,
        width_px=normalised.size.width_px,
        height_px=normalised.size.height_px,
        name=layout.display_name(name, media_type=normalised.media_type),
        original=normalised.upload,
        has_alpha=normalised.has_alpha,
    )


def _verified(opened: BinaryIO, digest: Digest) -> bytes:
    data = opened.read()
    if Digest.of(data) != digest:
        raise IntegrityError("an attachment is not what was kept", digest=str(digest))
    return data
