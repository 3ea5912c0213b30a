"""A report as one self-contained HTML page: no script, no request to anywhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from markupsafe import Markup
from matplotlib.figure import Figure

from eic_core.drawing.scale import PAGE_COLOURS
from eic_core.markup import environment, escape
from study.report import terms
from study.report.analysis import StudyReport, provenance
from study.report.figures import FIGURES
from study.report.flow import StudyFlow
from study.report.phrases.notes import notes
from study.report.phrases.verdict import verdict
from study.report.printing import figures_of, to_svg
from study.report.sections import GROUPS, sections_of
from study.report.tables import LONG_FILE, long_csv

SHORT_TABLE = 8
"""Tables of more rows are folded."""
FIRST = "preference"
"""The figure beneath the verdict."""


def render_html(report: StudyReport, figures: Mapping[str, Figure] | None = None) -> str:
    export = report.export
    sections = sections_of(report)
    page = environment("study.report").get_template("study.html.j2")
    return page.render(
        colours=PAGE_COLOURS,
        title=export.title or export.study,
        verdict=verdict(report),
        flow=StudyFlow.of(report),
        notes=[str(note) for note in notes(report)],
        eic=terms.EIC,
        groups=[
            (group, heading, found)
            for group, heading in GROUPS.items()
            if (found := [section for section in sections if section.group == group])
        ],
        figures={
            name: _picture(FIGURES[name].chart(report).words, to_svg(figure))
            for name, figure in (figures or figures_of(report)).items()
        },
        first=FIRST,
        kinds=FIGURES,
        short_table=SHORT_TABLE,
        source=provenance(export.hash, report.seed, report.software),
        votes_file=LONG_FILE,
        votes=base64.b64encode(long_csv(report).encode("utf-8")).decode("ascii"),
    )


def _picture(words: str, svg: str) -> Markup:
    """A figure as SVG that says what it shows to who cannot see it."""
    said = f'<svg role="img" aria-label="{escape(words)}" '
    return Markup(svg.replace("<svg ", said, 1))
