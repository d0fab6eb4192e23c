"""`Acceptance`: which of the servable media types a caller can take, and which it likes best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eyeline.model.limits import JPEG, PNG
from eyeline.model.media_type import MediaRange, MediaType


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What the caller said it can take, in order of preference; none means anything that is widely taken."""

    ranges: tuple[MediaRange, ...] | None = None

    @classmethod
    def parse(cls, accept: Iterable[str] | None) -> Acceptance:
        """Read an `accept` list; raises `InvalidMediaType` for an entry that is no media type or range."""
        return cls() if accept is None else cls(tuple(MediaRange.parse(text) for text in accept))

    def takes(self, media_type: MediaType) -> bool:
        """Whether the caller can take a type at all."""
        return self.ranges is None or any(each.matches(media_type) for each in self.ranges)

    def pictures(self, served: tuple[MediaType, ...]) -> tuple[MediaType, ...]:
        """The picture encodings to choose between; empty when the caller takes none of those served.

        The first entry that matches decides: a named type is obeyed, a wildcard leaves the engine the choice between
        PNG and JPEG.
        """
        widely = tuple(each for each in served if each in (PNG, JPEG)) or served
        if self.ranges is None:
            return widely
        for entry in self.ranges:
            matching = tuple(each for each in served if entry.matches(each))
            if len(matching) > 1:
                return tuple(each for each in matching if each in widely) or matching
            if matching:
                return matching
        return ()

    def first(self, served: tuple[MediaType, ...]) -> MediaType | None:
        """The served type that the caller likes best, or none that it takes; without a word, the first there is."""
        if self.ranges is None:
            return served[0] if served else None
        return next((each for entry in self.ranges for each in served if entry.matches(each)), None)

    def named(self, served: tuple[MediaType, ...]) -> MediaType | None:
        """As `first`, but only what the caller asks for by its type or family; `*/*` asks for nothing."""
        if self.ranges is None:
            return None
        asked = tuple(entry for entry in self.ranges if entry.name != "*/*")
        return Acceptance(asked).first(served)

    def text(self, native: MediaType, *, served: tuple[MediaType, ...]) -> MediaType | None:
        """The type a text goes out as: its own where that is taken, else any served text type that is."""
        candidates = (native, *(each for each in served if each != native)) if native in served else served
        return next((each for each in candidates if self.takes(each)), None)
