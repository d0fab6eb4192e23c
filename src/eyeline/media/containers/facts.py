"""What a walk over a container tells before any pixel is decoded."""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeline.errors import CorruptMedia

METADATA_LIMIT = 1 << 20
INFLATED_LIMIT = 8 << 20
PROFILE_LIMIT = 4 << 20
PLAIN_PROFILE_LIMIT = 8 << 10

Piece = bytes | tuple[int, int]


@dataclass(slots=True)
class Container:
    """Facts of one picture file, in the coded frame (before orientation).

    `held` names what is in the file beside pixels: exif, gps, xmp, iptc, icc, text, thumbnail, time, trailing, other.
    `notes` are short codes for what is odd but harmless. `pieces` is what to decode in place of the whole file: bytes
    of our own or (offset, length) of the file; none for the file as it stands. `bare_pieces`: pixels only, for a
    decoder that is fussy about the rest, and of a JPEG what is left without metadata. `ended`: the end marker was seen.
    `is_cut`: the file ends inside a frame.
    `first_frame_is_apart`: the still picture of an animated PNG is no frame of the animation.
    `durations_ms`: how long each frame of an animation is shown, as the file says. `pages`: the facts of each page, of
    a picture whose pages differ; `place` is where a page stands in the decoder's count from 0, `channels` how many of
    its samples mean something (0: all). `turned`: what the decoder itself does to turn the picture upright.
    `scale`: how much smaller than it says a drawing is taken, so that its pixels stay within bounds.
    """

    width_px: int = 0
    height_px: int = 0
    bits: int = 8
    colour: str = "rgb"
    has_alpha: bool = False
    frames: int = 1
    first_frame_is_apart: bool = False
    orientation: int = 1
    profile: bytes | None = None
    held: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])
    pieces: tuple[Piece, ...] | None = None
    bare_pieces: tuple[Piece, ...] | None = None
    ended: bool = False
    is_cut: bool = False
    durations_ms: list[int] = field(default_factory=list[int])
    pages: tuple[Container, ...] = ()
    place: int = 0
    channels: int = 0
    turned: str = ""
    scale: float = 1.0

    def note(self, code: str) -> None:
        """Add a note once."""
        if code not in self.notes:
            self.notes.append(code)

    def at(self, frame: int | None) -> Container:
        """The facts of one page (from 1); the same for every frame of a picture without pages."""
        return self.pages[(frame or 1) - 1] if self.pages else self

    @property
    def is_bare(self) -> bool:
        """Whether the file holds nothing but one upright picture of 8 bits and its colour data."""
        return (
            not self.held - {"icc"}
            and self.ended
            and self.bits <= 8
            and self.frames == 1
            and self.orientation == 1
            and self.pieces is None
            and len(self.profile or b"") <= PLAIN_PROFILE_LIMIT
        )


def damaged(reason: str, *, outcome: str = "malformed") -> CorruptMedia:
    """The error for a container that cannot be decoded; `outcome` is malformed or truncated."""
    words = reason.replace("_", " ")
    return CorruptMedia(f"the picture is {outcome}: {words}", reason=reason, outcome=outcome)


def without(size: int, dropped: list[tuple[int, int]]) -> tuple[Piece, ...]:
    """The ranges of a file of `size` bytes that stay when the dropped (offset, length) ranges go."""
    kept: list[Piece] = []
    position = 0
    for offset, length in sorted(dropped):
        if offset > position:
            kept.append((position, offset - position))
        position = max(position, offset + length)
    if position < size:
        kept.append((position, size - position))
    return tuple(kept)
