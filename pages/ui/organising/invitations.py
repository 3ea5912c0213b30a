"""Links: personal ones, open ones, their list, and how to take them back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.door import login_key
from pages.ui.organising.desk import (
    act,
    complaint,
    confirming,
    desk,
    download,
    empty,
    forget,
    heading,
    quiet,
    told,
    warn,
)
from pages.ui.organising.drafts import Draft
from pages.ui.organising.export_routes import file_stem
from pages.ui.text import clean, escape
from pages.ui.undisturbed import undisturbed
from pages.ui.wiring import lab, parcels
from study.inviting import InvitationState, InvitationView, NewInvitation, links_csv
from study.material import Study
from study.organising import OrganiserService
from study.store import InvitationKind

SHOWN = 5
_NEW = "new-links"
_WIDTHS = {"link": 50, "note": 215, "kind": 75, "state": 85, "consented": 82, "of": 50,
           "finished": 75, "withdrawn": 85, "made (UTC)": 145}  # fmt: skip
"""Columns of the list in pixels: the note is what tells links apart."""


def view(service: OrganiserService, draft: Draft) -> None:
    """Make links, and see what became of those made before."""
    study = draft.study
    quiet(
        "Opening a link burns nothing; consent does. Only a hash of each link is stored: save "
        "new links when they are made, they cannot be shown again."
    )
    warning = service.invitations.warning(study.id)
    if warning and not lab().demo:
        warn(warning)
    elif lab().demo:
        quiet("This is a demo: its links open on this computer only, and invite nobody.")
    if lab().demo:
        _try(study)
    told("links")
    complaint("links")
    _fresh(study)
    left, right = st.columns(2, gap="large")
    with left:
        _personal(study)
    with right:
        _open(study)
    _list(service, study)


@undisturbed()
def _try(study: Study) -> None:
    """In a demo: one click from here to the rating page."""
    def make(service: OrganiserService) -> None:
        link = service.invitations.invite(study.id, ["try-out"])[0]
        desk().kept["try-out"] = link.link

    st.button("Make a link to try as a rater", key="try-out", type="primary", on_click=act,
              args=("links", make))  # fmt: skip
    if link := desk().kept.get("try-out"):
        st.link_button("Open the rating page in a new tab", link, icon=":material/open_in_new:")


def _personal(study: Study) -> None:
    heading("Personal links")
    text = st.text_area(
        "One line for each person: a note of yours, never shown to raters", key="labels",
        height=120, placeholder="Ada, physics\nBlaise, maths",
    )  # fmt: skip
    labels = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not labels:
        count = st.number_input("Or just a number of links", 1, 5000, 10, key="count", width=220)
        labels = [""] * int(count)

    def make(service: OrganiserService) -> str:
        _keep(study, service.invitations.invite(study.id, labels))
        st.session_state["labels"] = ""
        return ""

    st.button(f"Make {len(labels)} personal link{'s' if len(labels) != 1 else ''}", key="invite",
              type="secondary" if lab().demo else "primary", on_click=act,
              args=("links", make))  # fmt: skip


def _open(study: Study) -> None:
    heading("Open link")
    st.number_input("Good for this many raters", 1, 100_000, 50, key="quota", width=220)
    st.text_input("A note of yours", key="open-label", max_chars=120,
                  placeholder="mailing list")  # fmt: skip

    def make(service: OrganiserService) -> str:
        label = str(st.session_state["open-label"])
        quota = int(st.session_state["quota"])
        _keep(study, (service.invitations.open_link(study.id, quota, label),))
        return ""

    st.button("Make an open link", key="open-link", on_click=act, args=("links", make))
    quiet("Anyone who has it may take part, once for each consent, until the quota is used up.")


# --- links just made ---


def _keep(study: Study, made: Sequence[NewInvitation]) -> None:
    """Until the tab is closed: the links, and their file."""
    before = desk().kept.get(_NEW)
    links = (*before[1], *made) if before and before[0] == study.id else tuple(made)
    number = parcels().leave(
        login_key(), f"{file_stem(study.name)}-links.csv", links_csv(links).encode()
    )
    desk().kept[_NEW] = (study.id, links, number)


def _fresh(study: Study) -> None:
    kept = desk().kept.get(_NEW)
    if kept is None or kept[0] != study.id:
        return
    _, links, number = kept
    with st.container(border=True, key="new-links", gap="small"):
        heading(f"{len(links):,} new link{'s' if len(links) != 1 else ''}: save now")
        for each in links[-SHOWN:]:
            note = each.label or (f"open, {each.quota}" if each.kind == InvitationKind.OPEN else "")
            if note:
                st.html(f'<p class="eic-quiet">{escape(note, 160)}</p>')
            st.code(each.link, language=None, wrap_lines=True)
        if len(links) > SHOWN:
            quiet(f"The newest {SHOWN} of {len(links):,}; the file has all.")
        with st.container(horizontal=True, vertical_alignment="center"):
            download(f"/exports/parcel/{number}", f"Download {len(links):,} links as CSV",
                     "parcel", primary=True)  # fmt: skip
            st.button("I have saved them", key="links-saved", type="tertiary",
                      on_click=forget, args=(_NEW,))  # fmt: skip


# --- all of them ---


def _list(service: OrganiserService, study: Study) -> None:
    heading("All links")
    views = service.invitations.every(study.id)
    if not views:
        empty("No links yet", "Make some above, and send each person theirs.")
        return
    chosen = st.dataframe(
        [_line(each) for each in views], hide_index=True, key="invitations",
        on_select="rerun", selection_mode="multi-row", height=min(420, 40 + 36 * len(views)),
        column_config={name: st.column_config.Column(width=wide) for name, wide in _WIDTHS.items()},
    )  # fmt: skip
    rows = [i for i in chosen["selection"]["rows"] if i < len(views)]
    ids = [views[i].id for i in rows if views[i].state != InvitationState.REVOKED]
    told("revoke")
    complaint("revoke")
    if not ids:
        quiet("Select rows to take links back.")
        return

    def revoke(service: OrganiserService) -> str:
        for invitation_id in ids:
            service.invitations.revoke(study.id, invitation_id)
        return f"{len(ids)} link{'s' if len(ids) != 1 else ''} taken back."

    with confirming(
        f"Take back {len(ids)} link{'s' if len(ids) != 1 else ''}…",
        "No consent and no further vote comes through a link that was taken back. Votes that are "
        "in stay. This cannot be undone; a new link can be made.",
        "revoke",
    ):
        st.button("Take back", key="revoke-sure", type="primary", on_click=act,
                  args=("revoke", revoke))  # fmt: skip


def _line(each: InvitationView) -> dict[str, str | int]:
    return {
        "link": each.id,
        "note": clean(each.label, 120),
        "kind": str(each.kind),
        "state": str(each.state),
        "consented": each.consented,
        "of": each.quota,
        "finished": each.finished,
        "withdrawn": each.withdrawn,
        "made (UTC)": f"{each.created_at:%Y-%m-%d %H:%M}",
    }
