"""Which software made an output, and from what: printed on all of them."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy

import eic_core


@dataclass(frozen=True)
class Software:
    """Versions of what a report's numbers depend on."""

    eic_lab: str
    python: str
    numpy: str
    scipy: str

    @classmethod
    def here(cls) -> Software:
        """The versions that are running.

        Examples
        --------
        >>> Software.here().eic_lab
        '0.1.0'
        """
        python = platform.python_version()
        return cls(eic_core.__version__, python, np.__version__, scipy.__version__)

    @property
    def sentence(self) -> str:
        """In a line.

        Examples
        --------
        >>> Software("0.1.0", "3.11.9", "2.4.6", "1.17.1").sentence
        'EIC Lab 0.1.0, Python 3.11.9, NumPy 2.4.6, SciPy 1.17.1'
        """
        return (
            f"EIC Lab {self.eic_lab}, Python {self.python}, NumPy {self.numpy}, SciPy {self.scipy}"
        )

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def provenance(study_hash: str, seed: int, software: Software) -> str:
    """What every output carries: the frozen hash, the software and the seed.

    Examples
    --------
    >>> provenance("abcd", 7, Software("0.1.0", "3.11.9", "2.4.6", "1.17.1"))
    'frozen study abcd; seed 7; EIC Lab 0.1.0, Python 3.11.9, NumPy 2.4.6, SciPy 1.17.1'
    """
    return f"frozen study {study_hash or 'without a hash'}; seed {seed}; {software.sentence}"
