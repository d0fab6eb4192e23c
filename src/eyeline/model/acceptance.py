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

    def text(self, native: MediaType, *, served: tuple[MediaType, ...]) -> MediaType | None:
        """The type a text goes out as: its own where that is taken, else any served text type that is."""
        candidates = (native, *(each for each in served if each != native)) if native in served else served
        return next((each for each in candidates if self.takes(each)), None)
