"""Steps 5 and 6: the design and the freeze; afterwards, the frozen settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from eic_core import wording
from eic_core.errors import UserError
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import login_key
from pages.ui.kit.messages import quiet_note, show_heading, show_note, show_warning, table_html
from pages.ui.kit.text import prose
from pages.ui.kit.wiring import lab, parcels
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    clear_error,
    download_button,
    go_to,
    organiser_desk,
    rules_of,
    run_action,
    show_error_at,
    version_seen,
)
from pages.ui.organising.report_files import file_stem
from pages.ui.organising.step_pairs import ONCE, giveaways_of
from pages.ui.organising.studies import next_step_button
from study.design import (
    AttentionKind,
    ExclusionUnit,
    Sidedness,
    StudyDesign,
    StudyStatus,
    usual_minutes,
)
from study.errors import StaleEditError
from study.freezing import Readiness
from study.giveaways import told_by
from study.material import Study
from study.model_plan import CONTRASTS, ModelPlan
from study.model_raters.prompt import PROMPT_SHA256, SYSTEM, USER
from study.organising import OrganiserService
from study.report.preregistration import rule_limits

Read = Callable[[Any], Any]
_ATTENTION = {
    str(AttentionKind.INSTRUCTED): "asks for one of the formulas",
    str(AttentionKind.OBVIOUS): "one formula plainly misses its data",
}
_UNITS = {
    str(ExclusionUnit.SESSION): "a rater’s whole session",
    str(ExclusionUnit.VOTE): "a single vote",
}
_ABOUT = {
    "": "decided by the number of problems",
    "problems like these": "problems like these",
    "pairs like these": "other pairs of these problems",
    "these pairs": "these pairs alone",
}
_SUBGROUPS = {
    "": "none",
    "degree": "by degree",
    "field": "by field",
    "degree and field": "by degree and by field",
}
_SIDED = {
    str(Sidedness.TWO_SIDED): "a preference for either formula",
    str(Sidedness.ONE_SIDED): "a preference for the lower EIC only",
}
# Texts: Streamlit takes None for no choice at all.
_LIMITS = {"": "any number", **{str(n): str(n) for n in range(4)}}


def design_done(draft: StudyDraft) -> bool:
    """Whether raters have a contact, the only setting without a default."""
    return bool(draft.study.design.contact.strip())


def design_view(service: OrganiserService, draft: StudyDraft) -> None:
    study = draft.study
    quiet_note("Every change is saved at once. After freezing, only the public address can change.")
    left, right = st.columns(2, gap="large")
    with left:
        show_heading("What raters read")
        _text(study, "title", "Title", 200)
        _text(study, "question", "Question on every ballot", 200)
        _area(study, "question_meaning", "What the question means, explained once", 110, 500)
        _area(study, "consent_text", "Consent text", 190)
        _number(study, "expected_minutes", "Expected minutes", 1, 240)
        _text(study, "contact", "Contact for raters", 200, "name@example.org")
        if not study.design.contact.strip():
            show_note("Raters need somebody to write to: fill this in before freezing.")
        _area(study, "debrief_text", "Debrief, shown at the end", 130)
        _analysis(study)
    with right:
        _amount(draft)
        _ballots(study)
        _rules(study)
        _models(study)
        _access(study)
    next_step_button(study, "freeze", "Next: freeze")


def _amount(draft: StudyDraft) -> None:
    study, design = draft.study, draft.study.design
    show_heading("How much")
    _number(study, "ballots_per_rater", "Ballots per rater", 1, 100)
    _number(study, "votes_per_pair", "Votes wanted on each pair", 1, 1000)
    pairs = len(draft.included_pairs)
    if pairs:
        votes = pairs * design.votes_per_pair
        # Rounded up: a part of a rater is a rater.
        raters = -(-votes // design.ballots_per_rater)
        show_note(
            f"{pairs:,} pairs × {design.votes_per_pair} votes = {votes:,} votes, "
            f"which takes {raters:,} raters who finish."
        )
    st.button(
        "How sure would that be? Plan it",
        key="plan-this",
        type="tertiary",
        icon=":material/straighten:",
        on_click=lambda: go_to(plan=study.id),
    )


def _ballots(study: Study) -> None:
    show_heading("On the ballots")
    _check(study, "practice", "A practice ballot with feedback comes first")
    _check(study, "allow_tie", "Offer “cannot decide”")
    _check(study, "ask_reason", "Offer a line for a reason")
    _number(study, "attention_checks", "Attention checks among the ballots", 0, 3)
    if study.design.attention_checks:
        _choice(study, "attention_kind", "A check", _ATTENTION, AttentionKind)
        _choice(study, "max_failed_attention", "Failed checks allowed", _LIMITS, _limit)


def _rules(study: Study) -> None:
    show_heading("What counts")
    _number(study, "exclusion_seconds", "Leave out what took less than, in seconds", 0.0, 86400.0)
    _choice(study, "exclusion_unit", "… applied to", _UNITS, ExclusionUnit)


def _analysis(study: Study) -> None:
    """The settings of the analysis, declared before the first vote so that no result can choose
    them.
    """
    show_heading("What will be concluded")
    _choice(study, "estimand", "The result is about", _ABOUT, str)
    _choice(study, "sidedness", "The test looks for", _SIDED, Sidedness)
    _number(study, "confidence_level", "Confidence level of the intervals", 0.5, 0.999)
    _number(study, "smallest_effect", "Smallest difference from one half that matters", 0.01, 0.45)
    _choice(study, "subgroups", "Subgroups that the report shows", _SUBGROUPS, str)


def _models(study: Study) -> None:
    show_heading("Language models")
    plan = study.design.model_raters
    place = _place(study, "model_raters")
    defaults = plan or ModelPlan(("none",))
    stored = {
        "models": ", ".join(plan.models) if plan else "",
        "repeats": defaults.repeats,
        "temperature": defaults.temperature,
        "contrast": defaults.contrast,
    }
    for name, value in stored.items():
        key = f"{place}:{name}"
        if place not in organiser_desk().errors or key not in st.session_state:
            st.session_state[key] = value
    organiser_desk().page_values.setdefault(f"based:{place}", study.design)
    if place not in organiser_desk().errors:
        organiser_desk().page_values[f"based:{place}"] = study.design
    changes: dict[str, Any] = {"on_change": _save_models, "args": (study,)}
    st.text_input(
        "Models to ask too, by the names that their endpoint has for them (empty: none)",
        key=f"{place}:models",
        max_chars=2000,
        placeholder="qwen3:8b, llama3.1:8b",
        **changes,
    )
    if plan is not None or place in organiser_desk().errors:
        st.number_input(
            "Times that a pair is asked, half of them in either order",
            2,
            100,
            step=2,
            key=f"{place}:repeats",
            width=260,
            **changes,
        )
        st.number_input("Temperature", 0.0, 2.0, key=f"{place}:temperature", width=260, **changes)
        st.selectbox(
            "What is tested of them",
            CONTRASTS,
            key=f"{place}:contrast",
            width=320,
            format_func=wording.capital,
            **changes,
        )
    show_error_at(place)
    quiet_note(
        "Models are no raters and enter none of their numbers. What is declared here is "
        "frozen; a model that is asked without it is reported as exploratory."
    )
    with st.expander("What a model is sent"):
        st.code(f"{SYSTEM}\n\n---\n\n{USER}", language=None, wrap_lines=True)
        quiet_note(
            "Each call is one of these, its braces filled from a ballot, and a context of "
            f"its own. SHA-256 of the template: {PROMPT_SHA256}"
        )


@uninterrupted()
def _save_models(study: Study) -> None:
    place = _place(study, "model_raters")
    typed = {
        name: st.session_state.get(f"{place}:{name}")
        for name in ("models", "repeats", "temperature", "contrast")
    }
    based_on: StudyDesign = organiser_desk().page_values[f"based:{place}"]

    def do(service: OrganiserService) -> None:
        names = tuple(name.strip() for name in str(typed.pop("models")).split(",") if name.strip())
        declared = {name: value for name, value in typed.items() if value is not None}
        plan = ModelPlan(names, prompt_sha256=PROMPT_SHA256, **declared) if names else None
        design = dataclasses.replace(based_on, model_raters=plan)
        service.edit(study.id, design=design, based_on=based_on)

    if run_action(place, do):
        st.toast("Saved.", icon=":material/check:", duration=2)


def _access(study: Study) -> None:
    show_heading("When and where")
    deadline = _follow(study, "deadline", _naive)
    st.datetime_input(
        "Deadline, UTC (empty: none)",
        st.session_state[deadline],
        key=deadline,
        min_value=datetime(2020, 1, 1),
        max_value=datetime(2100, 1, 1),
        on_change=_save,
        args=(study, "deadline", _aware),
    )
    _show_setting_error(study, "deadline")
    _number(study, "reservation_minutes", "Minutes that a pair waits for a silent rater", 1, 1440)
    _check(study, "inspector_open_during_study", "Visitors may use the inspector meanwhile")
    if study.design.inspector_open_during_study:
        show_warning("The inspector shows EIC: a rater who opens it is no longer blind.")
    elif lab().demo:
        quiet_note("In this demo the inspector stays open in any case.")
    address(study)


def address(study: Study) -> None:
    """The public address, with a warning where links would reach nobody."""
    _text(study, "public_base_url", "Public address of this app", 300)
    if study.design.is_local:
        show_warning(
            "Links would open on this computer only. Set the address under which raters reach "
            "the app, such as `https://study.example.org`, before you send any."
        )


# --- one setting ---


def _text(study: Study, name: str, label: str, limit: int, example: str = "") -> None:
    key = _follow(study, name)
    st.text_input(
        label,
        st.session_state[key],
        key=key,
        max_chars=limit,
        placeholder=example,
        on_change=_save,
        args=(study, name, str),
    )
    _show_setting_error(study, name)


def _area(study: Study, name: str, label: str, height: int, limit: int = 10_000) -> None:
    key = _follow(study, name)
    st.text_area(
        label,
        st.session_state[key],
        key=key,
        max_chars=limit,
        height=height,
        on_change=_save,
        args=(study, name, str),
    )
    _show_setting_error(study, name)


def _number(study: Study, name: str, label: str, low: float, high: float) -> None:
    key = _follow(study, name)
    st.number_input(
        label,
        low,
        high,
        st.session_state[key],
        key=key,
        on_change=_save,
        width=260,
        args=(study, name, type(low)),
        format="%g" if isinstance(low, float) else None,
    )
    _show_setting_error(study, name)


def _check(study: Study, name: str, label: str) -> None:
    key = _follow(study, name)
    st.checkbox(label, st.session_state[key], key=key, on_change=_save, args=(study, name, bool))
    _show_setting_error(study, name)


def _choice(study: Study, name: str, label: str, words: dict[str, str], read: Read) -> None:
    key, options = _follow(study, name, _plain), list(words)
    st.selectbox(
        label,
        options,
        options.index(st.session_state[key]),
        key=key,
        on_change=_save,
        format_func=words.__getitem__,
        args=(study, name, read),
        width=320,
    )
    _show_setting_error(study, name)


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


def _limit(value: str) -> int | None:
    return int(value) if value else None


def _naive(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC).replace(tzinfo=None)


def _aware(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


def _place(study: Study, name: str) -> str:
    return f"design:{study.id}:{name}"


def _follow(study: Study, name: str, to_widget: Read = lambda value: value) -> str:
    """Give the widget the stored value, unless its own could not be saved; returns its key."""
    key = _place(study, name)
    if key not in organiser_desk().errors:
        value = to_widget(getattr(study.design, name))
        if key not in st.session_state or st.session_state[key] != value:
            st.session_state[key] = value
        organiser_desk().page_values[f"based:{key}"] = study.design
    elif key not in st.session_state:
        st.session_state[key] = organiser_desk().page_values.get(f"mine:{key}")
    return key


@uninterrupted()
def _save(study: Study, name: str, read: Read) -> None:
    key = _place(study, name)
    based_on: StudyDesign = organiser_desk().page_values[f"based:{key}"]
    organiser_desk().page_values[f"mine:{key}"] = st.session_state[key]

    def do(service: OrganiserService) -> None:
        changes = {name: read(st.session_state[key])}
        if name == "ballots_per_rater" and based_on.expected_minutes == usual_minutes(
            based_on.ballots_per_rater
        ):
            changes["expected_minutes"] = usual_minutes(changes[name])
        design = dataclasses.replace(based_on, **changes)
        service.edit(study.id, design=design, based_on=based_on)

    if run_action(key, do):
        st.toast("Saved.", icon=":material/check:", duration=2)


def _show_setting_error(study: Study, name: str) -> None:
    key = _place(study, name)
    error = organiser_desk().errors.get(key)
    if not show_error_at(key):
        return
    stored = getattr(study.design, name)
    if isinstance(error, StaleEditError):
        st.html(f'<p class="eic-quiet">Stored now: {prose(str(stored) or "(empty)")}</p>')
    with st.container(horizontal=True):
        if isinstance(error, StaleEditError):
            st.button("Keep mine", key=f"mine:{key}", on_click=_insist, args=(study, name))
        st.button("Take what is stored", key=f"stored:{key}", on_click=clear_error, args=(key,))


@uninterrupted()
def _insist(study: Study, name: str) -> None:
    key = _place(study, name)
    organiser_desk().page_values[f"based:{key}"] = study.design
    reads: dict[str, Read] = {"deadline": _aware, "max_failed_attention": _limit}
    _save(study, name, reads.get(name, type(getattr(study.design, name))))


def _ways_to_mend(study_id: int, readiness: Readiness, elsewhere: str) -> None:
    steps = ["problems"] * (readiness.unexplained > 0)
    steps += [elsewhere] * (readiness.unexplained < len(readiness.missing))
    with st.container(horizontal=True):
        for step in steps:
            st.button(
                f"Go to the {step}",
                key=f"mend-{step}",
                on_click=go_to,
                kwargs={"study": study_id, "step": step},
            )


def freeze_view(service: OrganiserService, draft: StudyDraft) -> None:
    study = draft.study
    readiness = service.readiness(study.id)
    quiet_note(
        "Freezing makes every ballot, fixes everything that affects the results under one hash, "
        "and opens the study. There is no way back to a draft."
    )
    show_error_at("freeze")
    if readiness.missing:
        items = "".join(f"<li>{prose(wording.capital(line))}.</li>" for line in readiness.missing)
        st.html(
            '<div class="eic-error" role="alert"><p class="eic-error-title">Before freezing</p>'
            f"<ul>{items}</ul></div>"
        )
        _ways_to_mend(study.id, readiness, "design" if draft.included_pairs else "pairs")
    for line in readiness.warnings:
        show_warning(f"{wording.capital(line)}.")
    accepted = _giveaways_accepted(service, draft)
    show_heading("What is fixed for good")
    st.html(table_html(frozen_facts(draft)))
    quiet_note("The public address of the app is the only setting that may change later.")
    key = f"sure-{study.id}"
    sure = st.checkbox(
        "I have looked at the pairs, and this is the study I want",
        key=key,
        disabled=not readiness.ready,
    )
    st.button(
        "Freeze and open the study",
        key="freeze",
        type="primary",
        icon=":material/lock:",
        disabled=not (readiness.ready and sure and accepted),
        on_click=_freeze,
        args=(study,),
    )


def _giveaways_accepted(service: OrganiserService, draft: StudyDraft) -> bool:
    """Whether nothing that raters see gives sides away, or the organiser says why it may."""
    study = draft.study
    told = told_by(*giveaways_of(service, draft)) if draft.included_pairs else ()
    if not told:
        return True
    features = wording.join([f"{each.words} ({each.auc:.2f})" for each in told], limit=4)
    show_warning(
        f"What raters see gives sides away: the formula of lower EIC has {features}, told as the "
        "share of pairs, ties as a half. Tighter rules in step 3 lower it. To go on as it is, say "
        "why: the pre-registration and the report print it."
    )
    _area(study, "giveaway_reason", "These pairs are taken nevertheless, because", 90, 500)
    ticked = st.checkbox("I know that this gives sides away", key=f"given-away-{study.id}")
    return bool(ticked and study.design.giveaway_reason.strip())


@uninterrupted()
def _freeze(study: Study) -> None:
    def do(service: OrganiserService) -> None:
        slot = st.empty()

        def progress(done: int, total: int) -> None:
            if done % 5 == 0 or done == total:
                slot.progress(done / max(1, total), text=f"Making ballot {done} of {total}")

        frozen = service.freeze(study.id, version_seen=version_seen(study), progress=progress)
        slot.empty()
        organiser_desk().done_messages["study"] = (
            f"The study is open. Its hash is `{frozen.hash}`: keep it with your records. "
            "Settings has the pre-registration, to deposit elsewhere. Now make links."
        )
        go_to(study=study.id, step="invitations")

    action_callback("freeze", do)


def frozen_facts(draft: StudyDraft) -> list[tuple[str, str]]:
    design, pool = draft.study.design, draft.pool
    dropped = f", {len(draft.dropped_pairs)} left out with reasons" if draft.dropped_pairs else ""
    names = ", ".join(problem.name for problem in draft.problems)
    facts = [
        ("Pairs", f"{len(draft.included_pairs):,}{dropped}, with every ballot as it is shown"),
        ("Problems", f"{len(draft.problems)}: {names}"),
        (
            "Pool",
            f"{pool.name}, {pool.rows:,} formulas, SHA-256 {pool.digest[:16]}…" if pool else "none",
        ),
        ("Rules", rules_facts(draft.study)),
    ]
    return facts + design_facts(design)


def design_facts(design: StudyDesign) -> list[tuple[str, str]]:
    unit = "session" if design.exclusion_unit == ExclusionUnit.SESSION else "vote"
    exclusion = (
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
        ("What the question means", design.question_meaning or "not explained"),
        *([("Sides given away, because", design.giveaway_reason)] * bool(design.giveaway_reason)),
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
        ("Left out of the results", exclusion),
        ("Deadline", wording.minute(design.deadline) if design.deadline else "none"),
        (
            "Inspector while it runs",
            "open to visitors" if design.inspector_open_during_study else "closed to visitors",
        ),
        ("A pair waits for a silent rater", f"{design.reservation_minutes} minutes"),
        ("The result is about", _ABOUT[design.estimand]),
        ("The test looks for", _SIDED[str(design.sidedness)]),
        ("Confidence level", wording.level_percent(design.confidence_level)),
        (
            "Smallest difference that matters",
            f"{100 * design.smallest_effect:.3g} points from one half",
        ),
        ("Subgroups that the report shows", _SUBGROUPS[design.subgroups]),
        *_model_facts(design.model_raters),
    ]


def _model_facts(plan: ModelPlan | None) -> list[tuple[str, str]]:
    if plan is None:
        return []
    return [
        (
            "Models to ask",
            f"{wording.join(plan.models)}; each pair {plan.repeats} times at "
            f"temperature {plan.temperature:g}, prompt {plan.prompt_sha256[:16]}…",
        ),
        ("What is tested of them", plan.contrast),
    ]


_RULE_WORDS = {
    "include_invalid": "formulas without a value at some rows, too",
    "include_singular": "formulas that are singular at some rows, too",
    "near_twins": "formulas that differ in constants alone, too",
}


def rules_facts(study: Study) -> str:
    if not study.rules:
        return "none yet"
    rules, mode, k = rules_of(study)
    once = "each formula at most once"
    if rules.distinct != "text":
        once = f"at most once {ONCE[rules.distinct]}"
    words = [
        *rule_limits(study.rules),
        {"matching": once, "all": "all pairs"}.get(mode, f"the best {k} of each problem"),
        *(word for name, word in _RULE_WORDS.items() if getattr(rules, name)),
    ]
    if rules.exclude_same_function:
        words.append(f"no two of one function, to {rules.same_function_tolerance:g}")
    if rules.r2_column != "r2":
        words.append(f"R² from the column {rules.r2_column}")
    if study.rules.get("unfinished"):
        words.append("cut short by the time limit")
    return ", ".join(words)


LINES = 200


def settings_view(service: OrganiserService, draft: StudyDraft) -> None:
    study = draft.study
    show_heading("Hash of all that affects the results")
    st.code(study.hash, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Check it against the database",
            key="verify",
            on_click=_verify,
            args=(service, study.id),
        )
        checked = organiser_desk().page_values.pop("verified", None)
        if checked is not None:
            st.html(
                '<p class="eic-done" role="status">What is stored has this hash.</p>'
                if checked
                else '<p class="eic-note eic-bad" role="alert">What is stored does not have this '
                "hash: it was changed after freezing.</p>"
            )
    _preregistration(service, study)
    if study.status == StudyStatus.OPEN:
        show_heading("Address")
        address(study)
    show_heading("Frozen settings")
    st.html(table_html(frozen_facts(draft)))
    show_heading("What was done")
    lines = service.audit(study.id)
    st.html(
        table_html(
            [
                (wording.minute(line.at), f"{line.actor}: {line.action} {_cut(line.detail)}")
                for line in lines[:LINES]
            ],
        )
    )
    if len(lines) > LINES:
        quiet_note(f"The newest {LINES} of {len(lines):,}.")


def _preregistration(service: OrganiserService, study: Study) -> None:
    """The declared analysis, to deposit before the first vote; nothing for old studies."""
    page_values = organiser_desk().page_values
    if page_values.get("preregistered", (None, ""))[0] != study.hash:
        try:
            document = service.preregistration(study.id)
        except UserError:
            return
        number = parcels().leave(
            login_key(), f"{file_stem(study.name)}-preregistration.md", document.encode()
        )
        page_values["preregistered"] = (study.hash, number)
    show_heading("Pre-registration")
    quiet_note(
        "What this study declared before its first vote, with its hash: deposit it elsewhere "
        "before you send links. The report says where it departs from it."
    )
    number = page_values["preregistered"][1]
    download_button(f"/exports/parcel/{number}", "Download as Markdown", "parcel")


@uninterrupted()
def _verify(service: OrganiserService, study_id: int) -> None:
    organiser_desk().page_values["verified"] = service.verify(study_id)


def _cut(detail: str) -> str:
    return f"({detail})" if detail else ""
