"""A rendition cache in memory, for whoever keeps no home: size-bound, least recently used, gone with the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition, Lock

from eyeline.model.digest import Digest
from eyeline.model.rendition import Rendition

_Key = tuple[Digest, Digest]


class MemoryCache:
    """Renditions by original and plan key, together at most `max_bytes`; thread-safe."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._held: OrderedDict[_Key, Rendition] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._flying: set[_Key] = set()
        self._landed = Condition(self._lock)

    def get(self, content: Digest, key: Digest) -> Rendition | None:
        """The rendition of an original made for a key, or none; a hit counts as a use."""
        with self._lock:
            found = self._held.get((content, key))
            if found is not None:
                self._held.move_to_end((content, key))
            return found

    def put(self, content: Digest, key: Digest, *, rendition: Rendition) -> None:
        """Keep a rendition; the least recently used go. One that is larger than the whole cache is not kept."""
        size = len(rendition.bytes)
        if size > self._max_bytes:
            return
        with self._lock:
            self._drop((content, key))
            self._held[content, key] = rendition
            self._bytes += size
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._held)))

    @contextmanager
    def single_flight(self, content: Digest, key: Digest) -> Generator[None]:
        """Hold a key across threads, so that one of them makes a rendition and the others find it."""
        name = (content, key)
        with self._lock:
            while name in self._flying:
                self._landed.wait()
            self._flying.add(name)
        try:
            yield
        finally:
            with self._lock:
                self._flying.discard(name)
                self._landed.notify_all()

    def _drop(self, name: _Key) -> None:
        dropped = self._held.pop(name, None)
        if dropped is not None:
            self._bytes -= len(dropped.bytes)
