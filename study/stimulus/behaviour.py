"""What a curve or a map does, in words for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eic_core.drawing.curves import Trace
from study.rating_types import Axis, says_nothing
from study.stimulus.axes import number_text

_VISIBLE = 0.006  # Of the frame's height: a smaller rise or fall is not seen either
_FEW, _EXACT, _MANY = 3, 20, 1000
"""Turns that are told one by one, counted exactly, and counted at all."""


def describe_curve(trace: Trace, across: Axis, up: Axis) -> str:
    """A predicate over the range of the data, cut to the frame as the plot is.

    Parameters
    ----------
    trace
        The curve.
    across
    up
        The axes of the plot.

    Returns
    -------
    str
        Without a subject: "rises from 2 to 7 cm without a turn".
    """
    finite = np.isfinite(trace.y)
    if not finite.any():
        return "has no value in the range of the data"
    y = np.clip(trace.y, 0, 1)
    clauses = [_course(trace, y, up)]
    clauses += _absences(trace, across)
    clauses += _departures(trace, across)
    return "; ".join(clauses)


def _course(trace: Trace, y: np.ndarray, up: Axis) -> str:
    def value(share: float) -> str:
        return _value(share, up)

    unit = _unit(up)
    finite = np.isfinite(y)
    least, most = float(y[finite].min()), float(y[finite].max())
    within = f"between {value(least)} and {value(most)}{unit}"
    pieces = [piece for piece in _pieces(y, trace.gap) if len(piece)]
    corners = [_corners(piece) for piece in pieces]
    turns = sum(max(0, len(piece) - 2) for piece in corners)
    jumps = _jumps(trace, y)
    if turns > _MANY:
        return f"swings {within}, too fast to tell its turns apart"
    leaping = f", with {_count(len(jumps), 'jump')}" if len(jumps) else ""
    if most - least < _VISIBLE:
        return f"stays at {value((least + most) / 2)}{unit}{leaping}"
    if turns > _FEW or (turns and len(corners) > 1):
        return f"rises and falls {within}, with {_count(turns, 'turn')}{leaping}"
    if len(corners) > 1:
        directions = {np.sign(piece[-1] - piece[0]) for piece in corners if len(piece) > 1}
        steps = [
            np.sign(later[0] - earlier[-1])
            for earlier, later in zip(corners, corners[1:], strict=False)
        ]
        flat = all(abs(piece[-1] - piece[0]) < _VISIBLE for piece in corners)
        if flat:
            if len(jumps) and len(set(steps)) == 1:
                verb = "rises" if steps[0] > 0 else "falls"
                return (
                    f"{verb} from {value(corners[0][0])} to {value(corners[-1][-1])}{unit} in "
                    f"{_count(len(jumps), 'jump')}, level in between"
                )
            return f"is level in pieces {within}{leaping}"
        if len(directions) == 1:
            verb = "rises" if directions.pop() > 0 else "falls"
            return f"{verb} in each of its {len(corners)} pieces, {within}{leaping}"
        return f"rises and falls {within}{leaping}"
    line = corners[0]
    phrases = []
    for k, (start, end) in enumerate(zip(line, line[1:], strict=False)):
        verb = "rises" if end > start else "falls"
        origin = f" from {value(start)}" if k == 0 else ""
        last = k == len(line) - 2
        then = "then " if k and last else ""
        phrases.append(f"{then}{verb}{origin} to {value(end)}{unit if last else ''}")
    if len(phrases) == 1:
        return f"{phrases[0]} without a turn"
    return ", ".join(phrases)


def _unit(axis: Axis) -> str:
    """What can stand behind a number: "index, 1982 = 100" cannot."""
    return "" if not axis.unit or set(axis.unit) & set(",=") else f" {axis.unit}"


def _value(share: float, up: Axis, digits: int = 3) -> str:
    """A value as fine as it can be seen: the digits are those of the span."""
    span = up.high - up.low
    number = round(up.low + share * span, digits - int(np.floor(np.log10(span))))
    return number_text(number, _digits(up))


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"one {noun}"
    if number <= _EXACT:
        return f"{number} {noun}s"
    return f"about {number_text(number)} {noun}s"


def _pieces(y: np.ndarray, gap: np.ndarray) -> list[np.ndarray]:
    return [piece[np.isfinite(piece)] for piece in np.split(y, np.flatnonzero(gap) + 1)]


def _corners(y: np.ndarray) -> list[float]:
    """First and last value, and in between each turn that can be seen."""
    slope = np.sign(np.diff(y))
    moving = np.flatnonzero(slope)
    if not len(moving):
        return [float(y[0]), float(y[-1])]
    change = np.flatnonzero(np.diff(slope[moving]))
    extremes = y[np.concatenate([[0], moving[change] + 1, [len(y) - 1]])].tolist()
    if len(extremes) > 50 * _MANY:
        return [0.0] * len(extremes)
    start = pivot = extremes[0]
    corners, direction = [start], 0
    lowest = highest = start
    for value in extremes[1:]:
        lowest, highest = min(lowest, value), max(highest, value)
        if direction == 0:
            if value - lowest >= _VISIBLE or highest - value >= _VISIBLE:
                direction = 1 if value - lowest >= _VISIBLE else -1
                opposite = lowest if direction > 0 else highest
                if abs(opposite - start) >= _VISIBLE:
                    corners.append(opposite)
                pivot = value
            continue
        if (value - pivot) * direction >= 0:
            pivot = value
        elif abs(value - pivot) >= _VISIBLE:
            corners.append(pivot)
            direction, pivot = -direction, value
    corners.append(pivot if direction else extremes[-1])
    return corners


def _jumps(trace: Trace, y: np.ndarray) -> np.ndarray:
    """Where two values meet a gap without width."""
    at = np.flatnonzero(trace.gap)
    both = np.isfinite(y[at]) & np.isfinite(y[at + 1])
    at = at[both & (np.diff(trace.u)[at] < 1e-6)]
    return np.asarray(trace.u[at])


def _absences(trace: Trace, across: Axis) -> list[str]:
    """Where it has no value."""
    where = _spans(trace.u, ~np.isfinite(trace.y) & ~trace.crowded, across)
    return [f"has no value {where}"] if where else []


def _departures(trace: Trace, across: Axis) -> list[str]:
    """Where it is above or below the frame."""
    with np.errstate(invalid="ignore"):
        beyond = np.maximum(trace.y - 1, -trace.y)  # nan where there is no value
        outside, far = beyond > 1e-9, beyond > _VISIBLE
    where = _spans(trace.u, outside & ~trace.crowded, across)
    if not where and far.any():
        where = "in short stretches"  # At poles, or where it turns fast
    return [f"leaves the plot {where}"] if where else []


def _spans(u: np.ndarray, chosen: np.ndarray, across: Axis) -> str:
    """Runs of chosen points, as "below x = 2", "between …", "in 7 places"."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(int), [0]])))
    runs = [
        (float(u[first]), float(u[last - 1]), first == 0, last == len(u))
        for first, last in edges.reshape(-1, 2)
        if u[last - 1] - u[first] > 0.002
    ]
    if not runs:
        return ""
    name = across.meaning if across.meaning and says_nothing(across.written) else across.written

    def at(share: float) -> str:
        return _value(share, across)

    if len(runs) > 2:
        return f"in {len(runs)} places"
    phrases = []
    for low, high, from_start, to_end in runs:
        if from_start and to_end:
            return "over the whole range of the data"
        if from_start:
            phrases.append(f"below {name} = {at(high)}")
        elif to_end:
            phrases.append(f"beyond {name} = {at(low)}")
        else:
            phrases.append(f"between {name} = {at(low)} and {at(high)}")
    return " and ".join(phrases)


def _digits(axis: Axis) -> int:
    """Enough to tell apart hundredths of the range."""
    largest, span = max(abs(axis.low), abs(axis.high)), axis.high - axis.low
    return int(np.clip(np.ceil(np.log10(largest / span)) + 2, 3, 12)) if largest else 3


def describe_map(grid: np.ndarray, inputs: Sequence[Axis], up: Axis) -> str:
    """A predicate of a map.

    Parameters
    ----------
    grid
        Shape (M, N): shares of the scale, 0 to 1; rows upwards along the second input, columns
        along the first; nan where there is no value.
    inputs
        The axes of columns and rows.
    up
        The scale's axis.

    Returns
    -------
    str
        Where it is largest and least, and how it goes along each input.
    """
    finite = np.isfinite(grid)
    if not finite.any():
        return "has no value in the range of the data"

    def value(share: float) -> str:
        return _value(share, up, 1)

    names = [a.meaning if a.meaning and says_nothing(a.written) else a.written for a in inputs]
    unit = _unit(up)
    blank = 1 - float(finite.mean())
    absence = f"; has no value in about {max(1, round(100 * blank))} % of the map"
    end = absence if blank > 0.005 else ""
    values = np.clip(grid, 0, 1)
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    if most - least < 0.02:
        return f"stays at about {value((least + most) / 2)}{unit}{end}"
    top, bottom = _place(values, most, names), _place(values, least, names)
    places = [
        f"largest (about {value(most)}{unit}) {top}",
        f"smallest (about {value(least)}) {bottom}",
    ]
    courses = [_along(values, axis, name) for axis, name in ((1, names[0]), (0, names[1]))]
    return f"is {places[0]}, {places[1]}; {courses[0]}, {courses[1]}{end}"


def _place(values: np.ndarray, share: float, names: Sequence[str]) -> str:
    """Where the values close to an extreme lie: a third of each axis, if they lie together."""
    spread = np.nanmax(values) - np.nanmin(values)
    rows, columns = np.nonzero(np.abs(values - share) <= 0.03 * spread)
    phrases = []
    for at, size, name in ((columns, values.shape[1], names[0]), (rows, values.shape[0], names[1])):
        low, high = np.quantile((at + 0.5) / size, [0.05, 0.95])
        if high - low > 0.6:
            continue
        middle = (low + high) / 2
        word = "small" if middle < 0.36 else "large" if middle > 0.64 else "medium"
        phrases.append(f"{word} {name}")
    return "at " + " and ".join(phrases) if phrases else "in several places"


def _along(values: np.ndarray, axis: int, name: str) -> str:
    """How it goes along one input: in the averages of blocks, and from cell to cell if it leaps."""
    coarse = np.diff(_blocks(values), axis=axis)
    cells = np.diff(values, axis=axis)
    up, down = (
        max(
            float(np.nanmean(np.where(sign * coarse > 0.004, sign * coarse, 0.0))),
            float(np.nanmean(np.where(sign * cells > 0.03, sign * cells, 0.0))),
        )
        for sign in (1.0, -1.0)
    )
    if up + down < 0.001:
        return f"hardly changes with {name}"
    if down < 0.03 * (up + down):
        return f"rises with {name}"
    if up < 0.03 * (up + down):
        return f"falls with {name}"
    return f"rises and falls with {name}"


def _blocks(values: np.ndarray, count: int = 15) -> np.ndarray:
    """Averages of about as many blocks either way: what random places of samples add is gone."""
    rows, columns = (np.linspace(0, size, count + 1).astype(int) for size in values.shape)
    total = np.add.reduceat(np.nan_to_num(values), rows[:-1], axis=0)
    total = np.add.reduceat(total, columns[:-1], axis=1)
    number = np.add.reduceat(np.isfinite(values).astype(float), rows[:-1], axis=0)
    number = np.add.reduceat(number, columns[:-1], axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
