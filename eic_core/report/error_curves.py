"""The digits that a formula and other forms of it lose over the data, and which branch is where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    Array,
    Bars,
    Chart,
    ChartAxis,
    Colour,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from eic_core.drawing.scale import END
from eic_core.report.charts import DIGITS
from eic_core.report.rulers import Ruler, letters
from eic_core.rewriting.profile import NO_BRANCH, Profile

TINTS: tuple[Colour, ...] = ("green", "orange", "accent", "data")
"""Of the regions, one after the other."""

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
"""Of the branches, where they lie among one another along an axis."""

_NAME = 44
_ON_GRID, _ON_MAP, _HALVINGS = 2_000, 80, 40
_LETTERS = 38
"""Characters across a picture on a phone."""


@dataclass(frozen=True)
class Along:
    """What the rows are drawn against: an input, what a condition compares, or two inputs."""

    kind: Literal["input", "quantity", "map"]
    name: str = ""  # Of the input, or the text of the quantity


def ways_along(profile: Profile) -> tuple[Along, ...]:
    """All axes for the rows, the most telling first; none for a formula without inputs.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> from eic_core.rewriting.profile import profile
    >>> samples = Samples.from_columns({n: [1.0, 2.0, 3.0, 5.0] for n in "abc"})
    >>> formula = inspect(read("a*b - c").formula, samples)
    >>> form = read("where(a*b < 4, a*b - c, where(c < 2, -c + a*b, a*b - c))").formula
    >>> [(way.kind, way.name) for way in ways_along(profile(formula, form))]
    [('quantity', 'a*b'), ('input', 'c'), ('input', 'a'), ('input', 'b')]
    """
    names = list(profile.inputs)
    if len(names) == 1:
        return (Along("input", names[0]),)
    ways = [Along("map")] if len(names) == 2 else []
    for name, values in profile.decided_by.items():
        if name in names:
            ways.append(Along("input", name))
        elif len(np.unique(values[np.isfinite(values)])) > 3:  # a sign is no axis
            ways.append(Along("quantity", name))
    return tuple(dict.fromkeys([*ways, *(Along("input", name) for name in names)]))


def values_along(profile: Profile, along: Along) -> Array:
    return (profile.decided_by if along.kind == "quantity" else profile.inputs)[along.name]


@dataclass(frozen=True)
class ShadedSpan:
    """A stretch of an axis on which one branch is taken."""

    left: float  # Places of a ruler
    right: float
    branch: int


def regions_along(profile: Profile, along: Along, ruler: Ruler) -> tuple[ShadedSpan, ...]:
    """The stretches of the axis, from left to right; none where branches lie among one another."""
    if len(profile.conditions) < 2:
        return ()
    if len(profile.inputs) == 1:
        return _exact_regions(profile, along.name, ruler)
    values = values_along(profile, along)
    usable = np.flatnonzero(np.isfinite(values))
    order = usable[np.argsort(values[usable], kind="stable")]
    places, branch_at = ruler.place(values[order]), profile.taken[order]
    changes = np.flatnonzero(np.diff(branch_at)) + 1
    if not len(order) or len(changes) > 2 * len(profile.conditions):
        return ()
    ends = ((places[changes - 1] + places[changes]) / 2).tolist()
    left, right = ruler.limits()
    firsts = [0, *changes.tolist()]
    return tuple(
        ShadedSpan(low, high, int(branch_at[k]))
        for low, high, k in zip([left, *ends], [*ends, right], firsts, strict=True)
    )


def _exact_regions(profile: Profile, name: str, ruler: Ruler) -> tuple[ShadedSpan, ...]:
    """The same of a single input: the branches are asked for at any number."""

    def branch_at(places: Array) -> Array:
        return profile.taken_at({name: ruler.value(places)}, len(places))

    left, right = ruler.limits()
    grid = np.linspace(left, right, _ON_GRID)
    branches = branch_at(grid)
    changes = np.flatnonzero(np.diff(branches))
    ends = np.mean(_turns(branch_at, grid[changes], grid[changes + 1]), axis=0).tolist()
    firsts = [0, *(changes + 1).tolist()]
    return tuple(
        ShadedSpan(start, end, int(branches[k]))
        for start, end, k in zip([left, *ends], [*ends, right], firsts, strict=True)
    )


def _turns(take: Callable[[Array], Array], low: Array, high: Array) -> tuple[Array, Array]:
    """Pairs of places on either side of a change of what is taken at them."""
    first = take(low) if len(low) else low
    for _ in range(_HALVINGS * (len(low) > 0)):
        middle = (low + high) / 2
        same = take(middle) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low, high


def error_curves(
    profile: Profile,
    along: Along,
    own: Profile | None = None,
    *,
    name: str = "instead",
    labels: Mapping[str, str] | None = None,
) -> Chart:
    """The digits lost at each row, as written, with the form and with the user's own: against one
    quantity, or over two inputs.
    """
    forms: list[tuple[str, Array, Colour, str]] = [
        ("as written", profile.before, "orange", "circle-open"),
        (name, profile.after, "blue", "circle"),
    ]
    forms += [] if own is None else [("yours", own.after, "green", "diamond")]
    if along.kind == "map":
        return _maps(profile, [(title, lost) for title, lost, *_ in forms], labels or {})
    values = values_along(profile, along)
    ruler = Ruler.of(values)
    regions, place = regions_along(profile, along, ruler), ruler.place(values)
    mixed = not regions and len(profile.conditions) > 1
    marks = [*_shaded(profile, regions, ruler)]
    for title, lost, colour, symbol in forms:
        usable = np.flatnonzero(np.isfinite(values) & ~np.isnan(lost))
        rows = usable[np.argsort(values[usable], kind="stable")]
        groups = [(title, symbol, rows)]
        if mixed and title == name:
            groups = [
                (f"{name}, {letter}", SYMBOLS[k % len(SYMBOLS)], rows[profile.taken[rows] == k])
                for k, letter in enumerate(letters(len(profile.conditions)))
            ]
        branches = profile.taken[rows] if regions else np.zeros(len(rows), dtype=np.int64)
        x, y = _running_means(place[rows], lost[rows], branches)
        if len(groups) == 1 and x:
            marks.append(Stroke(x, y, 2.5, colour=colour, name=title))
        for group, sign, part in groups:
            hints = [
                f"{value:.6g}\n{group}: {digits:.1f} digits lost"
                for value, digits in zip(values[part].tolist(), lost[part].tolist(), strict=True)
            ]
            label = group if len(groups) > 1 or not x else ""
            marks.append(
                Points(
                    place[part], lost[part], sign, 6,
                    colour=colour, opacity=0.55, name=label, hints=hints,
                )
            )  # fmt: skip
    title = (labels or {}).get(along.name, along.name) if along.kind == "input" else along.name
    x_axis = ChartAxis(wording.shorten(title, _NAME), ruler.limits(), ruler.ticks())
    up = ChartAxis("digits lost", (-0.5, END * (1.16 if regions else 1.03)), DIGITS)
    words = f"Digits lost over {along.name}, {wording.join([title for title, *_ in forms])}."
    return Chart((Panel(tuple(marks), x_axis, up, 200),), words, free=True)


def _running_means(x: Array, y: Array, branch_at: Array) -> tuple[list[float], list[float]]:
    """Means over a twelfth of the rows, at least five; nan between the stretches of a branch."""
    width = max(5, len(x) // 12)
    places: list[float] = []
    means: list[float] = []
    for part in np.split(np.arange(len(x)), np.flatnonzero(np.diff(branch_at)) + 1):
        if len(part) < 5:
            continue
        half = min(width, len(part)) // 2
        sums = np.concatenate([[0.0], np.cumsum(y[part])])
        at = np.arange(len(part))
        low, high = np.maximum(at - half, 0), np.minimum(at + half + 1, len(part))
        places += [*x[part].tolist(), float("nan")]
        means += [*((sums[high] - sums[low]) / (high - low)).tolist(), float("nan")]
    return places, means


def _shaded(profile: Profile, regions: tuple[ShadedSpan, ...], ruler: Ruler) -> Iterator[Mark]:
    """The regions tinted, with their borders; the letter of each, with its condition where there
    is room.
    """
    left, right = ruler.limits()
    names, top = letters(len(profile.conditions)), END * 1.16
    for region in regions:
        if region.branch != NO_BRANCH:
            middle, wide = (region.left + region.right) / 2, region.right - region.left
            tint = TINTS[region.branch % len(TINTS)]
            yield Bars([middle], [top], wide, -0.5, colour=tint, opacity=0.13)
            text = f"{names[region.branch]}: {profile.conditions[region.branch] or 'otherwise'}"
            room = wide / (right - left) * _LETTERS
            yield Label(text if len(text) < room else text[0], middle, 0.96, "y", "center")
    for region in regions[1:]:
        yield Guide(region.left, colour="muted")


def _maps(profile: Profile, forms: list[tuple[str, Array]], labels: Mapping[str, str]) -> Chart:
    """A map of the rows for each form, side by side or one under the other."""
    columns = list(profile.inputs.values())
    across, up = (Ruler.of(column) for column in columns)
    xs, ys = across.place(columns[0]), up.place(columns[1])
    panels = []
    for title, lost in forms:
        rows = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys) & ~np.isnan(lost))
        rows = rows[np.argsort(lost[rows], kind="stable")]  # the worst on top
        places = zip(columns[0][rows].tolist(), columns[1][rows].tolist(), lost[rows], strict=True)
        hints = [f"{title}: {digits:.1f} digits lost\n{x:.6g}, {y:.6g}" for x, y, digits in places]
        marks: list[Mark] = [Points(xs[rows], ys[rows], digits=lost[rows], hints=hints)]
        if title != "as written" and len(profile.conditions) > 1:
            marks = [*_areas(profile, across, up), *marks]
        marks.append(Label(title, 0.5, 1, "xy", "center", raised=True))
        x, y = (
            ChartAxis(labels.get(name, name), ruler.limits(), ruler.ticks(most))
            for name, ruler, most in zip(profile.inputs, (across, up), (3, 6), strict=True)
        )
        panels.append(Panel(tuple(marks), x, y, 200))
    words = f"Digits lost over {wording.join([*profile.inputs])}, each row coloured by its loss."
    return Chart(tuple(panels), words, columns=len(panels), free=True)


def _areas(profile: Profile, across: Ruler, up: Ruler) -> Iterator[Mark]:
    """The area of each branch with its letter, and dashed borders. Lines upwards are cut where the
    branch turns; they stand on both sides of each place across where branches begin or end.
    """
    (left, right), (low, high) = across.limits(), up.limits()
    xs, ys = np.linspace(left, right, _ON_MAP), np.linspace(low, high, _ON_MAP)

    def branch_at(x: Array, y: Array) -> Array:
        places = zip(profile.inputs, (across.value(x), up.value(y)), strict=True)
        return profile.taken_at(dict(places), len(x))

    def columns(x: Array) -> Array:
        return branch_at(np.repeat(x, _ON_MAP), np.tile(ys, len(x))).reshape(len(x), _ON_MAP)

    def orders(x: Array) -> Array:
        """The branches on each line from bottom to top, as text."""
        return np.array([str([branch for branch, _ in groupby(line)]) for line in columns(x)])

    grid, order = columns(xs), orders(xs)
    changes = np.flatnonzero(order[:-1] != order[1:])
    xs = np.sort(np.concatenate([xs, *_turns(orders, xs[changes], xs[changes + 1])]))
    lines = columns(xs)
    at, below = np.nonzero(np.diff(lines))
    ends = np.mean(_turns(lambda y: branch_at(xs[at], y), ys[below], ys[below + 1]), axis=0)
    cuts = [np.array([low, *ends[at == k], high]) for k in range(len(xs))]
    areas: dict[int, list[Array]] = {}
    borders: list[Array] = []
    gap = np.full((1, 2), np.nan)
    for _, group in groupby(range(len(xs)), key=orders(xs).__getitem__):
        of_group = [*group]
        x, sides = xs[of_group], np.array([cuts[k] for k in of_group]).T
        edges = [np.column_stack([x, side]) for side in sides]
        borders += [part for edge in edges[1:-1] for part in (edge, gap)]
        branches = (int(branch) for branch, _ in groupby(lines[of_group[0]]))
        for branch, (lower, upper) in zip(branches, pairwise(edges), strict=True):
            areas.setdefault(branch, []).extend([lower, upper[::-1], lower[:1], gap])
        if of_group[-1] + 1 < len(xs):  # a border upwards
            differ = lines[of_group[-1]] != lines[of_group[-1] + 1]
            borders += [np.column_stack([np.full(_ON_MAP, x[-1]), np.where(differ, ys, np.nan)])]
            borders += [gap]
    areas.pop(NO_BRANCH, None)
    for branch, parts in areas.items():
        tint = TINTS[branch % len(TINTS)]
        x, y = np.concatenate(parts).T
        yield Stroke(x, y, filled=True, colour=tint, opacity=0.2)
    if borders:
        x, y = np.concatenate(borders).T
        yield Stroke(x, y, 1.2, "dash", colour="muted")
    for branch, letter in enumerate(letters(len(profile.conditions))):
        squares = np.argwhere(grid == branch)
        if len(squares):
            off = np.sum((squares - squares.mean(axis=0)) ** 2, axis=1)
            column, row = squares[int(np.argmin(off))]
            place = left + column / (_ON_MAP - 1) * (right - left)
            yield Label(letter, float(place), float(ys[row]), side="center", bold=True)
