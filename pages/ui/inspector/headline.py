"""The headline above the tree: the verdict, four sentences, and the states without a picture.

The page is drawn at once, with placeholder lines; a job computes the sentences. The run of the
page waits a moment at its end, open to the next click, to draw them; where they take longer, a
fragment polls.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from eic_core import wording
from eic_core.drawing.scale import HIGH, paint
from eic_core.explain.judgement import A_DIGIT
from eic_core.explain.losses import NAMES, RESULT, Loss, account_line
from eic_core.explain.phrases.headline import (
    LONG,
    badge,
    eic_line,
    guess_line,
    headline,
    meaning,
    measured_mark,
    stop_line,
    value_mark,
)
from eic_core.measure.inspection import NodeAmplification
from eic_core.measure.measured import Quantiles
from eic_core.phrasing import Phrase
from pages.ui.bench.gauges import gauges
from pages.ui.inspector.first_minute import samples_button
from pages.ui.inspector.formula_input import reading_notes, unfold_data
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_dark, uninterrupted
from pages.ui.kit.diagnosis_service import DiagnosisService, Summary
from pages.ui.kit.inspector_service import (
    DEFAULT_DOMAIN,
    Answer,
    InspectionResult,
    describe,
)
from pages.ui.kit.jobs import Job, Jobs, Step, holding
from pages.ui.kit.messages import metric, notation_name, offer_again
from pages.ui.kit.text import clean, escape, prose
from pages.ui.kit.visit import MAX_EFFORT, Visit, change_state, choose_domains, current_visit
from pages.ui.kit.wiring import diagnosis_service, diagnosis_slots
from pages.ui.questions.replacing import replace_formula_button

# Seconds that a request must last before its diagnosis begins.
PATIENCE = 0.15

# Seconds that the run of a page waits for its diagnosis.
WAIT = 0.9

# Seconds between two checks for a newer request.
YIELD = 0.03

_LINES = (
    ("why", "Why", "noise"),
    ("where", "Where", "rows"),
    ("fault", "Whose fault", "writing"),
    ("instead", "Instead", "instead"),
)


@dataclass(frozen=True)
class SummaryPlace:
    """The places of the sentences, of a better form and of the gauges, until the diagnosis comes.

    A container that is drawn twice in one run keeps the elements beyond the second drawing's last:
    the lines to come have a place of their own, to be emptied.
    """

    verdict: DeltaGenerator
    waiting: DeltaGenerator
    sentences: DeltaGenerator
    better: DeltaGenerator
    gauges: DeltaGenerator
    guess: DeltaGenerator
    stop: DeltaGenerator
    further: DeltaGenerator


def _summary_places(result: InspectionResult, notes: Sequence[Phrase]) -> SummaryPlace:
    headline_place = st.empty()
    headline_place.html(_verdict(result, stopped=False))
    with st.container(horizontal=True, key="account", gap="xsmall"):
        with st.popover("Why?", key="summary-panel"):
            with st.container(key="summary", gap=None):
                waiting, sentences = st.empty(), st.container(gap=None)
            stop = str(stop_line(result.inspection))
            if others := [note for note in notes if str(note) != stop]:
                items = "".join(f"<li>{prose(note)}</li>" for note in others)
                st.html(f'<ul class="eic-findings">{items}</ul>')
            _metrics(result)
        _notices(result)
        samples_button(current_visit())
        guess, stopped = _facts(result)
        with st.container(key="better", width="content"):
            better = st.empty()
        if result.guessed:
            st.button("Set ranges", key="set-ranges", type="tertiary", on_click=unfold_data)
        further = st.empty()
    with st.container(key="gauges", width="content"):
        places = waiting, sentences, better, st.empty(), guess, stopped, further
        return SummaryPlace(headline_place, *places)


def _facts(result: InspectionResult) -> tuple[DeltaGenerator, DeltaGenerator]:
    """EIC, and where ranges are a guess a line that says so, whose place is returned; and that of a
    line on where it was stopped.
    """
    with st.container(key="facts", gap=None):
        st.html(_note(eic_line(result.inspection), glossary.EIC))
        place = st.empty()
        if result.guessed:
            place.html(_note(guess_line(result.guessed, DEFAULT_DOMAIN, ())))
        return place, st.empty()


def _note(text: Phrase | str, title: str = "") -> str:
    told = escape(title or str(text), 1000)
    return f'<p class="eic-note" title="{told}">{prose(text)}</p>'


def begin_summary(result: InspectionResult, notes: tuple[Phrase, ...]) -> SummaryPlace | None:
    """Draw the sentences if they are ready; else return their place, for `finish_summary`."""
    visit = current_visit()
    if visit.summarised != result.request:
        if visit.summary_job is not None:
            visit.summary_job.cancel()
        visit.summarised = result.request
        visit.summary_job = _begin(result, diagnosis_service())
    place = _summary_places(result, notes)
    if visit.summary_job is not None and not visit.summary_job.running:
        _show_summary(place, result)
        return None
    with place.waiting.container(gap=None):
        _lines_to_come()
    place.better.html('<p class="eic-quiet">Looking for a better form…</p>')
    with place.gauges:
        gauges(result, None)
    return place


def finish_summary(place: SummaryPlace | None, result: InspectionResult) -> None:
    """Draw the sentences that `begin_summary` had not, after everything else of the page."""
    job = current_visit().summary_job
    if place is None or job is None:
        return
    ends = time.monotonic() + WAIT
    while not job.wait(YIELD) and time.monotonic() < ends:
        current_visit()  # reads the session state, at which a newer request ends this run
    if job.running:
        place.waiting.empty()
        with place.sentences:
            _poll_summary(result)
    else:
        _show_summary(place, result)


def _show_summary(place: SummaryPlace, result: InspectionResult) -> None:
    place.waiting.empty()
    with place.sentences:
        _sentences(result)
    place.better.empty()
    summary = known_summary(result)
    with place.gauges:
        gauges(result, None if summary is None else summary.added)
    if summary is not None and summary.guess:
        place.guess.html(_note(summary.guess))
    if summary is not None and summary.better:
        with place.better.container():
            verb = "Write instead:" if summary.is_exact else "Approximation:"
            replace_formula_button(result, summary.better, "apply-best", verb, longest=32)
    stops = [*map(str, filter(None, [stop_line(result.inspection)]))]
    stops += [summary.stop] if summary is not None and summary.stop else []
    if stops:
        place.verdict.html(_verdict(result, stopped=True))
        place.stop.html(_note(" ".join(stops)))
        with place.further:
            _look_further(result.request.effort)


def _look_further(effort: float) -> None:
    """A button that gives everything four times the effort."""
    if effort < MAX_EFFORT:
        st.button(
            "Look further",
            key="look-further",
            type="tertiary",
            help=glossary.LOOK_FURTHER,
            on_click=change_state,
            kwargs={"effort": int(min(4 * effort, MAX_EFFORT))},
        )


def known_summary(result: InspectionResult) -> Summary | None:
    """The diagnosis of a result, once it has come."""
    visit = current_visit()
    job = visit.summary_job
    return None if job is None or visit.summarised != result.request else job.result


def _begin(result: InspectionResult, service: DiagnosisService) -> Job:
    slots, node = diagnosis_slots(), result.inspection.worst_step

    def work(step: Step) -> Summary:
        # A dragged slider makes many requests a second; each cancels the job before it, in this
        # pause.
        time.sleep(PATIENCE)
        step(0, 1)
        with holding(slots, lambda: step(0, 1)):
            return service.summary(result, node, lambda _: step(0, 1))

    return Jobs().start("summary", "Diagnosing", work)


@st.fragment(run_every=1.0)
def _poll_summary(result: InspectionResult) -> None:
    """Wait for the sentences; the whole page then runs again and draws them."""
    visit = current_visit()
    if visit.summarised != result.request or visit.summary_job is None:
        return
    if visit.summary_job.running:
        with st.container(gap=None):
            _lines_to_come()
    else:
        st.rerun()


def _sentences(result: InspectionResult) -> None:
    job = current_visit().summary_job
    if job is None or job.result is None:
        reason = (
            "The diagnosis was not finished." if job is None or job.error is None else job.error
        )
        st.html(f'<p class="eic-note">{prose(str(reason))}</p>')
        if getattr(reason, "again", False):
            st.button("Try again", key="again-summary", on_click=_diagnose_again)
        return
    summary: Summary = job.result
    for field, label, ask in _LINES:
        if not getattr(summary, field):
            continue
        with st.container(horizontal=True, key=f"summary-{field}", gap="small"):
            st.button(
                label, key=f"ask-{ask}", type="tertiary", on_click=change_state, kwargs={"ask": ask}
            )
            st.html(f'<p class="eic-said">{prose(getattr(summary, field))}</p>', width="stretch")
    if summary.losses:
        st.html(_account(summary.losses))


@uninterrupted()
def _diagnose_again() -> None:
    current_visit().summarised = None


def _account(losses: tuple[Loss, ...]) -> str:
    """The losses in a line that unfolds to a sentence each."""
    short = str(account_line(losses))
    items = "".join(f"<li>{prose(str(loss.sentence))}</li>" for loss in losses)
    return (
        f'<details class="eic-losses"><summary>{prose(short)}</summary><ul>{items}</ul></details>'
    )


def _lines_to_come() -> None:
    for field, label, _ in _LINES:
        text = "Looking for a form that keeps more digits…" if field == "instead" else "…"
        st.html(f'<p class="eic-to-come"><span>{label}</span>{text}</p>')


def closed_notice() -> None:
    """The notice in place of a closed inspector, while raters of an open study must not have it."""
    with st.container(key="header", gap="small"):
        st.markdown("### EIC Lab", anchors=False, width="content")
    st.html(
        '<div class="eic-empty"><p class="eic-empty-title">The inspector is closed for now</p>'
        "<p>A study is under way here, and its volunteers should judge with their own eyes. The "
        "inspector opens again when the study ends.</p></div>"
    )


def answer_message(visit: Visit, answer: Answer) -> None:
    """The notices and errors between the inputs and the picture."""
    state = visit.state
    if visit.query_problems:
        st.html(_unused(visit.query_problems))
    if answer.empty and visit.table is not None:
        columns = wording.join([f"`{clean(name, 40)}`" for name in visit.table.names], limit=12)
        st.html(
            '<div class="eic-empty"><p class="eic-empty-title">The table is here. Paste a formula '
            f"above.</p><p>{prose(f'Its columns: {columns}.')} A formula may name them, or count "
            "them: <code>x1</code>, <code>X1</code>.</p></div>"
        )
    elif answer.waiting:
        name = escape(state.upload_name or "a table", 60)
        st.html(
            f'<div class="eic-empty"><p class="eic-empty-title">This link needs the file '
            f"<code>{name}</code></p><p>Choose it under Data (hash <code>{escape(state.upload)}"
            "</code>). Uploaded files are never stored on the server, so a link cannot carry "
            "them.</p></div>"
        )
    elif answer.data_error is not None:
        error = answer.data_error
        items = "".join(f"<li>{prose(p)}</li>" for p in error.problems[:20])
        st.html(
            f'<div class="eic-error" role="alert"><p class="eic-error-title">'
            f"{prose(error.message)}</p><p>{prose(error.hint)}</p><ul>{items}</ul></div>"
        )
        offer_again(error, "again")
    if not state.fits_url:
        st.html(
            '<p class="eic-note">The formula is too long for a web address, so reload and shared '
            "links will not restore it. Download the JSON to keep it.</p>"
        )


def _unused(problems: tuple[str, ...]) -> str:
    """What of the address is not used, in one line; where there is more, it unfolds."""
    if len(problems) == 1:
        return f'<p class="eic-note eic-bad eic-unused">{prose(problems[0])}</p>'
    items = "".join(f"<li>{prose(problem)}</li>" for problem in problems)
    return (
        f'<details class="eic-note eic-bad eic-unused"><summary>{len(problems)} parts of the '
        f"address are not used as written</summary><ul>{items}</ul></details>"
    )


def verdict_view(result: InspectionResult) -> SummaryPlace | None:
    """The verdict and the gauges, and the diagnosis behind "Why?", or its place until it comes."""
    with st.container(key="verdict", gap=None):
        return begin_summary(result, result.verdict.notes)


def _verdict(result: InspectionResult, *, stopped: bool) -> str:
    return (
        f'<div class="eic-verdict" role="status"><p class="eic-cause">{_marks(result)}</p>'
        f'<h2 class="eic-sentence">{prose(_headline(result, stopped=stopped))}</h2></div>'
    )


def _notices(result: InspectionResult) -> None:
    """How the formula and its data were taken: one line, or a count that opens."""
    notation = notation_name(result.reading.syntax, result.request.syntax)
    if result.request.exponents != "exact":
        notation += f", {result.request.exponents} exponents"
    count = len(result.notices) + len(result.reading.notes) + bool(result.carried)
    title = wording.count(count, "note") if count else "Read as"
    with st.popover(title, key="notices"):
        st.html(f'<p class="eic-quiet">Read as <span class="eic-tag">{escape(notation)}</span></p>')
        reading_notes(result.reading)
        for notice in result.notices:
            st.html(f'<p class="eic-note">{prose(notice)}</p>')
        _carried_ranges(result)


def _headline(result: InspectionResult, *, stopped: bool) -> Phrase:
    """The headline; to who asks what to write instead, with the better form once it is known."""
    asks = current_visit().state.ask == "instead"
    better = diagnosis_service().known_better(result) if asks else ""
    return headline(result.verdict, better if len(better) <= LONG else "", stopped=stopped)


def _marks(result: InspectionResult) -> str:
    """The badge, and what stands beside it, each explained on hover and on focus."""
    verdict = result.verdict
    digits, style = verdict.sensitivity.nine_in_ten, ""
    if not math.isnan(digits):  # as a node of so many digits is painted
        drawn = paint(min(digits, HIGH), is_dark())
        style = f"background:{drawn.fill};color:{drawn.ink};border-color:{drawn.outline}"
    level = f"eic-level eic-{verdict.level.value}{' eic-guessed' if result.guessed else ''}"
    parts = [_mark(level, badge(verdict), meaning(verdict), style)]
    computed = "right" if verdict.measured.nine_in_ten < A_DIGIT else "wrong"
    for mark, css, explained in (
        (value_mark(verdict), "wrong", glossary.NO_VALUE),
        (measured_mark(verdict), computed, glossary.MEASURED),
    ):
        if mark is not None:
            parts.append(_mark(f"eic-mark eic-{css}", mark, explained))
    return " ".join(parts)


def _mark(css: str, text: Phrase, explained: Phrase | str, style: str = "") -> str:
    return (
        f'<span class="eic-term {css}" style="{style}" tabindex="0">{prose(text)}'
        f'<span class="eic-tip" role="tooltip">{escape(explained, 1000)}</span></span>'
    )


def _carried_ranges(result: InspectionResult) -> None:
    """The variables that keep the range of the formula before, and a button that resets them."""
    if not result.carried:
        return
    domains, names = dict(result.domains), result.carried
    listed = wording.join([f"`{name}` ({describe(domains[name])})" for name in names], limit=6)
    keeps = "keeps the range" if len(names) == 1 else "keep the ranges"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="kept"):
        st.html(
            f'<p class="eic-note">{prose(f"{listed} {keeps} of the formula before.")}</p>',
            width="content",
        )
        if any(domains[name] != DEFAULT_DOMAIN for name in names):
            st.button(
                f"Reset to {describe(DEFAULT_DOMAIN)}",
                key="reset-kept",
                type="tertiary",
                icon=":material/restart_alt:",
                on_click=choose_domains,
                args=(dict.fromkeys(names, DEFAULT_DOMAIN),),
                help="The usual range of textbook benchmarks; set another under Data",
            )


def _metrics(result: InspectionResult) -> None:
    inspection = result.inspection
    counts = inspection.counts
    eic, finite = map(wording.digits_lost, (inspection.eic, inspection.eic_finite))
    cells = [metric("EIC", eic, glossary.EIC)]
    if math.isinf(inspection.eic):
        cells.append(metric("EIC, finite", finite, glossary.FINITE))
    cells += [
        metric(NAMES[RESULT], _result_loss(inspection.nodes[-1]), glossary.RESULT),
        metric(
            "Sensitivity, 50 / 90 %, worst",
            _quantiles(result.verdict.sensitivity),
            glossary.SENSITIVITY,
        ),
        metric(
            "Measured, 50 / 90 %, worst",
            _quantiles(result.verdict.measured.quantiles),
            glossary.MEASURED,
        ),
        metric("Noise figure", _decibel(inspection.noise_figure_db), glossary.NOISE_FIGURE),
        *[metric("R²", wording.r_squared(fit.r2), glossary.R2) for fit in [result.fit] if fit],
        metric("Nodes", f"{inspection.formula.complexity:,}", glossary.COMPLEXITY),
        metric("Valid samples", _of(counts.valid, counts.total), glossary.VALID),
    ]
    if counts.left_out:
        if missing := counts.invalid - counts.left_out:
            cells.append(metric("No real value", f"{missing:,}", glossary.VALID))
        cells.append(metric("Not checked", f"{counts.left_out:,}", glossary.NOT_CHECKED))
    if counts.singular:
        cells.append(metric("Singular", f"{counts.singular:,}", glossary.SINGULAR))
    if counts.rechecked:
        total = f" <small>of {counts.rechecked + counts.left_out:,}</small>"
        rechecked = f"{counts.rechecked:,}" + (total if counts.left_out else "")
        cells.append(metric("Checked exactly", rechecked, glossary.RECHECKED))
    spread = result.spread
    if spread is not None:
        at = f" at {prose(spread.place)}" if spread.place else ""
        cells += [
            metric(f"50 / 90 / 99 %{at}", spread.quantiles, glossary.QUANTILES),
            metric("Worst 1 % carries", spread.worst, glossary.TOP_SHARE),
            metric("Mean settled", _settled(*spread.settled_parts), glossary.SETTLED),
        ]
    st.html(f'<div class="eic-metrics">{"".join(cells)}</div>')


def _result_loss(root: NodeAmplification) -> str:
    """Local EIC of the result; if it is infinite, that at the finite samples too."""
    digits, rest = (wording.digits_lost(v) for v in (root.local_eic, root.local_eic_finite))
    if math.isinf(root.local_eic) and not math.isnan(root.local_eic_finite):
        return f"{digits} <small>else {rest}</small>"
    return digits


def _quantiles(digits: Quantiles) -> str:
    values = (digits.typical, digits.nine_in_ten, digits.worst)
    return " / ".join(wording.number(value, 1) for value in values)


def _settled(answer: Phrase, detail: Phrase | None) -> str:
    more = "" if detail is None else f" <small>{prose(str(detail))}</small>"
    return f"{prose(str(answer))}{more}"


def _decibel(value: float) -> str:
    return wording.number(value) if math.isnan(value) else f"{wording.number(value, 0)} dB"


def _of(part: int, whole: int) -> str:
    return f"{part:,}" if part == whole else f"{part:,} <small>of {whole:,}</small>"
