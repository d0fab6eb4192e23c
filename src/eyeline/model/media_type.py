"""`MediaType` and `Family`: what bytes are, by RFC 6838 name, with one canonical extension each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from eyeline.errors import InvalidMediaType

_TOKEN = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}"
_TYPE = re.compile(rf"({_TOKEN})/({_TOKEN})")
_RANGE = re.compile(rf"(\*|{_TOKEN})/(\*|{_TOKEN})")


class Family(StrEnum):
    """Groups of media types that open alike."""

    IMAGE = "image"
    DOCUMENT = "document"
    TEXT = "text"
    AUDIO = "audio"
    VIDEO = "video"
    ARCHIVE = "archive"
    OTHER = "other"


@dataclass(frozen=True, slots=True, order=True)
class MediaType:
    """One concrete media type, lower case and without parameters."""

    name: str

    def __post_init__(self) -> None:
        if not _TYPE.fullmatch(self.name) or self.name != self.name.lower():
            raise InvalidMediaType(f"{self.name[:80]!r} is not a lower-case type/subtype")

    @classmethod
    def parse(cls, text: str) -> MediaType:
        """Read a media type, drop its parameters and fold known aliases (`image/jpg` is `image/jpeg`)."""
        bare = text.split(";", 1)[0].strip().lower()
        return cls(_ALIASES.get(bare, bare))

    @property
    def family(self) -> Family:
        """The family this type opens as."""
        known = _TABLE.get(self.name)
        if known is not None:
            return known[0]
        prefix = self.name.split("/", 1)[0]
        return Family(prefix) if prefix in ("image", "audio", "video", "text") else Family.OTHER

    @property
    def extension(self) -> str:
        """Canonical extension without a dot; `bin` where we know none."""
        known = _TABLE.get(self.name)
        return known[1] if known is not None else "bin"

    @property
    def is_text(self) -> bool:
        """Whether the bytes themselves are characters."""
        return self.family is Family.TEXT

    @property
    def is_mail(self) -> bool:
        """Whether the bytes are a mail, which may enclose documents."""
        return self.name in _MAILS

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class MediaRange:
    """One entry of `accept`: a media type, `image/*` or `*/*`."""

    name: str

    @classmethod
    def parse(cls, text: str) -> MediaRange:
        """Read a range; parameters are dropped, since the order of the list is the preference."""
        bare = text.split(";", 1)[0].strip().lower()
        bare = _ALIASES.get(bare, bare)
        match = _RANGE.fullmatch(bare)
        if match is None or (match.group(1) == "*" and match.group(2) != "*"):
            raise InvalidMediaType(
                f"{text[:80]!r} is not a media type or range", hint="write image/png, image/* or */*"
            )
        return cls(bare)

    def matches(self, media_type: MediaType) -> bool:
        """Whether this range takes a concrete type."""
        if self.name == "*/*":
            return True
        if self.name.endswith("/*"):
            return media_type.name.startswith(self.name[:-1])
        return self.name == media_type.name


def extensions_of(media_type: MediaType) -> frozenset[str]:
    """Every extension that agrees with a type, without dots; empty where we know none."""
    known = _TABLE.get(media_type.name)
    return frozenset() if known is None else frozenset((known[1], *known[2]))


def type_for_extension(extension: str) -> MediaType | None:
    """The type that an extension (without dot, any case) claims, for hints and mismatch notes only."""
    return _BY_EXTENSION.get(extension.lower())


_MAILS = frozenset(("message/rfc822", "application/vnd.ms-outlook"))
_ALIASES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/x-icon": "image/vnd.microsoft.icon",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/mp3": "audio/mpeg",
    "text/x-markdown": "text/markdown",
    "application/x-json": "application/json",
    "text/json": "application/json",
    "text/xml": "application/xml",
    "application/x-pdf": "application/pdf",
}

_I, _D, _T, _A, _V, _Z, _O = (
    Family.IMAGE,
    Family.DOCUMENT,
    Family.TEXT,
    Family.AUDIO,
    Family.VIDEO,
    Family.ARCHIVE,
    Family.OTHER,
)
_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"
_TABLE: dict[str, tuple[Family, str, tuple[str, ...]]] = {
    "image/png": (_I, "png", ("apng",)),
    "image/jpeg": (_I, "jpg", ("jpeg", "jpe", "jfif")),
    "image/webp": (_I, "webp", ()),
    "image/gif": (_I, "gif", ()),
    "image/tiff": (_I, "tif", ("tiff",)),
    "image/bmp": (_I, "bmp", ("dib",)),
    "image/vnd.microsoft.icon": (_I, "ico", ("cur",)),
    "image/heic": (_I, "heic", ("heif", "hif")),
    "image/heif": (_I, "heif", ("heic", "hif")),
    "image/avif": (_I, "avif", ()),
    "image/jp2": (_I, "jp2", ("j2k", "jpf", "jpx", "j2c")),
    "image/jxl": (_I, "jxl", ()),
    "image/svg+xml": (_I, "svg", ()),
    "application/pdf": (_D, "pdf", ()),
    "application/postscript": (_D, "ps", ("eps", "ai")),
    "application/msword": (_D, "doc", ()),
    "application/vnd.ms-excel": (_D, "xls", ()),
    "application/vnd.ms-powerpoint": (_D, "ppt", ()),
    "application/vnd.ms-outlook": (_D, "msg", ()),
    "application/x-ole-storage": (_O, "ole", ("doc", "xls", "ppt", "msg")),
    "application/x-ooxml-protected": (_D, "ole", ("docx", "xlsx", "pptx", "docm", "xlsm", "pptm")),
    f"{_OOXML}.wordprocessingml.document": (_D, "docx", ("docm", "dotx")),
    f"{_OOXML}.spreadsheetml.sheet": (_D, "xlsx", ("xlsm", "xltx")),
    f"{_OOXML}.presentationml.presentation": (_D, "pptx", ("pptm", "ppsx")),
    f"{_ODF}.text": (_D, "odt", ()),
    f"{_ODF}.spreadsheet": (_D, "ods", ()),
    f"{_ODF}.presentation": (_D, "odp", ()),
    "application/epub+zip": (_D, "epub", ()),
    "application/rtf": (_D, "rtf", ()),
    "message/rfc822": (_D, "eml", ("mht", "mhtml")),
    "text/plain": (
        _T,
        "txt",
        ("text", "log", "ini", "cfg", "conf", "rst", "tex", "srt", "vtt", "env", "diff", "patch"),
    ),
    "text/markdown": (_T, "md", ("markdown", "mkd")),
    "text/csv": (_T, "csv", ()),
    "text/tab-separated-values": (_T, "tsv", ("tab",)),
    "text/html": (_T, "html", ("htm", "xhtml")),
    "application/json": (_T, "json", ("geojson", "jsonld", "map")),
    "application/x-ndjson": (_T, "jsonl", ("ndjson",)),
    "application/x-ipynb+json": (_T, "ipynb", ()),
    "application/xml": (_T, "xml", ("xsd", "xsl", "xslt", "rss", "atom", "plist", "kml", "gpx")),
    "application/yaml": (_T, "yaml", ("yml",)),
    "application/toml": (_T, "toml", ()),
    "text/x-python": (_T, "py", ("pyi", "pyw")),
    "text/javascript": (_T, "js", ("mjs", "cjs", "jsx")),
    "text/x-typescript": (_T, "tsx", ("cts",)),
    "text/css": (_T, "css", ("scss", "less")),
    "text/x-c": (_T, "c", ("h", "cc", "cpp", "cxx", "hpp", "hh")),
    "text/x-java": (_T, "java", ("kt", "scala")),
    "text/x-go": (_T, "go", ()),
    "text/x-rust": (_T, "rs", ()),
    "text/x-ruby": (_T, "rb", ()),
    "text/x-php": (_T, "php", ()),
    "text/x-perl": (_T, "pl", ("pm",)),
    "text/x-lua": (_T, "lua", ()),
    "text/x-swift": (_T, "swift", ()),
    "text/x-csharp": (_T, "cs", ()),
    "text/x-sql": (_T, "sql", ()),
    "text/x-shellscript": (_T, "sh", ("bash", "zsh", "fish")),
    "audio/mpeg": (_A, "mp3", ()),
    "audio/wav": (_A, "wav", ("wave",)),
    "audio/flac": (_A, "flac", ()),
    "audio/ogg": (_A, "ogg", ("oga", "opus")),
    "audio/mp4": (_A, "m4a", ("m4b",)),
    "audio/aac": (_A, "aac", ()),
    "audio/aiff": (_A, "aiff", ("aif",)),
    "audio/amr": (_A, "amr", ()),
    "audio/midi": (_A, "mid", ("midi",)),
    "video/mp4": (_V, "mp4", ("m4v",)),
    "video/quicktime": (_V, "mov", ("qt",)),
    "video/webm": (_V, "webm", ()),
    "video/x-matroska": (_V, "mkv", ("mka",)),
    "video/x-msvideo": (_V, "avi", ()),
    "video/mpeg": (_V, "mpg", ("mpeg",)),
    "video/mp2t": (_V, "ts", ("m2ts", "mts")),
    "video/ogg": (_V, "ogv", ()),
    "video/x-flv": (_V, "flv", ()),
    "video/3gpp": (_V, "3gp", ("3g2",)),
    "video/x-ms-asf": (_V, "wmv", ("asf", "wma")),
    "application/vnd.apple.mpegurl": (_O, "m3u8", ("m3u",)),
    "application/zip": (_Z, "zip", ("jar", "apk", "whl")),
    "application/gzip": (_Z, "gz", ("tgz",)),
    "application/x-bzip2": (_Z, "bz2", ("tbz2",)),
    "application/x-xz": (_Z, "xz", ("txz",)),
    "application/zstd": (_Z, "zst", ()),
    "application/x-7z-compressed": (_Z, "7z", ()),
    "application/vnd.rar": (_Z, "rar", ()),
    "application/x-tar": (_Z, "tar", ()),
    "application/vnd.sqlite3": (_O, "sqlite", ("db", "sqlite3")),
    "application/vnd.apache.parquet": (_O, "parquet", ()),
    "application/x-elf": (_O, "elf", ("so", "o")),
    "application/vnd.microsoft.portable-executable": (_O, "exe", ("dll",)),
    "application/wasm": (_O, "wasm", ()),
    "application/x-mach-binary": (_O, "macho", ("dylib",)),
    "font/ttf": (_O, "ttf", ()),
    "font/otf": (_O, "otf", ()),
    "font/woff": (_O, "woff", ()),
    "font/woff2": (_O, "woff2", ()),
    "application/octet-stream": (_O, "bin", ("dat",)),
}


def _by_extension() -> dict[str, MediaType]:
    table: dict[str, MediaType] = {}
    for canonical in (True, False):
        for name, (_, extension, others) in _TABLE.items():
            for spelled in (extension,) if canonical else others:
                table.setdefault(spelled, MediaType(name))
    return table


OCTET_STREAM = MediaType("application/octet-stream")
_BY_EXTENSION = _by_extension()
