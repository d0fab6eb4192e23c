"""Who asks, and what they may see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller: a name for the audit log and the collections it may see; none of them means all.

    What a principal may not see is indistinguishable from what does not exist.
    """

    name: str
    collections: frozenset[str] | None = None

    def sees(self, collection: str) -> bool:
        """Whether this principal may see a collection."""
        return self.collections is None or collection in self.collections
