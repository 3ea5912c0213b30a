"""Sliders that move the domain: the tree, the verdict, the rows and the address follow.

The answer lives in a fragment.  A drag changes the state in its callback; the next run of the
fragment sees that its result is another domain's and has the whole page run again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from eic_core.explain.moving import Landmark, moved
from eic_core.measure import Domain
from pages.ui.diagnosis.domain_tracks import ENDS, SPREAD, Track, tracks
from pages.ui.inputs_data import describe
from pages.ui.service import DEFAULT_DOMAIN, Request, Result
from pages.ui.text import code_label, label, prose
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import change, follow, visit
from pages.ui.widgets_plots import telling_first

MOST = 6
"""Variables with a slider, those of the node to blame first."""

_START, _MOVED = "domain-start", "domain-moved"

Domains = tuple[tuple[str, Domain], ...]


@dataclass(frozen=True)
class Start:
    """From where the domain is being moved.

    Attributes
    ----------
    request : Request
        Without its domains.
    chosen : Domains
        What the visitor had chosen; the others took the default.
    domains : Domains
        One for each variable.
    seen : frozenset of Domains
        Where the moving has led; another domain is a new start.
    order : tuple of str
        The variables with a slider.
    landmark : Landmark
        The bottleneck there.
    """

    request: Request
    chosen: Domains
    domains: Domains
    seen: frozenset[Domains]
    order: tuple[str, ...]
    landmark: Landmark


def follow_domain(result: Result) -> None:
    """Have the whole page run again if the domain has been moved from that of `result`."""
    goal = st.session_state.pop(_MOVED, None)
    if goal is not None and goal != result.domains:
        st.rerun()


def domain_sliders(result: Result) -> None:
    """A slider for each variable drawn from a range, and what moving it did to the bottleneck."""
    if not result.domains:
        return
    start = _start_of(result)
    known = dict(result.domains)
    layouts = [(name, tracks(dict(start.domains)[name])) for name in start.order]
    if not any(layout for _, layout in layouts):
        return
    with st.container(border=True, key="domain", gap="small"):
        away = result.domains != start.domains
        said = moved(start.landmark, result.inspection) if away else _INVITATION
        st.html(f'<p class="eic-domain-said" role="status">{prose(said)}</p>')
        with st.container(key="domain-sliders", gap=None):
            for name, layout in layouts:
                for track in layout:
                    _slider(name, known[name], track)
        if len(result.domains) > MOST:
            st.html('<p class="eic-quiet">The ranges of the other variables stand under Data.</p>')
        if away:
            back = [
                f"{code_label(name, 12)} {describe(domain)}"
                for name, domain in start.domains
                if known[name] != domain
            ]
            st.button(
                f"Back to {', '.join(back[:3])}{' …' if len(back) > 3 else ''}",
                key="domain-back",
                icon=":material/undo:",
                on_click=_move,
                args=(start, start.chosen),
            )


_INVITATION = "Drag an end of a range: the tree, the verdict and the rows follow."


def _start_of(result: Result) -> Start:
    request = replace(result.request, domains=())
    start = st.session_state.get(_START)
    if isinstance(start, Start) and start.request == request and result.domains in start.seen:
        return start
    inspection = result.inspection
    start = Start(
        request,
        result.request.domains,
        result.domains,
        frozenset([result.domains]),
        tuple(telling_first(inspection)[:MOST]),
        Landmark.of(inspection),
    )
    st.session_state[_START] = start
    return start


def _slider(name: str, domain: Domain, track: Track) -> None:
    value = track.value(domain)
    key = f"domain:{track.part}:{name}:{track.low!r}:{track.high!r}"
    caption = {ENDS: "", SPREAD: " std. dev."}.get(track.part, " mean")
    if domain.kind == "fixed":
        caption = ""
    st.slider(
        f"{label(name, 20)}{caption}",
        track.low,
        track.high,
        value=value,
        step=track.step,
        format=track.format,
        key=follow(key, value),
        on_change=_dragged,
        args=(name, track, key),
    )


def _dragged(name: str, track: Track, key: str) -> None:
    state, start = visit().state, st.session_state.get(_START)
    if not isinstance(start, Start) or state.upload:
        return
    chosen = dict(state.domains)
    domain = chosen.get(name, DEFAULT_DOMAIN)
    _move(start, tuple({**chosen, name: track.moved(domain, st.session_state[key])}.items()))


@undisturbed()
def _move(start: Start, chosen: Domains) -> None:
    known = dict(chosen)
    goal = tuple((name, known.get(name, DEFAULT_DOMAIN)) for name, _ in start.domains)
    st.session_state[_START] = replace(start, seen=start.seen | {goal})
    st.session_state[_MOVED] = goal
    visit().data_error = ""
    change(domains=chosen)
