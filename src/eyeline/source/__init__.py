"""Where bytes come from: files inside a root, streams, and originals that are stored."""

from __future__ import annotations

from eyeline.source.base import Source
from eyeline.source.path import FileBoundary, OpenedFile, Refused
from eyeline.source.stored import StoredSource
from eyeline.source.stream import Spooled, spool
from eyeline.source.walk import Candidate, PassedOver, Why, walk

__all__ = [
    "Candidate",
    "FileBoundary",
    "OpenedFile",
    "PassedOver",
    "Refused",
    "Source",
    "Spooled",
    "StoredSource",
    "Why",
    "spool",
    "walk",
]
