"""ICC profiles: what one is, whether it is sRGB in all but name, and matrix profiles of our own making.

Names come from the primaries, never from the text inside a profile: that text is the media's.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

Curve = Callable[[float], float]
Triple = tuple[float, float, float]

D50: Triple = (0.9642, 1.0, 0.8249)
D65_XY = (0.3127, 0.3290)
SRGB_XY = (0.640, 0.330, 0.300, 0.600, 0.150, 0.060)
P3_XY = (0.680, 0.320, 0.265, 0.690, 0.150, 0.060)
ADOBE_XY = (0.640, 0.330, 0.210, 0.710, 0.150, 0.060)
BT2020_XY = (0.708, 0.292, 0.170, 0.797, 0.131, 0.046)
_BRADFORD = ((0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296))
_NAMED = {"srgb": SRGB_XY, "display_p3": P3_XY, "adobe_rgb": ADOBE_XY, "bt2020": BT2020_XY}
_SPACES = {b"RGB ": "rgb", b"GRAY": "grey", b"CMYK": "cmyk", b"Lab ": "lab"}
_NEAR_COLORANT = 0.003
_NEAR_CURVE = 1.5 / 255


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profile is: its data colour space (rgb, grey, cmyk, lab, other), a name we know it by, sRGB or not."""

    space: str
    name: str
    equals_srgb: bool


def read_profile(data: bytes) -> Profile | None:
    """Read a profile; none where it is not one, or is cut. `equals_srgb` also holds for grey with the sRGB curve."""
    if len(data) < 132 or data[36:40] != b"acsp" or int.from_bytes(data[:4], "big") > len(data):
        return None
    space = _SPACES.get(data[16:20], "other")
    tags = _tags(data)
    if space == "grey":
        curve = _curve(data, tags.get(b"kTRC"))
        return Profile("grey", "grey", curve is not None and _is_srgb_curve(curve))
    if space != "rgb" or any(tag in tags for tag in (b"A2B0", b"A2B1", b"D2B0", b"D2B1")):
        return Profile(space, space, equals_srgb=False)
    columns = [_xyz(data, tags.get(tag)) for tag in (b"rXYZ", b"gXYZ", b"bXYZ")]
    name = next((name for name, corners in _NAMED.items() if _is_near(columns, corners)), "rgb")
    curves = [_curve(data, tags.get(tag)) for tag in (b"rTRC", b"gTRC", b"bTRC")]
    is_srgb = name == "srgb" and all(each is not None and _is_srgb_curve(each) for each in curves)
    return Profile("rgb", name if name != "srgb" or is_srgb else "rgb", is_srgb)


def matrix_profile(
    corners: tuple[float, ...], *, white: tuple[float, float] = D65_XY, gamma: float | None = None
) -> bytes:
    """A version 4 display profile: xy of red, green and blue, xy of white; the sRGB curve unless a gamma is given."""
    red, green, blue = _colorants(corners, white)
    curve = _parametric(gamma)
    tags = [
        (b"desc", _text("eyeline matrix")),
        (b"cprt", _text("none")),
        (b"wtpt", _xyz_tag(D50)),
        (b"rXYZ", _xyz_tag(red)),
        (b"gXYZ", _xyz_tag(green)),
        (b"bXYZ", _xyz_tag(blue)),
        (b"rTRC", curve),
        (b"gTRC", curve),
        (b"bTRC", curve),
    ]
    return _assemble(b"RGB ", tags)


def grey_profile(gamma: float) -> bytes:
    """A version 4 display profile for grey with one gamma."""
    tags = [
        (b"desc", _text("eyeline grey")),
        (b"cprt", _text("none")),
        (b"wtpt", _xyz_tag(D50)),
        (b"kTRC", _parametric(gamma)),
    ]
    return _assemble(b"GRAY", tags)


def from_gamma(gamma: float, corners: tuple[float, ...] | None, *, grey: bool) -> bytes | None:
    """A profile for PNG's gAMA and cHRM (white first); none where they describe sRGB or nonsense."""
    if not 0.1 <= gamma <= 2.0:
        return None
    is_usual_curve = abs(gamma - 0.45455) < 0.005
    if grey:
        return None if is_usual_curve else grey_profile(1 / gamma)
    primaries = SRGB_XY if corners is None else corners[2:]
    white = D65_XY if corners is None else (corners[0], corners[1])
    if min(primaries[1::2]) <= 0.0 or white[1] <= 0.05 or max((*primaries, *white)) > 1.0:
        return None
    is_usual = max(abs(a - b) for a, b in zip((*primaries, *white), (*SRGB_XY, *D65_XY), strict=True)) < 0.005
    if is_usual and is_usual_curve:
        return None
    try:
        return matrix_profile(primaries, white=white, gamma=None if is_usual_curve else 1 / gamma)
    except (ZeroDivisionError, struct.error):
        return None


def from_code_points(primaries: int, transfer: int) -> tuple[bytes | None, bool]:
    """A profile for coding-independent code points (none for sRGB), and whether they are ones we can honour."""
    corners = {1: SRGB_XY, 9: BT2020_XY, 12: P3_XY}.get(primaries)
    if corners is None or transfer not in (1, 4, 6, 13, 14, 15):
        return None, False
    if corners is SRGB_XY and transfer != 4:
        return None, True
    return matrix_profile(corners, gamma=2.2 if transfer == 4 else None), True


def _tags(data: bytes) -> dict[bytes, tuple[int, int]]:
    (count,) = struct.unpack_from(">I", data, 128)
    found: dict[bytes, tuple[int, int]] = {}
    for index in range(min(count, 100)):
        entry = 132 + 12 * index
        if entry + 12 > len(data):
            break
        tag, offset, size = struct.unpack_from(">4sII", data, entry)
        if offset + size <= len(data):
            found[tag] = (offset, size)
    return found


def _xyz(data: bytes, where: tuple[int, int] | None) -> Triple | None:
    if where is None or where[1] < 20 or data[where[0] : where[0] + 4] != b"XYZ ":
        return None
    x, y, z = struct.unpack_from(">iii", data, where[0] + 8)
    return x / 65536, y / 65536, z / 65536


def _is_near(columns: list[Triple | None], corners: tuple[float, ...]) -> bool:
    wanted = _colorants(corners, D65_XY)
    return all(
        column is not None and max(abs(a - b) for a, b in zip(column, want, strict=True)) < _NEAR_COLORANT
        for column, want in zip(columns, wanted, strict=True)
    )


def _curve(data: bytes, where: tuple[int, int] | None) -> Curve | None:
    if where is None or where[1] < 12:
        return None
    offset, size = where
    kind, count = data[offset : offset + 4], struct.unpack_from(">I", data, offset + 8)[0]
    if kind == b"curv" and 12 + 2 * count <= size:
        return _table_curve(struct.unpack_from(f">{count}H", data, offset + 12))
    shape = struct.unpack_from(">H", data, offset + 8)[0]
    length = {0: 1, 1: 3, 2: 4, 3: 5, 4: 7}.get(shape, 99)
    if kind != b"para" or 12 + 4 * length > size:
        return None
    return _formula(shape, [each / 65536 for each in struct.unpack_from(f">{length}i", data, offset + 12)])


def _table_curve(table: tuple[int, ...]) -> Curve:
    if len(table) == 0:
        return lambda x: x
    if len(table) == 1:
        return lambda x: x ** (table[0] / 256)
    last = len(table) - 1

    def look_up(x: float) -> float:
        place = x * last
        low = min(int(place), last - 1)
        return (table[low] + (table[low + 1] - table[low]) * (place - low)) / 65535

    return look_up


def _formula(shape: int, terms: list[float]) -> Curve:
    g, a, b, c, d, e, f = (*terms, *([0.0] * (7 - len(terms))))
    if shape == 0:
        return lambda x: x**g
    if shape < 3:
        edge = -b / a if a else 2.0
        return lambda x: (a * x + b) ** g + c if x >= edge else c
    return lambda x: (a * x + b) ** g + e if x >= d else c * x + f


def _is_srgb_curve(curve: Curve) -> bool:
    """Compared as encoded values: a small error in a dark light is a large one on screen."""
    try:
        return all(abs(_encode(curve(step / 32)) - step / 32) < _NEAR_CURVE for step in range(33))
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        return False


def _encode(light: float) -> float:
    light = min(max(light, 0.0), 1.0)
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


@lru_cache(maxsize=32)
def _colorants(corners: tuple[float, ...], white: tuple[float, float]) -> tuple[Triple, Triple, Triple]:
    """XYZ of the three primaries under D50, adapted with Bradford."""
    columns = [_from_xy(corners[2 * i], corners[2 * i + 1]) for i in range(3)]
    target = _from_xy(*white)
    weights = _solve(columns, target)
    adapt = _adaptation(target)
    red, green, blue = (
        _apply(adapt, (w * column[0], w * column[1], w * column[2])) for w, column in zip(weights, columns, strict=True)
    )
    return red, green, blue


def _from_xy(x: float, y: float) -> Triple:
    return x / y, 1.0, (1 - x - y) / y


def _apply(matrix: tuple[Triple, Triple, Triple], v: Triple) -> Triple:
    a, b, c = (row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in matrix)
    return a, b, c


def _determinant(a: Triple, b: Triple, c: Triple) -> float:
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])


def _solve(columns: list[Triple], target: Triple) -> Triple:
    a, b, c = columns
    whole = _determinant(a, b, c)
    return (
        _determinant(target, b, c) / whole,
        _determinant(a, target, c) / whole,
        _determinant(a, b, target) / whole,
    )


def _adaptation(white: Triple) -> tuple[Triple, Triple, Triple]:
    """Bradford from a white point to D50: cone responses scaled one by one."""
    here, there = _apply(_BRADFORD, white), _apply(_BRADFORD, D50)
    scaled = [tuple(there[i] / here[i] * each for each in _BRADFORD[i]) for i in range(3)]
    columns: list[Triple] = [(_BRADFORD[0][i], _BRADFORD[1][i], _BRADFORD[2][i]) for i in range(3)]
    back = [_solve(columns, (scaled[0][j], scaled[1][j], scaled[2][j])) for j in range(3)]
    rows: list[Triple] = [(back[0][i], back[1][i], back[2][i]) for i in range(3)]
    return rows[0], rows[1], rows[2]


def _fixed(value: float) -> bytes:
    return struct.pack(">i", round(value * 65536))


def _xyz_tag(value: Triple) -> bytes:
    return b"XYZ \0\0\0\0" + b"".join(map(_fixed, value))


def _text(text: str) -> bytes:
    body = text.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(body), 28) + body


def _parametric(gamma: float | None) -> bytes:
    if gamma is not None:
        return b"para\0\0\0\0\0\0\0\0" + _fixed(gamma)
    return b"para\0\0\0\0\0\3\0\0" + b"".join(map(_fixed, (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)))


def _assemble(space: bytes, tags: list[tuple[bytes, bytes]]) -> bytes:
    table, body, placed = b"", b"", dict[bytes, int]()
    start = 128 + 4 + 12 * len(tags)
    for name, tag in tags:
        if tag not in placed:
            placed[tag] = start + len(body)
            body += tag + b"\0" * (-len(tag) % 4)
        table += struct.pack(">4sII", name, placed[tag], len(tag))
    head = struct.pack(">I4sI4s4s4s", start + len(body), b"\0\0\0\0", 0x04300000, b"mntr", space, b"XYZ ")
    head += struct.pack(">6H4s", 2026, 1, 1, 0, 0, 0, b"acsp") + b"\0" * 28 + b"".join(map(_fixed, D50)) + b"\0" * 48
    return head + struct.pack(">I", len(tags)) + table + body
