"""`Part` and `ManifestEntry`: whatever reaches a model is bytes plus what they are and what was done to them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType


class Role(StrEnum):
    """Why a part is in the answer."""

    OVERVIEW = "overview"
    DETAIL = "detail"
    PAGE = "page"
    FRAME = "frame"
    KEYFRAME = "keyframe"
    AUDIO = "audio"
    CLIP = "clip"
    SOURCE_TEXT = "source_text"
    TRANSCRIPT = "transcript"
    PREVIEW = "preview"
    CONTEXT = "context"


class Origin(StrEnum):
    """What the reader is looking at: the exact bytes taken in, or bytes made from them."""

    ORIGINAL = "original"
    AGENT_RENDITION = "agent_rendition"


class ContentKind(StrEnum):
    """How a part is perceived; `bytes` are an original on its way out as it is."""

    PICTURE = "picture"
    TEXT = "text"
    AUDIO = "audio"
    VIDEO = "video"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Transform:
    """One step that was done to the bytes, by which component, with its facts as plain text.

    Steps: `decode`, `orient`, `crop`, `scale`, `colour`, `depth`, `flatten`, `pad`, `strip`, `render`, `montage`,
    `encode`, `excerpt`, `normalise`, `extract`, `typeset`.
    """

    step: str
    by: str
    facts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Scale:
    """How delivered coordinates map back: source pixel (or point) = offset + delivered pixel × factor, per axis.

    `source` is the upright picture in pixels, or the upright page in points rounded up.
    """

    source: Size
    delivered: Size
    offset_x: float
    offset_y: float
    factor_x: float
    factor_y: float


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What one part is. Same order as the parts; `locator` says which part of the version it shows."""

    role: Role
    content_kind: ContentKind
    media_type: MediaType
    byte_count: int
    digest: Digest
    origin: Origin
    locator: Locator
    transforms: tuple[Transform, ...] = ()
    scale: Scale | None = None
    derivation_kind: str | None = None
    evidence_mode: str | None = None
    trust: Literal["untrusted"] = "untrusted"


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes with their manifest entry."""

    # Spelled out: inside the class, `bytes` is the field itself to whoever resolves its annotations.
    bytes: builtins.bytes
    entry: ManifestEntry

    @property
    def text(self) -> str:
        """The characters of a text part."""
        return self.bytes.decode("utf-8")
