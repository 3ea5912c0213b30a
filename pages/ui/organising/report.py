"""The first report of a closed study: preference, agreement, exclusions, and files to take away."""

from __future__ import annotations

import streamlit as st

from pages.ui.organising.desk import download, heading, note
from pages.ui.organising.drafts import Draft
from pages.ui.organising.tables import table_html
from pages.ui.text import escape, prose
from pages.ui.wiring import figure_cache, lab
from study.organising import OrganiserService
from study.report.analysis import StudyReport, analyse
from study.report.sections import sections_of
from study.report.verdict import verdict
from study.report.words import interval_text, percent


def view(service: OrganiserService, draft: Draft) -> None:
    """Verdict, numbers, files."""
    study = draft.study
    # A closed study does not change any more, but for raters who withdraw.
    withdrawn = service.monitor.live(study.id).withdrawn
    key = ("report", lab().settings.database_url, study.hash, withdrawn)
    report = figure_cache().get(
        key, lambda: analyse(service.monitor.export(study.id)), lambda _: 5.0
    )
    st.html(f'<p class="eic-sentence">{escape(verdict(report).text)}</p>')
    for line in report.notes:
        note(line)
    with st.container(horizontal=True, key="report-files", vertical_alignment="center"):
        purpose = f"export {study.id}"
        download(f"/exports/{study.id}/study.zip", "Export as ZIP", purpose, primary=True)
        download(f"/exports/{study.id}/votes.csv", "Votes as CSV", purpose)
        download(f"/exports/{study.id}/report.html", "Report as HTML", purpose)
    _numbers(report)
    if report.by_problem:
        heading("By problem")
        st.html(
            table_html(
                [
                    (p.problem, p.pairs, p.preference.lower, p.preference.votes,
                     percent(p.preference.rate), interval_text(p.preference.wilson(report.level)))
                    for p in report.by_problem
                ],
                ("problem", "pairs", "for the lower", "votes", "rate", "Wilson"),
            )
        )  # fmt: skip
    st.html(
        '<p class="eic-quiet">The export holds the frozen configuration and every vote; '
        f"<code>python -m study report {prose('FOLDER')}</code> makes the same report from it."
        "</p>"
    )


def _numbers(report: StudyReport) -> None:
    """All facts, what matters most on the left."""
    left, right = st.columns(2, gap="large")
    for section in sections_of(report):
        with left if section.group in ("headline", "paper") else right:
            heading(section.title)
            st.html(table_html([(fact.name, fact.value) for fact in section.facts]))
