"""The published tree, walked as an agent with a mount walks it: with paths and file contents alone."""

from __future__ import annotations

import json
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.homes import files_below, fill_inbox, fingerprint

from eyeline import Eyeline
from eyeline.settings import Settings, TreeSettings
from eyeline.tree.placing import Link

POINTER = re.compile(r"`((?:current|[0-9a-f]{64})/[^`]*)`")


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Eyeline, Path]]:
    inbox = fill_inbox(tmp_path_factory.mktemp("inbox"))
    with Eyeline(tmp_path_factory.mktemp("home")) as eye:
        eye.ingest(inbox)
        yield eye, inbox


def _by_name(eye: Eyeline, reference: str) -> Path:
    return eye.tree / "by-name" / "default" / reference


@pytest.mark.requirement("SA-19")
@pytest.mark.parametrize("reference", ["note.md", "sub/data.csv", "mark.png", "manual.pdf"])
def test_each_original_is_reached_by_name_byte_for_byte(walked: tuple[Eyeline, Path], reference: str) -> None:
    eye, inbox = walked
    folder = _by_name(eye, reference)
    original = next((folder / "current").glob("original.*"))
    assert original.read_bytes() == (inbox / reference).read_bytes()
    assert original.suffix == Path(reference).suffix
    assert folder.resolve().parent == eye.tree.resolve()


@pytest.mark.requirement("SA-19")
def test_an_original_stands_once_and_cannot_be_written(walked: tuple[Eyeline, Path]) -> None:
    eye, _ = walked
    originals = [path for path in files_below(eye.tree) if path.name.startswith("original.")]
    assert len(originals) == 4
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o222 == 0 for path in originals)
    assert all(re.fullmatch(r"[0-9a-f]{64}", path.parent.name) for path in originals)
    assert all(path.parent.parent.name.startswith("doc_") for path in originals)


@pytest.mark.requirement("SA-20")
def test_every_pointer_printed_in_the_tree_resolves(walked: tuple[Eyeline, Path]) -> None:
    eye, _ = walked
    checked = 0
    for readme in eye.tree.glob("doc_*/README.md"):
        for pointer in POINTER.findall(readme.read_text()):
            assert (readme.parent / pointer).exists(), pointer
            checked += 1
    for shard in eye.tree.glob("index/*.jsonl"):
        for line in shard.read_text().splitlines():
            entry = json.loads(line)
            assert (eye.tree / entry["path"]).is_file()
            assert (eye.tree / entry["folder"]).is_dir()
            checked += 2
    for document in eye.tree.glob("doc_*/*/rep_*/document.md"):
        checked += _pointers_of_front_matter(document)
    assert checked > 20


def _pointers_of_front_matter(document: Path) -> int:
    front = document.read_text().split("---\n")[1]
    pointers = re.findall(r"^(?:original|source_map|manifest): (\S+)$", front, re.MULTILINE)
    pointers += re.findall(r"^  - (assets/\S+)$", front, re.MULTILINE)
    for pointer in pointers:
        assert (document.parent / pointer).resolve().is_file(), pointer
    return len(pointers)


@pytest.mark.requirement("SA-20")
def test_globs_named_in_the_readme_find_what_it_says(walked: tuple[Eyeline, Path]) -> None:
    eye, _ = walked
    text = (eye.tree / "README.md").read_text()
    for pattern in re.findall(r"`((?:index|doc_)\S*\*\S*)`", text):
        assert list(eye.tree.glob(pattern)), pattern


@pytest.mark.requirement("SA-20")
def test_a_tree_path_resolves_on_any_mount(walked: tuple[Eyeline, Path], tmp_path: Path) -> None:
    eye, inbox = walked
    mount = tmp_path / "mnt"
    shutil.copytree(eye.tree, mount, symlinks=True)
    hit = eye.find("serial")[0]
    assert (mount / hit.tree_path).read_bytes() == (inbox / "note.md").read_bytes()
    assert (mount / "by-name/default/note.md/current/version.json").is_file()


@pytest.mark.requirement("SA-20")
def test_derived_text_is_found_by_grep_and_points_back(walked: tuple[Eyeline, Path]) -> None:
    eye, _ = walked
    documents = {path.resolve() for path in eye.tree.glob("doc_*/*/rep_*/document.md")}
    holding = [path for path in documents if "about valves" in path.read_text()]
    assert len(holding) == 1
    assert (holding[0].parent.parent / "original.pdf").is_file()
    assert list((holding[0].parent / "assets").glob("preview.*"))


@pytest.mark.requirement("SA-20")
def test_section_ranges_in_the_front_matter_cut_exactly_the_quoted_text(walked: tuple[Eyeline, Path]) -> None:
    eye, inbox = walked
    document = next(_by_name(eye, "note.md").glob("current/rep_*/document.md"))
    text = document.read_text()
    found = re.search(r"chars: \[(\d+), (\d+)\]", text)
    assert found is not None
    assert text[int(found[1]) : int(found[2])] == (inbox / "note.md").read_text()


@pytest.mark.requirement("SA-22")
def test_the_tree_says_that_reads_are_not_recorded(walked: tuple[Eyeline, Path]) -> None:
    eye, _ = walked
    assert "not recorded" in (eye.tree / "README.md").read_text()


def test_publishing_again_changes_no_file(walked: tuple[Eyeline, Path]) -> None:
    eye, _ = walked
    before = {path: path.stat().st_ino for path in files_below(eye.tree)}
    prints = fingerprint(eye.tree)
    assert eye.publish() == 4
    assert fingerprint(eye.tree) == prints
    assert {path: path.stat().st_ino for path in files_below(eye.tree)} == before


def test_a_lost_tree_is_published_whole_again(tmp_path: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(inbox)
        before = {path.relative_to(eye.tree): path.read_bytes() for path in files_below(eye.tree)}
        shutil.rmtree(eye.tree)
        eye.publish()
        assert {path.relative_to(eye.tree): path.read_bytes() for path in files_below(eye.tree)} == before


def test_a_new_version_becomes_current_and_the_old_one_stays(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("first")
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(note)
        note.write_text("second")
        eye.ingest(note)
        folder = _by_name(eye, "note.txt").resolve()
        assert (folder / "current" / "original.txt").read_text() == "second"
        assert sorted(path.read_text() for path in folder.glob("?" * 64 + "/original.txt")) == ["first", "second"]


HOSTILE = [
    "a..%2f",
    "a/../b".replace("/", "\\"),
    "con\n## fake",
    "\u202egpj.exe",
    "a" * 250,
    "tab\tname",
    "trailing.",
    "%41",
    "quote'`$(id)",
    "名前",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_gets_a_safe_spelling_that_leads_to_the_file(tmp_path: Path, name: str) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / f"{name}.txt").write_text("words")
    with Eyeline(tmp_path / "home") as eye:
        report = eye.ingest(inbox)
        assert [item.status.value for item in report.items] == ["taken"]
        links = [path for path in (eye.tree / "by-name" / "default").rglob("*") if path.is_symlink()]
        assert len(links) == 1
        assert (links[0] / "current" / "original.txt").read_text() == "words"
        shown = links[0].name
        assert len(shown.encode()) <= 255
        assert all(character.isprintable() for character in shown)
        assert "\n#" not in "".join(path.read_text() for path in eye.tree.glob("doc_*/README.md")).replace(
            "\n# ", "", 1
        )


def test_names_that_differ_in_case_alone_do_not_meet(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "Readme.txt").write_text("upper")
    (inbox / "readme.txt").write_text("lower")
    with Eyeline(tmp_path / "home", settings=Settings(workers=1)) as eye:
        eye.ingest(inbox)
        names = sorted(path.name for path in (eye.tree / "by-name" / "default").iterdir())
        assert len({name.casefold() for name in names}) == 2
        assert names[0] == "Readme.txt"


def test_a_document_and_a_folder_of_one_name_do_not_meet(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    (second / "plan").mkdir(parents=True)
    (first / "plan").write_text("a file\n")
    (second / "plan" / "b.txt").write_text("below a folder\n")
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(first, second)
        texts = {path.read_text() for path in (eye.tree / "by-name").rglob("*/current/original.txt")}
        documents = [path for path in eye.tree.glob("doc_*/*") if path.is_symlink() and path.name != "current"]
        assert documents == []
        found = {
            (path / "current" / "original.txt").read_text()
            for path in (eye.tree / "by-name").rglob("*")
            if path.is_symlink()
        }
        assert texts | found == {"a file\n", "below a folder\n"}


@pytest.mark.parametrize("link", [Link.AUTO, Link.HARD, Link.COPY, Link.SYMLINK])
def test_each_way_of_placing_shows_the_same_bytes(tmp_path: Path, link: Link) -> None:
    note = tmp_path / "note.txt"
    note.write_text("the same bytes")
    with Eyeline(tmp_path / "home", settings=Settings(tree=TreeSettings(link=link))) as eye:
        item = eye.ingest(note).items[0]
        assert item.tree_path is not None
        assert (eye.tree / item.tree_path).read_text() == "the same bytes"
        if link is Link.HARD:
            assert (eye.tree / item.tree_path).stat().st_nlink > 1
        if link is Link.COPY:
            assert (eye.tree / item.tree_path).stat().st_nlink == 1
