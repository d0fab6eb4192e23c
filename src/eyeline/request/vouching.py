"""Whether a reference says what its object is: a history comes from outside, and its numbers decide sizes and texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from eyeline.errors import AttachmentNotFound, IntegrityError, InvalidReference
from eyeline.model.attachment import AttachmentRef, ImageRef
from eyeline.model.probe import Probe
from eyeline.request import layout
from eyeline.request.objects import HeldBytes, InMemory, Objects
from eyeline.toolkit.cancel import CancelToken

MAX_REMEMBERED = 10_000
Look = Callable[[HeldBytes, CancelToken | None], Probe]


class Voucher:
    """Compares references with what is kept: their bytes each time, their sides once.

    `is_recorded` says whether a reference was recorded as it is, `look` what the container of a picture says.
    """

    def __init__(self, objects: Objects, *, is_recorded: Callable[[AttachmentRef], bool], look: Look) -> None:
        self._objects = objects
        self._is_recorded = is_recorded
        self._look = look
        self._vouched: dict[ImageRef, None] = {}

    def check(
        self, ref: AttachmentRef, read: Callable[[], bytes], *, with_original: bool = False, cancel: CancelToken | None
    ) -> None:
        """Compare a reference with its object, and `with_original` with the exact upload.

        Raises `AttachmentNotFound` where one is not there, `IntegrityError` where it is another one than the reference
        says, and `InvalidReference`.
        """
        self._check_bytes(ref, with_original=with_original)
        if isinstance(ref, ImageRef):
            nameless = replace(ref, name="")
            if nameless not in self._vouched:
                if not self._is_recorded(ref):
                    self._check_sides(ref, read(), cancel)
                if len(self._vouched) >= MAX_REMEMBERED:
                    self._vouched = {}
                self._vouched[nameless] = None

    def _check_bytes(self, ref: AttachmentRef, *, with_original: bool) -> None:
        kept = [(layout.ref_path(ref), ref.byte_count)]
        if with_original and isinstance(ref, ImageRef):
            kept.append((layout.upload_path(ref.original), ref.original.byte_count))
        for path, said in kept:
            found, digest = self._objects.byte_count(path), str(layout.digest_of(path))
            if found is None:
                raise AttachmentNotFound(f"there is no attachment {digest!r}", digest=digest)
            if found != said:
                raise IntegrityError("an attachment has other bytes than its reference says", digest=digest)

    def _check_sides(self, ref: ImageRef, data: bytes, cancel: CancelToken | None) -> None:
        held = HeldBytes(ref.attachment_id, len(data), ref.media_type, lambda: InMemory(data))
        probe = self._look(held, cancel)
        if (probe.size, probe.has_alpha) != (ref.size, ref.has_alpha):
            raise IntegrityError("a picture is another one than its reference says", digest=str(ref.attachment_id))
        same = ref.original.digest == ref.attachment_id
        if same and (ref.original.width_px, ref.original.height_px) != (ref.width_px, ref.height_px):
            raise InvalidReference("a reference says two sizes of the same bytes", field="original")
