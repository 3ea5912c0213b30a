"""A study under way: its links, and its progress without any result."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from eic_core import wording
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import login_key, organiser
from pages.ui.kit.messages import quiet_note, show_empty_state, show_heading, show_warning
from pages.ui.kit.text import clean, escape
from pages.ui.kit.wiring import lab, parcels
from pages.ui.organising.desk import (
    StudyDraft,
    action_callback,
    clear_page_value,
    confirmation_popover,
    download_button,
    go_to,
    organiser_desk,
    show_done_message,
    show_error_at,
)
from pages.ui.organising.report_files import file_stem
from study.design import StudyStatus
from study.links import InvitationState, InvitationView, NewInvitation, links_csv
from study.material import Study
from study.monitoring import LiveList
from study.organising import OrganiserService
from study.store import InvitationKind

LINKS_ON_PAGE = 5
_NEW = "new-links"
# Pixels of each column; the note is the widest, for it tells links apart.
_WIDTHS = {
    "link": 50,
    "note": 215,
    "kind": 75,
    "state": 85,
    "consented": 82,
    "of": 50,
    "finished": 75,
    "withdrawn": 85,
    "made (UTC)": 145,
}


def links_view(service: OrganiserService, draft: StudyDraft) -> None:
    study = draft.study
    quiet_note(
        "Opening a link does not use it up; consent does. Only a hash of each link is"
        " stored: save new links when they are made, they cannot be shown again."
    )
    warning = service.invitations.warning(study.id)
    if warning and not lab().demo:
        show_warning(warning)
    elif lab().demo:
        quiet_note("This is a demo: its links open on this computer only, and invite nobody.")
    ended = study.admission_ended_at
    if lab().demo and ended is None:
        _try(study)
    show_done_message("links")
    show_error_at("links")
    _new_links(study)
    if ended is None:
        left, right = st.columns(2, gap="large")
        with left:
            _personal(study)
        with right:
            _open(study)
    else:
        quiet_note(
            f"Nobody new since {ended:%Y-%m-%d %H:%M} UTC: no links are made any more. A lost "
            "personal link can still be replaced, below."
        )
    _list(service, study)


@uninterrupted()
def _try(study: Study) -> None:
    """In a demo: one click from here to the rating page."""

    def make(service: OrganiserService) -> None:
        link = service.invitations.invite(study.id, ["try-out"])[0]
        organiser_desk().page_values["try-out"] = link.link

    st.button(
        "Make a link to try as a rater",
        key="try-out",
        type="primary",
        on_click=action_callback,
        args=("links", make),
    )
    if link := organiser_desk().page_values.get("try-out"):
        st.link_button("Open the rating page in a new tab", link, icon=":material/open_in_new:")


def _personal(study: Study) -> None:
    show_heading("Personal links")
    text = st.text_area(
        "One line for each person: a note of yours, never shown to raters",
        key="labels",
        height=120,
        placeholder="Ada, physics\nBlaise, maths",
    )
    labels = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not labels:
        count = st.number_input("Or just a number of links", 1, 5000, 10, key="count", width=220)
        labels = [""] * int(count)

    def make(service: OrganiserService) -> str:
        _keep(study, service.invitations.invite(study.id, labels))
        st.session_state["labels"] = ""
        return ""

    st.button(
        f"Make {wording.count(len(labels), 'personal link')}",
        key="invite",
        type="secondary" if lab().demo else "primary",
        on_click=action_callback,
        args=("links", make),
    )


def _open(study: Study) -> None:
    show_heading("Open link")
    st.number_input("Good for this many raters", 1, 100_000, 50, key="quota", width=220)
    st.text_input("A note of yours", key="open-label", max_chars=120, placeholder="mailing list")

    def make(service: OrganiserService) -> str:
        label = str(st.session_state["open-label"])
        quota = int(st.session_state["quota"])
        _keep(study, (service.invitations.open_link(study.id, quota, label),))
        return ""

    st.button("Make an open link", key="open-link", on_click=action_callback, args=("links", make))
    quiet_note(
        "Anyone who has it may take part, once for each consent, until the quota is used up."
    )


# --- links just made ---


def _keep(study: Study, new_links: Sequence[NewInvitation]) -> None:
    """Keep the links and their file until the tab is closed; the database has hashes alone."""
    before = organiser_desk().page_values.get(_NEW)
    links = (*before[1], *new_links) if before and before[0] == study.id else tuple(new_links)
    number = parcels().leave(
        login_key(), f"{file_stem(study.name)}-links.csv", links_csv(links).encode()
    )
    organiser_desk().page_values[_NEW] = (study.id, links, number)


def _new_links(study: Study) -> None:
    entry = organiser_desk().page_values.get(_NEW)
    if entry is None or entry[0] != study.id:
        return
    _, links, number = entry
    with st.container(border=True, key="new-links", gap="small"):
        show_heading(f"{wording.count(len(links), 'new link')}: save now")
        for each in links[-LINKS_ON_PAGE:]:
            note = each.label or (f"open, {each.quota}" if each.kind == InvitationKind.OPEN else "")
            if note:
                st.html(f'<p class="eic-quiet">{escape(note, 160)}</p>')
            st.code(each.link, language=None, wrap_lines=True)
        if len(links) > LINKS_ON_PAGE:
            quiet_note(f"The newest {LINKS_ON_PAGE} of {len(links):,}; the file has all.")
        with st.container(horizontal=True, vertical_alignment="center"):
            what = wording.count(len(links), "link")
            download_button(
                f"/exports/parcel/{number}", f"Download {what} as CSV", "parcel", primary=True
            )
            st.button(
                "I have saved them",
                key="links-saved",
                type="tertiary",
                on_click=clear_page_value,
                args=(_NEW,),
            )


# --- all of them ---


def _list(service: OrganiserService, study: Study) -> None:
    show_heading("All links")
    views = service.invitations.every(study.id)
    if not views:
        show_empty_state("No links yet", "Make some above, and send each person theirs.")
        return
    chosen = st.dataframe(
        [_line(each) for each in views],
        hide_index=True,
        key="invitations",
        on_select="rerun",
        selection_mode="multi-row",
        height=min(420, 40 + 36 * len(views)),
        column_config={name: st.column_config.Column(width=wide) for name, wide in _WIDTHS.items()},
    )
    rows = [i for i in chosen["selection"]["rows"] if i < len(views)]
    ids = [views[i].id for i in rows if views[i].state != InvitationState.REVOKED]
    show_done_message("revoke")
    show_error_at("revoke")
    if not ids:
        quiet_note("Select rows to take links back, or one row to replace a lost personal link.")
        return

    def revoke(service: OrganiserService) -> str:
        for invitation_id in ids:
            service.invitations.revoke(study.id, invitation_id)
        return f"{wording.count(len(ids), 'link')} taken back."

    lost = [views[i].id for i in rows if views[i].kind == InvitationKind.PERSONAL]
    if ids and len(rows) == 1 and lost == ids:

        def replace(service: OrganiserService) -> str:
            _keep(study, (service.invitations.replace(study.id, lost[0]),))
            return "Here is the new link, above. The old one no longer works."

        with confirmation_popover(
            "Replace a lost link…",
            "The person goes on where they were with the new link. The old one dies at once.",
            "replace",
        ):
            st.button(
                "Replace it",
                key="replace-sure",
                type="primary",
                on_click=action_callback,
                args=("revoke", replace),
            )
    with confirmation_popover(
        f"Take back {wording.count(len(ids), 'link')}…",
        "No consent and no further vote comes through a link that was taken back. Votes that are "
        "in stay. This cannot be undone; a new link can be made.",
        "revoke",
    ):
        st.button(
            "Take back",
            key="revoke-sure",
            type="primary",
            on_click=action_callback,
            args=("revoke", revoke),
        )


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


EVERY = 5.0


def live_view(service: OrganiserService, draft: StudyDraft) -> None:
    study = draft.study
    if study.status == StudyStatus.OPEN:
        quiet_note(
            "This list refreshes itself. It shows no result: whoever looks at results before "
            "the end is tempted to stop when they please."
        )
        _refreshing(study.id)
        _closing(study)
    else:
        _draw(service.monitor.live(study.id))


@st.fragment(run_every=EVERY)
def _refreshing(study_id: int) -> None:
    service = organiser()
    if service is None:
        st.rerun()
    # The login is checked in each run: a fragment polls on after a logout.
    live = service.monitor.live(study_id)
    if live.status != StudyStatus.OPEN:
        st.rerun()
    _draw(live)


def _draw(live: LiveList) -> None:
    cells = "".join(
        f'<div class="eic-fact"><span class="value">{value}</span>'
        f'<span class="name">{name}</span></div>'
        for name, value in _facts(live)
    )
    st.html(f'<div class="eic-facts">{cells}</div>')
    for line in watching_lines(live):
        quiet_note(line)
    share = live.votes / live.votes_wanted if live.votes_wanted else 0.0
    show_heading(f"{live.votes:,} of {live.votes_wanted:,} votes")
    st.progress(min(1.0, share))
    if not live.invited and not live.open_places:
        quiet_note("Nobody is invited yet: make links under Invitations.")
    show_heading("Votes on each pair")
    votes_wanted = live.votes_wanted // len(live.pairs) if live.pairs else 0
    quiet_note(pairs_line(live, votes_wanted))
    bars = "".join(_bar(p.name, p.problem, p.votes, votes_wanted) for p in live.pairs)
    st.html(f'<div class="eic-votes" tabindex="0" aria-label="Votes on each pair">{bars}</div>')
    came = live.last_vote_at
    last = "" if came is None else f" The last vote came {wording.minute(came)}."
    st.html(f'<p class="eic-quiet">As of {live.at:%H:%M:%S} UTC.{last}</p>')


def _facts(live: LiveList) -> list[tuple[str, str]]:
    median = "—" if live.median_seconds is None else wording.seconds(live.median_seconds)
    facts = [
        ("invited", f"{live.invited:,}"),
        *([("open places", f"{live.open_places:,}")] if live.open_places else []),
        ("consented", f"{live.consented:,}"),
        ("at it", f"{live.active:,}"),
        ("finished", f"{live.finished:,}"),
        ("dropped out", f"{live.dropped_out:,}"),
        ("withdrawn", f"{live.withdrawn:,}"),
        ("median time of a vote", median),
    ]
    if live.attention_passed + live.attention_failed:
        done = live.attention_passed + live.attention_failed
        facts.append(("attention checks passed", f"{live.attention_passed} of {done}"))
    return facts


def watching_lines(live: LiveList) -> list[str]:
    """Times, haste, drop-outs and failed checks in sentences; nothing of how anybody chose."""
    lines = []
    if live.middle_half is not None:
        low, high = live.middle_half
        lines.append(f"Half of the votes took {low:.0f} to {high:.0f} s.")
    if live.too_fast:
        lines.append(
            f"Left out by the frozen rule on haste: {live.too_fast:,}."
            if live.status == StudyStatus.CLOSED
            else f"{live.too_fast:,} so far fall to the frozen rule on haste, and will be left out."
        )
    if live.stopped_after:
        stops = ", ".join(f"{n} after {_ballots(k)}" for k, n in live.stopped_after)
        lines.append(f"Who dropped out stopped: {stops}.")
    if live.failed_checks:
        fails = ", ".join(
            f"{_people(n)} failed {'one check' if k == 1 else f'{k} checks'}"
            for k, n in live.failed_checks
        )
        lines.append(f"Attention: {fails}.")
    return lines


def pairs_line(live: LiveList, votes_wanted: int) -> str:
    if not live.pairs:
        return "There are no pairs."
    counts = [pair.votes for pair in live.pairs]
    full = sum(count >= votes_wanted for count in counts)
    return (
        f"{full:,} of {len(counts):,} pairs have the {votes_wanted} wanted; "
        f"the fewest are {min(counts)}, the most {max(counts)}."
    )


def _ballots(count: int) -> str:
    return "no ballot" if not count else "one ballot" if count == 1 else f"{count} ballots"


def _people(count: int) -> str:
    return "one rater" if count == 1 else f"{count} raters"


def _bar(name: str, problem: str, votes: int, votes_wanted: int) -> str:
    share = 100 * min(1.0, votes / votes_wanted) if votes_wanted else 0
    full = " eic-full" if votes_wanted and votes >= votes_wanted else ""
    return (
        f'<div class="eic-vote"><span>{escape(name)} <i>{escape(problem, 40)}</i></span>'
        f'<span class="eic-bar-track{full}"><span style="width:{share:.0f}%"></span></span>'
        f'<span class="n">{votes} of {votes_wanted}</span></div>'
    )


def _closing(study: Study) -> None:
    def end_admission(service: OrganiserService) -> str:
        service.end_admission(study.id)
        return "Nobody new can take part; those at work may finish."

    show_done_message("admission")
    show_error_at("admission")
    if study.admission_ended_at is None:
        with confirmation_popover(
            "Take in nobody new…",
            "Nobody can consent from then on, and no link can be made. Raters who are at it may "
            "finish; close the study when they have. This cannot be undone.",
            "admission",
        ):
            st.button(
                "Take in nobody new",
                key="admission-sure",
                type="primary",
                on_click=action_callback,
                args=("admission", end_admission),
            )
    else:
        quiet_note(f"Nobody new since {study.admission_ended_at:%Y-%m-%d %H:%M} UTC.")

    def close(service: OrganiserService) -> None:
        service.close(study.id)
        organiser_desk().done_messages["study"] = "The study is closed. Here is what it found."
        go_to(study=study.id, step="report")

    show_error_at("close")
    with confirmation_popover(
        "Close the study…",
        "No consent and no vote is taken from then on, and raters who are at it cannot finish. A "
        "closed study cannot be opened again. Its results are shown, and can be exported.",
        "close",
    ):
        st.button(
            "Close it for good",
            key="close-sure",
            type="primary",
            on_click=action_callback,
            args=("close", close),
        )
