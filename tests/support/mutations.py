"""Seeded damage to sample media: the same seed always gives the same bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator

_INTERESTING = (
    b"\x00",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xff\xff",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
)


def mutations(data: bytes, *, seed: str, count: int) -> Iterator[bytes]:
    """`count` damaged copies: bits flipped, bytes and numbers overwritten, runs dropped, doubled and cut off.

    Half of the damage lands in the first 256 bytes, where headers are.
    """
    source = random.Random(seed)
    for _ in range(count):
        damaged = bytearray(data)
        for _ in range(source.choice((1, 1, 2, 4))):
            _damage(damaged, source)
        yield bytes(damaged)


def _damage(data: bytearray, source: random.Random) -> None:
    if not data:
        return
    place = source.randrange(min(len(data), 256) if source.random() < 0.5 else len(data))
    kind = source.randrange(6)
    if kind == 0:
        data[place] ^= 1 << source.randrange(8)
    elif kind == 1:
        data[place] = source.randrange(256)
    elif kind == 2:
        piece = source.choice(_INTERESTING)
        data[place : place + len(piece)] = piece
    elif kind == 3:
        del data[place : place + source.randrange(1, 32)]
    elif kind == 4:
        data[place:place] = data[place : place + source.randrange(1, 32)]
    else:
        del data[source.randrange(len(data)) :]
