"""The pen for paper: charts drawn with Matplotlib, without a display."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    SHADES,
    Bars,
    Cells,
    Chart,
    ChartAxis,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
    shaded,
)
from eic_core.drawing.scale import HIGH, LOW, SCALE, THEMES, colour

STYLE: Any = {
    "svg.hashsalt": "eic-lab",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
}
NARROW, WIDE = 4.9, 7.0
"""Widths in inches: of a figure that a phone shows whole, and of one across a printed page."""
INCH = 110.0
"""Pixels of a panel on a screen that are an inch on paper."""
NAME_LENGTH = 40
DPI = 300
SYMBOLS = {
    "circle": "o", "diamond": "D", "square": "s",
    "triangle-up": "^", "triangle-down": "v", "line-ns": "|", "line-ew": "_", "x": "x",
    "cross": "P", "star": "*",
}  # fmt: skip
DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}
THEME = THEMES[False]


def figure_of(chart: Chart) -> Any:
    """A Matplotlib figure of its size in print. All its parts have fixed places, so that it may be
    written several times.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    columns = chart.columns
    rows = chart.panels[::columns]
    heights = [panel.height for panel in rows]
    with mpl.rc_context(STYLE):
        size = (WIDE if columns > 1 else NARROW, sum(heights) / INCH + 0.7)
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(
            len(rows), columns, sharex=chart.joined, height_ratios=heights, squeeze=False
        )
        for ax, panel in zip(grid.flat, chart.panels, strict=False):
            draw_panel(ax, panel)
        for ax in grid.flat[len(chart.panels) :]:
            ax.set_visible(False)
        if chart.joined:
            for ax in grid[:-1].flat:
                ax.tick_params(labelbottom=False)
        legends = (ax.get_legend_handles_labels() for ax in grid.flat)
        handles, names = next((each for each in legends if each[0]), ([], []))
        if shaded(chart):
            from matplotlib.lines import Line2D

            look: Any = {"marker": "o", "linestyle": "", "markeredgecolor": THEME.muted}
            handles += [Line2D([], [], color=colour(at), **look) for at in SHADES]
            names += [*map(str, SHADES[:-1]), f"{SHADES[-1]} +"]
        if handles:
            columns = len(SHADES) if shaded(chart) else 3
            look = {"loc": "outside upper left", "frameon": False}
            look |= {"title": chart.scale, "alignment": "left"} if shaded(chart) else {}
            figure.legend(handles, names, ncols=columns, **look)
        figure.dpi = DPI
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
        figure.set_layout_engine("none")
    return figure


def draw_panel(ax: Any, panel: Panel) -> None:
    for axis, drawn, limit in (
        (panel.x, ax.xaxis, ax.set_xlim),
        (panel.y, ax.yaxis, ax.set_ylim),
    ):
        _draw_axis(axis, drawn)
        if axis.limits is not None:
            limit(*axis.limits)
    ax.spines["left"].set_visible(panel.y.ticks != ())
    for mark in panel.marks:
        if mark.opacity:
            draw_mark(ax, mark)


def _draw_axis(axis: ChartAxis, drawn: Any) -> None:
    from matplotlib.ticker import NullLocator

    drawn.set_label_text(axis.title, parse_math=False)
    if axis.log:
        drawn._set_axes_scale("log")
    if axis.ticks is not None:
        texts = [wording.shorten(text, NAME_LENGTH) for _, text in axis.ticks]
        drawn.set_ticks([at for at, _ in axis.ticks], texts, parse_math=False)
        drawn.set_minor_locator(NullLocator())


def draw_mark(ax: Any, mark: Mark) -> None:
    from matplotlib.colors import to_rgba

    ink = to_rgba(getattr(THEME, mark.colour), mark.opacity)
    name = mark.name or "_"
    match mark:
        case Points():
            hollow = mark.symbol.endswith("-open")
            symbol = SYMBOLS[mark.symbol.removesuffix("-open")]
            inks: Any = ink
            if mark.digits is not None:
                inks = [colour(each) for each in np.nan_to_num(mark.digits)]
            plain = "white" if mark.digits is None else THEME.muted
            edges = inks if hollow or (mark.crowded and mark.digits is None) else plain
            if symbol in "|_x":
                edges = None
            ax.scatter(
                mark.x,
                mark.y,
                mark.size**2 / 2,
                marker=symbol,
                facecolors="white" if hollow else inks,
                edgecolors=edges,
                linewidths=1.0 if hollow else 0.5,
                label=name,
                clip_on=ax.get_autoscalex_on(),
                zorder=3,
            )
        case Stroke(filled=True):
            ax.fill(mark.x, mark.y, color=ink, linewidth=0, label=name)
        case Stroke():
            ax.plot(
                mark.x,
                mark.y,
                color=ink,
                linewidth=0.8 * mark.width,
                linestyle=DASHES[mark.dash],
                drawstyle="steps-post" if mark.steps else "default",
                solid_capstyle="butt",
                label=name,
            )
        case Bars():
            draw = ax.barh if mark.lying else ax.bar
            lengths = np.subtract(mark.high, mark.low)
            look: Any = (
                {"color": ink} if not mark.hatch else {"facecolor": "white", "edgecolor": ink}
            )
            draw(mark.at, lengths, mark.thick, mark.low, hatch=2 * mark.hatch, label=name, **look)
        case Cells():
            from matplotlib.colors import ListedColormap

            inks = ListedColormap([ink for _, ink in SCALE[False]])
            look = {"shading": "nearest", "cmap": inks, "vmin": LOW, "vmax": HIGH}
            digits = np.clip(mark.digits, LOW, HIGH)
            ax.pcolormesh(mark.x, mark.y, digits, rasterized=True, zorder=0, **look)
        case Guide():
            draw_rule = ax.axhline if mark.level else ax.axvline
            look = {"linestyle": DASHES[mark.dash], "zorder": 0, "label": name}
            draw_rule(mark.at, color=ink, linewidth=0.8, **look)
        case Label():
            places = {"": ax.transData, "xy": ax.transAxes}
            places |= {"x": ax.get_yaxis_transform(), "y": ax.get_xaxis_transform()}
            words, gap = textwrap.fill(mark.text, 56), "   " * ("x" not in mark.within)
            text = ax.text(
                mark.x,
                mark.y,
                f"{gap * (mark.side == 'left')}{words}{gap * (mark.side == 'right')}",
                transform=places[mark.within],
                ha=mark.side,
                va="bottom" if mark.raised else "center",
                color=ink,
                fontsize=8,
                fontweight="bold" if mark.bold else "normal",
                parse_math=False,
                zorder=2.5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )
            text.set_in_layout(mark.raised and mark.within == "xy")
