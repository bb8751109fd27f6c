"""A proxy between a page and the server that can cut the network."""

import contextlib
import socket
import threading
from collections.abc import Generator

__all__ = ["CuttableProxy", "start_proxy"]


class CuttableProxy:
    """Forwards connections to a local port until it is cut.

    Args:
        port: of the server.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._accepts = self._forwards = True
        self._swallowed: frozenset[socket.socket] = frozenset()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        """The address at which the proxy offers the server."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self) -> None:
        """End all connections and forward nothing from now on."""
        with self._lock:
            self._accepts = False
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def drop(self) -> None:
        """Drop everything in both directions, but keep the connections half open."""
        self._forwards = False

    def swallow(self) -> None:
        """Drop everything on the present connections forever; new ones work."""
        with self._lock:
            self._swallowed = frozenset(self._open)

    def mend(self) -> None:
        """Forward new connections again; half-open ones stay dead."""
        self._accepts = True
        self._forwards = True

    def close(self) -> None:
        """End all connections and stop listening."""
        self.cut()
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(here,), daemon=True).start()

    def _carry(self, here: socket.socket) -> None:
        with here, contextlib.suppress(OSError):
            if not self._accepts:
                return
            with socket.create_connection(("127.0.0.1", self._port)) as there:
                with self._lock:
                    self._open |= {here, there}
                ways = (there, here)
                back = threading.Thread(target=self._pump, args=ways, daemon=True)
                back.start()
                self._pump(here, there)
                back.join()
                with self._lock:
                    self._open -= {here, there}

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        """Forward data and its end; a half-open connection gets neither."""
        dead = False
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                dead = dead or not self._forwards or source in self._swallowed
                if not dead:
                    sink.sendall(data)
        for one in () if dead or not self._forwards else (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def start_proxy(port: int) -> Generator[CuttableProxy]:
    """Start a proxy to a local port."""
    proxy = CuttableProxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
