"""A report as one self-contained HTML page: no script, no request to anywhere."""

from __future__ import annotations

from eic_core import wording
from eic_core.drawing.scale import PAGE_COLOURS
from eic_core.explain.budget import TOLERANCE
from eic_core.formula.rendering import short_text, to_python
from eic_core.markup import environment
from eic_core.measure.inspection import Inspection
from eic_core.report import charts, sections
from eic_core.report.findings import SEARCH_SECONDS, Findings, Progress, investigate
from eic_core.report.provenance import Provenance, python_snippet, versions


def html_report(
    inspection: Inspection,
    *,
    provenance: Provenance | None = None,
    with_repair: bool = True,
    with_triangulation: bool = True,
    with_budget: bool = True,
    tolerance: float = TOLERANCE,
    seconds: float = SEARCH_SECONDS,
    progress: Progress | None = None,
) -> str:
    """An inspection with its whole diagnosis, as an HTML document.

    Parameters
    ----------
    inspection
    provenance
        How the formula was read and the samples were made; without it the report says what the
        inspection knows.
    with_repair
        What to do; what is left out is said to be.
    with_triangulation
        What to do; what is left out is said to be.
    with_budget
        What to do; what is left out is said to be.
    tolerance
        Of the digit budget, in standard deviations of the output.
    seconds
        After so long the search for better forms is cut short, and the page says so on top.
    progress

    Returns
    -------
    str

    Raises
    ------
    UserError
        If the tolerance is not in (0, 1], or the time is no positive number.

    Notes
    -----
    Numbers stand in ``<data value="...">`` unrounded, and all of them in a JSON file that the
    page carries.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> page = html_report(inspect(read("10000*x-9999*x").formula, samples))
    >>> page[:15], "4.2 of the 4.3" in page.replace("\\xa0", " ")
    ('<!DOCTYPE html>', True)
    """
    known = provenance or Provenance()
    findings = investigate(
        inspection,
        with_repair=with_repair,
        with_triangulation=with_triangulation,
        with_budget=with_budget,
        tolerance=tolerance,
        seed=known.seed,
        seconds=seconds,
        progress=progress,
    )
    return render(findings, known)


def render(findings: Findings, provenance: Provenance) -> str:
    """The page of what was found, as an HTML document.

    Parameters
    ----------
    findings
    provenance
        How the formula was read and the samples were made.

    Returns
    -------
    str

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> inspection = inspect(read("x + 1").formula, samples)
    >>> findings = investigate(inspection, with_repair=False, with_triangulation=False)
    >>> page = render(findings, Provenance())
    >>> page.count("<section "), "left out on request" in page
    (12, True)
    """
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
        charts=charts,
    )
