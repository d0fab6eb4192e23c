"""Requests that providers take the first time: each shipped shape, against a double that refuses what they refuse."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import KEY, post_to
from tests.support.attached import Kept, kept_in
from tests.support.conversations import looked_at, noise, pictures_of, talk
from tests.support.corners import ROUTES, accepted, accepted_request

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_screenshot
from eyeline.model.assembly import PictureOutcome
from eyeline.model.attachment import ImageRef
from eyeline.model.digest import Digest
from eyeline.model.message import ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.model.route import ResultPictures
from eyeline.request.providers import body_of, json_of
from eyeline.request.remote import FolderIndex, RemotePictures, files_of
from eyeline.request.routes import route_named
from eyeline.request.worlds import HostWorld, MappedWorld, NoWorld
from eyeline.testing.provider_double import Call, ProviderDouble

ALL = list(ROUTES)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    with kept_in(tmp_path_factory.mktemp("home")) as kept:
        yield kept


@pytest.fixture(name="double")
def a_double() -> Iterator[ProviderDouble]:
    with ProviderDouble() as double:
        yield double


def parallel(first: ImageRef, second: ImageRef) -> list[Message]:
    """Two calls at once, each answered with a picture, in a message of its own."""
    calls = (ToolCallBlock("call_a", "crop", '{"x": 1}'), ToolCallBlock("call_b", "crop", "{}"))
    results = [
        Message("user", (ToolResultBlock(call_id, "crop", (TextBlock(f"result {call_id}"), ImageBlock(ref))),))
        for call_id, ref in (("call_a", first), ("call_b", second))
    ]
    return [Message("assistant", calls), *results]


def sent(call: Call) -> list[Digest]:
    return [Digest.of(each.bytes) for each in call.pictures]


# Limits


@pytest.mark.parametrize("name", ALL)
@pytest.mark.requirement("AT-12")
def test_25_pictures_of_which_one_is_2001_pixels_wide(kept: Kept, double: ProviderDouble, name: str) -> None:
    alone = accepted_request(double, name, kept.eye.prepare(talk([[kept.wide]]), route=name))
    assert len(alone.pictures) == 1
    turns = [[kept.wide], *([each] for each in kept.small)]
    assembled = kept.eye.prepare(talk(turns), route=name)
    together = accepted_request(double, name, assembled)
    assert len(together.pictures) == 25 - assembled.report.count(PictureOutcome.OMITTED)
    assert double.refused == []


def test_what_was_legal_alone_would_have_been_refused_among_25(kept: Kept, double: ProviderDouble) -> None:
    alone = kept.eye.prepare(talk([[kept.wide]]), route="anthropic-high")
    others = kept.eye.prepare(talk([list(kept.small)]), route="anthropic-high")
    (first,) = body_of(alone.prepared)["messages"]
    (second,) = body_of(others.prepared)["messages"]
    both = {"messages": [{"role": "user", "content": first["content"] + second["content"]}]}
    assert post_to(double, "anthropic", both, model="claude-opus-5")[0] == 400
    assert double.refused[-1].refusal.code == "side_too_large"


@pytest.mark.parametrize("name", [name for name in ALL if route_named(name).max_image_bytes])
@pytest.mark.requirement("AT-12")
def test_a_picture_under_a_cap_in_raw_bytes_and_over_it_as_base64(kept: Kept, name: str) -> None:
    data = noise(400, 300)
    ref = kept.eye.attachments.save_image(data, name="noise.png")
    cap = ref.byte_count * 11 // 10
    counted = "max_base64_bytes" if route_named(name).counted == "base64" else "max_raw_bytes"
    corner = ROUTES[name][0]
    with ProviderDouble(**{corner: {counted: cap}}) as double:
        route = replace(route_named(name), max_image_bytes=cap)
        call = accepted_request(double, name, kept.eye.prepare(talk([[ref]]), route=route))
        is_as_it_was = sent(call) == [Digest.of(kept.eye.attachments.read(ref))]
        assert is_as_it_was == (counted == "max_raw_bytes")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.requirement("AT-12")
def test_awkward_pictures_all_together(kept: Kept, double: ProviderDouble, name: str) -> None:
    refs = [kept.line, kept.square, kept.photo, kept.clear, kept.wide]
    call = accepted_request(double, name, kept.eye.prepare(talk([refs]), route=name))
    looks = [double.looking.at(each.bytes) for each in call.pictures]
    assert len(looks) == 5
    assert looks[0].short_edge >= route_named(name).min_side_px


@pytest.mark.parametrize("name", ALL)
def test_ten_repeats_of_one_picture(kept: Kept, double: ProviderDouble, name: str) -> None:
    assembled = kept.eye.prepare(talk([[kept.small[0]]] * 10), route=name)
    call = accepted_request(double, name, assembled)
    assert len(set(sent(call))) == 1
    assert len(call.pictures) == 10 - assembled.report.count(PictureOutcome.OMITTED)


@pytest.mark.requirement("AT-12")
def test_129_pictures_of_a_mebibyte_under_128_mebibytes(kept: Kept) -> None:
    refs = [kept.eye.attachments.save_image(noise(591, 591, seed=seed), name=f"{seed}.png") for seed in range(3)]
    limits: dict[str, Any] = {"max_request_bytes": 128 << 20, "max_total_raw_bytes": None}
    with ProviderDouble(deepseek=limits) as double:
        route = replace(route_named("deepseek-responses"), max_request_bytes=128 << 20, max_images_bytes=None)
        assembled = kept.eye.prepare(talk([[refs[n % 3]] for n in range(129)]), route=route)
        call = accepted_request(double, "deepseek-responses", assembled)
    assert len(call.pictures) == 129
    assert len(call.body) <= assembled.report.planned_bytes <= 128 << 20


@pytest.mark.requirement("AT-12")
def test_the_same_pictures_within_what_deepseek_really_takes(kept: Kept, double: ProviderDouble) -> None:
    refs = [kept.eye.attachments.save_image(noise(591, 591, seed=seed), name=f"{seed}.png") for seed in range(3)]
    assembled = kept.eye.prepare(talk([[refs[n % 3]] for n in range(60)]), route="deepseek-responses")
    call = accepted_request(double, "deepseek-responses", assembled)
    assert len(call.body) <= 48 << 20
    assert assembled.report.count(PictureOutcome.SCALED) > 0


# Damage, and models that take less


@pytest.mark.parametrize("name", ALL)
@pytest.mark.requirement("AT-16")
def test_corrupt_and_missing_pictures_in_old_turns_do_not_end_a_conversation(
    kept: Kept, double: ProviderDouble, name: str
) -> None:
    turns = [[kept.corrupt], [kept.missing], [kept.small[0]], []]
    call = accepted_request(double, name, kept.eye.prepare(talk(turns), route=name))
    assert len(call.pictures) == 1
    assert call.said.count("not shown") == 2


@pytest.mark.requirement("AT-17")
def test_a_model_that_takes_no_pictures_is_sent_none(kept: Kept, double: ProviderDouble) -> None:
    conversation = [*talk([[kept.wide], []]), *looked_at(kept.photo)]
    assembled = kept.eye.prepare(conversation, route="text-only", world=HostWorld())
    call = accepted(double, "ollama", body_of(assembled.prepared))
    assert call.pictures == ()
    for ref in (kept.wide, kept.photo):
        assert f"`{kept.eye.attachments.image_host_path(ref)}`" in call.said


# Tool results


@pytest.mark.parametrize("name", ALL)
@pytest.mark.requirement("AT-14")
def test_pictures_of_parallel_tool_results_nest_or_move_and_stay_paired(
    kept: Kept, double: ProviderDouble, name: str
) -> None:
    conversation = [*talk([[kept.small[0]]]), *parallel(kept.wide, kept.square), *talk([[]])]
    assembled = kept.eye.prepare(conversation, route=name)
    call = accepted_request(double, name, assembled)
    nests = route_named(name).result_pictures is ResultPictures.NESTED
    assert [each.in_result for each in call.pictures] == [False, nests, nests]
    assert sent(call) == [Digest.of(each.image.bytes) for each in pictures_of(assembled)]
    for record in assembled.report.pictures[1:]:
        mentions = [text for _, text in call.texts if record.pairing_id is not None and record.pairing_id in text]
        assert len(mentions) == (0 if nests else 2)


# Switches


def test_a_switch_of_model_in_mid_conversation_and_back(kept: Kept, double: ProviderDouble) -> None:
    conversation = [*talk([[kept.wide], [kept.square], list(kept.small[:22])]), *parallel(kept.photo, kept.clear)]
    first = kept.eye.prepare(conversation, route="anthropic-high")
    record = first.record
    for name in ALL:
        switched = kept.eye.prepare(conversation, route=name, record=record)
        accepted_request(double, name, switched)
        record = switched.record
    back = kept.eye.prepare(conversation, route="anthropic-high", record=record)
    assert json_of(body_of(back.prepared)) == json_of(body_of(first.prepared))
    accepted_request(double, "anthropic-high", back)
    assert double.refused == []


@pytest.mark.parametrize("name", ALL)
@pytest.mark.requirement("AT-15")
def test_a_switch_of_world_leaves_every_picture_as_it_was(kept: Kept, double: ProviderDouble, name: str) -> None:
    conversation = [*talk([[kept.wide], [kept.photo]]), *looked_at(kept.square), *talk([[]])]
    home = str(kept.eye.home)
    worlds = [HostWorld(), MappedWorld([(home, "/eye")]), NoWorld(), HostWorld()]
    calls = [accepted_request(double, name, kept.eye.prepare(conversation, route=name, world=each)) for each in worlds]
    host, mapped, none, back = calls
    assert sent(host) == sent(mapped) == sent(none)
    assert back.body == host.body
    assert mapped.said == host.said.replace(home, "/eye")
    assert home not in none.said
    assert len({tuple(each.place for each in call.pictures) for call in calls}) == 1


@pytest.mark.parametrize("name", ["anthropic-high", "openai-chat-tiles", "gemini-3", "deepseek-responses"])
@pytest.mark.requirement("AT-15")
def test_a_home_that_was_moved(tmp_path: Path, double: ProviderDouble, name: str) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with Eyeline(old) as eye:
        ref = eye.attachments.save_image(make_screenshot(3000, 1700), name="screen.png")
        conversation = talk([[ref], []])
        before = accepted_request(double, name, eye.prepare(conversation, route=name, world=HostWorld()))
    shutil.move(old, new)
    with Eyeline(new) as eye:
        after = accepted_request(double, name, eye.prepare(conversation, route=name, world=HostWorld()))
    assert after.body == before.body.replace(str(old).encode(), str(new).encode())
    assert str(new) in after.said


@pytest.mark.parametrize("name", ALL)
@pytest.mark.requirement("AT-10")
def test_two_names_for_the_same_bytes(kept: Kept, double: ProviderDouble, name: str) -> None:
    data = make_screenshot(1500, 1000)
    refs = [kept.eye.attachments.save_image(data, name=each) for each in ("May.png", "June.png")]
    call = accepted_request(double, name, kept.eye.prepare(talk([refs]), route=name))
    assert len(set(sent(call))) == 1
    assert '"May.png"' in call.said
    assert '"June.png"' in call.said


# A whole way: references, a world, offloading, and uploads at DeepSeek


@dataclass(frozen=True)
class Way:
    """What arrived at DeepSeek, and the paths that the agent's tools know."""

    call: Call
    paths: dict[str, str]


@pytest.fixture(scope="module", name="way")
def a_whole_way(kept: Kept, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    """Two old pictures are left out, one of them in a tool result; two go by the ids of their uploads."""
    old, old_found, new, new_found = kept.small[:4]
    conversation = [
        *talk([[old]]),
        *looked_at(old_found, call_id="call_old"),
        Message("assistant", (TextBlock("seen"),)),
        *talk([[kept.small[4 + n]] for n in range(10)]),
        *looked_at(new_found, call_id="call_new"),
        *talk([[new]]),
    ]
    route = replace(route_named("deepseek-responses"), max_images=10)
    assembled = kept.eye.prepare(conversation, route=route, world=MappedWorld([(str(kept.eye.home), "/eye")]))
    with ProviderDouble() as double:
        api = files_of("deepseek", key=KEY, base_url=double.base_url("deepseek") + "/v1")
        remote = RemotePictures(api, FolderIndex(tmp_path_factory.mktemp("remote")))
        call, placed = remote.deliver(assembled.prepared, lambda body: accepted(double, "deepseek-responses", body))
        assert placed.inline is None
        named = {"old": old, "old_found": old_found, "new": new, "new_found": new_found}
        paths = {
            name: str(kept.eye.attachments.image_host_path(ref)).replace(str(kept.eye.home), "/eye")
            for name, ref in named.items()
        }
        yield Way(call, paths)


def texts_at(call: Call, kind: str) -> list[tuple[str, tuple[str | int, ...]]]:
    """Texts with their places, those of tool results or all others."""
    return [(text, place) for place, text in call.texts if (place[2] == "output") == (kind == "nested")]


@pytest.mark.parametrize(("name", "kind"), [("new", "top"), ("new_found", "nested")])
@pytest.mark.requirement("AT-08", "AT-13")
def test_the_exact_path_stands_right_before_a_picture_that_went_by_its_upload(way: Way, name: str, kind: str) -> None:
    ((_, place),) = [(text, at) for text, at in texts_at(way.call, kind) if f"`{way.paths[name]}`" in text]
    *before, number, _ = place
    assert isinstance(number, int)
    (picture,) = [each for each in way.call.pictures if each.place == (*before, number + 1)]
    assert picture.file_id is not None
    assert picture.file_id.startswith("file-api-")
    assert picture.in_result == (kind == "nested")


@pytest.mark.parametrize(("name", "kind"), [("old", "top"), ("old_found", "nested")])
@pytest.mark.requirement("AT-08", "AT-11")
def test_the_exact_path_stands_in_the_placeholder_of_a_picture_that_was_left_out(
    way: Way, name: str, kind: str
) -> None:
    ((text, place),) = [(text, at) for text, at in texts_at(way.call, kind) if f"`{way.paths[name]}`" in text]
    assert "left out" in text
    *before, number, _ = place
    assert isinstance(number, int)
    assert [each for each in way.call.pictures if each.place == (*before, number + 1)] == []


def test_no_bytes_of_pictures_are_in_a_request_that_names_uploads(way: Way) -> None:
    assert all(each.file_id is not None for each in way.call.pictures)
    assert b"base64" not in way.call.body
    assert len(way.call.body) < 20_000
