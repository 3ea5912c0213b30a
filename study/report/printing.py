"""The printed figures of a report: their descriptions drawn with Matplotlib, without a display."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from eic_core import wording
from study.report.analysis import StudyReport, provenance
from study.report.figures import (
    COLOURS,
    FIGURES,
    SHARE_TICKS,
    SHARES,
    Counts,
    Curve,
    Curves,
    Histogram,
    Histograms,
    Intervals,
    Mark,
    Picture,
)

LOWER, HIGHER = COLOURS[False]
INK, PALE, QUIET = "#333333", "#cccccc", "#767676"
STYLE: Any = {
    "svg.hashsalt": "eic-lab",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
Format = Literal["svg", "pdf", "png"]
DPI = 300
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
NARROW, WIDE = 4.9, 7.0
"""Widths in inches: of a figure that a phone shows whole, and of one across a printed page."""
SMALL = 7.5
NAME_LENGTH = 40
DASHED: Any = {"color": INK, "linewidth": 0.8, "linestyle": "--", "zorder": 0}


def draw(picture: Picture) -> Figure:
    """A figure of its size in print, or the reason why there is nothing to draw. All its parts have
    fixed places, so that it may be written several times.
    """
    with mpl.rc_context(STYLE):
        match picture:
            case Intervals():
                figure = _intervals(picture)
            case Curves():
                figure = _curves(picture)
            case Histograms():
                figure = _histograms(picture)
            case Counts():
                figure = _counts(picture)
        figure.dpi = DPI
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
        figure.set_layout_engine("none")
    return figure


def to_svg(figure: Figure) -> str:
    """A figure as an SVG element to put into a page; the same bytes each time."""
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    text = _written(figure, "svg", nothing).decode("utf-8")
    return text[text.index("<svg") :]


def _written(figure: Figure, form: Format, metadata: Mapping[str, str | None]) -> bytes:
    """Written in one go: `savefig` draws everything twice, once to find its place."""
    canvases: Any = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}
    buffer = io.BytesIO()
    figure.dpi = DPI  # the other two write as if it were 72
    with mpl.rc_context(STYLE):
        getattr(canvases[form](figure), f"print_{form}")(buffer, metadata=metadata)
    return buffer.getvalue()


def figures_of(report: StudyReport) -> dict[str, Figure]:
    return {name: draw(kind.describe(report)) for name, kind in FIGURES.items()}


def figure_file(
    report: StudyReport, name: str, form: Format, figure: Figure | None = None
) -> bytes:
    """One figure as a file with its source: no date, the same bytes each time; PNG has 300 dots an
    inch. `name` is a key of `FIGURES`, `figure` what is drawn of it already.
    """
    title, source = (
        FIGURES[name].title,
        provenance(report.export.hash, report.seed, report.software),
    )
    metadata: dict[Format, dict[str, str | None]] = {
        "svg": {"Title": title, "Description": source, "Creator": "EIC Lab", "Date": None},
        "pdf": {"Title": title, "Subject": source, "Creator": "EIC Lab", "CreationDate": None},
        "png": {"Title": title, "Description": source, "Software": "EIC Lab"},
    }
    drawn = draw(FIGURES[name].describe(report)) if figure is None else figure
    return _written(drawn, form, metadata[form])


def figure_files(report: StudyReport, figures: Mapping[str, Figure]) -> Iterator[tuple[str, bytes]]:
    """All figures as files, one by one, as ("figures/NAME.svg", content)."""
    for name, figure in figures.items():
        for form in FORMATS:
            yield f"figures/{name}.{form}", figure_file(report, name, form, figure)


def _say(ax: Axes, text: str, height: float = 0.5) -> None:
    said = ax.text(
        0.5,
        height,
        textwrap.fill(text, 56),
        ha="center",
        va="center",
        transform=ax.transAxes,
        parse_math=False,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
    )
    said.set_in_layout(False)


def _say_alone(ax: Axes, text: str) -> None:
    """The same where the axes have no numbers either."""
    ax.set_xticks([])
    ax.set_yticks([])
    _say(ax, text)


def _whole_numbers(most: int = 9, steps: Sequence[int] = (1, 2, 5, 10)) -> MaxNLocator:
    return MaxNLocator(most, integer=True, min_n_ticks=1, steps=steps)


def _intervals(picture: Intervals) -> Figure:
    rows = len(picture.marks)
    height = 0.9 + 0.27 * max(2, rows) if picture.beside else 1.0 + 0.42 * max(1, rows)
    figure = Figure(figsize=(NARROW, height), layout="constrained")
    ax = figure.subplots()
    ax.set_xlim(*picture.limits)
    if picture.limits == (0.0, 1.0):
        ax.set_xticks(SHARES, SHARE_TICKS)
    ax.set_xlabel(picture.axis)
    ax.axvline(picture.middle, **DASHED)
    ax.set_yticks([])
    ax.spines["left"].set_visible(picture.beside)
    if not rows:
        _say(ax, picture.empty)
        return figure
    for y, mark in enumerate(reversed(picture.marks)):
        _interval(ax, y, mark)
        if not picture.beside:
            _name_above(ax, y, mark)
    if picture.beside:
        names = [wording.shorten(mark.name, NAME_LENGTH) for mark in reversed(picture.marks)]
        ax.set_yticks(range(rows), names, parse_math=False)
        ax.set_ylim(-0.6, max(2, rows) - 0.4)
    else:
        ax.set_ylim(-0.4, rows + 0.35)
        for x, text, colour, side in zip(
            picture.limits, picture.ends, (HIGHER, LOWER), ("left", "right"), strict=True
        ):
            ax.text(x, rows - 0.15, text, color=colour, va="bottom", ha=side)
    if picture.total and rows > 1:
        ax.axhline(0.5, color=QUIET, linewidth=0.5)
    return figure


def _interval(ax: Axes, y: float, mark: Mark) -> None:
    if mark.value is None:
        ax.text(
            0.5,
            y,
            mark.text,
            color=QUIET,
            fontsize=SMALL,
            ha="center",
            va="center",
            transform=ax.get_yaxis_transform(),
            parse_math=False,
        )
        return
    colour = QUIET if mark.check else LOWER
    width = 2.0 if mark.check else 1.5 + 3.0 * mark.weight
    if mark.low is not None and mark.high is not None:
        ax.plot([mark.low, mark.high], [y, y], color=colour, linewidth=width, solid_capstyle="butt")
    ax.plot(
        [mark.value],
        [y],
        "o",
        color=colour,
        clip_on=False,
        markeredgecolor=colour if mark.check else "white",
        markerfacecolor="white" if mark.check else colour,
        markersize=6 if mark.check else 4 + 5 * mark.weight**0.5,
    )


def _name_above(ax: Axes, y: float, mark: Mark) -> None:
    """Name and text of a mark above it, at the two edges, so that neither lies on an interval."""
    weight = "bold" if mark.weight == 1 and not mark.check else "normal"
    for x, text, side in ((0, mark.name, "left"), (1, mark.text, "right")):
        said = ax.annotate(
            wording.shorten(text, NAME_LENGTH),
            (x, y),
            (0, 7),
            textcoords="offset points",
            va="bottom",
            ha=side,
            fontsize=SMALL,
            color=INK,
            fontweight=weight,
            parse_math=False,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
        said.set_in_layout(False)


def _curves(picture: Curves) -> Figure:
    columns = len(picture.curves)
    figure = Figure(figsize=(WIDE if columns > 1 else NARROW, 3.2), layout="constrained")
    axes = figure.subplots(
        2, columns, sharex="col", sharey="row", height_ratios=(3, 1.2), squeeze=False
    )
    for curve, (upper, lower) in zip(picture.curves, axes.T, strict=True):
        upper.axhline(0.5, **DASHED)
        if not curve.known_marks:
            _say(upper, picture.empty, 0.75)
        elif picture.joined:
            _band(upper, curve)
        else:
            _whiskers(upper, curve)
        if curve.chosen is not None:
            _point_out(upper, curve.at[curve.chosen], curve.marks[curve.chosen], picture.chosen)
        if picture.joined:
            lower.fill_between(curve.at, curve.below, step="post", color=PALE, linewidth=0)
        else:
            lower.bar(curve.at, curve.below, color=PALE, width=0.8)
        lower.xaxis.set_major_locator(_whole_numbers(6, (1, 2, 3, 6, 10)))
        if not curve.marks:
            lower.set_xticks([])
        lower.set_xlabel(f"{curve.name} {picture.axis}" if columns > 1 else picture.axis)
    upper, lower = axes[:, 0]
    upper.set_ylim(0, 1)
    upper.set_yticks(SHARES, SHARE_TICKS)
    upper.set_ylabel(picture.upwards)
    lower.set_ylim(bottom=0)
    lower.yaxis.set_major_locator(_whole_numbers(3))
    lower.set_ylabel(picture.below)
    if not any(sum(curve.below) for curve in picture.curves):
        lower.set_yticks([])
    return figure


def _band(ax: Axes, curve: Curve) -> None:
    """The marks joined by a line, over a band of their intervals."""
    some = [(at, m.low, m.high) for at, m in curve.known_marks if m.low is not None]
    if some:
        at, low, high = zip(*some, strict=True)
        ax.fill_between(at, low, high, color=LOWER, alpha=0.2, linewidth=0)
    places, marks = zip(*curve.known_marks, strict=True)
    ax.plot(
        places,
        [mark.value or 0.0 for mark in marks],
        color=LOWER,
        marker="o",
        markersize=3,
        clip_on=False,
    )


def _whiskers(ax: Axes, curve: Curve) -> None:
    for at, mark in curve.known_marks:
        if mark.low is not None and mark.high is not None:
            ax.plot([at, at], [mark.low, mark.high], color=LOWER, linewidth=2, alpha=0.4)
        ax.plot([at], [mark.value or 0.0], "o", color=LOWER, markersize=5, clip_on=False)


def _point_out(ax: Axes, at: float, mark: Mark, text: str) -> None:
    ax.axvline(at, color=HIGHER, linewidth=1, linestyle=":")
    if mark.value is not None:
        ax.plot(
            [at],
            [mark.value],
            "D",
            color=HIGHER,
            markersize=7,
            markeredgecolor="white",
            clip_on=False,
            zorder=3,
        )
    ax.annotate(text, (at, 0), (4, 4), color=HIGHER, textcoords="offset points", fontsize=8)


def _histograms(picture: Histograms) -> Figure:
    figure = Figure(figsize=(WIDE, 2.5), layout="constrained")
    axes = figure.subplots(1, len(picture.panels))
    for ax, panel in zip(axes, picture.panels, strict=True):
        _histogram(ax, panel, picture.names)
    axes[0].set_ylabel(picture.upwards)
    handles, names = next(
        (found for ax in axes if (found := ax.get_legend_handles_labels())[0]), ([], [])
    )
    if handles:
        figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False)
    return figure


def _histogram(ax: Axes, panel: Histogram, names: tuple[str, str]) -> None:
    ax.set_xlabel(panel.axis)
    ax.yaxis.set_major_locator(_whole_numbers())
    if panel.empty:
        _say_alone(ax, panel.empty)
        return
    sides = zip((panel.lower, panel.higher), names, (LOWER, HIGHER), ("-", "--"), strict=True)
    for counts, name, colour, dash in sides:
        ax.stairs(counts, panel.edges, fill=True, alpha=0.3, color=colour)
        ax.stairs(counts, panel.edges, color=colour, linestyle=dash, label=name)


def _counts(picture: Counts) -> Figure:
    figure = Figure(figsize=(NARROW, 2.0), layout="constrained")
    ax = figure.subplots()
    ax.bar(range(len(picture.counts)), picture.counts, color=LOWER, width=0.8)
    ax.set_xlabel(picture.axis)
    ax.set_ylabel(picture.upwards)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(_whole_numbers())
    if not picture.counts:
        _say_alone(ax, picture.empty)
    return figure
