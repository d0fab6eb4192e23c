"""What holds for every test: its tier, loopback only, Hypothesis profiles, well-formed requirement marks."""

from __future__ import annotations

import ipaddress
import os
import re
import sys
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).resolve().parent
TIERS = ("unit", "contract", "property", "integration", "meta")
REQUIREMENT_ID = re.compile(r"(SA|VF|AT|XC)-\d{2}")

settings.register_profile("default", max_examples=60, deadline=None, derandomize=True)
settings.register_profile(
    "torture", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


class NetworkRefused(RuntimeError):
    """A test tried to leave this machine."""


def _is_here(host: object) -> bool:
    """Whether a host is this machine by name or by a loopback address; names are never looked up."""
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if not isinstance(text, str):
        return text is None
    if text in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse_network(event: str, args: tuple[object, ...]) -> None:
    """Audit hook: it sees every socket of this process, whatever library opened it."""
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = args[1] if len(args) > 1 else None
        if isinstance(address, tuple) and not _is_here(cast("tuple[object, ...]", address)[0]):
            raise NetworkRefused(f"{event} to {address!r}; a test talks to loopback only")
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = args[0]
        if not _is_here(host) and not _is_address(host):
            raise NetworkRefused(f"{event} of {host!r}; a test looks no name up")


def _is_address(host: object) -> bool:
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return True


def pytest_configure(config: pytest.Config) -> None:
    """Puts the guard in place before the first test module is imported."""
    del config
    sys.addaudithook(_refuse_network)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each test with the tier its folder names, and refuses requirement marks that name no id."""
    for item in items:
        tier = item.path.relative_to(TESTS).parts[0]
        if tier not in TIERS:
            raise pytest.UsageError(f"{item.nodeid}: a test lives in one of tests/{{{','.join(TIERS)}}}")
        item.add_marker(tier)
        for mark in item.iter_markers("requirement"):
            ids = [str(argument) for argument in mark.args]
            if not ids or mark.kwargs or not all(map(REQUIREMENT_ID.fullmatch, ids)):
                raise pytest.UsageError(f"{item.nodeid}: requirement{mark.args!r} names no id like 'SA-03'")
