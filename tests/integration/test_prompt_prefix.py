"""A conversation of 300 turns with 150 pictures: how often the request before is not the beginning of the next one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from tests.support.conversations import looked_at, noise, spoken

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_screenshot
from eyeline.model.assembly import Omission, PictureOutcome
from eyeline.model.attachment import ImageRef
from eyeline.model.message import ImageBlock, Message, TextBlock
from eyeline.request.offloading import QUANTUM
from eyeline.request.routes import route_named
from eyeline.request.worlds import HostWorld

TURNS, PICTURES = 300, 150
DISTINCT = 24


@dataclass(frozen=True)
class Album:
    eye: Eyeline
    refs: tuple[ImageRef, ...]


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Album]:
    with Eyeline(tmp_path_factory.mktemp("album") / "home") as eye:
        pictures = [noise(160 + n, 160, seed=n) for n in range(DISTINCT - 4)]
        pictures += [make_screenshot(2100 + 40 * n, 300) for n in range(4)]
        yield Album(eye, tuple(eye.attachments.save_image(each, name=f"{n}.png") for n, each in enumerate(pictures)))


def turn(number: int, refs: tuple[ImageRef, ...]) -> list[Message]:
    """A question and, for every fourth, a tool that looks; every second turn holds a picture."""
    ref = refs[number // 2 % len(refs)]
    if number % 4 == 2:
        return [Message("user", (TextBlock(f"question {number}"),)), *looked_at(ref, call_id=f"call_{number}")]
    picture = (ImageBlock(ref, pinned=number == 100),) if number % 2 == 0 else ()
    return [Message("user", (TextBlock(f"question {number}"), *picture))]


@pytest.mark.requirement("AT-11")
@pytest.mark.parametrize("name", ["anthropic-high", pytest.param("openai-chat", marks=pytest.mark.torture)])
def test_the_beginning_changes_only_when_a_quantum_is_full(
    album: Album, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    route = replace(route_named(name), max_request_bytes=4_000_000, max_images=70)
    messages: list[Message] = []
    record, before, changed, stepped = None, b"", 0, 0
    assembled = album.eye.prepare(messages, route=route)
    for number in range(TURNS):
        messages += turn(number, album.refs)
        assembled = album.eye.prepare(messages, route=route, world=HostWorld(), record=record)
        record, body = assembled.record, assembled.body_json()
        assert len(body) <= assembled.report.planned_bytes
        is_beginning = body.startswith(before.removesuffix(b"]}"))
        assert is_beginning or assembled.report.new_steps, f"turn {number} changed what came before without a step"
        changed += not is_beginning
        stepped += bool(assembled.report.new_steps)
        before = body
        messages.append(Message("assistant", (TextBlock(f"answer {number}"),)))
    report = assembled.report
    assert len(report.pictures) == PICTURES
    assert report.count(PictureOutcome.OMITTED) > 0
    assert {each.omission for each in report.pictures} == {None, Omission.OFFLOADED}
    # Reduced in quarters of a quantum at most, left out in whole ones, and one step for the bound on many pictures.
    assert changed <= stepped <= -(-PICTURES // (QUANTUM // 4)) + -(-PICTURES // QUANTUM) + 1
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {changed} of {TURNS} requests change the bytes before them ({stepped} steps)\n")
    alone = album.eye.prepare(messages[:-1], route=route, world=HostWorld())
    assert spoken(alone) == spoken(assembled)
