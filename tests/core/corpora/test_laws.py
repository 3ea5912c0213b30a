"""The corpora: how many laws, what they are sampled on, and that they are what was published."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from eic_core.corpora import NAMES, RULES, load
from eic_core.engine.values import values
from eic_core.errors import DataError
from eic_core.formula.syntax.names import canonical_name

COUNTS = {
    "feynman": 119,
    "strogatz": 14,
    "wikipedia": 847,
    "llm_srbench_transform": 106,
    "llm_srbench_synth": 6,
}


def test_every_corpus_has_as_many_laws_as_its_source() -> None:
    assert {name: len(load(name)) for name in NAMES} == COUNTS
    assert [len(load(name).not_measured) for name in NAMES] == [0, 0, 0, 5, 0]
    assert sum(law.frequency for law in load("wikipedia")) == 1861


@pytest.mark.parametrize("name", NAMES)
def test_every_law_is_read_as_it_is_written_with_the_variables_that_it_names(name: str) -> None:
    corpus = load(name)
    for law in (*corpus, *corpus.not_measured):
        known = {canonical_name(variable) for variable in law.variables}
        assert set(law.tree.variables) <= known, law.name
        assert not law.reading.notes and not law.reading.alternatives, law.name
        assert law.tree.source == law.formula
    unused = {law.name for law in corpus if len(law.tree.variables) < len(law.variables)}
    assert unused == {"strogatz": {"strogatz_vdp2"}, "llm_srbench_synth": {"BPG0", "CRK0"}}.get(
        name, set()
    )


def test_names_within_a_corpus_are_its_own() -> None:
    for name in NAMES:
        assert max(Counter(law.name for law in load(name)).values()) == 1


@pytest.mark.outside
def test_the_formulas_are_the_published_ones(shared: Path) -> None:
    """Against the transcription beside the repository, which these tables do not copy."""

    def column(file: str, key: str, only: tuple[str, str] = ("", "")) -> dict[str, dict[str, str]]:
        with (shared / "data" / file).open(encoding="utf-8", newline="") as text:
            rows = csv.DictReader(text)
            return {row[key]: row for row in rows if not only[0] or row[only[0]] == only[1]}

    stated = column("whitebox_formulas.csv", "dataset") | column("llm_srbench.csv", "name")
    ours = [
        law
        for name in NAMES
        if name != "wikipedia"
        for law in (*load(name), *load(name).not_measured)
    ]
    assert len(ours) == len(stated) == 133 + 117
    for law in ours:
        row = stated[law.name]
        assert (law.formula, law.target) == (row["formula"], row["target"])
        assert law.variables == tuple(row["variables"].split())
        of = law.origin or law
        ends = {name: [domain.low, domain.high] for name, domain in of.domains.items()}
        assert ends == json.loads(row["ranges_json"] or "{}")
        if law.origin is not None:
            assert (of.formula, of.target) == (row["source_formula"], row["source_target"])
    named = column("wikipedia_named_equations.csv", "formula")
    counts = {formula: int(row["occurrences"]) for formula, row in named.items()}
    assert {law.formula: law.frequency for law in load("wikipedia")} == counts


def test_rows_lie_in_the_stated_ranges_and_reach_their_ends() -> None:
    for name in ("feynman", "strogatz", "llm_srbench_synth"):
        for law in load(name):
            samples = law.samples(400, seed=1)
            for variable, domain in law.domains.items():
                column = samples.columns[canonical_name(variable)]
                width = domain.high - domain.low
                assert domain.low <= column.min() < domain.low + width / 20, (law.name, variable)
                assert domain.high - width / 20 < column.max() <= domain.high


def test_an_equation_without_ranges_needs_a_rule_and_follows_it() -> None:
    law = load("wikipedia")[0]
    with pytest.raises(DataError, match="no ranges are known"):
        law.samples(10)
    for rule in RULES.values():
        column = law.samples(500, rule=rule).columns["x0"]
        assert rule.low <= column.min() < column.max() <= rule.high


def test_a_stated_range_goes_before_a_rule() -> None:
    law = load("feynman")["feynman_I_6_2"]
    ruled = law.samples(50, rule=RULES["uniform 0 to 1"])
    assert (ruled.columns["sigma"] == law.samples(50).columns["sigma"]).all()


def test_a_solved_law_is_measured_on_a_table_of_its_source() -> None:
    """Most give back what the table holds; some are the negative root, a few another function."""
    outcome: Counter[str] = Counter()
    for law in load("llm_srbench_transform"):
        samples = law.samples(100)
        assert law.origin is not None and samples.target is not None and len(samples) == 100
        inputs = law.origin.samples(100)
        for variable in set(samples.columns) & set(inputs.columns):
            assert (samples.columns[variable] == inputs.columns[variable]).all()
        found = values(law.tree, samples)
        assert found is not None
        for sign, word in ((1, "gives back"), (-1, "the negative")):
            if np.isclose(sign * found, samples.target, rtol=1e-6).all():
                outcome[word] += 1
                break
        else:
            outcome["another"] += 1
    assert outcome == {"gives back": 77, "the negative": 15, "another": 14}


def test_a_law_of_which_nothing_says_where_to_measure_it_is_not_sampled() -> None:
    [*left_out] = load("llm_srbench_transform").not_measured
    assert {law.name.partition("_")[0] for law in left_out} == {"I.15.1", "II.11.17"}
    with pytest.raises(DataError, match="no ranges are known"):
        left_out[0].samples(10)


def test_an_unknown_corpus_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(DataError, match="no corpus `physics`") as caught:
        load("physics")
    assert caught.value.hint == "there are " + ", ".join(NAMES)
