"""A rendition of 1568 pixels: through the bounded pool as Eyeline serves it, and by plain Pillow in this process.

The peer is the quickest Pillow pipeline of the same output: JPEG scaled while it decodes (`draft`), PNG reduced before
it is resampled (`reducing_gap`), Lanczos, JPEG at the same quality. It forks no child, checks no container, holds no
limits and writes no record. The remark says how large both outputs are and how far their pixels lie apart.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat

from benchmarks.table import Row, in_turns
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.containers import icc
from eyeline.media.sample_pictures import display_p3, encoded, landscape, make_photo

AIM = 0.8
QUALITY = 85


@dataclass(frozen=True, slots=True)
class Case:
    """One picture to make: where from, of which type, how large upright, by which Pillow pipeline."""

    work: str
    media_type: str
    make: Callable[[], bytes]
    size: tuple[int, int]
    peer: Callable[[Path, tuple[int, int]], bytes]
    runs: int


def _jpeg(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=QUALITY)
    return buffer.getvalue()


def drafted(path: Path, size: tuple[int, int]) -> bytes:
    """A JPEG without orientation or profile."""
    with Image.open(path) as image:
        image.draft("RGB", size)
        return _jpeg(image.resize(size, Image.Resampling.LANCZOS))


def srgb() -> ImageCms.ImageCmsProfile:
    """The profile that pixels are taken to."""
    return ImageCms.ImageCmsProfile(io.BytesIO(icc.matrix_profile(icc.SRGB_XY)))


def phone(path: Path, size: tuple[int, int]) -> bytes:
    """A JPEG turned upright and taken through its profile to sRGB, both on the small result."""
    with Image.open(path) as image:
        profile = image.info["icc_profile"]
        image.draft("RGB", (size[1], size[0]))
        small = image.resize((size[1], size[0]), Image.Resampling.LANCZOS)
        small.getexif()[0x0112] = image.getexif()[0x0112]
        upright = ImageOps.exif_transpose(small)
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    intent = ImageCms.Intent.RELATIVE_COLORIMETRIC
    shown = ImageCms.profileToProfile(upright, source, srgb(), renderingIntent=intent)
    assert shown is not None
    for name in ("exif", "icc_profile"):
        shown.info.pop(name, None)
    return _jpeg(shown)


def reduced(path: Path, size: tuple[int, int]) -> bytes:
    """A PNG."""
    with Image.open(path) as image:
        return _jpeg(image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0))


CASES = (
    Case("12 MP JPEG to 1568 px", "image/jpeg", make_photo, (1568, 1176), drafted, 15),
    Case(
        "12 MP JPEG, turned and Display P3, to 1568 px",
        "image/jpeg",
        lambda: make_photo(3024, 4032, orientation=6, gps=True, profile=display_p3()),
        (1176, 1568),
        phone,
        15,
    ),
    Case(
        "48 MP PNG to 1568 px",
        "image/png",
        lambda: encoded(landscape(8000, 6000), "image/png", compress_level=3),
        (1568, 1176),
        reduced,
        5,
    ),
)


def bounded(pool: BoundedPool, path: Path, case: Case) -> bytes:
    """The rendition as Eyeline makes it, end to end: child, container walk, plan, record."""
    size = {"width_px": case.size[0], "height_px": case.size[1]}
    plan = {"size": size, "media_types": ["image/png", "image/jpeg", "image/webp"], "max_bytes": 4 << 20}
    with path.open("rb") as source:
        params = {"media_type": case.media_type, "plan": plan}
        return pool.run("eyeline.media.pictures:render", params, source=source).outputs[0]


def distance(one: bytes, other: bytes) -> float:
    """Mean difference of two pictures of one size, in levels of 0 to 255."""
    with Image.open(io.BytesIO(one)) as a, Image.open(io.BytesIO(other)) as b:
        assert a.size == b.size
        means = ImageStat.Stat(ImageChops.difference(a.convert("RGB"), b.convert("RGB"))).mean
    return sum(means) / len(means)


def rows() -> Iterator[Row]:
    """One row a case."""
    # the sample is known: the peer need not warn of a bomb
    Image.MAX_IMAGE_PIXELS = None
    with tempfile.TemporaryDirectory() as folder, BoundedPool() as pool:
        for case in CASES:
            path = Path(folder, "sample")
            path.write_bytes(case.make())
            ours, theirs = bounded(pool, path, case), case.peer(path, case.size)
            remark = f"{len(ours) // 1000} kB against {len(theirs) // 1000} kB, "
            remark += f"{distance(ours, theirs):.2f} levels apart on average"

            ours_ms, peer_ms = in_turns(
                partial(bounded, pool, path, case), partial(case.peer, path, case.size), runs=case.runs
            )
            yield Row(case.work, ours_ms, "Pillow in process", peer_ms, AIM, remark)
