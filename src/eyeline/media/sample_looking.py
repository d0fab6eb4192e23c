"""Looking at what was made from samples: sizes, colours and what is left in the container.

It decodes in the process that asks, which is right for our own pictures only; media from outside goes through a bounded
child.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, ImageStat

from eyeline.model.geometry import Size

_GPS = 0x8825


@dataclass(frozen=True, slots=True)
class Look:
    """A decoded picture, as its pixels lie in the file: no orientation is applied."""

    picture: Image.Image

    @property
    def size(self) -> Size:
        """Width and height in coded pixels."""
        return Size(*self.picture.size)

    @property
    def has_position(self) -> bool:
        """Whether the container says where the picture was taken."""
        return bool(self.picture.getexif().get_ifd(_GPS))

    @property
    def has_profile(self) -> bool:
        """Whether a colour profile is embedded; without one the pixels are sRGB."""
        return "icc_profile" in self.picture.info

    def colour(self, x: float, y: float) -> tuple[int, int, int]:
        """Mean colour of a small square around a place, given in shares of width and height."""
        width, height = self.picture.size
        left, top = int(width * x), int(height * y)
        patch = self.picture.crop((left - 4, top - 4, left + 5, top + 5)).convert("RGB")
        red, green, blue = (round(value) for value in ImageStat.Stat(patch).mean)
        return red, green, blue

    def shows(self, whole: Look, *, left: int, top: int) -> bool:
        """Whether every pixel is that of a rectangle of another picture with this corner."""
        right, bottom = left + self.size.width_px, top + self.size.height_px
        cut = whole.picture.convert("RGB").crop((left, top, right, bottom))
        return self.picture.convert("RGB").tobytes() == cut.tobytes()


def look(data: bytes) -> Look:
    """Decode a picture of ours."""
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return Look(picture)
