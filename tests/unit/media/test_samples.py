from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image

from eyeline.media import samples
from eyeline.media.sniffing import sniff
from eyeline.testing import media


@pytest.mark.parametrize(
    ("make", "media_type"),
    [
        (lambda: samples.make_photo(320, 240, gps=True, orientation=6, profile=samples.display_p3()), "image/jpeg"),
        (lambda: samples.make_screenshot(400, 300), "image/png"),
        (samples.make_diagram, "image/png"),
        (samples.make_animation, "image/gif"),
        (samples.make_overlay_gif, "image/gif"),
        (lambda: samples.make_dimension_bomb(900, 900), "image/png"),
        (lambda: samples.make_metadata_bomb(1), "image/png"),
        (samples.make_scan, "application/pdf"),
        (samples.make_digital_pdf, "application/pdf"),
    ],
    ids=range(9),
)
def test_the_same_call_gives_the_same_bytes_of_the_type_it_says(make: Callable[[], bytes], media_type: str) -> None:
    first = make()
    assert make() == first
    assert str(sniff(first, size=len(first), tail=first[-1024:])) == media_type


def test_the_notes_are_markdown_by_their_name() -> None:
    notes = samples.make_markdown()
    assert str(sniff(notes, size=len(notes), name="pump.md")) == "text/markdown"


def test_every_line_of_a_screenshot_has_a_code_of_its_own() -> None:
    assert len({samples.screenshot_line(number)[-6:] for number in range(1, 801)}) == 800


def test_every_pixel_form_opens_with_another_decoder() -> None:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA"):
        with Image.open(io.BytesIO(samples.make_picture("image/png", mode=mode))) as opened:
            assert opened.size == (120, 80)


def test_tests_of_others_get_every_builder() -> None:
    assert media.__all__ == samples.__all__
