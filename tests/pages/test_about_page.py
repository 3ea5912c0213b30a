"""The page About, run without a browser."""

from __future__ import annotations

import math
import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_app_inspector import html_of

PROGRAM = """
from pages.about import about_page
about_page()
"""


def losses(page: AppTest) -> list[tuple[float, float]]:
    """Of each picture the loss of its worst step and of its result."""
    shown = r"Worst step \(EIC\) <b>([\d.]+)</b> digits · Result, [a-z ]+<b>([\d.]+)</b> digits"
    found = re.findall(shown, html_of(page))
    return [(float(worst), float(result)) for worst, result in found]


def test_each_picture_is_measured_anew_when_its_slider_moves() -> None:
    page = AppTest.from_string(PROGRAM).run()
    before = losses(page)
    assert len(before) == 5
    # s² of a product of two leaves is 3; each term is 10^4 times the result: log10(10^4·sqrt(6)).
    assert before[0][0] == pytest.approx(math.log10(1e4 * math.sqrt(6)), abs=0.01)
    page.slider(key="about-cancelling").set_value(6)
    page.slider(key="about-data").set_value(-4)
    page.slider(key="about-rows").set_value(5)
    after = losses(page.run())
    assert after[0][0] - before[0][0] == pytest.approx(2, abs=0.01)
    assert before[1][0] > 4 and before[1][1] < 0.3  # lost inside, hidden from the result
    assert after[2][0] > before[2][0] + 0.5 and after[4][0] > before[4][0]
    assert "EIC of 7.74 digits, one over their sum of 0.28" in html_of(page)


def test_it_is_closed_while_a_study_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.about.may_inspect", lambda: False)
    page = AppTest.from_string(PROGRAM).run()
    assert "closed for now" in html_of(page) and not page.slider
