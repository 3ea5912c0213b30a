"""A report as one self-contained HTML page: no script, no request to anywhere."""

from __future__ import annotations

import base64
from html import escape

from study.report.analysis import StudyReport
from study.report.figures import pair_distributions, preference_figure, to_svg, votes_figure
from study.report.folder import votes_csv
from study.report.text import facts, interval_text, p_text, percent

_CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;
       max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.verdict { font-size: 1.2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ddd;
         vertical-align: top; overflow-wrap: anywhere; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
figcaption, .note { color: #444; font-size: .9rem; }
.scroll { overflow-x: auto; }
"""


def valid_votes_csv(report: StudyReport) -> str:
    """All votes as spreadsheet-safe CSV, with two more columns: `excluded` and why."""
    return votes_csv(
        report.export.votes,
        {
            "excluded": ["true" if why else "false" for why in report.reasons],
            "exclusion_reason": report.reasons,
        },
    )


def verdict(report: StudyReport) -> str:
    """The main result in a sentence.

    Examples
    --------
    >>> from study.report.analysis import analyse
    >>> from study.report.exported import StudyExport
    >>> verdict(analyse(StudyExport("s", "Demo", "", (), ())))
    'There are no valid votes.'
    """
    p = report.preference
    if p.rate is None:
        return p.reason
    return (
        f"Raters preferred the formula of lower EIC in {percent(p.rate)} of {p.votes:,} votes "
        f"({100 * report.level:g} % interval {interval_text(p.wilson(report.level))}, "
        f"p = {p_text(p.p_value)})."
    )


def render_html(report: StudyReport) -> str:
    """The whole report as an HTML document."""
    title = escape(report.export.title or report.export.study)
    csv_link = base64.b64encode(valid_votes_csv(report).encode("utf-8")).decode("ascii")
    body = [
        f"<h1>{title}</h1>",
        f'<p class="verdict">{escape(verdict(report))}</p>',
        *(f'<p class="note">{escape(note)}</p>' for note in report.notes),
        _figure(to_svg(preference_figure(report)), "Share of valid votes for the lower EIC, "
                "with Wilson intervals; votes in brackets."),
        _by_problem(report),
        _figure(to_svg(pair_distributions(report.export.pairs)),
                "The two formulas of each pair: alike in complexity and R², apart in EIC."),
        _figure(to_svg(votes_figure(report)), "Valid votes on each pair."),
        *(_facts(heading, rows) for heading, rows in facts(report)),
        "<h2>Votes</h2>",
        f'<p><a download="votes.csv" href="data:text/csv;charset=utf-8;base64,{csv_link}">'
        "All votes as CSV</a>, with those left out marked.</p>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_CSP}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _figure(svg: str, caption: str) -> str:
    said = escape(caption)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)
    return f"<figure>{svg}<figcaption>{said}</figcaption></figure>"


def _facts(heading: str, rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<h2>{escape(heading)}</h2><table>{cells}</table>"


def _by_problem(report: StudyReport) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(p.problem)}</th><td class="n">{p.pairs}</td>'
        f'<td class="n">{p.preference.lower}</td><td class="n">{p.preference.votes}</td>'
        f'<td class="n">{percent(p.preference.rate)}</td>'
        f'<td class="n">{interval_text(p.preference.wilson(report.level))}</td></tr>'
        for p in report.by_problem
    )
    head = "".join(
        f'<th scope="col" class="n">{name}</th>'
        for name in ("pairs", "for the lower", "votes", "rate", "Wilson")
    )
    return (
        '<h2>By problem</h2><div class="scroll"><table><tr><th scope="col">problem</th>'
        f"{head}</tr>{rows}</table></div>"
    )
