"""Laws of execution worlds, over generated paths; and what is sent is blind to all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.conversations import looked_at, pictures_of, talk

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_picture
from eyeline.model.attachment import ImageRef
from eyeline.request.worlds import HostWorld, MappedWorld, NoWorld, windows_beside_wsl, wsl_beside_windows

NAMES = st.text(alphabet="abcXYZ019-_ äß語", min_size=1, max_size=6).filter(lambda name: name.strip() == name)
PATHS = st.lists(NAMES, min_size=1, max_size=5).map(lambda names: "/" + "/".join(names))


@given(PATHS, PATHS, st.lists(NAMES, max_size=4))
def test_a_path_below_a_mount_keeps_its_names(host: str, world: str, rest: list[str]) -> None:
    mapped = MappedWorld([(host, world)])
    assert mapped.process_path("/".join((host, *rest))) == "/".join((world, *rest))


@given(PATHS, PATHS, NAMES)
def test_a_path_that_only_begins_like_a_mount_is_outside(host: str, world: str, more: str) -> None:
    assert MappedWorld([(host, world)]).process_path(f"{host}{more}") is None


@given(PATHS, PATHS)
def test_a_mapping_there_and_the_reverse_lead_back(host: str, world: str) -> None:
    path = f"{host}/v1/ab/cd.png"
    there = MappedWorld([(host, world)]).process_path(path)
    assert there is not None
    assert MappedWorld([(world, host)]).process_path(there) == path


@given(st.sampled_from("abcxyz"), st.lists(NAMES, max_size=4))
def test_drives_lead_there_and_back(letter: str, names: list[str]) -> None:
    path = "/".join((f"/mnt/{letter}", *names))
    there = windows_beside_wsl().process_path(path)
    assert there is not None
    assert wsl_beside_windows().process_path(there) == path
    assert wsl_beside_windows().process_path(there.lower()) == "/".join((f"/mnt/{letter}", *(n.lower() for n in names)))


@given(st.text(max_size=40))
def test_whatever_is_asked_a_world_answers_with_an_absolute_path_or_none(text: str) -> None:
    for world in (MappedWorld([("/", "/w")]), MappedWorld([("C:\\", "/w")]), wsl_beside_windows(), NoWorld()):
        found = world.process_path(text)
        assert found is None or (found.startswith("/") and ".." not in found.split("/"))


@dataclass(frozen=True)
class Shelf:
    eye: Eyeline
    refs: tuple[ImageRef, ...]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    with Eyeline(tmp_path_factory.mktemp("shelf") / "home") as eye:
        sizes = ((2400, 300), (200, 100), (3000, 4))
        yield Shelf(eye, tuple(eye.attachments.save_image(make_picture(width=w, height=h), name="x") for w, h in sizes))


WORLDS = st.one_of(st.just(NoWorld()), st.just(HostWorld()), PATHS.map(lambda world: MappedWorld([("/", world)])))


@pytest.mark.requirement("AT-05")
@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.sampled_from(["anthropic-standard", "gemini-2", "deepseek-responses"]),
    st.tuples(WORLDS, WORLDS),
)
def test_variants_and_the_record_are_blind_to_worlds(
    shelf: Shelf, places: list[int], route: str, worlds: tuple[object, object]
) -> None:
    refs = [shelf.refs[place] for place in places]
    conversation = [*talk([[ref] for ref in refs]), *looked_at(refs[0])]
    one, other = (shelf.eye.prepare(conversation, route=route, world=world) for world in worlds)
    assert [each.image for each in pictures_of(one)] == [each.image for each in pictures_of(other)]
    assert one.record == other.record
    assert one.report.planned_bytes == other.report.planned_bytes
