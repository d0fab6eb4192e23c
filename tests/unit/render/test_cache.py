"""The cache of renditions holds them by original, so that forgetting one is one removal."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.homes import files_below

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.manifest import Scale
from eyeline.model.media_type import MediaType
from eyeline.model.rendition import Rendition, RenditionFacts
from eyeline.render.cache import RenditionCache

CONTENT, OTHER, GONE = (Digest.of(name) for name in (b"content", b"other", b"gone"))
KEY = Digest.of(b"plan")


def rendition(data: bytes) -> Rendition:
    size = Size(2, 1)
    facts = RenditionFacts(Digest.of(data), MediaType("image/png"), size, (), Scale(size, size, 0.0, 0.0, 1.0, 1.0))
    return Rendition(data, facts)


@pytest.fixture
def cache(tmp_path: Path) -> RenditionCache:
    return RenditionCache(tmp_path, 1 << 20, keeps=lambda content: content != GONE)


def test_a_rendition_is_found_under_its_original_and_its_plan_alone(cache: RenditionCache) -> None:
    made = rendition(b"pixels")
    cache.put(CONTENT, KEY, rendition=made)
    assert cache.get(CONTENT, KEY) == made
    assert cache.get(OTHER, KEY) is None
    assert cache.get(CONTENT, Digest.of(b"another plan")) is None


def test_dropping_an_original_takes_its_renditions_and_no_others(cache: RenditionCache) -> None:
    for content in (CONTENT, OTHER):
        cache.put(content, KEY, rendition=rendition(content.hex.encode()))
    cache.drop(CONTENT)
    assert cache.get(CONTENT, KEY) is None
    assert cache.get(OTHER, KEY) is not None
    assert list(cache.contents()) == [OTHER]


def test_what_is_put_after_an_original_was_forgotten_does_not_stay(tmp_path: Path, cache: RenditionCache) -> None:
    with cache.single_flight(GONE, KEY):
        cache.put(GONE, KEY, rendition=rendition(b"pixels"))
    assert cache.get(GONE, KEY) is None
    assert list(files_below(tmp_path)) == []


def test_one_at_a_time_holds_a_key_also_right_after_another_let_it_go(
    cache: RenditionCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock, told = fcntl.flock, {name: threading.Event() for name in ("second waits", "second holds", "third knows")}
    was_free = list[bool]()

    def watched(handle: Any, how: int) -> None:
        if threading.current_thread().name == "second":
            told["second waits"].set()
        if threading.current_thread().name == "third" and not was_free:
            try:
                flock(handle, how | fcntl.LOCK_NB)
                was_free.append(True)
            except BlockingIOError:
                was_free.append(False)
            told["third knows"].set()
        flock(handle, how)

    def second() -> None:
        with cache.single_flight(CONTENT, KEY):
            told["second holds"].set()
            told["third knows"].wait(30)

    def third() -> None:
        with cache.single_flight(CONTENT, KEY):
            pass

    monkeypatch.setattr(fcntl, "flock", watched)
    threads = [threading.Thread(target=each, name=each.__name__) for each in (second, third)]
    with cache.single_flight(CONTENT, KEY):
        threads[0].start()
        assert told["second waits"].wait(30)
    assert told["second holds"].wait(30)
    threads[1].start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert was_free == [False]


def test_opening_removes_what_another_version_of_the_layout_left_and_nothing_else(
    tmp_path: Path, cache: RenditionCache
) -> None:
    cache.put(CONTENT, KEY, rendition=rendition(b"pixels"))
    for name in ("v1/ab", "v11", "vault"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "kept").write_bytes(b"pixels of another version")
    again = RenditionCache(tmp_path, 1 << 20, keeps=lambda content: True)
    assert again.get(CONTENT, KEY) is not None
    assert {path.name for path in tmp_path.iterdir()} == {"v2", "vault"}


def test_a_damaged_rendition_is_counted_and_is_no_hit(tmp_path: Path, cache: RenditionCache) -> None:
    cache.put(CONTENT, KEY, rendition=rendition(b"pixels"))
    (path,) = files_below(tmp_path)
    assert cache.damaged(CONTENT) == 0
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.damaged(CONTENT) == 1
    assert cache.get(CONTENT, KEY) is None
    assert list(files_below(tmp_path)) == []
