"""Step 4: every pair exactly as a rater will see it, and the numbers behind it."""

from __future__ import annotations

import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.messages import quiet_note, show_empty_state, show_error, show_heading, table_html
from pages.ui.kit.text import clean, escape, prose
from pages.ui.organising.ballot_preview import ballot_frame
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    organiser_desk,
    show_done_message,
    show_error_at,
)
from pages.ui.organising.studies import next_step_button
from study.design import StudyStatus
from study.matching.robustness import DRAWS
from study.material import Member, PairKind, StudyPair
from study.organising import OrganiserService, Preview
from study.stimulus.form import rule_sentences

ALL = "All problems"
SPECIALS = "Practice and checks"
PHONE_WIDTH = 436
"""CSS pixels of the box around a frame that is as wide as most phones."""


def preview_view(service: OrganiserService, draft: StudyDraft) -> None:
    is_draft = draft.study.status == StudyStatus.DRAFT
    quiet_note(
        "The frame shows what raters get. What is below it, they never see."
        + ("" if is_draft else " This study is frozen: its pairs do not change any more.")
    )
    if not draft.pairs:
        show_empty_state("No pairs yet", "Make them in step 3.")
        return
    chosen = _choose(draft)
    if chosen is None:
        _specials(service, draft)
    else:
        _pair(service, draft, chosen)
    if is_draft:
        _dropped(draft)
        next_step_button(draft.study, "design", "Next: the design")


# --- choosing ---


def _choose(draft: StudyDraft) -> StudyPair | None:
    """The pair to show; None for practice and checks."""
    base = f"preview-{draft.study.id}"
    problems = list(dict.fromkeys(pair.pair.problem for pair in draft.pairs))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="chooser"):
        scope = st.selectbox(
            "Problem",
            [ALL, *problems, SPECIALS],
            key=f"{base}-problem",
            format_func=clean,
            width=220,
        )
        if scope == SPECIALS:
            return None
        pairs = {p.id: p for p in draft.pairs if scope in (ALL, p.pair.problem)}
        ids = list(pairs)
        key = f"{base}-pair"
        if st.session_state.get(key) not in ids:
            st.session_state[key] = next((i for i in ids if pairs[i].in_study), ids[0])
        place = ids.index(st.session_state[key])
        st.button(
            "Previous",
            key="previous",
            icon=":material/chevron_left:",
            disabled=place == 0,
            on_click=_move,
            args=(key, ids[max(0, place - 1)]),
            shortcut="p",
        )
        st.selectbox(
            "Pair",
            ids,
            place,
            key=key,
            width=300,
            format_func=lambda i: _name(pairs[i]) if i in pairs else "",
        )
        st.button(
            "Next",
            key="next",
            icon=":material/chevron_right:",
            disabled=place == len(ids) - 1,
            on_click=_move,
            args=(key, ids[min(len(ids) - 1, place + 1)]),
            shortcut="n",
        )
    return pairs[st.session_state[key]]


@uninterrupted()
def _move(key: str, pair_id: int) -> None:
    st.session_state[key] = pair_id


def _name(pair: StudyPair) -> str:
    out = "" if pair.in_study else "left out · "
    gap = pair.pair.higher.eic - pair.pair.lower.eic
    return clean(f"{out}{pair.name} · {pair.pair.problem} · ΔEIC {gap:.2f}", 80)


# --- one pair ---


def _pair(service: OrganiserService, draft: StudyDraft, pair: StudyPair) -> None:
    with st.container(horizontal=True, gap="medium"):
        swapped = st.toggle(
            "Swap the sides",
            key=f"side-{draft.study.id}",
            help="Raters get both orders equally often, at random",
        )
        narrow = st.toggle(
            "As on a phone",
            key=f"phone-{draft.study.id}",
            help="Narrow screens get the formulas in shorter lines and a plot of their own",
        )
    try:
        preview = service.preview(draft.study.id, pair.id, lower_left=not swapped)
    except UserError as error:
        show_error(error)
    else:
        with st.container(width=PHONE_WIDTH if narrow else "stretch"):
            ballot_frame(draft.study.id, pair=pair.id, swap=int(swapped))
        _behind(preview)
        _gap_on_other_rows(draft, pair)
    show_done_message("pair")
    show_error_at("pair")
    if draft.study.status == StudyStatus.DRAFT:
        _leave_out(draft, pair)


def _behind(preview: Preview) -> None:
    """The numbers behind a ballot, which no rater sees."""
    pair = preview.pair.pair
    letters = ("A", "B") if preview.lower_left else ("B", "A")
    show_heading("Behind the ballot")
    rows = [_member(letters[0], "lower", pair.lower), _member(letters[1], "higher", pair.higher)]
    st.html(table_html(sorted(rows), ("formula", "EIC", "R²", "complexity", "found by", "row")))
    written = sorted(
        (
            (letters[0], pair.lower.formula, preview.lower_text),
            (letters[1], pair.higher.formula, preview.higher_text),
        )
    )
    st.html(
        "".join(
            f'<p class="eic-written"><b>{letter}</b>, as found <code>{escape(source, 2000)}</code>'
            f"<br>as shown <code>{escape(text, 2000)}</code></p>"
            for letter, source, text in written
        )
    )
    if preview.rules:
        quiet_note(f"As shown, {wording.join(rule_sentences(preview.rules))}.")
    same = " The two are <b>one function on the data</b>, up to rounding."
    same = same if pair.same_function else ""
    st.html(
        f'<p class="eic-quiet">L = {wording.number(pair.loss, 3)}. Both show '
        f"{preview.digits} significant digits, which changes R² by at most "
        f"{wording.significant(preview.r2_change, 1)}.{same}</p>"
    )


def _gap_on_other_rows(draft: StudyDraft, pair: StudyPair) -> None:
    """How far the gap depends on single rows, where the matching measured it."""
    share, reduced_gap = pair.pair.gap_share, pair.pair.gap_without_worst_row
    least = draft.study.rules.get("min_eic_gap")
    if share is None or least is None:
        return
    text = f"ΔEIC ≥ {least:g} in {wording.percent(share, 0)} of {DRAWS} draws of the data’s rows"
    without = (
        "" if reduced_gap is None else f"; {wording.number(reduced_gap, 2)} without the worst row"
    )
    quiet_note(f"{text}{without}.")


def _member(letter: str, side: str, member: Member) -> tuple[str, ...]:
    return (
        f"{letter}, {side} EIC",
        wording.number(member.eic, 3),
        wording.r_squared(member.r2),
        str(member.complexity),
        member.method or "—",
        "—" if member.row is None else str(member.row + 1),
    )


def _leave_out(draft: StudyDraft, pair: StudyPair) -> None:
    study, key = draft.study, f"reason-{pair.id}"

    def drop(service: OrganiserService) -> str:
        service.drop_pair(study.id, pair.id, str(st.session_state[key]))
        organiser_desk().page_values["undo-drop"] = pair.id
        return f"{pair.name} is left out."

    def back(service: OrganiserService) -> str:
        service.restore_pair(study.id, pair.id)
        organiser_desk().page_values.pop("undo-drop", None)
        return f"{pair.name} is back in."

    if not pair.in_study:
        st.html(f'<p class="eic-note eic-bad">Left out: {prose(pair.dropped)}</p>')
        undo = organiser_desk().page_values.get("undo-drop") == pair.id
        st.button(
            "Undo" if undo else "Take it back in",
            key="take-back",
            on_click=action_callback,
            args=("pair", back),
            icon=":material/undo:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Leave this pair out, because",
            key=key,
            max_chars=500,
            placeholder="the plot shows a pole",
        )
        st.button("Leave out", key="leave-out", on_click=action_callback, args=("pair", drop))


def _dropped(draft: StudyDraft) -> None:
    if not draft.dropped_pairs:
        return
    with st.expander(f"{len(draft.dropped_pairs)} left out", key="dropped-pairs"):
        quiet_note("The reasons are frozen and exported with the study.")
        for pair in draft.dropped_pairs:

            def back(service: OrganiserService, pair_id: int = pair.id) -> str:
                service.restore_pair(draft.study.id, pair_id)
                return "Back in."

            with st.container(horizontal=True, vertical_alignment="center"):
                st.html(
                    f"<p><b>{pair.name}</b> {escape(pair.pair.problem, 60)}: "
                    f"{escape(pair.dropped, 300)}</p>",
                    width="stretch",
                )
                st.button(
                    "Take back",
                    key=f"back-{pair.id}",
                    on_click=action_callback,
                    args=("pair", back),
                )


def _specials(service: OrganiserService, draft: StudyDraft) -> None:
    previews = service.preview_specials(draft.study.id)
    if not previews:
        show_empty_state("None", "The design asks for no practice ballot and no attention checks.")
    for number_, preview in enumerate(previews):
        kind = preview.pair.pair.kind
        show_heading("Practice ballot" if kind == PairKind.PRACTICE else "Attention check")
        if kind == PairKind.ATTENTION:
            letter = "A" if preview.lower_left else "B"
            quiet_note(f"Passed by choosing formula {letter}.")
        with st.container(key=f"special-{number_}"):
            ballot_frame(draft.study.id, special=number_)
