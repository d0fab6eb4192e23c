"""A law of all value classes: what may be absent has a default, so that leaving it out of JSON loses nothing."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import eyeline.model


def _values() -> Iterator[type[Any]]:
    for module in pkgutil.iter_modules(eyeline.model.__path__):
        for found in vars(importlib.import_module(f"eyeline.model.{module.name}")).values():
            if isinstance(found, type) and dataclasses.is_dataclass(found) and found.__module__.endswith(module.name):
                yield found


def test_what_may_be_none_has_none_as_its_default() -> None:
    bare = [
        f"{value.__name__}.{field.name}"
        for value in _values()
        for field in dataclasses.fields(value)
        if type(None) in get_args(get_type_hints(value)[field.name]) and field.default is dataclasses.MISSING
    ]
    assert bare == []
