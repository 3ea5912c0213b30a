"""A curve sampled until its envelope is right, and its path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

COLUMNS, ROWS = 600, 260
"""Pixels of the largest plot: the envelope is right in each column of it."""
_PER_COLUMN = 48  # Samples a column in the first batch
_BATCHES = 4
_SETTLED = 0.25  # Pixels that a batch may change the envelope by
_LEAP = 1.0  # Pixels between neighbours that are joined unseen
_CROWDED = 400  # Samples a column at which its leaps are not looked into any more
_TURNS = 3  # More turns than these in a column are drawn as a bar from its least to its largest
_NEAR, _DENSE, _TALL = 4, 4, 8.0
"""As many turns within so many columns to each side, over so many pixels: no room between them."""
_BEYOND = 6.0  # Pixels outside of the frame to which values are clipped
_FINEST = 2.0**-44  # Of the range: a leap that is as narrow is a jump or a pole
_SEED = 35


@dataclass(frozen=True)
class Trace:
    """A curve by points that no gap in between escapes."""

    u: np.ndarray  # Ascending, from 0 to 1 over the range of the input
    y: np.ndarray  # Shares of the frame: 0 at its lower edge, 1 at its upper; nan without a value
    gap: np.ndarray  # For each point but the last: whether it is not joined to the next
    crowded: np.ndarray  # For each point: whether its column has more turns or leaps than pixels


def sample_curve(
    values: Callable[[np.ndarray], np.ndarray], low: float, high: float, finest: float = 0.0
) -> Trace:
    """Sample a function until its least and largest value in each pixel column are right.

    Samples lie at random places within equal cells, so that no oscillation can pass for a slower
    one. Batches go on in the columns whose envelope is not settled; peaks are climbed; what leaps
    between neighbours is halved until it is a steep line, or a gap too narrow for any pixel.

    Parameters
    ----------
    values
        Takes shares of the range from 0 to 1, shape (N,); gives values, nan where there is none.
    low
    high
        The values at the frame's edges.
    finest
        The share of the range that doubles tell apart.

    Returns
    -------
    Trace
        The same for the same function.
    """
    sampler = _Sampler(values, low, high, max(finest, _FINEST))
    sampler.settle()
    return sampler.trace()


def join_points(u: np.ndarray, y: np.ndarray, low: float, high: float) -> Trace:
    """Stored points, joined by lines; nan is a gap."""
    shares = _shares(y, low, high)
    finite = np.isfinite(shares)
    return Trace(u, shares, ~(finite[:-1] & finite[1:]), np.zeros(len(u), bool))


def _shares(y: np.ndarray, low: float, high: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(np.clip((y - low) / (high - low), -1e6, 1e6), float)


def _visible(y: np.ndarray, rows: float) -> np.ndarray:
    """Pixels above the lower edge, clipped just outside of the frame."""
    return np.clip(y * rows, -_BEYOND, rows + _BEYOND)


class _Sampler:
    def __init__(
        self,
        values: Callable[[np.ndarray], np.ndarray],
        low: float,
        high: float,
        finest: float,
    ) -> None:
        self._values, self._low, self._high, self._finest = values, low, high, finest
        self._rng = np.random.default_rng(_SEED)
        self._edges = np.linspace(0, 1, COLUMNS + 1)
        self.u = self._edges
        self.y = self._at(self.u)

    def _at(self, u: np.ndarray) -> np.ndarray:
        return _shares(np.asarray(self._values(u), float), self._low, self._high)

    def _add(self, u: np.ndarray, y: np.ndarray) -> None:
        u, y = np.concatenate([self.u, u]), np.concatenate([self.y, y])
        order = np.argsort(u, kind="stable")
        u, y = u[order], y[order]
        new = np.concatenate([[True], np.diff(u) > 0])
        self.u, self.y = u[new], y[new]

    def settle(self) -> None:
        """Batches, peaks and leaps."""
        open_columns = np.arange(COLUMNS)
        before = self._envelope()
        for batch in range(_BATCHES):
            n = _PER_COLUMN if batch < 2 else _PER_COLUMN * 2 ** (batch - 1)
            cells = (np.arange(n) + self._rng.random((len(open_columns), n))) / n
            u = ((open_columns[:, None] + cells) / COLUMNS).ravel()
            self._add(u, self._at(u))
            self._climb()
            after = self._envelope()
            blank = np.isnan(before).any(0) != np.isnan(after).any(0)
            with np.errstate(invalid="ignore"):
                moved = (np.abs(after - before) > _SETTLED).any(0)
            open_columns, before = np.flatnonzero(blank | moved), after
            if not len(open_columns):
                break
        self._halve_leaps()

    def _starts(self) -> np.ndarray:
        return np.searchsorted(self.u, self._edges)

    def _envelope(self) -> np.ndarray:
        """Least and largest value of each column, both edges included; shape (2, COLUMNS)."""
        v, starts = _visible(self.y, ROWS), self._starts()
        ends = v[starts]
        low = np.fmin(np.fmin.reduceat(v, starts[:-1]), ends[1:])
        high = np.fmax(np.fmax.reduceat(v, starts[:-1]), ends[1:])
        return np.stack([low, high])

    def _climb(self) -> None:
        for _ in range(10):
            v, starts = _visible(self.y, ROWS), self._starts()
            column = np.minimum((self.u * COLUMNS).astype(int), COLUMNS - 1)
            tops = []
            for sign in (1.0, -1.0):
                w = sign * v
                best = np.fmax.reduceat(w, starts[:-1])
                at = np.flatnonzero(w == best[column])
                at = at[(at > 0) & (at < len(w) - 1)]
                drop = w[at] - np.fmin(w[at - 1], w[at + 1])
                inside = (v[at] > -_BEYOND) & (v[at] < ROWS + _BEYOND)
                at = at[(drop > 0.1) & inside]
                _, first = np.unique(column[at], return_index=True)
                tops.append(at[first])
            at = np.unique(np.concatenate(tops))
            left = np.unique(np.concatenate([at - 1, at]))
            left = left[np.diff(self.u)[left] > 8 * self._finest]
            if not len(left):
                return
            u = (self.u[left] + self.u[left + 1]) / 2
            self._add(u, self._at(u))

    def _halve_leaps(self) -> None:
        """Halve the intervals that leap, until they are joined unseen or as narrow as a jump."""
        a, b, ya, yb = self.u[:-1], self.u[1:], self.y[:-1], self.y[1:]
        counts = np.bincount(self._column(self.u), minlength=COLUMNS)
        all_u, all_y = [], []
        for _ in range(60):
            chosen = self._leaps(ya, yb) & (b - a > self._finest)
            chosen &= counts[self._column((a + b) / 2)] < _CROWDED
            if not chosen.any():
                break
            a, b, ya, yb = a[chosen], b[chosen], ya[chosen], yb[chosen]
            middle = (a + b) / 2
            y = self._at(middle)
            counts += np.bincount(self._column(middle), minlength=COLUMNS)
            all_u.append(middle)
            all_y.append(y)
            a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
            ya, yb = np.concatenate([ya, y]), np.concatenate([y, yb])
        if all_u:
            self._add(np.concatenate(all_u), np.concatenate(all_y))
        self._counts = counts

    @staticmethod
    def _column(u: np.ndarray) -> np.ndarray:
        return np.minimum((u * COLUMNS).astype(int), COLUMNS - 1)

    @staticmethod
    def _leaps(ya: np.ndarray, yb: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            leap = np.abs(_visible(yb, ROWS) - _visible(ya, ROWS)) > _LEAP
        return np.asarray(leap | (np.isfinite(ya) != np.isfinite(yb)))

    def trace(self) -> Trace:
        """Where a column is crowded all is joined: it is drawn as a bar."""
        crowded = (self._counts >= _CROWDED)[self._column(self.u)]
        keep = np.isfinite(self.y) | ~crowded
        u, y, crowded = self.u[keep], self.y[keep], crowded[keep]
        finite = np.isfinite(y)
        narrow = np.diff(u) <= 2 * self._finest
        gap = self._leaps(y[:-1], y[1:]) & narrow & ~(crowded[:-1] & crowded[1:])
        return Trace(u, y, gap | ~(finite[:-1] & finite[1:]), crowded)


@dataclass(frozen=True)
class Line:
    """A curve in pixels of one size, in pieces."""

    # Each (N, 2): x to the right, y downwards; of the band what lies in it is covered wholly
    pieces: tuple[np.ndarray, ...]
    band: tuple[np.ndarray, ...]
    x: np.ndarray  # Columns with a value
    # top, bottom: the envelope of each such column, in pixels downwards
    top: np.ndarray
    bottom: np.ndarray

    @cached_property
    def paths(self) -> tuple[str, str]:
        """The data of a ``<path>`` for the pieces, and for the band."""
        return path_of(self.pieces), path_of(self.band)


def draw_line(trace: Trace, left: float, width: float, height: float) -> Line:
    """In a frame of that height, from `left` to `left + width`.

    Of each pixel column the first, least, largest and last point are kept; where it has many turns
    a bar from the least to the largest.
    """
    finite = np.isfinite(trace.y)
    piece = np.concatenate([[0], np.cumsum(trace.gap)])[finite]
    x, v = left + trace.u[finite] * width, height - _visible(trace.y[finite], height)
    if not len(x):
        return Line((), (), x, x, x)
    column = np.floor(x)
    key_change = np.concatenate([[True], (np.diff(column) != 0) | (np.diff(piece) != 0)])
    starts = np.flatnonzero(key_change)
    group = np.cumsum(key_change) - 1
    ends = np.concatenate([starts[1:], [len(x)]]) - 1
    low, high = np.minimum.reduceat(v, starts), np.maximum.reduceat(v, starts)
    at = np.arange(len(x))
    far = len(x)
    first_low = np.minimum.reduceat(np.where(v == low[group], at, far), starts)
    first_high = np.minimum.reduceat(np.where(v == high[group], at, far), starts)
    turn = _turns(v)
    turns = np.add.reduceat(turn, starts)
    bars = (turns > _TURNS) & (high - low > 2 * _LEAP)
    plain = np.unique(
        np.concatenate([part[~bars] for part in (starts, first_low, first_high, ends)])
    )
    groups = np.flatnonzero(bars)
    # Bars go up and down in turn: what joins them is short.
    upward = np.where(groups % 2 == 0, low[groups], high[groups])
    downward = np.where(groups % 2 == 0, high[groups], low[groups])
    middle = np.clip(column[starts[groups]] + 0.5, left, left + width)
    px = np.concatenate([x[plain], middle, middle])
    py = np.concatenate([v[plain], upward, downward])
    order = np.lexsort(
        (
            np.concatenate([plain, np.zeros(len(groups)), np.ones(len(groups))]),
            np.concatenate([group[plain], groups, groups]),
        )
    )
    drawn = np.concatenate([plain, starts[groups], starts[groups]])[order]
    points = np.stack([px, py], axis=1)[order]
    shown = np.unique(column)
    where = np.searchsorted(shown, column)
    top, bottom = np.full(len(shown), np.inf), np.full(len(shown), -np.inf)
    np.minimum.at(top, where, v)
    np.maximum.at(bottom, where, v)
    dense = _is_dense(np.bincount(where, turn, len(shown)), bottom - top)[where[drawn]]
    cuts = np.flatnonzero((np.diff(piece[drawn]) != 0) | np.diff(dense)) + 1
    parts = [_within(_simplify(part), height) for part in np.split(points, cuts)]
    pieces, band = (
        tuple(
            part
            for part, first in zip(parts, [0, *cuts], strict=True)
            if len(part) and dense[first] == banded
        )
        for banded in (False, True)
    )
    return Line(pieces, band, shown, top, bottom)


def _turns(v: np.ndarray) -> np.ndarray:
    """1 where it goes the other way from there: what is cut to the frame may stay level between."""
    slope = np.sign(np.diff(v))
    moving = np.flatnonzero(slope)
    turn = np.zeros(len(v), int)
    turn[moving[1:][np.diff(slope[moving]) != 0]] = 1
    return turn


def _is_dense(turns: np.ndarray, tall: np.ndarray) -> np.ndarray:
    """The columns around which a line that goes up and down leaves no room."""
    dense = (_around(turns).sum(axis=1) >= _DENSE) & (_around(tall).max(axis=1) > _TALL)
    return np.asarray(_around(dense).any(axis=1))


def _around(columns: np.ndarray) -> np.ndarray:
    """Each column with those near to it."""
    padded = np.pad(columns, _NEAR, "symmetric")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEAR + 1)


def _within(points: np.ndarray, height: float) -> np.ndarray:
    """Nothing of a piece that lies wholly outside of the frame."""
    outside = (points[:, 1] <= -_BEYOND).all() or (points[:, 1] >= height + _BEYOND).all()
    return points[:0] if outside else points


def _simplify(points: np.ndarray, tolerance: float = 0.05) -> np.ndarray:
    """Without the points within the tolerance of the line through the others (Douglas–Peucker)."""
    keep = np.zeros(len(points), bool)
    keep[[0, -1]] = True
    stack = [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        start, step = points[first], points[last] - points[first]
        rest = points[first + 1 : last] - start
        length = float(step @ step)
        along = np.clip(rest @ step / length, 0, 1) if length else np.zeros(len(rest))
        off = rest - along[:, None] * step
        distance = np.einsum("ij,ij->i", off, off)
        worst = int(np.argmax(distance))
        if distance[worst] > tolerance**2:
            middle = first + 1 + worst
            keep[middle] = True
            stack += [(first, middle), (middle, last)]
    return points[keep]


def path_of(pieces: tuple[np.ndarray, ...]) -> str:
    """Pieces as the data of one ``<path>``, in few bytes.

    >>> path_of((np.array([[1.0, 2.0], [2.5, 2.0], [3.5, 1.75]]), np.array([[7.0, 7.0]])))
    'M1 2h1.5l1-.25M7 7h0'
    """
    digits = 2 if sum(map(len, pieces)) < 300 else 1
    parts = []
    for piece in pieces:
        whole = np.rint(piece * 10**digits).astype(int)
        x, y = whole[0].tolist()
        parts.append("M" + _pair(x, y, digits))
        steps = np.diff(whole, axis=0)
        steps = steps[(steps != 0).any(axis=1)].tolist()
        last = ""
        for dx, dy in steps:
            letter = "v" if dx == 0 else "h" if dy == 0 else "l"
            if letter == "l":
                text = _pair(dx, dy, digits)
            else:
                text = _decimal(dy if dx == 0 else dx, digits)
            joint = letter if letter != last else "" if text[0] == "-" else " "
            parts.append(joint + text)
            last = letter
        if not steps:
            parts.append("h0")
    return "".join(parts)


def _pair(x: int, y: int, digits: int) -> str:
    second = _decimal(y, digits)
    return _decimal(x, digits) + ("" if second[0] == "-" else " ") + second


def _decimal(value: int, digits: int) -> str:
    """A whole number of the last digit's units in few characters.

    >>> [_decimal(value, 2) for value in (0, -25, 1250, 100)]
    ['0', '-.25', '12.5', '1']
    """
    whole, rest = divmod(abs(value), 10**digits)
    fraction = f"{rest:0{digits}d}".rstrip("0")
    text = f"{whole or ''}.{fraction}" if fraction else str(whole)
    return f"-{text}" if value < 0 else text


def points_of(trace: Trace, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the range and values of all that the largest plot shows, with nan at each gap."""
    gap = np.full((1, 2), np.nan)
    line = draw_line(trace, 0, COLUMNS, ROWS)
    pieces = sorted((*line.pieces, *line.band), key=lambda piece: float(piece[0, 0]))
    x, y = np.concatenate([gap, *(part for piece in pieces for part in (piece, gap))]).T
    return x / COLUMNS, low + (1 - y / ROWS) * (high - low)


def level_line(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where a grid's values are a level: both ends of each stroke, then nan.

    Each cell is two triangles, in each of which the values are a plane.

    >>> x, y = np.array([0.0, 1.0]), np.array([0.0, 2.0])
    >>> level_line(x, y, np.array([[0.0, 1.0], [0.0, 1.0]]), 0.25)
    (array([0.25, 0.25,  nan, 0.25, 0.25,  nan]), array([1.5, 0. , nan, 2. , 1.5, nan]))
    """
    grid = np.stack([*np.meshgrid(x, y), z], axis=-1)
    corners = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    halves = (np.stack([corners[k] for k in half]) for half in ((0, 1, 2), (1, 2, 3)))
    triangles = np.concatenate([half.reshape(3, -1, 3) for half in halves], axis=1)
    triangles = triangles[:, np.isfinite(triangles).all(axis=(0, 2))]
    above = triangles[..., 2] > level
    cut = (above.sum(axis=0) % 3) > 0
    triangles, above = triangles[:, cut], above[:, cut]
    odd = np.argmax(above == (above.sum(axis=0) == 1), axis=0)
    at = np.arange(len(odd))
    start = triangles[odd, at]
    ends = np.full((len(odd), 3, 2), np.nan)
    for place in (0, 1):
        other = triangles[(odd + place + 1) % 3, at]
        share = ((level - start[:, 2]) / (other[:, 2] - start[:, 2]))[:, None]
        ends[:, place] = (start + share * (other - start))[:, :2]
    return ends[..., 0].ravel(), ends[..., 1].ravel()
