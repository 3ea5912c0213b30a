"""The digits that a formula and other forms of it lose over the data, and which branch is where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.scale import HIGH, LOW, SCALE, THEMES, Theme
from eic_core.rewriting.profile import NO_BRANCH, Profile
from pages.ui.figures.plotting import (
    BLUE,
    ORANGE,
    TITLE,
    Array,
    axis_style,
    base_layout,
    build,
    label_of,
    legend_above,
    plain_text,
)
from pages.ui.figures.rulers import Ruler, letters

HEIGHT = 270
"""Pixels of the curves, and of one map."""

GREEN = {False: "#00734f", True: "#3fd09b"}
"""A third colour beside `BLUE` and `ORANGE`, by `dark`."""

TINTS = ("0,158,115", "204,121,167", "230,200,40", "110,120,200", "127,127,127")
"""Of the regions, one after the other, as parts of ``rgba``."""

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
"""Of the branches, where they lie among one another along an axis."""

_NAME = 44
_ON_GRID, _ON_MAP, _HALVINGS = 2_000, 140, 40


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
    low, high = grid[changes], grid[changes + 1]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        same = branch_at(middle) == branches[changes] if len(middle) else np.empty(0, dtype=bool)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    ends = ((low + high) / 2).tolist()
    firsts = [0, *(changes + 1).tolist()]
    return tuple(
        ShadedSpan(start, end, int(branches[k]))
        for start, end, k in zip([left, *ends], [*ends, right], firsts, strict=True)
    )


def curves_figure(
    profile: Profile,
    along: Along,
    own: Profile | None = None,
    *,
    name: str = "instead",
    labels: Mapping[str, str] | None = None,
    dark: bool = False,
    narrow: bool = False,
) -> go.Figure:
    """The digits lost at each row, as written, with the form and with the user's own: against one
    quantity, or over two inputs.
    """
    if along.kind == "map":
        return _maps(profile, own, name, labels, dark, narrow)
    theme = THEMES[dark]
    values = values_along(profile, along)
    ruler = Ruler.of(values)
    regions = regions_along(profile, along, ruler)
    mixed = not regions and len(profile.conditions) > 1
    place = ruler.place(values)
    whole = np.zeros(len(values), dtype=np.int64)
    branch_at = whole if mixed or not regions else profile.taken
    colours = {"as written": ORANGE[dark], name: BLUE[dark], "yours": GREEN[dark]}
    data = _curve("as written", colours, values, place, profile.before, branch_at, "circle-open")
    if mixed:
        data += _by_branch(name, colours[name], values, place, profile)
    else:
        data += _curve(name, colours, values, place, profile.after, branch_at, "circle")
    if own is not None:
        data += _curve("yours", colours, values, place, own.after, branch_at, "diamond")
    lost = [profile.before, profile.after, *([] if own is None else [own.after])]
    top = max(4.0, float(np.nanmax(np.concatenate([*lost, [0.0]])))) * 1.04
    head = top * 1.16 if regions else top
    title = label_of(along.name, labels) if along.kind == "input" else _short(along.name)
    layout = base_layout(dark) | {
        "height": HEIGHT,
        "margin": {"l": 46, "r": 14, "t": 26, "b": 42},
        **legend_above(theme),
        "xaxis": ruler.axis(theme, 4 if narrow else 8)
        | {"title": {"text": title, "standoff": 6, "font": TITLE}},
        "yaxis": axis_style(theme)
        | {
            "range": [-0.03 * top, head],
            "title": {"text": "digits lost", "standoff": 4, "font": TITLE},
        },
        "shapes": _shaded(regions, theme),
        "annotations": _names_of_regions(profile, regions, ruler, theme, narrow),
        "hovermode": "closest",
    }
    return build(data, layout)


def _short(text: str) -> str:
    return plain_text(text if len(text) <= _NAME else f"{text[: _NAME - 1]}…")


def _curve(
    name: str,
    colours: Mapping[str, str],
    values: Array,
    place: Array,
    lost: Array,
    branch_at: Array,
    symbol: str,
) -> list[dict[str, Any]]:
    """Points, and the running mean of neighbouring rows that take the same branch."""
    colour = colours[name]
    usable = np.flatnonzero(np.isfinite(values) & ~np.isnan(lost))
    order = usable[np.argsort(values[usable], kind="stable")]
    points = _points(name, colour, symbol, order, values, place, lost) | {"showlegend": False}
    x, y = _running_means(place[order], lost[order], branch_at[order])
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2.5},
        "hoverinfo": "skip",
    }
    if len(x) < 2:
        return [points | {"showlegend": True}]
    return [points, line]


def _points(
    name: str, colour: str, symbol: str, rows: Array, values: Array, place: Array, lost: Array
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "cliponaxis": False,
        "name": name,
        "x": place[rows],
        "y": lost[rows],
        "customdata": [f"{value:.6g}" for value in values[rows].tolist()],
        "marker": {
            "symbol": symbol,
            "size": 6,
            "color": colour,
            "opacity": 0.55,
            "line": {"width": 1, "color": colour},
        },
        "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:.1f}} digits lost<extra></extra>",
    }


def _by_branch(
    name: str, colour: str, values: Array, place: Array, profile: Profile
) -> list[dict[str, Any]]:
    """Points with a sign for each branch, where they lie among one another."""
    data, names = [], letters(len(profile.conditions))
    for branch, letter in enumerate(names):
        rows = np.flatnonzero((profile.taken == branch) & ~np.isnan(profile.after))
        if len(rows):
            symbol = SYMBOLS[branch % len(SYMBOLS)]
            data.append(
                _points(f"{name}, {letter}", colour, symbol, rows, values, place, profile.after)
            )
    return data


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


def _tint(branch: int, strength: float) -> str:
    return f"rgba({TINTS[branch % len(TINTS)]},{strength})"


def _shaded(regions: Sequence[ShadedSpan], theme: Theme) -> list[dict[str, Any]]:
    upright = {"yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    shades = [
        {
            "type": "rect",
            "x0": region.left,
            "x1": region.right,
            "fillcolor": _tint(region.branch, 0.13),
            "line": {"width": 0},
            **upright,
        }
        for region in regions
        if region.branch != NO_BRANCH
    ]
    lines = [
        {
            "type": "line",
            "x0": region.left,
            "x1": region.left,
            "line": {"color": theme.muted, "width": 1, "dash": "dash"},
            **upright,
        }
        for region in regions[1:]
    ]
    return shades + lines


_PIXELS, _LETTER = {False: 560.0, True: 270.0}, 7.0
"""About the width of the plot by `narrow`, and of a letter of a name."""


def _names_of_regions(
    profile: Profile, regions: Sequence[ShadedSpan], ruler: Ruler, theme: Theme, narrow: bool
) -> list[dict[str, Any]]:
    """The letter of each region, with its condition where there is room."""
    left, right = ruler.limits()
    notes = []
    names = letters(len(profile.conditions))
    for region in regions:
        if region.branch == NO_BRANCH:
            continue
        letter = names[region.branch]
        text = f"{letter}: {profile.conditions[region.branch] or 'otherwise'}"
        room = (region.right - region.left) / (right - left) * _PIXELS[narrow]
        notes.append(
            {
                "x": (region.left + region.right) / 2,
                "yref": "paper",
                "y": 1,
                "yanchor": "top",
                "showarrow": False,
                "text": plain_text(text if len(text) * _LETTER < room else letter),
                "font": {"size": 12, "color": theme.ink},
            }
        )
    return notes


def _maps(
    profile: Profile,
    own: Profile | None,
    name: str,
    labels: Mapping[str, str] | None,
    dark: bool,
    narrow: bool,
) -> go.Figure:
    """A map of the rows for each form, side by side or one under the other."""
    theme = THEMES[dark]
    x_name, y_name = profile.inputs
    rulers = Ruler.of(profile.inputs[x_name]), Ruler.of(profile.inputs[y_name])
    forms = [("as written", profile.before), (name, profile.after)]
    forms += [] if own is None else [("yours", own.after)]
    count = len(forms)
    layout = base_layout(dark) | {
        "height": HEIGHT * count if narrow else HEIGHT,
        "margin": {"l": 52, "r": 10, "t": 26, "b": 42},
        "hovermode": "closest",
        "annotations": [],
    }
    data: list[dict[str, Any]] = []
    gap = 0.16 / count
    for k, (title, lost) in enumerate(forms):
        number = "" if k == 0 else str(k + 1)
        along, across = _domains(k, count, gap, narrow)
        last = k == count - 1
        layout[f"xaxis{number}"] = rulers[0].axis(theme, 4) | {
            "domain": along,
            "anchor": f"y{number}",
            "title": {"text": label_of(x_name, labels), "standoff": 4, "font": TITLE},
        }
        layout[f"yaxis{number}"] = rulers[1].axis(theme, 5) | {
            "domain": across,
            "anchor": f"x{number}",
            "showticklabels": narrow or k == 0,
            "title": {
                "text": label_of(y_name, labels) if narrow or k == 0 else "",
                "standoff": 4,
                "font": TITLE,
            },
        }
        layout["annotations"].append(
            {
                "xref": "paper",
                "yref": "paper",
                "x": along[0],
                "y": across[1],
                "xanchor": "left",
                "yanchor": "bottom",
                "text": title,
                "showarrow": False,
                "font": {"size": 13, "color": theme.ink},
            }
        )
        if k == 1 and len(profile.conditions) > 1:
            data += _regions_of_map(profile, rulers, number, theme)
            layout["annotations"] += _letters_of_map(profile, rulers, number, theme)
        data.append(_map_points(profile, lost, title, rulers, number, dark, last))
    return build(data, layout)


def _domains(k: int, count: int, gap: float, narrow: bool) -> tuple[list[float], list[float]]:
    """The shares of the figure of one map, across and up."""
    if not narrow:
        width = (1 - gap * (count - 1)) / count
        return [k * (width + gap), min(1.0, k * (width + gap) + width)], [0.0, 1.0]
    between = 0.28 / count
    height = (1 - between * (count - 1)) / count
    bottom = (count - 1 - k) * (height + between)
    return [0.0, 1.0], [bottom, min(1.0, bottom + height)]


def _map_points(
    profile: Profile,
    lost: Array,
    title: str,
    rulers: tuple[Ruler, Ruler],
    number: str,
    dark: bool,
    last: bool,
) -> dict[str, Any]:
    theme = THEMES[dark]
    (x_name, x), (y_name, y) = profile.inputs.items()
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & ~np.isnan(lost))
    rows = rows[np.argsort(lost[rows], kind="stable")]  # the worst on top
    return {
        "type": "scatter",
        "mode": "markers",
        "name": title,
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "x": rulers[0].place(x[rows]),
        "y": rulers[1].place(y[rows]),
        "customdata": [
            [f"{a:.6g}", f"{b:.6g}", f"{c:.1f}"]
            for a, b, c in zip(x[rows].tolist(), y[rows].tolist(), lost[rows].tolist(), strict=True)
        ],
        "hovertemplate": f"{plain_text(x_name)} = %{{customdata[0]}}<br>{plain_text(y_name)} = "
        f"%{{customdata[1]}}<br>{title}: %{{customdata[2]}} digits lost<extra></extra>",
        "marker": {
            "size": 8,
            "color": lost[rows],
            "colorscale": SCALE[dark],
            "cmin": LOW,
            "cmax": HIGH,
            "line": {"width": 0.8, "color": theme.muted},
            "showscale": last,
            "colorbar": {
                "title": {"text": "digits lost", "side": "right", "font": TITLE},
                "thickness": 11,
                "outlinewidth": 0,
                "tickfont": {"size": 12, "color": theme.muted},
            },
        },
    }


def _regions_of_map(
    profile: Profile, rulers: tuple[Ruler, Ruler], number: str, theme: Theme
) -> list[dict[str, Any]]:
    """The regions tinted, with their borders."""
    (left, right), (bottom, top) = (ruler.limits() for ruler in rulers)
    x, y = np.linspace(left, right, _ON_MAP), np.linspace(bottom, top, _ON_MAP)
    columns = [ruler.value(places) for ruler, places in zip(rulers, (x, y), strict=True)]
    grids = np.meshgrid(*columns)
    inputs = {name: grid.ravel() for name, grid in zip(profile.inputs, grids, strict=True)}
    branch_at = profile.taken_at(inputs, _ON_MAP**2).reshape(_ON_MAP, _ON_MAP).astype(float)
    count = len(profile.conditions)
    steps = [
        [edge, _tint(branch, 0.22)]
        for branch in range(count)
        for edge in (branch / count, (branch + 1) / count)
    ]
    place = {"x": x, "y": y, "xaxis": f"x{number}", "yaxis": f"y{number}", "hoverinfo": "skip"}
    tints = {
        "type": "heatmap",
        "z": np.where(branch_at == NO_BRANCH, np.nan, branch_at),
        "zmin": -0.5,
        "zmax": count - 0.5,
        "colorscale": steps,
        "showscale": False,
        **place,
    }
    borders = [
        {
            "type": "contour",
            "z": (branch_at > branch).astype(float),
            "contours": {"start": 0.5, "end": 0.5, "size": 1, "coloring": "none"},
            "line": {"color": theme.muted, "width": 1.2, "dash": "dash"},
            "showscale": False,
            **place,
        }
        for branch in range(count - 1)
    ]
    return [tints, *borders]


def _letters_of_map(
    profile: Profile, rulers: tuple[Ruler, Ruler], number: str, theme: Theme
) -> list[dict[str, Any]]:
    """The letter of each branch at the middle of the rows that take it."""
    notes = []
    for branch, letter in enumerate(letters(len(profile.conditions))):
        rows = profile.taken == branch
        if not rows.any():
            continue
        x, y = (
            float(np.median(ruler.place(column[rows])))
            for ruler, column in zip(rulers, profile.inputs.values(), strict=True)
        )
        notes.append(
            {
                "xref": f"x{number}",
                "yref": f"y{number}",
                "x": x,
                "y": y,
                "text": f"<b>{letter}</b>",
                "showarrow": False,
                "bgcolor": theme.paper,
                "bordercolor": theme.muted,
                "borderpad": 2,
                "font": {"size": 12, "color": theme.ink},
            }
        )
    return notes
