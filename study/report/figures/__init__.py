"""Printed figures of a report, drawn with Matplotlib and without a display."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from matplotlib.figure import Figure

from study.report.analysis import StudyReport, provenance
from study.report.figures.agreement import agreement_figure
from study.report.figures.ballots import ballots_figure
from study.report.figures.distributions import pair_distributions
from study.report.figures.forest import forest_figure
from study.report.figures.preference import preference_figure
from study.report.figures.sensitivity import sensitivity_figure
from study.report.figures.style import FORMATS, Format, to_file, to_svg
from study.report.figures.votes_per_pair import votes_figure

__all__ = ["FIGURES", "FORMATS", "FigureKind", "Format", "figure_file", "figure_files", "to_svg"]


@dataclass(frozen=True)
class FigureKind:
    """One figure of a report.

    Attributes
    ----------
    title, caption : str
    draw : callable of StudyReport
        Never fails: where there is nothing to draw, the picture says so.
    wide : bool
        Whether it needs the width of a page; a phone lets it scroll.
    """

    title: str
    caption: str
    draw: Callable[[StudyReport], Figure]
    wide: bool = False


FIGURES: dict[str, FigureKind] = {
    "preference": FigureKind(
        "Preference for the lower EIC",
        "Share of valid votes for the formula of lower EIC, with the interval that the votes "
        "support and, thinner, others to compare with. The dashed line is no preference.",
        preference_figure,
    ),
    "agreement": FigureKind(
        "Agreement between raters",
        "Agreement on the pairs with two or more deciding votes, with pair-bootstrap intervals. "
        "For all but raw agreement the dashed line is what chance would give.",
        agreement_figure,
    ),
    "sensitivity": FigureKind(
        "Exclusion thresholds",
        "The rate with its clustered interval, and how many votes are left, had the exclusion "
        "threshold been another one. The diamond is the frozen rule.",
        sensitivity_figure,
        wide=True,
    ),
    "ballots": FigureKind(
        "The course of a session",
        "Rate with its clustered interval, and median active seconds, by number of the ballot.",
        ballots_figure,
    ),
    "problems": FigureKind(
        "Preference by problem",
        "Share of valid votes for the formula of lower EIC in each problem, with intervals that "
        "allow for clusters; votes in brackets. The dashed line is no preference.",
        forest_figure,
    ),
    "distributions": FigureKind(
        "The pairs",
        "The two formulas of each pair: alike in complexity and R², apart in EIC.",
        lambda report: pair_distributions(report.export.pairs),
        wide=True,
    ),
    "votes-per-pair": FigureKind(
        "Votes on each pair", "How many pairs have how many valid votes.", votes_figure
    ),
}
"""The figures of a report by name, in the order of reading."""


def figure_file(report: StudyReport, name: str, form: Format) -> bytes:
    """One figure as a file: no date, the same bytes each time.

    Parameters
    ----------
    report : StudyReport
    name : str
        A key of `FIGURES`.
    form : {"svg", "pdf", "png"}
    """
    kind = FIGURES[name]
    source = provenance(report.export.hash, report.seed, report.software)
    return to_file(kind.draw(report), form, kind.title, source)


def figure_files(report: StudyReport) -> Iterator[tuple[str, bytes]]:
    """All figures as files, one by one, as ("figures/NAME.svg", content)."""
    for name in FIGURES:
        for form in FORMATS:
            yield f"figures/{name}.{form}", figure_file(report, name, form)
