"""Sockets that keep message boundaries: how they are made, how a message and its descriptors travel."""

from __future__ import annotations

import array
import contextlib
import json
import os
import socket
import struct
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KIND = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
MESSAGE_BYTES = 1 << 16
"""The longest message; a kernel's default socket buffer holds several."""

CHUNK_BYTES = MESSAGE_BYTES - 1
"""The most bytes of a source in one answer; its first byte keeps an empty answer from looking like an end."""

ASK = struct.Struct("!BQQ")
"""What a child may say on its own socket: `READ`, offset, length; or `DONE`, place and length of its report."""

READ, DONE = 1, 2
ANSWER = b"="

_DESCRIPTORS = 8
_RECEIVE_FLAGS = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class ChannelClosed(Exception):
    """The other end is gone."""


def socket_pair() -> tuple[socket.socket, socket.socket]:
    """Two connected ends that keep message boundaries."""
    pair = socket.socketpair(socket.AF_UNIX, KIND)
    if sys.platform != "linux":
        for end in pair:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MESSAGE_BYTES)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * MESSAGE_BYTES)
    return pair


def send(end: socket.socket, message: Mapping[str, Any], *, descriptors: Sequence[int] = ()) -> None:
    """Send one message and copies of descriptors; `ChannelClosed` when nobody is there, OSError when it cannot go."""
    data = json.dumps(message, separators=(",", ":")).encode()
    ancillary: list[tuple[int, int, array.array[int]]] = []
    if descriptors:
        ancillary.append((socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors)))
    try:
        end.sendmsg([data], ancillary)
    except (BrokenPipeError, ConnectionError) as exc:
        raise ChannelClosed from exc


def receive(end: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Wait for one message from a trusted peer, with the descriptors it brought; `ChannelClosed` at the end."""
    room = socket.CMSG_LEN(_DESCRIPTORS * array.array("i").itemsize)
    try:
        data, ancillary, _, _ = end.recvmsg(MESSAGE_BYTES, room, _RECEIVE_FLAGS)
    except ConnectionError as exc:
        raise ChannelClosed from exc
    descriptors = array.array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
    if not data:
        raise ChannelClosed
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return json.loads(data), descriptors.tolist()


def close_descriptors(descriptors: Sequence[int]) -> None:
    """Close descriptors, those that are closed already included."""
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
