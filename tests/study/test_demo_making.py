"""The script that made the demo: its description is that of the files, its runs repeat."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eic_core.measure.table import read_table
from study.demo import PROBLEM_INDEX, problem_folder
from study.demo.make_pool import OPERON, SETTINGS, outline, search
from study.demo.sources import SOURCES, ProblemSource

SIMULATED = [source for source in SOURCES if source.simulated]


def committed(source: ProblemSource) -> np.ndarray:
    table = read_table((problem_folder() / f"{source.name}.csv").read_bytes())
    return np.column_stack([table.values[name] for name in table.names])


def test_the_index_says_what_the_script_says() -> None:
    entries = json.loads(PROBLEM_INDEX.read_text(encoding="utf-8"))
    assert entries == [source.describe() for source in SOURCES]


@pytest.mark.parametrize("source", SIMULATED, ids=lambda s: s.name)
def test_a_simulated_problem_is_made_again_from_its_name(source: ProblemSource) -> None:
    # The last digit of a rounded cell may differ where exp or cos does in its last bit.
    np.testing.assert_allclose(source.table(), committed(source), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("source", [s for s in SOURCES if not s.simulated], ids=lambda s: s.name)
def test_a_real_problem_is_what_its_library_carries(source: ProblemSource) -> None:
    np.testing.assert_array_equal(source.table(), committed(source))


def test_a_search_with_one_seed_prints_the_same_twice() -> None:
    source = next(s for s in SOURCES if s.name == "kepler")
    setting = next(s for s in SETTINGS if s.method == OPERON)
    names = [name for name, _, _ in source.columns[:-1]]
    first, second = (list(search(setting, 1, names, source.table())) for _ in range(2))
    assert first and first == second


def test_an_outline_ignores_digits_past_the_third_and_nothing_else() -> None:
    same = outline("(1.2341 * x)", "operon", ["x"])
    assert same == outline("(1.2339 * x)", "operon", ["x"])
    assert same != outline("(1.24 * x)", "operon", ["x"])
    assert same != outline("(x * 1.2341)", "operon", ["x"])
