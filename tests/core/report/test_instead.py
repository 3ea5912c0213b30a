"""What a report says of forms that choose and of approximations: branches, bounds and pictures."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from eic_core.drawing.chart import Bars, Label, Points
from eic_core.drawing.inline import svg_of
from eic_core.explain.diagnosis import diagnose
from eic_core.measure import Samples, inspect
from eic_core.report import Findings, Provenance, render
from eic_core.report.findings import Answers, collect_findings
from eic_core.report.instead import lost_by_row, offered
from eic_core.rewriting import Repairs
from tests.core.report.reading import Page, value
from tests.core.rewriting.choices import NEAR_0, QUADRATIC, form, quadratic, sine


def findings_of(repairs: Repairs) -> Findings:
    inspection = inspect(repairs.formula, repairs.samples)
    return collect_findings(inspection, Answers(lambda: diagnose(inspection), lambda: repairs))


@cache
def page_of(repairs) -> Page:
    return Page(render(findings_of(repairs()), Provenance()))


def test_branches_are_shown_with_their_rows_and_digits() -> None:
    leading = quadratic().leading
    rows = page_of(quadratic).rows("repair", 1)
    for row, branch in zip(rows, leading.branches, strict=True):
        assert [value(cell) for cell in row[3:]] == [branch.rows, branch.before, branch.after]
    words = page_of(quadratic).words("repair")
    assert "b >= 0" in words and "elsewhere" in words and QUADRATIC in words
    assert "approximation" not in words


def test_a_series_is_shown_with_its_bound_and_where_it_is_proved() -> None:
    words = page_of(sine).words("repair")
    assert NEAR_0 in words and "It is an approximation" in words
    assert "1.1·10⁻¹⁷" in words and "x from -0.5 to 0.5" in words
    assert "The same value to" not in words
    assert "The time limit" not in words and "--effort thorough" in words
    assert "by an approximation" in page_of(sine).words("digits")
    assert "written instead" in page_of(quadratic).words("digits")


@pytest.mark.parametrize("repairs", (quadratic, sine))
def test_the_picture_shades_the_branches_and_has_a_dot_for_each_row(repairs) -> None:
    picture, caption = lost_by_row(findings_of(repairs()), repairs().leading)
    marks = picture.panels[0].marks
    assert {mark.text[0] for mark in marks if isinstance(mark, Label)} == {"A", "B"}
    assert len({mark.colour for mark in marks if isinstance(mark, Bars)}) >= 2
    assert [len(mark.x) for mark in marks if isinstance(mark, Points)] == [200, 200]
    assert svg_of(picture).count("h0") >= 300
    assert f"`{repairs().leading.branches[0].condition}`" in caption
    assert ("over `b`" if repairs is quadratic else "over `x`") in caption


def test_two_inputs_are_drawn_as_a_pair_of_maps() -> None:
    rng = np.random.default_rng(0)
    columns = {"x": 10 ** rng.uniform(-3, 1, 50), "y": rng.uniform(-3, 3, 50)}
    written = form("x*y - sin(x*y)")
    findings = findings_of(replace(sine(), formula=written, samples=Samples.from_columns(columns)))
    other = replace(sine().leading, formula=form("where(x*y < 0, x*y - sin(x*y), x - sin(x*y))"))
    picture, caption = lost_by_row(findings, other)
    texts = [mark.text for panel in picture.panels for mark in panel.marks if hasattr(mark, "text")]
    assert texts == ["as written", "A", "B", "instead"]
    assert "A: `x*y < 0`. B: elsewhere." in caption


def test_what_is_offered_first_stands_on_top() -> None:
    both = replace(sine(), repairs=quadratic().repairs, reason=None)
    assert offered(both)[0] is both.leading and len(offered(both)) == len(both.repairs) + 1
    assert offered(replace(both, before=None)) == ()
