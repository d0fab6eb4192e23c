"""`courier_tools`: `wait`, `download` and `upload`, as far as an application gives what they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.tools.download import download
from eyeline.tools.upload import upload
from eyeline.tools.wait import wait

if TYPE_CHECKING:
    from eyeline.app.courier import Courier
    from eyeline.toolkit.definition import ToolDefinition


def courier_tools(courier: Courier) -> list[ToolDefinition[Any, Any]]:
    """The tools over one courier: `wait` always, `download` and `upload` where it has them."""
    tools: list[ToolDefinition[Any, Any]] = [wait(courier)]
    if courier.downloads:
        tools.append(download(courier))
    if courier.sinks:
        tools.append(upload(courier))
    return tools
