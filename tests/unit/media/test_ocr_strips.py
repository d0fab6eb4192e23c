"""Strips of a tall picture, on pictures made row by row."""

from __future__ import annotations

import itertools

import pytest
import pyvips

from eyeline.media.ocr_strips import Strip, strips


def rows_of_ink(height: int, *, width: int = 400, pitch: int = 40, thickness: int = 20) -> pyvips.Image:
    """White rows with dark bands: `thickness` rows out of every `pitch`."""
    pixels = bytearray(b"\xff" * (width * height))
    for top in range(0, height, pitch):
        for row in range(top, min(top + thickness, height)):
            pixels[row * width : (row + 1) * width] = bytes(width)
    return pyvips.Image.new_from_memory(bytes(pixels), width, height, 1, "uchar").copy()


def cut(ink: pyvips.Image) -> list[Strip]:
    return list(strips(ink))


@pytest.mark.parametrize("height", [50, 400, 1_200])
def test_an_ordinary_page_stays_whole(height: int) -> None:
    assert cut(rows_of_ink(height)) == [Strip(0, height, 0, height)]


def test_a_tall_picture_is_cut_between_its_lines() -> None:
    found = cut(rows_of_ink(9_000))
    assert len(found) > 2
    assert [strip.first for strip in found] == [0, *(strip.last for strip in found[:-1])]
    assert found[-1].last == 9_000
    assert all(strip.last % 40 >= 20 for strip in found[:-1])
    assert all((strip.top, strip.bottom) == (strip.first, strip.last) for strip in found)


def test_where_there_is_no_gap_neighbours_share_rows_and_each_line_has_one_owner() -> None:
    found = cut(rows_of_ink(9_000, pitch=40, thickness=40))
    assert len(found) > 2
    for strip, following in itertools.pairwise(found):
        assert following.top < strip.last == following.first < strip.bottom
    for middle in range(0, 9_000, 7):
        owners = [strip for strip in found if strip.owns(middle - strip.top - 5, middle - strip.top + 5)]
        assert len(owners) == 1
