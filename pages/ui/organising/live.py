"""How a study gets on, refreshed by itself.  No result is shown: only how much, never which way."""

from __future__ import annotations

import streamlit as st

from pages.ui.door import organiser
from pages.ui.organising.desk import (
    act,
    complaint,
    confirming,
    desk,
    go,
    heading,
    quiet,
)
from pages.ui.organising.drafts import Draft
from pages.ui.organising.studies import date
from pages.ui.text import escape
from study.design import StudyStatus
from study.material import Study
from study.monitoring import LiveList
from study.organising import OrganiserService

EVERY = 5.0


def view(service: OrganiserService, draft: Draft) -> None:
    """The live list, and the end of the study."""
    study = draft.study
    if study.status == StudyStatus.OPEN:
        quiet("This list refreshes itself. It shows no result: whoever looks at results before "
              "the end is tempted to stop when they please.")  # fmt: skip
        _refreshing(study.id)
        _closing(study)
    else:
        _draw(service.monitor.live(study.id))


@st.fragment(run_every=EVERY)
def _refreshing(study_id: int) -> None:
    """The list alone; asks who is looking, each time."""
    service = organiser()
    if service is None:
        st.rerun()
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
        quiet(line)
    share = live.votes / live.votes_wanted if live.votes_wanted else 0.0
    heading(f"{live.votes:,} of {live.votes_wanted:,} votes")
    st.progress(min(1.0, share))
    if not live.invited:
        quiet("Nobody is invited yet: make links under Invitations.")
    heading("Votes on each pair")
    wanted = live.votes_wanted // len(live.pairs) if live.pairs else 0
    quiet(pairs_line(live, wanted))
    bars = "".join(_bar(p.name, p.problem, p.votes, wanted) for p in live.pairs)
    st.html(f'<div class="eic-votes" tabindex="0" aria-label="Votes on each pair">{bars}</div>')
    last = "" if live.last_vote_at is None else f" The last vote came {date(live.last_vote_at)}."
    st.html(f'<p class="eic-quiet">As of {live.at:%H:%M:%S} UTC.{last}</p>')


def _facts(live: LiveList) -> list[tuple[str, str]]:
    """The numbers at the top."""
    median = "—" if live.median_seconds is None else f"{live.median_seconds:.0f} s"
    facts = [
        ("invited", f"{live.invited:,}"),
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
    """Times, haste, drop-outs and failed checks, in sentences; nothing of how anybody chose."""
    lines = []
    if live.middle_half is not None:
        low, high = live.middle_half
        lines.append(f"Half of the votes took {low:.0f} to {high:.0f} s.")
    if live.too_fast:
        lines.append(
            f"{live.too_fast:,} so far fall to the frozen rule on haste, and will be left out."
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


def pairs_line(live: LiveList, wanted: int) -> str:
    """How evenly the votes lie, in a sentence."""
    if not live.pairs:
        return "There are no pairs."
    counts = [pair.votes for pair in live.pairs]
    full = sum(count >= wanted for count in counts)
    return (
        f"{full:,} of {len(counts):,} pairs have the {wanted} wanted; "
        f"the fewest are {min(counts)}, the most {max(counts)}."
    )


def _ballots(count: int) -> str:
    return "no ballot" if not count else "one ballot" if count == 1 else f"{count} ballots"


def _people(count: int) -> str:
    return "one rater" if count == 1 else f"{count} raters"


def _bar(name: str, problem: str, votes: int, wanted: int) -> str:
    share = 100 * min(1.0, votes / wanted) if wanted else 0
    full = " eic-full" if wanted and votes >= wanted else ""
    return (
        f'<div class="eic-vote"><span>{escape(name)} <i>{escape(problem, 40)}</i></span>'
        f'<span class="eic-bar-track{full}"><span style="width:{share:.0f}%"></span></span>'
        f'<span class="n">{votes} of {wanted}</span></div>'
    )


def _closing(study: Study) -> None:
    def close(service: OrganiserService) -> None:
        service.close(study.id)
        desk().said["study"] = "The study is closed. Here is what it found."
        go(study=study.id, step="report")

    complaint("close")
    with confirming(
        "Close the study…",
        "No consent and no vote is taken from then on, and raters who are at it cannot finish. A "
        "closed study cannot be opened again. Its results are shown, and can be exported.",
        "close",
    ):
        st.button("Close it for good", key="close-sure", type="primary", on_click=act,
                  args=("close", close))  # fmt: skip
