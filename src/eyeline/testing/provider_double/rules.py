"""What each provider refuses, as numbers. Written apart from `request/routes.toml`, so that each can catch the other.

Read on 2026-11-30 in the providers' own pages unless a line says otherwise. `None`: no such rule is known.
"""

from __future__ import annotations

from dataclasses import dataclass

MB, MIB = 1_000_000, 1 << 20
JPEG, PNG, GIF, WEBP = "image/jpeg", "image/png", "image/gif", "image/webp"
COMMON = frozenset({JPEG, PNG, GIF, WEBP})


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one provider about pictures and requests. Sides are in pixels."""

    media_types: frozenset[str] = COMMON
    max_request_bytes: int | None = None
    max_images: int | None = None
    max_base64_bytes: int | None = None
    """Characters of one picture's base64 text."""

    max_raw_bytes: int | None = None
    """Bytes of one picture."""

    max_total_raw_bytes: int | None = None
    max_side_px: int | None = None
    min_side_px: int = 1
    many_above: int | None = None
    """In a request with more pictures than this, each side keeps to `many_side_px`."""

    many_side_px: int | None = None
    animated: bool = True
    file_bytes: int = 512 * MB
    """Size of one uploaded file."""

    file_total_bytes: int = 1 << 40
    """Size of all files of one account together."""

    file_seconds: tuple[int, int] | None = None
    """Shortest and longest life that an upload may ask for."""


RULES: dict[str, Rules] = {
    # platform.claude.com/docs/en/build-with-claude/vision, /docs/en/api/errors, /docs/en/build-with-claude/files
    "anthropic": Rules(
        max_request_bytes=32 * MB,
        max_images=600,
        max_base64_bytes=10 * MB,
        max_side_px=8000,
        many_above=20,
        many_side_px=2000,
        file_bytes=500 * MB,
        file_seconds=(3_600, 7_776_000),
    ),
    # developers.openai.com/api/docs/guides/images-vision, /api-reference/files
    "openai": Rules(
        max_request_bytes=512 * MB,
        max_images=1500,
        animated=False,
        file_seconds=(3_600, 2_592_000),
    ),
    # ai.google.dev/gemini-api/docs/file-input-methods; 3,600 pictures from memory
    "gemini": Rules(
        media_types=frozenset({PNG, JPEG, WEBP, "image/heic", "image/heif"}),
        max_request_bytes=100 * MB,
        max_images=3600,
        file_bytes=2_000 * MB,
        file_total_bytes=20_000 * MB,
    ),
    # docs.aws.amazon.com/bedrock: API_runtime_Message, which is stricter than the user guide
    "bedrock": Rules(max_request_bytes=20 * MB, max_images=20, max_raw_bytes=3_750_000, max_side_px=8000),
    # docs.mistral.ai/resources/known-limitations; 8 pictures of 10 MB from memory
    "mistral": Rules(max_images=8, max_raw_bytes=10 * MB),
    # api-docs.deepseek.com/guides/vision, /guides/files_api
    "deepseek": Rules(
        max_request_bytes=48 * MIB,
        max_images=600,
        max_raw_bytes=32 * MIB,
        max_total_raw_bytes=64 * MIB,
        max_side_px=8192,
        many_above=14,
        many_side_px=4096,
        file_bytes=64 * MIB,
        file_seconds=(3_600, 2_592_000),
    ),
    # Ollama's OpenAI-compatible address: pictures as base64 only; what its decoders read
    "ollama": Rules(media_types=frozenset({JPEG, PNG, WEBP})),
    # docs.x.ai: PNG and JPEG of up to 10 MiB
    "xai": Rules(media_types=frozenset({JPEG, PNG}), max_raw_bytes=10 * MIB),
    # alibabacloud.com/help/en/model-studio/vision: 10 MB, sides above 10 px; from memory
    "qwen": Rules(max_raw_bytes=10 * MB, min_side_px=11),
}
