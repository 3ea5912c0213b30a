"""Distances between sets of formulas: against SciPy, and what each set is."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, norm

from eic_core.corpora import load
from eic_core.corpora.distances import (
    FILTERED,
    PAPER,
    RANDOM,
    SAME_LENGTHS,
    SETS,
    SHORTEST,
    Estimate,
    Smoothing,
    compare,
    generate_sets,
    jensen_shannon,
    kullback_leibler,
    shares,
)
from eic_core.corpora.generating import GenerationPlan
from eic_core.corpora.growing import Grower
from eic_core.corpora.recipes import E2ESR
from eic_core.corpora.traits import (
    NUMBERS,
    PAIRS,
    TRAITS,
    Occurrences,
    joined,
    traits_of,
    traits_of_forest,
)
from tests.effort import cases

COUNT = 300


@pytest.fixture(scope="module")
def generated():
    return generate_sets(COUNT, GenerationPlan(1.5, 0), seed=2)


def histograms():
    rng = np.random.default_rng(0)
    for _ in range(20):
        counts = rng.multinomial(200, rng.dirichlet(np.full(12, 0.3)), 2)
        yield counts[0], counts[1]


def test_divergences_are_those_of_scipy():
    for one, other in histograms():
        p, q = shares(one), shares(other)
        assert jensen_shannon(p, q) == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-12)
        assert kullback_leibler(p, q) == pytest.approx(entropy(p, q))
        again = Smoothing(count=1).divergence(one, other)  # of the generator from the corpus
        assert again == pytest.approx(entropy(other + 1, one + 1))
        again = Smoothing(share=1e-6, from_corpus=True).divergence(one, other)
        assert again == pytest.approx(entropy(p + 1e-6, q + 1e-6))


def test_wide_bins_join_neighbours():
    counts, other = np.array([3, 1, 0, 2, 5]), np.array([1, 1, 1, 1, 1])
    wide = Smoothing(count=1, width=2).divergence(counts, other)
    assert wide == pytest.approx(entropy([3, 3, 2], [5, 3, 6]))


def test_traits_of_arrays_are_those_of_their_trees():
    forest = Grower(E2ESR).grow(
        np.random.default_rng(0).integers(1, 11, 80), np.random.default_rng(1)
    )
    one, other = traits_of_forest(forest), traits_of(forest.formula(i) for i in range(80))
    for name in NUMBERS:
        assert one.numbers[name].tolist() == other.numbers[name].tolist(), name
    known = tuple(dict.fromkeys([*one.names, *other.names]))
    table = counts_of(one.pairs_by(known))
    assert (table == counts_of(other.pairs_by(known))).all()
    # every operator but the root is the lower one of a pair
    assert (one.pairs.of_rows == one.numbers["operators"] - 1).all()
    some = np.array([7, 3, 7, 79, 0])
    taken = one.take(some)
    assert taken.numbers["length"].tolist() == one.numbers["length"][some].tolist()
    assert (counts_of(taken.pairs_by(known)) == table[some]).all()
    twice = joined([one, taken])
    assert (counts_of(twice.pairs_by(known)) == np.vstack([table, table[some]])).all()
    weights = np.arange(85)
    assert (
        twice.pairs_by(known).of_columns(weights) == weights @ np.vstack([table, table[some]])
    ).all()
    assert len(one.take(some[:0])) == 0 and one.take(some[:0]).pairs.of_columns().sum() == 0


def counts_of(pairs: Occurrences) -> np.ndarray:
    table = np.zeros(pairs.shape, dtype=int)
    np.add.at(table, (pairs.rows, pairs.columns), 1)
    return table


def test_the_sets_are_as_large_as_asked_for_and_of_the_lengths_that_they_say(generated):
    lengths = {name: np.sort(each.numbers["length"]) for name, each in generated.traits.items()}
    assert {len(each) for each in lengths.values()} == {COUNT} == {generated.count}
    assert (lengths[SAME_LENGTHS] == lengths[FILTERED]).all()
    assert lengths[SHORTEST].max() == generated.longest < lengths[RANDOM].max()
    assert lengths[SHORTEST].mean() < lengths[FILTERED].mean() < lengths[RANDOM].mean()
    # the shortest are as large a part of the random ones as the filter keeps
    below = float((lengths[RANDOM] < generated.longest).mean())
    upto = float((lengths[RANDOM] <= generated.longest).mean())
    slack = norm.isf(1e-6) * 0.5 / math.sqrt(COUNT)
    assert below - slack < generated.accepted < upto + slack


def test_filtered_formulas_are_as_often_found_as_the_filter_accepts():
    few = generate_sets(cases(400, 4000), GenerationPlan(1.0, 0), seed=1).accepted
    many = generate_sets(cases(400, 4000), GenerationPlan(2.0, 0), seed=1).accepted
    assert 0 < few < many < 1


def test_distances_are_of_the_traits_of_laws_and_formulas(generated):
    found = compare(generated, ["strogatz"], repeats=50)
    assert [one.trait for one in found] == list(TRAITS)
    laws = traits_of([law.tree for law in load("strogatz")])
    for one in found:
        for name in SETS:
            other = generated.traits[name]
            if one.trait == PAIRS:
                known = tuple(dict.fromkeys([*laws.names, *other.names]))
                p, q = (t.pairs_by(known).of_columns() for t in (laws, other))
            else:
                both = [laws.numbers[one.trait], other.numbers[one.trait]]
                size = 1 + max(int(each.max()) for each in both)
                p, q = (np.bincount(each, minlength=size) for each in both)
            value = one.distance[name].value
            assert value == pytest.approx(jensenshannon(shares(p), shares(q)) ** 2, abs=1e-12)
        gained = one.distance[RANDOM].value - one.distance[FILTERED].value
        assert one.gain[FILTERED].value == pytest.approx(gained)
        assert one.beyond.low <= one.beyond.high
    assert {one.trait for one in found if one.kl} == set(NUMBERS)


def test_at_the_same_lengths_nothing_is_beyond_length(generated):
    [length] = [one for one in compare(generated, ["feynman"], repeats=20) if one.trait == "length"]
    assert length.beyond.value == 0


def test_an_interval_covers_the_divergence_as_often_as_it_says():
    """Simulated: of two known distributions, by the share of intervals that hold it."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.full(8, 2.0)), rng.dirichlet(np.full(8, 2.0))
    truth, trials, hits = float(jensen_shannon(p, q)), cases(300, 3000), 0
    for _ in range(trials):
        one, other = rng.multinomial(119, p), rng.multinomial(1024, q)
        again = jensen_shannon(
            shares(rng.multinomial(119, one / 119, 200)),
            shares(rng.multinomial(1024, other / 1024, 200)),
        )
        found = Estimate.of(float(jensen_shannon(shares(one), shares(other))), again, 0.0)
        hits += found.low <= truth <= found.high
    # two of a hundred are conceded to resampling a small corpus
    assert hits / trials > 0.93 - norm.isf(1e-4) * math.sqrt(0.95 * 0.05 / trials)


def test_the_paper_says_what_its_text_does():
    """JS falls by 13 to 49 %, KL by 10 to 92 %."""
    falls = [1 - after / before for before, after, _, _ in PAPER.values()]
    kl = [1 - after / before for _, _, before, after in PAPER.values()]
    assert (round(min(falls), 2), round(max(falls), 2)) == (0.13, 0.49)
    assert (round(min(kl), 2), round(max(kl), 2)) == (0.10, 0.92)


def test_the_command_prints_every_corpus_and_what_the_paper_says(eic):
    lines = eic("distances", "--count", "120", "--corpus", "feynman").out.splitlines()
    assert lines[0].startswith("120 formulas a set")
    assert sum(line.startswith("feynman, ") for line in lines) == len(TRAITS) + 4
    assert any("0.120 -> 0.077  −36 %" in line for line in lines)
    assert lines[-2].startswith("JS, all rows: −20 % … −50 % in their text, −27 % … −42 % in their")
    assert lines[-1].startswith("KL, all rows: −30 % … −70 % in their text, −67 % … −92 % in their")


def test_the_command_as_json_holds_all_settings_of_kl(eic):
    command = ["distances", "--count", "120", "--corpus", "llm_srbench_synth", "--json"]
    document = json.loads(eic(*command, "--max-eic", "1.5").out)
    assert document["count"] == 120 and 0 < document["accepted"] < 1
    assert len(document["comparisons"]) == len(TRAITS)
    length = document["comparisons"][3]
    assert length["trait"] == "length" and len(length["kl"]) == 20 and length["paper"] is None


def test_too_few_formulas_are_refused(eic):
    assert "tell nothing" in eic("distances", "--count", "20", status=2).err
