"""Pages of office documents: set by LibreOffice where it is there, in a room of their own, and never needed."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.cli import run
from tests.support.office import make_rtf, make_slides, make_words

from eyeline import Eyeline
from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.media.libreoffice import find
from eyeline.model.manifest import Origin, Role
from eyeline.settings import FILE, Settings, TypesettingSettings

ANYWHERE = TypesettingSettings(shut_off="where_possible")


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    assert find() is not None, "tools/debian-packages installs LibreOffice for this test"
    inbox = tmp_path_factory.mktemp("inbox")
    (inbox / "report.docx").write_bytes(make_words())
    (inbox / "plan.pptx").write_bytes(make_slides())
    (inbox / "note.rtf").write_bytes(make_rtf())
    with Eyeline(tmp_path_factory.mktemp("home"), settings=Settings(workers=1, typesetting=ANYWHERE)) as eye:
        report = eye.ingest(inbox)
        assert [item.code for item in report.items if item.code != "admitted"] == []
        yield eye


def _manifest(eye: Eyeline, name: str) -> dict[str, Any]:
    (folder,) = (eye.tree / "by-name" / "default" / name / "current").glob("rep_*")
    return json.loads((folder / "manifest.json").read_text())


def _gap(eye: Eyeline, name: str) -> dict[str, Any] | None:
    return next((gap for gap in _manifest(eye, name)["gaps"] if gap["lane"] == "pages"), None)


@pytest.mark.requirement("SA-16")
def test_a_text_opens_with_its_first_page_and_each_page_opens_with_its_words(eye: Eyeline) -> None:
    assert [part.entry.role for part in eye.open("report.docx").parts[:2]] == [Role.PAGE, Role.SOURCE_TEXT]
    page, words = eye.open("report.docx", locator="page=1").parts
    assert page.entry.origin is Origin.AGENT_RENDITION
    assert page.entry.transforms[0].step == "typeset"
    assert "PX-4417" in words.text
    assert "obey" not in words.text
    with pytest.raises(LocatorOutOfRange) as caught:
        eye.open("note.rtf", locator="page=9")
    assert caught.value.detail["extent"] == 1


@pytest.mark.requirement("SA-16")
def test_a_slide_that_is_hidden_has_its_picture_under_its_own_number(eye: Eyeline) -> None:
    page, text, _ = eye.open("plan.pptx", locator="page=2").parts
    assert "# Slide 2" in text.text
    overview, detail = eye.open("plan.pptx", locator="page=2&xywh=percent:50,60,50,40", accept=["image/png"]).parts
    assert [each.entry.role for each in (page, overview, detail)] == [Role.PAGE, Role.OVERVIEW, Role.DETAIL]
    with Image.open(io.BytesIO(detail.bytes)) as drawn:
        assert len(drawn.convert("RGB").resize((40, 40)).getcolors() or ()) > 1, "the embedded picture is drawn"


def test_pages_and_their_pictures_are_kept_with_the_reading(eye: Eyeline) -> None:
    manifest = _manifest(eye, "plan.pptx")
    paths = {each["path"] for each in manifest["outputs"]}
    assert {"assets/pages.pdf", "assets/preview.png", "assets/page-0001.png", "assets/page-0002.png"} <= paths
    assert any(each["name"] == "libreoffice" for each in manifest["components"])
    assert {"lane": "pages", "unit": "pages", "read": 2, "total": 2} in manifest["coverage"]


@pytest.mark.requirement("SA-24")
def test_without_it_the_text_stands_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "report.docx").write_bytes(make_words())
    settings = Settings(workers=1, typesetting=TypesettingSettings("off"))
    with Eyeline(tmp_path / "home", settings=settings) as eye:
        eye.ingest(tmp_path / "report.docx")
        assert (_gap(eye, "report.docx") or {})["code"] == "not_configured"
        opened = eye.open("report.docx")
        assert "PX-4417" in opened.parts[0].text
        source = opened.envelope.source
        assert source is not None
        assert source.readiness.agent_view_ready
        assert source.readiness.text_retrieval_ready
        with pytest.raises(LocatorUnsupported):
            eye.open("report.docx", locator="page=1")


@pytest.mark.parametrize(
    ("script", "retryable"),
    [("sleep 600", True), ("exit 3", False), ("mkdir out; echo no pages > out/document.pdf", False)],
)
def test_a_program_that_hangs_or_fails_costs_the_pages_alone(tmp_path: Path, script: str, retryable: bool) -> None:
    program = tmp_path / "programs" / "office" / "soffice"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "report.docx").write_bytes(make_words())
    settings = Settings(
        workers=1, typesetting=TypesettingSettings(str(program), timeout_ms=700, shut_off="where_possible")
    )
    with Eyeline(tmp_path / "home", settings=settings) as eye:
        (item,) = eye.ingest(tmp_path / "report.docx").items
        assert item.code == "admitted"
        gap = _gap(eye, "report.docx") or {}
        assert (gap["code"], gap["retryable"]) == ("failed", retryable)
        assert "PX-4417" in eye.open("report.docx").parts[0].text


@pytest.mark.parametrize(("shut_off", "code"), [("required", "not_configured"), ("where_possible", "failed")])
def test_where_nothing_shuts_it_off_it_is_not_run_unless_that_is_chosen(
    tmp_path: Path, shut_off: str, code: str
) -> None:
    path, home = tmp_path / "bin", tmp_path / "home"
    path.mkdir()
    home.mkdir()
    (path / "soffice").write_text(f"#!/bin/sh\n: > '{tmp_path}/it-ran'\n")
    (path / "soffice").chmod(0o755)
    (tmp_path / "report.docx").write_bytes(make_words())
    (home / FILE).write_text(f'[typesetting]\nshut_off = "{shut_off}"\n')
    done = run(home, "ingest", str(tmp_path / "report.docx"), PATH=str(path))
    assert done.code == 0, done.err
    with Eyeline(home) as eye:
        assert (_gap(eye, "report.docx") or {})["code"] == code
    assert (tmp_path / "it-ran").exists() is (code == "failed")
