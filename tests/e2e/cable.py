"""A network cable between browser and server that a test can pull out, or one of its two wires."""

from __future__ import annotations

import contextlib
import socket
import threading


class Cable:
    """Forwards TCP connections from one port of this machine to another, while it is plugged in."""

    def __init__(self, server: int, port: int) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = port
        self._open: list[socket.socket] = []
        self._plugged = True
        self._cut: set[str] = set()
        self.refused = self.swallowed = 0
        """Connections since the cable was pulled; bytes that went nowhere since `swallow`."""
        threading.Thread(target=self._accept, daemon=True).start()

    def pull(self) -> None:
        """Cut every connection, and refuse new ones."""
        self._plugged, self.refused = False, 0
        for end in self._open:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._open.clear()

    def swallow(self, *ways: str) -> None:
        """Lose all that goes "up" to the server or "down" to the browser, and close nothing."""
        self._cut, self.swallowed = set(ways), 0

    def plug(self) -> None:
        """Let connections through again."""
        self._cut = set()
        self._plugged = True

    def close(self) -> None:
        """Away with it."""
        self.pull()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # or it would listen until somebody comes
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._plugged:
                self.refused += 1
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._server))
            except OSError:
                near.close()
                continue
            self._open += [near, far]
            for way, *ends in (("up", near, far), ("down", far, near)):
                threading.Thread(target=self._pump, args=(way, *ends), daemon=True).start()

    def _pump(self, way: str, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if way in self._cut:
                    self.swallowed += len(data)
                else:
                    target.sendall(data)
        self._close(target)

    @staticmethod
    def _close(target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
