"""Renders and admits pictures in this process, and looks at the result."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from PIL import Image
from tests.support.jobs import call

from eyeline.media import pictures

ALL_TYPES = ("image/png", "image/jpeg", "image/webp")


@dataclass(frozen=True, slots=True)
class Rendered:
    """One rendition: its report, its bytes and its pixels."""

    value: dict[str, Any]
    data: bytes
    image: Image.Image

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        red, green, blue = self.image.convert("RGB").crop((x, y, x + 1, y + 1)).tobytes()
        return red, green, blue

    def step(self, name: str) -> dict[str, str]:
        """Facts of one transform; fails where it is not there."""
        return next(each["facts"] for each in self.value["transforms"] if each["step"] == name)

    @property
    def steps(self) -> list[str]:
        return [each["step"] for each in self.value["transforms"]]


def rendered(
    data: bytes,
    media_type: str,
    size: tuple[int, int],
    *,
    crop: tuple[float, float, float, float] | None = None,
    media_types: tuple[str, ...] = ALL_TYPES,
    max_bytes: int = 8 << 20,
    **plan: object,
) -> Rendered:
    """Make a rendition by a plan of this size; `crop` in upright pixels."""
    plan |= {
        "size": {"width_px": size[0], "height_px": size[1]},
        "media_types": list(media_types),
        "max_bytes": max_bytes,
    }
    if crop is not None:
        plan["crop"] = dict(zip("xywh", (round(each * 1000) for each in crop), strict=True))
    value, outputs = call(pictures.render, data, media_type=media_type, plan=plan)
    assert len(outputs) == 1
    image = Image.open(io.BytesIO(outputs[0]))
    image.load()
    assert image.size == (value["size"]["width_px"], value["size"]["height_px"])
    assert Image.MIME[str(image.format)] == value["media_type"]
    return Rendered(value, outputs[0], image)


def admitted(data: bytes, media_type: str, **params: object) -> dict[str, Any]:
    """The answer of admission."""
    bounds = {"max_pixels": 120_000_000, "max_frames": 2000, **params}
    return call(pictures.admit, data, media_type=media_type, **bounds)[0]


def is_near(one: tuple[int, ...], other: tuple[int, ...], *, within: int = 3) -> bool:
    """Whether two colours are at most so many levels apart in every channel."""
    return all(abs(a - b) <= within for a, b in zip(one, other, strict=True))
