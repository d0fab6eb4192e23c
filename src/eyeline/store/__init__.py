"""Keeping blobs: immutable runs of bytes, addressed by the digest of what they hold."""

from __future__ import annotations

from eyeline.store.base import BlobStore, Stored
from eyeline.store.local import LocalStore
from eyeline.store.memory import MemoryStore

__all__ = ["BlobStore", "LocalStore", "MemoryStore", "Stored"]
