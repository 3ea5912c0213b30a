"""Plots of a ballot, against the functions they draw, sampled far more densely."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.ballots import _figure, evaluate, problem_samples, read_member, round_pair
from study.demo import demo_candidates
from study.demo.seeding import problems_of_demo
from study.errors import StudyError
from study.material import Member, Problem
from study.rating_types import Axis, BallotFigure, FormulaCard, PlotView
from study.stimulus.axes import make_ticks
from study.stimulus.plotting import Plots, draw_plots, draw_stored_plots
from tests.effort import cases, examples

Function = Callable[[np.ndarray], np.ndarray]


def _figure_of(low: float, high: float, least: float, most: float) -> BallotFigure:
    points = tuple(
        (float(x), float(y))
        for x, y in zip(np.linspace(low, high, 9), np.linspace(least, most, 9), strict=True)
    )
    return BallotFigure(
        "curve", (Axis("t", "s", "", low, high),), Axis("y", "cm", "", least, most), (), points, 9
    )


def _values(function: Function):  # type: ignore[no-untyped-def]
    def values(inputs: tuple[np.ndarray, ...]) -> np.ndarray:
        with np.errstate(all="ignore"):
            y = np.asarray(function(inputs[0]), float) + 0 * inputs[0]
        return np.where(np.isfinite(y), y, np.nan)

    return values


_TOKEN = re.compile(r"[Mlhv]|-?(?:\d+\.?\d*|\.\d+)")


def _segments(path: str) -> np.ndarray:
    """A path's lines, shape (N, 2, 2), read by the rules of SVG."""
    tokens = _TOKEN.findall(path)
    assert "".join(tokens) == path.replace(" ", "")
    lines, k, letter, x, y = [], 0, "", 0.0, 0.0
    while k < len(tokens):
        if tokens[k].isalpha():
            letter, k = tokens[k], k + 1
        if letter in "Ml":
            a, b = float(tokens[k]), float(tokens[k + 1])
            k += 2
        else:
            a, b = (float(tokens[k]), 0.0) if letter == "h" else (0.0, float(tokens[k]))
            k += 1
        if letter == "M":
            x, y = a, b
        else:
            lines.append(((x, y), (x + a, y + b)))
            x, y = x + a, y + b
    return np.array(lines).reshape(-1, 2, 2)


def _drawn(svg: str, side: str) -> tuple[np.ndarray, float, float]:
    """The lines of a curve, and the frame's size."""
    drawn = re.search(
        r'<svg x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="([\d.]+)">'
        rf'((?:<path class="curve-{side}[^>]*/>)+)</svg>',
        svg,
    )
    assert drawn is not None
    path = "".join(re.findall(r' d="([^"]*)"', drawn[3]))
    return _segments(path), float(drawn[1]), float(drawn[2])


def _check(function, figure: BallotFigure, svg: str, side: str, samples: int = 200_000) -> None:  # type: ignore[no-untyped-def]
    """Each line lies within a pixel of the curve, and each value within a pixel of a line."""
    lines, width, height = _drawn(svg, side)
    across, up = figure.inputs[0], figure.target
    start = width * 0.02 / 1.04
    u = (np.arange(samples) + np.random.default_rng(7).random(samples)) / samples
    u = np.concatenate([[0.0], u, [1.0]])
    y = function((across.low + u * (across.high - across.low),))
    px = start + u * (width - 2 * start)
    with np.errstate(over="ignore"):
        py = np.clip(height * (1 - (y - up.low) / (up.high - up.low)), -1e9, 1e9)
    columns = int(np.ceil(width)) + 2
    # What is drawn in each column, from its lines
    top, bottom = np.full(columns, np.inf), np.full(columns, -np.inf)
    for (ax, ay), (bx, by) in lines:
        for column in range(max(0, int(min(ax, bx))), min(columns, int(max(ax, bx)) + 1)):
            ends = [ay, by]
            if ax != bx:
                cut = np.clip([column, column + 1], min(ax, bx), max(ax, bx))
                ends = list(ay + (cut - ax) / (bx - ax) * (by - ay))
            top[column] = min(top[column], *ends)
            bottom[column] = max(bottom[column], *ends)
    where = np.floor(px).astype(int)
    inside = np.isfinite(py) & (py >= 0) & (py <= height)
    real_top, real_bottom = np.full(columns, np.inf), np.full(columns, -np.inf)
    clipped = np.clip(py, -3, height + 3)
    finite = np.isfinite(py)
    np.minimum.at(real_top, where[finite], clipped[finite])
    np.maximum.at(real_bottom, where[finite], clipped[finite])
    shifted = [np.roll(real_top, k) for k in (-1, 0, 1)]
    shifted_bottom = [np.roll(real_bottom, k) for k in (-1, 0, 1)]
    for column in np.unique(where[inside]):
        near = slice(max(0, column - 1), column + 2)
        assert top[near].min() <= max(real_top[column], 0) + 1, ("misses its top", column)
        assert bottom[near].max() >= min(real_bottom[column], height) - 1, ("bottom", column)
    for column in range(1, columns - 1):
        if top[column] > bottom[column] or bottom[column] < 0 or top[column] > height:
            continue
        assert max(top[column], 0) >= min(s[column] for s in shifted) - 1, ("too high", column)
        low = max(s[column] for s in shifted_bottom)
        assert min(bottom[column], height) <= low + 1, ("too low", column)


CURVES: dict[str, tuple[Function, tuple[float, float], tuple[float, float]]] = {
    "smooth": (lambda x: np.exp(-x) * 3 + x / 4, (0, 10), (-1, 4)),
    "sin 400": (lambda x: np.sin(400 * x), (0, 10), (-1.3, 1.2)),
    "sin 1e5": (lambda x: np.sin(1e5 * x), (0, 10), (-1.3, 1.2)),
    "beat": (lambda x: np.sin(300 * x) * np.cos(x), (0, 10), (-1.3, 1.2)),
    "chirp": (lambda x: np.sin(x * x), (0, 60), (-2, 2)),
    "tan": (np.tan, (0, 10), (-4, 4)),
    "hyperbola": (lambda x: 1 / (x - 5), (0, 10), (-4, 4)),
    "squared pole": (lambda x: 1 / (x - 5.01) ** 2, (0, 10), (-1, 4)),
    "floor": (np.floor, (0, 9.7), (-1, 11)),
    "root": (lambda x: np.sqrt(x - 3), (0, 10), (-1, 3)),
    "step": (lambda x: np.where(x < np.e, 2.0, 7.0), (0, 10), (0, 10)),
    "steep": (lambda x: 5 + 4 * np.tanh(1e6 * (x - 5.1)), (0, 10), (0, 10)),
    "needle": (lambda x: 3 * np.exp(-(((x - 4.321) / 0.004) ** 2)), (0, 10), (-1, 4)),
    "constant": (lambda x: 5 + 0 * x, (0, 10), (0, 10)),
    "huge": (lambda x: 1e300 * (x - 4), (0, 10), (-1e299, 2e300)),
    "beyond": (lambda x: np.exp(x * x), (0, 40), (0, 50)),
    "years": (lambda x: np.sin((x - 1990) * 3), (1990, 2010), (-2, 2)),
}


def _plots(name: str) -> tuple[Plots, BallotFigure]:
    function, (low, high), (least, most) = CURVES[name]
    figure = _figure_of(low, high, least, most)
    return draw_plots(figure, _values(function), _values(lambda x: x)), figure


@pytest.mark.parametrize("name", CURVES)
def test_no_curve_is_off_by_more_than_a_pixel(name: str) -> None:
    plots, figure = _plots(name)
    for shape in (plots.narrow, plots.wide):
        _check(_values(CURVES[name][0]), figure, shape.drawn(lower_left=True)[0], "a")


@pytest.mark.parametrize(
    ("name", "at", "pieces"),
    [("tan", 1.5707963, 4), ("hyperbola", 5, 2), ("floor", 3, 10), ("step", np.e, 2)]
    + [("steep", 5.1, 1), ("smooth", 5, 1), ("root", 3, 1)],
)
def test_poles_and_jumps_are_gaps_and_steep_rises_are_joined(
    name: str, at: float, pieces: int
) -> None:
    plots, figure = _plots(name)
    svg = plots.wide.drawn(lower_left=True)[0]
    lines, width, height = _drawn(svg, "a")
    path = re.search(r'class="curve-a" d="([^"]*)"', svg)
    assert path is not None and path[1].count("M") == pieces
    start = width * 0.02 / 1.04
    axis = figure.inputs[0]
    x = start + (at - axis.low) / (axis.high - axis.low) * (width - 2 * start)
    tall = [
        line
        for line in lines
        if abs(line[:, 0].mean() - x) < 1.5 and np.ptp(np.clip(line[:, 1], 0, height)) > height / 3
    ]
    assert bool(tall) == (name == "steep") or name in ("tan", "hyperbola")
    if name in ("tan", "hyperbola"):  # no line from the top to the bottom
        assert all(np.ptp(line[:, 1]) < height for line in lines)


def test_values_in_the_plot_agree_with_another_arithmetic() -> None:
    plots, figure = _plots("sin 400")
    lines, width, height = _drawn(plots.wide.drawn(lower_left=True)[0], "a")
    up = figure.target
    highest = height * (up.high - float(mpmath.sin(mpmath.pi / 2))) / (up.high - up.low)
    assert lines[..., 1].min() == pytest.approx(highest, abs=0.3)


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_is_small(name: str) -> None:
    plots, _ = _plots(name)
    dense = name in ("sin 400", "sin 1e5", "beat", "chirp", "tan")
    assert len(plots.wide.lower.encode()) <= (13_000 if dense else 3_000)


@pytest.mark.parametrize(
    "second",
    [
        lambda x: np.tan(x) / 4,
        # With ends so close that one letter, or both, must make room: at equal costs.
        lambda x: np.sin(x) + 0.01,
        lambda x: np.sin(x) - 0.05 * x / 10,
        lambda x: 0 * x - 0.5,
        lambda x: np.abs(np.sin(4 * x)) - 1,
        np.sin,
    ],
)
def test_both_curves_are_treated_alike(second: Callable[[np.ndarray], np.ndarray]) -> None:
    figure = _figure_of(0, 10, -2, 2)
    one, other = _values(np.sin), _values(second)
    plots, swapped = draw_plots(figure, one, other), draw_plots(figure, other, one)
    for shape, exchanged in ((plots.narrow, swapped.narrow), (plots.wide, swapped.wide)):
        assert shape.frame == exchanged.frame
        if second is np.sin:  # one of two equal curves has the upper letter, whatever it is
            assert (shape.lower, shape.higher) == (exchanged.lower, exchanged.higher)
            continue
        assert (shape.lower, shape.higher) == (exchanged.higher, exchanged.lower)
        assert shape.drawn(lower_left=True) == exchanged.drawn(lower_left=False)
    assert plots.lower_behaviour == swapped.higher_behaviour


def _surface_figure() -> BallotFigure:
    points = tuple((x, y, x + y) for x in (0.0, 1.0) for y in (0.0, 2.0))
    inputs = Axis("a", "m", "", 0, 1), Axis("b", "s", "", 0, 2)
    return BallotFigure("surface", inputs, Axis("z", "kg", "", -0.3, 3.3), (), points, 4)


def test_maps_are_on_one_scale_and_blank_without_a_value() -> None:
    figure = _surface_figure()
    plots = draw_plots(
        figure, lambda v: v[0] + v[1], lambda v: np.where(v[0] < 0.5, np.nan, v[1] + 0.0)
    )
    a, b = plots.wide.drawn(lower_left=True)
    assert a != b and 'class="ring"' in a and "<image " in b and " style=" not in a + b
    assert "no value in about 50 %" in plots.higher_behaviour
    assert "at large a and large b" in plots.lower_behaviour
    assert "rises with a, rises with b" in plots.lower_behaviour
    assert plots.scale.count("<rect") == 64
    swapped = draw_plots(
        figure, lambda v: np.where(v[0] < 0.5, np.nan, v[1] + 0.0), lambda v: v[0] + v[1]
    )
    assert swapped.wide.drawn(lower_left=False) == (a, b)


def test_fine_ripples_of_a_map_are_averaged_and_not_drawn_as_wide_ones() -> None:
    figure = _surface_figure()
    plots = draw_plots(figure, lambda v: 1.5 + np.sin(9e4 * v[0]), lambda v: v[0] + v[1])
    assert "rises and falls with a" in plots.lower_behaviour
    assert len(plots.wide.lower) < 11_500


def test_stored_points_are_joined_by_lines_and_none_is_a_gap() -> None:
    grid = tuple(np.linspace(0, 10, 200).tolist())
    figure = dataclasses.replace(_figure_of(0, 10, 0, 10), grids=(grid,))
    broken = tuple(None if 50 <= k < 60 else x for k, x in enumerate(grid))
    plots = draw_stored_plots(
        figure,
        FormulaCard(latex="x", r2=1, complexity=1, curve=grid),
        FormulaCard(latex="x", r2=1, complexity=1, curve=broken),
    )
    paths = re.findall(r'class="curve-." d="([^"]*)"', plots.wide.drawn(lower_left=True)[0])
    assert [path.count("M") for path in paths] == [1, 2]
    assert "has no value between" in plots.higher_behaviour
    surface = tuple(tuple(float(i + j) for i in range(40)) for j in range(40))
    maps = draw_stored_plots(
        dataclasses.replace(_surface_figure(), grids=((0.0,) * 40, (0.0,) * 40)),
        *(FormulaCard(latex="x", r2=1, complexity=1, surface=surface) for _ in range(2)),
    )
    assert "<image " in maps.narrow.lower


@given(st.floats(-1e12, 1e12), st.floats(-9, 12), st.integers(2, 8))
@settings(max_examples=examples(300), deadline=None)
def test_ticks_are_few_round_and_written_as_they_are(
    low: float, log_span: float, count: int
) -> None:
    span = max(10.0**log_span, abs(low) * 1e-6)
    ticks = make_ticks(low, low + span, count)
    assert 1 <= len(ticks.values) <= 2 * count + 2
    slack = 1e-6 * span
    assert all(low - slack <= value <= low + span + slack for value in ticks.values)
    assert len(set(ticks.labels)) == len(ticks.labels)
    for value, label in zip(ticks.values, ticks.labels, strict=True):
        assert "e" not in label and "-" not in label
        number = float(label.replace("−", "-").replace("\u202f", "")) * 10.0**ticks.power
        assert number == pytest.approx(value, abs=1e-6 * span + 1e-12 * abs(value))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x, "rises from 0 to 10 cm without a turn"),
        (lambda x: 5 + 0 * x, "stays at 5 cm"),
        (lambda x: 3 + (x - 5) ** 2 / 5, "falls from 8 to 3, then rises to 8 cm"),
        (lambda x: np.sqrt(x - 3), "rises from 0 to 2.65 cm without a turn; "
         "has no value below t = 3"),
        (lambda x: x * 2, "rises from 0 to 10 cm without a turn; leaves the plot beyond t = 5"),
        (
            lambda x: 5 + 7 * np.sin(1e5 * x),
            "swings between 0 and 10 cm, too fast to tell its turns apart; "
            "leaves the plot in short stretches",
        ),
        (lambda x: np.floor(x / 2), "rises from 0 to 5 cm in 5 jumps, level in between"),
        (lambda x: np.nan * x, "has no value in the range of the data"),
        (lambda x: 5 + np.sin(1e5 * x),
         "swings between 4 and 6 cm, too fast to tell its turns apart"),
    ],
)  # fmt: skip
def test_words_tell_what_a_curve_does(function: Function, words: str) -> None:
    plots = draw_plots(_figure_of(0, 10, 0, 10), _values(function), _values(function))
    assert plots.lower_behaviour == plots.higher_behaviour == words


@pytest.mark.parametrize("waves", [3.5, 17.5, 200.5])
def test_turns_are_counted_as_the_derivative_counts_them(waves: float) -> None:
    figure = _figure_of(0, 10, 0, 10)
    rate = 2 * np.pi * waves / 10
    # Zeros of cos(rate x) in (0, 10)
    turns = int(np.floor(rate * 10 / np.pi + 0.5))
    plots = draw_plots(figure, _values(lambda x: 5 + np.sin(rate * x)), _values(np.sin))
    assert f" {turns} turns" in plots.lower_behaviour


def test_demo_curves_are_right() -> None:
    problems = [p for p in problems_of_demo() if len(problem_samples(p).columns) == 1]
    for problem in problems[: cases(2, len(problems))]:
        _check_demo(problem)


def _check_demo(problem: Problem) -> None:

    samples = problem_samples(problem)
    names = tuple(samples.columns)
    figure = _figure(problem, samples)
    mine = [c for c in demo_candidates() if c.problem == problem.name]
    checked = 0
    for candidate in mine[:: max(1, len(mine) // cases(2, 12))]:
        one_based = "x2" not in candidate.formula and "x0" not in candidate.formula.lower()
        member = Member(
            candidate.formula,
            0,
            1,
            1,
            syntax=candidate.syntax,
            index_base=1 if one_based and "x1" in candidate.formula.lower() else None,
        )
        try:
            formula = read_member(member, names)
            _, (formula, _), _, _ = round_pair(formula, formula, samples)
        except StudyError:  # some candidates have no value on the data
            continue
        checked += 1

        def values(inputs, formula=formula):  # type: ignore[no-untyped-def]
            return evaluate(formula, dict(zip(names, inputs, strict=True)))

        plots = draw_plots(figure, values, values)
        for shape in (plots.narrow, plots.wide):
            _check(values, figure, shape.drawn(lower_left=True)[0], "a")
    assert checked


def test_a_band_is_pale_and_lies_under_the_data_a_line_over_it() -> None:
    figure = _figure_of(0, 10, -1.3, 1.2)
    calm, fast = _values(np.sin), _values(lambda x: np.sin(400 * x))
    for functions, letters in (((calm, calm), ""), ((fast, calm), "A"), ((fast, fast), "AB")):
        plots = draw_plots(figure, *functions)
        view = PlotView(*(s.drawn(lower_left=True) for s in (plots.narrow, plots.wide)), "")
        assert view.bands == letters
        for svg in (*view.narrow, *view.wide):
            assert (svg.index('class="dot"') > svg.index('class="curve-b')) == bool(letters)
            assert len(re.findall(r' band" stroke-opacity="\.4"', svg)) == len(letters)


def test_all_that_a_curve_swings_through_is_a_band_once_pixels_cannot_part_it() -> None:
    """A chirp: its period at x is 2π / 8x, and a pixel 0.02."""
    plots = draw_plots(
        _figure_of(0, 10, -2, 2), _values(lambda x: np.sin(4 * x * x)), _values(np.sin)
    )
    svg = plots.narrow.drawn(lower_left=True)[0]
    line, band = (
        _segments(d)[..., 0] for d in re.findall(r'curve-a(?: band)?"[^>]* d="(.*?)"', svg)
    )
    width = _drawn(svg, "a")[1]
    assert line.max() < band.min() + 1.5 and band.max() > width * 0.97
    assert 2 < 2 * np.pi / (8 * band.min() / width * 10) / (10.4 / width) < 8
