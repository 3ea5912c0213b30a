"""The figures and sentences of the page Compare, without Streamlit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core import wording
from eic_core.drawing.chart import Chart, Label, Panel, Points, Stroke
from eic_core.drawing.scale import THEMES, contrast
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Inspection, Samples, inspect, sample_domains
from eic_core.pool import Score
from eic_core.pool.front import front
from eic_core.pool.importers import Listed
from eic_core.pool.listing import ListedScore
from pages.ui.compare.front_figure import (
    MOST_POINTS,
    FrontView,
    count_on_edge,
    drawn_places,
    edge_note,
    front_figure,
)
from pages.ui.compare.pair import differences, pair_sentence
from pages.ui.compare.pair_figure import Side, pair_figure, pair_maps, shared_columns
from pages.ui.figures.screen import draw


def listed(*eics: float, method: str = "") -> tuple[ListedScore, ...]:
    return tuple(
        ListedScore(Listed(i, f"x<{i}>", method=method), Score(i + 1, 0.5, eic, eic))
        for i, eic in enumerate(eics)
    )


def view_of(scores: tuple[ListedScore, ...], errors: list[float] | None, **rest) -> FrontView:  # type: ignore[no-untyped-def]
    accuracy = None if errors is None else np.array(errors)
    on_front = np.zeros(len(scores), dtype=bool)
    on_front[:1] = True
    return FrontView(scores, np.arange(len(scores)), on_front, accuracy, "1 − R²", **rest)


def validated(chart: Chart, **look: bool) -> Panel:
    """The panel, if Plotly takes it."""
    go.Figure(draw(chart, **look).to_dict())
    return chart.panels[0]


def points_of(chart: Chart) -> list[Points]:
    return [m for m in chart.panels[0].marks if isinstance(m, Points) and len(m.keys)]


def drawn(chart: Chart) -> dict[int, tuple[float, float]]:
    """Where each place is drawn."""
    return {
        place: (float(x), float(y))
        for mark in points_of(chart)
        for place, x, y in zip(mark.keys, mark.x, mark.y, strict=True)
    }


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("errors", [None, [0.1, 0.5, 0.02, math.nan]])
def test_the_front_is_a_valid_figure_of_nothing_too(
    dark: bool, narrow: bool, errors: list[float] | None
) -> None:
    scores = listed(0.5, math.inf, 9.0, math.nan)
    refused = (ListedScore(Listed(1, "lg(x)"), Score(error="no")),)
    for view in (
        view_of(scores, errors, picked=(1,)),
        view_of((), []),
        view_of(refused, [math.nan]),
    ):
        validated(front_figure(view), dark=dark, narrow=narrow)


def test_every_point_carries_its_place_stands_at_its_numbers_and_has_their_colour() -> None:
    figure = front_figure(view_of(listed(1.0, 2.0, 6.0), [0.1, 0.2, 0.3]))
    assert drawn(figure) == {0: (1.0, 0.1), 1: (2.0, 0.2), 2: (3.0, 0.3)}
    for mark in points_of(figure):
        assert list(mark.digits) == [(1.0, 2.0, 6.0)[place] for place in mark.keys]
    shades = [t.marker for t in draw(figure).data if t.customdata is not None]
    assert {(marker.cmin, marker.cmax) for marker in shades} == {(0.0, 16.0)}
    assert "worst step (EIC)" in shades[-1].colorbar.title.text
    infinite = front_figure(view_of(listed(1.0, math.inf), [0.1, 0.2]))
    (hollow,) = (mark for mark in points_of(infinite) if 1 in mark.keys)
    assert hollow.digits is None, "an infinite EIC has no colour"


@pytest.mark.parametrize("dark", [False, True])
def test_every_point_has_an_outline_that_stands_out_from_the_page(dark: bool) -> None:
    """WCAG 2.1, 1.4.11: 3 : 1 for graphics, also where the fill is next to the page's colour."""
    paper = THEMES[dark].paper
    shown = view_of(listed(0.0, 0.3, 0.9, math.inf), [0.1, 0.2, 0.3, 0.4])
    for trace in draw(front_figure(shown), dark=dark).data:
        if trace.customdata is not None:
            outline = trace.marker.color
            if not trace.marker.symbol.endswith("-open"):
                assert trace.marker.line.width >= 1
                outline = trace.marker.line.color
            assert contrast(outline, paper) >= 3
            assert trace.opacity == trace.unselected.marker.opacity == 1


def test_formulas_that_explain_nothing_do_not_flatten_the_rest() -> None:
    view = view_of(listed(1.0, 1.0, 1.0), [0.1, 1e28, 3.0])
    assert [y for _, (_, y) in sorted(drawn(front_figure(view)).items())] == [0.1, 2.0, 2.0]
    assert count_on_edge(view) == 2


@pytest.mark.parametrize(
    ("errors", "name", "note"),
    [
        ([0.1, 1e28, 3.0], "1 − R²", "2 with an R² below −1 are drawn on the upper edge."),
        ([94.0, 1740.0, 1715.0, 1647.0], "1 − R²", ""),
        ([3.0, 2.5, 1e9], "1 − R²", "1 with an R² below −299 is drawn on the upper edge."),
        ([1.0, 2.0, 1e9], "loss, as stored", "1 with a loss above 200 is drawn on the upper edge."),
        ([0.0, 0.1, 0.2], "1 − R²", "1 without any error is drawn on the lower edge."),
        (
            [0.0, 0.1, 9.0],
            "1 − R²",
            "1 with an R² below −1 is drawn on the upper edge; 1 without "
            "any error is drawn on the lower edge.",
        ),
        ([0.1, math.inf, math.nan], "1 − R²", ""),
    ],
)
def test_what_is_said_to_be_drawn_on_an_edge_is_drawn_there(
    errors: list[float], name: str, note: str
) -> None:
    view = replace(view_of(listed(*[1.0] * len(errors)), errors), accuracy_name=name)
    assert edge_note(view) == note
    figure = front_figure(view)
    low, high = map(math.log10, validated(figure).y.limits)
    places = {place: math.log10(y) for place, (_, y) in drawn(figure).items()}
    assert sum(y == high for y in places.values()) == count_on_edge(view)
    at_the_foot = sum(error < 1e-17 for error in errors)
    assert sum(y == low for y in places.values()) == at_the_foot
    others = [place for place, y in places.items() if low < y < high]
    assert all(10 ** places[place] == pytest.approx(errors[place]) for place in others)
    assert len(others) == len(places) - count_on_edge(view) - at_the_foot


@pytest.mark.parametrize(
    "errors",
    [
        [0.1, 0.5, 0.02],
        [94.0, 1740.0],
        [0.95, 0.97],
        [0.3],
        [1e-9, 0.9],
        [0.0, 0.4],
        [5e-7, 6e-7],
        [0.1, 1e28, 3.0],
        [20.0, 21.0],
        [1e5, 3e5],
        [1e-12, 1e9],
    ],
)
def test_every_tick_of_the_error_is_written_out_and_none_twice(errors: list[float]) -> None:
    axis = front_figure(view_of(listed(*[1.0] * len(errors)), errors)).panels[0].y
    low, high = axis.limits
    ticks, texts = map(list, zip(*axis.ticks, strict=True))
    assert 2 <= len(ticks) <= 12 and len(set(texts)) == len(texts) == len(ticks)
    assert ticks == sorted(ticks)
    assert all(low * (1 - 1e-9) <= tick <= high * (1 + 1e-9) for tick in ticks)
    for tick, text in zip(ticks, texts, strict=True):
        if text.startswith(">") or text == "0":
            assert tick in (low, high)
        else:
            assert text == wording.significant(tick, 6)


@pytest.mark.parametrize(
    ("eics", "top", "count"),
    [
        ([1.0, 2.0], 2.16, 0),
        ([1.0, math.inf], 16.0, 1),
        ([math.inf], 16.0, 1),
        ([0.0], 1.0, 0),
        ([14.0, 15.0, 16.0], 17.28, 0),
        ([13.0, 14.0, 300.0], 16.0, 1),
    ],
)
def test_without_an_accuracy_the_edge_is_that_of_the_worst_step(
    eics: list[float], top: float, count: int
) -> None:
    view = view_of(listed(*eics), None)
    figure = front_figure(view)
    axis = validated(figure).y
    assert axis.limits == pytest.approx((0, top))
    assert count_on_edge(view) == count == sum(y == top for _, y in drawn(figure).values())
    assert bool(edge_note(view)) == bool(count)
    assert "worst step (EIC)" in axis.title


def test_points_and_marks_carry_the_numbers_of_their_rows_and_inert_text() -> None:
    scores = tuple(
        replace(each, listed=replace(each.listed, row=row))
        for each, row in zip(listed(1.0, 2.0), (94, 55), strict=True)
    )
    figure = front_figure(view_of(scores, [0.1, 0.2], picked=(1,)))
    hints = [hint for mark in points_of(figure) for hint in mark.hints]
    assert {hint.split("\n")[0] for hint in hints} == {"row 94", "row 55"}
    texts = [text for trace in draw(figure).data if trace.customdata for text in trace.text]
    assert any("x&lt;0>" in text for text in texts)
    (label,) = (mark for mark in figure.panels[0].marks if isinstance(mark, Label))
    assert label.text.strip() == "row 55: 2.00 digits" and "row 55: 2.00 digits" in figure.words


def test_members_of_the_front_are_drawn_however_many_formulas_there_are() -> None:
    count = MOST_POINTS + 500
    scores = listed(*[1.0] * count)
    errors = np.linspace(1.0, 0.1, count)
    keys = np.column_stack([errors, np.arange(count)])
    view = FrontView(scores, np.arange(count), front(keys), errors, "1 − R²", (count - 1,))
    assert len(drawn_places(view)) <= MOST_POINTS + 1
    members = np.zeros(count, dtype=bool)
    members[[3, 77, count - 2]] = True
    few = replace(view, on_front=members)
    assert {3, 77, count - 2, count - 1} <= set(drawn_places(few).tolist())
    assert len(drawn_places(few)) <= MOST_POINTS + 1


# --- two formulas ---


def over(
    formula: str, target: np.ndarray | None = None, **domains: tuple[float, float]
) -> Inspection:
    drawn_from = {n: Domain("uniform", *ends) for n, ends in domains.items()}
    samples = sample_domains(drawn_from, count=400, seed=1)
    if target is not None:
        samples = Samples.from_columns(dict(samples.columns), target=target, target_name="t")
    return inspect(read(formula).formula, samples)


def lines_of(chart: Chart, panel: int) -> list[Stroke]:
    return [mark for mark in chart.panels[panel].marks if isinstance(mark, Stroke)]


def test_the_curves_are_the_formulas_and_their_amplifications() -> None:
    a, b = over("x - 1", x=(2.0, 5.0)), over("x*x", x=(2.0, 5.0))
    chart = pair_figure(Side(a), Side(b), "x")
    validated(chart)
    lines = [line for panel in (0, 1) for line in lines_of(chart, panel)]
    x = [np.asarray(line.x, dtype=float) for line in lines]
    assert all(np.count_nonzero(np.isfinite(each)) > 20 for each in x[1:3])
    np.testing.assert_allclose(lines[0].y, x[0] - 1, rtol=1e-9)
    np.testing.assert_allclose(lines[1].y, x[1] * x[1], rtol=1e-9)
    # s^2 of x - 1 is 1 + (x^2 + 1)/(x - 1)^2 (both operands carry their own noise), of x*x 3
    squares = 1 + (x[2] ** 2 + 1) / (x[2] - 1) ** 2, 3 + 0 * x[3]
    for line, square in zip(lines[2:], squares, strict=True):
        np.testing.assert_allclose(line.y, np.log10(square) / 2, rtol=1e-9)
    assert [line.name for line in lines] == ["A", "B", "", ""]
    assert len({line.dash for line in lines[:2]}) == 2


def test_one_column_under_two_names_is_one_axis() -> None:
    a = Side(over("x1 + 1", x1=(2.0, 5.0)), {"x1": "mass"})
    b = Side(over("x0*x0", x0=(2.0, 5.0)), {"x0": "mass"})
    assert shared_columns(a, b) == ("mass",)
    validated(pair_figure(a, b, "mass"))


def test_a_formula_without_the_variable_is_a_level_line() -> None:
    chart = pair_figure(Side(over("x", x=(1.0, 2.0))), Side(over("3*1", x=(1.0, 2.0))), "x")
    level = np.asarray(lines_of(chart, 0)[1].y)
    assert level[np.isfinite(level)] == pytest.approx(3.0, rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [("x/(x-x)", "x"), ("log(x-9)", "1/(x-3)"), ("x**0 - 1", "sign(x-3)"), ("exp(exp(x))", "0*x")],
)
def test_poles_and_missing_values_are_valid_figures(first: str, second: str) -> None:
    a, b = over(first, x=(1.0, 5.0)), over(second, x=(1.0, 5.0))
    for dark in (False, True):
        validated(pair_figure(Side(a), Side(b), "x"), dark=dark)


def maps_of(*formulas: str) -> list[list[float]]:
    """The values of the lines in the maps of two formulas."""
    first, second = (over(each, x=(1.0, 2.0), y=(1.0, 3.0)) for each in formulas)
    chart = pair_maps(first, second)
    validated(chart, dark=True)
    return [
        [float(m.text.replace(",", "")) for m in panel.marks if isinstance(m, Label) and not m.bold]
        for panel in chart.panels
    ]


def test_lines_of_both_maps_are_at_the_same_values_and_none_loses_its_lines() -> None:
    small, large = maps_of("x*y", "3*x*y + 100")
    step = large[1] - large[0]
    assert len(small) >= 2 and len(large) >= 2 and small[1] - small[0] == step
    assert all(value % step == 0 for value in [*small, *large])
    apart = maps_of("x*y", "1000*x*y")
    assert apart[0] == maps_of("x*y", "x*y")[0] and len(apart[1]) >= 2
    assert maps_of("x*y", "2 + 0*x*y")[1] == []


def test_the_shade_of_both_maps_is_of_one_scale() -> None:
    pair = over("x*y", x=(1.0, 2.0), y=(1.0, 3.0)), over("x*y + 100", x=(1.0, 2.0), y=(1.0, 3.0))
    assert pair[0].worst_step == 2  # x*y: s^2 = 3 everywhere
    heats = [trace for trace in draw(pair_maps(*pair)).data if trace.type == "heatmap"]
    assert [(heat.zmin, heat.zmax) for heat in heats] == [(0, 16)] * 2
    np.testing.assert_allclose(heats[0].z, math.log10(math.sqrt(3)), rtol=1e-6)


def test_the_sentence_says_which_has_the_smaller_eic_and_what_it_costs() -> None:
    x = sample_domains({"x": Domain("uniform", 1.0, 5.0)}, count=400, seed=1).columns["x"]
    bad, good = over("10000*x - 9999*x", x, x=(1.0, 5.0)), over("x", x, x=(1.0, 5.0))
    assert pair_sentence(bad, good) == (
        "EIC of B is 4.4 digits less than that of A, at the same accuracy (R² 1 against 1), with 6 "
        "nodes fewer."
    )
    worse = over("0.9*x", x, x=(1.0, 5.0))
    assert "and fits worse" in pair_sentence(good, worse)
    assert "and fits better" in pair_sentence(worse, good)
    assert "2 nodes more" in pair_sentence(good, worse)


def test_the_sentence_copes_with_what_has_no_number() -> None:
    fine = over("x", x=(1.0, 5.0))
    lost = over("x - x", x=(1.0, 5.0))
    none = over("log(-x)", x=(1.0, 5.0))
    assert pair_sentence(lost, lost).startswith(
        "EIC of both is infinite: at some sample a step keeps no digit"
    )
    assert pair_sentence(lost, fine) == (
        "EIC of A is infinite, as a step keeps no digit at some sample; that of B is 0 digits, "
        "with 2 nodes fewer."
    )
    assert pair_sentence(none, fine) == (
        "A has no real value on these data, so they cannot be compared."
    )
    assert pair_sentence(none, none).startswith("Neither formula has a real value")
    for a, b in ((lost, fine), (none, fine), (none, none)):
        assert all(row.a and row.b for row in differences(a, b))


def test_what_errors_grow_to_and_what_a_program_loses_stand_side_by_side() -> None:
    apart, exact = over("10000*x - 9999*x", x=(1.0, 5.0)), over("sqrt(1 - x)", x=(0.9999, 1.0))
    rows = {row.name: row for row in differences(apart, exact)}
    sensitive, lost = rows["Sensitivity, nine in ten rows"], rows["Measured, nine in ten rows"]
    assert float(sensitive.a) > 4 and float(sensitive.b) > 4
    assert float(lost.a) > 3 and float(lost.b) == 0


def test_rows_without_a_double_are_told_beside_the_numbers() -> None:
    fine, huge = over("x", x=(1e200, 1e300)), over("x*x", x=(1e200, 1e300))
    count = len(fine.samples)
    told = f" B has no double-precision value at {count:,} of {count:,} samples."
    assert pair_sentence(fine, huge).endswith(told)
    rows = {row.name: row for row in differences(fine, huge)}
    assert rows["No double-precision value"].b == str(count)


def test_the_differences_are_those_of_the_inspections() -> None:
    a, b = over("x - 1", x=(2.0, 5.0)), over("x*x", x=(2.0, 5.0))
    rows = {row.name: row for row in differences(a, b)}
    assert rows["Worst step (EIC)"].change == f"−{a.eic - b.eic:.2f}"
    assert rows["Nodes"].change == "unchanged"
    assert rows["Worst step"].a == a.nodes[a.worst_step].text
    assert "No double-precision value" not in rows
