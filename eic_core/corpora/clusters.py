"""Random tables of inputs, as Kamienny et al. (2022, Section 2.2) draw them.

Rows come from a mixture: centres are normal, spreads uniform, each part is turned at random, and
the whole has mean 0 and variance 1 in every variable.  All parts of one table are normal or all are
uniform, as in the authors' code; `eic_core.corpora.recipes` names it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eic_core.engine.forest import Floats

Singles = np.ndarray[Any, np.dtype[np.float32]]

BLOCK = 8
"""Rows of one part are turned so many at a time."""


def random_tables(
    count: int, variables: int, rows: int, most_clusters: int, rng: np.random.Generator
) -> Floats:
    """Independent tables.

    - `count`, `variables`, `rows`: how many tables, of so many variables and rows.
    - `most_clusters`: the number of parts is uniform from 1 to it, their shares are in proportion
      to uniform numbers.

    Returns each number can be held in single precision. The order of rows means nothing (shape
    (count, variables, rows)).
    """
    parts = rng.integers(1, most_clusters + 1, count)
    shares = rng.random((count, most_clusters)) * (np.arange(most_clusters) < parts[:, None])
    shares /= shares.sum(axis=1, keepdims=True)
    held = rng.multinomial(rows, shares)
    table, part = np.nonzero(held)
    held = held[table, part]
    blocks = -(-held // BLOCK)
    clusters = len(held)
    # a centre is normal in every direction, so it need not be turned
    centres = rng.standard_normal((clusters, variables), dtype=np.float32)
    spreads = np.sqrt(rng.random((clusters, variables), dtype=np.float32))
    turns = spreads[:, :, None] * random_rotations(clusters, variables, rng)
    normal = int(rng.binomial(count, 0.5))  # the first ones: which does not matter
    normal_blocks = int(blocks[: np.searchsorted(table, normal)].sum())
    total = int(blocks.sum())
    found = np.empty((total, BLOCK, variables), dtype=np.float32)
    rng.standard_normal(dtype=np.float32, out=found[:normal_blocks])
    rng.random(dtype=np.float32, out=found[normal_blocks:])
    found[normal_blocks:] *= 2
    found[normal_blocks:] -= 1
    of = np.repeat(np.arange(clusters), blocks)
    if variables > 1:
        found = np.matmul(found, turns[of])
    else:
        found *= turns[of]
    found += centres[of][:, None]
    first = np.cumsum(blocks) - blocks
    place = BLOCK * (np.arange(total) - first[of])[:, None] + np.arange(BLOCK)
    there = np.flatnonzero(place < held[of][:, None]).reshape(count, rows)
    found = np.take(found.reshape(-1, variables), there[:, rng.permutation(rows)], axis=0)
    columns = np.ascontiguousarray(found.transpose(0, 2, 1))
    columns -= np.add.reduce(columns, axis=2, keepdims=True) / np.float32(rows)
    squares = np.einsum("ijk,ijk->ij", columns, columns)
    columns *= np.sqrt(np.float32(rows) / squares)[:, :, None]
    return columns.astype(np.float64)


def random_rotations(count: int, size: int, rng: np.random.Generator) -> Singles:
    """Orthogonal matrices, uniform (Haar): columns of normal numbers, made orthonormal in turn.

    >>> turn = random_rotations(1, 3, np.random.default_rng(0))[0]
    >>> np.allclose(turn @ turn.T, np.eye(3), atol=1e-6)
    True
    """
    rows = rng.standard_normal((size, size, count))
    for i in range(size):
        for j in range(i):
            rows[i] -= rows[j] * np.einsum("ij,ij->j", rows[i], rows[j])
        rows[i] /= np.sqrt(np.einsum("ij,ij->j", rows[i], rows[i]))
    return rows.transpose(2, 0, 1).astype(np.float32, order="C")
