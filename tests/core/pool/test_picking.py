"""Choosing among the formulas of a list."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.errors import DataError
from eic_core.measure.table import read_table
from eic_core.pool.candidate import LeftOutKind, Score
from eic_core.pool.importers import Listed
from eic_core.pool.listing import (
    ListedScore,
    TableData,
    accuracy_keys,
    front_of,
    score_listing,
)
from eic_core.pool.pick_phrases import residual_change
from eic_core.pool.picking import fitness, pick
from eic_core.pool.traits import Structure, first_of, structure_of, twins

SCORES = st.builds(
    lambda nodes, r2, eic, singular: Score(
        nodes, r2, math.inf if singular else eic, eic, 0, singular
    ),
    st.integers(1, 80),
    st.floats(-5, 1) | st.just(math.nan),
    st.floats(0, 20) | st.just(math.nan),
    st.sampled_from([0, 0, 3]),
)
LISTS = st.lists(SCORES | st.just(Score(error="refused")), min_size=1, max_size=12)


def listed(scores: list[Score]) -> list[ListedScore]:
    return [ListedScore(Listed(i, f"x0 + {i}"), score) for i, score in enumerate(scores, start=1)]


def fits(score: Score) -> bool:
    return bool(score.complexity) and math.isfinite(score.r2)


def weighable(score: Score) -> bool:
    return fits(score) and math.isfinite(score.eic_finite)


@given(LISTS, st.floats(1e-6, 0.1))
def test_nothing_that_could_be_weighed_weighs_more(scores, alpha):
    ranked = [s for s in scores if fits(s)]
    if not ranked:
        with pytest.raises(DataError, match="no formula"):
            pick(listed(scores), alpha)
        return
    choice = pick(listed(scores), alpha)
    weighed = [s for s in ranked if weighable(s)]
    if weighed:
        best = max(0.999**s.complexity / (1 + (1 - s.r2)) - alpha * s.eic_finite for s in weighed)
        assert math.isclose(fitness(choice.picked.score, alpha), best, rel_tol=1e-12)
    assert len(choice.ranked) == len(ranked)
    weights = [weight for weight, _ in choice.ranked]
    assert weights == sorted(weights, reverse=True)
    last = [scored.score.r2 for weight, scored in choice.ranked if weight == -math.inf]
    assert last == sorted(last, reverse=True) and len(last) == len(ranked) - len(weighed)


@given(LISTS, st.floats(0, 0.1), st.floats(0, 0.1))
def test_dearer_digits_never_take_a_formula_that_loses_more(scores, one, other):
    if not any(map(weighable, scores)):
        return  # else R² alone decides
    cheap, dear = (pick(listed(scores), alpha) for alpha in sorted((one, other)))
    if not math.isnan(cheap.picked.score.eic_finite):
        assert dear.picked.score.eic_finite <= cheap.picked.score.eic_finite + 1e-9
    assert dear.plain.listed == cheap.plain.listed


@given(LISTS, st.randoms())
def test_the_order_of_a_list_does_not_matter(scores, random):
    known = listed(scores)
    if not any(map(fits, scores)):
        return
    before = pick(known).picked.score
    random.shuffle(known)
    after = pick(known).picked.score
    assert (after.complexity, after.r2) == (before.complexity, before.r2)
    assert repr(after.eic_finite) == repr(before.eic_finite)


@given(LISTS, st.floats(0, 0.1))
def test_the_sentence_says_what_the_numbers_say(scores, alpha):
    if not any(map(weighable, scores)):
        return
    found = pick(listed(scores), alpha)
    sentence = str(found.sentence)
    said = re.split(r"(?<=\.) (?:EIC leaves out|Row \d+ has)", sentence)[0]
    rows = [int(number) for number in re.findall(r"row (\d+)", said)]
    new, old = found.picked.score, found.plain.score
    if found.picked is found.plain:
        assert rows == [found.picked.listed.row] and "without regard to EIC" in said
        assert ("with and without" in said) == (alpha > 0)
    else:
        assert rows == [found.picked.listed.row, found.plain.listed.row]
        match = re.search(r"has ([\d.]+) instead of ([\d.]+) digits", said)
        if math.isnan(old.eic_finite):
            assert "∞" in said or "undefined" in said
            assert f"Row {found.plain.listed.row} has an" in sentence
        elif match is None:
            assert abs(new.eic_finite - old.eic_finite) <= 1e-8 and "has as many" in said
        else:
            places = 10.0 ** -len(match[1].partition(".")[2])
            assert abs(float(match[1]) - new.eic_finite) <= 0.51 * places
            assert abs(float(match[2]) - old.eic_finite) <= 0.51 * places
            assert float(match[1]) < float(match[2])
        assert not new.eic_finite > old.eic_finite
        counted = re.search(r", (\d+) node(s?) (as well|instead of (\d+))\.", said)
        assert int(counted[1]) == new.complexity and (counted[2] == "") == (new.complexity == 1)
        assert int(counted[4] or new.complexity) == old.complexity
    left_out = re.findall(r"(\d+) samples? at which a step of row (\d+)", sentence)
    expected = {
        s.listed.row: s.score.singular
        for s in (found.picked, found.plain)
        if not math.isnan(s.score.eic_finite)
    }
    assert {int(row): int(n) for n, row in left_out} == {r: n for r, n in expected.items() if n}


def sentence(*scores: Score, alpha: float = 0.01) -> str:
    return str(pick(listed(list(scores)), alpha).sentence)


def test_the_sentence_at_its_edges() -> None:
    assert sentence(Score(7, 0.9, 3.0, 3.0), Score(7, 0.9, 0.2, 0.2)) == (
        "Take row 2 instead of row 1, which would be taken without regard to EIC: its worst step "
        "(EIC) has 0.2 instead of 3.0 digits; R² is about the same, 0.900, 7 nodes as well."
    )
    shorter = sentence(Score(1, 0.97, 0.0, 0.0), Score(9, 0.98, 4.0, 4.0))
    assert shorter.endswith(
        "has 0.0 instead of 4.0 digits; R² is 0.970 instead of 0.980 (50 % more residual "
        "variance), 1 node instead of 9."
    )
    longer = sentence(Score(9, 0.98001, 1.0, 1.0), Score(5, 0.98, 2.0, 2.0))
    assert longer.endswith("R² is about the same, 0.980, 9 nodes instead of 5.")
    both = sentence(Score(3, 0.9, math.inf, 0.1, 0, 1), Score(3, 0.99, math.inf, 12.0, 0, 20))
    assert both.endswith(
        " EIC leaves out 1 sample at which a step of row 1 keeps no digit and 20 samples at which "
        "a step of row 2 keeps no digit."
    )
    assert sentence(Score(1, 0.5, 0.0, 0.0)) == (
        "Take row 1: it is the best with and without regard to EIC (R² 0.500, 1 node, worst step "
        "(EIC) 0.00 digits)."
    )


def test_no_formula_is_to_be_taken_that_explains_less_than_the_mean() -> None:
    alone = sentence(Score(1, -0.907, 0.0, 0.0))
    assert alone == (
        "No formula of the list fits these data: row 1, the best with and without regard to EIC, "
        "has an R² of −0.907, worse than the mean of the target (1 node, worst step (EIC) "
        "0.00 digits)."
    )
    both = sentence(Score(1, -0.8, 12.0, 12.0), Score(3, -0.9, 0.5, 0.5))
    assert both.startswith("No formula of the list fits these data. Least bad is row 2, and not")
    dear = sentence(Score(5, 0.4, 12.0, 12.0), Score(1, -0.1, 0.0, 0.0), alpha=0.05)
    assert "explains nothing" in dear and "row 2 weighs more than row 1" in dear
    assert not any("Take" in said for said in (alone, both, dear))
    constant = sentence(Score(1, 1e-16, 0.0, 0.0))
    assert "No formula of the list fits" in constant and "no better than the mean" in constant
    assert sentence(Score(1, 0.01, 0.0, 0.0)).startswith("Take row 1")


def test_equal_formulas_are_one_choice_and_the_first_of_them() -> None:
    same = Score(5, 0.9, 1.0, 1.0)
    assert "Take row 1: it is the best with and without" in sentence(same, same, same)
    tie = sentence(Score(5, 0.9, 2.0, 2.0), Score(5, 0.9, 2.0 - 1e-12, 2.0 - 1e-12))
    assert "(EIC) has as many, 2.0 digits" in tie or "with and without" in tie


@given(st.floats(-1, 0.999), st.floats(-1, 0.999))
def test_the_residual_variance_that_is_told_is_that_of_the_numbers(new, old):
    words = residual_change(new, old)
    ratio = (1 - new) / (1 - old)
    if words is None:
        assert abs(ratio - 1) < 0.005
        return
    value, kind = re.match(r"(?:over |under )?([\d.,]+) (.*)", str(words)).groups()
    value = float(value.replace(",", ""))
    told = {"times": value, "% more": 1 + value / 100, "% less": 1 - value / 100}
    told = told[" ".join(kind.split()[: 1 if kind.startswith("times") else 2])]
    assert math.isclose(told, ratio, rel_tol=0.06, abs_tol=0.006)


def scored_on(texts: list[str]) -> tuple[ListedScore, ...]:
    cells = "".join(f"{x},{x % 7 + 1},{x * x + x % 7}\n" for x in range(1, 30))
    table = read_table(f"x0,x1,y\n{cells}".encode())
    return score_listing(
        [Listed(i, t) for i, t in enumerate(texts, start=1)], TableData(table, "y")
    )


def test_twins_count_once_and_are_named_by_their_rows():
    scores = scored_on(["x0*x0", "x0 * x0", "x1 + x0*x0", "x0*x0 + x1", "1.00001*x0*x0"])
    assert twins(scores) == ((0, 1), (0, 1), (2, 3), (2, 3), (4,))
    choice = pick(scores)
    assert choice.picked.listed.row == 1 and len(choice.ranked) == 3
    assert str(choice.sentence).endswith("Row 1 is also row 2.")
    assert choice.to_json()["twins"] == {"1": [2], "3": [4]}


def test_constants_that_print_alike_make_twins_and_another_writing_of_a_value_does_not():
    scores = scored_on(["1.234561*x0", "1.234562*x0", "1.2*x0", "(x0 + 1e6) - 1e6", "x0 + 0*x0"])
    assert twins(scores) == ((0, 1), (0, 1), (2,), (3,), (4,))


def test_twins_are_on_the_front_once():
    scores = scored_on(["x0*x0", "x0*x0", "x0"])
    errors = accuracy_keys(scores)["1 − R²"]
    assert front_of(scores, errors).tolist() == [True, True, True]
    assert front_of(scores, errors, first_of(twins(scores))).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("text", "nested", "exponent"),
    [
        ("sin(x0)", "", ""),
        ("sin(exp(x0))", "sin(exp(x₀))", ""),
        ("sin(x0 + cos(x1))*2", "sin(x₀ + cos(x₁))", ""),
        ("sin(x0)*cos(x1)", "", ""),
        ("sin(exp(2)*x0)", "", ""),
        ("x0**x1", "", "x₀^x₁"),
        ("x0**2.5 + 2**3", "", ""),
        ("2**x0", "", "2^x₀"),
    ],
)
def test_nested_transcendentals_and_variable_exponents_are_named(text, nested, exponent):
    assert structure_of(scored_on([text])[0]) == Structure(nested, exponent)


def test_the_recommendation_names_what_is_nested_in_it():
    said = str(pick(scored_on(["x0*x0 + sin(exp(-x0))"])).sentence)
    assert said.endswith(" Row 1 nests transcendental functions: `sin(exp(−x₀))`.")


def test_a_cancellation_that_explains_no_more_is_not_taken():
    cells = "".join(f"{x},{x * x + 0.05 * (-1) ** i}\n" for i, x in enumerate(range(1, 30)))
    table = read_table(f"x0,y\n{cells}".encode())
    texts = ["x0", "x0*x0", "x0*x0 + (100.02*x0 - 100*x0 - 0.02*x0)*1e-3", "lg(x0)"]
    rows = [Listed(i, text) for i, text in enumerate(texts, start=1)]
    found = pick(score_listing(rows, TableData(table, "y")))
    assert found.picked.listed.row == 2
    [left_out] = found.left_out
    assert left_out.row == 4 and left_out.reason.startswith("unknown function `lg`")


def test_a_better_fit_with_an_infinite_eic_is_ranked_below_and_named():
    cells = "".join(f"{x},{x % 7},{x * x + x % 7}\n" for x in range(1, 30))
    table = read_table(f"x0,x1,y\n{cells}".encode())
    texts = ["x0*x0 + 3", "x0*x0 + x1 + (x0 - x0)/(x0 - x0 + 1)", "x0*x0", "log(x1) + x0"]
    rows = [Listed(i, text) for i, text in enumerate(texts, start=1)]
    choice = pick(score_listing(rows, TableData(table, "y")))
    assert [scored.listed.row for _, scored in choice.ranked] == [3, 1, 2]
    assert choice.ranked[-1][0] == -math.inf and choice.ranked[-1][1].score.r2 == 1
    assert "R² is" in str(choice.sentence) or "has a better R², 1," in str(choice.sentence)
    assert "`x₀ − x₀` keeps no digit at 29 rows" in str(choice.sentence)
    assert pick(score_listing(rows, TableData(table, "y")), 0.0, 1.0).picked.listed.row == 2
    [without] = choice.left_out
    assert without.row == 4 and without.kind is LeftOutKind.NO_VALUE
    assert without.reason.startswith("No real value at 4 of 29 rows, at `log(x₁)`:")


def test_nothing_but_infinite_eic_leaves_the_choice_to_r2():
    scores = [Score(3, r2, math.inf, math.nan, 0, 9, no_digit_at="x − x") for r2 in (0.4, 0.7)]
    assert pick(listed(scores)).picked.listed.row == 2
    assert "∞" in sentence(*scores) and "infinite EIC (`x − x`" in sentence(*scores)


@pytest.mark.parametrize(("alpha", "eta"), [(-1, 0.9), (math.nan, 0.9), (0.1, 0), (0.1, 1.1)])
def test_prices_that_are_none_are_refused(alpha, eta):
    with pytest.raises(DataError, match="cannot cost"):
        pick(listed([Score(1, 1.0, 0.0, 0.0)]), alpha, eta)
