"""Make the HEIC samples beside this file. Needs pillow-heif (which can write HEIC) and Pillow.

Each shows 120 by 80 upright pixels: a red top quarter, a blue bottom left corner, white elsewhere.
"""

from __future__ import annotations

from pathlib import Path

import pillow_heif
from PIL import Image, ImageDraw

HERE = Path(__file__).parent
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def marked() -> Image.Image:
    picture = Image.new("RGB", (120, 80), (255, 255, 255))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 119, 20), fill=(255, 0, 0))
    draw.rectangle((0, 60, 30, 79), fill=(0, 0, 255))
    return picture


def main() -> None:
    pillow_heif.register_heif_opener()
    for orientation in range(1, 9):
        picture = marked()
        if orientation in TURNS:
            picture = picture.transpose(TURNS[orientation])
        exif = Image.Exif()
        exif[0x0112] = orientation
        picture.save(HERE / f"turned-{orientation}.heic", "HEIF", quality=90, exif=exif.tobytes())
    clear = marked().convert("RGBA")
    clear.putalpha(Image.linear_gradient("L").resize((120, 80)))
    clear.save(HERE / "transparent.heic", "HEIF", quality=90)


if __name__ == "__main__":
    main()
