"""`OpenedSource`: what `Eyeline.open` gives back, with the presenters at hand."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.envelope import Opened
from eyeline.presenters.presented import Presented


@dataclass(frozen=True, slots=True)
class OpenedSource(Opened, Presented):
    """An answer of `open` or `read`: `envelope`, `parts`, `content_manifest`, and what agents' channels take."""

    @classmethod
    def of(cls, opened: Opened) -> OpenedSource:
        """The same answer with presenters."""
        return cls(opened.envelope, opened.parts, opened.audit_seq)
