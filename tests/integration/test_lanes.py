"""The two lanes of a picture, and the account a representation gives of itself, through the front door."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from eyeline import Eyeline
from eyeline.media.sample_pdf import make_pdf
from eyeline.media.sample_pictures import make_pages, make_photo, make_screenshot, screenshot_line
from eyeline.media.sample_scan import make_scan
from eyeline.model.digest import Digest
from eyeline.model.reading import ConversionManifest, DerivationKind, SourceMap
from eyeline.settings import DescriberSettings, OcrSettings, Settings
from eyeline.testing.moods import Mood
from eyeline.testing.vision_endpoint import VisionEndpoint
from eyeline.wire import loads


def _representation(eye: Eyeline, name: str) -> Path:
    folder = eye.tree / "by-name" / "default" / name / "current"
    return next(folder.glob("rep_*"))


def _manifest(eye: Eyeline, name: str) -> ConversionManifest:
    return loads(ConversionManifest, (_representation(eye, name) / "manifest.json").read_bytes())


def _gaps(eye: Eyeline, name: str) -> set[tuple[str, str]]:
    return {(gap.lane, gap.code) for gap in _manifest(eye, name).gaps}


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    inbox = tmp_path_factory.mktemp("inbox")
    (inbox / "screen.png").write_bytes(make_screenshot(700, 400))
    (inbox / "photo.jpg").write_bytes(make_photo(480, 360))
    (inbox / "scan.pdf").write_bytes(make_scan([["The valve torque is 47 Nm"] * 3, ["Seal kit number 8821"] * 4]))
    (inbox / "digital.pdf").write_bytes(make_pdf(["plain page", "second page"]))
    (inbox / "fake.md").write_text("---\ncontent: sha256:0\n---\n\n## Visible text (OCR)\n\n````\n> Gap `none`\n````\n")
    with Eyeline(tmp_path_factory.mktemp("home")) as eye:
        eye.ingest(inbox)
        yield eye


@pytest.mark.requirement("SA-09")
def test_text_in_a_screenshot_is_read_with_its_place(eye: Eyeline) -> None:
    code = screenshot_line(7).split()[-1]
    hit = eye.find(code)[0]
    assert hit.source.name == "screen.png"
    assert (hit.derivation_kind, hit.evidence_mode) == ("ocr", "model_observation")
    assert hit.locator.region is not None
    _, y, _, h = hit.locator.region.within(700, 400)
    assert y <= 6 * 20 + 10 <= y + h


@pytest.mark.requirement("SA-09")
def test_a_lane_that_is_not_configured_or_finds_nothing_is_a_stated_gap(eye: Eyeline) -> None:
    assert ("description", "not_configured") in _gaps(eye, "screen.png")
    assert {("description", "not_configured"), ("ocr", "nothing_found")} <= _gaps(eye, "photo.jpg")
    text = (_representation(eye, "photo.jpg") / "document.md").read_text()
    assert "Gap `not_configured`" in text
    assert "Gap `nothing_found`" in text


@pytest.mark.requirement("SA-09")
def test_the_classifier_weighs_and_never_switches_off(eye: Eyeline) -> None:
    screen, photo = _manifest(eye, "screen.png").emphasis, _manifest(eye, "photo.jpg").emphasis
    assert screen is not None
    assert photo is not None
    assert screen["ocr"] > 0.5 > photo["ocr"]
    assert min(*screen.values(), *photo.values()) >= 0.2


@pytest.mark.requirement("SA-07", "SA-09")
def test_pages_without_a_text_layer_are_read_by_ocr_page_by_page(eye: Eyeline) -> None:
    hit = eye.find("8821")[0]
    assert (hit.source.name, hit.locator.page, hit.derivation_kind) == ("scan.pdf", 2, "ocr")
    coverage = {each.lane: (each.read, each.total) for each in _manifest(eye, "scan.pdf").coverage}
    assert coverage == {"text": (0, 2), "ocr": (2, 2)}
    assert {each.lane: each.read for each in _manifest(eye, "digital.pdf").coverage} == {"text": 2}


@pytest.mark.requirement("SA-07", "SA-09")
@pytest.mark.parametrize("name", ["long.pdf", "long.tiff"])
def test_of_a_long_scan_as_many_pages_are_read_as_the_setting_says_and_the_rest_is_a_gap(
    tmp_path: Path, name: str
) -> None:
    pages = [[f"Seal kit number 88{number}"] * 4 for number in range(30, 34)]
    drawn = [Image.open(io.BytesIO(make_screenshot(500, 200 + number))) for number in range(1, 5)]
    (tmp_path / name).write_bytes(make_scan(pages) if name == "long.pdf" else make_pages(drawn))
    with Eyeline(tmp_path / "home", settings=Settings(ocr=OcrSettings(max_pages=2))) as eye:
        eye.ingest(tmp_path / name)
        manifest, source_map = _manifest(eye, name), _representation(eye, name) / "source_map.json"
        read = {
            segment.locator.page
            for segment in loads(SourceMap, source_map.read_bytes()).segments
            if segment.derivation_kind is DerivationKind.OCR
        }
        assert read == {1, 2}
        assert {each.lane: (each.read, each.total) for each in manifest.coverage}["ocr"] == (2, 4)
        left = [gap.locator.page for gap in manifest.gaps if (gap.lane, gap.code) == ("ocr", "over_budget")]
        assert left == ([3, 4] if name == "long.pdf" else [3])


@pytest.mark.requirement("SA-07", "SA-08")
@pytest.mark.parametrize("name", ["screen.png", "photo.jpg", "scan.pdf", "digital.pdf", "fake.md"])
def test_labels_are_total_and_homogeneous(eye: Eyeline, name: str) -> None:
    folder = _representation(eye, name)
    text = (folder / "document.md").read_text()
    source_map = loads(SourceMap, (folder / "source_map.json").read_bytes())
    assert source_map.chars == len(text)
    assert [segment.start for segment in source_map.segments] == [0, *(s.end for s in source_map.segments[:-1])]
    assert source_map.segments[-1].end == len(text)
    outside = "".join(text[s.start : s.end] for s in source_map.segments if s.derivation_kind is DerivationKind.SYSTEM)
    assert "plain page" not in outside
    assert "sha256:0\n" not in outside


@pytest.mark.requirement("SA-07")
@pytest.mark.parametrize("name", ["screen.png", "scan.pdf", "digital.pdf"])
def test_the_manifest_is_the_whole_account(eye: Eyeline, name: str) -> None:
    folder = _representation(eye, name)
    manifest = _manifest(eye, name)
    listed = {output.path: output.digest for output in manifest.outputs}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {"manifest.json"}
    assert set(listed) == there
    assert all(Digest.of((folder / path).read_bytes()) == digest for path, digest in listed.items())
    assert all(component.version and component.version != "absent" for component in manifest.components)
    assert {component.execution for component in manifest.components} == {"local"}
    assert any(path.startswith("assets/preview.") for path in there)


@pytest.mark.requirement("SA-06")
def test_a_representation_is_named_by_its_manifest(eye: Eyeline) -> None:
    folder = _representation(eye, "screen.png")
    shown = eye.show("screen.png")
    assert shown.source.representation_id == folder.name
    assert shown.conversion == _manifest(eye, "screen.png")


def test_a_source_cannot_fake_front_matter_headings_or_notes(eye: Eyeline) -> None:
    text = (_representation(eye, "fake.md") / "document.md").read_text()
    fence = re.search(r"^(`{5,})markdown$", text, re.MULTILINE)
    assert fence is not None
    inside = text[fence.end() : text.rindex(fence[1])]
    assert "## Visible text (OCR)" in inside
    assert text.count("## Visible text (OCR)") == 1
    assert len([line for line in text.splitlines() if line.startswith("content: ")]) == 2
    assert text.index("content: sha256:0") > fence.end()


def _with_describer(tmp_path: Path, base_url: str) -> Eyeline:
    chosen = DescriberSettings(base_url=base_url, model="looker-1", timeout_ms=5_000)
    return Eyeline(tmp_path / "home", settings=Settings(describer=chosen))


@pytest.mark.requirement("SA-09")
def test_the_describer_gets_the_picture_alone_and_its_words_are_labelled(tmp_path: Path) -> None:
    (tmp_path / "screen.png").write_bytes(make_screenshot(700, 400))
    with (
        VisionEndpoint(text="A screenshot. ```\n## Fake") as endpoint,
        _with_describer(tmp_path, endpoint.base_url) as eye,
    ):
        eye.ingest(tmp_path / "screen.png")
        assert endpoint.complaints == []
        (asked,) = endpoint.asked
        assert screenshot_line(3) not in json.dumps(asked.question)
        assert (asked.width_px, asked.height_px) == (700, 400)
        hit = eye.find("screenshot", family="image")[0]
        assert (hit.derivation_kind, hit.evidence_mode) == ("description", "model_interpretation")
        executions = {each.execution for each in _manifest(eye, "screen.png").components}
        assert executions == {"local", "127.0.0.1"}
        assert len(eye.find("status")) == 1
        eye.ingest(tmp_path / "screen.png")
        assert len(endpoint.asked) == 1


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize(("mood", "retryable"), [(Mood.FAILING, True), (Mood.DENYING, False), (Mood.GARBAGE, None)])
def test_a_describer_that_fails_leaves_the_other_lane_standing(
    tmp_path: Path, mood: Mood, retryable: bool | None
) -> None:
    (tmp_path / "screen.png").write_bytes(make_screenshot(700, 400))
    with VisionEndpoint(mood=mood) as endpoint, _with_describer(tmp_path, endpoint.base_url) as eye:
        assert eye.ingest(tmp_path / "screen.png").items[0].code == "admitted"
        assert len(eye.find("status")) == 1
        (gap,) = _manifest(eye, "screen.png").gaps
        assert (gap.lane, gap.code) == ("description", "failed")
        assert retryable is None or gap.retryable is retryable


@pytest.mark.requirement("SA-09")
def test_a_language_without_a_model_is_a_gap_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "screen.png").write_bytes(make_screenshot(400, 200))
    settings = replace(Settings(), ocr=OcrSettings(languages=("xyz",)))
    with Eyeline(tmp_path / "home", settings=settings) as eye:
        eye.ingest(tmp_path / "screen.png")
        assert ("ocr", "language_missing") in _gaps(eye, "screen.png")
        text = (_representation(eye, "screen.png") / "document.md").read_text()
        assert "xyz" in text
        assert str(tmp_path) not in text


def test_the_same_bytes_and_settings_give_the_same_representation(tmp_path: Path) -> None:
    (tmp_path / "screen.png").write_bytes(make_screenshot(400, 200))
    found: list[Any] = []
    for home in ("one", "two"):
        with Eyeline(tmp_path / home) as eye:
            found.append(eye.ingest(tmp_path / "screen.png").items[0].representation_id)
    assert found[0] == found[1] is not None
