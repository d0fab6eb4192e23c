"""The public surface is a sorted list; to add to it is a decision."""

from __future__ import annotations

import eyeline

PUBLIC = ["Eyeline", "EyelineError", "Locator", "Principal", "Settings", "Viewer"]


def test_the_public_names_are_exactly_these_and_sorted() -> None:
    assert eyeline.__all__ == PUBLIC
    assert sorted(PUBLIC) == PUBLIC


def test_every_public_name_is_there_and_documented() -> None:
    undocumented = [name for name in eyeline.__all__ if not getattr(eyeline, name).__doc__]
    assert undocumented == []


def test_dir_tells_the_public_names() -> None:
    assert set(eyeline.__all__) <= set(dir(eyeline))
