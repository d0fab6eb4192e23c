"""`ToolRegistry`: the tools of one program, unique by name and identity, in one fixed order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.errors import ConfigError, ToolNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eyeline.toolkit.definition import ToolDefinition


class ToolRegistry:
    """An immutable collection of tools, sorted by name. A repeated name or identity raises `ConfigError`."""

    def __init__(self, tools: Iterable[ToolDefinition[Any, Any]]) -> None:
        self._tools: dict[str, ToolDefinition[Any, Any]] = {}
        identities: set[str] = set()
        for tool in sorted(tools, key=lambda tool: tool.name):
            if tool.name in self._tools:
                raise ConfigError(f"two tools are called {tool.name!r}", name=tool.name)
            if tool.identity in identities:
                raise ConfigError(f"two tools have the identity {tool.identity!r}", identity=tool.identity)
            self._tools[tool.name] = tool
            identities.add(tool.identity)

    def __iter__(self) -> Iterator[ToolDefinition[Any, Any]]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def find(self, name: str, *, surface: str) -> ToolDefinition[Any, Any] | None:
        """The tool of this name, or None if it is not offered on this surface."""
        tool = self._tools.get(name)
        return tool if tool is not None and surface in tool.surfaces else None

    def get(self, name: str, *, surface: str) -> ToolDefinition[Any, Any]:
        """The tool of this name on this surface. Not there and not offered there are the same `ToolNotFound`."""
        tool = self.find(name, surface=surface)
        if tool is None:
            offered = [tool.name for tool in self.on(surface)]
            raise ToolNotFound(
                f"there is no tool {name[:80]!r}", hint=f"tools here: {', '.join(offered) or 'none'}", tools=offered
            )
        return tool

    def on(self, surface: str) -> list[ToolDefinition[Any, Any]]:
        """The tools offered on one surface, sorted by name."""
        return [tool for tool in self if surface in tool.surfaces]

    def describe(self, surface: str | None = None) -> list[dict[str, Any]]:
        """Every tool, or those of one surface, as plain data in the order of their names."""
        return [tool.describe() for tool in (self if surface is None else self.on(surface))]
