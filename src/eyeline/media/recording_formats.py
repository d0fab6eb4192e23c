"""Which demuxer reads which media type: fixed by what the bytes are, so that no file chooses one for itself.

No demuxer of playlists, manifests, image sequences or concatenations stands here: those name other files.
"""

from __future__ import annotations

from eyeline.errors import UnsupportedMedia
from eyeline.media.containers.view import ByteView, Reader
from eyeline.model.media_type import MediaType

_DEMUXERS = {
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
    "audio/mp4": "mov",
    "audio/aac": "aac",
    "audio/aiff": "aiff",
    "audio/amr": "amr",
    "video/mp4": "mov",
    "video/quicktime": "mov",
    "video/3gpp": "mov",
    "video/webm": "matroska",
    "video/x-matroska": "matroska",
    "video/x-msvideo": "avi",
    "video/mpeg": "mpeg",
    "video/mp2t": "mpegts",
    "video/ogg": "ogg",
    "video/x-flv": "flv",
    "video/x-ms-asf": "asf",
}
MEDIA_TYPES = tuple(_DEMUXERS)
"""Every recording that is read."""

_MAX_BOXES, _FIRST_BOXES = 10_000, (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
ISO_FAMILY = frozenset(name for name, demuxer in _DEMUXERS.items() if demuxer == "mov")
"""Types that are made of boxes, after ISO/IEC 14496-12."""


def demuxer_of(media_type: MediaType) -> str:
    """The name of the demuxer; `UnsupportedMedia` where there is none."""
    demuxer = _DEMUXERS.get(media_type.name)
    if demuxer is None:
        raise UnsupportedMedia(f"{media_type} is not read as a recording", family=str(media_type.family))
    return demuxer


def ends_inside_a_box(reader: Reader, media_type: MediaType) -> bool:
    """Whether a file that is made of boxes ends before the last of them does."""
    if media_type.name not in ISO_FAMILY:
        return False
    view, at = ByteView(reader), 0
    for _ in range(_MAX_BOXES):
        head = view.at(at, 16)
        if len(head) < 8:
            return len(head) > 0
        length = int.from_bytes(head[:4], "big")
        if length == 1 and len(head) == 16:
            length = int.from_bytes(head[8:], "big")
        if length < 8 or (not at and head[4:8] not in _FIRST_BOXES):
            return False
        at += length
        if at > view.size:
            return True
    return False
