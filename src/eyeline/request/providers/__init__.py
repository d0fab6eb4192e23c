"""Bodies in each provider's words, made of a prepared request. Pure: no network, no store, no clock."""

from __future__ import annotations

from eyeline.request.providers.bodies import FILES_APIS, body_of, json_of

__all__ = ["FILES_APIS", "body_of", "json_of"]
