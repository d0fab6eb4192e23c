"""`ToolDefinition`: one tool as a value; every surface offers it from this and nothing else."""

from __future__ import annotations

import dataclasses
import inspect
import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eyeline import wire
from eyeline.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eyeline.toolkit.context import ToolContext

In = TypeVar("In")
Out = TypeVar("Out")

MAX_DESCRIPTION_BYTES = 2047
"""Hosts cut a description at 2 kB of UTF-8, so a longer one is refused rather than cut."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_IDENTITY = re.compile(r"[a-z0-9_-]+/[a-z0-9_-]+@[0-9]+")


@dataclass(frozen=True, slots=True)
class ToolAnnotations:
    """What a host may assume of a tool before it calls it: a hint to people, never a permission."""

    title: str
    read_only: bool
    idempotent: bool
    open_world: bool
    destructive: bool = False


@dataclass(frozen=True, slots=True)
class ToolDefinition(Generic[In, Out]):
    """A tool: what it is called, what it takes, what it answers and who does the work.

    `name` is what a model calls: 1 to 64 of `A-Z a-z 0-9 _ -`. `identity` (`eyeline/source_open@1`) outlives a change
    of name; its number rises with an incompatible change. `input_type` and `output_type` are frozen dataclasses; their
    JSON Schemas are made from them. `handler` is synchronous, gets the parsed input and the call's context, and raises
    what cannot be answered. `authorise` may refuse a parsed input by raising, before the handler runs. `surfaces` names
    where the tool is offered; a presenter turns the answer into what one of these surfaces sends.

    A definition that cannot be offered raises `ConfigError`.
    """

    name: str
    identity: str
    description: str
    input_type: type[In]
    output_type: type[Out]
    handler: Callable[[In, ToolContext], Out]
    annotations: ToolAnnotations
    surfaces: frozenset[str]
    presenters: Mapping[str, Callable[[Out], Any]] = field(
        default_factory=lambda: MappingProxyType[str, "Callable[[Out], Any]"]({})
    )
    authorise: Callable[[In, ToolContext], None] | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(f"{self.name[:80]!r} is no name for a tool", hint="1 to 64 of A-Z a-z 0-9 _ -")
        if not _IDENTITY.fullmatch(self.identity):
            raise ConfigError(
                f"{self.identity[:80]!r} is no identity for a tool", hint="write owner/verb@1, lower case"
            )
        size = len(self.description.encode())
        if not 0 < size <= MAX_DESCRIPTION_BYTES:
            raise ConfigError(
                f"the description of {self.name!r} has {size} bytes; 1 to {MAX_DESCRIPTION_BYTES} are allowed",
                limit="description",
                allowed=MAX_DESCRIPTION_BYTES,
                asked=size,
            )
        for kind in (self.input_type, self.output_type):
            if not _is_frozen_dataclass(kind):
                raise ConfigError(f"{self.name!r} uses {kind!r}, which is not a frozen dataclass")
        if inspect.iscoroutinefunction(self.handler):
            raise ConfigError(f"{self.name!r} has an async handler", hint="tools are synchronous; use `run_async`")
        self._check_surfaces()
        object.__setattr__(self, "presenters", MappingProxyType(dict(self.presenters)))

    def _check_surfaces(self) -> None:
        if not self.surfaces:
            raise ConfigError(f"{self.name!r} is offered on no surface")
        strays = sorted(self.presenters.keys() - self.surfaces)
        if strays:
            raise ConfigError(f"{self.name!r} has presenters for surfaces it is not offered on", surfaces=strays)

    def with_presenter(self, surface: str, present: Callable[[Out], Any]) -> ToolDefinition[In, Out]:
        """The same tool, presented by `present` on `surface`, which must be one of its own."""
        return dataclasses.replace(self, presenters={**self.presenters, surface: present})

    def describe(self) -> dict[str, Any]:
        """The tool as plain data: name, identity, description, both schemas, annotations, surfaces."""
        return {
            "name": self.name,
            "identity": self.identity,
            "description": self.description,
            "input_schema": wire.schema_of(self.input_type),
            "output_schema": wire.schema_of(self.output_type),
            "annotations": dataclasses.asdict(self.annotations),
            "surfaces": sorted(self.surfaces),
        }


def _is_frozen_dataclass(kind: type[object]) -> bool:
    params: Any = getattr(kind, "__dataclass_params__", None)
    return params is not None and bool(params.frozen)
