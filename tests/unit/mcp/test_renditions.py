"""Addresses of delivered renditions lead back to the call that delivered them."""

from __future__ import annotations

from typing import Any

import pytest

from eyeline.errors import InvalidRequest
from eyeline.mcp.renditions import RenditionAddress
from eyeline.model.digest import Digest

DIGEST = Digest.of(b"picture")
VERSION = "ver_0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"locator": "page=3&xywh=percent:10,20,40.5,15"},
        {"accept": ["image/webp", "image/*"]},
        {"representation_id": "rep_1", "locator": "sheet=Q3%20%26%20more", "accept": ["text/plain"]},
    ],
)
def test_an_address_reads_back_as_it_was_written(more: dict[str, Any]) -> None:
    address = RenditionAddress(DIGEST, {"version_id": VERSION, **more})
    assert RenditionAddress.parse(str(address)) == address
    assert str(address).startswith(f"eyeline://rendition/{VERSION}/{DIGEST.hex}")


def test_inputs_that_were_left_out_or_null_are_no_part_of_it() -> None:
    address = RenditionAddress(DIGEST, {"version_id": VERSION, "locator": None, "accept": None})
    assert "?" not in str(address)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "eyeline://limits/more",
        f"file://rendition/{VERSION}/{DIGEST.hex}",
        f"eyeline://other/{VERSION}/{DIGEST.hex}",
        f"eyeline://rendition/{VERSION}",
        f"eyeline://rendition/{VERSION}/{DIGEST.hex}/more",
        f"eyeline://rendition/{VERSION}/{DIGEST.hex.upper()}",
        f"eyeline://rendition/{VERSION}/{DIGEST.hex}?size=3",
        f"eyeline://rendition/{VERSION}/{DIGEST.hex}?locator=page%3D1&locator=page%3D2",
        "eyeline://[rendition/x/y",
    ],
)
def test_any_other_text_is_refused(uri: str) -> None:
    with pytest.raises(InvalidRequest):
        RenditionAddress.parse(uri)
