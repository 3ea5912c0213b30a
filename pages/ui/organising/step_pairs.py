"""Step 3: the rules, the pairs they give, and the outcome of every formula."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from eic_core import wording
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import is_organiser
from pages.ui.kit.jobs import Job, Step
from pages.ui.kit.messages import (
    quiet_note,
    show_empty_state,
    show_error,
    show_heading,
    show_note,
    show_warning,
    table_html,
)
from pages.ui.kit.pictures import show_chart
from pages.ui.kit.progress import progress_text, show_job
from pages.ui.kit.wiring import figure_cache, jobs, stopwatch, workers
from pages.ui.kit.workers import UNHURRIED, repeat_progress
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    keep_result,
    matching_result,
    organiser_desk,
    rules_of,
    show_done_message,
    show_error_at,
    version_seen,
)
from pages.ui.organising.studies import next_step_button
from study.errors import StudyError
from study.giveaways import Giveaway
from study.matching import OUTCOMES, MatchingResult, MatchingRules
from study.matching.looks import gaps_sentence
from study.matching.rules import DISTINCT
from study.material import StudyPair, unfinished_sentence
from study.organising import OrganiserService
from study.pairing import match_study
from study.report.figures import pair_histograms

LARGE = 30_000
# Seconds for each problem when an unfinished matching is finished.
FINISHING = 3_600.0

_A_DAY = 86_400.0

MODES = {
    "matching": "Each formula at most once",
    "best": "The best K of each problem",
    "all": "All pairs",
}

ONCE = {
    "text": "a text, however spelled",
    "skeleton": "a tree without its constants",
    "row": "a row of the pool",
}


def pairs_done(draft: StudyDraft) -> bool:
    """Whether there are pairs, chosen without being cut short."""
    return bool(draft.included_pairs) and not draft.study.rules.get("unfinished")


def pairs_view(service: OrganiserService, draft: StudyDraft) -> None:
    quiet_note(
        "A pair is two formulas of one problem that are alike in complexity and R² and differ "
        "in EIC. Among the pairs that the rules allow, those are chosen that minimise "
        "L = (ΔC)² + (ΔR²)² − (ΔEIC)²."
    )
    if draft.pool is None:
        show_empty_state(
            "First the pool", "Pairs are made from a pool of formulas: bring one in step 2."
        )
        return
    _rules(draft)
    show_done_message("pairs")
    show_error_at("pairs")
    job = jobs().get(_key(draft))
    if job is not None and job.running:
        _progress(_key(draft))
        return
    if job is not None:
        _show_ending(draft, job)
    cut_short = unfinished_sentence(draft.study.rules.get("unfinished", ()))
    if cut_short:
        _unfinished(draft, cut_short)
    elif not draft.pairs:
        show_empty_state(
            "No pairs yet", "Press “Match”. The rules are the paper’s until you change them."
        )
    if not draft.pairs:
        return
    result = None if cut_short else _result(draft)
    if result is not None and result.complete:
        _outcomes_table(result)
        if result.twins:
            quiet_note(f"{wording.count(result.twins, 'pair')} of near twins were passed over.")
        if sentence := gaps_sentence(result):
            quiet_note(sentence)
        for line in result.notes:
            show_note(line)
    elif result is not None:
        show_warning(
            "What became of every formula could not be counted in time. The pairs are complete."
        )
        st.button("Count again", key="count-again", on_click=_count_again)
    _plots(draft.included_pairs)
    _giveaways(service, draft)
    next_step_button(draft.study, "preview", "Next: look at each pair")


# --- rules ---


def _rules(draft: StudyDraft) -> None:
    rules, mode, k = rules_of(draft.study)
    # Other stored rules make other fields, which start from them.
    key = f"rules:{draft.study.id}:{sorted(draft.study.rules.items())}:"
    columns = [c for c in draft.pool_columns if c == "r2" or c.lower().startswith("r2")] or ["r2"]
    with st.form(f"rules-{draft.study.id}", border=True):
        _paper_rules(rules, columns, key)
        with st.container(horizontal=True, gap="small"):
            st.selectbox(
                "Which pairs",
                list(MODES),
                list(MODES).index(mode),
                key=f"{key}mode",
                format_func=MODES.__getitem__,
                width=250,
            )
            st.number_input(
                "K",
                1,
                10_000,
                k or 5,
                1,
                key=f"{key}k",
                width=100,
                help="Only for “the best K of each problem”",
            )
        _inclusions(rules, key)
        _further_rules(rules, key)
        if draft.dropped_pairs:
            st.checkbox(
                f"Discard what was left out and why ({len(draft.dropped_pairs)}), too",
                key=f"{key}discard",
                help="Matching again makes all pairs anew",
            )
        st.form_submit_button(
            "Match again" if draft.pairs else "Match",
            type="primary",
            on_click=_match,
            args=(draft, key),
        )


def _paper_rules(rules: MatchingRules, columns: list[str], key: str) -> None:
    with st.container(horizontal=True, gap="small", key="rules-numbers"):
        st.number_input(
            "|ΔC| at most",
            0,
            1000,
            rules.max_complexity_gap,
            1,
            key=f"{key}c",
            width=120,
            help="Difference in number of nodes",
        )
        st.number_input(
            "|ΔR²| at most",
            0.0,
            10.0,
            rules.max_r2_gap,
            0.005,
            format="%.4f",
            key=f"{key}r",
            width=130,
        )
        st.number_input(
            "|ΔEIC| at least",
            0.0,
            1000.0,
            rules.min_eic_gap,
            0.5,
            key=f"{key}e",
            width=130,
            help="In digits",
        )
        st.number_input(
            "Larger R² above", -10.0, 0.9999, rules.min_best_r2, 0.01, key=f"{key}b", width=130
        )
        st.selectbox(
            "R² from",
            columns,
            key=f"{key}column",
            width=130,
            index=columns.index(rules.r2_column) if rules.r2_column in columns else 0,
            help="Column of the pool",
        )


def _inclusions(rules: MatchingRules, key: str) -> None:
    st.checkbox(
        "Leave out pairs that are one function on the data, up to rounding",
        rules.exclude_same_function,
        key=f"{key}same",
        help="Otherwise they stay, and are labelled in the preview",
    )
    st.checkbox(
        "Allow near twins",
        rules.near_twins,
        key=f"{key}twins",
        help="Pairs of one tree whose constants alone differ: raters would compare numbers, not "
        "ways of writing",
    )
    st.checkbox(
        "Use formulas with invalid samples, too",
        rules.include_invalid,
        key=f"{key}invalid",
        help="Rows of data where they have no real value",
    )
    st.checkbox(
        "Use formulas with singular samples, too",
        rules.include_singular,
        key=f"{key}singular",
        help="Rows of data where the amplification is infinite",
    )


def _further_rules(rules: MatchingRules, key: str) -> None:
    """The rules beside the paper's; an empty field asks for nothing."""
    used = rules.further or rules.distinct != "text"
    with st.expander("Further rules", expanded=used):
        with st.container(horizontal=True, gap="small", key="rules-further"):
            for what, label, help_text in (
                ("calls", "|Δ calls| at most", "Functions such as roots and logarithms"),
                ("depth", "|Δ depth| at most", "Nodes on the longest way to a leaf"),
                ("length", "|Δ length| at most", "Printed symbols; a number counts its digits"),
            ):
                st.number_input(
                    label,
                    0,
                    1000,
                    getattr(rules, f"max_{what}_gap"),
                    1,
                    key=f"{key}{what}",
                    width=150,
                    placeholder="any",
                    help=help_text,
                )
            st.number_input(
                "Gap in share of draws",
                0.01,
                1.0,
                rules.min_gap_share,
                0.05,
                key=f"{key}share",
                width=180,
                placeholder="any",
                help="The rows of the data are drawn anew 200 times: in what share of "
                "them |ΔEIC| must still be large enough",
            )
            st.selectbox(
                "Serves once",
                list(DISTINCT),
                DISTINCT.index(rules.distinct),
                key=f"{key}distinct",
                format_func=ONCE.__getitem__,
                width=250,
                help="Only for “each formula at most once”",
            )
        st.checkbox(
            "The EIC gap must hold without the row that carries most of the loss",
            rules.gap_without_worst_row,
            key=f"{key}worst",
        )


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


@uninterrupted()
def _match(draft: StudyDraft, key: str) -> None:
    def do(service: OrganiserService) -> str:
        value: dict[str, Any] = {
            str(name)[len(key) :]: v
            for name, v in st.session_state.items()
            if str(name).startswith(key)
        }
        if draft.dropped_pairs and not value["discard"]:
            raise StudyError(
                "matching again forgets which pairs were left out, and why",
                hint="tick the box above if that is meant",
            )
        rules = MatchingRules(
            max_complexity_gap=int(value["c"]),
            max_r2_gap=float(value["r"]),
            min_eic_gap=float(value["e"]),
            min_best_r2=float(value["b"]),
            r2_column=str(value["column"]),
            include_invalid=bool(value["invalid"]),
            include_singular=bool(value["singular"]),
            exclude_same_function=bool(value["same"]),
            max_calls_gap=_whole(value["calls"]),
            max_depth_gap=_whole(value["depth"]),
            max_length_gap=_whole(value["length"]),
            min_gap_share=None if value["share"] is None else float(value["share"]),
            gap_without_worst_row=bool(value["worst"]),
            distinct=value["distinct"],
            near_twins=bool(value["twins"]),
        )
        mode = value["mode"]
        k = int(value["k"]) if mode == "best" else None
        slot = st.empty()

        def progress(done: int, total: int, name: str) -> None:
            slot.progress(done / max(1, total), text=f"Matching {name[:60]}")

        result, pairs = match_study(
            service,
            draft.study.id,
            rules,
            mode=mode,
            k=k,
            progress=progress,
            version_seen=version_seen(draft.study),
            clock=stopwatch(),
            run=partial(workers().run, seconds=UNHURRIED, long=True),
        )
        slot.empty()
        keep_result(draft, result)
        jobs().forget(_key(draft))
        if not result.complete:
            return f"{len(pairs):,} pairs so far."
        if not pairs:
            return "The rules allow no pair: widen them. The table counts what each left out."
        return f"{len(pairs):,} pairs."

    organiser_desk().page_values.pop("show-fates", None)
    action_callback("pairs", do)


# --- a matching that was cut short ---


def _key(draft: StudyDraft) -> str:
    return f"pairs {draft.study.id} {draft.study.created_at.isoformat()}"


def _unfinished(draft: StudyDraft, sentence: str) -> None:
    show_warning(f"{sentence} The pairs below are no answer yet.")
    locked = bool(draft.dropped_pairs) and not st.checkbox(
        f"Discard what was left out and why ({len(draft.dropped_pairs)}), too",
        key="finish-discard",
        help="Finishing makes all pairs anew",
    )
    st.button(
        "Finish the matching",
        key="finish-matching",
        type="primary",
        disabled=locked,
        icon=":material/hourglass_top:",
        on_click=_finish,
        args=(draft,),
        help="Goes on in the background; you may close the page meanwhile",
    )


@uninterrupted()
def _finish(draft: StudyDraft) -> None:
    """Match again with more time, beside the page."""
    rules, mode, k = rules_of(draft.study)
    version, clock = version_seen(draft.study), stopwatch()

    def start(service: OrganiserService) -> None:
        def work(step: Step) -> MatchingResult:
            progress, wait = repeat_progress(
                lambda done, total, *_: step(round(done), round(total)), 0, 0
            )
            result, _ = match_study(
                service,
                draft.study.id,
                rules,
                mode=mode,
                k=k,
                version_seen=version,
                seconds=FINISHING,
                clock=clock,
                progress=progress,
                run=partial(workers().run, wait=wait, seconds=_A_DAY, long=True),
            )
            return result

        jobs().forget(_key(draft))
        jobs().start(_key(draft), "Finishing the matching", work)

    action_callback("pairs", start)


@st.fragment(run_every=0.7)
def _progress(key: str) -> None:
    def text(job: Job) -> str:
        matching = progress_text(job, "Matching", "problems", "reading the pool")
        return f"{matching}. You may close this page meanwhile."

    show_job(
        jobs().get(key) if is_organiser() else None,
        text,
        key="cancel-matching",
        help="Stops after the problem that is being matched",
    )


def _show_ending(draft: StudyDraft, job: Job) -> None:
    if isinstance(job.result, MatchingResult):
        keep_result(draft, job.result)
        jobs().forget(_key(draft))
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet_note("The matching was cancelled; the pairs are as they were.")
    st.button("Dismiss", key="dismiss-matching", on_click=jobs().forget, args=(_key(draft),))


@uninterrupted()
def _count_again() -> None:
    organiser_desk().page_values.pop("cut-short", None)


# --- outcomes ---


def _result(draft: StudyDraft) -> MatchingResult | None:
    """The outcome of every formula; for a large pool only on request."""
    requested = organiser_desk().page_values.get("show-fates") == draft.study.id
    if draft.pool is not None and draft.pool.rows > LARGE and not requested:
        st.button(
            "Show what became of every formula",
            key="show-fates",
            on_click=lambda: organiser_desk().page_values.update({"show-fates": draft.study.id}),
        )
        return None
    with st.spinner("Counting…", show_time=False):
        return matching_result(draft)


def _outcomes_table(result: MatchingResult) -> None:
    left, right = st.columns([1, 1], gap="medium")
    with left:
        show_heading("What became of the formulas")
        rows = [(OUTCOMES[key], count) for key, count in result.outcomes.items() if count]
        st.html(table_html([*rows, ("in all", result.formulas)]))
    with right:
        show_heading("Pairs by problem")
        st.html(
            table_html(
                [
                    (p.problem, p.chosen, p.allowed, _bound(p.exact, p.gap, result.mode))
                    for p in result.problems
                ],
                ("problem", "chosen", "allowed", "choice"),
            )
        )


def _bound(exact: bool, gap: float, mode: str) -> str:
    if mode != "matching":
        return ""
    return "optimal" if exact else f"within {wording.percent(max(gap, 1e-4))}"


def giveaways_of(service: OrganiserService, draft: StudyDraft) -> tuple[tuple[Giveaway, ...], int]:
    key = ("giveaways", draft.study.id, version_seen(draft.study))
    with st.spinner("Looking…", show_time=False):
        return figure_cache().get(key, lambda: service.giveaways(draft.study.id))


def _giveaways(service: OrganiserService, draft: StudyDraft) -> None:
    """What raters could tell the lower EIC by, were it all they looked at."""
    if not draft.included_pairs:
        return
    show_heading("What gives a side away")
    ranked, count = giveaways_of(service, draft)
    quiet_note(
        f"In what share of {wording.count(count, 'pair')} a feature of the shown formulas alone "
        "tells the lower EIC, ties as a half: 0.5 tells nothing, 1 everything. Limits on calls, "
        "depth and length, among the further rules, lower it."
    )
    st.html(
        table_html(
            [(each.words, f"{each.auc:.2f}") for each in ranked], ("the lower EIC has", "AUC")
        )
    )


def _plots(pairs: tuple[StudyPair, ...]) -> None:
    show_heading("Alike in complexity and R², apart in EIC")
    lower, higher = (
        tuple((m.complexity, m.r2, m.eic) for m in members)
        for members in ([p.pair.lower for p in pairs], [p.pair.higher for p in pairs])
    )
    show_chart(
        lambda: pair_histograms(lower, higher),
        key="pairs-figure",
        what=("pairs", lower, higher),
    )
