"""What of an extra has to be there before an integration can work."""

from __future__ import annotations

from importlib import import_module

from eyeline.errors import MissingDependency


def needs(module: str, *, extra: str) -> None:
    """Import a module that comes with an extra; `MissingDependency` where that is not installed."""
    try:
        import_module(module)
    except ImportError as exc:
        package = module.partition(".")[0].replace("_", "-")
        raise MissingDependency(
            f"{package} is not installed", hint=f"pip install 'eyeline[{extra}]'", extra=extra
        ) from exc
