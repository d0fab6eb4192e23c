"""Media types, ranges, extensions, and what a caller accepts."""

from __future__ import annotations

import pytest

from eyeline.errors import InvalidMediaType, LimitExceeded
from eyeline.model.acceptance import Acceptance
from eyeline.model.limits import JPEG, MARKDOWN, PLAIN, PNG, WEBP, Budget, ServedSet
from eyeline.model.media_type import Family, MediaRange, MediaType, extensions_of, type_for_extension

SERVED = ServedSet()


@pytest.mark.parametrize(
    ("text", "name", "family", "extension"),
    [
        ("image/jpg", "image/jpeg", Family.IMAGE, "jpg"),
        ("IMAGE/PNG; charset=x", "image/png", Family.IMAGE, "png"),
        ("image/x-png", "image/png", Family.IMAGE, "png"),
        ("application/pdf", "application/pdf", Family.DOCUMENT, "pdf"),
        ("text/markdown", "text/markdown", Family.TEXT, "md"),
        ("application/json", "application/json", Family.TEXT, "json"),
        ("image/unheard-of", "image/unheard-of", Family.IMAGE, "bin"),
        ("model/gltf+json", "model/gltf+json", Family.OTHER, "bin"),
    ],
)
def test_aliases_fold_and_each_type_has_one_family_and_extension(
    text: str, name: str, family: Family, extension: str
) -> None:
    media_type = MediaType.parse(text)
    assert (media_type.name, media_type.family, media_type.extension) == (name, family, extension)


@pytest.mark.parametrize("text", ["", "png", "image/", "/png", "image/*", "image /png", "a/b/c"])
def test_what_is_no_media_type_is_refused(text: str) -> None:
    with pytest.raises(InvalidMediaType):
        MediaType.parse(text)


@pytest.mark.parametrize("text", ["png", "*/png", "image/*/x", ""])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InvalidMediaType):
        MediaRange.parse(text)


def test_an_extension_claims_one_type_and_a_type_knows_its_extensions() -> None:
    assert type_for_extension("JPEG") == JPEG
    assert type_for_extension("nothing-known") is None
    assert {"jpg", "jpeg"} <= extensions_of(JPEG)


@pytest.mark.requirement("SA-14")
@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, (PNG, JPEG)),
        (["image/*"], (PNG, JPEG)),
        (["*/*"], (PNG, JPEG)),
        (["image/webp"], (WEBP,)),
        (["image/jpeg", "image/png"], (JPEG,)),
        (["text/plain", "image/png"], (PNG,)),
        (["image/webp", "image/*"], (WEBP,)),
        (["image/avif", "image/*"], (PNG, JPEG)),
        (["text/*"], ()),
        ([], ()),
    ],
)
def test_the_first_entry_that_matches_decides_the_picture(
    accept: list[str] | None, chosen: tuple[MediaType, ...]
) -> None:
    assert Acceptance.parse(accept).pictures(SERVED.pictures) == chosen


@pytest.mark.parametrize(
    ("accept", "native", "chosen"),
    [
        (None, MARKDOWN, MARKDOWN),
        (["text/plain"], MARKDOWN, PLAIN),
        (["image/*"], MARKDOWN, None),
        (["text/*"], MediaType("text/csv"), MARKDOWN),
    ],
)
def test_a_text_goes_out_as_its_own_type_where_that_is_taken(
    accept: list[str] | None, native: MediaType, chosen: MediaType | None
) -> None:
    assert Acceptance.parse(accept).text(native, served=SERVED.texts) == chosen


def test_a_budget_takes_what_fits_and_refuses_the_rest_whole() -> None:
    budget = Budget(10)
    budget.take(7)
    with pytest.raises(LimitExceeded) as caught:
        budget.take(4)
    assert caught.value.detail == {"allowed": 10, "asked": 4, "left": 3}
    budget.take(3)
    assert budget.left == 0
