"""The guard that keeps tests on this machine."""

from __future__ import annotations

import socket

import pytest


def test_a_connection_to_loopback_is_let_through() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()[:2], 5):
        accepted, _ = server.accept()
        accepted.close()


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("10.0.0.1", 443), ("2001:db8::1", 80)])
def test_a_connection_to_anywhere_else_is_refused(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(RuntimeError):
        client.connect(address)


def test_a_datagram_to_anywhere_else_is_refused() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client, pytest.raises(RuntimeError):
        client.sendto(b"x", ("192.0.2.1", 53))


def test_a_name_is_not_looked_up() -> None:
    with pytest.raises(RuntimeError):
        socket.getaddrinfo("example.invalid", 80)
