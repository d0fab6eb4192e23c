"""`ViewedBatch`: what `view` gives back, with the presenters at hand."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.viewing import Viewed
from eyeline.presenters.presented import Presented


@dataclass(frozen=True, slots=True)
class ViewedBatch(Viewed, Presented):
    """An answer of `view`: `report` with one record an item, `parts`, and what agents' channels take."""

    @classmethod
    def of(cls, viewed: Viewed) -> ViewedBatch:
        """The same answer with presenters."""
        return cls(viewed.report, viewed.parts)
