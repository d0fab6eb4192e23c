"""What a picture really is: its type by its bytes, its sides, and whether every pixel of it can be decoded."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from eyeline.errors import EyelineError
from eyeline.media.bounded.reader import Reader
from eyeline.media.pictures import admit
from eyeline.media.sniffing import sniff
from eyeline.model.digest import Digest
from eyeline.model.limits import Limits


@dataclass(frozen=True, slots=True)
class Look:
    """A picture as it was found; `whole` says whether all of it could be decoded."""

    media_type: str
    whole: bool
    width_px: int = 0
    height_px: int = 0
    frames: int = 1

    @property
    def long_edge(self) -> int:
        """The longer side."""
        return max(self.width_px, self.height_px)

    @property
    def short_edge(self) -> int:
        """The shorter side."""
        return min(self.width_px, self.height_px)


class Looking:
    """Looks at pictures and remembers what it found, for the same ones come again in each request."""

    def __init__(self) -> None:
        self._found: dict[Digest, Look] = {}
        self._lock = threading.Lock()

    def at(self, data: bytes) -> Look:
        """What these bytes are."""
        digest = Digest.of(data)
        with self._lock:
            found = self._found.get(digest)
        if found is None:
            found = _look(data)
            with self._lock:
                self._found[digest] = found
        return found


def _look(data: bytes) -> Look:
    kind = sniff(data[:4096], size=len(data), tail=data[-4096:])
    params = {"media_type": str(kind), "max_pixels": Limits().max_pixels, "max_frames": Limits().max_frames}
    reader = Reader(lambda offset, length: data[offset : offset + length], size=len(data))
    try:
        seen = admit(reader, params, None)
    except EyelineError:
        return Look(str(kind), whole=False)
    if seen["outcome"] != "admitted":
        return Look(str(kind), whole=False)
    probe = seen["probe"]
    return Look(str(kind), True, probe["size"]["width_px"], probe["size"]["height_px"], probe["frames"])
