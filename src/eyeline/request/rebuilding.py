"""Making a normalised object again from its upload, where that gives the same bytes."""

from __future__ import annotations

import io
from enum import StrEnum

from eyeline.catalog.records import KeptObject
from eyeline.errors import (
    AttachmentNotFound,
    AttachmentRefused,
    EngineFailed,
    IntegrityError,
    MediaError,
    StoreError,
)
from eyeline.model.attachment import ImageRef
from eyeline.model.digest import Digest
from eyeline.request import layout
from eyeline.request.ledger import Ledger
from eyeline.request.normalising import Normaliser
from eyeline.request.objects import HeldBytes, InMemory, Objects
from eyeline.toolkit.cancel import CancelToken


class Rebuilt(StrEnum):
    """What came of making an object again; a closed list."""

    MADE = "made again from its upload"
    NO_UPLOAD = "it is what was uploaded"
    LOST = "its upload is lost or damaged too"
    DIFFERS = "made again from its upload, it comes out as other bytes"
    FAILED = "its upload cannot be made into it now"


def rebuild(
    kept: KeptObject, *, objects: Objects, ledger: Ledger, normaliser: Normaliser, cancel: CancelToken
) -> Rebuilt:
    """Make an object again that is missing or damaged. Raises `Cancelled`."""
    came = Rebuilt.NO_UPLOAD
    for ref in ledger.made_at(kept.place):
        try:
            upload = _upload(ref, objects)
            made = normaliser.normalise(upload, cancel=cancel)
            if made.data is None or made.digest != kept.digest:
                came = Rebuilt.DIFFERS
                continue
            with objects.receive(io.BytesIO(made.data)) as received:
                received.settle()
                return Rebuilt.MADE if ledger.replace(kept, received) else Rebuilt.FAILED
        except (AttachmentNotFound, IntegrityError):
            came = Rebuilt.LOST
        except (AttachmentRefused, MediaError, EngineFailed, StoreError):
            came = Rebuilt.FAILED
    return came


def _upload(ref: ImageRef, objects: Objects) -> HeldBytes:
    """The exact upload, verified."""
    said = ref.original
    with objects.open(layout.upload_path(said), said.digest) as opened:
        data = opened.read()
    if Digest.of(data) != said.digest:
        raise IntegrityError("an upload is not what came in", digest=str(said.digest))
    return HeldBytes(said.digest, len(data), said.media_type, lambda: InMemory(data))
