"""Steps 1 and 2: the problems with their data, and the pool of formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from eic_core import wording
from eic_core.exports import csv_text, safe_cell
from eic_core.formula.tree import Exponents
from pages.ui.kit import glossary
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import is_organiser, login_key
from pages.ui.kit.jobs import Job, Step
from pages.ui.kit.messages import (
    quiet_note,
    show_empty_state,
    show_error,
    show_heading,
    show_note,
    show_warning,
)
from pages.ui.kit.progress import progress_text, show_job
from pages.ui.kit.text import escape, label, prose
from pages.ui.kit.wiring import jobs, parcels, workers
from pages.ui.kit.workers import UNHURRIED, repeat_progress
from pages.ui.organising.desk import (
    LISTED,
    StudyDraft,
    Upload,
    action_callback,
    clear_page_value,
    deletion_message,
    download_button,
    organiser_desk,
    read_files,
    run_action,
    show_done_message,
    show_error_at,
    version_seen,
)
from pages.ui.organising.studies import next_step_button
from study.ballots import described_column
from study.demo import demo_pool_path, demo_problems
from study.demo.seeding import problems_of_demo
from study.errors import StaleEditError
from study.material import Column, Problem
from study.organising import OrganiserService
from study.pairing import PoolUpload, RefusedRow, read_upload


def refused_csv(rows: Iterable[RefusedRow]) -> str:
    """Refused rows of a pool, for a spreadsheet.

    >>> print(refused_csv([RefusedRow(3, "kepler", "=a", "unknown name")]), end="")
    row,problem,formula,error
    3,kepler,'=a,unknown name
    """
    return csv_text(
        ["row", "problem", "formula", "error"],
        ([row.row, *map(safe_cell, (row.problem, row.formula, row.error))] for row in rows),
    )


POOL_HELP = (
    "A CSV file, gzipped or not, with the columns problem and formula, perhaps method and syntax. "
    "If it has no complexity, r2 and eic_finite, it is scored here."
)


def pool_done(draft: StudyDraft) -> bool:
    return draft.pool is not None


def pool_view(service: OrganiserService, draft: StudyDraft) -> None:
    quiet_note(
        "The pool holds the formulas that pairs are chosen from, with their complexity, R² and "
        "EIC. It never reaches a rater."
    )
    show_done_message("pool")
    show_error_at("pool")
    if not draft.problems:
        show_empty_state(
            "First the problems", "A pool is scored on the problems’ data: add those in step 1."
        )
        return
    job = jobs().get(_key(draft))
    if job is not None and job.running:
        _progress(_key(draft))
        return
    if job is not None:
        _show_ending(draft, job)
    if draft.pool is None:
        show_empty_state("No pool yet", "Upload one below, scored or not.")
    else:
        _summary(draft)
    _upload(draft)
    if draft.pool is not None:
        next_step_button(draft.study, "pairs", "Next: pairs")


def _key(draft: StudyDraft) -> str:
    return f"pool {draft.study.id} {draft.study.created_at.isoformat()}"


def _summary(draft: StudyDraft) -> None:
    pool = draft.pool
    assert pool is not None
    scored = pool.rows - len(draft.refused_rows)
    st.html(
        f'<p class="eic-file"><b>{escape(pool.name, 80)}</b> <span>{pool.rows:,} formulas, '
        f"{scored:,} of them with scores</span> "
        f'<span class="eic-hash" title="SHA-256 of the scored pool">{pool.digest[:12]}</span></p>'
    )
    if draft.unscored_problems:
        names = ", ".join(f"`{name}`" for name in draft.unscored_problems[:8])
        show_warning(f"The pool was scored before the data of {names} were here: upload it again.")
    _refused(draft.refused_rows)


def _refused(rows: tuple[RefusedRow, ...]) -> None:
    if not rows:
        quiet_note("No row was refused.")
        return
    title = f"{wording.count(len(rows), 'row')} refused"
    with st.expander(title, key="refused-rows"):
        quiet_note("They stay in the pool, and are never matched. Rows count from 1.")
        st.dataframe(
            [
                {
                    "row": r.row,
                    "problem": r.problem[:80],
                    "formula": r.formula[:300],
                    "why": r.error[:300],
                }
                for r in rows[:LISTED]
            ],
            hide_index=True,
            key="refused-table",
        )
        if len(rows) > LISTED:
            quiet_note(f"The first {LISTED}; the file has all.")
        number = _parcel(rows)
        download_button(f"/exports/parcel/{number}", "All refused rows as CSV", "parcel")


def _parcel(rows: tuple[RefusedRow, ...]) -> str:
    page_values = organiser_desk().page_values
    if page_values.get("refused-parcel", (None, ""))[0] is not rows:
        number = parcels().leave(login_key(), "refused.csv", refused_csv(rows).encode())
        page_values["refused-parcel"] = (rows, number)
    return str(page_values["refused-parcel"][1])


# --- uploading ---


def _upload(draft: StudyDraft) -> None:
    show_heading("Another pool" if draft.pool else "Upload a pool")
    locked = False
    if draft.pairs:
        show_warning(f"A new pool discards the {len(draft.pairs)} pairs made so far.")
    if draft.dropped_pairs:
        locked = not st.checkbox(
            f"Discard what was left out and why ({len(draft.dropped_pairs)}), too",
            key=f"discard-{draft.study.id}",
        )
    exponents = st.segmented_control(
        "Exponents of a pool without scores",
        list(glossary.EXPONENT_CHOICES),
        default="exact",
        key=f"pool-exponents-{draft.study.id}",
        format_func=glossary.EXPONENT_CHOICES.__getitem__,
        required=True,
        help=glossary.EXPONENTS,
    )
    number = organiser_desk().page_values.setdefault("pool-uploader", 0)
    key = f"pool-file-{number}"

    @uninterrupted()
    def take() -> None:
        file = st.session_state.get(key)
        if file is not None:
            organiser_desk().page_values["pool-uploader"] = number + 1
            _begin(draft, file.name, file.getvalue, exponents)

    st.file_uploader(
        "Pool",
        type=["csv", "gz"],
        key=key,
        on_change=take,
        disabled=locked,
        label_visibility="collapsed",
    )
    quiet_note(POOL_HELP + " Very large pools are faster scored with python -m eic_core score.")
    if not {problem.name for problem in demo_problems()} & {p.name for p in draft.problems}:
        return
    st.button(
        "Take the demo’s pool",
        key="demo-pool",
        disabled=locked,
        on_click=lambda: _begin(draft, "pool.csv.gz", demo_pool_path().read_bytes),
    )


@uninterrupted()
def _begin(
    draft: StudyDraft, name: str, data: Callable[[], bytes], exponents: Exponents = "exact"
) -> None:
    """Read and score beside the page; store the pool unless problems or pool have changed since."""

    def start(service: OrganiserService) -> None:
        content = data()

        def work(step: Step) -> PoolUpload:
            progress, wait = repeat_progress(step, 0, 0)
            upload = workers().run(
                read_upload,
                name,
                content,
                draft.problems,
                jobs=1,
                # where exact is chosen, a file that asks for noisy ones gets them
                exponents=None if exponents == "exact" else exponents,
                progress=progress,
                wait=wait,
                seconds=UNHURRIED,
                long=True,
            )
            step(1, 1)
            _keep(service, draft, upload)
            return upload

        jobs().forget(_key(draft))
        jobs().start(_key(draft), f"Scoring {name}", work)

    action_callback("pool", start)


def _keep(service: OrganiserService, draft: StudyDraft, upload: PoolUpload) -> None:
    version = service.version(draft.study.id)
    stored = service.pool(draft.study.id)
    if service.problems(draft.study.id) != draft.problems:
        raise StaleEditError(
            "the problems were changed while the pool was scored",
            hint="upload the pool again, to score it on the data that are here now",
        )
    if (stored and stored.digest) != (draft.pool and draft.pool.digest):
        raise StaleEditError(
            "another organiser has brought another pool meanwhile",
            hint="it is shown below; upload yours again if yours is wanted",
        )
    service.set_pool(draft.study.id, upload.pool, version_seen=version)


@st.fragment(run_every=0.7)
def _progress(key: str) -> None:
    def text(job: Job) -> str:
        scoring = progress_text(job, "Scoring", "formulas", "reading the file")
        return f"{scoring}. You may close this page meanwhile."

    show_job(jobs().get(key) if is_organiser() else None, text, key="cancel-scoring")


def _show_ending(draft: StudyDraft, job: Job) -> None:
    if isinstance(job.result, PoolUpload):
        if draft.pool is not None and job.result.pool.digest == draft.pool.digest:
            did = "scored here" if job.result.scored_here else "taken with the scores they had"
            read = job.result.pool.rows - len(job.result.refused)
            rows = f"{wording.count(read, 'formula')} {did}."
            st.html(f'<p class="eic-done" role="status">{rows}</p>')
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet_note("Scoring was cancelled; nothing was changed.")
    st.button("Dismiss", key="dismiss-job", on_click=jobs().forget, args=(_key(draft),))


PROBLEMS_HELP = (
    "One CSV file for each problem, named as the pool names the problem: one or two columns of "
    "inputs, then the target. A file problems.json with titles, descriptions and units may come "
    "along."
)


def problems_done(draft: StudyDraft) -> bool:
    return bool(draft.problems)


def problems_view(service: OrganiserService, draft: StudyDraft) -> None:
    quiet_note(
        "A problem is a table of data that formulas were found for. Raters see its title, its "
        "description and a plot."
    )
    show_done_message("problems")
    show_error_at("problems")
    if not draft.problems:
        show_empty_state("No problems yet", "Add the tables below, or take those of the demo.")
    for problem in draft.problems:
        _row(draft, problem)
    _pending(draft)
    _add(draft)
    if draft.problems:
        next_step_button(draft.study, "pool", "Next: the pool")


def _row(draft: StudyDraft, problem: Problem) -> None:
    names = draft.columns[problem.name]
    key = f"{draft.study.id}:{problem.name}"
    editing = organiser_desk().page_values.get("editing") == key
    gaps = draft.incomplete_rows[problem.name]
    missing = [f"{gaps:,} incomplete, not used"] * bool(gaps)
    missing += ["no description"] * (not problem.description)
    lacks = "".join(f' · <span class="eic-lack">{lack}</span>' for lack in missing)
    box = "editing" if editing else f"problem-{draft.problems.index(problem)}"
    with st.container(key=box, border=editing):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f'<p class="eic-row-title">{escape(problem.display_title, 100)} '
                f"<code>{escape(problem.name, 40)}</code></p>"
                f'<p class="eic-quiet">{draft.rows[problem.name]:,} rows: '
                f"{escape(', '.join(names[:-1]), 60)} → {escape(names[-1], 30)}{lacks}</p>",
                width="stretch",
            )
            st.button(
                "Close" if editing else "Describe",
                key=f"describe-{key}",
                on_click=_edit,
                args=("" if editing else key, problem),
            )
        if editing:
            _form(draft, problem, key)


@uninterrupted()
def _edit(key: str, problem: Problem) -> None:
    organiser_desk().page_values["editing"] = key
    organiser_desk().page_values["based-on"] = problem
    organiser_desk().errors.pop("describe", None)
    _forget(key)


def _forget(key: str) -> None:
    for name in [n for n in st.session_state if str(n).startswith(f"about:{key}:")]:
        del st.session_state[name]


def _form(draft: StudyDraft, problem: Problem, key: str) -> None:
    about = f"about:{key}:"

    def save(service: OrganiserService) -> None:
        values = st.session_state
        columns = tuple(
            Column(c, *(values[f"{about}{of}:{c}"].strip() for of in ("unit", "meaning", "symbol")))
            for c in draft.columns[problem.name]
        )
        service.describe_problem(
            draft.study.id,
            problem.name,
            title=values[f"{about}title"].strip(),
            description=values[f"{about}text"].strip(),
            columns=columns,
            based_on=organiser_desk().page_values["based-on"],
        )
        organiser_desk().page_values.pop("editing", None)
        done = f"Saved what raters are told of `{problem.name}`."
        organiser_desk().done_messages["problems"] = done

    def remove(service: OrganiserService) -> str:
        rest = [p for p in draft.problems if p.name != problem.name]
        service.set_problems(draft.study.id, rest, version_seen=version_seen(draft.study))
        organiser_desk().page_values.pop("editing", None)
        return deletion_message(f"`{problem.name}` is removed.")

    with st.form(f"form:{key}", border=False):
        _description_fields(problem, draft.columns[problem.name], about)
        st.form_submit_button(
            "Save", type="primary", on_click=action_callback, args=("describe", save)
        )
    if show_error_at("describe"):
        _resolve(draft, problem, key)
    with st.popover("Remove this problem…", type="tertiary"):
        st.html(f'<p class="eic-ask-text">Its data go.{_loss(draft)}</p>')
        st.button(
            "Remove it",
            key=f"remove-{key}",
            type="primary",
            on_click=action_callback,
            args=("problems", remove),
        )


def _description_fields(problem: Problem, columns: Sequence[str], about: str) -> None:
    st.text_input("Title", problem.title, key=f"{about}title", max_chars=200)
    st.text_area(
        "Description: one to three plain sentences for people who do not know the field",
        problem.description,
        key=f"{about}text",
        max_chars=2000,
        height=90,
    )
    for name in columns:
        column = described_column(problem, name)
        fields = (
            ("Symbol", "symbol", column.symbol, 20),
            ("Unit", "unit", column.unit, 40),
            ("Meaning", "meaning", column.meaning, 200),
        )
        for place, (title, of, value, most) in zip(st.columns([1, 1, 3]), fields, strict=True):
            place.text_input(
                f"{title} of {label(name, 24)}", value, key=f"{about}{of}:{name}", max_chars=most
            )


def _resolve(draft: StudyDraft, problem: Problem, key: str) -> None:
    """After a stale edit: the stored text, and the two ways on."""
    if organiser_desk().page_values.get("based-on") == problem:
        return
    columns = "; ".join(
        f"{c.name}: {c.symbol or c.name}, {c.unit or 'no unit'}, {c.meaning or 'no meaning'}"
        for c in problem.columns
    )
    st.html(
        '<div class="eic-ask"><p><b>Stored now</b></p>'
        f"<p>{escape(problem.title, 200)}</p><p>{escape(problem.description, 2000)}</p>"
        f'<p class="eic-quiet">{escape(columns, 400)}</p></div>'
    )
    with st.container(horizontal=True):
        st.button("Take what is stored", key="take-theirs", on_click=_edit, args=(key, problem))
        st.button("Keep mine: then save again", key="keep-mine", on_click=_rebase, args=(problem,))


@uninterrupted()
def _rebase(problem: Problem) -> None:
    organiser_desk().page_values["based-on"] = problem
    organiser_desk().errors.pop("describe", None)


def _loss(draft: StudyDraft) -> str:
    """The cost of changing the problems, in a sentence."""
    if not draft.pairs:
        return ""
    dropped = len(draft.dropped_pairs)
    reasons = f", {dropped} of them left out with a reason" if dropped else ""
    return f" The {len(draft.pairs)} pairs made so far go, too{reasons}: match again afterwards."


# --- adding ---


def _add(draft: StudyDraft) -> None:
    show_heading("Add problems")
    number = organiser_desk().page_values.setdefault("problem-uploader", 0)
    key = f"problem-files-{number}"

    @uninterrupted()
    def take() -> None:
        files = st.session_state.get(key) or []
        if files:
            organiser_desk().page_values["problem-uploader"] = number + 1
            upload = read_files([(f.name, f.getvalue()) for f in files])
            _offer(draft, upload)

    st.file_uploader(
        "CSV files, any number at once",
        type=["csv", "json"],
        key=key,
        on_change=take,
        accept_multiple_files=True,
        help=PROBLEMS_HELP,
    )
    quiet_note(PROBLEMS_HELP)
    names = {problem.name for problem in draft.problems}
    demo = problems_of_demo()
    if not {problem.name for problem in demo} <= names:
        st.button(
            f"Take the demo’s {len(demo)} problems",
            key="demo-problems",
            on_click=lambda: _offer(draft, Upload(demo, ())),
        )


@uninterrupted()
def _offer(draft: StudyDraft, upload: Upload) -> None:
    """Add at once, or ask first if pairs would go."""
    organiser_desk().page_values["refused-files"] = upload.refused
    if upload.problems and draft.pairs:
        organiser_desk().page_values["pending-problems"] = upload.problems
    elif upload.problems:
        _put(draft, upload.problems)


@uninterrupted()
def _put(draft: StudyDraft, new: Sequence[Problem]) -> None:
    organiser_desk().page_values.pop("pending-problems", None)
    described = {problem.name: problem for problem in draft.problems}

    def add(service: OrganiserService) -> str:
        merged = {**described, **{p.name: _keeping(p, described.get(p.name)) for p in new}}
        version = version_seen(draft.study)
        service.set_problems(draft.study.id, tuple(merged.values()), version_seen=version)
        return f"{wording.count(len(new), 'problem')} added."

    if not run_action("problems", add):
        organiser_desk().page_values["pending-problems"] = tuple(new)


def _keeping(new: Problem, old: Problem | None) -> Problem:
    """New data for a problem, with the description that it had."""
    if old is None or new.description:
        return new
    return Problem(new.name, new.csv, old.title, old.description, old.columns)


def _pending(draft: StudyDraft) -> None:
    for line in organiser_desk().page_values.get("refused-files", ())[:20]:
        show_note(line)
    waiting = organiser_desk().page_values.get("pending-problems")
    if not waiting:
        return
    with st.container(border=True):
        names = ", ".join(f"`{p.name}`" for p in waiting[:12]) + ("…" if waiting[12:] else "")
        st.html(f"<p>Add {prose(names)}?{_loss(draft)}</p>")
        if draft.pairs:
            show_warning("Pairs are made from all problems together, so they must be made again.")
        with st.container(horizontal=True):
            st.button("Add them", key="put", type="primary", on_click=_put, args=(draft, waiting))
            st.button("Cancel", key="no-put", on_click=clear_page_value, args=("pending-problems",))
