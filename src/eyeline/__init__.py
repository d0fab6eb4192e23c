"""Eyeline: the media access layer for AI agents. Every original, in sight of the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.app.viewer import Viewer
    from eyeline.errors import EyelineError
    from eyeline.model.access import Principal
    from eyeline.model.locator import Locator
    from eyeline.settings import Settings

__all__ = ["Eyeline", "EyelineError", "Locator", "Principal", "Settings", "Viewer"]

_PLACES = {
    "Eyeline": "eyeline.app.eyeline",
    "EyelineError": "eyeline.errors",
    "Locator": "eyeline.model.locator",
    "Principal": "eyeline.model.access",
    "Settings": "eyeline.settings",
    "Viewer": "eyeline.app.viewer",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import eyeline` itself costs next to nothing."""
    if name not in _PLACES:
        raise AttributeError(f"module 'eyeline' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return [*globals(), *__all__]
