"""Every outcome is the same thing on every surface: an answer, an honest no, or an error with its number."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.cli import invoke, run
from tests.support.homes import files_below, fill_inbox
from tests.support.mcp_wire import Wire, envelope, error, native, wired

from eyeline import Eyeline, Principal
from eyeline.errors import ConfigError, EyelineError
from eyeline.media.admission import policy_version
from eyeline.media.sample_pictures import cut_short, make_picture
from eyeline.model.digest import Digest
from eyeline.model.limits import MCP_ANSWER, Limits
from eyeline.operations.find import FindRequest
from eyeline.operations.open import Caller, OpenRequest
from eyeline.operations.read import ReadRequest
from eyeline.presenters.files import MANIFEST
from eyeline.settings import FILE
from eyeline.wire import to_plain

NOBODY = "ver_" + "0" * 32
NO_READING = "rep_" + "0" * 32
SAME_LIMIT = "".join(f"{name} = {value}\n" for name, value in to_plain(MCP_ANSWER).items())


@dataclass(frozen=True, slots=True)
class Home:
    """A home with files, its versions and readings by name."""

    folder: Path
    versions: dict[str, str]
    readings: dict[str, str]

    def named(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Inputs with ids in the place of names."""
        ids = {
            "version_id": self.versions.get(inputs.get("version_id", ""), inputs.get("version_id")),
            "representation_id": self.readings.get(inputs.get("representation_id", "")),
        }
        return {name: ids.get(name) or value for name, value in inputs.items()}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("outcomes")
    inbox = fill_inbox(folder / "inbox")
    (inbox / "torn.jpg").write_bytes(cut_short(make_picture("image/jpeg")))
    (inbox / "large.jpg").write_bytes(make_picture("image/jpeg", width=3000, height=2000))
    (folder / "secret.md").write_text("not for everybody")
    (folder / "home").mkdir()
    (folder / "home" / FILE).write_text(f"[answer]\n{SAME_LIMIT}")
    with Eyeline(folder / "home") as eye:
        items = eye.ingest(inbox).items + eye.ingest(folder / "secret.md", collection="apart").items
        versions = {item.source: item.version_id for item in items if item.version_id is not None}
        readings = {item.source: item.representation_id for item in items if item.representation_id is not None}
    return Home(folder / "home", versions, readings)


@pytest.fixture(scope="module")
def wire(home: Home) -> Iterator[Wire]:
    with wired(home.folder) as connection:
        yield connection


@dataclass(frozen=True, slots=True)
class Case:
    """A call, what comes of it (`answer`, `negative`, `boundary` or `raised`) under which code, and the exit number."""

    tool: str
    inputs: dict[str, Any]
    form: str
    code: str | None
    exit_number: int
    mcp_code: str | None = None


CASES = {
    "an answer": Case("source_open", {"version_id": "note.md"}, "answer", None, 0),
    "unknown version": Case("source_open", {"version_id": NOBODY}, "negative", "unknown_entity", 10),
    "unknown version, read": Case("read", {"version_id": NOBODY}, "negative", "unknown_entity", 10),
    "unknown reading": Case(
        "source_open", {"version_id": "note.md", "representation_id": NO_READING}, "negative", "unknown_entity", 10
    ),
    "nothing found": Case("find", {"query": "xyzzyplugh"}, "negative", "known_empty", 0),
    "no text of it": Case("read", {"version_id": "torn.jpg"}, "negative", "known_empty", 0),
    "no text in it": Case(
        "source_open", {"version_id": "mark.png", "accept": ["text/*"]}, "negative", "known_empty", 0
    ),
    "nothing acceptable": Case(
        "source_open",
        {"version_id": "note.md", "accept": ["image/png", "audio/*"]},
        "boundary",
        "nothing_acceptable",
        15,
    ),
    "not viewable": Case("source_open", {"version_id": "torn.jpg"}, "boundary", "not_viewable", 15),
    "locator that cannot be read": Case(
        "source_open", {"version_id": "note.md", "locator": "nonsense"}, "raised", "invalid_locator", 11
    ),
    "locator of another media": Case(
        "source_open", {"version_id": "note.md", "locator": "page=1"}, "raised", "locator_unsupported", 11
    ),
    "locator past the end": Case(
        "source_open", {"version_id": "manual.pdf", "locator": "page=4"}, "raised", "locator_out_of_range", 11
    ),
    "region outside": Case(
        "source_open",
        {"version_id": "mark.png", "locator": "xywh=pixel:390,0,20,20"},
        "raised",
        "locator_out_of_range",
        11,
    ),
    "characters past the end": Case(
        "read", {"version_id": "note.md", "start": 999_999}, "raised", "locator_out_of_range", 11
    ),
    "reading of other bytes": Case(
        "source_open",
        {"version_id": "note.md", "representation_id": "manual.pdf"},
        "raised",
        "representation_mismatch",
        11,
    ),
    "no media type": Case(
        "source_open", {"version_id": "note.md", "accept": ["png"]}, "raised", "invalid_media_type", 11
    ),
    "cursor that is not ours": Case("find", {"query": "", "cursor": "x"}, "raised", "invalid_request", 11),
    "more than is served": Case("find", {"query": "", "limit": 101}, "raised", "limit_exceeded", 12, "invalid_request"),
}
"""The table of outcomes: what is asked, and what comes of it."""


def _python(home: Home, case: Case) -> tuple[str, str | None]:
    """What a call comes to in Python: its form and code."""
    inputs = home.named(case.inputs)
    with Eyeline(home.folder) as eye:
        caller = Caller(eye.principal, "python", eye.settings.answer)
        accept = inputs.pop("accept", None)
        try:
            if case.tool == "find":
                return _form(eye.find_request(FindRequest(**inputs)))
            if case.tool == "read":
                return _form(eye.read_request(ReadRequest(**inputs)).envelope)
            wanted = OpenRequest(**inputs, accept=None if accept is None else tuple(accept))
            return _form(eye.open_request(wanted, caller=caller).envelope)
        except EyelineError as exc:
            return "raised", exc.code


def _form(answer: object) -> tuple[str, str | None]:
    """The form and code of an answer, a value or its JSON."""
    plain = cast("dict[str, Any]", answer if isinstance(answer, dict) else to_plain(answer))
    for form in ("negative", "boundary"):
        if form in plain:
            assert plain[form]["message"]
            return form, plain[form]["code"]
    return "answer", None


def _command(home: Home, case: Case) -> list[str]:
    """The call on the command line."""
    inputs = home.named(case.inputs)
    if case.tool == "find":
        query = inputs.pop("query")
        return ["find", query, *(part for name, value in inputs.items() for part in (f"--{name}", str(value)))]
    options = {"locator": "--locator", "representation_id": "--representation", "start": "--start"}
    made = ["read" if case.tool == "read" else "open", inputs["version_id"]]
    made += [part for name, option in options.items() if name in inputs for part in (option, str(inputs[name]))]
    return made + [part for each in inputs.get("accept", ()) for part in ("--accept", each)]


@pytest.mark.requirement("SA-14", "SA-16", "XC-03")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_outcome_is_the_same_on_every_surface(home: Home, wire: Wire, case: Case) -> None:
    assert _python(home, case) == (case.form, case.code)
    done = invoke(home.folder, *_command(home, case))
    assert done.exit_code == case.exit_number, done.stderr
    assert (done.exit_code == 0) or done.stderr.startswith("eyeline: ")
    result = wire.call(case.tool, **home.named(case.inputs))
    if case.form == "raised":
        refused = error(result)
        assert refused["code"] == (case.mcp_code or case.code)
        assert refused["retryable"] is False
        assert refused["message"]
    else:
        assert _form(envelope(result)) == (case.form, case.code)
    if case.form == "boundary":
        boundary = envelope(result)["boundary"]
        assert boundary["way_out"]
        assert boundary["served"] == [str(each) for each in _served(home)]


def _served(home: Home) -> tuple[object, ...]:
    with Eyeline(home.folder) as eye:
        return eye.settings.served.all_types()


@pytest.mark.requirement("SA-11")
def test_an_input_nobody_has_is_refused_on_every_surface(home: Home, wire: Wire) -> None:
    version = home.versions["note.md"]
    with Eyeline(home.folder) as eye:
        call: Any = eye.open
        with pytest.raises(TypeError):
            call(version, zoom=2)
    assert invoke(home.folder, "open", version, "--zoom", "2").exit_code == 2
    for tool in ("source_open", "read", "find"):
        given = {} if tool == "find" else {"version_id": version}
        assert error(wire.call(tool, **given, zoom=2))["code"] == "unknown_input"


def test_what_never_existed_and_what_is_not_granted_are_one_text(home: Home) -> None:
    secret = home.versions["secret.md"]
    with Eyeline(home.folder, principal=Principal("guest", frozenset({"default"}))) as guest:
        hidden, unknown = (to_plain(guest.open(each).envelope) for each in (secret, NOBODY))
        shown = [_raised(lambda each=each: guest.show(each)) for each in (secret, NOBODY)]
        fetched = [_raised(lambda each=each: guest.fetch(each)) for each in (secret, NOBODY)]
    assert hidden == unknown
    assert shown[0] == shown[1]
    assert fetched[0] == fetched[1]
    script = (
        "import sys; from eyeline import Eyeline, Principal; from eyeline.mcp.server import serve_stdio\n"
        "serve_stdio(Eyeline(sys.argv[1], principal=Principal('guest', frozenset({'default'}))))"
    )
    with wired(home.folder, script=script) as guest_wire:
        texts = {json.dumps(guest_wire.call("source_open", version_id=each)) for each in (secret, NOBODY)}
        (text,) = texts
    assert json.loads(json.loads(text)["content"][0]["text"])["negative"] == hidden["negative"]


def _raised(call: Any) -> tuple[str, str]:
    with pytest.raises(EyelineError) as caught:
        call()
    return caught.value.code, str(caught.value)


@pytest.mark.requirement("SA-03", "XC-03")
def test_a_bad_item_is_a_record_and_the_others_are_taken(tmp_path: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    done = invoke(tmp_path / "one", "ingest", str(inbox), "--json")
    assert done.exit_code == 3
    told = [(item["source"], item["status"], item["code"]) for item in json.loads(done.stdout)["items"]]
    with Eyeline(tmp_path / "two") as eye:
        report = eye.ingest(inbox)
    assert [(item.source, item.status.value, item.code) for item in report.items] == told
    assert ("empty.txt", "refused", "empty") in told
    assert [code for source, _, code in told if source != "empty.txt"] == ["admitted"] * 4
    assert invoke(tmp_path / "one", "ingest", str(inbox / "note.md")).exit_code == 0


def _copied(home: Home, folder: Path) -> Home:
    shutil.copytree(home.folder, folder, symlinks=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    return replace(home, folder=folder)


def _blob(home: Home, name: str) -> Path:
    with Eyeline(home.folder) as eye:
        digest = eye.show(home.versions[name]).source.content
    return home.folder / "blobs" / "v1" / "sha256" / digest.hex[:2] / digest.hex


def _fails(home: Home, name: str, *, code: str, exit_number: int) -> dict[str, Any]:
    """Open a source on every surface, where each time it fails the same way; the error over MCP."""
    version = home.versions[name]
    with Eyeline(home.folder) as eye, pytest.raises(EyelineError) as caught:
        eye.open(version)
    assert caught.value.code == code
    done = invoke(home.folder, "open", version)
    assert done.exit_code == exit_number
    assert "incident inc_" in done.stderr
    with wired(home.folder) as connection:
        refused = error(connection.call("source_open", version_id=version))
    assert refused["code"] == code
    assert refused["incident_id"] in refused["message"]
    assert str(home.folder) not in done.stderr + json.dumps(refused)
    with Eyeline(home.folder) as eye:
        assert [entry.record.code for entry in eye.audit(limit=3).entries] == [code] * 3
        assert {entry.record.outcome.value for entry in eye.audit(limit=3).entries} == {"failed"}
    return refused


@pytest.mark.requirement("XC-01", "XC-03")
def test_an_engine_that_runs_out_of_time_fails_alike_everywhere(home: Home, tmp_path: Path) -> None:
    slow = _copied(home, tmp_path / "home")
    (slow.folder / FILE).write_text("[limits]\njob_wall_ms = 1\n")
    with closing(sqlite3.connect(slow.folder / "catalog.sqlite")) as database:
        # as they would be admitted under these limits on a machine that is fast enough
        database.execute("UPDATE admissions SET policy = ?", (policy_version(Limits(job_wall_ms=1)),))
        database.commit()
    refused = _fails(slow, "large.jpg", code="engine_failed", exit_number=22)
    assert refused["detail"]["reason"] == "timeout"


def _flip(blob: Path) -> None:
    blob.chmod(0o600)
    blob.write_bytes(bytes(byte ^ (place > 60) for place, byte in enumerate(blob.read_bytes())))


@pytest.mark.requirement("XC-03")
@pytest.mark.parametrize(("name", "hurt"), [("mark.png", _flip), ("large.jpg", _flip), ("note.md", Path.unlink)])
def test_a_damaged_or_lost_original_fails_loudly_and_alike_everywhere(
    home: Home, tmp_path: Path, name: str, hurt: Callable[[Path], None]
) -> None:
    broken = _copied(home, tmp_path / "home")
    hurt(_blob(broken, name))
    assert _fails(broken, name, code="integrity_error", exit_number=20)["retryable"] is False


@pytest.mark.requirement("SA-12", "XC-03")
@pytest.mark.parametrize("locator", [None, "char=0,5", "line=1,1"])
def test_one_flipped_bit_of_a_text_is_noticed_whatever_part_of_it_is_asked_for(
    home: Home, tmp_path: Path, locator: str | None
) -> None:
    broken = _copied(home, tmp_path / "home")
    blob = _blob(broken, "note.md")
    with Eyeline(broken.folder) as eye:
        assert eye.open("note.md", locator=locator).parts
        blob.chmod(0o600)
        blob.write_bytes(blob.read_bytes()[:-1] + bytes([blob.read_bytes()[-1] ^ 1]))
        assert _raised(lambda: eye.open("note.md", locator=locator))[0] == "integrity_error"
        assert eye.audit(limit=1).entries[0].record.code == "integrity_error"
        assert _raised(lambda: b"".join(eye.fetch("note.md", start=0, end=3).chunks))[0] == "integrity_error"


@pytest.mark.requirement("XC-03")
def test_a_lost_reading_fails_loudly_in_every_verb_that_needs_it(home: Home, tmp_path: Path) -> None:
    broken = _copied(home, tmp_path / "home")
    with Eyeline(broken.folder) as eye:
        reading = eye.tree / "by-name/default/note.md/current" / home.readings["note.md"]
        for file in files_below(reading):
            hexes = Digest.of(file.read_bytes()).hex
            (broken.folder / "blobs" / "v1" / "sha256" / hexes[:2] / hexes).unlink()
        for call in (lambda: eye.read("note.md"), lambda: eye.show("note.md"), lambda: eye.find("serial")):
            assert _raised(call)[0] == "integrity_error"
        assert eye.open("note.md").parts


@pytest.mark.requirement("XC-03")
def test_a_store_that_cannot_be_read_fails_alike_everywhere(home: Home, tmp_path: Path) -> None:
    broken = _copied(home, tmp_path / "home")
    folder = _blob(broken, "note.md").parent
    shutil.rmtree(folder)
    folder.write_bytes(b"")
    assert _fails(broken, "note.md", code="store_error", exit_number=21)["retryable"] is True


@pytest.mark.requirement("XC-03")
@pytest.mark.parametrize("text", ["workers = ", "worker = 3", "[served]\nmax_parts = 'eight'"])
def test_a_setting_that_cannot_be_used_fails_alike_everywhere(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ConfigError):
        Eyeline(tmp_path)
    assert invoke(tmp_path, "find").exit_code == 30
    served = run(tmp_path, "mcp")
    assert (served.code, served.out) == (30, b"")


REQUESTS: list[dict[str, Any]] = [
    {"version_id": "mark.png"},
    {"version_id": "large.jpg"},
    {"version_id": "large.jpg", "locator": "xywh=percent:10,20,30,40"},
    {"version_id": "large.jpg", "accept": ["image/webp"]},
    {"version_id": "manual.pdf"},
    {"version_id": "manual.pdf", "locator": "page=2&xywh=percent:0,0,50,20"},
    {"version_id": "manual.pdf", "locator": "page=3", "accept": ["text/*"]},
    {"version_id": "note.md"},
    {"version_id": "note.md", "locator": "line=3"},
]


@pytest.mark.requirement("SA-23")
@pytest.mark.parametrize("inputs", REQUESTS, ids=lambda inputs: " ".join(map(str, inputs.values())))
def test_the_same_request_gives_the_same_bytes_on_every_surface(
    home: Home, wire: Wire, tmp_path: Path, inputs: dict[str, Any]
) -> None:
    named = home.named(inputs)
    with Eyeline(home.folder) as eye:
        opened = eye.open(named["version_id"], locator=named.get("locator"), accept=named.get("accept"))
    hashes = [str(entry.digest) for entry in opened.content_manifest]
    assert [str(Digest.of(part.bytes)) for part in opened.parts] == hashes
    command = _command(home, Case("source_open", inputs, "answer", None, 0))
    assert invoke(home.folder, *command, "--out", str(tmp_path / "out")).exit_code == 0
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert [str(Digest.of((tmp_path / "out" / name).read_bytes())) for name in manifest.pop("files")] == hashes
    result = wire.call("source_open", **named)
    assert [str(Digest.of(data)) for _, data in native(result)] == hashes
    assert manifest == envelope(result) == to_plain(opened.envelope)


@pytest.mark.requirement("SA-15")
def test_the_served_set_is_the_same_data_on_every_surface(home: Home, wire: Wire) -> None:
    with Eyeline(home.folder) as eye:
        told = to_plain(eye.limits(answer=eye.settings.mcp_answer))
    assert json.loads(invoke(home.folder, "limits", "--json").stdout) == told
    (contents,) = wire.ask("resources/read", uri="eyeline://limits")["result"]["contents"]
    assert json.loads(contents["text"]) == told
    assert told["served"]["pictures"] == ["image/png", "image/jpeg", "image/webp"]
    assert {"target_edge_px", "max_edge_px", "max_pixels", "max_parts"} <= told["served"].keys()
