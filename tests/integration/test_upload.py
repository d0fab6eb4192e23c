"""Uploading: a file of the base folder goes to a sink that the application gave."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from tests.support.couriers import Calls, Shelf, below, settings_for

from eyeline.app.courier import Courier
from eyeline.errors import AccessDenied, ConfigError, InvalidRequest
from eyeline.media.sample_pictures import make_picture
from eyeline.model.media_type import MediaType
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.outcome import Status

PICTURE = make_picture("image/png", width=40, height=30)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "base"
    (base / ".git").mkdir(parents=True)
    (base / ".git" / "config").write_text("[core]")
    (base / "pump.jpg").write_bytes(PICTURE)
    (base / "Shot 4\u202fPM.png").write_bytes(PICTURE)
    (base / "shown").symlink_to(".git/config")
    (base / "out").symlink_to("../secret.txt")
    (base / "big.txt").write_bytes(b"x" * 5001)
    (tmp_path / "secret.txt").write_text("secret")
    return base


def calls_of(base: Path, *sinks: Shelf) -> Calls:
    return Calls(Courier(base, sinks=sinks, settings=settings_for(max_read_bytes=5000)))


@pytest.mark.requirement("VF-14")
def test_a_sink_gets_the_bytes_and_what_they_are_and_its_reference_is_told(base: Path) -> None:
    shelf = Shelf()
    calls = calls_of(base, shelf)
    sent = calls.call("upload", {"path": "pump.jpg", "sink": "shelf"}).result()
    assert shelf.taken == [(PICTURE, "pump.jpg", "image/png", len(PICTURE))]
    assert (sent.path, sent.sink, sent.reference) == ("pump.jpg", "shelf", "shelf/1")
    assert (sent.byte_count, sent.digest.hex) == (len(PICTURE), hashlib.sha256(PICTURE).hexdigest())
    assert [note.partition(":")[0] for note in sent.notes] == ["type_mismatch"]
    assert calls.progress[-1] == (len(PICTURE), len(PICTURE), "pump.jpg")
    assert calls.hook.heard == ["before_call", "authorise", "after_handle", "after_call"]


@pytest.mark.requirement("VF-14")
def test_of_several_sinks_one_is_named_and_an_unknown_one_is_told_which_there_are(base: Path) -> None:
    first, second = Shelf("first"), Shelf("second")
    calls = calls_of(base, first, second)
    assert calls.call("upload", {"path": "pump.jpg", "sink": "second"}).result().reference == "second/1"
    assert (len(first.taken), len(second.taken)) == (0, 1)
    for arguments in ({"path": "pump.jpg"}, {"path": "pump.jpg", "sink": "third"}, {"path": "pump.jpg", "sink": ""}):
        with pytest.raises(InvalidRequest) as caught:
            calls.call("upload", arguments).result()
        assert caught.value.detail["sinks"] == ["first", "second"]
    assert calls_of(base, first).call("upload", {"path": "pump.jpg"}).result().sink == "first"


@pytest.mark.requirement("VF-14")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("gone.png", "path_refused"),
        (".git/config", "path_refused"),
        ("shown", "path_refused"),
        ("out", "path_refused"),
        ("../secret.txt", "path_refused"),
        ("/etc/passwd", "path_refused"),
        ("", "invalid_request"),
        (".", "path_refused"),
        ("big.txt", "limit_exceeded"),
    ],
)
def test_what_may_not_be_read_or_is_too_large_never_reaches_a_sink(path: str, code: str, base: Path) -> None:
    shelf = Shelf()
    outcome = calls_of(base, shelf).call("upload", {"path": path})
    assert outcome.error is not None
    assert (outcome.error.code, shelf.taken) == (code, [])
    assert str(base.parent) not in json.dumps(outcome.error.to_plain())


def test_a_hidden_and_a_missing_file_are_refused_alike(base: Path) -> None:
    told: set[str] = set()
    for path in ("gone", "shown", "out", ".git/config"):
        error = calls_of(base, Shelf()).call("upload", {"path": path}).error
        assert error is not None
        told.add(json.dumps(error.to_plain()).replace(path, "it"))
    assert len(told) == 1


def test_a_name_that_looks_the_same_is_sent_under_its_own(base: Path) -> None:
    shelf = Shelf()
    sent = calls_of(base, shelf).call("upload", {"path": "Shot 4 PM.png"}).result()
    assert (sent.path, sent.notes) == ("Shot 4\u202fPM.png", ("name_repaired",))
    assert shelf.taken[0][1] == "Shot 4\u202fPM.png"


def test_a_sink_may_read_again_and_by_lines_and_cannot_write(base: Path) -> None:
    (base / "lines.txt").write_text("one\ntwo\n")
    seen: list[object] = []

    def look(stream: BinaryIO) -> None:
        seen.extend([stream.readlines(), stream.seek(4), stream.read(), stream.seek(0), stream.writable()])
        with pytest.raises(io.UnsupportedOperation):
            stream.write(b"x")

    shelf = Shelf(before=look)
    calls_of(base, shelf).call("upload", {"path": "lines.txt"}).result()
    assert seen == [[b"one\n", b"two\n"], 4, b"two\n", 0, False]
    assert shelf.taken[0][0] == b"one\ntwo\n"


@pytest.mark.requirement("VF-14")
def test_a_sink_that_breaks_is_an_incident_and_one_that_refuses_speaks(base: Path) -> None:
    def break_down(_: BinaryIO) -> None:
        raise OSError("no route to 10.0.0.7 with key hunter2")

    def refuse(_: BinaryIO) -> None:
        raise AccessDenied("the shelf is full")

    error = calls_of(base, Shelf(before=break_down)).call("upload", {"path": "pump.jpg"}).error
    assert error is not None
    assert (error.code, error.incident_id is not None) == ("unexpected", True)
    assert "hunter2" not in json.dumps(error.to_plain())
    error = calls_of(base, Shelf(before=refuse)).call("upload", {"path": "pump.jpg"}).error
    assert error is not None
    assert (error.code, error.message) == ("access_denied", "the shelf is full")


def test_a_sink_that_answers_no_text_is_our_failure(base: Path) -> None:
    class Silent(Shelf):
        def put(self, stream: BinaryIO, *, name: str, media_type: MediaType, byte_count: int) -> Any:
            del stream, name, media_type, byte_count

    outcome = calls_of(base, Silent()).call("upload", {"path": "pump.jpg"})
    assert outcome.status is Status.FAILED


@pytest.mark.requirement("VF-14")
def test_cancelling_while_a_sink_reads_ends_the_call_with_the_reason(base: Path) -> None:
    token = CancelToken()
    shelf = Shelf(before=lambda _: token.cancel("enough"))
    outcome = calls_of(base, shelf).call("upload", {"path": "pump.jpg"}, cancel=token)
    assert outcome.status is Status.CANCELLED
    assert outcome.error is not None
    assert (outcome.error.message, shelf.taken) == ("enough", [])


def test_a_file_changed_while_a_sink_reads_is_sent_as_it_was(base: Path) -> None:
    shelf = Shelf(before=lambda _: (base / "pump.jpg").write_bytes(b"other"))
    sent = calls_of(base, shelf).call("upload", {"path": "pump.jpg"}).result()
    assert shelf.taken[0][0] == PICTURE
    assert sent.digest.hex == hashlib.sha256(PICTURE).hexdigest()


def test_uploads_leave_the_folder_as_it_was_and_no_descriptor(base: Path) -> None:
    shelf, before = Shelf(), below(base)
    calls = calls_of(base, shelf)
    calls.call("upload", {"path": "pump.jpg"}).result()
    descriptors, threads = len([*Path("/dev/fd").iterdir()]), threading.active_count()
    for path in ("pump.jpg", "big.txt", "gone") * 20:
        calls.call("upload", {"path": path})
    assert (len([*Path("/dev/fd").iterdir()]), threading.active_count()) == (descriptors, threads)
    assert below(base) == before


@pytest.mark.requirement("VF-14", "VF-15")
def test_uploads_are_there_only_with_a_base_folder_and_sinks(base: Path) -> None:
    outcome = Calls(Courier(base)).call("upload", {"path": "pump.jpg"})
    assert outcome.error is not None
    assert outcome.error.code == "tool_not_found"
    with pytest.raises(ConfigError):
        Courier(base).upload("pump.jpg")
    for sinks in ([Shelf("a"), Shelf("a")], [Shelf("")], [Shelf(" ")]):
        with pytest.raises(ConfigError):
            Courier(base, sinks=sinks)
    with pytest.raises(ConfigError):
        Courier(sinks=[Shelf()])
