"""Step 6: everything on one page, then freeze."""

from __future__ import annotations

import streamlit as st

from pages.ui.organising.desk import act, complaint, desk, go, heading, quiet, seen, warn
from pages.ui.organising.drafts import Draft
from pages.ui.organising.tables import table_html
from pages.ui.text import prose
from pages.ui.undisturbed import undisturbed
from study.design import ExclusionUnit, StudyDesign
from study.material import Study
from study.organising import OrganiserService


def view(service: OrganiserService, draft: Draft) -> None:
    """What is missing, what will be fixed for good, and the button."""
    study = draft.study
    readiness = service.readiness(study.id)
    quiet(
        "Freezing makes every ballot, fixes everything that affects the results under one hash, "
        "and opens the study. There is no way back to a draft."
    )
    complaint("freeze")
    if readiness.missing:
        items = "".join(f"<li>{prose(line[:1].upper() + line[1:])}.</li>"
                        for line in readiness.missing)  # fmt: skip
        st.html(
            '<div class="eic-error" role="alert"><p class="eic-error-title">Before freezing</p>'
            f"<ul>{items}</ul></div>"
        )
        step = "design" if draft.kept else "pairs"
        st.button(f"Go to the {step}", key="mend", on_click=lambda: go(study=study.id, step=step))
    for line in readiness.warnings:
        warn(line[:1].upper() + line[1:] + ".")
    heading("What is fixed for good")
    st.html(table_html(frozen_facts(draft)))
    quiet("The public address of the app is the only setting that may change later.")
    key = f"sure-{study.id}"
    sure = st.checkbox("I have looked at the pairs, and this is the study I want", key=key,
                       disabled=not readiness.ready)  # fmt: skip
    st.button("Freeze and open the study", key="freeze", type="primary", icon=":material/lock:",
              disabled=not (readiness.ready and sure), on_click=_freeze, args=(study,))  # fmt: skip


@undisturbed()
def _freeze(study: Study) -> None:
    def do(service: OrganiserService) -> None:
        slot = st.empty()

        def progress(done: int, total: int) -> None:
            if done % 5 == 0 or done == total:
                slot.progress(done / max(1, total), text=f"Making ballot {done} of {total}")

        frozen = service.freeze(study.id, seen=seen(study), progress=progress)
        slot.empty()
        desk().said["study"] = (
            f"The study is open. Its hash is `{frozen.hash}`: keep it with your records. "
            "Now make links."
        )
        go(study=study.id, step="invitations")

    act("freeze", do)


def frozen_facts(draft: Draft) -> list[tuple[str, str]]:
    """What a frozen study consists of, in words."""
    design, pool = draft.study.design, draft.pool
    dropped = f", {len(draft.dropped)} left out with reasons" if draft.dropped else ""
    names = ", ".join(problem.name for problem in draft.problems)
    facts = [
        ("Pairs", f"{len(draft.kept):,}{dropped}, with every ballot as it is shown"),
        ("Problems", f"{len(draft.problems)}: {names}"),
        ("Pool", f"{pool.name}, {pool.rows:,} formulas, SHA-256 {pool.digest[:16]}…" if pool
         else "none"),
        ("Rules", _rules(draft.study)),
    ]  # fmt: skip
    return facts + design_facts(design)


def design_facts(design: StudyDesign) -> list[tuple[str, str]]:
    """The settings, in words."""
    unit = "session" if design.exclusion_unit == ExclusionUnit.SESSION else "vote"
    left_out = (
        f"each {unit} of less than {design.exclusion_seconds:g} seconds"
        if design.exclusion_seconds
        else "nothing for being fast"
    )
    checks = f"{design.attention_checks} ({design.attention_kind})"
    failed = design.max_failed_attention
    if design.attention_checks and failed is not None:
        checks += f"; a rater who fails more than {failed} is left out"
    return [
        ("Title and question", f"{design.title} — {design.question}"),
        ("Consent", design.consent_text),
        ("Debrief", design.debrief_text),
        ("Expected minutes", str(design.expected_minutes)),
        ("Contact", design.contact or "none yet"),
        ("Ballots per rater", str(design.ballots_per_rater)),
        ("Votes wanted on each pair", str(design.votes_per_pair)),
        ("Practice ballot", "yes" if design.practice else "no"),
        ("Attention checks", checks if design.attention_checks else "none"),
        ("“Cannot decide”", "offered" if design.allow_tie else "not offered"),
        ("A line for a reason", "offered" if design.ask_reason else "not offered"),
        ("Left out of the results", left_out),
        ("Deadline", f"{design.deadline:%d %b %Y, %H:%M} UTC" if design.deadline else "none"),
        ("Inspector while it runs",
         "open to visitors" if design.inspector_open_during_study else "closed to visitors"),
        ("A pair waits for a silent rater", f"{design.reservation_minutes} minutes"),
    ]  # fmt: skip


def _rules(study: Study) -> str:
    values = dict(study.rules)
    if not values:
        return "none yet"
    words = [
        f"|ΔC| ≤ {values.get('max_complexity_gap')}",
        f"|ΔR²| ≤ {values.get('max_r2_gap')}",
        f"|ΔEIC| ≥ {values.get('min_eic_gap')}",
        f"larger R² > {values.get('min_best_r2')}",
        {"matching": "each formula at most once", "all": "all pairs"}.get(
            str(values.get("mode")), f"the best {values.get('k')} of each problem"
        ),
    ]
    if values.get("unfinished"):
        words.append("cut short by the time limit")
    return ", ".join(words)
