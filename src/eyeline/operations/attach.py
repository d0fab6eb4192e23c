"""`attach`: keep pictures and files of a conversation, all of a message or none, and answer their references."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import BinaryIO

from eyeline.errors import AttachmentRefused, InvalidRequest
from eyeline.model.attachment import AttachmentRef
from eyeline.model.display import shown
from eyeline.request.attachments import AttachmentStore, Upload
from eyeline.request.saving import Kind
from eyeline.toolkit.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """A file to attach: the name it has, and how to open it."""

    name: str
    open: Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True)
class AttachOptions:
    """What the files are taken for (the bytes decide without), and who holds them from now on."""

    kind: Kind | None = None
    holder: str | None = None
    cancel: CancelToken = field(default_factory=CancelToken)


@dataclass(frozen=True, slots=True)
class AttachReport:
    """The references, in the order of the files."""

    references: tuple[AttachmentRef, ...]


def attach(offered: Iterable[OfferedFile], *, store: AttachmentStore, options: AttachOptions) -> AttachReport:
    """Attach what one message holds. All of it is prepared before any is published.

    Raises `AttachmentRefused` with the name of the first file that is refused, `InvalidRequest` without any file, and
    what the store raises.
    """
    files = [*offered]
    if not files:
        raise InvalidRequest("there is nothing to attach", hint="name at least one file")
    with ExitStack() as stack:
        uploads = [Upload(stack.enter_context(each.open()), each.name, options.kind) for each in files]
        try:
            refs = store.save(uploads, holder=options.holder, cancel=options.cancel)
        except AttachmentRefused as exc:
            raise _about(exc, files) from exc
    return AttachReport(tuple(refs))


def _about(refusal: AttachmentRefused, files: list[OfferedFile]) -> AttachmentRefused:
    """The refusal with the name of the file it is about."""
    index = refusal.detail.get("index")
    if not isinstance(index, int):
        return refusal
    name = shown(files[index].name)
    said = AttachmentRefused(f"{name}: {refusal.message}", hint=refusal.hint or "nothing was attached")
    said.detail.update({**refusal.detail, "name": name})
    return said
