"""`docs/paper.md` and `docs/nd2py.md` hold what their benchmarks print; the arithmetic is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import mpmath
import numpy as np
import pytest

from benchmarks import nd2py, paper_claims
from benchmarks.paper_claims import Claim, Search, changes, counts_of, searches, tier_of

DOCS = Path(__file__).parents[1] / "docs"
PAPER = (DOCS / "paper.md").read_text(encoding="utf-8")
PERCENTAGES = re.compile(r"^- .* → .*: printed .* %, computed .* %$", re.MULTILINE)


def assert_on_the_page(rows: Iterable[str]) -> None:
    assert [row for row in rows if row not in PAPER] == []


def test_the_page_lists_each_percentage_that_does_not_follow_and_no_other() -> None:
    claims = list(changes())
    odd = [claim for claim in claims if not claim.agrees]
    assert_on_the_page(claim.row for claim in odd)
    assert f"the {len(claims)} percentages" in PAPER
    assert f"{len(claims) - len(odd)} are right" in PAPER
    assert len(PERCENTAGES.findall(PAPER)) == len(odd)


def test_a_percentage_counts_as_right_if_some_unrounded_pair_gives_it() -> None:
    """.675/.555 and .685/.545 by hand; 40/25.15 = 1.590, 50/25.15 = 1.988."""
    gain = Claim("", "", "0.55", "0.68", "22.4")
    assert gain.value == pytest.approx(23.636, abs=1e-3)
    assert gain.range == pytest.approx((21.622, 25.688), abs=1e-3)
    assert gain.agrees
    assert not Claim("", "", "0.550", "0.680", "22.4").agrees
    assert not Claim("", "", "40", "25.15", "198.8", "ratio").agrees
    assert Claim("", "", "50", "25.15", "198.8", "ratio").agrees
    assert Claim("", "", "1728", "1718", "-0.50").agrees  # −0.58, and its zero is no digit
    assert not Claim("", "", "18.77", "18.67", "0.5").agrees


def test_a_tier_is_what_nobody_of_the_same_or_a_worse_tier_dominates() -> None:
    points = {"a": (0.9, 10), "b": (0.9, 20), "c": (0.5, 5), "d": (0.4, 30)}
    rows = [
        Search("", name, {"accuracy": str(accuracy), "complexity": str(nodes)}, {})
        for name, (accuracy, nodes) in points.items()
    ]
    assert [tier_of(name, rows) for name in points] == [1, 2, 1, 3]


def test_the_page_has_the_tiers_and_says_which_intervals_are_apart() -> None:
    assert_on_the_page(paper_claims.tier_rows())
    assert list(paper_claims.apart()) == [
        "`tab:whitebox0001`, EIC-GP: eic",
        "`tab:whitebox0001`, EIC-MCTS: eic",
        "`tab:blackbox`, EIC-GP: complexity",
        "`tab:blackbox`, EIC-MCTS: eic",
    ]


def test_the_tables_of_searches_are_whole_and_rank_methods_as_the_page_says() -> None:
    tables = searches()
    assert [len(rows) for rows in tables.values()] == [21, 21, 21, 21, 19]
    clean = [
        row for name, row in tables["whitebox0"].items() if name != "GP" and "MCTS" not in name
    ]
    baselines = [row for row in clean if row.method != "EIC-GP"]
    assert len(baselines) == 17
    assert min(baselines, key=lambda row: float(row.values["eic"])).method == "AIFeynman2"
    by_size = sorted(baselines, key=lambda row: float(row.values["complexity"]))
    assert by_size[0].method == "PySR"
    assert [row.method for row in by_size[-3:]] == ["AIFeynman2", "FEAT", "SBP-GP"]
    slow = [tables[name]["EIC-MCTS"].values["seconds"] for name in ("whitebox0001", "whitebox001")]
    assert slow == ["15228", "15996"]


def test_the_counts_of_the_study_are_as_the_page_says() -> None:
    assert counts_of("69.8", 840) == [586]
    assert round(840 / 172, 1) == 4.9
    assert round(870 / 172, 1) == 5.1
    assert counts_of("72.19", 172 * 2 * 5) == []
    by_hand = sum(mpmath.binomial(840, k) for k in range(586, 841)) / mpmath.mpf(2) ** 840
    assert mpmath.nstr(by_hand, 2) == "2.7e-31"
    printed = " ".join(paper_claims.study_sentences())
    assert "2.7·10⁻³¹" in printed
    assert "64 % to 75 %" in printed


def test_the_page_has_what_is_measured_now() -> None:
    assert_on_the_page(paper_claims.measured_rows())


def test_the_page_on_nd2py_has_our_values_and_without_it_says_why() -> None:
    page = (DOCS / "nd2py.md").read_text(encoding="utf-8")
    rows = list(nd2py.example_rows(None))
    assert [row for row in rows if row.removesuffix(" |") not in page] == []


@pytest.mark.parametrize(
    ("text", "x", "squared"),
    [
        ("log(exp(x))", 800.0, lambda x: 1 + x**2),
        ("asin(x)", 0.9999999, lambda x: 1 + (x / mpmath.sqrt(1 - x**2) / mpmath.asin(x)) ** 2),
        ("tan(x)", 1.5707963, lambda x: 1 + (x / mpmath.sin(x) / mpmath.cos(x)) ** 2),
        ("sin(x)", 0.0, lambda _: mpmath.mpf(2)),
        ("max(x, 2)", 2.0, lambda _: mpmath.mpf(2)),
    ],
)
def test_where_nd2py_differs_the_value_here_is_that_of_the_recursion(
    text: str, x: float, squared: Callable[[mpmath.mpf], mpmath.mpf]
) -> None:
    with mpmath.workdps(40):
        expected = mpmath.log10(squared(mpmath.mpf(repr(x)))) / 2
    row = next(row for row in nd2py.example_rows(None) if f"`{text}`" in row)
    assert float(row.split("|")[2]) == pytest.approx(float(expected), abs=5.1e-5)


def test_classes_of_agreement_add_up() -> None:
    for page in ("nd2py.md", "measured.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        table = text[text.index("| equal to 1e-9") :]
        rows = [line.split("|")[2:4] for line in table.splitlines()[:5]]
        counts = np.array([[int(cell.replace(",", "")) for cell in row] for row in rows])
        assert counts.sum(axis=0).tolist() == [1091, 980]
