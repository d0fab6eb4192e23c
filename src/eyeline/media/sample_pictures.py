"""Sample pictures for the demo and the tests, made from nothing: the same call always gives the same bytes.

A marked picture has a red top quarter, a blue bottom left corner and white elsewhere, in the upright frame.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from eyeline.media.containers import icc

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)
_FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WEBP",
    "image/gif": "GIF",
    "image/tiff": "TIFF",
    "image/bmp": "BMP",
    "image/vnd.microsoft.icon": "ICO",
    "image/avif": "AVIF",
    "image/jp2": "JPEG2000",
}
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def display_p3() -> bytes:
    """A Display P3 profile of our own making."""
    return icc.matrix_profile(icc.P3_XY)


def make_exif(*, orientation: int = 1, gps: bool = False) -> bytes:
    """An EXIF block as a phone writes it; the position is in Vienna's Prater."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F], exif[0x0110] = "Eyeline", "Sample One"
    if gps:
        place: dict[int, object] = {1: "N", 2: (48.0, 12.0, 59.5), 3: "E", 4: (16.0, 24.0, 10.25)}
        exif.get_ifd(0x8825).update(place)
    return exif.tobytes()


def make_picture(
    media_type: str = "image/png",
    *,
    width: int = 120,
    height: int = 80,
    orientation: int = 1,
    gps: bool = False,
    profile: bytes | None = None,
    mode: str = "RGB",
) -> bytes:
    """A marked picture; width and height are upright, the coded pixels are turned as the orientation says."""
    picture = marked(width, height).convert(mode)
    return encoded(picture, media_type, orientation=orientation, gps=gps, profile=profile)


def marked(width: int, height: int) -> Image.Image:
    """The pixels of a marked picture."""
    picture = Image.new("RGB", (width, height), WHITE)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, width - 1, height // 4), fill=RED)
    draw.rectangle((0, min(height - height // 4, height - 1), width // 4, height - 1), fill=BLUE)
    return picture


def encoded(
    picture: Image.Image,
    media_type: str,
    *,
    orientation: int = 1,
    gps: bool = False,
    profile: bytes | None = None,
    **options: Any,
) -> bytes:
    """Encode upright pixels, turned as the orientation says, with EXIF only where there is something to tell."""
    if orientation in _TURNS:
        picture = picture.transpose(_TURNS[orientation])
    if orientation != 1 or gps:
        options["exif"] = make_exif(orientation=orientation, gps=gps)
    if profile is not None:
        options["icc_profile"] = profile
    if media_type == "image/jpeg":
        options = {"quality": 92, **options}
    if media_type == "image/webp":
        options = {"quality": 90, "method": 2, **options}
    if media_type == "image/avif":
        options = {"quality": 90, "speed": 8, **options}
    buffer = io.BytesIO()
    picture.save(buffer, _FORMATS[media_type], **options)
    return buffer.getvalue()


def make_photo(
    width: int = 4032,
    height: int = 3024,
    *,
    orientation: int = 1,
    gps: bool = False,
    profile: bytes | None = None,
    media_type: str = "image/jpeg",
    seed: int = 1,
    **options: Any,
) -> bytes:
    """A photograph-like landscape with grain, width and height upright.

    Sky on top, meadow below, and a pure red balloon whose centre lies at a quarter of the width and of the height.
    """
    picture = landscape(width, height, seed=seed)
    return encoded(picture, media_type, orientation=orientation, gps=gps, profile=profile, **options)


def landscape(width: int, height: int, *, seed: int = 1) -> Image.Image:
    """The pixels of a photograph-like landscape."""
    scene = _gradient(width, height, (62, 116, 190), (226, 214, 196))
    clouds = _clouds(width, height, seed)
    scene = Image.composite(Image.new("RGB", scene.size, (246, 246, 250)), scene, clouds)
    for depth in range(3):
        scene = _hills(scene, seed, depth)
    draw = ImageDraw.Draw(scene)
    radius = min(width, height) // 12
    x, y = width // 4, height // 4
    draw.polygon(((x - radius // 3, y), (x + radius // 3, y), (x, y + radius * 2)), fill=(96, 58, 34))
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=RED)
    return _grain(scene, seed)


def _gradient(width: int, height: int, top: tuple[int, int, int], bottom: tuple[int, int, int]) -> Image.Image:
    ramp = Image.linear_gradient("L").resize((width, height))
    return Image.composite(Image.new("RGB", ramp.size, bottom), Image.new("RGB", ramp.size, top), ramp)


def _bytes(label: str, count: int) -> bytes:
    return hashlib.shake_256(label.encode()).digest(count)


def _noise(width: int, height: int, seed: int, *, cells: int) -> Image.Image:
    across, down = max(2, cells), max(2, cells * height // width)
    small = Image.frombytes("L", (across, down), _bytes(f"{seed} noise {cells}", across * down))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def _clouds(width: int, height: int, seed: int) -> Image.Image:
    wide = Image.blend(_noise(width, height, seed, cells=6), _noise(width, height, seed, cells=24), 0.35)
    fine = Image.blend(wide, _noise(width, height, seed, cells=90), 0.2)
    return fine.point([0 if each < 128 else min(220, (each - 128) * 4) for each in range(256)])


def _hills(scene: Image.Image, seed: int, depth: int) -> Image.Image:
    width, height = scene.size
    steps = 9
    base = height * (0.5 + 0.14 * depth)
    heights = _bytes(f"{seed} ridge {depth}", steps + 1)
    ridge = [(width * i / steps, base - heights[i] / 256 * height * 0.1) for i in range(steps + 1)]
    mask = Image.new("L", (max(1, width // 4), max(1, height // 4)))
    outline = [(x / 4, y / 4) for x, y in ridge]
    ImageDraw.Draw(mask).polygon([(0, height), *outline, (width, height)], fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(1)).resize(scene.size, Image.Resampling.BICUBIC)
    near = ((88, 112, 124), (70, 104, 62), (58, 84, 34))[depth]
    far = tuple(min(255, each + 46) for each in near)
    texture = _noise(width, height, seed, cells=60 + 140 * depth)
    meadow = Image.composite(Image.new("RGB", scene.size, near), Image.new("RGB", scene.size, far), texture)
    return Image.composite(meadow, scene, mask)


def _grain(scene: Image.Image, seed: int) -> Image.Image:
    side = 256
    tile = Image.frombytes("L", (side, side), _bytes(f"{seed} grain", side * side)).point(
        [96 + each // 4 for each in range(256)]
    )
    grain = Image.new("L", scene.size)
    for left in range(0, scene.width, side):
        for top in range(0, scene.height, side):
            grain.paste(tile.rotate(90 * ((left * 3 + top * 5) // side % 4)), (left, top))
    grain = grain.filter(ImageFilter.GaussianBlur(0.8))
    return ImageChops.overlay(scene, Image.merge("RGB", (grain, grain, grain)))


def screenshot_line(number: int) -> str:
    """The text of one line (1-based) of a sample screenshot; the code cannot be guessed from its neighbours."""
    return f"line {number:04d}  status ok  code {number * 7919 % 100003:06d}"


def make_screenshot(
    width: int = 1200, height: int = 16000, *, line_px: int = 20, media_type: str = "image/png"
) -> bytes:
    """A tall screenshot of small numbered lines; line n stands at y from (n - 1) × `line_px` to n × `line_px`."""
    picture = Image.new("RGB", (width, height), (250, 250, 252))
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=14)
    for number in range(1, height // line_px + 1):
        top = (number - 1) * line_px
        if number % 2 == 0:
            draw.rectangle((0, top, width, top + line_px - 1), fill=(240, 243, 248))
        draw.text((16, top + 1), screenshot_line(number), font=font, fill=(24, 28, 36))
        draw.rectangle((width - 60, top + 5, width - 50, top + 15), fill=(36, 138, 61))
    return encoded(picture, media_type)


def make_diagram(width: int = 800, height: int = 600, *, media_type: str = "image/png") -> bytes:
    """Boxes, arrows and labels in few colours."""
    picture = Image.new("RGB", (width, height), WHITE)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=max(12, height // 30))
    names = ("gate", "store", "decode", "render")
    for index, name in enumerate(names):
        left, top = width * (index % 2) // 2 + width // 12, height * (index // 2) // 2 + height // 10
        box = (left, top, left + width // 3, top + height // 4)
        draw.rectangle(box, fill=(222, 235, 247), outline=(33, 80, 140), width=4)
        draw.text((left + 20, top + 20), name, font=font, fill=(20, 40, 80))
        draw.line((box[2], top + height // 8, box[2] + width // 9, top + height // 8), fill=(180, 60, 40), width=5)
    return encoded(picture, media_type)


def make_animation(
    media_type: str = "image/gif",
    *,
    colours: tuple[tuple[int, int, int], ...] = (RED, (0, 255, 0), BLUE),
    width: int = 100,
    height: int = 100,
) -> bytes:
    """An animation of plainly coloured frames, in the order of `colours`."""
    frames = [Image.new("RGB", (width, height), colour) for colour in colours]
    options: dict[str, Any] = {"lossless": True} if media_type == "image/webp" else {}
    buffer = io.BytesIO()
    frames[0].save(
        buffer, _FORMATS[media_type], save_all=True, append_images=frames[1:], duration=200, loop=0, **options
    )
    return buffer.getvalue()


def make_pages(pictures: Sequence[Image.Image], **options: Any) -> bytes:
    """A TIFF of several pages."""
    buffer = io.BytesIO()
    pictures[0].save(buffer, "TIFF", save_all=True, append_images=list(pictures[1:]), **options)
    return buffer.getvalue()


def make_drawing(width: int = 240, height: int = 160, *, inside: str = "") -> bytes:
    """A marked picture as an SVG, with more elements inside."""
    shapes = (
        (0, 0, width, height, "#fff"),
        (0, 0, width, height // 4 + 1, "#f00"),
        (0, height - height // 4, width // 4 + 1, height // 4, "#00f"),
    )
    marks = "".join(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{c}"/>' for x, y, w, h, c in shapes)
    head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'{head} width="{width}" height="{height}">{marks}{inside}</svg>'.encode()


def make_overlay_gif() -> bytes:
    """Three frames of 60x60 that only make sense composited.

    A red canvas; a blue square of 20 at the top left that is disposed of afterwards; a green square of 20 at the bottom
    right, beside which the top left is red again.
    """
    palette = bytes((*RED, *BLUE, 0, 255, 0, *WHITE))
    head = b"GIF89a" + struct.pack("<HHBBB", 60, 60, 0x80 | 1, 0, 0) + palette
    body = _gif_frame((0, 0, 60, 60), 0, disposal=1)
    body += _gif_frame((0, 0, 20, 20), 1, disposal=3)
    body += _gif_frame((40, 40, 20, 20), 2, disposal=1)
    return head + body + b";"


def _gif_frame(box: tuple[int, int, int, int], colour: int, *, disposal: int) -> bytes:
    """One frame of one colour. Each pixel is its own code between clear codes, so the codes never grow."""
    control = b"!\xf9\x04" + struct.pack("<BHBB", disposal << 2, 20, 0, 0)
    descriptor = b"," + struct.pack("<HHHHB", *box, 0)
    clear, end, codes = 4, 5, list[int]()
    for index in range(box[2] * box[3]):
        codes += [clear, colour] if index % 2 == 0 else [colour]
    bits = sum(code << (3 * place) for place, code in enumerate([*codes, end]))
    data = bits.to_bytes((3 * (len(codes) + 1) + 7) // 8, "little")
    blocks = b"".join(bytes((len(part),)) + part for part in (data[i : i + 255] for i in range(0, len(data), 255)))
    return control + descriptor + b"\x02" + blocks + b"\x00"


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """One chunk with its length and check sum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make_raw_png(
    width: int,
    height: int,
    *,
    rows: bytes,
    depth: int = 8,
    colour_type: int = 2,
    before: bytes = b"",
    after: bytes = b"",
) -> bytes:
    """A PNG from raw rows (each led by its filter byte), with more chunks before and after the pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)
    pixels = png_chunk(b"IDAT", zlib.compress(rows, 6))
    return PNG_SIGNATURE + png_chunk(b"IHDR", header) + before + pixels + after + png_chunk(b"IEND", b"")


def make_deep_png(width: int = 40, height: int = 30, *, levels: tuple[int, ...] = (0x8000,)) -> bytes:
    """A 16-bit PNG of one colour: one level for grey, three for RGB, 0 to 65535 each."""
    row = b"\x00" + struct.pack(f">{len(levels)}H", *levels) * width
    return make_raw_png(width, height, rows=row * height, depth=16, colour_type=0 if len(levels) == 1 else 2)


def make_png_without_pixels(width: int = 8, height: int = 8) -> bytes:
    """A PNG with header and end and nothing between."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return PNG_SIGNATURE + png_chunk(b"IHDR", header) + png_chunk(b"IEND", b"")


def make_dimension_bomb(width: int = 30_000, height: int = 30_000) -> bytes:
    """A small PNG of very many black pixels of one bit."""
    engine = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    data = b"".join([engine.compress(row) for _ in range(height)] + [engine.flush()])
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return PNG_SIGNATURE + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


def make_metadata_bomb(mebibytes: int = 300, *, kind: bytes = b"zTXt") -> bytes:
    """A good little PNG whose text (zTXt, iTXt) or profile (iCCP) chunk inflates to so many MiB."""
    engine = zlib.compressobj(9)
    block = b"A" * (1 << 20)
    data = b"".join([engine.compress(block) for _ in range(mebibytes)] + [engine.flush()])
    lead = b"Comment\x00\x01\x00\x00\x00" if kind == b"iTXt" else b"Comment\x00\x00"
    return with_chunk(make_picture(), png_chunk(kind, lead + data))


def with_chunk(png: bytes, chunk: bytes) -> bytes:
    """The PNG with one more chunk right after its header."""
    return png[:33] + chunk + png[33:]


def cut_short(data: bytes, *, share: float = 0.6) -> bytes:
    """The first part of some bytes."""
    return data[: int(len(data) * share)]


def end_neatly(jpeg: bytes, *, share: float = 0.6) -> bytes:
    """A JPEG cut short and then closed with an end marker, as a careless repair tool leaves it."""
    return cut_short(jpeg, share=share) + b"\xff\xd9"
