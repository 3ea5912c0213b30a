"""Five pictures of EIC, each measured anew when its slider moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from eic_core import wording
from eic_core.explain.losses import NAMES, RESULT, WORST_STEP
from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax import read
from eic_core.measure import Inspection, inspect
from eic_core.measure.measured import measured_loss
from eic_core.samples import Domain, sample_domains
from pages.ui.figures.data import data_figure
from pages.ui.kit.pictures import show_chart, show_tree
from pages.ui.kit.text import escape
from pages.ui.kit.wiring import figure_cache

ROWS = 2_000
"""Rows of a picture whose slider does not choose their number."""

_HEIGHT = 300.0


class MeasuredPicture(NamedTuple):
    """A measured formula in x; `name` tells the pictures apart."""

    name: str
    domain: Domain
    inspection: Inspection

    @property
    def eic(self) -> float:
        return self.inspection.eic


@st.fragment
def cancelling() -> None:
    power = st.slider("The factor: 10 to the power of", 1, 8, 4, key="about-cancelling")
    a = 10**power
    picture = measured("cancelling", f"{a}*x - {a - 1}*x", Domain("uniform", 1.0, 5.0))
    say(
        picture,
        f"However large the factor, this is x. Written as a difference of two terms about {a:,} "
        "times larger than x, it loses digits: each term is rounded in its last digit, and that "
        "rounding is large beside the small difference.",
    )
    tree(picture)


@st.fragment
def hidden() -> None:
    power = st.slider("The weight of the sine: 10 to the power of", -6, 0, -6, key="about-hidden")
    weight = f"{10.0**power:.6f}".rstrip("0").rstrip(".")
    picture = measured("hidden", f"x + {weight}*sin(1000*x)", Domain("uniform", 1.0, 5.0))
    say(
        picture,
        "The sine of a large number is sensitive: a small relative error of its argument moves it "
        "far along a wave. With a small weight little of that reaches the result. EIC counts the "
        "worst step all the same, which no test of the result shows: another weight, or the next "
        "fit, brings it out.",
    )
    tree(picture)


@st.fragment
def by_data() -> None:
    power = st.slider("The data begin above 2 by: 10 to the power of", -6, 0, -1, key="about-data")
    low = 2 + 10.0**power
    picture = measured("data", "1/(x - 2)", Domain("uniform", float(f"{low:.7g}"), 4.0))
    say(
        picture,
        "Whether a formula is sensitive depends on the data: here it is near x = 2, where the "
        "difference is small beside x. On data far from there errors grow little.",
    )
    curve(picture)


@st.fragment
def writing() -> None:
    power = st.slider("x reaches to: 10 to the power of", 1, 12, 8, key="about-writing")
    domain = Domain("loguniform", 1.0, 10.0**power)
    forms = ("sqrt(x + 1) - sqrt(x)", "1/(sqrt(x + 1) + sqrt(x))")
    first, second = (measured(f"form-{form}", form, domain) for form in forms)
    say(
        first,
        "Two ways to write the same number. The difference of two roots has an EIC of "
        f"{wording.digits_lost(first.eic)} digits, one over their sum of "
        f"{wording.digits_lost(second.eic)}. EIC is a property of the writing, so the inspector "
        "can say what to write instead.",
    )
    for column, picture in zip(st.columns(2), (first, second), strict=True):
        with column:
            tree(picture, 420.0)


@st.fragment
def unsettled() -> None:
    power = st.slider("Rows: 10 to the power of", 2, 5, 3, key="about-rows")
    picture = measured("rows", "1/(x - 2)", Domain("uniform", 1.0, 3.0), 10**power)
    tail = picture.inspection.tail
    middle = (
        ""
        if tail is None
        else (
            f" At half of the rows errors grow by no more than {wording.digits_lost(tail.q50)} "
            "digits up to the worst step, however many rows there are."
        )
    )
    say(
        picture,
        "Here the difference crosses zero inside the data. With more rows some come closer to "
        "zero, so the mean never settles: EIC belongs to a number of rows, which stands beside "
        f"it.{middle}",
    )
    curve(picture)


PICTURES: tuple[tuple[str, Callable[[], None]], ...] = (
    ("Large terms that nearly cancel", cancelling),
    ("An inner step that the result hides", hidden),
    ("It depends on the data", by_data),
    ("The writing, not the function", writing),
    ("Where the mean does not settle", unsettled),
)
"""Title and drawing function of each picture."""


def measured(name: str, text: str, domain: Domain, rows: int = ROWS) -> MeasuredPicture:
    """A formula in x, measured on rows drawn from a domain."""

    def make() -> Inspection:
        return inspect(read(text).formula, sample_domains({"x": domain}, count=rows))

    key = ("about", text, str(domain), rows)
    return MeasuredPicture(name, domain, figure_cache().get(key, make))


def say(picture: MeasuredPicture, text: str) -> None:
    """The explanation, three numbers by name, and the link to the inspector."""
    inspection = picture.inspection
    formula, rows = inspection.formula.source, len(inspection.samples)
    lost = measured_loss(inspection).quantiles.nine_in_ten
    losses = (
        f"{NAMES[WORST_STEP]} <b>{wording.digits_lost(picture.eic)}</b> digits · "
        f"{NAMES[RESULT]} <b>{wording.digits_lost(inspection.nodes[-1].local_eic)}</b> digits · "
        f"measured, nine in ten rows <b>{wording.digits_lost(lost)}</b> digits · {rows:,} rows"
    )
    query = urlencode({"formula": formula, "range": f"x={picture.domain}", "samples": rows})
    st.html(f"<p>{escape(text, 2_000)}</p>")
    st.html(
        f'<p class="eic-quiet">{losses} · <a href="./?{escape(query, 2_000)}" target="_self">Open '
        "it in the inspector</a></p>"
    )


def tree(picture: MeasuredPicture, width: float | None = None) -> None:
    st.latex(to_latex(picture.inspection.formula))
    show_tree(picture.inspection, _key(picture), width=width, height=_HEIGHT)


def curve(picture: MeasuredPicture) -> None:
    inspection = picture.inspection
    st.latex(to_latex(inspection.formula))
    show_chart(
        lambda: data_figure(inspection, inspection.worst_step),
        key=f"about-{picture.name}-picture",
        what=("about", *_key(picture)),
        file_name="eic-about",
    )


def _key(picture: MeasuredPicture) -> tuple[Hashable, ...]:
    inspection = picture.inspection
    return picture.name, inspection.formula.source, str(picture.domain), len(inspection.samples)
