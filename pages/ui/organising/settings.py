"""What a frozen study was frozen with; its public address; what was done to it."""

from __future__ import annotations

import streamlit as st

from pages.ui.organising.desk import desk, heading, quiet
from pages.ui.organising.drafts import Draft
from pages.ui.organising.step_design import address
from pages.ui.organising.step_freeze import frozen_facts
from pages.ui.organising.studies import date
from pages.ui.organising.tables import table_html
from pages.ui.undisturbed import undisturbed
from study.design import StudyStatus
from study.organising import OrganiserService

LINES = 200


def view(service: OrganiserService, draft: Draft) -> None:
    """Hash, address, configuration, log."""
    study = draft.study
    heading("Hash of all that affects the results")
    st.code(study.hash, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Check it against the database", key="verify", on_click=_verify,
                  args=(service, study.id))  # fmt: skip
        checked = desk().kept.pop("verified", None)
        if checked is not None:
            st.html(
                '<p class="eic-done" role="status">What is stored has this hash.</p>'
                if checked
                else '<p class="eic-note eic-bad" role="alert">What is stored does not have this '
                "hash: it was changed after freezing.</p>"
            )
    if study.status == StudyStatus.OPEN:
        heading("Address")
        address(study)
    heading("Frozen settings")
    st.html(table_html(frozen_facts(draft)))
    heading("What was done")
    lines = service.audit(study.id)
    st.html(
        table_html(
            [
                (date(line.at), f"{line.actor}: {line.action} {_cut(line.detail)}")
                for line in lines[:LINES]
            ],
        )
    )
    if len(lines) > LINES:
        quiet(f"The newest {LINES} of {len(lines):,}.")


@undisturbed()
def _verify(service: OrganiserService, study_id: int) -> None:
    desk().kept["verified"] = service.verify(study_id)


def _cut(detail: str) -> str:
    return f"({detail})" if detail else ""
