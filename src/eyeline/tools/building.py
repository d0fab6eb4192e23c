"""`build_tools`: every tool over one application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.toolkit.registry import ToolRegistry
from eyeline.tools.find import find
from eyeline.tools.read import read
from eyeline.tools.source_open import source_open

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline


def build_tools(eye: Eyeline) -> ToolRegistry:
    """The tools `find`, `read` and `source_open`; they work as long as the application is open."""
    return ToolRegistry([find(eye), read(eye), source_open(eye)])
