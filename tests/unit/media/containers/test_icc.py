from __future__ import annotations

from typing import Any

import pytest
import pyvips
from hypothesis import given
from hypothesis import strategies as st

from eyeline.media.containers import icc


@pytest.mark.parametrize(
    ("corners", "name"),
    [(icc.SRGB_XY, "srgb"), (icc.P3_XY, "display_p3"), (icc.ADOBE_XY, "adobe_rgb"), (icc.BT2020_XY, "bt2020")],
)
def test_a_profile_is_known_by_its_primaries(corners: tuple[float, ...], name: str) -> None:
    found = icc.read_profile(icc.matrix_profile(corners))
    assert found is not None
    assert (found.space, found.name, found.equals_srgb) == ("rgb", name, name == "srgb")


@pytest.mark.parametrize("gamma", [1.0, 1.8, 2.2])
def test_srgb_primaries_with_another_curve_are_not_srgb(gamma: float) -> None:
    found = icc.read_profile(icc.matrix_profile(icc.SRGB_XY, gamma=gamma))
    assert found is not None
    assert (found.name, found.equals_srgb) == ("rgb", False)


def test_profiles_of_others_read_the_same() -> None:
    facts = {}
    for name in ("srgb", "p3", "cmyk"):
        found = icc.read_profile(bytes(pyvips.Operation.call("profile_load", name)))
        assert found is not None
        facts[name] = (found.space, found.name, found.equals_srgb)
    assert facts == {
        "srgb": ("rgb", "srgb", True),
        "p3": ("rgb", "display_p3", False),
        "cmyk": ("cmyk", "cmyk", False),
    }


def test_a_grey_profile_is_srgb_only_with_its_curve() -> None:
    found = icc.read_profile(icc.grey_profile(1.0))
    assert found == icc.Profile("grey", "grey", equals_srgb=False)


def test_our_profile_converts_like_that_of_libvips() -> None:
    pixel = pyvips.Image.new_from_memory(bytes((200, 100, 50)), 1, 1, 3, "uchar").copy(interpretation="srgb")
    theirs = pixel.icc_transform("srgb", input_profile="p3", intent="relative")(0, 0)
    profile: Any = icc.matrix_profile(icc.P3_XY)
    pixel.set_type(pyvips.GValue.blob_type, "icc-profile-data", profile)
    ours = pixel.icc_transform("srgb", embedded=True, intent="relative")(0, 0)
    assert ours == pytest.approx(theirs, abs=1)


@given(place=st.integers(0, 443), noise=st.binary(min_size=1, max_size=40), length=st.integers(0, 460))
def test_a_damaged_profile_never_raises(place: int, noise: bytes, length: int) -> None:
    whole = icc.matrix_profile(icc.P3_XY)
    icc.read_profile((whole[:place] + noise + whole[place + len(noise) :])[:length])


@given(
    gamma=st.floats(0, 5),
    corners=st.none() | st.tuples(*[st.floats(0, 1.2) for _ in range(8)]),
    grey=st.booleans(),
)
def test_nonsense_from_png_chunks_makes_a_profile_or_none(
    gamma: float, corners: tuple[float, ...] | None, grey: bool
) -> None:
    made = icc.from_gamma(gamma, corners, grey=grey)
    assert made is None or icc.read_profile(made) is not None
