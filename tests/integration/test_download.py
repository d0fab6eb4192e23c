"""Downloading: a URL becomes a new file of the base folder, whole or not at all, under the guards of both."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.couriers import Calls, below, serving, settings_for
from tests.support.urls import cancelled_in_a_body, policy

from eyeline.app.courier import Courier
from eyeline.errors import ConfigError, LimitExceeded, PathTaken
from eyeline.media.sample_pictures import make_picture
from eyeline.settings import Settings
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.outcome import Status, ToolOutcome

PICTURE = make_picture("image/png", width=40, height=30)

KILLED_IN_THE_MIDDLE = """
import sys
from eyeline.app.courier import Courier
from eyeline.model.viewing import UrlPolicy
from eyeline.settings import Settings
policy = UrlPolicy(ports=(int(sys.argv[2]),), allow_private_hosts=("127.0.0.1",))
courier = Courier(sys.argv[1], allow_urls=True, settings=Settings(urls=policy))
courier.download(f"http://127.0.0.1:{sys.argv[2]}/held-body", "a/b.bin")
"""


@pytest.fixture
def web() -> Iterator[HostileWeb]:
    with HostileWeb() as web:
        web.ways["/pump.png"] = serving(PICTURE, "Content-Type: image/png")
        web.ways["/lie.png"] = serving(PICTURE, "Content-Type: text/html; charset=utf-8")
        web.ways["/empty"] = serving(b"")
        yield web


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "base"
    (base / "photos").mkdir(parents=True)
    (base / "photos" / "old.png").write_bytes(b"old")
    (tmp_path / "outside").mkdir()
    (base / "out").symlink_to("../outside")
    return base


@pytest.fixture
def calls(base: Path, web: HostileWeb) -> Calls:
    return Calls(Courier(base, allow_urls=True, settings=settings_for(web, max_read_bytes=1_000_000)))


@pytest.mark.requirement("VF-14")
def test_a_file_is_saved_as_it_came_and_told_by_its_bytes(base: Path, web: HostileWeb, calls: Calls) -> None:
    outcome = calls.call("download", {"url": web.url("/pump.png?size=2#top"), "path": "photos/new/pump.png"})
    saved = outcome.result()
    assert (base / "photos" / "new" / "pump.png").read_bytes() == PICTURE
    assert (saved.path, saved.byte_count, str(saved.media_type)) == ("photos/new/pump.png", len(PICTURE), "image/png")
    assert saved.digest.hex == hashlib.sha256(PICTURE).hexdigest()
    assert (saved.url, saved.notes) == (web.url("/pump.png?size=2"), ())
    assert calls.progress[-1] == (len(PICTURE), len(PICTURE), "photos/new/pump.png")
    assert calls.hook.heard == ["before_call", "authorise", "after_handle", "after_call"]


@pytest.mark.requirement("VF-14")
def test_what_server_and_name_claim_is_only_noted(base: Path, web: HostileWeb, calls: Calls) -> None:
    (note,) = calls.call("download", {"url": web.url("/lie.png"), "path": "page.jpg"}).result().notes
    assert note.startswith("type_mismatch: ")
    assert all(word in note for word in ("text/html", ".jpg", "image/png"))


def test_an_empty_answer_is_an_empty_file(base: Path, web: HostileWeb, calls: Calls) -> None:
    assert calls.call("download", {"url": web.url("/empty"), "path": "empty.txt"}).result().byte_count == 0
    assert (base / "empty.txt").read_bytes() == b""


@pytest.mark.parametrize("path", ["/chunked", "/to-the-end", "/packed", "/members"])
def test_a_file_without_a_promised_size_is_saved_unpacked(path: str, base: Path, web: HostileWeb, calls: Calls) -> None:
    saved = calls.call("download", {"url": web.url(path), "path": "x.txt"}).result()
    assert (base / "x.txt").stat().st_size == saved.byte_count > 0


@pytest.mark.requirement("VF-14")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("photos/old.png", "path_taken"),
        ("photos", "path_taken"),
        ("out/new.png", "path_refused"),
        ("../new.png", "path_refused"),
        ("/tmp/new.png", "path_refused"),
        (".ssh/authorized_keys", "path_refused"),
        ("photos/.new.png", "path_refused"),
        ("photos/old.png/new.png", "path_refused"),
        ("new\0.png", "path_refused"),
    ],
)
def test_a_place_that_may_not_be_written_is_refused_before_the_network_is_asked(
    path: str, code: str, *, base: Path, web: HostileWeb, calls: Calls
) -> None:
    before = below(base.parent)
    outcome = calls.call("download", {"url": web.url("/pump.png"), "path": path})
    assert outcome.error is not None
    assert (outcome.status, outcome.error.code) == (Status.REFUSED, code)
    assert str(base.parent) not in json.dumps(outcome.error.to_plain())
    assert below(base.parent) == before
    assert (web.asked, web.connections) == ([], 0)


@pytest.mark.requirement("VF-14")
@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("/endless", "limit_exceeded"),
        ("/promising", "limit_exceeded"),
        ("/bomb", "limit_exceeded"),
        ("/of-size?bytes=1000001", "limit_exceeded"),
        ("/too-short", "unreachable"),
        ("/cut-chunks", "unreachable"),
        ("/status?is=404", "fetch_failed"),
        ("/status?is=503", "unreachable"),
        ("/bad-pack", "fetch_failed"),
        ("/redirect?to=http://169.254.169.254/latest", "url_refused"),
        ("/redirect?to=file:///etc/passwd", "url_refused"),
        ("http://127.0.0.2/x", "url_refused"),
        ("file:///etc/passwd", "url_refused"),
        ("ftp://127.0.0.1/x", "url_refused"),
        ("pump.png", "url_refused"),
    ],
)
def test_what_cannot_be_had_leaves_no_file_and_says_why(
    url: str, code: str, *, base: Path, web: HostileWeb, calls: Calls
) -> None:
    before = below(base)
    given = web.url(url) if url.startswith("/") else url
    outcome = calls.call("download", {"url": given, "path": "photos/new/file.bin"})
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.incident_id) == (code, None)
    assert below(base) == before


def test_a_private_address_is_refused_where_nobody_allowed_it(base: Path, web: HostileWeb) -> None:
    settings = Settings(urls=policy(web, allow_private_hosts=()))
    outcome = Calls(Courier(base, allow_urls=True, settings=settings)).call(
        "download", {"url": web.url("/pump.png"), "path": "new.png"}
    )
    assert outcome.error is not None
    assert outcome.error.code == "address_refused"
    assert ("new.png" in below(base), web.connections) == (False, 0)


def test_a_file_of_just_the_allowed_size_is_saved(base: Path, web: HostileWeb, calls: Calls) -> None:
    saved = calls.call("download", {"url": web.url("/of-size?bytes=1000000"), "path": "big.txt"}).result()
    assert saved.byte_count == 1_000_000
    assert [done for done, _, _ in calls.progress] == [1_000_000]
    with pytest.raises(LimitExceeded) as caught:
        calls.call("download", {"url": web.url("/of-size?bytes=1000001"), "path": "bigger.txt"}).result()
    assert (caught.value.detail["allowed"], caught.value.detail["asked"]) == (1_000_000, 1_000_001)


@pytest.mark.requirement("VF-14")
def test_cancelling_in_the_middle_ends_at_once_with_the_reason_and_without_a_trace(
    base: Path, web: HostileWeb, calls: Calls
) -> None:
    before = below(base)

    def call(token: CancelToken) -> ToolOutcome[Any]:
        return calls.call("download", {"url": web.url("/watched-body"), "path": "a/b.bin"}, cancel=token)

    outcome = cancelled_in_a_body(call, web=web, reason="the window was closed")
    assert outcome.status is Status.CANCELLED
    assert outcome.error is not None
    assert outcome.error.message == "the window was closed"
    assert web.signals.hung_up.wait(60)
    assert below(base) == before


@pytest.mark.requirement("VF-14")
def test_a_process_killed_in_the_middle_leaves_no_trace(base: Path, web: HostileWeb) -> None:
    before = below(base)
    with subprocess.Popen([sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(base), str(web.port)]) as process:
        assert web.signals.held.wait(60)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    assert below(base) == before


def test_a_file_that_came_meanwhile_is_not_replaced(base: Path, web: HostileWeb, calls: Calls) -> None:
    def other() -> None:
        assert web.signals.held.wait(60)
        (base / "new.bin").write_bytes(b"first")
        web.signals.released.set()

    writer = threading.Thread(target=other)
    writer.start()
    with pytest.raises(PathTaken):
        calls.call("download", {"url": web.url("/held-body"), "path": "new.bin"}).result()
    writer.join()
    assert (base / "new.bin").read_bytes() == b"first"


def test_a_hundred_downloads_leave_no_descriptor_and_no_thread(base: Path, web: HostileWeb, calls: Calls) -> None:
    calls.call("download", {"url": web.url("/plain"), "path": "first.txt"}).result()
    descriptors, threads = len([*Path("/dev/fd").iterdir()]), threading.active_count()
    for number in range(50):
        calls.call("download", {"url": web.url("/plain"), "path": f"{number}.txt"}).result()
        assert calls.call("download", {"url": web.url("/too-short"), "path": f"{number}x.txt"}).error is not None
    web.__exit__()
    assert len([*Path("/dev/fd").iterdir()]) <= descriptors
    assert threading.active_count() <= threads


@pytest.mark.requirement("VF-14", "VF-15")
def test_downloads_are_there_only_with_a_base_folder_and_urls(base: Path) -> None:
    for courier in (Courier(base), Courier(allow_urls=True), Courier()):
        assert not courier.downloads
        outcome = Calls(courier).call("download", {"url": "http://example.org", "path": "x"})
        assert outcome.error is not None
        assert outcome.error.code == "tool_not_found"
        with pytest.raises(ConfigError):
            courier.download("http://example.org", "x")
    with pytest.raises(ConfigError):
        Courier(base / "gone")


def test_files_are_made_as_the_umask_says(base: Path, web: HostileWeb, calls: Calls) -> None:
    before = os.umask(0o077)
    try:
        calls.call("download", {"url": web.url("/plain"), "path": "run.sh"}).result()
    finally:
        os.umask(before)
    assert (base / "run.sh").stat().st_mode & 0o777 == 0o600
