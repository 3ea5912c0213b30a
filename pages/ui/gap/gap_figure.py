"""The pictures of the stability gap: EIC by group, and EIC by complexity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core import wording
from eic_core.corpora.claims import LAWS
from eic_core.corpora.gap import MEASURES, Group, GroupSummary
from eic_core.corpora.measured import COUNTS
from eic_core.drawing.chart import (
    Chart,
    ChartAxis,
    Colour,
    Dash,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
    Ticks,
    whole_ticks,
)
from eic_core.drawing.scale import END, TYPICAL_LAW
from pages.ui.kit.text import clean

HUES: tuple[Colour, ...] = ("blue", "data", "green", "violet", "orange")
"""Of each group of laws in their order, and last of what methods find."""

DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot")

TITLES = {
    LAWS: "Laws",
    "wikipedia": "Wikipedia",
    "llm_srbench_transform": "SRBench, solved",
    "llm_srbench_synth": "SRBench, made up",
}
"""Short names of the corpora."""

NODES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

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
        return END

    @property
    def beyond(self) -> int:
        """Number of formulas drawn on the edge."""
        return sum(
            int(np.count_nonzero(group.eics(self.count, self.measure) > self.edge))
            for group in self.groups
        )


def violins(picture: GapPicture) -> Chart:
    """A violin with its points for each group, the bar of its quartiles, its median and mean."""
    marks: list[Mark] = [Guide(TYPICAL_LAW, dash="dot", colour="muted")]
    said, top = [], _top(picture)
    for row, group in enumerate(picture.groups):
        eics, hue, one = picture.eics(group), colour(picture, row), picture.summaries[group.key]
        if np.count_nonzero(~np.isnan(eics)) >= LEAST_FOR_VIOLIN:
            marks += _violin(eics[~np.isnan(eics)], row, hue, top)
        marks += _points(picture, row, eics, _spread(len(eics)) - row)
        if one.count:
            spread = f"quartiles {wording.number(one.quartile1)} to {wording.number(one.quartile3)}"
            text = f"{clean(group.title, 60)}\nmedian {wording.number(one.median.value)}, {spread}"
            text += f"\nmean {wording.number(one.mean.value)}"
            said.append(text.replace("\n", ", "))
            marks += [
                Stroke([one.quartile1, one.quartile3], [-row] * 2, 4),
                Stroke([one.median.value] * 2, [-row - 0.22, -row + 0.22], 3),
                Points([one.mean.value], [-row], size=15),
                Points([one.mean.value], [-row], size=8, colour="paper", hints=[text]),
            ]
    marks.append(Label("one digit", TYPICAL_LAW, 1, "y", raised=True, colour="muted"))
    counts = (f"{picture.summaries[group.key].count:,}" for group in picture.groups)
    names = tuple(
        (-float(row), f"{_title(group)}, {count}")
        for row, (group, count) in enumerate(zip(picture.groups, counts, strict=True))
    )
    x = ChartAxis(f"EIC, digits ({MEASURES[picture.measure]})", (-0.15, top), _digits(top))
    y = ChartAxis("", (0.4 - len(names), 0.6), names)
    words = f"EIC in digits by group. {'; '.join(said)}."
    return Chart((Panel(tuple(marks), x, y, 58 * len(names)),), words)


def by_complexity(picture: GapPicture) -> Chart:
    """Every formula by its nodes and its EIC: the laws in one facet, each method in one of its own.

    Behind a method's formulas the laws stand in grey.
    """
    nodes = [formula.complexity for group in picture.groups for formula in group.formulas] or [1]
    high, top = max(nodes), _top(picture)
    ticks = tuple((float(n), f"{n:,}") for n in NODES if min(nodes) <= n <= high)
    x = ChartAxis("complexity (nodes)", (0.83 * min(nodes), 1.2 * high), ticks, log=True)
    y = ChartAxis("EIC, digits", (-0.15, top), _digits(top))
    laws = [group for group in picture.groups if not group.by_method]
    behind = Points(
        [formula.complexity for group in laws for formula in group.formulas],
        [eic for group in laws for eic in picture.eics(group)],
        size=4,
        colour="muted",
        opacity=0.25,
    )
    panels = []
    for places in facets_of(picture.groups):
        marks: list[Mark] = [Guide(TYPICAL_LAW, level=True, dash="dot", colour="muted")]
        first = picture.groups[places[0]]
        marks += [behind] if first.by_method else []
        for place in places:
            eics = picture.eics(picture.groups[place])
            marks += _points(picture, place, eics, None)
        if len(picture.groups) > len(places):
            title = _title(first) if first.by_method else "laws and named equations"
            marks.append(Label(title, 0.5, 1, "xy", "center", raised=True, bold=True))
        panels.append(Panel(tuple(marks), x, y, 220))
    groups = (f"{_title(group)} {wording.count(len(group.formulas), 'formula')}" for group in laws)
    words = f"EIC over the number of nodes, a point each formula: {wording.join([*groups])}."
    return Chart(tuple(panels), words, columns=min(2, len(panels)))


def by_rows(
    groups: Sequence[Group], summaries: Mapping[str, Mapping[str, Sequence[GroupSummary]]]
) -> Chart:
    """The mean EIC of each group at each number of rows, a panel for each key of `MEASURES`."""
    drawn = [group for group in groups if group.key in summaries]
    means = {
        (group.key, measure): [one.mean.value for one in summaries[group.key][measure]]
        for group in drawn
        for measure in MEASURES
    }
    top = max([1.0, *(mean for part in means.values() for mean in part if mean < END)]) + 0.25
    ticks = tuple((float(count), f"{count:,}") for count in COUNTS)
    x = ChartAxis("rows a formula", (0.8 * COUNTS[0], 1.25 * COUNTS[-1]), ticks, log=True)
    y = ChartAxis("EIC, digits, on average", (0, top), _digits(top))
    panels, said = [], []
    for measure, title in MEASURES.items():
        marks: list[Mark] = [Label(title, 0.5, 1, "xy", "center", raised=True, bold=True)]
        for place, group in enumerate(drawn):
            hue = HUES[-1 if group.by_method else min(place, len(HUES) - 2)]
            mean = means[group.key, measure]
            name, dash = _title(group), DASHES[place % len(DASHES)]
            hints = [
                f"{name}\n{n:,} rows: {eic:.2f} digits" for n, eic in zip(COUNTS, mean, strict=True)
            ]
            marks.append(Stroke(COUNTS, mean, 2, dash, colour=hue, name=name))
            marks.append(Points(COUNTS, mean, colour=hue, hints=hints))
            said.append(
                f"{name} by {title} {wording.number(mean[0])} to {wording.number(mean[-1])}"
            )
        panels.append(Panel(tuple(marks), x, y, 190))
    words = f"EIC on average, at {COUNTS[0]:,} to {COUNTS[-1]:,} rows: {'; '.join(said)}."
    return Chart(tuple(panels), words, columns=len(panels))


def _title(group: Group) -> str:
    return clean(TITLES.get(group.key, group.title), 30)


def facets_of(groups: Sequence[Group]) -> list[list[int]]:
    """Places of the groups of each facet: laws together, and each method alone."""
    laws = [place for place, group in enumerate(groups) if not group.by_method]
    alone = [[place] for place, group in enumerate(groups) if group.by_method]
    return [laws, *alone] if laws else alone


def colour(picture: GapPicture, place: int) -> Colour:
    """One colour for each group of laws, and one for all methods."""
    return HUES[-1 if picture.groups[place].by_method else min(place, len(HUES) - 2)]


def _top(picture: GapPicture) -> float:
    """The end of the EIC axis: the largest value, or the edge."""
    defined = [eics[~np.isnan(eics)] for eics in map(picture.eics, picture.groups)]
    highest = max((float(part.max()) for part in defined if len(part)), default=1.0)
    return min(picture.edge, max(2.0, highest)) + 0.25


def _digits(top: float) -> Ticks:
    return whole_ticks(top, 8, steps=(1, 2, 4))


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


def _violin(eics: np.ndarray, row: int, hue: Colour, top: float) -> list[Mark]:
    at = np.linspace(0.0, min(top, float(eics.max()) + 0.4), _GRID)
    heights = density(eics, at)
    half = 0.42 * heights / heights.max()
    x, y = np.concatenate([at, at[::-1]]), np.concatenate([half, -half[::-1]]) - row
    return [
        Stroke(x, y, filled=True, colour=hue, opacity=0.16),
        Stroke(x, y, 1, colour=hue),
    ]


def _spread(count: int) -> np.ndarray:
    # Evenly spread by the golden ratio: no two neighbours on one spot, and the same each time.
    return SPREAD * (2 * ((np.arange(count) * 0.6180339887) % 1) - 1)


def _points(
    picture: GapPicture, place: int, eics: np.ndarray, shifts: np.ndarray | None
) -> list[Mark]:
    """A group's formulas by EIC with their shifts, or else by nodes and EIC; a ring around the
    picked one.
    """
    group, many = picture.groups[place], len(eics) > 300
    nodes = np.array([formula.complexity for formula in group.formulas], dtype=float)
    x, y = (nodes, eics) if shifts is None else (eics, shifts)
    rows = np.flatnonzero(~np.isnan(eics))
    drawn = Points(
        x[rows],
        y[rows],
        size=4 if many else 6,
        colour=colour(picture, place),
        opacity=0.5 if many else 0.75,
        name=_title(group) if shifts is None and not group.by_method else "",
        hints=[_hint(picture, group, k) for k in rows.tolist()],
        keys=[[group.key, k] for k in rows.tolist()],
    )
    key, picked = picture.picked or ("", 0)
    if group.key != key or picked >= len(eics):
        return [drawn]
    return [drawn, Points([x[picked]], [y[picked]], "circle-open", 19, colour="accent")]


def _hint(picture: GapPicture, group: Group, place: int) -> str:
    formula = group.formulas[place]
    lost = formula.at(picture.count)
    value = lost.eic if picture.measure == "mean" else lost.q90
    return (
        f"{clean(formula.formula, 300)}\n{clean(formula.law, 60)} · {formula.complexity} nodes · "
        f"EIC {wording.number(value)}"
    )
