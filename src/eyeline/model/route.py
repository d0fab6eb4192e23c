"""Routes as data: what one provider takes of pictures for one family of models, and what a picture costs there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from eyeline.model.media_type import MediaType


class Adapter(StrEnum):
    """The shape of a request body."""

    ANTHROPIC = "anthropic"
    OPENAI_RESPONSES = "openai_responses"
    OPENAI_CHAT = "openai_chat"
    GEMINI = "gemini"
    BEDROCK = "bedrock"
    MISTRAL = "mistral"
    DEEPSEEK = "deepseek"
    COMPATIBLE = "compatible"


class ResultPictures(StrEnum):
    """Where a picture of a tool result goes."""

    NESTED = "nested"
    """Into the tool result itself."""

    BESIDE = "beside"
    """Into the same turn, after the tool result."""

    NEXT_TURN = "next_turn"
    """Into the user turn that follows the tool results."""


class TokenFormula(StrEnum):
    """How a picture's tokens are counted."""

    PADDED_PATCHES = "padded_patches"
    """Patches that begin in the picture, after it was fitted to a longer edge and a number of patches."""

    SHRUNK_PATCHES = "shrunk_patches"
    """Patches after the picture was shrunk to whole patches within a number of them, times a factor."""

    TILES = "tiles"
    """A base and so much for each tile, after the picture was fitted to a square and its shorter side to a length."""

    FIXED = "fixed"
    """The same for each picture."""

    SMALL_OR_TILES = "small_or_tiles"
    """The same for a small picture and for each tile of a larger one."""

    UNKNOWN = "unknown"
    """The provider publishes no formula."""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """What a picture costs; which numbers count depends on the formula."""

    formula: TokenFormula
    unit_px: int = 0
    """Side of a patch or a tile."""

    edge_px: int = 0
    """Longer edge that the provider fits a picture to first, or up to which it is small; 0 for none."""

    short_side_px: int = 0
    """Shorter side that it then fits a picture to; 0 for none."""

    max_units: int = 0
    """Patches that a picture may have; 0 for as many as it has."""

    unit_tokens_percent: int = 100
    """Tokens of one patch, in hundredths."""

    base_tokens: int = 0
    """Tokens of each picture, whatever its size."""

    tile_tokens: int = 0
    """Tokens of one tile."""

    text_bytes_per_token: int = 4
    """UTF-8 bytes of text that are taken for one token."""


@dataclass(frozen=True, slots=True)
class RouteFact:
    """One number of a route with where it comes from. `trust`: read, tried, second_hand, memory or chosen."""

    name: str
    value: str
    source: str
    date: str
    trust: Literal["read", "tried", "second_hand", "memory", "chosen"]


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """Limits that a provider sets for one family of models, and what pictures are made to for it.

    Sizes are in pixels; `None` means that no such limit is published.
    """

    name: str
    provider: str
    adapter: Adapter
    models: tuple[str, ...]
    """Names of models this route is for, as patterns with `*`."""

    pictures: bool
    """Whether these models take pictures at all."""

    media_types: tuple[MediaType, ...]
    """Encodings of pictures, the preferred first."""

    result_pictures: ResultPictures
    tokens: TokenRule
    edge_px: int
    """Longer edge that a picture is made to at most."""

    min_side_px: int
    """Side below which a picture is padded."""

    max_request_bytes: int
    """Size of one request body, base64 included."""

    max_side_px: int | None = None
    """Side above which the provider refuses a picture."""

    max_images: int | None = None
    """Pictures of one request; each occurrence counts."""

    max_image_bytes: int | None = None
    """Size of one picture, counted as `counted` says."""

    counted: Literal["raw", "base64"] = "raw"
    """What `max_image_bytes` counts: the bytes of a picture, or the characters of its base64 text."""

    max_images_bytes: int | None = None
    """Bytes of all pictures of one request together, raw."""

    many_from: int | None = None
    """The number of pictures in a request from which on `many_side_px` holds for each of them."""

    many_side_px: int | None = None
    """Side above which the provider refuses a picture in such a request."""

    detail: str | None = None
    """What is asked of the provider beside each picture: its `detail`, or its media resolution."""

    files_api: str | None = None
    """The Files API that pictures can be uploaded to beforehand."""

    facts: tuple[RouteFact, ...] = ()
    """Where each number comes from."""
