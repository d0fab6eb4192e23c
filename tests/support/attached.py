"""A home with pictures of every awkward kind attached to it, for the tests of requests."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_photo, make_picture, make_screenshot
from eyeline.model.attachment import ImageRef


@dataclass(frozen=True)
class Kept:
    """The home and what was attached to it; `corrupt` was damaged and `missing` removed behind its back."""

    eye: Eyeline
    wide: ImageRef
    screen: ImageRef
    line: ImageRef
    square: ImageRef
    photo: ImageRef
    clear: ImageRef
    corrupt: ImageRef
    missing: ImageRef
    small: tuple[ImageRef, ...]


@contextmanager
def kept_in(folder: Path) -> Generator[Kept]:
    """The home, open, in a new folder."""
    with Eyeline(folder / "home") as eye:

        def save(data: bytes, name: str) -> ImageRef:
            return eye.attachments.save_image(data, name=name)

        corrupt, missing = (save(make_picture(width=600 + n, height=300), f"{n}.png") for n in range(2))
        damaged = Path(eye.attachments.image_host_path(corrupt) or "")
        damaged.chmod(0o600)
        damaged.write_bytes(damaged.read_bytes()[:-20] + b"x" * 20)
        Path(eye.attachments.image_host_path(missing) or "").unlink()
        yield Kept(
            eye,
            wide=save(make_picture(width=2001, height=900), "wide.png"),
            screen=save(make_screenshot(1600, 900), "screen.png"),
            line=save(make_picture(width=3000, height=3), "line.png"),
            square=save(make_screenshot(3000, 3000), "square.png"),
            photo=save(make_photo(2400, 1600), "photo.jpg"),
            clear=save(make_picture(width=200, height=150, mode="RGBA"), "clear.png"),
            corrupt=corrupt,
            missing=missing,
            small=tuple(save(make_picture(width=300 + n, height=200), f"small {n}.png") for n in range(24)),
        )
