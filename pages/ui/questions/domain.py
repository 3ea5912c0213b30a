"""Sliders that move the domain: their tracks, which know nothing of Streamlit, and the widgets.

The sliders live in a fragment. A drag changes the state in its callback; the next run of the
fragment sees a result of another domain and has the whole page run again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import streamlit as st

from eic_core.explain.created import WorstStepOnData
from eic_core.explain.phrases.what_if import worst_step_sentence
from eic_core.measure import Domain
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.inspector_service import (
    DEFAULT_DOMAIN,
    InspectionRequest,
    InspectionResult,
    describe,
)
from pages.ui.kit.text import code_label, label, prose
from pages.ui.kit.visit import change_state, current_visit, sync_widget
from pages.ui.questions.answer_parts import note
from pages.ui.questions.where import blamed_variables_first

ENDS, CENTRE, SPREAD, HELD = "ends", "low", "high", "held"

_STEPS = 150
_EXPONENTS = 300.0
# Finest step, relative to the larger end, that a browser's doubles still resolve.
_FINEST = 1e-11

Value = float | tuple[float, float]


@dataclass(frozen=True)
class Track:
    # "ends": both ends of a range; "low", "high": centre and spread of a normal one; "held": a
    # fixed value
    part: str
    # low, high, step: in the slider's own numbers, exponents of ten if `log`
    low: float
    high: float
    step: float
    log: bool = False

    @property
    def format(self) -> str:
        """The printf format of the slider's numbers."""
        decimals = max(0, -math.floor(math.log10(self.step)))
        if self.log:
            return f"10^%.{decimals}f"
        size = max(abs(self.low), abs(self.high))
        return f"%.{max(3, math.ceil(math.log10(size / self.step)) + 1)}g"

    def value(self, domain: Domain) -> Value:
        """The position of a domain on the track.

        >>> Track("ends", -8.0, 16.0, 0.1, log=True).value(Domain("loguniform", 1.0, 1e8))
        (0.0, 8.0)
        """
        low, high = domain.low, domain.high
        if self.log:
            low, high = math.log10(low), math.log10(high)
        if self.part == ENDS:
            return self._within(low), self._within(high)
        return self._within(high if self.part == SPREAD else low)

    def moved(self, domain: Domain, value: Value) -> Domain:
        """The domain after a drag.

        >>> Track("ends", -3.0, 9.0, 0.05).moved(Domain("uniform", 1.0, 5.0), (1.0, 2.35))
        Domain(kind='uniform', low=1.0, high=2.35)
        """
        if isinstance(value, tuple):
            # Only the dragged end takes the slider's rounded number; the other end keeps its
            # digits.
            before = self.value(domain)
            assert isinstance(before, tuple)
            low = domain.low if value[0] == before[0] else self._number(value[0])
            high = domain.high if value[1] == before[1] else self._number(value[1])
            return replace(domain, low=min(low, high), high=max(low, high))
        if self.part == HELD:
            return replace(domain, low=self._number(value), high=self._number(value))
        if self.part == SPREAD:
            return replace(domain, high=self._number(value))
        return replace(domain, low=self._number(value))

    def _within(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def _number(self, value: float) -> float:
        if self.log:
            return float(f"{10.0**value:.4g}")
        return round(value, max(0, 1 - math.floor(math.log10(self.step))))


def tracks(start: Domain) -> tuple[Track, ...]:
    """The sliders of a domain; () if it is too wide or too narrow to be dragged.

    >>> tracks(Domain("uniform", 1.0, 5.0))
    (Track(part='ends', low=-3.0, high=9.0, step=0.05, log=False),)
    >>> [track.part for track in tracks(Domain("normal", 1000.0, 1.0))]
    ['low', 'high']
    """
    # A track adds the domain's own width on either side, once, where the moving began: laid out
    # anew in each run it would run away under the hand.
    low, high = start.low, start.high
    if start.kind == "normal":
        spread = high or abs(low) or 1.0
        candidates = [
            _track(CENTRE, low - 5 * spread, low + 5 * spread),
            _track(SPREAD, 0.0, 5 * spread),
        ]
    elif start.kind == "loguniform":
        a, b = math.log10(low), math.log10(high)
        candidates = [_track(ENDS, a - ((b - a) or 1.0), b + ((b - a) or 1.0), log=True)]
    else:
        width = (high - low) or abs(low) or 1.0
        part = HELD if start.kind == "fixed" else ENDS
        candidates = [_track(part, low - width, high + width)]
    drawable = tuple(track for track in candidates if track is not None)
    return drawable if len(drawable) == len(candidates) else ()


def _track(part: str, low: float, high: float, *, log: bool = False) -> Track | None:
    if log:
        # Away from the limits of double precision, so that both ends stay representable.
        low, high = max(low, -_EXPONENTS), min(high, _EXPONENTS)
    width = high - low
    if not (math.isfinite(width) and 1e-290 < width < 1e290 and low < high):
        return None
    step = _round_down(width / _STEPS)
    if step < _FINEST * max(abs(low), abs(high)):
        return None
    places = max(0, 1 - math.floor(math.log10(step)))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Track(part, round(first * step, places), round(last * step, places), step, log)


def _round_down(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most `value`, up to rounding.

    >>> _round_down(0.08), _round_down(3.3)
    (0.05, 2.0)
    """
    power = math.floor(math.log10(value))
    # Built from text: 5 * 10.0**power need not be the nearest double.
    steps = (float(f"{head}e{power}") for head in (5, 2, 1))
    return next(step for step in steps if step <= value * 1.000001)


# Most variables with a slider, the ones below the node to blame first.
MOST = 6

_START, _MOVED = "domain-start", "domain-moved"

Domains = tuple[tuple[str, Domain], ...]


@dataclass(frozen=True)
class Start:
    """The domain from which the moving began."""

    request: InspectionRequest  # Without its domains
    chosen: Domains  # The visitor's choices; other variables have the default
    carried: tuple[str, ...]  # Names of choices made for an earlier formula
    domains: Domains  # One for each variable
    visited: frozenset[Domains]  # Reached by dragging; any other domain is a new start
    order: tuple[str, ...]  # The variables with a slider
    landmark: WorstStepOnData  # The worst step on `domains`


def follow_domain(result: InspectionResult) -> None:
    """Run the whole page again if a drag has moved the domain from that of `result`."""
    goal = st.session_state.pop(_MOVED, None)
    if goal is not None and goal != result.domains:
        st.rerun()


def domain_sliders(result: InspectionResult) -> None:
    if not result.domains:
        return
    start = _start_of(result)
    domains = dict(result.domains)
    layouts = [(name, tracks(dict(start.domains)[name])) for name in start.order]
    if not any(layout for _, layout in layouts):
        return
    with st.container(border=True, key="domain", gap="small"):
        away = result.domains != start.domains
        message = _INVITATION
        if away:
            now = WorstStepOnData.of(result.inspection)
            formula = result.inspection.formula
            message = str(worst_step_sentence(formula, start.landmark, now))
        st.html(f'<p class="eic-domain-said" role="status">{prose(message)}</p>')
        with st.container(key="domain-sliders", gap=None):
            for name, layout in layouts:
                for track in layout:
                    _slider(name, domains[name], track)
        if len(result.domains) > MOST:
            note("The ranges of the other variables stand under Data.")
        if away:
            back = [
                f"{code_label(name, 12)} {describe(domain)}"
                for name, domain in start.domains
                if domains[name] != domain
            ]
            st.button(
                f"Back to {', '.join(back[:3])}{' …' if len(back) > 3 else ''}",
                key="domain-back",
                icon=":material/undo:",
                on_click=_move,
                args=(start, start.chosen, start.carried),
            )


_INVITATION = "Drag an end of a range: the tree, the verdict and the rows follow."


def _start_of(result: InspectionResult) -> Start:
    request = replace(result.request, domains=(), carried=())
    start = st.session_state.get(_START)
    if isinstance(start, Start) and start.request == request and result.domains in start.visited:
        return start
    inspection = result.inspection
    start = Start(
        request,
        result.request.domains,
        result.request.carried,
        result.domains,
        frozenset([result.domains]),
        tuple(blamed_variables_first(result)[:MOST]),
        WorstStepOnData.of(inspection),
    )
    st.session_state[_START] = start
    return start


def _slider(name: str, domain: Domain, track: Track) -> None:
    value = track.value(domain)
    key = f"domain:{track.part}:{name}:{track.low!r}:{track.high!r}"
    caption = {ENDS: "", SPREAD: " std. dev."}.get(track.part, " mean")
    if domain.kind == "fixed":
        caption = ""
    if track.log:
        caption = " (power of ten)"
    st.slider(
        f"{label(name, 20)}{caption}",
        track.low,
        track.high,
        value=value,
        step=track.step,
        format=track.format,
        key=sync_widget(key, value),
        on_change=_apply_drag,
        args=(name, track, key),
    )


def _apply_drag(name: str, track: Track, key: str) -> None:
    state, start = current_visit().state, st.session_state.get(_START)
    if not isinstance(start, Start) or state.upload:
        return
    # A carried range was chosen for an earlier formula; the drag starts from the range in use.
    own = {n: domain for n, domain in state.domains if n not in state.carried}
    domain = own.get(name, dict(start.domains).get(name, DEFAULT_DOMAIN))
    moved = {**dict(state.domains), name: track.moved(domain, st.session_state[key])}
    _move(start, tuple(moved.items()), tuple(n for n in state.carried if n != name))


@uninterrupted()
def _move(start: Start, chosen: Domains, carried: tuple[str, ...]) -> None:
    chosen_by_name = {name: domain for name, domain in chosen if name not in carried}
    goal = tuple((name, chosen_by_name.get(name, domain)) for name, domain in start.domains)
    st.session_state[_START] = replace(start, visited=start.visited | {goal})
    st.session_state[_MOVED] = goal
    change_state(domains=chosen, carried=carried)
