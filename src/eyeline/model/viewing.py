"""Values of `view_file`: its limits, what became of each item, and the account of the batch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.limits import MIB
from eyeline.model.manifest import ManifestEntry, Part
from eyeline.model.media_type import MediaType

LADDER_PX = (1568, 1280, 1024, 768, 512)
"""Longer edges that the pictures of a batch step down until the answer fits."""


@dataclass(frozen=True, slots=True)
class ViewLimits:
    """Bounds on one batch of `view_file`, and which files it takes."""

    max_items: int = 20
    """Paths and URLs of one batch."""

    max_read_bytes: int = 20 * MIB
    """Bytes that one batch reads from its sources, those it uses."""

    max_inline_bytes: int = 20 * MIB
    """Bytes that one batch puts into its answer."""

    max_pages: int = 4
    """Pages of one document that are shown."""

    max_parts: int = 40
    """Parts of one answer; documents show fewer pages where there would be more."""

    at_once: int = 8
    """Sources that are read at the same time."""

    media_extensions: tuple[str, ...] = (
        *("png", "jpg", "jpeg", "jpe", "jfif", "webp", "gif", "tif", "tiff", "bmp", "dib", "ico"),
        *("heic", "heif", "avif", "jp2", "j2k", "jpf", "svg", "apng", "pdf", "eml", "msg", "epub"),
        *("docx", "docm", "xlsx", "xlsm", "pptx", "pptm", "odt", "ods", "odp", "rtf"),
        *("mp3", "wav", "flac", "ogg", "oga", "opus", "m4a", "aac", "mp4", "m4v", "mov", "webm", "mkv"),
    )
    """Extensions of local files that hold pictures, documents and recordings."""

    text_extensions: tuple[str, ...] = (
        *("txt", "md", "markdown", "rst", "csv", "tsv", "json", "jsonl", "ndjson", "ipynb", "xml"),
        *("html", "htm", "yaml", "yml", "toml", "ini", "cfg", "log", "tex", "sql"),
        *("py", "js", "ts", "tsx", "jsx", "css", "java", "c", "h", "cc", "cpp", "hpp", "cs", "go", "rs"),
        *("rb", "php", "sh", "bash", "swift", "kt", "scala", "r", "jl", "lua", "pl"),
    )
    """Extensions of local files that are taken as text."""


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """What may be fetched from the network, and for how long."""

    ports: tuple[int, ...] = (80, 443)
    """Ports that are spoken to."""

    allow_private_hosts: tuple[str, ...] = ()
    """Host names, addresses and networks (`intranet.example`, `10.1.0.0/16`) that may be private."""

    max_redirects: int = 5
    """Redirects that are followed."""

    header_timeout_ms: int = 15_000
    """How long it may take from the look-up of a name to the last header, all redirects together."""

    body_timeout_ms: int = 120_000
    """How long waiting for a body may take, all its bytes together."""

    proxy: str | None = None
    """An HTTP proxy to go through; it then looks names up, and its own rules decide where it connects to."""


class ViewStatus(StrEnum):
    """What became of one item."""

    INLINED = "inlined"
    """Parts of it are in the answer."""

    LINKED = "linked"
    """It is there and is named with what is known of it; nothing of it is in the answer."""

    SKIPPED = "skipped"
    """It was left out: a budget, an answer limit, or a rule about which files are taken."""

    FAILED = "failed"
    """It could not be had, or could not be decoded."""


class ViewCode(StrEnum):
    """Why an item that did not fail became what it became; a failed item has the code of an error or an admission."""

    SHOWN = "shown"
    """Inlined: as it is, or as the rendition that its content manifest tells of."""

    SHOWN_IN_PART = "shown_in_part"
    """Inlined: the first pages, a contact sheet of some frames, or the beginning of a text."""

    NOT_SHOWN_HERE = "not_shown_here"
    """Linked: a type that is known and that this answer cannot hold."""

    UNKNOWN_TYPE = "unknown_type"
    """Linked: the bytes say nothing of what they are."""

    OVER_BUDGET = "over_budget"
    """Skipped: reading it would exceed what the batch may still read, or inlining it what it may still inline."""

    OVER_ANSWER = "over_answer"
    """Skipped: the answer limit of this surface has no room for it, at any size."""

    NOT_LISTED = "not_listed"
    """Skipped: local files are taken by a list of extensions, and this one is not on it."""

    HIDDEN = "hidden"
    """Skipped: a name on the way to it begins with a dot."""

    EMPTY = "empty"
    """Skipped: it has no bytes."""

    NO_BASE_DIR = "no_base_dir"
    """Skipped: local files are off where no folder for them is given."""

    NO_URLS = "no_urls"
    """Skipped: URLs are off here."""


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """One item of a batch, in the order it was asked for, counted from 1.

    `source` is what was asked for, neutralised. `media_type`, `byte_count` and `digest` are those of the bytes that
    were read; where not all were, `byte_count` is the size that was told. `size` is upright, in pixels. `parts` are its
    places in the content manifest, counted from 1, and `inlined_bytes` their bytes together; an item that was asked for
    twice names the parts of the first. `edge_px` is the step of the ladder that its pictures were made for. `notes` are
    short codes.
    """

    index: int
    source: str
    status: ViewStatus
    code: str
    message: str
    hint: str | None = None
    media_type: MediaType | None = None
    byte_count: int | None = None
    inlined_bytes: int = 0
    digest: Digest | None = None
    size: Size | None = None
    pages: int | None = None
    frames: int | None = None
    duration_ms: int | None = None
    chars: int | None = None
    edge_px: int | None = None
    parts: tuple[int, ...] = ()
    same_as: int | None = None
    retryable: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spent:
    """One counter of a batch: what was allowed, what was used, and what is left."""

    allowed: int
    used: int
    left: int


@dataclass(frozen=True, slots=True)
class ViewReport:
    """The account of a batch: one record an item, both counters, one entry a part. `trust` holds for all of it."""

    items: tuple[ViewRecord, ...]
    read: Spent
    inlined: Spent
    content_manifest: tuple[ManifestEntry, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing was skipped and nothing failed."""
        return not any(item.status in (ViewStatus.FAILED, ViewStatus.SKIPPED) for item in self.items)

    @property
    def all_failed(self) -> bool:
        """Whether nothing of the batch was delivered or named: a surface then says that the call went wrong."""
        return all(item.status in (ViewStatus.FAILED, ViewStatus.SKIPPED) for item in self.items)


@dataclass(frozen=True, slots=True)
class Viewed:
    """A report with the parts that its manifest lists, in the same order."""

    report: ViewReport
    parts: tuple[Part, ...] = ()

    def item_of(self, place: int) -> int:
        """The index of the first item that a part belongs to; places count from 0."""
        return next(item.index for item in self.report.items if place + 1 in item.parts)
