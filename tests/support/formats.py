"""One sample of every picture format that is read, for tests that hold for all of them."""

from __future__ import annotations

from pathlib import Path

from eyeline.media.sample_pictures import encoded, make_animation, make_drawing, make_pages, make_picture, marked

PNG, JPEG, WEBP, GIF = "image/png", "image/jpeg", "image/webp", "image/gif"
TIFF, BMP, ICO, AVIF = "image/tiff", "image/bmp", "image/vnd.microsoft.icon", "image/avif"
HEIC, JP2, SVG = "image/heic", "image/jp2", "image/svg+xml"
HEIC_FOLDER = Path(__file__).parents[1] / "data" / "heic"


def heic(orientation: int = 1) -> bytes:
    """A marked HEIC of 120 by 80 upright pixels, turned by its container."""
    return (HEIC_FOLDER / f"turned-{orientation}.heic").read_bytes()


def marked_samples() -> dict[str, bytes]:
    """A marked picture of 120 by 80 in each still format, by media type."""
    made = {kind: make_picture(kind) for kind in (PNG, JPEG, WEBP, GIF, TIFF, BMP, AVIF, JP2)}
    return made | {
        ICO: encoded(marked(120, 80), ICO, sizes=[(16, 16), (120, 80)]),
        HEIC: heic(),
        SVG: make_drawing(120, 80),
    }


def all_samples() -> dict[str, tuple[str, bytes]]:
    """A sample of each format and of each kind of frames and pages, by name: media type and bytes."""
    stills = {kind.rpartition("/")[2]: (kind, data) for kind, data in marked_samples().items()}
    moving = {f"moving-{kind.rpartition('/')[2]}": (kind, make_animation(kind)) for kind in (PNG, WEBP, GIF)}
    pages = make_pages([marked(120, 80), marked(80, 120)], compression="tiff_lzw")
    return {**stills, **moving, "pages": (TIFF, pages)}
