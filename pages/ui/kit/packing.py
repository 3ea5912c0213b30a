"""Objects between processes: large arrays go through shared memory, the rest is pickled."""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import pickle
import select
import socket
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

_SHARED_FROM = 1 << 15
"""Bytes from which an array goes through shared memory."""

_ALIGNED = 64
_HEADER = struct.Struct("<QB")
_STUCK = 60.0
"""Seconds after which half a message counts as the end of the other side."""

_loading = threading.local()


class _Memory:
    """A piece of shared memory without a name: it is gone with its last holder."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.handle)


@dataclass(frozen=True)
class Pickled:
    data: bytes  # all but the large arrays
    places: tuple[tuple[int, int], ...] = ()  # start and end of each array in `memory`
    memory: _Memory | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Bytes, arrays included."""
        return len(self.data) + (self.places[-1][1] if self.places else 0)


def _shared_object(index: int) -> Any:
    return _loading.shared[index]


def _read_only(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(content)


class _Pickler(pickle.Pickler):
    """Pickles objects that both sides hold by their number alone."""

    def __init__(
        self, out: io.BytesIO, shared: Sequence[object], buffers: list[Any] | None
    ) -> None:
        def aside(buffer: pickle.PickleBuffer) -> bool:
            if buffers is None or buffer.raw().nbytes < _SHARED_FROM:
                return True
            buffers.append(buffer.raw())
            return False

        super().__init__(out, protocol=5, buffer_callback=aside)
        self._numbers = {id(one): index for index, one in enumerate(shared)}

    def reducer_override(self, obj: Any) -> Any:
        number = self._numbers.get(id(obj))
        if number is not None:
            return _shared_object, (number,)
        if isinstance(obj, MappingProxyType):  # pickle does not know this type
            return _read_only, (dict(obj),)
        return NotImplemented


def pack(value: object, shared: Sequence[object] = ()) -> Pickled:
    """Pickle a value; the receiver has the `shared` objects already.

    >>> unpack(pack({"a": [1, 2]}))
    {'a': [1, 2]}
    >>> unpack(pack(MappingProxyType({"a": 1})))["a"]
    1
    """
    buffers: list[Any] | None = [] if hasattr(os, "memfd_create") else None
    out = io.BytesIO()
    _Pickler(out, shared, buffers).dump(value)
    if not buffers:
        return Pickled(out.getvalue())
    memory = _Memory(os.memfd_create("eic-lab", os.MFD_CLOEXEC))
    places, at = [], 0
    for buffer in buffers:
        places.append((at, at + buffer.nbytes))
        view = memoryview(buffer).cast("B")
        written = 0
        while written < len(view):
            written += os.pwrite(memory.handle, view[written:], at + written)
        at = -(-places[-1][1] // _ALIGNED) * _ALIGNED
    return Pickled(out.getvalue(), tuple(places), memory)


def unpack(packed: Pickled, shared: Sequence[object] = ()) -> Any:
    """The value again; its large arrays are read-only views of the shared memory."""
    views: list[memoryview] = []
    if packed.memory is not None:
        length = packed.places[-1][1]
        memory = memoryview(mmap.mmap(packed.memory.handle, length, access=mmap.ACCESS_READ))
        views = [memory[start:stop] for start, stop in packed.places]
    before = getattr(_loading, "shared", ())
    _loading.shared = shared
    try:
        return pickle.loads(packed.data, buffers=views)
    finally:
        _loading.shared = before


class Channel:
    """Messages over a socket between two processes, shared memory included."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        end.settimeout(_STUCK)

    def send(self, *message: object) -> None:
        """Send a message; the memory of a `Pickled` part, or a socket, goes along."""
        handles: list[int] = []
        parts: list[Any] = []
        for part in message:
            if isinstance(part, Pickled) and part.memory is not None:
                handles.append(part.memory.handle)
                parts.append((part.data, part.places))
            elif isinstance(part, socket.socket):
                handles.append(part.fileno())
                parts.append(None)
            else:
                parts.append(part)
        body = pickle.dumps([isinstance(p, Pickled) for p in message]) + pickle.dumps(parts)
        header = _HEADER.pack(len(body), len(handles))
        if handles:
            socket.send_fds(self.socket, [header], handles)
        else:
            self.socket.sendall(header)
        self.socket.sendall(body)

    def receive(self) -> list[Any]:
        """The next message; raises `EOFError` if the other side is gone."""
        try:
            start, handles, _, _ = socket.recv_fds(self.socket, _HEADER.size, 8)
            if not start:
                raise EOFError
            header = start + self._exactly(_HEADER.size - len(start))
            body = io.BytesIO(self._exactly(_HEADER.unpack(header)[0]))
        except OSError as error:
            raise EOFError from error
        for handle in handles:
            os.set_inheritable(handle, False)
        unused = list(handles)
        packed = pickle.load(body)
        message: list[Any] = []
        for part, is_packed in zip(pickle.load(body), packed, strict=True):
            if is_packed and not isinstance(part, Pickled):
                message.append(Pickled(part[0], part[1], _Memory(unused.pop(0))))
            elif part is None and unused and not is_packed:
                message.append(socket.socket(fileno=unused.pop(0)))
            else:
                message.append(part)
        return message

    def waiting(self, seconds: float | None) -> bool:
        """Whether a message, or the end of the other side, comes within so many seconds."""
        if self.socket.fileno() < 0:
            raise EOFError
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(None if seconds is None else max(0, round(1000 * seconds))))

    def close(self) -> None:
        self.socket.close()

    def _exactly(self, size: int) -> bytes:
        chunks, missing = [], size
        while missing:
            chunk = self.socket.recv(min(missing, 1 << 20))
            if not chunk:
                raise EOFError
            chunks.append(chunk)
            missing -= len(chunk)
        return b"".join(chunks)
