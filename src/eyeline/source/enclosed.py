"""References of what came inside a mail: the mail's own, and behind it a folder, the number and the name."""

from __future__ import annotations

from eyeline.model.document import SourceKind
from eyeline.model.ids import document_id

FOLDER = ".enclosed"
"""Behind the reference of a mail, the folder that the references of what it encloses begin with."""


def reference_inside(mail: str, number: int, *, name: str) -> str:
    """The public reference of what a mail encloses; `name` is a bare file name."""
    return f"{mail}{FOLDER}/{number:02d}-{name}"


def mails_of(collection: str, reference: str) -> tuple[str, ...]:
    """Ids that the document of the mail may have, going by the reference of what it encloses; none for others."""
    mail, slash, _ = reference.rpartition("/")
    if not slash or not mail.endswith(FOLDER):
        return ()
    return tuple(document_id(collection, kind.value, mail.removesuffix(FOLDER)) for kind in SourceKind)
