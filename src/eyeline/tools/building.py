"""`build_tools`: every tool over one application, and `tool_runner`, which runs them as every surface does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.toolkit.registry import ToolRegistry
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.deliveries import Deliveries
from eyeline.tools.find import find
from eyeline.tools.read import read
from eyeline.tools.recording import RefusedOpens
from eyeline.tools.source_open import source_open
from eyeline.tools.view_file import view_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyeline.app.eyeline import Eyeline
    from eyeline.app.viewer import Viewer
    from eyeline.toolkit.hooks import ToolHooks


def build_tools(eye: Eyeline, *, viewer: Viewer | None = None) -> ToolRegistry:
    """The tools `find`, `read` and `source_open`, with a viewer also `view_file`; they work while these are open."""
    over_files = [] if viewer is None else [view_file(viewer)]
    return ToolRegistry([find(eye), read(eye), source_open(eye), *over_files])


def tool_runner(eye: Eyeline, *, viewer: Viewer | None = None, hooks: Sequence[ToolHooks] = ()) -> ToolRunner:
    """The runner of these tools: after your hooks, those that complete the audit log."""
    return ToolRunner(build_tools(eye, viewer=viewer), hooks=[*hooks, Deliveries(eye), RefusedOpens(eye)])
