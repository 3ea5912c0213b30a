"""Raters who follow what the eye sees are not taken for raters who follow EIC."""

from __future__ import annotations

import ast
import math
import random
from datetime import UTC, datetime

import numpy as np
import pytest

from study.report import ExportedPair, ExportedVote, StudyExport
from study.report.analysis import StudyReport, analyse, looks_of
from study.report.phrases.threats import threat_sentence
from study.report.phrases.verdict import verdict
from study.report.text import render_text
from study.statistics.visible import best_visible
from study.structure import structure_as_written

START = datetime(2025, 3, 1, tzinfo=UTC)
PAIRS = 48


def _pairs(rng: random.Random, *, like_eic: float) -> list[ExportedPair]:
    """Pairs whose lower EIC has fewer functions in a share of them; gaps of 2 to 8 digits."""
    made = []
    for number in range(PAIRS):
        plain, fancy = "x0*x1+2.5*x0-x1/3", "sin(cos(x0*x1))+log(x0)+2"
        if rng.random() > like_eic:
            plain, fancy = fancy, plain
        made.append(
            ExportedPair(
                f"p{number:02d}",
                f"q{number % 12}",
                plain,
                fancy,
                0.5,
                0.5 + rng.uniform(2, 8),
                0.9,
                0.9,
                9,
                9,
            )
        )
    return made


def _study(seed: int, *, by_eic: float, by_looks: float, like_eic: float) -> StudyReport:
    rng = random.Random(seed)
    pairs = _pairs(rng, like_eic=like_eic)
    looks = looks_of(StudyExport("s", "S", "", tuple(pairs), ()))
    votes = []
    for rater in range(30):
        for position, number in enumerate(rng.sample(range(PAIRS), 10), start=1):
            pair = pairs[number]
            gap = pair.higher_eic - pair.lower_eic
            wanted = by_eic * gap - by_looks * looks[pair.pair][0] + rng.gauss(0, 0.2)
            chosen = "lower" if rng.random() < 1 / (1 + math.exp(-wanted)) else "higher"
            votes.append(
                ExportedVote(
                    f"v{rater}-{position}",
                    f"r{rater}",
                    pair.pair,
                    pair.problem,
                    chosen,
                    rng.choice(("left", "right")),
                    position,
                    START,
                    START,
                    20.0,
                    session_seconds=200.0,
                )
            )
    return analyse(StudyExport("s", "Study", "ab", tuple(pairs), tuple(votes), closed_at=START))


def test_raters_who_only_count_functions_are_caught_on_the_first_screen() -> None:
    caught = 0
    for seed in range(6):
        report = _study(seed, by_eic=0.0, by_looks=0.4, like_eic=0.9)
        said = verdict(report)
        if said.finding == "undecided":
            continue
        caught += 1
        assert "cannot be told apart" in said.text
        first_screen = " ".join(render_text(report).split("\n---")[0].split())
        assert "cannot be told apart" in first_screen
        assert "Fewer" in said.text and "alone tells the lower EIC in" in said.text
    assert caught >= 4


def test_raters_who_follow_eic_are_believed() -> None:
    believed = 0
    for seed in range(6):
        report = _study(seed, by_eic=0.3, by_looks=0.0, like_eic=0.5)
        found = report.threats.structure
        believed += found.judgement == "not flagged"
        if found.judgement == "not flagged":
            assert "cannot be told apart" not in verdict(report).text
            assert str(threat_sentence(found)).startswith("Raters follow more than looks")
    assert believed >= 4


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
        gaps = rng.choice([-1.0, 1.0], (24, 5))
        found = best_visible(gaps, [f"q{i % 8}" for i in range(24)])
        assert found.auc is not None and max(found.by_name) >= 0.5
        shares.append((found.auc, max(found.by_name)))
    honest, seen = np.mean(shares, axis=0)
    assert abs(honest - 0.5) < 0.08 and seen > 0.6
