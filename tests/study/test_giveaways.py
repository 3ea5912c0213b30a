"""What gives a side away, on what is shown; and where the rules of the fair form are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax import read
from study.ballots import BallotContent, formulas_of_ballot, make_content, plain_texts
from study.freezing import configuration_of
from study.giveaways import (
    FEATURES,
    MOST_PAIRS,
    DrawnFormula,
    Giveaway,
    giveaways,
    thinned,
    told_by,
)
from study.material import Member, NewPair, Problem, StudyPair
from study.report.analysis import analyse
from study.report.exported import StudyExport
from study.report.methods import methods_text, paragraphs
from tests.rehearsal import Rehearsal

LINE = Problem("line", "t,y\n" + "\n".join(f"{t},{2 * t + t % 2}" for t in range(1, 20)) + "\n")
PAIR = NewPair("line", Member("0 + 1*(2*x0)", 0, 1, 7), Member("x0 - (-1.0*x0)", 5, 1, 5))


def _drawn(text: str, r2: float = 0.9, complexity: int = 5) -> DrawnFormula:
    formula = read(text).formula
    return DrawnFormula(formula, to_latex(formula), r2, complexity)


@pytest.mark.parametrize(
    ("lower", "higher", "words"),
    [
        ("x", "sin(x)", "fewer calls of functions"),
        ("sin(x) + cos(x)", "sin(cos(x))", "fewer nested functions"),
        ("(x + x) + (x + x)", "x + (x + (x + x))", "less depth"),
        ("x", "x + x", "less length"),
        ("12*x", "1*x", "more digits of numbers"),
        ("2e-9*x", "2*x", "more powers of ten (×10ⁿ)"),
        ("x - 3", "2 + 3*sin(x)", "no beginning like a + b · (…)"),
        ("2 + 3*sin(x)", "x*4 + cos(x)", "a beginning like a + b · (…)"),
        ("2 + x", "x + 2", "a number at the beginning"),
        ("-2*x", "x*2", "a number at the beginning"),
    ],
)
def test_a_feature_that_tells_every_pair_is_named(lower: str, higher: str, words: str) -> None:
    ranked = giveaways([(_drawn(lower), _drawn(higher))] * 3)
    assert {each.words: each.auc for each in ranked}[words] == 1
    aucs = [each.auc for each in ranked]
    assert aucs == sorted(aucs, reverse=True) and min(aucs) >= 0.5
    assert len(ranked) == len(FEATURES)


def test_printed_numbers_of_the_card_are_features_and_ties_count_a_half() -> None:
    pairs = [
        (_drawn("x", r2=0.95, complexity=7), _drawn("x", r2=0.9)),
        (_drawn("x", r2=0.9), _drawn("x", r2=0.9)),
    ]
    aucs = {each.words: each.auc for each in giveaways(pairs)}
    assert aucs["larger R²"] == aucs["larger complexity"] == 0.75
    assert aucs["fewer calls of functions"] == 0.5


def test_large_studies_are_thinned_evenly() -> None:
    pairs = [StudyPair(i, i, PAIR) for i in range(1000)]
    some = thinned(pairs)
    assert len(some) == MOST_PAIRS and (some[0], some[-1]) == (pairs[0], pairs[-1])
    assert thinned(pairs[:5]) == tuple(pairs[:5])


def test_a_ballot_is_reread_as_it_was_drawn_today_and_before() -> None:
    content = make_content(LINE, PAIR)
    assert content.lower.latex == r"2 \cdot t" and content.higher.latex == "t + t"
    assert content.rules == ("neutral", "signs")
    assert content.lower.complexity == 7, "as found"
    assert plain_texts(PAIR, content) == ("2*t", "t + t")
    assert BallotContent.from_json(content.to_json()) == content
    found = (r"0 + 1 \cdot \left(2 \cdot t\right)", r"t - \left(-1 \cdot t\right)")
    before = replace(
        content,
        lower=replace(content.lower, latex=found[0]),
        higher=replace(content.higher, latex=found[1]),
        shapes=None,
        rules=(),
    )
    assert '"rules"' not in before.to_json()
    assert BallotContent.from_json(before.to_json()) == before
    assert tuple(map(to_latex, formulas_of_ballot(PAIR, before))) == found
    unknown = replace(content, lower=replace(content.lower, latex="?"))
    assert plain_texts(PAIR, unknown) == ("?", "t + t")


def test_rules_are_frozen_previewed_and_named_in_the_methods(rehearsal: Rehearsal) -> None:
    organiser = rehearsal.organiser
    study = organiser.create("fair", rehearsal.draft(name="other").design)
    organiser.set_problems(study.id, [LINE])
    plain = NewPair("line", Member("2*x0 + 3", 0, 1, 5), Member("x0 + x0 + 2", 5, 1, 5))
    organiser.set_pairs(study.id, [PAIR, plain], {"near_twins": False})
    before, count = organiser.giveaways(study.id)
    assert count == 2
    preview = organiser.preview(study.id, organiser.pairs(study.id)[0].id)
    assert preview.rules == ("neutral", "signs") and preview.lower_text == "2*t"
    design = replace(study.design, ballots_per_rater=2, public_base_url="http://localhost:1")
    organiser.edit(study.id, design=design)
    organiser.freeze(study.id)
    assert organiser.giveaways(study.id) == (before, 2), "of the frozen ballots the same"
    with rehearsal.store.reading() as tx:
        configuration = configuration_of(tx, study.id)
    first, second = (p for p in configuration["pairs"] if p["kind"] == "main")
    assert first["form"] == ["neutral", "signs"] and "form" not in second
    export = StudyExport("s", "Demo", "", (), (), rules={"near_twins": False})
    text = paragraphs(analyse(replace(export, configuration=configuration)))[0]
    assert "left out where the value is exactly the same without them (1 pair)" in text
    assert "roots" not in text and "complexity shown" in text
    assert "no two of one tree but for its constants" in text
    assert "in one form" not in paragraphs(analyse(export))[0]


def test_few_pairs_tell_by_chance_and_a_reason_is_declared(rehearsal: Rehearsal) -> None:
    certain, weak = Giveaway("less length", 1.0), Giveaway("larger R²", 0.8)
    assert told_by((certain, weak), 8) == (certain,)
    assert told_by((certain, weak), 7) == ()
    study = rehearsal.opened(giveaway_reason="There are no others.")
    assert "“There are no others.”" in rehearsal.organiser.preregistration(study.id)
    rehearsal.organiser.close(study.id)
    report = analyse(rehearsal.organiser.monitor.export(study.id))
    assert "“There are no others.”" in methods_text(report)
