"""From an upload to the normalised object: upright, sRGB, without metadata, bounded; what is clean stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from eyeline.errors import AttachmentRefused, EngineFailed, IntegrityError, MediaError
from eyeline.media.admission import admit
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.attachment import AttachmentLimits, AttachmentRefusal, UploadedImage
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, AdmissionOutcome, BlobRef
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, Limits, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import Family, MediaType
from eyeline.model.plan import RenditionPlan, Target
from eyeline.model.probe import Probe
from eyeline.model.rendition import Rendition
from eyeline.render.planning import plan_for
from eyeline.render.renditions import Renditions
from eyeline.request.layout import KEPT_TYPES
from eyeline.request.objects import HeldBytes, InMemory
from eyeline.request.refusing import refused
from eyeline.toolkit.cancel import CancelToken

_DRAWING_EDGE_PX = 2048
_PLAIN_COLOURS = ("srgb", "grey")

_REFUSALS = {
    AdmissionOutcome.MALFORMED: AttachmentRefusal.DAMAGED,
    AdmissionOutcome.TRUNCATED: AttachmentRefusal.CUT_SHORT,
    AdmissionOutcome.OVER_PIXELS: AttachmentRefusal.TOO_MANY_PIXELS,
}


@dataclass(frozen=True, slots=True)
class Normalised:
    """What is kept of an upload: the new bytes, or none where the upload itself is the normalised object."""

    upload: UploadedImage
    data: bytes | None
    digest: Digest
    media_type: MediaType
    byte_count: int
    size: Size
    has_alpha: bool


Make = Callable[[], tuple[Rendition, list[int] | None]]
"""Makes the normalised picture, and its grid where it was made strictly."""


class Normaliser:
    """Makes normalised objects through the engines of `media`, in the bounded child."""

    def __init__(self, pool: BoundedPool, *, decoding: Limits, limits: AttachmentLimits) -> None:
        self._pool = pool
        self._limits = limits
        self._decoding = replace(decoding, max_pixels=min(decoding.max_pixels, limits.max_pixels))
        self._renditions = Renditions(pool, limits=self._decoding)

    def normalise(self, upload: HeldBytes, *, cancel: CancelToken | None = None) -> Normalised:
        """The normalised object of an upload, decoded again. Raises `AttachmentRefused`, `EngineFailed`."""
        quick = self._quickly(upload, cancel)
        if quick is not None:
            return quick
        probe, size = self._looked_at(upload, cancel=cancel)
        uploaded = _uploaded(upload, probe, size)
        if self._is_clean(probe, size, upload):
            return Normalised(
                uploaded, None, upload.digest, upload.media_type, upload.byte_count, size, probe.has_alpha
            )
        return self._made(
            uploaded, lambda: (self._renditions.make(upload, self._plan(probe), cancel=cancel), None), cancel
        )

    def _quickly(self, upload: HeldBytes, cancel: CancelToken | None) -> Normalised | None:
        """A still picture that is not clean, decoded once and not twice; none wherever anything is out of the way."""
        if upload.media_type.family is not Family.IMAGE:
            return None
        with suppress(MediaError, EngineFailed, AttachmentRefused):
            probe = self._renditions.look(upload, cancel=cancel)
            size = probe.size
            is_still = probe.frames == 1 and not probe.is_drawing and not probe.notes
            if size is None or not is_still or size.long_edge > self._limits.max_side_px:
                return None
            if self._is_clean_but_for_metadata(probe, upload):
                stripped = self._stripped(upload, probe, cancel)
                if stripped is not None:
                    return stripped
            if not self._is_clean(probe, size, upload):
                make = partial(self._renditions.make_strictly, upload, self._plan(probe), cancel=cancel)
                return self._made(_uploaded(upload, probe, size), make, cancel)
        return None

    def _stripped(self, upload: HeldBytes, probe: Probe, cancel: CancelToken | None) -> Normalised | None:
        """A JPEG without its metadata, decoded in full; none where it is still not clean then.

        Its pixels stay as they were coded: encoding them anew would lose something and cost twice as much.
        """
        data = self._renditions.bare(upload, cancel=cancel)
        held = HeldBytes(Digest.of(data), len(data), upload.media_type, lambda: InMemory(data))
        admission = self._admit(held, cancel)
        seen = admission.probe
        if admission.outcome is not AdmissionOutcome.ADMITTED or seen is None or seen.size != probe.size:
            return None
        if seen.size is None or not self._is_clean(seen, seen.size, held):
            return None
        uploaded = _uploaded(upload, probe, seen.size)
        return Normalised(uploaded, data, held.digest, held.media_type, len(data), seen.size, seen.has_alpha)

    def _is_clean_but_for_metadata(self, probe: Probe, upload: HeldBytes) -> bool:
        """Whether leaving out what is no pixel may be all that an upload needs."""
        return (
            upload.media_type == JPEG
            and not probe.plain_pixels
            and probe.orientation == 1
            and probe.colour in _PLAIN_COLOURS
            and probe.size is not None
            and probe.size.long_edge <= self._limits.max_normalised_side_px
        )

    def validate(self, upload: HeldBytes, *, cancel: CancelToken | None = None) -> UploadedImage:
        """What an upload is, decoded in full. Raises `AttachmentRefused`, `EngineFailed`."""
        return _uploaded(upload, *self._looked_at(upload, cancel=cancel))

    def _looked_at(self, upload: HeldBytes, *, cancel: CancelToken | None = None) -> tuple[Probe, Size]:
        """What a full decode finds out, and the upright size. Raises `AttachmentRefused`."""
        if upload.media_type.family is not Family.IMAGE:
            raise refused(AttachmentRefusal.NOT_A_PICTURE, f"the bytes are {upload.media_type}, no picture")
        admission = self._admit(upload, cancel)
        probe = admission.probe
        if admission.outcome is not AdmissionOutcome.ADMITTED or probe is None:
            refusal = _REFUSALS.get(admission.outcome, AttachmentRefusal.NOT_DECODABLE)
            raise refused(refusal, f"the picture is not attached: {admission.reason}", outcome=admission.outcome.value)
        if probe.size is None:
            raise refused(AttachmentRefusal.NOT_DECODABLE, "the drawing has nothing to draw")
        allowed = self._limits.max_side_px
        if probe.size.long_edge > allowed:
            raise refused(
                AttachmentRefusal.SIDE_TOO_LONG,
                f"a picture of {probe.size} has a side of more than {allowed} pixels",
                allowed=allowed,
                asked=probe.size.long_edge,
            )
        return probe, probe.size

    def _is_clean(self, probe: Probe, size: Size, upload: HeldBytes) -> bool:
        limits = self._limits
        return (
            probe.plain_pixels
            and upload.media_type in KEPT_TYPES
            and size.long_edge <= limits.max_normalised_side_px
            and upload.byte_count <= limits.max_normalised_bytes
        )

    def _plan(self, probe: Probe) -> RenditionPlan:
        edge = self._limits.max_normalised_side_px
        target = Target(
            media_types=KEPT_TYPES[:2],
            max_edge_px=min(edge, _DRAWING_EDGE_PX) if probe.is_drawing else edge,
            max_pixels=edge * edge,
            max_bytes=self._limits.max_normalised_bytes,
        )
        return replace(plan_for(probe, Locator(), target=target, served=ServedSet()), lasting=True)

    def _made(self, uploaded: UploadedImage, make: Make, cancel: CancelToken | None) -> Normalised:
        """What an engine makes of an upload, decoded again."""
        try:
            made, grid = make()
        except MediaError as exc:
            raise refused(AttachmentRefusal.NOT_DECODABLE, f"the picture is not attached: {exc.message}") from exc
        facts = made.facts
        held = HeldBytes(facts.digest, len(made.bytes), facts.media_type, lambda: InMemory(made.bytes))
        seen = self._decoded_again(held, cancel) if grid is None else self._read_again(held, grid, cancel)
        if not seen.plain_pixels or seen.size != facts.size:
            raise IntegrityError("the normalised picture is not what was made", digest=str(facts.digest))
        return Normalised(
            uploaded, made.bytes, facts.digest, facts.media_type, len(made.bytes), facts.size, seen.has_alpha
        )

    def _read_again(self, held: HeldBytes, grid: list[int], cancel: CancelToken | None) -> Probe:
        """The made bytes, read in a child of their own and compared with the picture that was encoded."""
        try:
            seen, is_same = self._renditions.reread(held, grid, cancel=cancel)
        except MediaError as exc:
            raise EngineFailed("the normalised picture cannot be decoded again", reason="malformed") from exc
        if not is_same:
            raise EngineFailed("the normalised picture is not what was encoded", reason="differs")
        return seen

    def _decoded_again(self, held: HeldBytes, cancel: CancelToken | None) -> Probe:
        """The made bytes, decoded in full in a child of their own."""
        admission = self._admit(held, cancel)
        if admission.outcome is not AdmissionOutcome.ADMITTED or admission.probe is None:
            raise EngineFailed("the normalised picture cannot be decoded again", reason=admission.outcome.value)
        return admission.probe

    def _admit(self, held: HeldBytes, cancel: CancelToken | None) -> Admission:
        content = BlobRef(held.digest, held.byte_count, held.media_type)
        return admit(content, held.open, pool=self._pool, limits=self._decoding, now_ms=0, cancel=cancel)


def _uploaded(upload: HeldBytes, probe: Probe, size: Size) -> UploadedImage:
    return UploadedImage(
        upload.digest, upload.media_type, upload.byte_count, size.width_px, size.height_px, probe.frames
    )
