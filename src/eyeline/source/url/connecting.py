"""A connection to the first of several checked addresses that takes one."""

from __future__ import annotations

import errno
import os
import select
import socket
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from eyeline.source.url.reasons import WhyUnreachable, unreachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyeline.source.url.special import Address
    from eyeline.source.url.watching import Watch

HEAD_START_S = 0.25
"""How long one address is tried alone before the next one is, too (RFC 8305)."""

MAX_ADDRESSES = 8
"""How many addresses of one name are tried."""

_UNDER_WAY = (0, errno.EINPROGRESS, errno.EWOULDBLOCK)


def connect(addresses: Sequence[Address], *, port: int, watch: Watch) -> socket.socket:
    """A connected socket that does not block. Raises `Unreachable` where no address takes a connection."""
    waiting = list(reversed(_by_turns(addresses)[:MAX_ADDRESSES]))
    pending: dict[int, socket.socket] = {}
    failed: OSError | None = None
    try:
        while waiting or pending:
            watch.check()
            if waiting:
                try:
                    began = _begun(waiting.pop(), port)
                except OSError as exc:
                    failed = exc
                    continue
                pending[began.fileno()] = began
            ready = watch.wait(pending.values(), select.POLLOUT, at_most_s=HEAD_START_S)
            for descriptor in ready & pending.keys():
                each = pending.pop(descriptor)
                number = each.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if number == 0:
                    return each
                each.close()
                failed = OSError(number, os.strerror(number))
    finally:
        for each in pending.values():
            each.close()
    raise unreachable(WhyUnreachable.CONNECT, "the host takes no connection") from failed


def _begun(address: Address, port: int) -> socket.socket:
    """A connection under way; `OSError` where it fails at once, as without any IPv6 on this machine."""
    connection = socket.socket(socket.AF_INET6 if address.version == 6 else socket.AF_INET, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        number = connection.connect_ex((str(address), port))
    except BaseException:
        connection.close()
        raise
    if number in _UNDER_WAY:
        return connection
    connection.close()
    raise OSError(number, os.strerror(number))


def _by_turns(addresses: Sequence[Address]) -> list[Address]:
    """In their order, but the two kinds in turns, so that one that leads nowhere here is not tried to its end."""
    first = [each for each in addresses if each.version == addresses[0].version]
    second = [each for each in addresses if each.version != addresses[0].version]
    return [each for each in chain.from_iterable(zip_longest(first, second)) if each is not None]
