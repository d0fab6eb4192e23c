"""Converting again: only what is due, never over what is there, and from where a killed conversion stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import invoke
from tests.support.homes import files_below, fill_inbox

from eyeline import Eyeline, Settings
from eyeline.convert.lanes import Description
from eyeline.errors import Cancelled, DocumentNotFound, LaneFailed
from eyeline.media.sample_pictures import make_picture
from eyeline.media.sample_scan import make_scan
from eyeline.model.limits import Limits
from eyeline.model.media_type import MediaType
from eyeline.model.reading import Component
from eyeline.operations.convert import ConvertStatus
from eyeline.settings import TreeSettings
from eyeline.toolkit.cancel import CancelToken

ROOT = Path(__file__).parents[2]
WAIT_S = 300


class Teller:
    """A describer that can be down, and that has a version."""

    def __init__(self, version: str = "1", *, down: bool = False) -> None:
        self.version = version
        self.down = down

    @property
    def components(self) -> tuple[Component, ...]:
        return (Component("teller", self.version, "example.test"),)

    def describe(
        self, picture: bytes, media_type: MediaType, *, emphasis: float = 1.0, cancel: CancelToken | None = None
    ) -> Description:
        del picture, media_type, emphasis, cancel
        if self.down:
            raise LaneFailed("the endpoint is down", reason="unavailable")
        return Description(f"a picture as version {self.version} tells it", "teller", "example.test")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "mark.png"
    path.write_bytes(make_picture(width=200, height=120))
    return path


def statuses(report: Any) -> list[str]:
    return [item.status.value for item in report.items]


@pytest.mark.requirement("SA-06")
def test_what_was_taken_in_without_waiting_is_viewable_and_gets_its_text_later(tmp_path: Path, home: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with Eyeline(home) as eye:
        items = eye.ingest(inbox, wait=False).items
        assert {item.code for item in items} == {"admitted", "empty"}
        assert {item.representation_id for item in items} == {None}
        assert eye.find("pump").negative is not None
        assert eye.open("mark.png").parts
        assert not eye.show("note.md").source.readiness.text_retrieval_ready
        assert eye.check(grace_ms=0).clean
        report = eye.convert()
        assert statuses(report) == ["converted"] * 4
        assert eye.show("note.md").source.readiness.text_retrieval_ready
        assert eye.find("pump").passages
        assert statuses(eye.convert()) == ["unchanged"] * 4
        assert eye.check(grace_ms=0).clean
    waited = Eyeline(tmp_path / "waited")
    with waited:
        made = {item.source: item.representation_id for item in waited.ingest(inbox).items}
    with Eyeline(home) as eye:
        assert {item.source: item.representation_id for item in eye.ingest(inbox).items} == made


@pytest.mark.requirement("SA-06")
def test_another_setting_gives_another_reading_and_the_one_before_stays(tmp_path: Path, home: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with Eyeline(home) as eye:
        before = {item.source: item.representation_id for item in eye.ingest(inbox).items}
        blobs = set(files_below(home / "blobs"))
    with Eyeline(home, settings=Settings(tree=TreeSettings(max_thumbnails=1))) as eye:
        report = eye.convert()
        (new,) = [item for item in report.items if item.status is ConvertStatus.CONVERTED]
        old = before["manual.pdf"]
        assert (new.name, len(report.items)) == ("manual.pdf", 4)
        assert new.representation_id != old
        shown = eye.show("manual.pdf")
        assert shown.source.representation_id == new.representation_id
        assert eye.open("manual.pdf", representation_id=old).envelope.boundary is None
        assert eye.read("manual.pdf", representation_id=old).parts[0].text
        folder = (eye.tree / f"{shown.source.tree_path}").parent
        assert {path.name for path in folder.glob("rep_*")} == {old, new.representation_id}
        assert json.loads((folder / "version.json").read_text())["representation"] == new.representation_id
        assert set(files_below(home / "blobs")) > blobs
        assert [path.name for path in folder.glob("original.*")] == ["original.pdf"]
        assert len(eye.find("about valves")) == 1
    with Eyeline(home) as eye:
        assert eye.convert("manual.pdf").items[0].representation_id == old
        assert eye.show("manual.pdf").source.representation_id == old
        assert eye.check(grace_ms=0).clean


@pytest.mark.requirement("SA-06", "SA-09")
def test_a_gap_that_may_be_filled_is_tried_again_and_others_are_not(home: Path, picture: Path) -> None:
    teller = Teller(down=True)
    with Eyeline(home, describer=teller) as eye:
        first = eye.ingest(picture).items[0].representation_id
        assert statuses(eye.convert()) == ["unchanged"]
        teller.down = False
        report = eye.convert()
        assert statuses(report) == ["converted"]
        second = report.items[0].representation_id
        assert second != first
        assert eye.find("version tells").passages
        assert statuses(eye.convert()) == ["unchanged"]
        assert eye.read("mark.png", representation_id=first).parts
        assert eye.check(grace_ms=0).clean


@pytest.mark.requirement("SA-06")
def test_another_engine_reads_again_by_itself_and_the_same_one_only_when_told(home: Path, picture: Path) -> None:
    with Eyeline(home, describer=Teller("1")) as eye:
        first = eye.ingest(picture).items[0].representation_id
        again = eye.convert("mark.png", again=True).items[0]
        assert (again.status, again.representation_id) == (ConvertStatus.UNCHANGED, first)
    with Eyeline(home, describer=Teller("2")) as eye:
        second = eye.convert().items[0]
        assert (second.status, second.code) == (ConvertStatus.CONVERTED, "converted")
        assert [each.version for each in _components(eye) if each.name == "teller"] == ["2"]
        assert len(eye.find("version 2")) == 1
        assert not eye.find("version 1").passages


def _components(eye: Eyeline) -> tuple[Component, ...]:
    conversion = eye.show("mark.png").conversion
    assert conversion is not None
    return conversion.components


@pytest.mark.requirement("SA-24")
def test_another_policy_decodes_again_with_convert_and_never_with_an_open(home: Path, picture: Path) -> None:
    with Eyeline(home) as eye:
        eye.ingest(picture)
    with Eyeline(home, settings=Settings(limits=Limits(max_pixels=20_000))) as eye:
        before = (home / "catalog.sqlite").read_bytes()
        boundary = eye.open("mark.png").envelope.boundary
        assert boundary is not None
        assert boundary.code == "not_viewable"
        assert not eye.show("mark.png").source.readiness.agent_view_ready
        assert (home / "catalog.sqlite").read_bytes() == before
        report = eye.convert()
        assert (report.items[0].status, report.items[0].code) == (ConvertStatus.NOT_VIEWABLE, "over_pixels")
        assert not eye.show("mark.png").source.readiness.agent_view_ready
        facts = json.loads(
            (eye.tree / f"{eye.show('mark.png').source.tree_path}").with_name("version.json").read_text()
        )
        assert facts["admission"] == "over_pixels"
    with Eyeline(home, settings=Settings(limits=Limits(max_pixels=30_000))) as eye:
        assert not eye.open("mark.png").parts
        assert [each.code for each in eye.check(grace_ms=0).findings][:1] == ["admission_due"]
        assert eye.check(repair=True).clean
        assert eye.show("mark.png").source.readiness.agent_view_ready
        assert eye.open("mark.png").parts
    with Eyeline(home) as eye:
        assert eye.show("mark.png").source.readiness.agent_view_ready


@pytest.mark.requirement("XC-05")
def test_progress_rises_and_a_wish_to_stop_is_heard(tmp_path: Path, home: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    seen: list[tuple[int, int]] = []
    with Eyeline(home) as eye:
        eye.ingest(inbox, wait=False)
        token = CancelToken()
        with pytest.raises(Cancelled):
            eye.convert(cancel=token, progress=lambda done, total, what: token.cancel("enough"))
        eye.convert(progress=lambda done, total, what: seen.append((done, total)))
        assert seen == [(number, 4) for number in range(1, 5)]
        assert statuses(eye.convert()) == ["unchanged"] * 4


def test_an_unknown_name_is_said_before_anything_is_converted(tmp_path: Path, home: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with Eyeline(home) as eye:
        eye.ingest(inbox, wait=False)
        with pytest.raises(DocumentNotFound):
            eye.convert("note.md", "nobody.txt")
        assert eye.find("pump").negative is not None


READS_A_SCAN = """
# OCR itself is slow and is proven elsewhere: what it would read is made up here
import os, signal, sys
from pathlib import Path
from eyeline import Eyeline, Settings
from eyeline.convert import pdf
from eyeline.convert.lanes import OCR, LaneOutcome, OcrLine, OcrReading
home, stop_after = Path(sys.argv[1]), int(sys.argv[2])
asked = 0

def quickly_read(engine, source, *, media_type, page, cancel):
    global asked
    if asked == stop_after:
        os.kill(os.getpid(), signal.SIGKILL)
    asked += 1
    line = OcrLine(f"alpha on page {page}", (10.1, 20.0, 100.3, 30.0), 91.7, 0, 0)
    return LaneOutcome(OCR, OcrReading((line,), 0, 612.0, 792.0, ("eng",)))

pdf.run_ocr = quickly_read
pdf.ThreadPoolExecutor = lambda max_workers, thread_name_prefix: pool(1)
from concurrent.futures import ThreadPoolExecutor as pool
with Eyeline(home, settings=Settings(workers=1)) as eye:
    record = eye.convert("scan.pdf").items[0]
    print(asked, record.representation_id)
"""


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a scan of three pages that nobody has read yet."""
    folder = tmp_path_factory.mktemp("scanned")
    (folder / "scan.pdf").write_bytes(make_scan([["first"], ["second"], ["third"]]))
    with Eyeline(folder / "home") as eye:
        eye.ingest(folder / "scan.pdf", wait=False)
    return folder / "home"


def read_scan(home: Path, *, stop_after: int) -> tuple[int, list[str]]:
    command = [sys.executable, "-c", READS_A_SCAN, str(home), str(stop_after)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=WAIT_S)
    return done.returncode, done.stdout.decode().split()


@pytest.mark.requirement("XC-02")
def test_a_conversion_that_was_killed_goes_on_at_the_next_page_and_makes_the_same_reading(
    tmp_path: Path, scanned: Path
) -> None:
    for name in ("whole", "killed"):
        subprocess.run(["cp", "-a", str(scanned), str(tmp_path / name)], check=True)
    code, undisturbed = read_scan(tmp_path / "whole", stop_after=-1)
    assert (code, undisturbed[0]) == (0, "3")
    assert read_scan(tmp_path / "killed", stop_after=2) == (-signal.SIGKILL, [])
    kept = list(files_below(tmp_path / "killed" / "cache" / "scratch"))
    assert len(kept) == 2
    damaged, _ = kept
    damaged.write_bytes(damaged.read_bytes()[:-1])
    code, resumed = read_scan(tmp_path / "killed", stop_after=-1)
    assert (code, resumed) == (0, ["2", undisturbed[1]])
    assert list(files_below(tmp_path / "killed" / "cache" / "scratch")) == []
    with Eyeline(tmp_path / "killed") as eye:
        assert eye.check(grace_ms=0).clean


@pytest.mark.requirement("SA-26")
def test_pages_that_were_read_before_a_kill_are_forgotten_too(tmp_path: Path, scanned: Path) -> None:
    home = tmp_path / "home"
    subprocess.run(["cp", "-a", str(scanned), str(home)], check=True)
    assert read_scan(home, stop_after=1)[0] == -signal.SIGKILL
    assert any(b"alpha" in path.read_bytes() for path in files_below(home / "cache" / "scratch"))
    with Eyeline(home) as eye:
        eye.forget("scan.pdf")
    assert not any(b"alpha" in path.read_bytes() for path in files_below(home))
    assert list(files_below(home / "cache" / "scratch")) == []


def test_the_command_takes_in_without_waiting_and_converts_later(tmp_path: Path, home: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    taken = invoke(home, "ingest", "--no-wait", "--json", str(inbox))
    assert taken.exit_code == 3
    assert not any("representation_id" in item for item in json.loads(taken.stdout)["items"])
    assert invoke(home, "convert").exit_code == 2
    assert invoke(home, "convert", "--all", "note.md").exit_code == 2
    assert invoke(home, "convert", "nobody.txt").exit_code == 10
    one = json.loads(invoke(home, "convert", "note.md", "--json").stdout)["items"]
    assert [(item["name"], item["status"]) for item in one] == [("note.md", "converted")]
    everything = invoke(home, "convert", "--all")
    assert everything.exit_code == 0
    assert everything.stdout.splitlines()[-1] == "3 converted · 1 unchanged"
    assert "3 converted" not in invoke(home, "convert", "--all").stdout
