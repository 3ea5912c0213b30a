"""A function of two inputs as a map in the colours of a scale."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image

SCALE = (
    "#00224e",
    "#123570",
    "#3b496c",
    "#575d6d",
    "#707173",
    "#8a8678",
    "#a59c74",
    "#c3b369",
    "#e1cc55",
    "#fee838",
)
"""Cividis: even steps of lightness, the same for colour-blind eyes."""
LEVELS = 64
_GRIDS = ((150, 130), (108, 94), (75, 65))
"""Cells across and up: the first whose images are small enough."""
_BYTES = 8000
_SAMPLES = 3  # A cell has the average of as many samples squared
_SEED = 35


@dataclass(frozen=True)
class Map:
    levels: np.ndarray  # Shape (up, across), from below: shares of the scale, nan without a value
    leaps: bool  # Whether a smoothed image would hide a leap
    png: bytes

    @property
    def uri(self) -> str:
        return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")


def draw_maps(functions: tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], ...]) -> list[Map]:
    """Maps of several functions, on one grid.

    Parameters
    ----------
    functions
        Each takes shares of both ranges and gives shares of the scale, nan where there is no value.

    Returns
    -------
    list[Map]
        In their order, each small enough for a page.
    """
    for across, up in _GRIDS:
        maps = [make_map(_cells(function, across, up)) for function in functions]
        if max(len(each.png) for each in maps) <= _BYTES:
            break
    return maps


def _cells(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], across: int, up: int
) -> np.ndarray:
    """The average of each cell's samples, at random places so that no pattern aliases."""
    rng = np.random.default_rng(_SEED)
    n = _SAMPLES
    shape = (up * n, across * n)
    x = (np.arange(shape[1]) + rng.random(shape)) / shape[1]
    y = (np.arange(shape[0])[:, None] + rng.random(shape)) / shape[0]
    values = np.clip(function(x.ravel(), y.ravel()).reshape(shape), 0, 1)
    blocks = values.reshape(up, n, across, n).transpose(0, 2, 1, 3).reshape(up, across, n * n)
    count = np.isfinite(blocks).sum(axis=2)
    total = np.nansum(blocks, axis=2)
    # A cell is blank if most of it has no value.
    return np.where(2 * count > n * n, total / np.maximum(count, 1), np.nan)


def make_map(levels: np.ndarray) -> Map:
    """A map of cells, given from below."""
    finite = np.isfinite(levels)
    index = np.full(levels.shape, LEVELS, np.uint8)
    index[finite] = level_of(levels[finite])
    image = Image.fromarray(index[::-1].copy(), mode="P")
    palette = [channel for colour in colours() for channel in _rgb(colour)]
    image.putpalette(palette + [0, 0, 0])
    stream = io.BytesIO()
    options = {} if finite.all() else {"transparency": LEVELS}
    image.save(stream, "PNG", optimize=True, **options)
    steps = [np.abs(np.diff(levels, axis=axis)) for axis in (0, 1)]
    leaps = any(np.nanmax(step, initial=0) > 0.5 for step in steps)
    return Map(levels, bool(leaps), stream.getvalue())


def level_of(shares: np.ndarray) -> np.ndarray:
    """Numbers of colours of shares of the scale."""
    return np.clip(np.floor(shares * LEVELS), 0, LEVELS - 1).astype(np.uint8)


def colours() -> tuple[str, ...]:
    """The colours of the levels.

    >>> len(colours()), colours()[-1]
    (64, '#fce63a')
    """
    stops = np.array([_rgb(colour) for colour in SCALE], float)
    at = (np.arange(LEVELS) + 0.5) / LEVELS * (len(SCALE) - 1)
    channels = [np.interp(at, np.arange(len(SCALE)), stops[:, k]) for k in range(3)]
    rows = np.rint(np.stack(channels, axis=1)).astype(int).tolist()
    return tuple("#" + "".join(f"{channel:02x}" for channel in row) for row in rows)


def _rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
