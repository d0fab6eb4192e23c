"""Where a speech model is: a folder of the user's, or an installed package that carries one. Nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from eyeline.errors import MissingDependency

_WEIGHTS = "model.bin"
_NEEDED = (_WEIGHTS, "config.json", "tokenizer.json")
_FURTHER = ("preprocessor_config.json", "vocabulary.json", "vocabulary.txt")


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """A model on this machine: its folder, the size of its weights in bytes, and a short name of its exact bytes."""

    folder: Path
    byte_count: int
    version: str


def speech_model_folder(chosen: str) -> Path | None:
    """The folder that a setting means: a path, or the name of an installed package that holds one model."""
    path = Path(chosen).expanduser()
    if not chosen.isidentifier() or path.is_dir():
        return path
    found = find_spec(chosen)
    places = () if found is None else tuple(found.submodule_search_locations or ())
    weights = [each for place in places for each in sorted(Path(place).glob(f"**/{_WEIGHTS}"))]
    return weights[0].parent if len(weights) == 1 else None


def find_speech_model(chosen: str) -> SpeechModel:
    """The model that a setting means. Raises `MissingDependency` where it is not there, or not whole."""
    folder = speech_model_folder(chosen)
    if folder is None or not all((folder / name).is_file() for name in _NEEDED):
        raise MissingDependency(
            "the speech model is not there",
            hint=f"set model in [transcriber] to a folder with {', '.join(_NEEDED)}, or to a package that holds one",
        )
    files = [folder / name for name in (*_NEEDED, *_FURTHER)]
    parts = [f"{file.name}={_digest(file)}" for file in files if file.is_file()]
    version = sha256("\n".join(parts).encode()).hexdigest()[:12]
    return SpeechModel(folder, (folder / _WEIGHTS).stat().st_size, version)


def _digest(file: Path) -> str:
    status = file.stat()
    return _digest_of(str(file), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest_of(path: str, _size: int, _mtime_ns: int) -> str:
    with Path(path).open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
