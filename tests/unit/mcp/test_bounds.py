"""The parts of the answer limit add up, also for the longest message that could be made."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from mcp_types import CallToolResult, JSONRPCResponse

from eyeline.errors import ConfigError
from eyeline.mcp.bounds import OUTLINE_CHARS, checked
from eyeline.mcp.renditions import links
from eyeline.model.digest import Digest
from eyeline.model.envelope import Envelope, Freshness, Grain, Opened, Readiness, SourceHandle, Truncation
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, MARKDOWN, MCP_ANSWER, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role, Scale, Transform
from eyeline.model.media_type import Family
from eyeline.presenters.mcp import answer_blocks

WHERE = Locator.parse("page=123456&xywh=percent:10.125,20.25,40.125,15.375")
INPUTS = {"version_id": "ver_" + "0" * 32, "locator": str(WHERE), "accept": ["image/jpeg"] * 32}
STEPS = ("decode", "orient", "crop", "scale", "colour", "depth", "flatten", "pad", "strip", "encode")


def part(data: bytes, kind: ContentKind) -> Part:
    size = Size(123456, 123456)
    transforms = tuple(Transform(step, "some engine 1.2.3", {"from": '"' * 40, "to": '"' * 40}) for step in STEPS)
    entry = ManifestEntry(
        role=Role.SOURCE_TEXT,
        content_kind=kind,
        media_type=JPEG if kind is ContentKind.PICTURE else MARKDOWN,
        byte_count=len(data),
        digest=Digest.of(data),
        origin=Origin.AGENT_RENDITION,
        locator=WHERE,
        transforms=transforms if kind is ContentKind.PICTURE else transforms[:2],
        scale=Scale(size, size, 1 / 3, 1 / 3, 1 / 3, 1 / 3),
    )
    return Part(data, entry)


def longest(character: str) -> Opened:
    """Two pictures and texts as large as the limit allows, in as many parts as are served, each with a long account."""
    pictures = [part(os.urandom(MCP_ANSWER.max_media_bytes // 2), ContentKind.PICTURE) for _ in range(2)]
    count = ServedSet().max_parts - len(pictures)
    chars = MCP_ANSWER.max_text_chars + OUTLINE_CHARS
    texts = [part((character * (chars // count)).encode(), ContentKind.TEXT) for _ in range(count)]
    parts = (*pictures, *texts)
    source = SourceHandle(
        doc_id="doc_" + "0" * 32,
        version_id="ver_" + "0" * 32,
        representation_id="rep_" + "0" * 32,
        name='"' * 200,
        collection='"' * 200,
        family=Family.DOCUMENT,
        media_type=JPEG,
        byte_count=1 << 60,
        content=Digest.of(b""),
        readiness=Readiness(
            source_stored=True, agent_view_ready=True, text_retrieval_ready=True, visual_search_ready={"a": "b"}
        ),
        tree_path="d" * 400,
        next_action="n" * 400,
    )
    envelope = Envelope(
        grain=Grain.EVIDENCE,
        source=source,
        locator=WHERE,
        truncation=(Truncation("answer_text_chars", "t" * 200, WHERE),) * 8,
        freshness=Freshness("v" * 40, "v" * 40, is_current=True),
        notes=("no_representation",) * 8,
        content_manifest=tuple(each.entry for each in parts),
    )
    return Opened(envelope, parts)


@pytest.mark.parametrize("character", ["\x01", '"', "\\", "\n", "é", "語", "😀", "a"])
def test_the_longest_message_is_inside_the_whole_limit(character: str) -> None:
    opened = longest(character)
    result = CallToolResult(content=[*answer_blocks(opened), *links(opened, INPUTS)])
    plain = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    line = JSONRPCResponse(jsonrpc="2.0", id=1 << 60, result=plain).model_dump_json(by_alias=True)
    assert len(line.encode()) <= MCP_ANSWER.max_bytes


def test_the_limit_that_is_set_from_the_start_adds_up() -> None:
    assert checked(MCP_ANSWER) is MCP_ANSWER


@pytest.mark.parametrize("change", [{"max_media_bytes": 700_000}, {"max_text_chars": 60_000}, {"max_bytes": 900_000}])
def test_a_limit_that_does_not_add_up_is_refused_by_the_name_of_the_setting(change: dict[str, int]) -> None:
    with pytest.raises(ConfigError) as caught:
        checked(replace(MCP_ANSWER, **change))
    assert caught.value.hint is not None
    assert "mcp_answer" in caught.value.hint
