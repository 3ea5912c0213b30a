"""A report as one self-contained HTML page: no script, no request to anywhere."""

from __future__ import annotations

import math

from eic_core import wording
from eic_core.drawing.inline import svg_of
from eic_core.drawing.scale import PAGE_COLOURS
from eic_core.effort import Effort
from eic_core.errors import require
from eic_core.explain.budget import TOLERANCE
from eic_core.formula.rendering import short_text, to_python
from eic_core.markup import environment
from eic_core.measure.inspection import Inspection
from eic_core.report import charts, instead, sections
from eic_core.report.findings import Findings, Progress, investigate
from eic_core.report.provenance import Provenance, python_snippet, versions


def html_report(
    inspection: Inspection,
    *,
    provenance: Provenance | None = None,
    with_repair: bool = True,
    with_triangulation: bool = True,
    with_budget: bool = True,
    tolerance: float = TOLERANCE,
    effort: Effort = "normal",
    seconds: float = math.inf,
    progress: Progress | None = None,
) -> str:
    """An inspection with its whole diagnosis, as an HTML document.

    Parameters
    ----------
    inspection
        The formula on its samples.
    provenance
        Sources of the formula and its samples; by default those that the inspection holds.
    with_repair
    with_triangulation
    with_budget
        The parts to compute; the page names those that are left out.
    tolerance
        Of the digit budget, in standard deviations of the output; in (0, 1].
    effort
        Of the search for better forms, as `repair` takes it.
    seconds
        After how many that search is stopped.
    progress
        Called with the share done, 0 to 1, and a phrase for the next step.

    Returns
    -------
    str
        Numbers stand in ``<data value="...">`` unrounded, and all of them in an embedded JSON file.

    Raises
    ------
    UserError
        If the tolerance is not in (0, 1], or the effort or the time is no positive number.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> page = html_report(inspect(read("10000*x-9999*x").formula, samples))
    >>> page[:15], "the two terms cancel" in page
    ('<!DOCTYPE html>', True)
    """
    require(inspection, Inspection)
    provenance = provenance or Provenance()
    findings = investigate(
        inspection,
        with_repair=with_repair,
        with_triangulation=with_triangulation,
        with_budget=with_budget,
        tolerance=tolerance,
        seed=provenance.seed,
        effort=effort,
        seconds=seconds,
        progress=progress,
    )
    return render(findings, provenance)


def render(findings: Findings, provenance: Provenance) -> str:
    """The page of findings, as an HTML document.

    Parameters
    ----------
    findings
        As `investigate` returns them.
    provenance
        Sources of the formula and its samples.

    Returns
    -------
    str
        Self-contained.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> inspection = inspect(read("x + 1").formula, samples)
    >>> findings = investigate(inspection, with_repair=False, with_triangulation=False)
    >>> page = render(findings, Provenance())
    >>> page.count("<section "), "left out on request" in page
    (14, True)
    """
    require(findings, Findings)
    require(provenance, Provenance)
    formula = findings.inspection.formula
    page = environment("eic_core").get_template("inspection.html.j2")
    return page.render(
        colours=PAGE_COLOURS,
        findings=findings,
        provenance=provenance,
        name=wording.shorten(short_text(formula, limit=60), 60),
        written=to_python(formula),
        script=python_snippet(findings.inspection, provenance),
        version=versions()["EIC Lab"],
        show=sections,
        instead=instead,
        charts=charts,
        drawn=svg_of,
    )
