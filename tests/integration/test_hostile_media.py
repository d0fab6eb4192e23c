"""Hostile and damaged files through the front door: a typed outcome, the original kept, the next file fine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from eyeline import Eyeline
from eyeline.media.sample_pdf import make_pdf
from eyeline.media.sample_pictures import (
    cut_short,
    end_neatly,
    make_dimension_bomb,
    make_metadata_bomb,
    make_photo,
    make_picture,
    make_png_without_pixels,
)
from eyeline.model.limits import Limits
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.settings import Settings


def _after(tmp_path: Path, data: bytes, name: str, *, limits: Limits | None = None) -> ItemRecord:
    """Take a file in, then a good one; the first must be kept whole and the second must be fine."""
    bad = tmp_path / name
    bad.write_bytes(data)
    good = tmp_path / "good.png"
    good.write_bytes(make_picture())
    with Eyeline(tmp_path / "home", settings=Settings(limits=limits or Limits())) as eye:
        record = eye.ingest(bad).items[0]
        assert record.status is IngestStatus.TAKEN
        assert record.tree_path is not None
        assert (eye.tree / record.tree_path).read_bytes() == data
    with Eyeline(tmp_path / "home") as eye:
        assert eye.ingest(good).items[0].code == "admitted"
        assert len(eye.open("good.png").parts) == 1
    return record


PHOTO = make_photo(640, 480)


@pytest.mark.requirement("SA-05", "XC-01")
@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("cut.jpg", cut_short(PHOTO), "truncated"),
        ("neat.jpg", end_neatly(PHOTO), "truncated"),
        ("cut.png", cut_short(make_picture(width=300, height=200)), "truncated"),
        ("no-pixels.png", make_png_without_pixels(), "malformed"),
        ("bomb.png", make_dimension_bomb(), "over_pixels"),
        ("metadata.png", make_metadata_bomb(64), "admitted"),
        ("cut.pdf", cut_short(make_pdf(["one", "two"])), "truncated"),
        ("locked.pdf", make_pdf(["the code is 4417"], user_password="secret"), "encrypted"),
    ],
)
def test_damage_and_bombs_are_outcomes(tmp_path: Path, name: str, data: bytes, code: str) -> None:
    assert _after(tmp_path, data, name).code == code


@pytest.mark.requirement("XC-01")
def test_a_decoder_that_takes_too_long_is_a_timeout(tmp_path: Path) -> None:
    limits = replace(Limits(), job_wall_ms=1)
    assert _after(tmp_path, make_photo(4000, 3000), "slow.jpg", limits=limits).code == "timeout"


@pytest.mark.requirement("XC-01")
def test_a_decoder_that_needs_too_much_memory_dies_alone(tmp_path: Path) -> None:
    limits = replace(Limits(), job_memory_bytes=4 << 20)
    record = _after(tmp_path, make_picture("image/png", width=6000, height=5000), "wide.png", limits=limits)
    assert record.code in ("over_memory", "crashed")


@pytest.mark.requirement("XC-01")
def test_too_many_pages_and_frames_are_outcomes(tmp_path: Path) -> None:
    limits = replace(Limits(), max_pages=2)
    assert _after(tmp_path, make_pdf(["a", "b", "c"]), "long.pdf", limits=limits).code == "over_pages"


@pytest.mark.requirement("SA-05")
def test_what_is_not_viewable_says_why_and_where_the_bytes_are(tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    locked.write_bytes(make_pdf(["the code is 4417"], user_password="secret"))
    with Eyeline(tmp_path / "home") as eye:
        item = eye.ingest(locked).items[0]
        assert item.version_id is not None
        envelope = eye.open(item.version_id).envelope
        assert envelope.boundary is not None
        assert "encrypted" in envelope.boundary.message
        assert item.version_id in envelope.boundary.way_out
        assert envelope.source is not None
        assert not envelope.source.readiness.agent_view_ready
        assert envelope.source.readiness.source_stored
        assert b"".join(eye.fetch(item.version_id).chunks) == locked.read_bytes()


def test_no_message_names_a_host_path(tmp_path: Path) -> None:
    inbox = tmp_path / "very-private-folder"
    inbox.mkdir()
    (inbox / "cut.jpg").write_bytes(cut_short(PHOTO))
    (inbox / "noise.bin").write_bytes(bytes(range(256)))
    (inbox / "empty.png").write_bytes(b"")
    with Eyeline(tmp_path / "home") as eye:
        report = eye.ingest(inbox)
        told = repr(report) + "".join(repr(eye.open(i.version_id).envelope) for i in report.items if i.version_id)
    assert "very-private-folder" not in told
    assert str(tmp_path) not in told
