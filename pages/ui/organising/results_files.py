"""Taking a report away: everything as one archive, or a single file."""

from __future__ import annotations

import streamlit as st

from pages.ui.organising.desk import complaint, desk, download, show_error, tried
from pages.ui.organising.results_data import (
    FILES,
    Shown,
    bundle_job,
    bundle_job_running,
    forget_bundle_job,
)
from pages.ui.text import escape
from pages.ui.undisturbed import undisturbed
from study.organising import OrganiserService

ARCHIVE = "study.zip"
EVERY = 0.5
_SEND = """<script>
const form = document.querySelector(".st-key-archive form");
if (form) form.submit();
// %s
</script>"""


def files_row(here: Shown) -> None:
    """The archive, and the single files in it."""
    with st.container(horizontal=True, key="report-files", vertical_alignment="center"):
        st.button(
            "Export as ZIP", key="make-archive", type="primary", icon=":material/download:",
            on_click=_begin, args=(here,),
            help="The frozen study, votes as tables, every figure, report, methods, codebook",
        )  # fmt: skip
        with st.popover("Single files", key="single-files", icon=":material/draft:"):
            for name, file in FILES.items():
                download(here.address(name), file.title, here.purpose)
    complaint("archive")
    job = bundle_job_running(here.study, here.about)
    if job is not None and job.running:
        _progress(here)
    elif job is not None:
        _send(here)


@undisturbed()
def _begin(here: Shown) -> None:
    def begin(service: OrganiserService) -> None:
        service.monitor.export(here.study.id)  # may it be read?
        forget_bundle_job(here.study, here.about)
        desk().kept["archive"] = here.key
        bundle_job(here.study, here.about)

    tried("archive", begin)


@st.fragment(run_every=EVERY)
def _progress(here: Shown) -> None:
    """How far the archive is."""
    job = bundle_job_running(here.study, here.about)
    if job is None or not job.running:
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    st.progress(share, text=f"Making the ZIP: {job.done} of {job.total or '…'} files")


def _send(here: Shown) -> None:
    """The finished archive: sent at once to who asked for it, and there to be fetched again."""
    job = bundle_job_running(here.study, here.about)
    if job is None:
        return
    if job.error is not None:
        show_error(job.error)
        return
    if desk().kept.get("archive") != here.key:
        return
    with st.container(horizontal=True, key="archive", vertical_alignment="center"):
        size = f"{(job.result or 0) / 1e6:.1f} MB"
        st.html(f'<p class="eic-done" role="status">The ZIP is ready ({escape(size)}).</p>',
                width="content")  # fmt: skip
        download(here.address(ARCHIVE), "Save it again", here.purpose)
    if desk().kept.get("archive-sent") is not job:
        desk().kept["archive-sent"] = job
        st.html(_SEND % id(job), unsafe_allow_javascript=True)
