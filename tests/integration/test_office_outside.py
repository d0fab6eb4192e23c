"""Nothing outside an office document is reached: neither by what reads it nor by what sets its pages."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.outside import CANARY, luring_documents, watched

from eyeline import Eyeline
from eyeline.media.libreoffice import find
from eyeline.settings import Settings

NAMES = ("lure.docx", "lure.pptx", "lure.xlsx", "lure.odt", "lure.odp", "lure.ods", "lure.rtf")
WAIT_S = 120


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of the documents: a home, and what was reached while they were taken in."""

    eye: Eyeline
    codes: dict[str, str]
    file_events: int
    port_calls: tuple[bytes, ...]

    def manifest(self, name: str) -> dict[str, Any]:
        (folder,) = (self.eye.tree / "by-name" / "default" / name / "current").glob("rep_*")
        return json.loads((folder / "manifest.json").read_text())


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    inbox, folder = tmp_path_factory.mktemp("inbox"), tmp_path_factory.mktemp("outside")
    with watched(folder) as outside:
        for name, data in luring_documents(outside).items():
            (inbox / name).write_bytes(data)
        with Eyeline(tmp_path_factory.mktemp("home"), settings=Settings(workers=1), principal="tester") as eye:
            codes = {item.source: item.code for item in eye.ingest(inbox).items}
            yield Taken(eye, codes, outside.file_events(), tuple(outside.port_calls))


@pytest.mark.parametrize("way", ["open", "connect"])
def test_whoever_comes_to_the_outside_is_noticed(tmp_path: Path, way: str) -> None:
    with watched(tmp_path) as outside:
        assert (outside.file_events(), outside.port_calls) == (0, [])
        if way == "open":
            subprocess.run(["cat", str(outside.text)], check=True, capture_output=True, timeout=WAIT_S)
            assert outside.file_events() > 0
            return
        address = outside.url.removeprefix("http://").split(":")
        with socket.create_connection((address[0], int(address[1])), timeout=WAIT_S) as caller:
            caller.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert caller.recv(1) == b""
        assert outside.port_calls


@pytest.mark.parametrize("name", ["lure.docx", "lure.odp"])
def test_the_documents_do_lead_outside_where_nothing_holds_them(tmp_path: Path, name: str) -> None:
    office = find()
    assert office is not None, "tools/debian-packages installs LibreOffice for this test"
    with watched(tmp_path) as outside:
        (tmp_path / name).write_bytes(luring_documents(outside)[name])
        profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
        command = [office.program, "--headless", profile, "--convert-to", "pdf", "--outdir", str(tmp_path)]
        subprocess.run([*command, str(tmp_path / name)], check=True, capture_output=True, timeout=WAIT_S)
        assert outside.file_events() > 0
        assert outside.port_calls


@pytest.mark.requirement("SA-07")
def test_no_file_is_opened_and_no_address_asked_for(taken: Taken) -> None:
    assert taken.codes == dict.fromkeys(NAMES, "admitted")
    assert (taken.file_events, taken.port_calls) == (0, ())


@pytest.mark.parametrize("name", NAMES)
def test_what_was_not_fetched_is_counted_and_the_rest_is_there(taken: Taken, name: str) -> None:
    manifest = taken.manifest(name)
    assert [each for each in manifest["warnings"] if each.startswith("not_fetched:")], manifest["warnings"]
    told = "".join(part.text for part in taken.eye.open(name).parts if part.entry.content_kind == "text")
    assert any(word in told for word in ("start", "point one", "valve"))
    assert CANARY not in told
    assert taken.eye.find(CANARY).passages == ()


@pytest.mark.parametrize("name", ["lure.docx", "lure.pptx", "lure.odt", "lure.odp", "lure.rtf"])
def test_pages_are_set_where_libreoffice_is_shut_off_and_nowhere_else(taken: Taken, name: str) -> None:
    office = find()
    assert office is not None
    codes = [gap["code"] for gap in taken.manifest(name)["gaps"] if gap["lane"] == "pages"]
    assert codes == ([] if office.is_shut_off else ["not_configured"])
