"""Raters who follow what the eye sees are not taken for raters who follow EIC."""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from study.report import ExportedPair
from study.report.analysis import StudyReport, analyse, looks_of
from study.report.phrases.looks import dose_sentence
from study.report.phrases.threats import threat_sentence
from study.report.phrases.verdict import verdict
from study.report.text import render_text
from study.statistics.threats import Confounding, Gap, confounding
from study.statistics.validation import SITUATIONS, alarms
from study.statistics.visible import best_visible
from study.statistics.votes import VoteArrays
from study.structure import structure_as_written
from tests.effort import FULL, cases
from tests.study.exports import export_of, pair, vote

PAIRS = 48


def _pairs(rng: random.Random, *, like_eic: float) -> list[ExportedPair]:
    """Pairs whose lower EIC has fewer functions in a share of them; gaps of 2 to 8 digits."""
    made = []
    for number in range(PAIRS):
        formulas = ["x0*x1+2.5*x0-x1/3", "sin(cos(x0*x1))+log(x0)+2"]
        if rng.random() > like_eic:
            formulas.reverse()
        changes = {"lower_formula": formulas[0], "higher_formula": formulas[1], "higher_r2": 0.93}
        higher = 0.5 + rng.uniform(2, 8)
        made.append(pair(number, 12, **changes, higher_eic=higher, higher_complexity=3))
    return made


def _study(seed: int, *, by_eic: float, by_looks: float, like_eic: float) -> StudyReport:
    rng = random.Random(seed)
    pairs = _pairs(rng, like_eic=like_eic)
    looks = looks_of(replace(export_of(()), pairs=tuple(pairs)))
    votes = []
    for rater in range(30):
        for position, number in enumerate(rng.sample(range(PAIRS), 10), start=1):
            shown = pairs[number]
            gap = shown.higher_eic - shown.lower_eic
            wanted = by_eic * gap - by_looks * looks[shown.pair][0] + rng.gauss(0, 0.2)
            chosen = "lower" if rng.random() < 1 / (1 + math.exp(-wanted)) else "higher"
            side = rng.choice(("left", "right"))
            votes.append(vote(rater, number, chosen, 12, lower_side=side, position=position))
    return analyse(replace(export_of(votes, PAIRS, 12), pairs=tuple(pairs)))


def test_raters_who_only_count_functions_are_caught_on_the_first_screen() -> None:
    seeds, caught = range(6) if FULL else (0, 3, 5), 0  # which have the three answers
    for seed in seeds:
        report = _study(seed, by_eic=0.0, by_looks=0.4, like_eic=0.9)
        said = verdict(report)
        if said.finding == "undecided":
            continue
        answer = report.threats.structure.answer
        if answer == "remains between look-alikes":
            continue
        caught += 1
        words = {
            "vanishes": "the preference vanishes",
            "too imprecise to tell": "cannot be told apart",
        }[answer]
        assert words in said.text
        first_screen = " ".join(render_text(report).split("\n---")[0].split())
        assert words in first_screen
        assert "Fewer" in said.text and "alone tells the lower EIC in" in said.text
    assert caught >= len(seeds) * 2 / 3


def test_raters_who_follow_eic_are_believed() -> None:
    studies, believed = cases(3, 6), 0
    for seed in range(studies):
        report = _study(seed, by_eic=0.3, by_looks=0.0, like_eic=0.5)
        found = report.threats.structure
        believed += found.answer == "remains between look-alikes"
        if found.answer == "remains between look-alikes":
            assert "cannot be told apart" not in verdict(report).text
            assert str(threat_sentence(found)).startswith("Raters follow more than looks")
    assert believed >= studies * 2 / 3


ANSWERED = {each.name: each for each in SITUATIONS if not each.screened}


def _answers(scenario: str, studies: int) -> dict[str, float]:
    """The part of the studies that has each answer."""
    row = alarms(studies, situations=[ANSWERED[f"{scenario}; share 0"]], seed=3)[0]
    return {answer: count / row.studies for answer, count in row.answers.items()}


@pytest.mark.parametrize(
    "scenario",
    ["counts functions", "counts unrelated functions and nestings", "looks of all kinds"],
)
def test_a_preference_that_looks_make_is_seldom_said_to_remain(scenario: str) -> None:
    assert _answers(scenario, cases(8, 20)).get("remains between look-alikes", 0) <= 0.06


@pytest.mark.parametrize("scenario", ["constant, matched on looks", "growing, matched on looks"])
def test_a_true_preference_remains_whether_it_grows_or_not(scenario: str) -> None:
    rates = _answers(scenario, cases(6, 15))
    assert rates["remains between look-alikes"] >= 0.9 and rates.get("vanishes", 0) <= 0.06


def _answered(
    draw: Callable[[int, int], tuple[str, str]], look: Callable[[int], tuple[int, ...]]
) -> Confounding:
    """Choice and side of the p-th pair's r-th vote, and by how much its formulas' looks differ."""
    votes = []
    for p, r in itertools.product(range(48), range(20)):
        choice, side = draw(p, r)
        votes.append(
            SimpleNamespace(
                rater=f"r{r:02}",
                pair=f"p{p:02}",
                problem=f"q{p % 12:02}",
                position=1,
                choice=choice,
                lower_side=side,
            )
        )
    gaps = {f"p{p:02}": Gap(2 + p * 5 % 7 / 3, 0.0, 0) for p in range(48)}
    return confounding(VoteArrays.of(votes), gaps, {f"p{p:02}": look(p) for p in range(48)})


def test_a_preference_that_does_not_grow_is_not_doubted_for_that() -> None:
    """At the odds of 2.5 in every pair, which two answers of three once doubted."""
    found = _answered(
        lambda p, r: (
            "higher" if (5 * p + 3 * r + p * r) % 7 < 2 else "lower",
            "left" if (p + r) % 2 else "right",
        ),
        lambda p: (p % 3 - 1, 0, p // 3 % 3 - 1, 0, p % 5 - 2),
    )
    assert not found.grows and found.answer == "remains between look-alikes"
    assert "whether the preference grows with the gap cannot be told" in str(dose_sentence(found))


def test_a_count_is_a_column_of_its_own_where_it_says_more_than_what_is_noticed() -> None:
    """Between -1 and 1 both are the same."""
    rng = np.random.default_rng(4)
    for differences, more in ((range(-1, 2), False), (range(-3, 2), True)):
        found = _answered(
            lambda *_: (rng.choice(["lower", "higher"]), rng.choice(["left", "right"])),
            lambda p, calls=differences: (calls[p % len(calls)], 0, 0, 0, 0),  # type: ignore[misc]
        )
        assert (found.fit.term("counted calls of functions") is not None) == more
        assert ("counted calls of functions" in found.left_out) != more
        assert found.fit.term("calls of functions") and "counted depth" in found.left_out


def test_where_no_formulas_look_alike_nothing_is_said_to_remain() -> None:
    """One function less in every pair of lower EIC: a preference for either may be for both."""
    found = _study(1, by_eic=0.3, by_looks=0.0, like_eic=1.0).threats.structure
    assert found.adjusted_rate is None and found.answer == "too imprecise to tell"
    assert found.preferred == "lower" and "No formulas look alike" in str(threat_sentence(found))


@pytest.mark.parametrize(
    "text", ["x0*x1 + 2.50*sin(cos(x0)) - 3", "exp(-(x0 + 1e-3)**2)", "sqrt(x1/(x0 - 12.5))/7"]
)
def test_the_structure_is_that_of_pythons_own_parser(text: str) -> None:
    tree = ast.parse(text, mode="eval").body
    found = structure_as_written(text)
    assert found is not None
    assert found.calls == sum(isinstance(node, ast.Call) for node in ast.walk(tree))

    def nesting(node: ast.AST) -> int:
        inner = max(map(nesting, ast.iter_child_nodes(node)), default=0)
        return inner + isinstance(node, ast.Call)

    assert found.nesting == nesting(tree)


def test_a_predictor_is_judged_on_problems_it_has_not_seen() -> None:
    """Coin tosses tell the lower EIC in half of the pairs, though one of five counts looks good."""
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(40):
        found = best_visible(rng.choice([-1.0, 1.0], (24, 5)), [f"q{i % 8}" for i in range(24)])
        assert found.auc is not None and max(found.by_name) >= 0.5
        shares.append((found.auc, max(found.by_name)))
    honest, seen = np.mean(shares, axis=0)
    assert abs(honest - 0.5) < 0.08 and seen > 0.6
