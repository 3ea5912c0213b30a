"""The printed figures of a report as files, without a display."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from eic_core.drawing.paper import DPI, STYLE, figure_of
from study.report.analysis import StudyReport, provenance
from study.report.figures import FIGURES

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")


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
    return {name: figure_of(kind.describe(report)) for name, kind in FIGURES.items()}


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
    drawn = figure_of(FIGURES[name].describe(report)) if figure is None else figure
    return _written(drawn, form, metadata[form])


def figure_files(report: StudyReport, figures: Mapping[str, Figure]) -> Iterator[tuple[str, bytes]]:
    """All figures as files, one by one, as ("figures/NAME.svg", content)."""
    for name, figure in figures.items():
        for form in FORMATS:
            yield f"figures/{name}.{form}", figure_file(report, name, form, figure)
