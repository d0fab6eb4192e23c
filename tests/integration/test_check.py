"""A check finds and names whatever is wrong in a home, and a repair mends what can be made again."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.cli import invoke
from tests.support.homes import files_below, fill_inbox, fingerprint

from eyeline import Eyeline, Settings
from eyeline.catalog.catalog import Catalog
from eyeline.errors import Cancelled
from eyeline.model.digest import Digest
from eyeline.model.finding import MEANINGS, FindingCode
from eyeline.settings import TreeSettings
from eyeline.store.local import LocalStore
from eyeline.testing.catalog_samples import NOW, blob
from eyeline.toolkit.cancel import CancelToken
from eyeline.tree.placing import Link


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with four documents, some of them opened, in which nothing is wrong."""
    folder = tmp_path_factory.mktemp("sound")
    with Eyeline(folder / "home") as eye:
        eye.ingest(fill_inbox(folder / "inbox"))
        eye.open("mark.png", locator="xywh=percent:10,10,20,20")
    return folder / "home"


@pytest.fixture
def home(tmp_path: Path, sound: Path) -> Path:
    subprocess.run(["cp", "-a", str(sound), str(tmp_path / "home")], check=True)
    return tmp_path / "home"


@dataclass(frozen=True)
class Harm:
    """One thing that is done to a home: what a check says of it, and what a repair leaves."""

    do: Callable[[Path], str]
    finds: tuple[str, ...]
    left: tuple[str, ...] = ()


def original(home: Path, name: str = "note.md") -> Path:
    """The blob of an original."""
    with Eyeline(home) as eye:
        digest = eye.show(name).source.content
    return home / "blobs/v1/sha256" / digest.hex[:2] / digest.hex


def derived(home: Path, name: str = "manual.pdf", path: str = "document.md") -> Path:
    """The blob of a file of a representation."""
    with Eyeline(home) as eye:
        (found,) = (eye.tree / eye.show(name).source.tree_path).parent.glob(f"rep_*/{path}")
    digest = Digest.of(found.read_bytes())
    return home / "blobs/v1/sha256" / digest.hex[:2] / digest.hex


def folder_of(home: Path, name: str = "note.md") -> Path:
    """The folder of a document in the tree."""
    with Eyeline(home) as eye:
        return eye.tree / eye.show(name).source.doc_id


def flip(path: Path) -> str:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    return rewrite(path, bytes(data))


def rewrite(path: Path, data: bytes) -> str:
    """Other bytes in the same file, and with the same mode, as a failing disk would leave them."""
    mode = path.stat().st_mode
    path.chmod(0o600)
    path.write_bytes(data)
    path.chmod(mode)
    return path.name


def cut(path: Path) -> str:
    return rewrite(path, path.read_bytes()[:-7])


def remove(path: Path) -> str:
    path.unlink()
    return path.name


def put_loose(home: Path) -> str:
    digest = LocalStore(home / "blobs").put(io.BytesIO(b"nobody names these bytes")).digest
    return digest.hex


def pin_loose(home: Path) -> str:
    with Catalog.open(home / "catalog.sqlite") as catalog:
        catalog.pin_blobs([blob(b"never came")], now_ms=NOW)
    return Digest.of(b"never came").hex


def change_mode(path: Path, mode: int) -> str:
    path.chmod(mode)
    return path.name


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text)
    return path.name


def link(path: Path, target: str) -> str:
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    return path.name


def drop(path: Path) -> str:
    shutil.rmtree(path)
    return path.name


def execute(home: Path, statement: str, *, file: str = "catalog.sqlite", subject: str = "") -> str:
    with closing(sqlite3.connect(home / file)) as connection, connection:
        connection.execute(statement)
    return subject


def bury(home: Path) -> str:
    with Eyeline(home) as eye:
        version_id = eye.show("note.md").source.version_id
    with Catalog.open(home / "catalog.sqlite") as catalog:
        catalog.forget_versions([version_id], now_ms=NOW)
    return version_id


def abandon(home: Path) -> str:
    gone = "owner = 'another boot/4026531836/1/1', expires_ms = 0, state = 'running', representation_id = NULL"
    where = "WHERE route LIKE 'text/%' AND content IN (SELECT content FROM versions WHERE media_type LIKE '%markdown')"
    execute(home, f"UPDATE conversions SET {gone} {where}")
    with Eyeline(home) as eye:
        return eye.show("note.md").source.version_id


def shard_of(home: Path) -> Path:
    return next((home / "tree" / "index").glob(f"{folder_of(home).name[4:6]}.jsonl"))


def cached(home: Path) -> Path:
    return next(path for path in files_below(home / "cache" / "renditions") if len(path.name) == 64)


def attached(home: Path) -> Path:
    """A file that is attached, and where it lies."""
    with Eyeline(home) as eye:
        path = eye.attachments.file_host_path(eye.attachments.save_file(b"words", name="words.txt"))
    assert path is not None
    return Path(path)


def lose_attachment(home: Path) -> str:
    attached(home).unlink()
    return "words.txt"


def damage_attachment(home: Path) -> str:
    path = attached(home)
    path.chmod(0o600)
    path.write_bytes(b"other")
    path.chmod(0o400)
    return "words.txt"


def leave_attachment(home: Path) -> str:
    path = attached(home).with_name("left.txt")
    path.write_bytes(b"words")
    path.chmod(0o400)
    return "left.txt"


HARMS: dict[str, Harm] = {
    "attachment gone": Harm(lose_attachment, ("attachment_missing",), left=("attachment_missing",)),
    "attachment damaged": Harm(damage_attachment, ("attachment_damaged",), left=("attachment_damaged",)),
    "attachment without a record": Harm(leave_attachment, ("orphan_attachment",)),
    "a flipped bit in an original": Harm(
        lambda home: flip(original(home)), ("original_damaged",), ("original_damaged",)
    ),
    "an original that was cut": Harm(lambda home: cut(original(home)), ("original_damaged",), ("original_damaged",)),
    "a missing original": Harm(lambda home: remove(original(home)), ("original_missing",), ("original_missing",)),
    "a folder in the place of an original": Harm(
        lambda home: (remove(original(home)), original(home).mkdir())[0], ("original_damaged",), ("original_damaged",)
    ),
    "a flipped bit in a reading": Harm(lambda home: flip(derived(home)), ("derived_damaged",)),
    "a manifest that was cut": Harm(lambda home: cut(derived(home, path="manifest.json")), ("derived_damaged",)),
    "a missing picture of a page": Harm(
        lambda home: remove(derived(home, path="assets/preview.png")), ("derived_missing",)
    ),
    "a blob that nobody names": Harm(put_loose, ("orphan_blob",)),
    "a pin of what never came": Harm(pin_loose, ("record_without_blob",)),
    "a blob that others may read": Harm(lambda home: change_mode(original(home), 0o644), ("wrong_mode",)),
    "a folder that others may write": Harm(lambda home: change_mode(original(home).parent, 0o777), ("wrong_mode",)),
    "a note in the store": Harm(
        lambda home: write(home / "blobs/v1/sha256/README", "x"), ("stray_file",), ("stray_file",)
    ),
    "a wrong size in the records": Harm(
        lambda home: execute(home, f"UPDATE blobs SET byte_count = 1 WHERE digest = '{original(home).name}'"),
        ("record_differs", "tree_differs", "index_differs"),
        ("record_differs",),
    ),
    "an asset that the manifest does not know": Harm(
        lambda home: execute(home, "UPDATE assets SET path = 'assets/other.png' WHERE path = 'assets/preview.png'"),
        ("representation_differs", "tree_missing", "tree_extra"),
        ("representation_differs",),
    ),
    "a document that is gone from the tree": Harm(lambda home: drop(folder_of(home)), ("tree_missing",)),
    "a reading that is gone from the tree": Harm(
        lambda home: drop(next(folder_of(home).glob("*/rep_*"))), ("tree_missing",)
    ),
    "an original that is gone from the tree": Harm(
        lambda home: remove(next(folder_of(home).glob("?" * 64 + "/original.md"))), ("tree_missing",)
    ),
    "an original that is another file in the tree": Harm(
        lambda home: write(next(folder_of(home).glob("?" * 64 + "/original.md")), "other"), ("tree_differs",)
    ),
    "an altered README": Harm(lambda home: write(folder_of(home) / "README.md", "# mine"), ("tree_differs",)),
    "a link to another version": Harm(lambda home: link(folder_of(home) / "current", "0" * 64), ("tree_misplaced",)),
    "a name that is gone": Harm(lambda home: remove(home / "tree/by-name/default/note.md"), ("tree_missing",)),
    "a name that leads nowhere": Harm(
        lambda home: link(home / "tree/by-name/default/lost", "../../doc_" + "0" * 32), ("tree_dangling",)
    ),
    "a name in another place": Harm(
        lambda home: link(home / "tree/by-name/default/odd", f"../../{folder_of(home).name}"), ("tree_misplaced",)
    ),
    "a folder of a document that there is not": Harm(
        lambda home: ((home / "tree" / ("doc_" + "0" * 32)).mkdir(), "doc_000")[1], ("tree_extra",)
    ),
    "a folder of a version that there is not": Harm(
        lambda home: ((folder_of(home) / ("0" * 64)).mkdir(), "0" * 64)[1], ("tree_extra",)
    ),
    "a file of somebody in the tree": Harm(
        lambda home: write(folder_of(home) / "notes.txt", "mine"), ("stray_file",), ("stray_file",)
    ),
    "a line of the index that is gone": Harm(
        lambda home: (remove(shard_of(home)), folder_of(home).name)[1], ("index_differs",)
    ),
    "a line of the index that cannot be read": Harm(
        lambda home: write(shard_of(home), shard_of(home).read_text() + "{half"), ("index_differs",)
    ),
    "a line of the index for a document that there is not": Harm(
        lambda home: write(home / "tree/index/00.jsonl", json.dumps({"doc_id": "doc_" + "0" * 32}) + "\n")[:2],
        ("index_differs",),
    ),
    "half a publishing": Harm(
        lambda home: write(home / "tree/.staging/abcd/original.md", "half")[:0], ("staging_leftover",)
    ),
    "a damaged picture in the cache": Harm(lambda home: cut(cached(home))[:0], ("cache_damaged",)),
    "a picture of something that is not kept": Harm(
        lambda home: write(home / "cache/renditions/v2/00" / ("0" * 64) / ("1" * 64), "x")[:0], ("cache_extra",)
    ),
    "scratch of something that is not kept": Harm(
        lambda home: write(home / "cache/scratch/v1/00" / ("0" * 64) / ("1" * 64) / "ocr-000001", "x")[:0],
        ("cache_extra",),
    ),
    "half a forgetting": Harm(
        bury, ("unfinished_forget", "orphan_blob", "tree_extra", "index_differs", "tree_dangling")
    ),
    "a conversion that nobody runs any more": Harm(abandon, ("stale_conversion",)),
    "a version that was never decoded": Harm(
        lambda home: execute(home, "DELETE FROM admissions"), ("admission_due", "tree_differs")
    ),
    "an altered audit log": Harm(
        lambda home: execute(
            home, "UPDATE audit_entries SET principal = 'local:eve' WHERE seq = 1", file="audit.sqlite"
        ),
        ("audit_broken",),
        ("audit_broken",),
    ),
    "a search index that lost a text": Harm(
        lambda home: execute(home, "DELETE FROM passage_index_content WHERE id = 1"), ("search_differs",)
    ),
    "a reference to a row that is not there": Harm(
        lambda home: execute(home, "INSERT INTO version_representations VALUES ('ver_1', 'rep_1')"),
        ("catalog_damaged",),
        ("catalog_damaged",),
    ),
    "a record that cannot be read": Harm(
        lambda home: execute(home, "UPDATE versions SET media_type = 'no type'"),
        ("catalog_damaged",),
        ("catalog_damaged",),
    ),
}


@pytest.mark.requirement("XC-02")
def test_nothing_is_wrong_with_a_sound_home_and_looking_changes_nothing(home: Path) -> None:
    before = fingerprint(home / "blobs", home / "tree", home / "cache")
    with Eyeline(home) as eye:
        report = eye.check(grace_ms=0)
        assert (report.findings, report.clean, report.broken) == ((), True, False)
        assert report.documents == 4
        assert eye.check(repair=True, grace_ms=0).findings == ()
    assert fingerprint(home / "blobs", home / "tree", home / "cache") == before


@pytest.mark.requirement("XC-02")
@pytest.mark.parametrize("harm", HARMS)
def test_what_is_wrong_is_found_named_and_mended_where_that_loses_nothing(home: Path, harm: str) -> None:
    subject, finds, left = HARMS[harm].do(home), HARMS[harm].finds, HARMS[harm].left
    with Eyeline(home) as eye:
        found = eye.check(grace_ms=0)
        assert {finding.code for finding in found.findings} == set(finds)
        assert not any(finding.repaired for finding in found.findings)
        first = next(finding for finding in found.findings if finding.code == finds[0])
        assert subject in first.subject
        repaired = eye.check(repair=True, grace_ms=0)
        assert {finding.code for finding in repaired.left} == set(left)
        again = eye.check(grace_ms=0)
        assert {finding.code for finding in again.findings} == set(left)
        severities = {MEANINGS[FindingCode(code)].severity.value for code in left}
        assert again.broken == bool(severities & {"loss", "damage"})


def test_every_code_is_found_by_one_of_these_harms() -> None:
    found = {code for harm in HARMS.values() for code in harm.finds}
    assert found == {code.value for code in FindingCode}


@pytest.mark.requirement("XC-02")
def test_a_lost_original_is_told_until_it_is_taken_in_again(home: Path, sound: Path) -> None:
    original(home).unlink()
    assert invoke(home, "check").exit_code == 20
    assert invoke(home, "check", "--repair").exit_code == 20
    assert invoke(home, "check").exit_code == 20
    assert invoke(home, "ingest", str(sound.parent / "inbox" / "note.md")).exit_code == 0
    assert invoke(home, "check").exit_code == 0


@pytest.mark.parametrize("way", [Link.COPY, Link.SYMLINK, Link.HARD])
def test_a_tree_is_sound_and_mended_however_originals_are_placed(tmp_path: Path, way: Link) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with Eyeline(tmp_path / "home", settings=Settings(tree=TreeSettings(link=way))) as eye:
        eye.ingest(inbox / "note.md", inbox / "mark.png")
        assert eye.check(grace_ms=0).findings == ()
        placed = next(eye.tree.glob("doc_*/current/original.md"))
        placed.unlink()
        placed.write_text("other")
        assert [finding.code for finding in eye.check(grace_ms=0).findings] == ["tree_differs"]
        assert eye.check(repair=True).clean
        assert placed.read_bytes() == (inbox / "note.md").read_bytes()
        eye.forget("note.md")
        assert eye.check(grace_ms=0).findings == ()


def test_readings_that_were_mended_are_the_same_readings(home: Path) -> None:
    with Eyeline(home) as eye:
        before = eye.show("manual.pdf").source.representation_id
    derived(home, path="assets/preview.png").unlink()
    flip(derived(home))
    with Eyeline(home) as eye:
        assert eye.check(repair=True).clean
        assert eye.show("manual.pdf").source.representation_id == before
        assert eye.read("manual.pdf").parts


def test_what_is_young_may_belong_to_a_call_that_still_runs(home: Path) -> None:
    put_loose(home)
    with Catalog.open(home / "catalog.sqlite") as catalog:
        catalog.pin_blobs([blob(b"on its way")], now_ms=time.time_ns() // 1_000_000)
    with Eyeline(home) as eye:
        assert eye.check(repair=True).findings == ()
        assert {finding.code for finding in eye.check(grace_ms=0).findings} == {"orphan_blob", "record_without_blob"}


def test_the_command_tells_each_finding_and_how_bad_it_all_is(home: Path) -> None:
    put_loose(home)
    assert invoke(home, "check").exit_code == 0
    plain = invoke(home, "check", "--grace", "0")
    assert plain.exit_code == 3
    assert "orphan_blob" in plain.stdout
    (finding,) = json.loads(invoke(home, "check", "--grace", "0", "--json").stdout)["findings"]
    assert (finding["code"], finding["severity"], finding["repaired"]) == ("orphan_blob", "leftover", False)
    assert finding["subject"] == str(Digest.of(b"nobody names these bytes"))
    assert invoke(home, "check", "--grace", "0", "--repair").exit_code == 0
    assert invoke(home, "check", "--grace", "0").exit_code == 0


@pytest.mark.requirement("XC-05")
def test_a_check_tells_how_far_it_is_and_can_be_stopped(home: Path) -> None:
    seen: list[tuple[int, int]] = []
    token = CancelToken()
    with Eyeline(home) as eye:
        report = eye.check(progress=lambda done, total, what: seen.append((done, total)))
        total = report.blobs + report.documents
        assert seen == [(number, total) for number in range(1, total + 1)]
        with pytest.raises(Cancelled):
            eye.check(cancel=token, progress=lambda done, total, what: token.cancel("enough"))


def test_no_finding_names_a_path_of_the_host_or_a_text_of_a_document(home: Path) -> None:
    for harm in ("a flipped bit in an original", "half a publishing", "an altered README", "a name that leads nowhere"):
        HARMS[harm].do(home)
    with Eyeline(home, settings=Settings()) as eye:
        told = " ".join(f"{each.subject} {each.message}" for each in eye.check(grace_ms=0).findings)
    assert told
    assert str(home) not in told
    assert "PX-4417" not in told
