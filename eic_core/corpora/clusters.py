"""Random tables of inputs from a mixture, as Kamienny et al. (2022, Section 2.2) draw them."""

from __future__ import annotations

from typing import Any

import numpy as np

from eic_core.engine.forest import Floats

Singles = np.ndarray[Any, np.dtype[np.float32]]

BLOCK = 8
"""Rows that one matrix product turns; every part is padded to a multiple of it."""


def random_tables(
    count: int, variables: int, rows: int, most_clusters: int, rng: np.random.Generator
) -> Floats:
    """Tables, shape (count, variables, rows), with mean 0 and variance 1 in every variable."""
    parts = rng.integers(1, most_clusters + 1, count)
    shares = rng.random((count, most_clusters)) * (np.arange(most_clusters) < parts[:, None])
    shares /= shares.sum(axis=1, keepdims=True)
    sizes = rng.multinomial(rows, shares)
    table, part = np.nonzero(sizes)
    sizes = sizes[table, part]
    blocks = -(-sizes // BLOCK)
    clusters = len(sizes)
    # a centre is normal in every direction, so it need not be turned
    centres = rng.standard_normal((clusters, variables), dtype=np.float32)
    spreads = np.sqrt(rng.random((clusters, variables), dtype=np.float32))
    turns = spreads[:, :, None] * random_rotations(clusters, variables, rng)
    # as in the authors' code, all parts of one table are normal or all are uniform
    normal = int(rng.binomial(count, 0.5))  # the first tables: which ones does not matter
    normal_blocks = int(blocks[: np.searchsorted(table, normal)].sum())
    total = int(blocks.sum())
    cells = np.empty((total, BLOCK, variables), dtype=np.float32)
    rng.standard_normal(dtype=np.float32, out=cells[:normal_blocks])
    rng.random(dtype=np.float32, out=cells[normal_blocks:])
    cells[normal_blocks:] *= 2
    cells[normal_blocks:] -= 1
    cluster = np.repeat(np.arange(clusters), blocks)
    if variables > 1:
        cells = np.matmul(cells, turns[cluster])
    else:
        cells *= turns[cluster]
    cells += centres[cluster][:, None]
    first = np.cumsum(blocks) - blocks
    place = BLOCK * (np.arange(total) - first[cluster])[:, None] + np.arange(BLOCK)
    filled = np.flatnonzero(place < sizes[cluster][:, None]).reshape(count, rows)
    cells = np.take(cells.reshape(-1, variables), filled[:, rng.permutation(rows)], axis=0)
    columns = np.ascontiguousarray(cells.transpose(0, 2, 1))
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
