"""Resources over MCP: the limits as data, and delivered renditions, re-made and handed on only if still the same."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from eyeline.errors import NotFound
from eyeline.mcp.calls import Calls
from eyeline.mcp.errors import as_protocol_error
from eyeline.mcp.renditions import TEMPLATE, RenditionAddress
from eyeline.tools.source_open import NAME as SOURCE_OPEN
from eyeline.wire import dumps

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import (
        ListResourcesResult,
        ListResourceTemplatesResult,
        PaginatedRequestParams,
        ReadResourceRequestParams,
        ReadResourceResult,
    )

    from eyeline.app.eyeline import Eyeline

LIMITS = "eyeline://limits"


class Resources:
    """Answers `resources/list`, `resources/templates/list` and `resources/read`."""

    def __init__(self, eye: Eyeline, calls: Calls) -> None:
        self._eye = eye
        self._calls = calls

    async def list_resources(
        self, _request: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """The one resource that has a name of its own."""
        from mcp_types import ListResourcesResult, Resource

        limits = Resource(
            name="limits",
            title="Served set and limits",
            uri=LIMITS,
            description="Which media types are delivered, every bound in force, and what isolates the decoders.",
            mime_type="application/json",
        )
        return ListResourcesResult(resources=[limits])

    async def list_templates(
        self, _request: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """The addresses that links in answers have."""
        from mcp_types import ListResourceTemplatesResult, ResourceTemplate

        rendition = ResourceTemplate(
            name="rendition",
            title="Delivered rendition",
            uri_template=TEMPLATE,
            description="A picture as source_open delivered it. Reading it is an open, recorded like any other.",
        )
        return ListResourceTemplatesResult(resource_templates=[rendition])

    async def read(
        self, request: ServerRequestContext[Any, Any], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """One resource. Raises `InvalidRequest` for what is no address here, `NotFound` for what is gone or changed."""
        if params.uri == LIMITS:
            return await self._limits()
        return await self._rendition(request, params.uri)

    async def _limits(self) -> ReadResourceResult:
        from anyio import to_thread
        from mcp_types import ReadResourceResult, TextResourceContents

        answer = self._eye.settings.mcp_answer
        limits = await to_thread.run_sync(lambda: self._eye.limits(answer=answer))
        text = dumps(limits, indent=2)
        return ReadResourceResult(contents=[TextResourceContents(uri=LIMITS, mime_type="application/json", text=text)])

    async def _rendition(self, request: ServerRequestContext[Any, Any], uri: str) -> ReadResourceResult:
        from mcp_types import BlobResourceContents, ReadResourceResult

        address = RenditionAddress.parse(uri)
        outcome, delivery = await self._calls.run(request, SOURCE_OPEN, arguments=address.inputs)
        if outcome.error is not None:
            raise as_protocol_error(outcome.error)
        part = next((part for part in outcome.result().parts if part.entry.digest == address.digest), None)
        if part is None:
            delivery.broke(NotFound.code)
            raise NotFound("nothing here answers to this address", hint="open the source again with source_open")
        blob = base64.b64encode(part.bytes).decode("ascii")
        contents = BlobResourceContents(uri=uri, mime_type=str(part.entry.media_type), blob=blob)
        return ReadResourceResult(contents=[contents])
