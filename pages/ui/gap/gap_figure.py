"""The pictures of the stability gap: EIC by group, and EIC by complexity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.corpora.claims import LAWS
from eic_core.corpora.gap import MEASURES, Group, GroupSummary
from eic_core.drawing.scale import HIGH, THEMES, TYPICAL_LAW, Theme
from pages.ui.figures.plotting import axis_style, base_layout, build, plain_text
from pages.ui.kit.text import clean

HUES = {
    False: ("#0072b2", "#7a7f8a", "#009e73", "#b0589b", "#d55e00"),
    True: ("#5cb8f0", "#9aa3b2", "#3fd0a0", "#e29ad0", "#f08a4b"),
}
"""Colours by `dark`: of each group of laws in their order, and last of what methods find."""

LEAST_FOR_VIOLIN = 10
"""Formulas of a violin; of fewer only the points are drawn."""

SPREAD = 0.3
"""Largest shift of points from the line of their group: fewer cover each other."""

_GRID = 160


@dataclass(frozen=True)
class GapPicture:
    """The data of a picture."""

    groups: Sequence[Group]  # from top to bottom
    summaries: dict[str, GroupSummary]
    count: int  # rows of a formula
    measure: str  # a key of `MEASURES`
    picked: tuple[str, int] | None = None

    def eics(self, group: Group) -> np.ndarray:
        """EIC of each formula: nan where there is none, at most `edge`."""
        return np.minimum(group.eics(self.count, self.measure), self.edge)

    @property
    def edge(self) -> float:
        """Largest EIC drawn at its place: larger ones would flatten all others."""
        return HIGH

    @property
    def beyond(self) -> int:
        """Number of formulas drawn on the edge."""
        return sum(
            int(np.count_nonzero(group.eics(self.count, self.measure) > self.edge))
            for group in self.groups
        )


def violins(picture: GapPicture, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """A violin with its points for each group, the bar of its quartiles, its median and mean."""
    theme = THEMES[dark]
    data: list[dict[str, Any]] = []
    top = _top(picture)
    for row, group in enumerate(picture.groups):
        hue = colour(picture, row, dark)
        eics = picture.eics(group)
        if np.count_nonzero(~np.isnan(eics)) >= LEAST_FOR_VIOLIN:
            data.append(_violin(eics[~np.isnan(eics)], row, hue, top))
        data.append(_points(picture, group, eics, row, hue))
    for row, group in enumerate(picture.groups):
        data += _bars(picture.summaries[group.key], row, theme) + _mark(picture, row, theme)
    rows = len(picture.groups)
    layout: dict[str, Any] = base_layout(dark) | {
        "height": 56 * rows + 80 if narrow else max(420, 58 * rows + 80),
        "margin": {"l": 8, "r": 12, "t": 26, "b": 8},
        "xaxis": axis_style(theme)
        | {
            "title": {"text": f"EIC, digits ({MEASURES[picture.measure]})", "standoff": 6},
            "range": [-0.15, top],
            "fixedrange": True,
        },
        "yaxis": axis_style(theme)
        | {
            "range": [rows - 0.4, -0.6],
            "tickvals": list(range(rows)),
            "showline": False,
            "ticktext": [
                _label(group, picture.summaries[group.key], narrow) for group in picture.groups
            ],
            "ticks": "",
            "fixedrange": True,
            "tickfont": {"size": 12, "color": theme.ink},
        },
        "hovermode": "closest",
        "clickmode": "event+select",
        "dragmode": False,
        "shapes": [_line_at_one(theme, vertical=True)],
        "annotations": [_name_of_line(theme)],
    }
    return build(data, layout)


def by_complexity(picture: GapPicture, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """Every formula by its nodes and its EIC: the laws in one facet, each method in one of its own.

    Behind a method's formulas the laws stand in grey.
    """
    theme, across = THEMES[dark], 1 if narrow else 2
    facets = facets_of(picture.groups)
    down = -(-len(facets) // across)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = base_layout(dark) | {
        "height": (230 if narrow else 210) * down + 60,
        "margin": {"l": 8, "r": 8, "t": 26, "b": 8},
        "hovermode": "closest",
        "clickmode": "event+select",
        "dragmode": False,
        "showlegend": False,
        "annotations": [_facet_title(picture, groups, k, dark) for k, groups in enumerate(facets)],
        "shapes": [_line_at_one(theme, vertical=False, place=k) for k in range(len(facets))],
    }
    for k, groups in enumerate(facets):
        suffix = _suffix(k)
        row, column = divmod(k, across)
        left, top = column / across + 0.03 * column, 1 - row / down
        layout[f"xaxis{suffix}"] = axis_style(theme) | {
            "type": "log",
            "domain": [left, left + 1 / across - 0.03],
            "anchor": f"y{suffix}",
            "title": {
                "text": "complexity (nodes)" if k + across >= len(facets) else "",
                "standoff": 6,
            },
            "fixedrange": True,
            **_node_ticks(picture.groups),
        }
        layout[f"yaxis{suffix}"] = axis_style(theme) | {
            "domain": [top - 1 / down + 0.3 / (down + 1), top],
            "anchor": f"x{suffix}",
            "title": {"text": "" if column else "EIC, digits", "standoff": 4},
            "range": [-0.15, _top(picture)],
            "fixedrange": True,
        }
        if picture.groups[groups[0]].by_method:
            data.append(_laws_behind(picture, theme, suffix))
        for place in groups:
            traces = [_cloud(picture, place, dark), *_mark(picture, place, theme, across=True)]
            data += [trace | _on_axes(suffix) for trace in traces]
    return build(data, layout)


def facets_of(groups: Sequence[Group]) -> list[list[int]]:
    """Places of the groups of each facet: laws together, and each method alone."""
    laws = [place for place, group in enumerate(groups) if not group.by_method]
    alone = [[place] for place, group in enumerate(groups) if group.by_method]
    return [laws, *alone] if laws else alone


def _suffix(facet: int) -> str:
    """What Plotly puts behind the names of a facet's axes."""
    return str(facet + 1) if facet else ""


def _on_axes(suffix: str) -> dict[str, str]:
    return {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}


def _facet_title(
    picture: GapPicture, groups: Sequence[int], facet: int, dark: bool
) -> dict[str, Any]:
    """The names of a facet's groups, each in its colour."""
    names = [
        f'<span style="color:{colour(picture, place, dark)}">'
        f"{plain_text(clean(_SHORT_TITLES.get(group.key, group.title), 30))}</span>"
        for place in groups
        for group in [picture.groups[place]]
    ]
    return {
        "text": f"<b>{' · '.join(names)}</b>",
        "xref": f"x{_suffix(facet)} domain",
        "yref": f"y{_suffix(facet)} domain",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }


_SHORT_TITLES = {
    LAWS: "Laws",
    "wikipedia": "Wikipedia",
    "llm_srbench_transform": "Transform",
    "llm_srbench_synth": "Synth",
}


def _laws_behind(picture: GapPicture, theme: Theme, suffix: str) -> dict[str, Any]:
    """The formulas of all laws, faint and without hover."""
    laws = [group for group in picture.groups if not group.by_method]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [formula.complexity for group in laws for formula in group.formulas],
        "y": [eic for group in laws for eic in picture.eics(group)],
        "marker": {"size": 4, "color": theme.muted, "opacity": 0.25},
        "hoverinfo": "skip",
        **_on_axes(suffix),
    }


def colour(picture: GapPicture, place: int, dark: bool) -> str:
    """One colour for each group of laws, and one for all methods."""
    hues = HUES[dark]
    return hues[-1 if picture.groups[place].by_method else min(place, len(hues) - 2)]


def _top(picture: GapPicture) -> float:
    """The end of the EIC axis: the largest value, or the edge."""
    defined = [eics[~np.isnan(eics)] for eics in map(picture.eics, picture.groups)]
    highest = max((float(part.max()) for part in defined if len(part)), default=1.0)
    return min(picture.edge, max(2.0, highest)) + 0.25


def density(eics: np.ndarray, at: np.ndarray) -> np.ndarray:
    """A density of `eics` at the points `at`: Gaussian kernels, mirrored at 0.

    >>> at = np.linspace(0, 8, 801)
    >>> made = density(np.array([0.0, 0.2, 1.0, 2.0]), at)
    >>> bool(abs(made.sum() * 0.01 - 1) < 0.01)
    True
    """
    spread = float(np.std(eics))
    low, high = np.quantile(eics, [0.25, 0.75])
    # Silverman's rule; the floor keeps equal values from a spike of zero width.
    width = max(0.9 * min(spread, (high - low) / 1.34 or spread) * len(eics) ** -0.2, 0.06)
    both = np.concatenate([eics, -eics])
    kernels = np.exp(-0.5 * ((at[:, None] - both[None, :]) / width) ** 2)
    return kernels.sum(axis=1) / (len(eics) * width * math.sqrt(2 * math.pi))


def _violin(eics: np.ndarray, row: int, hue: str, top: float) -> dict[str, Any]:
    at = np.linspace(0.0, min(top, float(eics.max()) + 0.4), _GRID)
    heights = density(eics, at)
    half = 0.42 * heights / heights.max()
    return {
        "type": "scatter",
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        "x": np.concatenate([at, at[::-1]]),
        "y": np.concatenate([row - half, row + half[::-1]]),
        "fill": "toself",
        "fillcolor": _faint(hue),
        "line": {"width": 1, "color": hue},
    }


def _faint(hue: str) -> str:
    red, green, blue = (int(hue[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


def _points(
    picture: GapPicture, group: Group, eics: np.ndarray, row: int, hue: str
) -> dict[str, Any]:
    places = np.flatnonzero(~np.isnan(eics))
    # Evenly spread by the golden ratio: no two neighbours on one spot, and the same each time.
    shift = SPREAD * (2 * ((places * 0.6180339887) % 1) - 1)
    many = len(places) > 300
    return {
        "type": "scatter",
        "mode": "markers",
        "x": eics[places],
        "y": row + shift,
        "marker": {"size": 4 if many else 6, "color": hue, "opacity": 0.55 if many else 0.75},
        **_pointed(picture, group, places),
    }


def _pointed(picture: GapPicture, group: Group, places: np.ndarray) -> dict[str, Any]:
    """The place and the hover text of every point."""
    return {
        "customdata": [[group.key, int(place)] for place in places],
        "text": [_hover(picture, group, int(place)) for place in places],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0.6}},
    }


def _hover(picture: GapPicture, group: Group, place: int) -> str:
    formula = group.formulas[place]
    lost = formula.at(picture.count)
    text = " ".join(clean(formula.formula, 300).split())
    lines = [text[k : k + 56] for k in range(0, min(len(text), 168), 56)]
    wrapped = "<br>".join(map(plain_text, lines)) + ("…" if len(text) > 168 else "")
    value = lost.eic if picture.measure == "mean" else lost.q90
    return (
        f"{wrapped}<br>{plain_text(clean(formula.law, 60))} · {formula.complexity} nodes · "
        f"EIC {wording.number(value)}"
    )


def _bars(summary: GroupSummary, row: int, theme: Theme) -> list[dict[str, Any]]:
    """Quartiles as a bar, the median as a stroke, the mean as a ring."""
    if not summary.count:
        return []
    plain = {"type": "scatter", "showlegend": False}
    hover = (
        f"{plain_text(clean(summary.group.title, 60))}<br>median "
        f"{wording.number(summary.median.value)}, quartiles {wording.number(summary.quartile1)} to "
        f"{wording.number(summary.quartile3)}<br>mean {wording.number(summary.mean.value)}"
    )
    return [
        {
            **plain,
            "mode": "lines",
            "x": [summary.quartile1, summary.quartile3],
            "y": [row, row],
            "line": {"width": 4, "color": theme.ink},
            "hoverinfo": "skip",
        },
        {
            **plain,
            "mode": "lines",
            "x": [summary.median.value] * 2,
            "y": [row - 0.22, row + 0.22],
            "line": {"width": 3, "color": theme.ink},
            "hoverinfo": "skip",
        },
        {
            **plain,
            "mode": "markers",
            "x": [summary.mean.value],
            "y": [row],
            "text": [hover],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": {
                "size": 11,
                "symbol": "circle",
                "color": theme.paper,
                "line": {"width": 2.5, "color": theme.ink},
            },
        },
    ]


_TITLE_LINES = {
    LAWS: ("Laws", "(Feynman, Strogatz)"),
    "wikipedia": ("Named equations,", "Wikipedia"),
    "llm_srbench_transform": ("LLM-SRBench,", "Transform"),
    "llm_srbench_synth": ("LLM-SRBench,", "Synth"),
}
"""Titles of groups that are too long for a line."""


def _label(group: Group, summary: GroupSummary, narrow: bool) -> str:
    lines = _TITLE_LINES.get(group.key, (group.title,))
    count = f"{summary.count:,}" if narrow else wording.count(summary.count, "formula")
    label = "<br>".join(plain_text(clean(line, 40)) for line in lines)
    return f"{label}<br><i>{count}</i>" if not narrow else f"{label} ({count})"


def _cloud(picture: GapPicture, place: int, dark: bool) -> dict[str, Any]:
    group = picture.groups[place]
    eics = picture.eics(group)
    places = np.flatnonzero(~np.isnan(eics))
    many = len(places) > 300
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [group.formulas[k].complexity for k in places],
        "y": eics[places],
        **_pointed(picture, group, places),
        "marker": {
            "size": 4 if many else 6,
            "color": colour(picture, place, dark),
            "opacity": 0.4 if many else 0.8,
        },
    }


def _node_ticks(groups: Sequence[Group]) -> dict[str, Any]:
    nodes = [formula.complexity for group in groups for formula in group.formulas] or [1]
    low, high = min(nodes), max(nodes)
    ticks = [n for n in (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000) if n <= high]
    return {
        "tickvals": ticks,
        "ticktext": [f"{n:,}" for n in ticks],
        "range": [math.log10(low) - 0.08, math.log10(max(high, low + 1)) + 0.08],
    }


def _line_at_one(theme: Theme, *, vertical: bool, place: int = 0) -> dict[str, Any]:
    across, along = ("x", "y") if vertical else ("y", "x")
    return {
        "type": "line",
        "layer": "below",
        f"{across}0": TYPICAL_LAW,
        f"{across}1": TYPICAL_LAW,
        f"{along}0": 0,
        f"{along}1": 1,
        f"{across}ref": f"{across}{_suffix(place)}",
        f"{along}ref": f"{along}{_suffix(place)} domain",
        "line": {"width": 1.5, "dash": "dot", "color": theme.muted},
    }


def _name_of_line(theme: Theme) -> dict[str, Any]:
    return {
        "x": TYPICAL_LAW,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "left",
        "showarrow": False,
        "text": "one digit",
        "font": {"size": 12, "color": theme.muted},
    }


def _mark(
    picture: GapPicture, row: int, theme: Theme, *, across: bool = False
) -> list[dict[str, Any]]:
    """A ring around the picked formula, if it is of this group."""
    group = picture.groups[row]
    key, place = picture.picked or ("", 0)
    if group.key != key or place >= len(group.formulas):
        return []
    eic = float(picture.eics(group)[place])
    shift = SPREAD * (2 * ((place * 0.6180339887) % 1) - 1)
    nodes = group.formulas[place].complexity
    x, y = (nodes, eic) if across else (eic, row + shift)
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [x],
            "y": [y],
            "hoverinfo": "skip",
            "showlegend": False,
            "marker": {
                "size": 19,
                "symbol": "circle-open",
                "color": theme.accent,
                "line": {"width": 2.5},
            },
        }
    ]
