"""Pages put together from parts that are compressed once."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK = b"\x03\x00"


@dataclass(frozen=True)
class Part:
    """A piece of a page, and its DEFLATE blocks, which refer to nothing before them."""

    text: bytes
    blocks: bytes

    @classmethod
    def of(cls, text: str, level: int = 6) -> Part:
        packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        encoded = text.encode()
        # A full flush ends at a byte: the blocks of the next part can follow.
        return cls(encoded, packer.compress(encoded) + packer.flush(zlib.Z_FULL_FLUSH))


def plain(parts: Sequence[Part]) -> bytes:
    return b"".join(part.text for part in parts)


def gzipped(parts: Sequence[Part]) -> bytes:
    """The parts as one gzip file (RFC 1952), at the cost of a checksum.

    >>> import gzip
    >>> gzip.decompress(gzipped([Part.of("A ballot "), Part.of("in two parts")]))
    b'A ballot in two parts'
    """
    checksum = size = 0
    for part in parts:
        checksum = zlib.crc32(part.text, checksum)
        size += len(part.text)
    end = _LAST_BLOCK + struct.pack("<II", checksum, size & 0xFFFFFFFF)
    return b"".join((_HEAD, *(part.blocks for part in parts), end))
