"""A web server on loopback that does to a client what the web may do to one.

Each path is one way to behave. It speaks bytes on real sockets and says nothing that it was not told to say.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from eyeline.testing.hostile_ways import WAYS, Asked, Exchange, Signals

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

_TICK_S = 0.005
_PATIENCE_S = 60
_MAX_REQUEST_BYTES = 1 << 20


class HostileWeb:
    """Serves at `port` while it is open as a context manager; with `tls`, encrypted.

    `asked` lists every request in the order they came; `connections` counts all that were taken, also those that never
    said anything. With `is_mute`, connections are taken and nothing is said, not even a greeting of TLS. Further ways
    can be put into `ways`.
    """

    def __init__(self, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", is_mute: bool = False) -> None:
        self.ways: dict[str, Callable[[Exchange], None]] = dict(WAYS)
        self.asked: list[Asked] = []
        self.connections = 0
        self.signals = Signals()
        self._tls = tls
        self._host = host
        self._is_mute = is_mute
        self._threads: list[threading.Thread] = []
        self._listener: socket.socket | None = None
        self.port = 0

    def url(self, path: str, *, host: str | None = None) -> str:
        """The URL of a way."""
        name = host or (f"[{self._host}]" if ":" in self._host else self._host)
        return f"{'http' if self._tls is None else 'https'}://{name}:{self.port}{path}"

    def __enter__(self) -> Self:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        self._listener = socket.create_server((self._host, 0), family=family, backlog=64)
        self.port = int(self._listener.getsockname()[1])
        self._begin(self._accept, self._listener)
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._listener is not None
        self.signals.closing.set()
        self.signals.released.set()
        with suppress(OSError):
            # wakes the thread that accepts, where closing alone would not
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(_PATIENCE_S)

    def _begin(self, work: Callable[[socket.socket], None], connection: socket.socket) -> None:
        thread = threading.Thread(target=work, args=(connection,), name="hostile-web", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while not self.signals.closing.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            self._begin(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(_PATIENCE_S)
        try:
            with connection:
                if self._is_mute:
                    self.signals.arrived.set()
                    self._wait_for_the_client(connection)
                else:
                    self._speak(connection)
        except OSError:
            self.signals.hung_up.set()

    def _speak(self, connection: socket.socket) -> None:
        name: list[str | None] = [None]
        if self._tls is not None:
            self._tls.sni_callback = lambda _socket, said, _context: name.__setitem__(0, said)
            connection = self._tls.wrap_socket(connection, server_side=True)
        with connection:
            asked = _read_request(connection, name[0])
            if asked is None:
                return
            self.asked.append(asked)
            self.signals.arrived.set()
            way = self.ways.get(asked.path)
            exchange = Exchange(self.signals, connection, asked)
            if way is None:
                exchange.answer(b"", status=404)
            else:
                way(exchange)
            with suppress(OSError):
                # a closed connection with unread bytes would lose what was sent; this says that all was said
                connection.shutdown(socket.SHUT_WR)

    def _wait_for_the_client(self, connection: socket.socket) -> None:
        """Until it hangs up or the server is closed; what it says is not heard."""
        connection.settimeout(_TICK_S)
        while not self.signals.closing.is_set():
            with suppress(TimeoutError):
                if not connection.recv(1 << 16):
                    self.signals.hung_up.set()
                    return


def _read_request(connection: socket.socket, server_name: str | None) -> Asked | None:
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _MAX_REQUEST_BYTES:
        more = connection.recv(1 << 16)
        if not more:
            return None
        head += more
        if not head[:1].isalpha():
            # somebody greets in TLS; a web server says so, and not encrypted
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return None
    first, *rest = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    return Asked(method, target, headers, server_name)
