"""Every ballot of the demo, one after the other, as a rater sees them: nobody has to vote."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pages.ui.rating.ballot_view import ballot_page
from pages.ui.rating.pieces import style
from pages.ui.rating.tab import current_tab
from study.rating_types import Ballot, Progress, RatingVisit, Stage
from tests.e2e.rating_world import World


@st.cache_resource
def ballots() -> tuple[Ballot, ...]:
    """Practice and checks first, then every pair of the demo."""
    with tempfile.TemporaryDirectory() as folder:
        world = World.at(Path(folder), attention_checks=3, allow_tie=True)
        found = [each.ballot for each in world.organiser.preview_specials(world.study.id)]
        found += [
            world.organiser.preview(world.study.id, pair.id).ballot
            for pair in world.organiser.pairs(world.study.id)
        ]
        world.store.dispose()
    return tuple(replace(each, token=f"n{at}") for at, each in enumerate(found))


def another() -> None:
    """The next one."""
    st.session_state["shown"] += 1


def page() -> None:
    """Draw the ballot whose turn it is."""
    st.set_page_config(layout="wide")
    shown = st.session_state.setdefault("shown", 0)
    every = max(1, int(st.query_params.get("every", "1")))
    numbers = range(0, len(ballots()), every)
    number = numbers[shown % len(numbers)]
    style()
    with st.container(key="rate-page"):
        visit = RatingVisit(Stage.RATING, "Study", progress=Progress(3, 10))
        ballot_page(current_tab(), visit, ballots()[number])
    st.button(" ".join(map(str, numbers)), key="another", on_click=another)


if __name__ == "__main__":
    page()
