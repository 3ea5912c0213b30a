"""Step 2: the pool of formulas, scored elsewhere or here."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.ui.door import is_organiser, login_key
from pages.ui.jobs import Job, Step
from pages.ui.organising.desk import (
    act,
    complaint,
    desk,
    download,
    empty,
    heading,
    quiet,
    show_error,
    told,
    warn,
)
from pages.ui.organising.drafts import LISTED, Draft
from pages.ui.organising.frame import onward
from pages.ui.organising.tables import refused_csv
from pages.ui.text import escape
from pages.ui.undisturbed import undisturbed
from pages.ui.wiring import jobs, parcels
from study.demo import demo_pool_path, demo_problems
from study.errors import StaleEditError
from study.organising import OrganiserService
from study.pairing import PoolUpload, RefusedRow, read_upload

HELP = (
    "A CSV file, gzipped or not, with the columns problem and formula, perhaps method and syntax. "
    "If it has no complexity, r2 and eic_finite, it is scored here."
)


def done(draft: Draft) -> bool:
    """Whether there is a pool."""
    return draft.pool is not None


def view(service: OrganiserService, draft: Draft) -> None:
    """What there is, what was refused, and how to bring another."""
    del service
    quiet(
        "The pool holds the formulas that pairs are chosen from, with their complexity, R² and "
        "EIC. It never reaches a rater."
    )
    told("pool")
    complaint("pool")
    if not draft.problems:
        empty("First the problems", "A pool is scored on the problems’ data: add those in step 1.")
        return
    job = jobs().get(_key(draft))
    if job is not None and job.running:
        _progress(_key(draft))
        return
    if job is not None:
        _ended(draft, job)
    if draft.pool is None:
        empty("No pool yet", "Upload one below, scored or not.")
    else:
        _summary(draft)
    _upload(draft)
    if draft.pool is not None:
        onward(draft.study, "pairs", "Next: pairs")


def _key(draft: Draft) -> str:
    return f"pool {draft.study.id} {draft.study.created_at.isoformat()}"


def _summary(draft: Draft) -> None:
    pool = draft.pool
    assert pool is not None
    scored = pool.rows - len(draft.refused)
    st.html(
        f'<p class="eic-file"><b>{escape(pool.name, 80)}</b> <span>{pool.rows:,} formulas, '
        f"{scored:,} of them with scores</span> "
        f'<span class="eic-hash" title="SHA-256 of the scored pool">{pool.digest[:12]}</span></p>'
    )
    if draft.unscored:
        names = ", ".join(f"`{name}`" for name in draft.unscored[:8])
        warn(f"The pool was scored before the data of {names} were here: upload it again.")
    _refused(draft.refused)


def _refused(rows: tuple[RefusedRow, ...]) -> None:
    if not rows:
        quiet("No row was refused.")
        return
    title = f"{len(rows):,} row{'s' if len(rows) != 1 else ''} refused"
    with st.expander(title, key="refused-rows"):
        quiet("They stay in the pool, and are never matched. Rows count from 1.")
        st.dataframe(
            [
                {"row": r.row, "problem": r.problem[:80], "formula": r.formula[:300],
                 "why": r.error[:300]}
                for r in rows[:LISTED]
            ],
            hide_index=True,
            key="refused-table",
        )  # fmt: skip
        if len(rows) > LISTED:
            quiet(f"The first {LISTED}; the file has all.")
        number = _parcel(rows)
        download(f"/exports/parcel/{number}", "All refused rows as CSV", "parcel")


def _parcel(rows: tuple[RefusedRow, ...]) -> str:
    kept = desk().kept
    if kept.get("refused-parcel", (None, ""))[0] is not rows:
        number = parcels().leave(login_key(), "refused.csv", refused_csv(rows).encode())
        kept["refused-parcel"] = (rows, number)
    return str(kept["refused-parcel"][1])


# --- bringing one ---


def _upload(draft: Draft) -> None:
    heading("Another pool" if draft.pool else "Upload a pool")
    locked = False
    if draft.pairs:
        warn(f"A new pool discards the {len(draft.pairs)} pairs made so far.")
    if draft.dropped:
        locked = not st.checkbox(
            f"Discard what was left out and why ({len(draft.dropped)}), too",
            key=f"discard-{draft.study.id}",
        )
    number = desk().kept.setdefault("pool-uploader", 0)
    key = f"pool-file-{number}"

    def take() -> None:
        file = st.session_state.get(key)
        if file is not None:
            desk().kept["pool-uploader"] = number + 1
            _begin(draft, file.name, file.getvalue)

    st.file_uploader("Pool", type=["csv", "gz"], key=key, on_change=take, disabled=locked,
                     label_visibility="collapsed")  # fmt: skip
    quiet(HELP + " Very large pools are faster scored with python -m eic_core score.")
    if not {problem.name for problem in demo_problems()} & {p.name for p in draft.problems}:
        return
    st.button(
        "Take the demo’s pool",
        key="demo-pool",
        disabled=locked,
        on_click=lambda: _begin(draft, "pool.csv.gz", demo_pool_path().read_bytes),
    )


@undisturbed()
def _begin(draft: Draft, name: str, data: Callable[[], bytes]) -> None:
    """Read and score beside the page, then keep it unless problems or pool have changed."""

    def start(service: OrganiserService) -> None:
        content = data()

        def work(step: Step) -> PoolUpload:
            upload = read_upload(name, content, draft.problems, jobs=1, progress=step)
            step(1, 1)
            _keep(service, draft, upload)
            return upload

        jobs().forget(_key(draft))
        jobs().start(_key(draft), f"Scoring {name}", work)

    act("pool", start)


def _keep(service: OrganiserService, draft: Draft, upload: PoolUpload) -> None:
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
    service.set_pool(draft.study.id, upload.pool, seen=version)


@st.fragment(run_every=0.7)
def _progress(key: str) -> None:
    """How far scoring has come; the page follows when it has ended."""
    job = jobs().get(key)
    if job is None or not job.running:
        st.rerun()
    if not is_organiser():
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    said = f"{job.done:,} of {job.total:,} formulas" if job.total else "reading the file"
    st.progress(min(1.0, share), text=f"Scoring: {said}. You may close this page meanwhile.")
    st.button("Cancel", key="cancel-scoring", on_click=job.cancel, disabled=job.cancelled)


def _ended(draft: Draft, job: Job) -> None:
    """What became of the last upload."""
    if isinstance(job.result, PoolUpload):
        if draft.pool is not None and job.result.pool.digest == draft.pool.digest:
            did = "scored here" if job.result.scored_here else "taken with the scores they had"
            read = job.result.pool.rows - len(job.result.refused)
            rows = f"{read:,} formula{'s' if read != 1 else ''} {did}."
            st.html(f'<p class="eic-done" role="status">{rows}</p>')
        return
    if job.error is not None:
        show_error(job.error)
    elif job.cancelled:
        quiet("Scoring was cancelled; nothing was changed.")
    st.button("Dismiss", key="dismiss-job", on_click=jobs().forget, args=(_key(draft),))
