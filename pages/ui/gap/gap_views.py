"""The pieces of the page Stability gap: findings in words, pictures, tables, the pool."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import streamlit as st

from eic_core import wording
from eic_core.corpora.claims import (
    LAWS,
    OCCURRENCES,
    Claim,
    figure_rows,
    interval_text,
)
from eic_core.corpora.gap import LEVEL, MEAN, MEASURES, Group
from eic_core.corpora.laws import NAMES, RULES, Corpus, load
from eic_core.corpora.measured import COUNTS, MeasuredFormula
from eic_core.drawing.chart import Chart
from eic_core.exports import csv_text
from eic_core.measure.table import Table, read_table
from pages.ui.gap.gap_desk import (
    MOST_METHODS,
    GapDesk,
    GapFindings,
    GapView,
    by_rule,
    drop_pool,
    gap_desk,
    read_pool,
)
from pages.ui.gap.gap_figure import GapPicture, by_complexity, by_rows, violins
from pages.ui.kit.browser import is_narrow
from pages.ui.kit.messages import quiet_note, show_error, show_heading, table_html
from pages.ui.kit.pictures import show_chart
from pages.ui.kit.progress import progress_text, show_job
from pages.ui.kit.text import escape
from pages.ui.kit.visit import PageState, keep_upload

DRAWN = (LAWS, "wikipedia", "llm_srbench_transform", "llm_srbench_synth")
"""Groups of the corpora that are drawn; the table has their parts, too."""


def view_controls(view: GapView) -> None:
    """Controls of the measure, the number of rows and the ranges of named equations."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="gap-controls"):
        st.segmented_control(
            "EIC by",
            list(MEASURES),
            default=view.measure,
            key="gap-by",
            required=True,
            format_func=lambda key: MEASURES[key],
            on_change=_view_changed,
            help="EIC is defined by the mean of s², which a few rows near a zero may decide; the "
            "quantile leaves the worst tenth of the rows out.",
        )
        st.segmented_control(
            "Rows a formula",
            list(COUNTS),
            default=view.count,
            key="gap-rows",
            required=True,
            format_func=lambda count: f"{count:,}",
            on_change=_view_changed,
        )
        st.selectbox(
            "Named equations, every variable",
            list(RULES),
            index=list(RULES).index(view.rule),
            key="gap-rule",
            on_change=_view_changed,
            width=240,
            format_func=lambda rule: rule.replace("-", "−"),
            help="Wikipedia states no ranges: EIC of its equations depends on the rule.",
        )


def _view_changed() -> None:
    state = st.session_state
    view = GapView(state["gap-by"] or MEAN, state["gap-rows"] or COUNTS[1], state["gap-rule"])
    st.query_params.from_dict(view.to_query())


def lead(findings: GapFindings) -> None:
    """The main finding, in a sentence or two."""
    laws = findings.summaries[LAWS]
    median, mean = laws.median, laws.mean
    sentence = (
        f"EIC of half of the {laws.count} laws is below <b>{wording.number(median.value)} digits"
        f"</b>, but their mean is {wording.number(mean.value)}: "
        f"{wording.percent(laws.share_below_1.value, 0)} of them stay below one digit."
        if mean.value >= 1
        else f"EIC of the {laws.count} laws is <b>{wording.number(median.value)} digits</b> at the "
        f"median and {wording.number(mean.value)} on average; "
        f"{wording.percent(laws.share_below_1.value, 0)} of them stay below one."
    )
    st.html(f'<p class="eic-lead">{sentence}</p>')
    if findings.differences:
        methods_by_outcome: dict[str, list[str]] = {}
        for key, step in findings.differences.items():
            median = step.median
            what = (
                "too few laws to say"
                if not median.has_bounds
                else "more digits at the median than the laws they were found for"
                if median.low > 0
                else "fewer"
                if median.high < 0
                else "not told apart from their laws"
            )
            methods_by_outcome.setdefault(what, []).append(findings.summaries[key].group.title)
        parts = [f"{wording.join(names)}: {what}" for what, names in methods_by_outcome.items()]
        st.html(f'<p class="eic-quiet">What methods find. {escape("; ".join(parts), 800)}.</p>')


def pictures(findings: GapFindings, view: GapView) -> None:
    """The violins and the formulas by complexity; a click picks a formula."""
    desk = gap_desk()
    methods = [group for group in findings.groups if group.by_method]
    drawn = [group for group in findings.groups if group.key in DRAWN] + methods[:MOST_METHODS]
    picture = GapPicture(drawn, findings.summaries, view.count, view.measure, desk.picked)
    narrow = is_narrow()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        show_heading("EIC by group")
        _chart("gap-violins", violins(picture))
        if narrow:
            picked_card(findings, view)
    with right:
        show_heading("EIC by complexity, a panel for each method")
        _chart("gap-cloud", by_complexity(picture))
    notes = ["Bar: quartiles; stroke: median; ring: mean. Click a point to inspect its formula."]
    if picture.beyond:
        which = wording.count(picture.beyond, "formula is", "formulas are")
        notes.append(f"{which} drawn on the edge: EIC above {picture.edge:g}.")
    if len(methods) > MOST_METHODS:
        notes.append(f"The first {MOST_METHODS} of {len(methods)} methods are drawn.")
    quiet_note(" ".join(notes))
    if not narrow:
        picked_card(findings, view)
    show_heading("EIC by the number of rows")
    show_chart(lambda: by_rows(drawn, findings.by_rows), key="gap-rows-figure")


def _chart(key: str, picture: Chart) -> None:
    show_chart(
        lambda: picture,
        key=key,
        file_name=f"eic-{key}",
        on_select=lambda: _point_clicked(key),
        selection_mode="points",
    )


def _point_clicked(key: str) -> None:
    points = st.session_state[key].selection.points
    if points and (data := points[0].get("customdata")) is not None:
        gap_desk().picked = (str(data[0]), int(data[1]))


def picked_card(findings: GapFindings, view: GapView) -> None:
    """The picked formula, its losses, and the way to inspect it."""
    desk = gap_desk()
    chosen = findings.formula(desk.picked) if desk.picked is not None else None
    if chosen is None:
        return
    group, formula = chosen
    lost = formula.at(view.count)
    facts = [
        group.title,
        formula.law if formula.name == formula.law else f"{formula.name} · {formula.law}",
        f"{formula.complexity} nodes",
        f"EIC {wording.number(lost.eic)}",
    ]
    if not math.isnan(lost.q90):
        facts.append(f"by the 90 % quantile {wording.number(lost.q90)}")
    if lost.valid < 1:
        facts.append(f"a real value at {wording.percent(lost.valid)} of the rows")
    if not math.isnan(lost.r2):
        facts.append(f"R² {wording.r_squared(lost.r2)}")
    if len(formula.digits) > 1:
        by_rows = ", ".join(f"{n:,} rows {wording.number(formula.at(n).eic)}" for n in COUNTS)
        facts.append(f"with {by_rows}")
    with st.container(horizontal=True, vertical_alignment="center", key="gap-picked"):
        st.html(
            f'<p class="eic-picked"><code>{escape(formula.formula, 400)}</code><br>'
            f'<span class="eic-quiet">{escape(" · ".join(facts), 400)}</span></p>',
            width="stretch",
        )
        if st.button(
            "Open in the inspector", key="gap-open", icon=":material/search:", type="primary"
        ):
            open_in_inspector(group, formula, view)


def open_in_inspector(group: Group, formula: MeasuredFormula, view: GapView) -> None:
    """Go to the inspector with this formula in its ranges, or on the table of its source law."""
    from pages.inspector import inspector_page

    page = st.Page(inspector_page, title="Inspector", url_path="inspector", default=True)
    st.switch_page(page, query_params=inspector_state(group, formula, view).to_query())


def inspector_state(group: Group, formula: MeasuredFormula, view: GapView) -> PageState:
    """The inspector's state for a formula; a table that it needs is kept for this tab."""
    plain = PageState(
        formula.formula, formula.syntax or "auto", tuple(formula.ranges.items()), view.count
    )
    if group.key != "llm_srbench_transform":
        return plain
    table = source_table(formula.name, view.count)
    keep_upload(table)
    return PageState(
        formula.formula, upload=table.digest, upload_name=table.source, target=table.names[-1]
    )


def source_table(name: str, count: int) -> Table:
    """The rows of a solved law, as a table whose last column is its target."""
    law = load("llm_srbench_transform")[name]
    samples = law.samples(count)
    assert samples.target is not None
    columns = {**samples.columns, law.target: samples.target}
    cells = zip(*([repr(float(v)) for v in column] for column in columns.values()), strict=True)
    return read_table(csv_text(list(columns), cells).encode(), source=f"{law.source}.csv")


def summary_table(findings: GapFindings) -> None:
    """Every group's distribution, with intervals."""
    heads = [
        "",
        "Formulas",
        "Median",
        "Mean",
        "Below 1",
        "First quartile",
        "Third quartile",
        "Median less its laws'",
    ]
    rows: list[tuple[str, ...]] = []
    for group in findings.groups:
        one = findings.summaries[group.key]
        step = findings.differences.get(group.key)
        rows.append(
            (
                _title(group),
                f"{one.count:,}",
                interval_text(one.median),
                interval_text(one.mean),
                wording.percent(one.share_below_1.value, 0, missing="—"),
                wording.number(one.quartile1),
                wording.number(one.quartile3),
                interval_text(step.median, signed=True) if step is not None else "",
            )
        )
    if not findings.differences:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    st.html(table_html(rows, heads))
    notes = [
        f"Brackets hold {wording.level_percent(LEVEL)} intervals, from laws drawn "
        "again. Formulas that were found for a law, or solved from it, are drawn with"
        " it. Fewer than ten laws have no interval."
    ]
    for group in findings.groups:
        without = findings.summaries[group.key].without
        if without and group.key != OCCURRENCES:
            notes.append(f"{group.title}: {without} without a real value at any row.")
        if infinite := findings.summaries[group.key].infinite:
            notes.append(f"{group.title}: {infinite:,} of infinite EIC, left out of the mean.")
        if group.left_out:
            reasons = "; ".join(f"{count:,}: {reason}" for reason, count in group.left_out.items())
            notes.append(f"{group.title}, left out {reasons}.")
    st.html("".join(f'<p class="eic-quiet">{escape(note, 500)}</p>' for note in notes))


def _title(group: Group) -> str:
    return f"{group.title}, {group.note}" if group.note else group.title


def dependence_table(findings: GapFindings) -> None:
    """Median and mean of both measures at each number of rows."""
    rows = [
        (
            _title(group),
            *[
                " · ".join(wording.number(getattr(one, part).value) for one in summaries)
                for summaries in findings.by_rows[group.key].values()
                for part in ("median", "mean")
            ],
        )
        for group in findings.groups
        if group.key in findings.by_rows
    ]
    counts = " · ".join(f"{count:,}" for count in COUNTS)
    st.html(
        table_html(
            rows,
            ("", "EIC, median", "EIC, mean", "90 % quantile, median", "90 % quantile, mean"),
        )
    )
    quiet_note(
        f"With {counts} rows. Where a sum crosses zero in its range, the mean of s² "
        "does not settle: EIC grows by about half a digit for every ten times as many"
        " rows. The quantile does settle."
    )


def rules_table(view: GapView) -> None:
    rows = [
        (
            f"every variable {rule.replace('-', '−')}",
            f"{one.count:,}",
            wording.percent(one.share_below_1.value, 0),
            interval_text(one.median),
            interval_text(one.mean),
        )
        for rule, one in by_rule(view.count, view.measure).items()
    ]
    st.html(table_html(rows, ("", "With a value", "Below 1", "Median", "Mean")))


def claims_list(statements: Sequence[Claim]) -> None:
    """The paper's claims, each with its finding."""
    items = "".join(
        f'<li><p><b>{escape(claim.statement, 400)}</b> <span class="eic-tag">'
        f"{escape(claim.verdict, 200)}</span></p>"
        f'<p class="eic-quiet">Found: {escape(claim.evidence, 1500)}.</p></li>'
        for claim in statements
    )
    st.html(f'<ul class="eic-claims">{items}</ul>')


def sources_view() -> None:
    items = "".join(
        f"<li><b>{escape(corpus.title)}</b>, {len(corpus)} measured: "
        f"{escape(corpus.source, 400)}. Rows: {escape(corpus.sampling, 400)}."
        f"{_not_measured(corpus)}</li>"
        for corpus in map(load, NAMES)
    )
    st.html(f'<ul class="eic-sources">{items}</ul>')


def _not_measured(corpus: Corpus) -> str:
    if not corpus.not_measured:
        return ""
    names = ", ".join(law.name for law in corpus.not_measured)
    return f" Not measured, for their source law is not known: {escape(names, 400)}."


# --- the visitor's own pool ---


def pool_view(desk: GapDesk) -> None:
    """The pool, the progress of its measuring, or an invitation to bring one."""
    show_heading("What methods find")
    if desk.job is not None and desk.job.running:
        _progress(desk.number)
        return
    if desk.job is not None and desk.job.cancelled:
        quiet_note("Measuring was cancelled.")
    if desk.error is not None:
        show_error(desk.error)
    if desk.pool is not None:
        count = sum(len(one.formulas) for one in desk.pool.methods)
        by = wording.count(len(desk.pool.groups), "method")
        how = (
            "with the scores that it brought"
            if desk.pool.stored
            else ("measured on rows of their laws, in double precision")
        )
        info, remove = st.columns([4, 1.2], vertical_alignment="center")
        info.html(
            f'<p class="eic-file"><b>{escape(desk.pool.name, 60)}</b> <span>'
            f"{wording.count(count, 'formula')} by {by}, {how}</span></p>"
        )
        remove.button("Remove", key="gap-drop", on_click=drop_pool, width="stretch")
        return
    quiet_note(
        "Bring formulas that methods found for these laws, a row each with `dataset` (the law, as "
        "`feynman_I_6_2`), `method` and `formula`: they are drawn beside the laws. Formulas of R² "
        "below 0.8 are left out, as the paper does. A pool that `eic score` wrote, for any data, "
        "is taken with its scores."
    )
    st.file_uploader(
        "A pool: CSV or JSON, gzipped or not",
        type=["csv", "gz", "json", "tsv"],
        key=f"gap-file-{desk.uploader}",
        on_change=_dropped,
    )


def _dropped() -> None:
    file = st.session_state.get(f"gap-file-{gap_desk().uploader}")
    if file is not None:
        read_pool(file.getvalue(), file.name)


@st.fragment(run_every=0.6)
def _progress(number: int) -> None:
    desk = gap_desk()
    desk.last_watched = time.monotonic()
    show_job(
        desk.job,
        lambda job: progress_text(job, "Measuring", "formulas", "reading the pool"),
        key=f"gap-cancel-{number}",
    )


def file_button(findings: GapFindings) -> None:
    st.download_button(
        "All figures, CSV",
        data=lambda: figures_csv(findings.groups),
        file_name="eic-gap.csv",
        mime="text/csv",
        key="gap-download",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        help="Every formula with its EIC at each number of rows",
    )


def figures_csv(groups: Sequence[Group]) -> str:
    """A row for each formula and number of rows, as `python -m eic_core gap --out` writes it."""
    head, *rows = figure_rows(groups)
    return csv_text(head, rows)
