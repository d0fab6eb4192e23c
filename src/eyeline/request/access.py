"""The bridge between attachments and an execution world, and the only module that knows both.

An access is resolved for each request and stored nowhere. Only normalised objects and attached files get a path, never
the stored upload.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eyeline.errors import EyelineError
from eyeline.model.attachment import AttachmentRef, FileRef, ImageRef, ImageTarget, RequestImage
from eyeline.model.display import is_hidden
from eyeline.request.worlds import process_path
from eyeline.toolkit.cancel import CancelToken

Placed = Mapping[AttachmentRef, str]
"""Copies that were made in a world beforehand: the path of each."""


class Attachments(Protocol):
    """What assembling needs of a store of attachments."""

    def image_host_path(self, ref: ImageRef) -> str | None:
        """Where the normalised object lies on the host, or `None`; looks at no disk."""
        ...

    def file_host_path(self, ref: FileRef) -> str | None:
        """Where an attached file lies on the host, or `None`; looks at no disk."""
        ...

    def request_images(
        self, wanted: Sequence[tuple[ImageRef, ImageTarget]], *, cancel: CancelToken | None = None
    ) -> list[RequestImage | EyelineError]:
        """The picture that a request gets for each reference and target, in order; its error where there is none."""
        ...

    def read(self, ref: AttachmentRef) -> bytes:
        """The verified bytes of the normalised object, or of a file."""
        ...


@dataclass(frozen=True, slots=True)
class Bridge:
    """Says for each attachment under which path the world's tools find it, if they do."""

    store: Attachments
    world: object
    placed: Placed = field(default_factory=dict[AttachmentRef, str])

    def path_of(self, ref: AttachmentRef) -> str | None:
        """The path inside the world; `None` where there is none, and for one that no line of text can hold."""
        path = self.placed.get(ref)
        if path is None:
            path = process_path(self.world, self._host_path(ref))
        return None if path is None or not _is_writable(path) else path

    def _host_path(self, ref: AttachmentRef) -> str | None:
        return self.store.file_host_path(ref) if isinstance(ref, FileRef) else self.store.image_host_path(ref)


def _is_writable(path: str) -> bool:
    """Whether a path can stand between backticks as it is: one that had to be escaped would not be the path."""
    return "`" not in path and not any(is_hidden(character) for character in path)
