"""What a conversion that was killed goes on with: finished pieces of expensive work, such as a page that OCR has read.

Disposable: whatever is lost or damaged is made again. One folder for each original, in it one for each conversion key,
so that another engine or setting never finds what an earlier one made, and forgetting an original is one removal.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from eyeline.errors import EyelineError
from eyeline.model.digest import Digest

_VERSION = "v1"


@dataclass(frozen=True, slots=True)
class Scratch:
    """The pieces of one conversion, by name. `is_wanted` says whether the original is still kept."""

    folder: Path
    is_wanted: Callable[[], bool]

    def recall(self, name: str) -> bytes | None:
        """A piece that was kept whole, or none."""
        try:
            mark, _, body = (self.folder / name).read_bytes().partition(b"\n")
        except OSError:
            return None
        return body if mark == Digest.of(body).hex.encode() else None

    def keep(self, name: str, body: bytes) -> None:
        """Keep a piece. A disk that refuses loses it, and nothing else."""
        staged = self.folder / f".{name}.{secrets.token_hex(4)}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            staged.write_bytes(Digest.of(body).hex.encode() + b"\n" + body)
            staged.replace(self.folder / name)
        except OSError:
            with suppress(OSError):
                staged.unlink()
        # looked at after writing: who forgets the original removes its folder after the records are gone
        if not self.is_wanted():
            shutil.rmtree(self.folder.parent, ignore_errors=True)


class ScratchFolder:
    """The scratch of a home. `keeps` says whether an original is kept."""

    def __init__(self, folder: Path, *, keeps: Callable[[Digest], bool]) -> None:
        self._folder = folder / _VERSION
        self._keeps = keeps

    def of(self, content: Digest, *, key: Digest) -> Scratch:
        """The scratch of one conversion of an original."""
        return Scratch(self._of_content(content) / key.hex, lambda: self._keeps(content))

    def drop(self, content: Digest, *, key: Digest | None = None) -> None:
        """Remove what one conversion, or every conversion, of an original left."""
        folder = self._of_content(content)
        shutil.rmtree(folder if key is None else folder / key.hex, ignore_errors=True)
        with suppress(OSError):
            folder.rmdir()

    def contents(self) -> Iterator[Digest]:
        """The originals of which there is scratch."""
        for path in sorted(self._folder.glob("??/*")):
            with suppress(EyelineError):
                yield Digest(path.name)

    def _of_content(self, content: Digest) -> Path:
        return self._folder / content.hex[:2] / content.hex
