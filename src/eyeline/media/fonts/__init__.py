"""The fonts that drawings are drawn with, and how the font library is told of them and of no others.

They hold Latin, Greek, Cyrillic, Hebrew, Arabic, Armenian and Georgian letters, arrows, mathematics and symbols. What
is written in another script is drawn as boxes.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
VARIABLE = "FONTCONFIG_FILE"
"""What the font library reads its configuration from; to be set before it is used for the first time."""


def configuration() -> str:
    """Where the configuration of our fonts is: the value of `VARIABLE`."""
    return str(FOLDER / "fonts.conf")


@lru_cache(maxsize=1)
def fonts_version() -> str:
    """A short name of the exact bytes of fonts and configuration; it enters the keys of what is drawn with them."""
    digest = sha256()
    for path in sorted((*FOLDER.glob("*.ttf"), FOLDER / "fonts.conf")):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
