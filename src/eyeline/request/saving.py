"""One batch on its way in: received within bounds, told apart by its bytes, normalised side by side, staged."""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from eyeline.errors import AttachmentRefused, LimitExceeded
from eyeline.media.sniffing import sniff_file
from eyeline.model.attachment import AttachmentLimits, AttachmentRefusal, FileRef, ImageRef
from eyeline.model.media_type import Family, MediaType
from eyeline.request import layout
from eyeline.request.ledger import Published
from eyeline.request.normalising import Normalised, Normaliser
from eyeline.request.objects import HeldBytes, Objects, Received
from eyeline.request.preparing import side_by_side
from eyeline.request.refusing import refused
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.copying import Readable

Kind = Literal["picture", "file"]


@dataclass(frozen=True, slots=True)
class Upload:
    """Something to attach: its bytes, or a stream that is read once, and the name it has outside.

    `kind` says what it is taken for; without it, the bytes decide.
    """

    content: bytes | Readable
    name: str | None = None
    kind: Kind | None = None


class Batch:
    """What one message attaches. Everything in it is gone with the `stack`, but what is published before."""

    def __init__(self, objects: Objects, stack: ExitStack, *, normaliser: Normaliser, limits: AttachmentLimits) -> None:
        self._objects = objects
        self._stack = stack
        self._normaliser = normaliser
        self._limits = limits
        self._taken = 0

    def prepared(self, uploads: Sequence[Upload], *, cancel: CancelToken) -> list[Published]:
        """Everything, ready to be published, in order. Raises `AttachmentRefused` with the `index`, `EngineFailed`."""
        self._count(sum(each.kind == "picture" for each in uploads))
        came = [self.receive(upload, index=index) for index, upload in enumerate(uploads)]
        types = [self.type_of(each, upload.name) for each, upload in zip(came, uploads, strict=True)]
        pictures = [
            place
            for place, upload in enumerate(uploads)
            if upload.kind == "picture" or (upload.kind is None and types[place].family is Family.IMAGE)
        ]
        self._count(len(pictures))
        first = {came[place].digest: place for place in reversed(pictures)}

        def normalise(place: int) -> Normalised:
            return self._normalise(came[place], types[place], index=place, cancel=cancel)

        places = sorted(first.values())
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="eyeline-sync") as beside:
            synced = [beside.submit(each.settle) for each in came]
            made = dict(zip(places, side_by_side(normalise, places), strict=True))
        for each in synced:
            each.result()
        objects = {place: self._stage(each) for place, each in made.items()}
        published: list[Published] = []
        for place, upload in enumerate(uploads):
            if place in pictures:
                source = first[came[place].digest]
                published.append(Published(image_ref(made[source], upload.name), came[place], objects[source]))
            else:
                published.append(Published(_file_ref(came[place], types[place], upload.name), came[place]))
        cancel.raise_if_cancelled()
        return published

    def receive(self, upload: Upload, *, index: int) -> Received:
        """Take one in, within what is left of the message's bytes. Raises `AttachmentRefused`."""
        limits, content = self._limits, upload.content
        stream = io.BytesIO(content) if isinstance(content, bytes) else content
        left = limits.max_message_bytes - self._taken
        try:
            received = self._stack.enter_context(self._objects.receive(stream, max_bytes=min(limits.max_bytes, left)))
        except LimitExceeded as exc:
            is_large = left >= limits.max_bytes
            refusal = AttachmentRefusal.TOO_LARGE if is_large else AttachmentRefusal.MESSAGE_TOO_LARGE
            allowed = limits.max_bytes if is_large else limits.max_message_bytes
            what = "an attachment" if is_large else "what one message attaches"
            raise refused(refusal, f"{what} has at most {allowed} bytes", index=index, allowed=allowed) from exc
        if not received.byte_count:
            raise refused(AttachmentRefusal.EMPTY, "there are no bytes to attach", index=index)
        self._taken += received.byte_count
        return received

    def type_of(self, received: Received, name: str | None) -> MediaType:
        """What came in, by its bytes; the name only says which text it is."""
        with received.open() as file:
            return sniff_file(file, name=name)

    def _count(self, pictures: int) -> None:
        allowed = self._limits.max_images
        if pictures > allowed:
            raise refused(
                AttachmentRefusal.TOO_MANY_IMAGES,
                f"{pictures} pictures are more than the {allowed} of one message",
                allowed=allowed,
                asked=pictures,
            )

    def _normalise(self, received: Received, media_type: MediaType, *, index: int, cancel: CancelToken) -> Normalised:
        held = HeldBytes(received.digest, received.byte_count, media_type, received.open)
        try:
            return self._normaliser.normalise(held, cancel=cancel)
        except AttachmentRefused as exc:
            exc.detail.setdefault("index", index)
            raise

    def _stage(self, normalised: Normalised) -> Received | None:
        """The normalised object, on the medium; none where the upload is it."""
        if normalised.data is None:
            return None
        received = self._stack.enter_context(self._objects.receive(io.BytesIO(normalised.data)))
        received.settle()
        return received


def image_ref(normalised: Normalised, name: str | None) -> ImageRef:
    """The reference to a picture under a name."""
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


def _file_ref(received: Received, media_type: MediaType, name: str | None) -> FileRef:
    leaf = layout.safe_leaf(name, media_type=media_type)
    return FileRef(received.digest, media_type, received.byte_count, leaf)
