"""The command line: what goes to which stream, what is written where, and how it ends."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from PIL import Image
from tests.support.cli import COMMAND, WAIT_S, Done, environment, invoke, run
from tests.support.homes import fill_inbox
from tests.support.mcp_wire import envelope, wired

from eyeline.app.eyeline import Eyeline
from eyeline.cli.exit import MEANINGS
from eyeline.cli.main import VERBS
from eyeline.media.sample_pictures import display_p3, make_photo
from eyeline.model.audit import AuditOutcome
from eyeline.model.digest import Digest
from eyeline.wire import dumps, to_plain

HEAVY = ("PIL", "anyio", "mcp", "pydantic", "pypdfium2", "pyvips", "rich", "sqlalchemy", "tesserocr")


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = fill_inbox(tmp_path_factory.mktemp("cli") / "inbox")
    (folder / "phone.jpg").write_bytes(make_photo(600, 800, orientation=6, gps=True, profile=display_p3()))
    (folder / "large.txt").write_bytes(os.urandom(1 << 20).hex().encode())
    return folder


@pytest.fixture(scope="module")
def home(inbox: Path) -> Path:
    place = inbox.parent / "home"
    with Eyeline(place) as eye:
        eye.ingest(inbox)
        eye.ingest(inbox / "sub", collection="apart")
    return place


@pytest.fixture(scope="module")
def taken(inbox: Path) -> tuple[Path, Done]:
    """Another home, and what came of taking the inbox into it on the command line."""
    return inbox.parent / "taken", run(inbox.parent / "taken", "ingest", str(inbox), "--json")


@pytest.mark.requirement("SA-03")
def test_taking_a_folder_in_tells_of_each_file_what_became_of_it_and_why(inbox: Path, taken: tuple[Path, Done]) -> None:
    home, first = taken
    assert first.code == 3
    became = {item["source"]: (item["status"], item["code"]) for item in first.answer["items"]}
    assert became.pop("empty.txt") == ("refused", "empty")
    assert set(became.values()) == {("taken", "admitted")}
    again = invoke(home, "ingest", str(inbox))
    assert again.exit_code == 3
    rows = {cells[0]: cells[1] for cells in map(str.split, again.stdout.splitlines()) if len(cells) > 1}
    assert {name: rows[name] for name in ("note.md", "sub/data.csv", "empty.txt")} == {
        "note.md": "unchanged",
        "sub/data.csv": "unchanged",
        "empty.txt": "refused",
    }
    assert invoke(home, "ingest", str(inbox / "note.md")).exit_code == 0


@pytest.mark.requirement("XC-05")
def test_progress_goes_to_standard_error_and_reaches_the_end(taken: tuple[Path, Done]) -> None:
    _, done = taken
    count = len(done.answer["items"])
    assert done.err.splitlines()[-1].endswith(f"{count} of {count}")


def test_what_comes_on_standard_input_is_taken_in_under_its_name(tmp_path: Path) -> None:
    done = run(tmp_path, "ingest", "-", "--name", "told.md", "--json", given=b"# Told\n\nby a pipe\n")
    assert (done.code, done.answer["items"][0]["source"]) == (0, "told.md")
    assert run(tmp_path, "fetch", "told.md", "-o", "-").out == b"# Told\n\nby a pipe\n"
    assert run(tmp_path, "ingest", "-", given=b"nameless").code == 2


@pytest.mark.requirement("SA-15")
@pytest.mark.parametrize(
    "arguments",
    [
        ("find", "valves", "--json"),
        ("find", "--family", "document", "--json"),
        ("find", "nothing-like-it", "--json"),
        ("show", "manual.pdf", "--json"),
        ("open", "manual.pdf", "--locator", "page=2", "--json"),
        ("open", "note.md", "--accept", "image/png", "--json"),
        ("limits", "--json"),
        ("audit", "--json"),
        ("audit", "--verify", "--json"),
    ],
    ids=" ".join,
)
def test_nothing_but_one_json_text_is_on_standard_output(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = invoke(home, *arguments)
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stdout.count("\n") == 1
    assert "\x1b" not in done.stdout
    assert "Traceback" not in done.stderr
    assert capfd.readouterr().out == "", "nothing writes beside the stream"


@pytest.mark.requirement("SA-15")
def test_a_program_gets_the_answers_of_the_python_surface(home: Path) -> None:
    with Eyeline(home) as eye:
        limits, listed, shown = to_plain(eye.limits()), to_plain(eye.find()), to_plain(eye.show("manual.pdf"))
    assert json.loads(invoke(home, "limits", "--json").stdout) == limits
    assert json.loads(invoke(home, "find", "--json").stdout) == listed
    assert json.loads(invoke(home, "show", "manual.pdf", "--json").stdout) == shown


def test_people_get_tables_that_name_what_there_is(home: Path) -> None:
    found = invoke(home, "find", "valves")
    assert "manual.pdf" in found.stdout
    assert "page=2" in found.stdout
    assert "3 pages" in invoke(home, "find", "--name", "manual").stdout
    assert "apart: data.csv" in invoke(home, "find", "--collection", "apart").stdout
    assert "tree path" in invoke(home, "show", "manual.pdf").stdout
    assert "target_edge_px" in invoke(home, "limits").stdout


def test_a_list_goes_on_where_its_cursor_says(home: Path) -> None:
    names: list[str] = []
    cursor: list[str] = []
    for _ in range(20):
        answer = json.loads(invoke(home, "find", "--limit", "2", *cursor, "--json").stdout)
        names += [each["source"]["name"] for each in answer["passages"]]
        if "cursor" not in answer:
            break
        cursor = ["--cursor", answer["cursor"]]
    assert sorted(names) == ["data.csv", "data.csv", "large.txt", "manual.pdf", "mark.png", "note.md", "phone.jpg"]


@pytest.mark.requirement("SA-23")
@pytest.mark.parametrize(
    ("source", "locator", "names"),
    [
        ("phone.jpg", None, ["01-overview.jpg"]),
        ("manual.pdf", "page=2&xywh=percent:0,0,50,50", ["01-overview.png", "02-detail.png", "03-source_text.txt"]),
        ("note.md", "line=3", ["01-context.md", "02-source_text.md", "03-context.md"]),
    ],
)
def test_an_answer_in_a_folder_is_byte_for_byte_that_of_the_python_surface(
    home: Path, tmp_path: Path, *, source: str, locator: str | None, names: list[str]
) -> None:
    arguments = () if locator is None else ("--locator", locator)
    assert invoke(home, "open", source, *arguments, "--out", str(tmp_path / "answer")).exit_code == 0
    with Eyeline(home) as eye:
        opened = eye.open(source, locator=locator)
    manifest = json.loads((tmp_path / "answer" / "manifest.json").read_bytes())
    assert manifest.pop("files") == names
    assert manifest == to_plain(opened.envelope)
    assert [(tmp_path / "answer" / name).read_bytes() for name in names] == [part.bytes for part in opened.parts]


def test_a_picture_is_written_upright_and_named_by_its_place_and_role(home: Path, tmp_path: Path) -> None:
    assert (
        invoke(home, "open", "phone.jpg", "--locator", "xywh=percent:0,0,50,50", "--out", str(tmp_path)).exit_code == 0
    )
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["01-overview.jpg", "02-detail.jpg", "manifest.json"]
    detail = Image.open(tmp_path / "02-detail.jpg")
    assert detail.size == (300, 400)
    red = detail.convert("RGB").getpixel((150, 200))
    assert isinstance(red, tuple)
    assert red[0] > 230
    assert max(red[1:3]) < 60


def test_files_that_are_there_are_never_replaced(home: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken.png"
    taken.write_bytes(b"mine")
    assert invoke(home, "open", "mark.png", "-o", str(taken)).exit_code == 11
    assert invoke(home, "fetch", "mark.png", "-o", str(taken)).exit_code == 11
    assert taken.read_bytes() == b"mine"
    folder = tmp_path / "answer"
    assert invoke(home, "open", "mark.png", "--out", str(folder)).exit_code == 0
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert invoke(home, "open", "mark.png", "--out", str(folder)).exit_code == 11
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_one_part_is_streamed_and_several_are_refused_with_the_way_to_narrow_them(home: Path) -> None:
    picture = run(home, "open", "manual.pdf", "--locator", "page=2", "--accept", "image/*", "-o", "-")
    with Eyeline(home) as eye:
        (part,) = eye.open("manual.pdf", locator="page=2", accept=["image/*"]).parts
    assert (picture.code, picture.out) == (0, part.bytes)
    several = invoke(home, "open", "manual.pdf", "--locator", "page=2", "-o", "-")
    assert (several.exit_code, several.stdout_bytes) == (11, b"")
    assert "--accept" in several.stderr
    assert "source_text" in several.stderr


@pytest.mark.requirement("SA-21")
def test_a_picture_that_nobody_took_is_recorded_as_not_delivered(home: Path) -> None:
    listed = invoke(home, "open", "mark.png")
    assert listed.exit_code == 0
    assert "01-overview.png" in listed.stdout
    assert "--out" in listed.stderr
    with Eyeline(home) as eye:
        end, opened = (entry.record for entry in eye.audit(limit=2).entries)
    assert (opened.surface, opened.outcome) == ("cli", AuditOutcome.RELEASED)
    assert (end.outcome, end.code) == (AuditOutcome.FAILED, "not_taken")


def test_texts_are_printed_as_they_are(home: Path, inbox: Path) -> None:
    note = (inbox / "note.md").read_text()
    assert run(home, "open", "note.md").out.decode() == note
    whole = invoke(home, "read", "note.md").stdout
    assert note.splitlines()[2] in whole
    assert invoke(home, "read", "note.md", "--start", "10", "--end", "40").stdout == whole[10:40]


def test_the_exact_bytes_of_an_original_come_whole_or_as_a_range(home: Path, inbox: Path, tmp_path: Path) -> None:
    original = (inbox / "phone.jpg").read_bytes()
    assert run(home, "fetch", "phone.jpg", cwd=tmp_path).code == 0
    assert (tmp_path / "original.jpg").read_bytes() == original
    assert run(home, "fetch", "phone.jpg", "-o", "-").out == original
    fetch = ("fetch", "phone.jpg", "-o", "-", "--range")
    assert invoke(home, *fetch, "10-19").stdout_bytes == original[10:20]
    assert invoke(home, *fetch, "100-").stdout_bytes == original[100:]
    assert invoke(home, *fetch, f"0-{len(original)}").exit_code == 11
    assert invoke(home, *fetch, "ten").exit_code == 2


def test_a_file_that_cannot_be_written_whole_is_not_left_half(home: Path, inbox: Path, tmp_path: Path) -> None:
    digest = Digest.of((inbox / "large.txt").read_bytes())
    copy = tmp_path / "home"
    with Eyeline(copy) as eye:
        eye.ingest(inbox / "large.txt")
    blob = copy / "blobs" / "v1" / "sha256" / digest.hex[:2] / digest.hex
    damaged = bytearray(blob.read_bytes())
    damaged[-1] ^= 1
    blob.chmod(0o600)
    blob.write_bytes(damaged)
    assert invoke(copy, "fetch", "large.txt", "-o", str(tmp_path / "out.txt")).exit_code == 20
    assert not (tmp_path / "out.txt").exists()
    with Eyeline(copy) as eye:
        assert eye.audit(limit=1).entries[0].record.code == "integrity_error"


@pytest.mark.requirement("SA-21")
@pytest.mark.parametrize(
    "arguments", [("fetch", "large.txt", "-o", "-"), ("open", "large.txt", "-o", "-")], ids=" ".join
)
def test_a_reader_that_goes_away_ends_it_quietly_and_the_log_says_so(home: Path, arguments: tuple[str, ...]) -> None:
    command = [*COMMAND, "--home", str(home), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read()
        code = process.wait(WAIT_S)
    assert (code, b"Traceback" in err) == (141, False)
    with Eyeline(home) as eye:
        record = eye.audit(limit=1).entries[0].record
    assert (record.outcome, record.code) == (AuditOutcome.FAILED, "output_closed")
    assert record.completion_of is not None


@pytest.mark.requirement("XC-05")
def test_ctrl_c_ends_long_work_early_and_what_was_taken_stays(tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    for number in range(400):
        (box / f"{number:03d}.md").write_text(f"note {number}\n")
    # A test run that a shell started in the background ignores the signal, and so would its children.
    command = ["env", "--default-signal=INT", *COMMAND, "--home", str(tmp_path / "home"), "ingest", str(box)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stderr is not None
        assert b"of 400" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    with Eyeline(tmp_path / "home") as eye:
        kept = [each.source.name for each in eye.find(limit=100)]
    assert kept
    assert set(kept) <= {path.name for path in box.iterdir()}
    assert invoke(tmp_path / "home", "ingest", str(box / "000.md"), str(box / "399.md")).exit_code == 0


@pytest.mark.requirement("SA-19", "SA-20")
def test_a_mounted_agent_walks_from_a_name_to_the_text_and_to_the_original(home: Path, inbox: Path) -> None:
    tree = home / "tree"
    assert invoke(home, "publish").exit_code == 0
    listed = subprocess.run(["ls", str(tree)], capture_output=True, check=True, text=True).stdout.split()
    assert {"README.md", "by-name", "index"} <= set(listed)
    grep = ["grep", "-rl", "second page about valves", "--include=document.md", str(tree)]
    (hit,) = subprocess.run(grep, capture_output=True, check=True, text=True).stdout.split()
    version = Path(hit).parents[1]
    assert (version / "original.pdf").read_bytes() == (inbox / "manual.pdf").read_bytes()
    assert (version / "original.pdf").stat().st_mode & 0o222 == 0
    by_name = subprocess.run(
        ["cat", str(tree / "by-name/default/note.md/current/original.md")], capture_output=True, check=True
    )
    assert by_name.stdout == (inbox / "note.md").read_bytes()
    for passage in json.loads(invoke(home, "find", "--limit", "100", "--json").stdout)["passages"]:
        original = (tree / passage["source"]["tree_path"]).read_bytes()
        assert str(Digest.of(original)) == passage["source"]["content"]


def test_publishing_names_the_tree_in_the_words_of_the_caller_only(home: Path, tmp_path: Path) -> None:
    del tmp_path
    done = run(Path("home"), "publish", "note.md", cwd=home.parent)
    assert done.out.decode().strip() == "1 document published in home/tree"
    assert str(home.parent) not in done.err


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_every_help_page_ends_with_the_exit_codes(verb: str | None) -> None:
    page = invoke(Path("unused"), *([] if verb is None else [verb]), "--help")
    assert page.exit_code == 0
    rows = page.stdout.partition("Exit codes:\n")[2].splitlines()
    assert [int(row.split()[0]) for row in rows] == list(MEANINGS)


def test_help_loads_nothing_heavy() -> None:
    script = "import sys; from eyeline.cli.main import cli; cli(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run(
        [COMMAND[0], "-c", script], capture_output=True, check=True, env=environment(), timeout=WAIT_S
    )
    assert set(HEAVY) & set(done.stdout.decode().splitlines()[-1].split()) == set()


def test_the_module_is_the_command(tmp_path: Path) -> None:
    assert run(tmp_path, "--version").out.startswith(b"eyeline ")


@pytest.mark.requirement("XC-03")
def test_a_failure_nobody_foresaw_is_one_sentence_with_an_id_that_the_log_explains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cannot read /srv/private/key")

    monkeypatch.setattr(Eyeline, "find", broken)
    failed = invoke(tmp_path, "find")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert "/srv/private" not in failed.stderr
    assert "Traceback" not in failed.stderr
    incident = failed.stderr.split("incident ")[1].split(":")[0]
    log = (tmp_path / "errors.log").read_text()
    assert incident in log
    assert "/srv/private/key" in log


def test_names_from_outside_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "a\x1b[31m\u202eb\x9b.md").write_text("words\n")
    for arguments in (("ingest", str(tmp_path / "box")), ("find",), ("find", "words"), ("find", "--json"), ("audit",)):
        done = invoke(tmp_path / "home", *arguments)
        assert done.exit_code == 0
        assert not {"\x1b", "\u202e", "\x9b"} & set(done.stdout)


def test_a_table_in_a_pipe_has_no_colours_whatever_the_environment_says(home: Path) -> None:
    assert b"\x1b" not in run(home, "find", FORCE_COLOR="1", CLICOLOR_FORCE="1", TERM="xterm-256color").out


def test_a_name_that_the_terminal_cannot_write_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "pumpé语.md").write_text("words\n")
    done = run(tmp_path / "home", "ingest", str(tmp_path / "pumpé语.md"), PYTHONIOENCODING="latin-1")
    assert done.code == 0
    assert b"pump\xe9\\u8bed.md" in done.out


def test_a_served_collection_hides_the_others(home: Path) -> None:
    script = (
        "import sys; from eyeline.cli.main import main; "
        "sys.argv = ['eyeline', '--home', sys.argv[1], 'mcp', '--collection', 'apart']; main()"
    )
    with wired(home, script=script) as wire:
        found = json.loads(wire.call("find")["content"][0]["text"])
        assert {each["source"]["collection"] for each in found["passages"]} == {"apart"}
        with Eyeline(home) as eye:
            hidden = eye.find("", name="manual.pdf")[0].version_id
        assert envelope(wire.call("source_open", version_id=hidden))["negative"]["code"] == "unknown_entity"


def test_what_the_wire_writes_it_reads_back(home: Path) -> None:
    from eyeline.model.envelope import Envelope, Found
    from eyeline.wire import loads

    with Eyeline(home) as eye:
        found, refused = eye.find(), eye.open("ver_" + "0" * 32).envelope
        delivered = eye.open("mark.png").envelope
    assert loads(Found, dumps(found)) == found
    assert [loads(Envelope, dumps(each)) for each in (refused, delivered)] == [refused, delivered]


def test_a_streamed_picture_decodes(home: Path) -> None:
    done = invoke(home, "open", "mark.png", "-o", "-")
    assert Image.open(io.BytesIO(done.stdout_bytes)).size == (400, 300)


def on_a_terminal(home: Path, *arguments: str) -> str:
    """What a command writes when all its streams are a terminal of 100 columns."""
    import pty

    reader, writer = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "--home", str(home), *arguments],
        stdin=writer,
        stdout=writer,
        stderr=writer,
        env=environment(TERM="xterm-256color", COLUMNS="100"),
    ) as process:
        os.close(writer)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while data := os.read(reader, 65536):
                shown += data
        os.close(reader)
        assert process.wait(WAIT_S) is not None
    return shown.decode()


@pytest.mark.requirement("XC-05")
def test_on_a_terminal_there_is_a_bar_and_colours_and_outside_text_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("red \x1b[31m and \u202e turned ``` round\n")
    taken = on_a_terminal(tmp_path / "home", "ingest", str(tmp_path / "note.md"))
    assert "1/1" in taken
    assert "\x1b[" in taken
    shown = on_a_terminal(tmp_path / "home", "open", "note.md")
    assert "\x1b" not in shown
    assert "and \\u{202e} turned ``` round" in shown
    assert "not for a terminal" in on_a_terminal(tmp_path / "home", "fetch", "note.md", "-o", "-")
