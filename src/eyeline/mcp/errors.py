"""How each error appears over MCP. The one table of this surface; negatives and boundaries are answers and not here.

A tool call that goes wrong is an answer with `isError` and one JSON text `{code, message, retryable, hint?,
incident_id?, detail?}`, which the model reads. Where the protocol has no such answer (an unknown tool, the reading of a
resource) it is a JSON-RPC error with the number of this table and the same JSON as `data`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eyeline.presenters.mcp import text_block

if TYPE_CHECKING:
    from mcp.shared.exceptions import MCPError
    from mcp_types import CallToolResult

    from eyeline.toolkit.outcome import SafeError

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

NUMBERS = {
    "error": INTERNAL_ERROR,
    "unexpected": INTERNAL_ERROR,
    "invalid_request": INVALID_PARAMS,
    "invalid_digest": INVALID_PARAMS,
    "invalid_media_type": INVALID_PARAMS,
    "invalid_locator": INVALID_PARAMS,
    "locator_unsupported": INVALID_PARAMS,
    "locator_out_of_range": INVALID_PARAMS,
    "representation_mismatch": INVALID_PARAMS,
    "ambiguous_name": INVALID_PARAMS,
    "path_taken": INVALID_PARAMS,
    "invalid_reference": INVALID_PARAMS,
    "attachment_refused": INVALID_PARAMS,
    "attachment_held": INVALID_PARAMS,
    "attachment_not_found": INVALID_PARAMS,
    "unknown_input": INVALID_PARAMS,
    "url_refused": INVALID_PARAMS,
    "limit_exceeded": INVALID_PARAMS,
    "not_found": INVALID_PARAMS,
    "blob_not_found": INVALID_PARAMS,
    "document_not_found": INVALID_PARAMS,
    "version_not_found": INVALID_PARAMS,
    "representation_not_found": INVALID_PARAMS,
    "tool_not_found": INVALID_PARAMS,
    "path_refused": INVALID_PARAMS,
    "access_denied": INVALID_PARAMS,
    "address_refused": INVALID_PARAMS,
    "fetch_failed": INTERNAL_ERROR,
    "unreachable": INTERNAL_ERROR,
    "media_error": INTERNAL_ERROR,
    "unsupported_media": INTERNAL_ERROR,
    "corrupt_media": INTERNAL_ERROR,
    "encrypted_media": INTERNAL_ERROR,
    "media_too_large": INTERNAL_ERROR,
    "integrity_error": INTERNAL_ERROR,
    "store_error": INTERNAL_ERROR,
    "engine_failed": INTERNAL_ERROR,
    "lane_failed": INTERNAL_ERROR,
    "missing_dependency": INTERNAL_ERROR,
    "cancelled": INTERNAL_ERROR,
    "config_error": INTERNAL_ERROR,
}
"""Every code of `eyeline.errors`, and `unexpected` for what nobody foresaw, with its JSON-RPC number."""

PROTOCOL_ERRORS = frozenset({"tool_not_found"})
"""What even a tool call answers with a JSON-RPC error, as the protocol asks."""


def as_tool_result(error: SafeError) -> CallToolResult:
    """An error as the answer of a tool call; raises `MCPError` for what the protocol wants raised."""
    from mcp_types import CallToolResult

    if error.code in PROTOCOL_ERRORS:
        raise as_protocol_error(error)
    text = json.dumps(error.to_plain(), ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[text_block(text)], is_error=True)


def as_protocol_error(error: SafeError) -> MCPError:
    """An error as a JSON-RPC error."""
    from mcp.shared.exceptions import MCPError

    return MCPError(NUMBERS[error.code], error.message, error.to_plain())
