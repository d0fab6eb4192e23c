"""Taking in what URLs lead to: the same gate, behind the guard of URLs, whatever one of them comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.couriers import serving
from tests.support.urls import cancelled_in_a_body, policy

from eyeline import Eyeline
from eyeline.errors import Cancelled, InvalidRequest
from eyeline.media.sample_pictures import make_picture
from eyeline.model.limits import Limits
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.settings import Settings
from eyeline.testing.hostile_web import HostileWeb

PICTURE = make_picture("image/png", width=64, height=48)


@pytest.fixture
def web() -> Iterator[HostileWeb]:
    with HostileWeb() as web:
        web.ways["/pump.png"] = serving(PICTURE, "Content-Type: image/png")
        web.ways["/download"] = serving(PICTURE, "Content-Type: text/html")
        web.ways["/notes/pump.md"] = serving(b"# Pump\n\nzanzibar\n", "Content-Type: text/markdown")
        web.ways["/empty"] = serving(b"")
        web.ways["/noise"] = serving(bytes(range(256)) * 16)
        yield web


def eye_for(tmp_path: Path, web: HostileWeb, **changes: Any) -> Eyeline:
    limits = Limits(max_bytes=1_000_000)
    return Eyeline(tmp_path / "home", settings=replace(Settings(urls=policy(web), limits=limits), **changes))


@pytest.mark.requirement("VF-14", "SA-01")
def test_what_a_url_leads_to_is_kept_under_the_url(tmp_path: Path, web: HostileWeb) -> None:
    with eye_for(tmp_path, web) as eye:
        report = eye.ingest(web.url("/pump.png#top"), web.url("/notes/pump.md?v=2"))
        assert [(item.status, item.code, item.notes) for item in report.items] == [
            (IngestStatus.TAKEN, "admitted", ())
        ] * 2
        assert [item.source for item in report.items] == [web.url("/pump.png"), web.url("/notes/pump.md?v=2")]
        shown = eye.show(web.url("/pump.png"))
        assert (shown.reference, shown.source.name) == (web.url("/pump.png"), "pump.png")
        tree_path = report.items[0].tree_path
        assert tree_path is not None
        assert (eye.tree / tree_path).read_bytes() == PICTURE
        assert eye.find("zanzibar")[0].source.name == "pump.md"
        assert eye.open(web.url("/pump.png")).parts[0].entry.origin == "original"
        again = eye.ingest(web.url("/pump.png"))
        assert again.items[0].status is IngestStatus.UNCHANGED
        assert again.items[0].version_id == report.items[0].version_id
        assert eye.check(grace_ms=0).clean


def test_a_url_whose_bytes_changed_is_a_new_version_of_its_document(tmp_path: Path, web: HostileWeb) -> None:
    with eye_for(tmp_path, web) as eye:
        first = eye.ingest(web.url("/pump.png")).items[0]
        web.ways["/pump.png"] = serving(make_picture("image/png", width=20, height=10))
        second = eye.ingest(web.url("/pump.png")).items[0]
    assert first.doc_id == second.doc_id
    assert first.version_id != second.version_id


@pytest.mark.requirement("SA-02")
def test_a_declared_type_that_contradicts_the_bytes_is_told_with_both_values(tmp_path: Path, web: HostileWeb) -> None:
    with eye_for(tmp_path, web) as eye:
        item = eye.ingest(web.url("/download")).items[0]
    assert (str(item.media_type), item.notes) == ("image/png", ("type_mismatch",))
    assert item.detail is not None
    assert "text/html" in item.detail["type_mismatch"]


def test_the_last_name_of_a_chain_of_redirects_says_which_text_it_is(tmp_path: Path, web: HostileWeb) -> None:
    web.ways["/deep/list.csv"] = serving(b"one line of words only")
    asked = web.url("/redirect?to=/deep/list.csv")
    with eye_for(tmp_path, web) as eye:
        item = eye.ingest(asked).items[0]
        assert (str(item.media_type), item.source) == ("text/csv", asked)


@pytest.mark.requirement("SA-03")
def test_the_gate_refuses_what_arrives_as_it_refuses_files(tmp_path: Path, web: HostileWeb) -> None:
    with eye_for(tmp_path, web) as eye:
        report = eye.ingest(*(web.url(each) for each in ("/empty", "/noise", "/promising", "/endless", "/bomb")))
    assert {item.status for item in report.items} == {IngestStatus.REFUSED}
    assert [item.code for item in report.items] == ["empty", "no_route", "too_large", "too_large", "too_large"]


@pytest.mark.requirement("VF-06", "SA-03")
def test_a_url_that_cannot_be_had_fails_with_its_code_and_the_others_go_on(tmp_path: Path, web: HostileWeb) -> None:
    (tmp_path / "note.txt").write_text("words")
    offered = [
        web.url("/status?is=404"),
        web.url("/too-short"),
        "http://127.0.0.1:1/x",
        f"http://127.0.0.2:{web.port}/x",
        "http://user:hunter2@127.0.0.1/x#secret",
        "ftp://127.0.0.1/x",
        "file:///etc/passwd",
        tmp_path / "note.txt",
        web.url("/redirect?to=http://169.254.169.254/latest"),
        web.url("/pump.png"),
    ]
    with eye_for(tmp_path, web) as eye:
        report = eye.ingest(*offered)
    found = [(item.status.value, item.code, item.retryable) for item in report.items]
    assert found == [
        ("failed", "fetch_failed", False),
        ("failed", "unreachable", True),
        ("failed", "url_refused", False),
        ("failed", "address_refused", False),
        ("failed", "url_refused", False),
        ("failed", "url_refused", False),
        ("failed", "url_refused", False),
        ("taken", "admitted", False),
        ("failed", "url_refused", False),
        ("taken", "admitted", False),
    ]
    assert [item.index for item in report.items] == list(range(len(offered)))
    assert not {"hunter2", "secret"} & set("".join(item.source for item in report.items).replace("@", "/").split("/"))
    assert not report.complete


def test_urls_paths_and_globs_keep_their_order_and_a_path_is_never_a_url(tmp_path: Path, web: HostileWeb) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    with eye_for(tmp_path, web) as eye:
        report = eye.ingest(str(tmp_path / "*.txt"), web.url("/pump.png"), Path(web.url("/pump.png")))
        assert [item.source for item in report.items][:3] == ["a.txt", "b.txt", web.url("/pump.png")]
        assert [item.code for item in report.items][2:] == ["admitted", "unreadable"]
        named = eye.ingest(web.url("/pump.png"), ref="pumps/one").items[0]
        assert (named.source, eye.show("pumps/one").source.name) == ("pumps/one", "one")
        with pytest.raises(InvalidRequest):
            eye.ingest(web.url("/pump.png"), web.url("/empty"), ref="pumps/one")


@pytest.mark.requirement("VF-08")
def test_cancelling_while_a_url_arrives_ends_it_and_keeps_nothing(tmp_path: Path, web: HostileWeb) -> None:
    with eye_for(tmp_path, web) as eye:
        with pytest.raises(Cancelled) as caught:
            cancelled_in_a_body(
                lambda token: eye.ingest(web.url("/watched-body"), cancel=token), web=web, reason="enough"
            )
        assert caught.value.message == "enough"
        assert web.signals.hung_up.wait(60)
        assert len(eye.find()) == 0
        assert eye.check(grace_ms=0).clean


def test_progress_counts_urls_like_files(tmp_path: Path, web: HostileWeb) -> None:
    told: list[tuple[int, int, str]] = []
    with eye_for(tmp_path, web, workers=1) as eye:
        eye.ingest(
            web.url("/pump.png"), web.url("/empty"), progress=lambda done, total, what: told.append((done, total, what))
        )
    assert told == [(1, 2, web.url("/pump.png")), (2, 2, web.url("/empty"))]


def test_a_file_and_a_url_of_the_same_bytes_are_kept_once(tmp_path: Path, web: HostileWeb) -> None:
    (tmp_path / "mine.png").write_bytes(PICTURE)
    with eye_for(tmp_path, web) as eye:
        items: list[ItemRecord] = [*eye.ingest(tmp_path / "mine.png").items, *eye.ingest(web.url("/pump.png")).items]
    assert [item.status for item in items] == [IngestStatus.TAKEN, IngestStatus.DEDUPLICATED]
    assert items[0].digest == items[1].digest
    assert json.dumps([str(item.digest) for item in items])
