"""Whatever path is asked for, a file is made below the root or nowhere, and its reference finds it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import AmbiguousName, PathRefused, PathTaken
from eyeline.source.path import FileBoundary

PARTS = st.sampled_from(
    ["..", ".", "", "a", "there", "out", "in", ".x", "e\u0301", "\u00e9", "a b", "a\u00a0b", "\0", "\\"]
)
NAMES = st.one_of(PARTS, st.text(max_size=12), st.text(alphabet="\u202f\u00a0 .eE\u0301/", max_size=6))
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): b"" if path.is_symlink() or path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


@given(st.lists(PATHS, min_size=1, max_size=4))
def test_a_file_is_made_below_the_root_or_nowhere_and_its_reference_finds_it(paths: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        outside, root = Path(folder, "outside"), Path(folder, "root")
        (root / "there").mkdir(parents=True)
        outside.mkdir()
        (root / "out").symlink_to("../outside")
        (root / "in").symlink_to("there")
        for number, path in enumerate(paths):
            before = tree(root)
            text = f"file {number}".encode()
            try:
                with FileBoundary(root).create_inside(path) as new:
                    new.write(text)
                    new.publish()
            except (PathRefused, PathTaken, AmbiguousName):
                assert tree(root) == before
                continue
            with FileBoundary(root).open_inside(new.reference) as opened:
                assert (opened.file.read(), opened.hidden) == (text, False)
            after = tree(root)
            assert {name: after[name] for name in before} == before
            assert sum(held == text for held in after.values()) == 1
        assert tree(outside) == {}
        assert sorted(path.name for path in Path(folder).iterdir()) == ["outside", "root"]
