"""A report as one self-contained HTML page: no script, no request to anywhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace

from markupsafe import Markup
from matplotlib.figure import Figure

from eic_core.drawing.scale import PAGE_COLOURS
from eic_core.markup import environment, escape
from study.report import terms
from study.report.analysis import StudyReport, provenance
from study.report.figures import ENDS, FIGURES, headline
from study.report.flow import StudyFlow
from study.report.phrases.notes import notes
from study.report.phrases.verdict import verdict
from study.report.printing import draw, figure_svg, to_svg
from study.report.sections import GROUPS, sections_of
from study.report.tables import LONG_FILE, long_csv

SHORT_TABLE = 8
"""Tables of more rows are folded."""


def render_html(report: StudyReport, figures: Mapping[str, Figure] | None = None) -> str:
    export = report.export
    sections = sections_of(report)
    page = environment("study.report").get_template("study.html.j2")
    return page.render(
        colours=PAGE_COLOURS,
        title=export.title or export.study,
        verdict=verdict(report),
        first_figure=_labelled(to_svg(draw(replace(headline(report), ends=ENDS))), HEADLINE),
        flow=StudyFlow.of(report),
        notes=[str(note) for note in notes(report)],
        eic=terms.EIC,
        groups=[
            (group, heading, found)
            for group, heading in GROUPS.items()
            if (found := [section for section in sections if section.group == group])
        ],
        figures={
            name: _picture(name, to_svg(figures[name]) if figures else figure_svg(report, name))
            for name in {section.figure for section in sections} - {""}
        },
        kinds=FIGURES,
        short_table=SHORT_TABLE,
        source=provenance(export.hash, report.seed, report.software),
        votes_file=LONG_FILE,
        votes=base64.b64encode(long_csv(report).encode("utf-8")).decode("ascii"),
    )


HEADLINE = (
    "Share of valid votes for the formula of lower EIC, with the interval that the votes support "
    "and the paper’s beneath it"
)


def _picture(name: str, svg: str) -> Markup:
    """A figure as SVG that says what it shows to who cannot see it."""
    return _labelled(svg, FIGURES[name].caption)


def _labelled(svg: str, caption: str) -> Markup:
    said = f'<svg role="img" aria-label="{escape(caption)}" '
    return Markup(svg.replace("<svg ", said, 1))
