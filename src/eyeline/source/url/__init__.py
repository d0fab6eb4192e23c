"""Bytes from the network, behind one guard; `docs/urls.md` says what it keeps out and what it does not."""

from __future__ import annotations

from eyeline.source.url.arriving import ArrivingUrl
from eyeline.source.url.fetching import UrlSource

__all__ = ["ArrivingUrl", "UrlSource"]
