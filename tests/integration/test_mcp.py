"""An agent host meets the server: the SDK's own client over standard input and output, in both eras of the protocol."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ImageContent, ResourceLink, TextContent
from tests.support.mcp_home import Sources, filled_home
from tests.support.mcp_wire import connected

from eyeline.app.eyeline import Eyeline
from eyeline.model.digest import Digest
from eyeline.wire import to_plain

Talk = Callable[[Client], Awaitable[None]]
Meet = Callable[[Talk], None]
PUMP = "88-1742"
BOUND_S = 60


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    return filled_home(tmp_path_factory.mktemp("mcp"))


@pytest.fixture(scope="module", params=["legacy", "2026-07-28"])
def meet(request: pytest.FixtureRequest, sources: Sources) -> Generator[Meet]:
    """One conversation after another with the same server; each bounded."""

    async def bounded(talk: Talk) -> None:
        with anyio.fail_after(BOUND_S):
            await talk(client)

    with start_blocking_portal() as portal:
        connection = connected(sources.home, mode=str(request.param))
        with portal.wrap_async_context_manager(connection) as client:
            yield lambda talk: portal.call(bounded, talk)


def said(block: object) -> str:
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.requirement("SA-13", "SA-16")
def test_an_agent_finds_a_page_opens_it_and_reads_the_delivered_rendition_again(meet: Meet, sources: Sources) -> None:
    async def talk(client: Client) -> None:
        found = json.loads(said((await client.call_tool("find", {"query": "pump serial"})).content[0]))
        (passage,) = found["passages"]
        assert passage["source"]["version_id"] == sources.pdf
        assert passage["locator"].startswith("page=2")

        opened = await client.call_tool("source_open", {"version_id": sources.pdf, "locator": "page=2"})
        envelope = json.loads(said(opened.content[0]))
        assert (envelope["grain"], envelope["locator"]) == ("evidence", "page=2")
        blocks = [block for block in opened.content[1:] if not isinstance(block, ResourceLink)]
        manifest = envelope["content_manifest"]
        assert len(blocks) == 2 * len(manifest)
        for place, (entry, label, block) in enumerate(zip(manifest, blocks[::2], blocks[1::2], strict=True), start=1):
            assert said(label).startswith(f"part {place} of {len(manifest)}: {entry['role']}, page=2")
            assert "\n" not in said(label)
            data = base64.b64decode(block.data) if isinstance(block, ImageContent) else said(block).encode()
            assert (str(Digest.of(data)), len(data)) == (entry["digest"], entry["byte_count"])
            assert entry["trust"] == "untrusted"
        assert [entry["role"] for entry in manifest] == ["page", "source_text"]
        assert PUMP in said(blocks[-1])

        (link,) = (block for block in opened.content if isinstance(block, ResourceLink))
        (again,) = (await client.read_resource(link.uri)).contents
        picture = blocks[1]
        assert isinstance(picture, ImageContent)
        assert (again.mime_type, getattr(again, "blob", None)) == (picture.mime_type, picture.data)

    meet(talk)


@pytest.mark.requirement("SA-11", "VF-11")
def test_tools_are_listed_in_order_with_closed_inputs_and_without_output_schemas(meet: Meet) -> None:
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["find", "read", "source_open"]
        for tool in tools:
            assert tool.output_schema is None
            assert tool.input_schema["additionalProperties"] is False
            assert all("description" in field for field in tool.input_schema["properties"].values())
            assert tool.annotations is not None
            assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
            assert tool.description is not None
            assert len(tool.description.encode()) < 2048
            assert "untrusted" in tool.description
            assert "deliver" in tool.description
            assert not re.search(r"\b(seen|sees|perceive\w*|shown)\b", tool.description)
        inputs = tools[2].input_schema
        assert list(inputs["properties"]) == ["version_id", "representation_id", "locator", "accept"]
        assert inputs["required"] == ["version_id"]

    meet(talk)


@pytest.mark.requirement("SA-15")
def test_the_served_set_and_the_limits_of_this_surface_are_a_resource(meet: Meet, sources: Sources) -> None:
    async def talk(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [resource.uri for resource in listed] == ["eyeline://limits"]
        (contents,) = (await client.read_resource("eyeline://limits")).contents
        with Eyeline(sources.home) as eye:
            assert json.loads(getattr(contents, "text", "")) == to_plain(eye.limits(answer=eye.settings.mcp_answer))
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template.startswith("eyeline://rendition/{version_id}/")

    meet(talk)


def test_what_is_no_resource_and_no_tool_is_an_error_of_the_protocol(meet: Meet, sources: Sources) -> None:
    async def code_of(asked: Awaitable[Any]) -> tuple[int, str]:
        with pytest.raises(MCPError) as caught:
            await asked
        return caught.value.code, caught.value.data["code"]

    async def talk(client: Client) -> None:
        changed = f"eyeline://rendition/{sources.picture}/{Digest.of(b'other bytes').hex}"
        gone = f"eyeline://rendition/ver_{'0' * 32}/{Digest.of(b'other bytes').hex}"
        assert await code_of(client.read_resource("eyeline://nothing")) == (-32602, "invalid_request")
        assert await code_of(client.read_resource(changed)) == (-32602, "not_found")
        assert await code_of(client.read_resource(gone)) == (-32602, "not_found")
        assert await code_of(client.call_tool("fetch", {})) == (-32602, "tool_not_found")

    meet(talk)


def test_progress_comes_to_a_client_that_asks_for_it_and_rises(meet: Meet, sources: Sources) -> None:
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is not None
        assert message
        heard.append(progress)

    async def talk(client: Client) -> None:
        await client.call_tool("source_open", {"version_id": sources.picture}, progress_callback=hear)
        assert heard == [0, 1]

    meet(talk)
