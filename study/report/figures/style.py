"""What all printed figures share: colours, type sizes, and how they become files."""

from __future__ import annotations

import io
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

LOWER, HIGHER = "#0072B2", "#D55E00"
"""Okabe and Ito's blue and vermilion, told apart with any colour vision."""
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
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
NARROW, WIDE = 4.9, 7.0
"""Widths in inches: of a figure that a phone shows whole, and of one across a printed page."""


def style() -> Any:
    """The context in which figures are drawn and saved."""
    return mpl.rc_context(STYLE)


def to_svg(figure: Figure) -> str:
    """A figure as an SVG element to put into a page; the same bytes each time."""
    buffer = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with style():
        figure.savefig(buffer, format="svg", metadata=nothing)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def to_file(figure: Figure, form: Format, title: str, source: str) -> bytes:
    """A figure as a file that says what it was made from; no date, the same bytes each time.

    Parameters
    ----------
    figure : Figure
    form : {"svg", "pdf", "png"}
        PNG has 300 dots an inch.
    title, source : str
        Kept in the file's metadata.
    """
    told: dict[Format, dict[str, str | None]] = {
        "svg": {"Title": title, "Description": source, "Creator": "EIC Lab", "Date": None},
        "pdf": {"Title": title, "Subject": source, "Creator": "EIC Lab", "CreationDate": None},
        "png": {"Title": title, "Description": source, "Software": "EIC Lab"},
    }
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=form, dpi=300, metadata=told[form])
    return buffer.getvalue()


def say(ax: Axes, text: str) -> None:
    """A sentence in place of a picture."""
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, parse_math=False)


def rate_axis(ax: Axes) -> None:
    """The horizontal axis of a rate: 0 to 100 %, one half marked."""
    ax.set_xlim(0, 1)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    ax.axvline(0.5, color=INK, linewidth=0.8, linestyle="--", zorder=0)
