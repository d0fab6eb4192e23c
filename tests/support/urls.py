"""Fetching from servers on loopback, which a policy of tests allows by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eyeline.model.viewing import UrlPolicy
from eyeline.source.url import ArrivingUrl, UrlSource
from eyeline.toolkit.cancel import CancelToken

if TYPE_CHECKING:
    from eyeline.testing.hostile_web import HostileWeb

HERE = "127.0.0.1"


def policy(*webs: HostileWeb, **changes: object) -> UrlPolicy:
    """One that lets these servers be spoken to, and nothing else."""
    here = UrlPolicy(ports=tuple(web.port for web in webs), allow_private_hosts=(HERE,))
    return replace(here, **changes)


def opened(web: HostileWeb, path: str, **changes: object) -> ArrivingUrl:
    return UrlSource(policy(web, **changes)).open(web.url(path), cancel=CancelToken())


def body(arriving: ArrivingUrl) -> bytes:
    """All of a body; the connection is closed then."""
    with arriving:
        return b"".join(iter(lambda: arriving.read(1000), b""))


def fetched(web: HostileWeb, path: str, **changes: object) -> bytes:
    return body(opened(web, path, **changes))
