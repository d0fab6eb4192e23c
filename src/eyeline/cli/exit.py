"""What the process ends with: the one table from codes of errors, negatives and boundaries to exit numbers."""

from __future__ import annotations

OK = 0
UNEXPECTED = 1
SOME_FAILED = 3
INTERRUPTED = 130
OUTPUT_CLOSED = 141

MEANINGS: dict[int, str] = {
    OK: "done",
    UNEXPECTED: "something unexpected went wrong",
    2: "the command line cannot be read",
    SOME_FAILED: "some items were refused or failed",
    10: "not found",
    11: "the request cannot be answered as it was made",
    12: "over a limit",
    13: "the media is unsupported, damaged or locked",
    14: "refused",
    15: "not served: nothing acceptable, or not viewable",
    16: "the other side of a URL did not answer as needed",
    20: "what is kept is not what was promised",
    21: "disk or database failed",
    22: "an engine or a model endpoint failed",
    30: "a setting or an installation cannot be used",
    INTERRUPTED: "interrupted",
    OUTPUT_CLOSED: "the reader of the output went away",
}
"""Every exit number with what it means."""

NUMBERS: dict[str, int] = {
    "error": UNEXPECTED,
    "unexpected": UNEXPECTED,
    "not_found": 10,
    "blob_not_found": 10,
    "attachment_not_found": 10,
    "document_not_found": 10,
    "version_not_found": 10,
    "representation_not_found": 10,
    "tool_not_found": 10,
    "path_refused": 10,
    "invalid_request": 11,
    "invalid_digest": 11,
    "invalid_media_type": 11,
    "invalid_locator": 11,
    "locator_unsupported": 11,
    "locator_out_of_range": 11,
    "representation_mismatch": 11,
    "unknown_input": 11,
    "ambiguous_name": 11,
    "path_taken": 11,
    "invalid_reference": 11,
    "url_refused": 11,
    "limit_exceeded": 12,
    "media_error": 13,
    "unsupported_media": 13,
    "corrupt_media": 13,
    "encrypted_media": 13,
    "media_too_large": 13,
    "access_denied": 14,
    "attachment_refused": 14,
    "attachment_held": 14,
    "address_refused": 14,
    "fetch_failed": 16,
    "unreachable": 16,
    "integrity_error": 20,
    "store_error": 21,
    "engine_failed": 22,
    "lane_failed": 22,
    "config_error": 30,
    "missing_dependency": 30,
    "cancelled": INTERRUPTED,
}
"""Every code of `eyeline.errors`, and `unexpected` for what nobody foresaw."""

ANSWERS: dict[str, int] = {
    "known_empty": OK,
    "unknown_entity": 10,
    "nothing_acceptable": 15,
    "not_viewable": 15,
    "not_configured": 15,
    "over_served_bound": 15,
}
"""Every code of a negative or a boundary: answers that are a no."""


def epilog() -> str:
    """The table as it stands at the end of every help page."""
    rows = "\n".join(f"  {number:>3}  {meaning}" for number, meaning in MEANINGS.items())
    return f"\b\nExit codes:\n{rows}"
