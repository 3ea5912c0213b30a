"""The words of the verdict: each cause has an example, and each template is used by one."""

from __future__ import annotations

import ast
import inspect as source_of
import math
import re
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest

from eic_core.explain.findings import Cause
from eic_core.explain.phrases import causes, headline
from eic_core.explain.phrases.causes import clause, label
from eic_core.explain.phrases.headline import (
    badge,
    marks,
    meaning,
    notes,
    paper_clause,
    sentence,
    short_cause,
)
from eic_core.explain.verdict import verdict
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect
from eic_core.phrasing import say, say_count
from tests.audit.draws import draws
from tests.core.explain.examples import EXAMPLES, Example
from tests.inspections import inspect_columns, inspect_ranges, settle_at_most

MOST_WORDS = 25


def words(text: object) -> int:
    """A code span is one word."""
    return len(re.sub(r"`[^`]*`", "code", str(text)).split())


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_what_is_written_of_a_cause(example: Example) -> None:
    finding, formula = example.finding(), example.verdict().inspection.formula
    assert str(label(finding.cause, formula)) == example.label
    assert str(sentence(finding, formula)) == example.sentence
    assert words(example.verdict().sentence) <= MOST_WORDS


def test_every_cause_has_an_example() -> None:
    unreachable = {"CheckEnded"}  # in a test of its own: the check's limit must be lowered for it
    assert {c.__name__ for c in get_args(Cause)} - unreachable == {
        example.cause.__name__ for example in EXAMPLES
    }


HEADLINES = [
    # formula, ranges, the headline, the badge and its marks
    (
        "x",
        {},
        "Nothing is computed: the formula is an input or a number.",
        "stable",
        "computed right",
    ),
    (
        "where(x > 4.8, 10000*x - 9999*x, x)",
        {},
        "Double precision loses up to {worst} digits at some rows, at `10000·x − 9999·x`: the two "
        "terms cancel.",
        "stable",
        "computed right at nine in ten rows",
    ),
    (
        "x + 1",
        {},
        "All well: errors grow less than tenfold at nine in ten rows, and a program computes the "
        "result right.",
        "stable",
        "computed right",
    ),
    (
        "100 + (x - 3)",
        {},
        "The result is well; up to an inner step, `x − 3`, errors grow by {eic} digits (EIC), "
        "hidden by the result.",
        "stable",
        "computed right",
    ),
    (
        "5 - x",
        {"x": "-10:5"},
        "The result is well at nine in ten rows; in the mean over all rows errors grow by "
        "{eic} digits (EIC).",
        "stable",
        "computed right",
    ),
    (
        "sqrt(1-x)",
        {"x": "0.9999:1"},
        "Computed right, but sensitive: {times}-fold errors at nine in ten rows, at "
        "`1 − x`: the two terms cancel.",
        "very sensitive",
        "computed right",
    ),
    (
        "10000*x - 9999*x",
        {},
        "Double precision loses {typical} digits typically, {most} at nine in ten rows, at "
        "`10000·x − 9999·x`: the two terms cancel.",
        "very sensitive",
        "a program loses {most} digits at nine in ten rows",
    ),
    (
        "where(x > 4, 10000*x - 9999*x, x)",
        {},
        "Double precision loses up to {most} digits at nine in ten rows, at `10000·x − 9999·x`: "
        "the two terms cancel.",
        "very sensitive",
        "a program loses {most} digits at nine in ten rows",
    ),
    (
        "(x - 1.0001)*0.001 + x",
        {"x": "1:1.001"},
        None,
        "stable",
        "computed right",
    ),
    (
        "log(-x)",
        {},
        "No real value at any row, at `log(−x)`: the argument of a logarithm must be positive.",
        "undefined",
        "no value at 100 %",
    ),
]


@pytest.mark.parametrize(("text", "ranges", "expected", "level", "mark"), HEADLINES)
def test_headlines_badges_and_marks(text, ranges, expected, level, mark) -> None:
    judged = verdict(inspect_ranges(text, count=1000, **ranges))
    numbers = {
        "times": headline.wording.significant(10**judged.sensitivity.nine_in_ten, 2),
        "typical": f"{judged.measured.typical:.1f}",
        "worst": f"{judged.measured.worst:.1f}",
        "eic": f"{judged.inspection.eic:.2f}",
        "most": f"{judged.measured.nine_in_ten:.1f}",
    }
    if expected is not None:
        assert str(judged.sentence) == expected.format(**numbers)
    assert str(badge(judged)) == level
    assert [*map(str, marks(judged))] == [mark.format(**numbers)]


def test_a_better_form_stands_in_the_headline() -> None:
    judged = verdict(inspect_ranges("sqrt(x+1) - sqrt(x)", x="1e6:1e8"))
    said = str(headline.headline(judged, "1/(sqrt(x + 1) + sqrt(x))"))
    assert said == (
        f"Double precision loses up to {judged.measured.nine_in_ten:.1f} digits at nine in ten "
        "rows, at `√(x + 1) − √x`: write `1/(sqrt(x + 1) + sqrt(x))`."
    )


def test_the_levels_and_the_papers_thresholds_are_words_of_their_own() -> None:
    said = [str(meaning(verdict(inspect_ranges(text)))) for text in ("x*y", "10000*x - 9999*x")]
    assert all("at nine in ten rows" in text for text in said)
    assert [str(paper_clause(eic)) for eic in (math.nan, math.inf, 0.5, 1.5, 2.5)] == [
        "EIC undefined: the formula has no usable value on these rows",
        "EIC infinite: at some step and row no digit is right, or it jumps",
        "EIC below 1, like a typical physical law",
        "EIC between 1 and 2, more than a typical physical law",
        "EIC above 2, where the paper's filter drops a formula",
    ]
    borderline = verdict(inspect_columns("x**10", x=[1.0, 2.0]))  # log10 of the root of 101
    assert str(badge(borderline)) == "sensitive, borderline"
    assert str(meaning(verdict(inspect_columns("log(-x)", x=[1.0])))) == (
        "At no row a real value of the result is known"
    )


def test_headlines_have_at_most_25_words() -> None:
    for draw in draws(300, first=5_000):
        judged = verdict(inspect(draw.formula, draw.samples))
        assert words(judged.sentence) <= MOST_WORDS, f"{draw}: {judged.sentence}"
        for text in (judged.sentence, *judged.notes):
            prose = re.sub(r"`[^`]*`", "", str(text))
            assert prose.endswith(".") and not re.search(r"\b(nan|inf|None)\b|\d\.\d{3,}", prose)


def templates(module: object) -> set[str]:
    """The literal templates of a module of phrases."""
    found = set()
    for node in ast.walk(ast.parse(source_of.getsource(module))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            count = {"say": 1, "say_count": 2}.get(node.func.id, 0)
            found |= {ast.literal_eval(argument) for argument in node.args[:count]}
    return found


RANGE = Domain("uniform", 1.0, 5.0)


def test_every_template_has_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    def noted(function: Callable[..., object], count: int) -> Callable[..., object]:
        def write(*texts: str | int, **fields: object) -> object:
            used.update(str(text) for text in texts[:count])
            return function(*texts, **fields)

        return write

    for module in (causes, headline):
        monkeypatch.setattr(module, "say", noted(say, 1))
        monkeypatch.setattr(module, "say_count", noted(say_count, 2), raising=False)
    judged = [example.verdict() for example in EXAMPLES]
    judged += [
        verdict(inspect_ranges(text, count=1000, **ranges)) for text, ranges, *_ in HEADLINES
    ]
    judged += [
        verdict(inspect_columns(text, x=x))
        for text, x in (
            ("x*x*x*x*x", [1.0, 2.0]),
            ("x**10", [1.0, 2.0]),
            ("100 + (x - 3)", [3.5, 3.1, 3.01]),
            ("100 + (x - 3)**40", [3.5, 3.1, 3.01]),
            ("1/(x - 2)", [1.9, 2.05, 3.0]),
            ("sqrt(x)", [-1.0, 2.0]),
            ("fmod(1, erfc(x))", [166.785]),
            ("(x - 1)*1e-9 + x", [1.000001, 2.0]),
            ("where(x > 1.5, 10000*x - 9999*x, x)", [1.0, 1.1, 2.0] + [1.2] * 20),
        )
    ]
    judged += [
        verdict(inspect_columns(text, x=x, y=y))
        for text, x, y in (
            ("((1e20 + x) - 1e20) - y", [1.0, 1e-9], [1.0, 0.9e-9]),
            ("exp(x) + exp(-y)", [800.0, 1.0, 1.0], [1.0, -800.0, 1.0]),
            ("log(x) + sqrt(y)", [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0]),
            ("1/(1-tanh(x)) + 1/(1-tanh(y))", [1e6, 1.0, 1.0], [1.0, 1e6, 1.0]),
            ("sin(pi*x + y)", [1.0, 1.0], [0.0, 1e35]),
        )
    ]
    x = 1 - np.round(np.linspace(1e-4, 2e-4, 50), 7)  # a table of seven digits
    table = Samples.from_columns({"x": x}, rows=np.arange(1, 51))
    judged.append(verdict(inspect(read("sqrt(1-x)").formula, table)))
    settle_at_most(monkeypatch, 5, "log(exp(x))")
    judged.append(verdict(inspect_columns("log(exp(x))", x=[990.0 + k / 7 for k in range(30)])))
    far = [1 + k / 7 for k in range(20)] + [30 + k / 7 for k in range(20)]
    judged += [verdict(inspect_columns(f"{u} + exp(-x*x)", x=far)) for u in ("x", "x**40")]
    for each in judged:
        formula = each.inspection.formula
        for write in (headline.headline, badge, marks, short_cause, meaning):
            write(each)
        tuple(notes(each))
        headline.headline(each, "x")
        headline.headline(each, stopped=True)
        headline.eic_line(each.inspection)
        for names in (["x"], ["x", "y"]):
            headline.guess_line(names, RANGE, [(RANGE, each)])
            headline.guess_line(names, RANGE, [])
        for finding in each.findings:
            sentence(finding, formula)
            label(finding.cause, formula)
            clause(finding.cause, formula)
    for eic in (math.nan, math.inf, 0.5, 1.5, 2.5):
        paper_clause(eic)
    unused = (templates(causes) | templates(headline)) - used
    # of operators that a user registers: tests/core/operators/test_registered.py
    unused.discard("`{name}` has no real value for what it is given")
    assert not unused, sorted(unused)
