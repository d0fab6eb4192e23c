"""`prepare` over a real home: what is sent, what is scaled, what is left out, and what a model is told of each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.attached import Kept, kept_in
from tests.support.conversations import looked_at, noise, parts_of, pictures_of, spoken, talk, texts_of

from eyeline import Eyeline
from eyeline.errors import InvalidReference
from eyeline.media.sample_pictures import make_picture, make_screenshot
from eyeline.model.assembly import Omission, PictureOutcome
from eyeline.model.message import FileBlock, ImageBlock, Message, TextBlock
from eyeline.model.prepared import PreparedImage, PreparedText
from eyeline.request.assembling import Assembled
from eyeline.request.placing import HostFolder, materialise
from eyeline.request.reading import json_of
from eyeline.request.routes import route_named
from eyeline.request.worlds import HostWorld, MappedWorld, NoWorld
from eyeline.wire import dumps, to_plain

WITH_PICTURES = (
    *("anthropic-high", "anthropic-standard", "anthropic-google-cloud", "openai-responses", "openai-chat-tiles"),
    *("gemini-3", "gemini-2", "deepseek-responses", "bedrock-claude", "bedrock-next-turn", "mistral", "xai", "qwen"),
)
"""Routes that differ in what they take."""

WIDE_AS_SENT_PX = {"openai-chat-tiles": 1708} | dict.fromkeys(
    ("anthropic-high", "openai-responses", "gemini-3", "gemini-2"), 2001
)
"""The width at which a picture of 2001×900 is sent alone; elsewhere 1567, which keeps its form within 1568×705."""
HUGE: dict[str, Any] = {"byte_count": 2**63, "width_px": 10**400}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    with kept_in(tmp_path_factory.mktemp("home")) as kept:
        yield kept


def home_of(kept: Kept) -> str:
    return str(kept.eye.home)


# What is sent


@pytest.mark.requirement("AT-12")
@pytest.mark.parametrize("name", WITH_PICTURES)
def test_a_picture_of_2001_pixels_is_legal_alone_and_among_25(kept: Kept, name: str) -> None:
    route = replace(route_named(name), max_images=None)
    alone = kept.eye.prepare(talk([[kept.wide]]), route=route)
    together = kept.eye.prepare(talk([[kept.wide], *([each] for each in kept.small)]), route=route)
    (before,), (now, *others) = pictures_of(alone), pictures_of(together)
    assert len(others) == 24
    assert before.image.size.width_px == WIDE_AS_SENT_PX.get(name, 1567)
    if route.many_from is not None and route.many_side_px is not None:
        assert now.image.size.long_edge <= route.many_side_px
    for each in others:
        assert each.image.size.width_px == each.ref.width_px
    if name == "anthropic-high":
        assert (before.image.size.width_px, now.image.size.width_px) == (2001, 2000)


@pytest.mark.requirement("AT-12")
def test_a_picture_under_a_cap_in_raw_bytes_and_over_it_as_base64_is_made_smaller_where_base64_counts(
    kept: Kept,
) -> None:
    ref = kept.eye.attachments.save_image(noise(1200, 1000), name="noise.png")
    cap = ref.byte_count + 100
    route = replace(route_named("anthropic-high"), max_image_bytes=cap)
    (raw,) = pictures_of(kept.eye.prepare(talk([[ref]]), route=replace(route, counted="raw")))
    (text,) = pictures_of(kept.eye.prepare(talk([[ref]]), route=replace(route, counted="base64")))
    assert raw.image.bytes == kept.eye.attachments.read(ref)
    assert -(-len(text.image.bytes) // 3) * 4 <= cap < -(-len(raw.image.bytes) // 3) * 4


@pytest.mark.requirement("AT-12")
@pytest.mark.parametrize("name", WITH_PICTURES)
def test_a_line_that_scaling_makes_thinner_than_the_minimum_side_is_padded_and_said(kept: Kept, name: str) -> None:
    route = route_named(name)
    assembled = kept.eye.prepare(talk([[kept.line]]), route=route)
    (picture,) = pictures_of(assembled)
    assert min(picture.image.size.width_px, picture.image.size.height_px) >= route.min_side_px
    text = texts_of(assembled)[1]
    assert f"shown below at {picture.image.size.width_px}×{picture.image.size.height_px} px, of which" in text


@pytest.mark.requirement("AT-12")
@pytest.mark.parametrize("name", WITH_PICTURES)
def test_every_picture_keeps_every_published_bound_of_its_route(kept: Kept, name: str) -> None:
    route = route_named(name)
    refs = [kept.wide, kept.screen, kept.line, kept.photo, kept.small[0]]
    assembled = kept.eye.prepare(talk([refs]), route=route)
    for each in pictures_of(assembled):
        size, sent = each.image.size, len(each.image.bytes)
        assert each.image.media_type in route.media_types
        assert size.long_edge <= min(route.edge_px, route.max_side_px or size.long_edge)
        counted = sent if route.counted == "raw" else -(-sent // 3) * 4
        assert counted <= (route.max_image_bytes or counted)
    assert len(pictures_of(assembled)) == len(refs)


@pytest.mark.requirement("AT-12")
def test_129_pictures_of_a_mebibyte_fit_under_128_mebibytes(kept: Kept) -> None:
    refs = [kept.eye.attachments.save_image(noise(591, 591, seed=seed), name=f"{seed}.png") for seed in range(3)]
    assert all((1 << 20) - 5000 < ref.byte_count < (1 << 20) + 10_000 for ref in refs)
    route = replace(route_named("deepseek-responses"), max_request_bytes=128 << 20, max_images_bytes=None)
    assembled = kept.eye.prepare(talk([[refs[n % 3]] for n in range(129)]), route=route)
    sent = sum(-(-len(each.image.bytes) // 3) * 4 for each in pictures_of(assembled))
    assert sent <= assembled.report.planned_bytes <= 128 << 20
    # Smaller before left out: here it is enough to encode some of the oldest anew.
    assert assembled.report.count(PictureOutcome.OMITTED) == 0
    assert 0 < assembled.report.count(PictureOutcome.SCALED) < 129


@pytest.mark.requirement("AT-10")
def test_two_names_for_the_same_bytes_share_a_variant_and_keep_their_names(kept: Kept) -> None:
    data = make_screenshot(3000, 1700)
    one, two = (kept.eye.attachments.save_image(data, name=name) for name in ("May.png", "June.png"))
    assembled = kept.eye.prepare(talk([[one, two]]), route="anthropic-standard")
    first, second = pictures_of(assembled)
    assert first.image.variant_id == second.image.variant_id
    assert first.image.bytes is second.image.bytes
    (_, may, june) = texts_of(assembled)
    assert may.startswith('[Picture "May.png"')
    assert june.startswith('[Picture "June.png"')
    assert "stored object" in june


@pytest.mark.requirement("AT-09")
def test_ten_repeats_of_a_picture_are_ten_pictures_with_texts_that_stand_by_themselves(kept: Kept) -> None:
    path = kept.eye.attachments.image_host_path(kept.screen)
    assembled = kept.eye.prepare(talk([[kept.screen]] * 10), route="anthropic-high", world=HostWorld())
    assert len({id(each.image) for each in pictures_of(assembled)}) == 1
    assert len(pictures_of(assembled)) == 10
    first, *repeats = (text for text in texts_of(assembled) if text.startswith("[Picture"))
    assert len(set(repeats)) == 1
    for text in (first, *repeats):
        assert '"screen.png"' in text
        assert "1600×900 px" in text
        assert f"`{path}`" in text


def test_a_descriptor_stands_right_before_each_picture(kept: Kept) -> None:
    conversation = [*talk([[kept.wide, kept.screen]]), *looked_at(kept.line)]
    parts = list(parts_of(kept.eye.prepare(conversation, route="anthropic-high")))
    for before, part in pairwise(parts):
        if isinstance(part, PreparedImage):
            assert isinstance(before, PreparedText)
            assert before.text.startswith(f'[Picture "{part.ref.name}", shown below at ')


# Damage


@pytest.mark.requirement("AT-16")
@pytest.mark.parametrize("name", WITH_PICTURES)
def test_one_corrupt_one_missing_and_one_good_picture_in_old_turns_leave_a_conversation_that_goes_on(
    kept: Kept, name: str
) -> None:
    turns = [[kept.corrupt], [kept.missing], [kept.screen], []]
    assembled = kept.eye.prepare(talk(turns), route=name, world=HostWorld())
    assert [each.ref.name for each in pictures_of(assembled)] == ["screen.png"]
    assert [each.omission for each in assembled.report.pictures] == [Omission.DAMAGED, Omission.MISSING, None]
    corrupt, missing = (text for text in texts_of(assembled) if "not shown" in text)
    assert '"0.png"' in corrupt
    assert "damaged" in corrupt
    assert '"1.png"' in missing
    assert "is missing" in missing
    assert home_of(kept) not in corrupt + missing


@pytest.mark.requirement("AT-16")
@pytest.mark.parametrize("change", [{"attachment_id": "sha256:0"}, {"width_px": 0}, {"media_type": "text/html"}, HUGE])
def test_a_malformed_reference_fails_with_its_own_code_before_anything_is_made(
    kept: Kept, change: dict[str, Any]
) -> None:
    plain = [to_plain(message) for message in talk([[kept.screen], []])]
    plain[0]["blocks"][1]["ref"].update(change)
    with pytest.raises(InvalidReference) as refused:
        kept.eye.prepare(json.dumps(plain), route="anthropic-high")
    assert refused.value.code == "invalid_reference"
    assert not refused.value.retryable


# Offloading


@pytest.mark.requirement("AT-11")
def test_what_is_left_out_is_neither_read_nor_made_and_keeps_its_name_and_its_path(kept: Kept) -> None:
    gone, route = kept.missing, replace(route_named("anthropic-high"), max_images=4)
    turns = [[gone], *([each] for each in kept.small[:20]), []]
    assembled = kept.eye.prepare(talk(turns), route=route, world=HostWorld())
    # Missing, and still told as left out: nobody looked.
    assert assembled.report.pictures[0].omission is Omission.OFFLOADED
    (first, *_) = (text for text in texts_of(assembled) if "left out" in text)
    assert f"`{kept.eye.attachments.image_host_path(gone)}`" in first
    assert "was not checked" in first
    assert len(pictures_of(assembled)) <= 4


@pytest.mark.requirement("AT-11")
def test_pinned_pictures_and_the_newest_turn_are_never_left_out(kept: Kept) -> None:
    route = replace(route_named("anthropic-high"), max_images=3)
    turns = [[each] for each in kept.small[:20]]
    assembled = kept.eye.prepare(talk(turns, pinned=frozenset({0, 7})), route=route)
    assert [each.ref for each in pictures_of(assembled)] == [kept.small[0], kept.small[7], kept.small[19]]


@pytest.mark.requirement("AT-11")
def test_the_record_is_portable_holds_no_path_and_replays(kept: Kept) -> None:
    route = replace(route_named("anthropic-high"), max_images=10)
    turns = [[each] for each in kept.small]
    first = kept.eye.prepare(talk(turns), route=route, world=HostWorld())
    assert home_of(kept) not in dumps(first.record) + dumps(first.report)
    again = kept.eye.prepare(talk(turns), route=route, world=HostWorld(), record=first.record)
    assert spoken(again) == spoken(first)
    assert (again.record, again.report.new_steps) == (first.record, ())
    wider = kept.eye.prepare(talk(turns), route=replace(route, max_images=100), record=first.record)
    assert len(pictures_of(wider)) == len(pictures_of(first))


def test_a_switch_of_model_and_back_leaves_the_first_request_as_it_was(kept: Kept) -> None:
    high, bedrock = route_named("anthropic-high"), route_named("bedrock-claude")
    turns = [[each] for each in (kept.wide, *kept.small[:23])]
    first = kept.eye.prepare(talk(turns), route=high)
    switched = kept.eye.prepare(talk(turns), route=bedrock, record=first.record)
    back = kept.eye.prepare(talk(turns), route=high, record=switched.record)
    assert len(pictures_of(switched)) <= 20
    assert spoken(back) == spoken(first)
    assert back.record.steps_for("bedrock-claude") == switched.record.steps_for("bedrock-claude") != ()


# Worlds


def stripped(assembled: Assembled, *paths: str) -> list[str]:
    """A request without the sentences that depend on the world."""
    said = spoken(assembled)
    for path in paths:
        said = [text.replace(path, "PATH") for text in said]
    return said


@pytest.mark.requirement("AT-15", "AT-08")
def test_a_switch_of_world_changes_texts_and_nothing_else(kept: Kept) -> None:
    conversation = [*talk([[kept.wide, kept.screen], []]), *looked_at(kept.line)]
    worlds = [HostWorld(), MappedWorld([(home_of(kept), "/eye")]), NoWorld(), HostWorld()]
    host, mapped, none, back = (kept.eye.prepare(conversation, route="anthropic-high", world=each) for each in worlds)
    for each in (mapped, none):
        assert [part.image for part in pictures_of(each)] == [part.image for part in pictures_of(host)]
        assert each.record == host.record
    assert spoken(back) == spoken(host)
    assert stripped(mapped, "/eye") == stripped(host, home_of(kept))
    assert home_of(kept) not in "".join(spoken(none) + spoken(mapped))
    assert "do not search for one" in "".join(spoken(none))
    assert home_of(kept) not in dumps(host.report) + dumps(host.record)


@pytest.mark.requirement("AT-15")
def test_a_home_that_was_moved_gives_its_new_paths_and_the_same_pictures(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "elsewhere" / "new"
    with Eyeline(old) as eye:
        ref = eye.attachments.save_image(make_screenshot(3000, 1700), name="screen.png")
        conversation = json_of(talk([[ref], []]))
        before = eye.prepare(conversation, route="anthropic-standard", world=HostWorld())
    new.parent.mkdir()
    shutil.move(old, new)
    with Eyeline(new) as eye:
        after = eye.prepare(conversation, route="anthropic-standard", world=HostWorld(), record=before.record)
    assert [each.image for each in pictures_of(after)] == [each.image for each in pictures_of(before)]
    assert stripped(after, str(new)) == stripped(before, str(old))
    assert str(old) not in "".join(spoken(after))


@pytest.mark.requirement("AT-08")
def test_only_normalised_objects_of_this_request_get_a_path_and_never_the_upload(kept: Kept) -> None:
    turned = make_picture("image/jpeg", width=900, height=600, orientation=6, gps=True)
    ref = kept.eye.attachments.save_image(turned, name="turned.jpg")
    assert ref.original.digest != ref.attachment_id
    text = "".join(spoken(kept.eye.prepare(talk([[ref]]), route="anthropic-high", world=HostWorld())))
    assert ref.attachment_id.hex in text
    assert ref.original.digest.hex not in text


def test_an_attached_file_is_told_with_the_path_that_ends_in_its_name(kept: Kept) -> None:
    ref = kept.eye.attachments.save_file(b"a,b\n1,2\n", name="bill May.csv")
    message = Message("user", (TextBlock("sum it"), FileBlock(ref)))
    assembled = kept.eye.prepare([message], route="openai-chat", world=MappedWorld([(home_of(kept), "/eye")]))
    assert "bill May.csv`, read-only" in texts_of(assembled)[1]
    assert assembled.report.files == 1


@pytest.mark.requirement("AT-08")
def test_copies_in_a_world_without_the_store_are_made_when_asked_for_and_told_of(kept: Kept, tmp_path: Path) -> None:
    folder = HostFolder(tmp_path / "shared", seen_as="/agent/media")
    placed = materialise([kept.screen], store=kept.eye.attachments, folder=folder)
    assembled = kept.eye.prepare(
        talk([[kept.screen, kept.wide]]), route="anthropic-high", world=NoWorld(), placed=placed
    )
    _, screen, wide = texts_of(assembled)
    name = f"{kept.screen.attachment_id.hex}.png"
    assert f"`/agent/media/{name}`" in screen
    assert "No file of it exists" in wide
    copy = tmp_path / "shared" / name
    assert copy.read_bytes() == kept.eye.attachments.read(kept.screen)
    assert copy.stat().st_mode & 0o222 == 0
    assert materialise([kept.screen], store=kept.eye.attachments, folder=folder) == placed


@pytest.mark.requirement("AT-06")
def test_a_host_path_follows_from_home_and_reference_whether_or_not_anything_is_there(kept: Kept) -> None:
    for ref in (kept.screen, kept.missing):
        path = Path(kept.eye.attachments.image_host_path(ref) or "")
        assert path == kept.eye.home / "attachments/v1" / ref.attachment_id.hex[:2] / f"{ref.attachment_id.hex}.png"
        assert path.is_absolute()
    assert Path(kept.eye.attachments.image_host_path(kept.screen) or "").is_file()
    assert not Path(kept.eye.attachments.image_host_path(kept.missing) or "").exists()


# Models that take less


@pytest.mark.requirement("AT-17")
def test_a_model_that_takes_no_pictures_gets_placeholders_with_paths(kept: Kept) -> None:
    conversation = [*talk([[kept.wide], []]), *looked_at(kept.screen)]
    assembled = kept.eye.prepare(conversation, route="text-only", world=HostWorld())
    assert pictures_of(assembled) == []
    assert {each.omission for each in assembled.report.pictures} == {Omission.NO_PICTURES}
    wide, screen = (text for text in texts_of(assembled) if "takes no pictures" in text)
    assert f"`{kept.eye.attachments.image_host_path(kept.wide)}`" in wide
    assert f"`{kept.eye.attachments.image_host_path(kept.screen)}`" in screen
    assert assembled.record.routes == ()


def test_a_picture_in_a_message_of_the_assistant_is_told_and_not_sent(kept: Kept) -> None:
    conversation = [*talk([[]]), Message("assistant", (ImageBlock(kept.screen),)), *talk([[]])]
    assembled = kept.eye.prepare(conversation, route="anthropic-high")
    assert [each.omission for each in assembled.report.pictures] == [Omission.NOT_IN_THIS_ROLE]


@pytest.mark.requirement("AT-14")
@pytest.mark.parametrize("name", WITH_PICTURES)
def test_a_picture_of_a_tool_result_that_cannot_be_nested_is_paired_with_it_by_an_id(kept: Kept, name: str) -> None:
    route = route_named(name)
    conversation = [*talk([[]]), *looked_at(kept.screen), *looked_at(kept.screen, call_id="call_2")]
    assembled = kept.eye.prepare(conversation, route=route)
    again = kept.eye.prepare([*conversation, *talk([[kept.wide]])], route=route)
    pairs = [each.rehoming for each in pictures_of(assembled)]
    if route.result_pictures.value == "nested":
        assert pairs == [None, None]
        return
    ids = [each.pairing_id for each in assembled.report.pictures]
    assert len(set(ids)) == 2
    for pair, pairing_id, call_id in zip(pairs, ids, ("call_1", "call_2"), strict=True):
        assert pair is not None
        assert pair.pairing_id == pairing_id
        assert pair.pairing_id in pair.pointer
        assert pair.pairing_id in pair.caption
        assert call_id in pair.caption
    assert [each.rehoming for each in pictures_of(again)][:2] == pairs


# The account


@pytest.mark.requirement("AT-20")
def test_the_report_counts_pictures_by_formula_and_all_text(kept: Kept) -> None:
    assembled = kept.eye.prepare(talk([[kept.screen]]), route="anthropic-standard")
    (picture,) = assembled.report.pictures
    assert picture.image_tokens == 1560
    assert picture.text_tokens > 50
    assert assembled.report.text_tokens >= picture.text_tokens + 1
    assert assembled.report.estimated_tokens == assembled.report.text_tokens + 1560
    unknown = kept.eye.prepare(talk([[kept.screen]]), route="mistral").report
    assert (unknown.image_tokens, unknown.estimated_tokens) == (None, None)


def test_the_same_conversation_home_and_world_give_the_same_request(kept: Kept) -> None:
    conversation = json_of([*talk([[kept.wide, kept.line], [kept.screen]]), *looked_at(kept.screen)])
    first, second = (kept.eye.prepare(conversation, route="gemini-2", world=HostWorld()) for _ in range(2))
    assert first == second
