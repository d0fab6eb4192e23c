"""Laws of attachments: names harmless on every disk, paths inside their folder, variants named by what made them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import InvalidReference
from eyeline.model.attachment import FileRef, ImageRef, ImageTarget, UploadedImage
from eyeline.model.digest import Digest
from eyeline.model.limits import JPEG, PNG, WEBP
from eyeline.model.media_type import MediaType
from eyeline.request.layout import (
    MAX_LEAF_BYTES,
    digest_of,
    display_name,
    file_path,
    object_path,
    ref_path,
    safe_leaf,
    upload_path,
)
from eyeline.request.variants import is_unchanged, plan_of, variant_id_of
from eyeline.wire import dumps, loads

ANY = st.text(st.characters(), max_size=400)
ODD = st.text(st.sampled_from("a.b-~ /\\:con\n\u202e\u00e9e\u0301"), max_size=12)
CSV = MediaType("text/csv")
SIDES = st.integers(1, 8192)


@st.composite
def references(draw: st.DrawFn) -> ImageRef:
    """Any picture."""
    digest = Digest.of(draw(st.binary(max_size=4)))
    width, height = draw(SIDES), draw(SIDES)
    upload = UploadedImage(Digest.of(digest.hex.encode()), MediaType("image/heic"), 9, width, height)
    media_type = draw(st.sampled_from((PNG, JPEG, WEBP)))
    count = draw(st.integers(1, 1 << 24))
    return ImageRef(digest, media_type, count, width, height, draw(st.text(max_size=9)), upload, draw(st.booleans()))


@st.composite
def targets(draw: st.DrawFn) -> ImageTarget:
    """Any target with room."""
    types = draw(st.sampled_from(((PNG, JPEG), (JPEG, PNG), (PNG,), (JPEG, PNG, WEBP))))
    return ImageTarget(draw(SIDES), draw(SIDES), draw(st.integers(1, 1 << 24)), types, draw(st.integers(1, 64)))


@given(st.one_of(ANY, ODD))
def test_a_leaf_is_one_harmless_name_and_a_safe_one_stays(name: str) -> None:
    leaf = safe_leaf(name, media_type=CSV)
    assert leaf == PurePosixPath(leaf).name
    assert leaf not in ("", ".", "..")
    assert len(leaf.encode()) <= MAX_LEAF_BYTES
    assert not leaf.startswith((".", "-", "~", " "))
    assert not leaf.endswith((".", " "))
    assert leaf.isprintable()
    assert not set(leaf) & set('/\\:*?"<>|')
    assert leaf.partition(".")[0].casefold() not in ("con", "nul", "com1", "lpt9")
    assert safe_leaf(leaf, media_type=CSV) == leaf


@given(st.one_of(ANY, ODD))
def test_a_display_name_is_portable_and_no_path(name: str) -> None:
    shown = display_name(name, media_type=PNG)
    assert shown
    assert "/" not in shown
    assert json.loads(json.dumps(shown)).encode() == shown.encode()
    assert display_name(shown, media_type=PNG) == shown


@given(references(), ANY)
def test_paths_stay_inside_and_end_with_the_digest_or_the_name(ref: ImageRef, name: str) -> None:
    path = object_path(ref)
    assert path.parts[:2] == ("v1", ref.attachment_id.hex[:2])
    assert path.name == f"{ref.attachment_id.hex}.{ref.media_type.extension}"
    assert upload_path(ref.original).name == f"{ref.original.digest.hex}.heic"
    file = FileRef(ref.attachment_id, CSV, 1, safe_leaf(name, media_type=CSV))
    assert (ref_path(file).name, digest_of(ref_path(file)), len(ref_path(file).parts)) == (
        file.name,
        file.attachment_id,
        4,
    )


@given(ODD)
def test_a_file_reference_leads_to_its_name_or_nowhere(name: str) -> None:
    digest = Digest.of(b"")
    if name == safe_leaf(name, media_type=CSV):
        assert file_path(digest, name).name == name
    else:
        with pytest.raises(InvalidReference):
            file_path(digest, name)


@given(references())
def test_a_reference_survives_its_json(ref: ImageRef) -> None:
    assert loads(ImageRef, dumps(ref)) == ref


@given(references(), targets())
def test_a_request_picture_fits_its_box_and_is_never_enlarged(ref: ImageRef, target: ImageTarget) -> None:
    size = plan_of(ref, target).size
    assert 1 <= size.width_px <= min(ref.width_px, target.width_px)
    assert 1 <= size.height_px <= min(ref.height_px, target.height_px)


@given(references(), targets(), ANY)
def test_a_variant_is_named_by_picture_and_plan_and_by_no_name(ref: ImageRef, target: ImageTarget, name: str) -> None:
    plan = plan_of(ref, target)
    named = variant_id_of(ref, plan)
    assert variant_id_of(replace(ref, name=name), plan) == named
    other = replace(ref, attachment_id=Digest.of(ref.attachment_id.hex.encode()))
    assert variant_id_of(other, plan) != named
    if not is_unchanged(ref, plan):
        assert variant_id_of(ref, replace(plan, max_bytes=plan.max_bytes + 1)) != named
