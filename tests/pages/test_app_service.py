"""The inspector's service: what it fills in, what it limits, what it remembers."""

from __future__ import annotations

from typing import Any

import pytest

from eic_core.errors import DataError, FormulaError
from eic_core.measure import Domain
from eic_core.measure.table import Table, read_table
from pages.ui.kit import inspector_service as module
from pages.ui.kit.caches import BoundedCache
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService

TABLE = read_table("a,b,load\n" + "\n".join(f"{i + 1},{2 * i + 1},{i}" for i in range(20)))


def test_equal_requests_are_answered_from_memory() -> None:
    service = InspectorService()
    assert service.inspect(InspectionRequest("x+1")) is service.inspect(InspectionRequest("x+1"))
    assert service.inspect(InspectionRequest("x+1")) is not service.inspect(
        InspectionRequest("x+1", seed=1)
    )


def test_a_cache_forgets_the_oldest_and_keeps_the_newest_whatever_it_weighs() -> None:
    cache = BoundedCache(capacity=2_500)
    made: list[str] = []

    def get(key: str, size: int = 900) -> None:
        cache.get(key, lambda: (made.append(key), bytes(size)))

    get("a"), get("b"), get("a"), get("c"), get("a")
    assert made == ["a", "b", "c"]
    get("b")
    assert made[-1] == "b"
    get("heavy", 10_000), get("heavy", 10_000)
    assert made.count("heavy") == 1
    assert len(cache) == 1


def inspected(formula: str, table: Table | None = None, **more: Any) -> InspectionResult:
    """By a service that has not been asked before."""
    upload = table.digest if table else ""
    request = InspectionRequest(formula, upload=upload, **more)
    return InspectorService().inspect(request, table)


def said(result: InspectionResult, text: str) -> bool:
    return any(text in notice for notice in result.notices)


def test_errors_are_raised_and_not_kept() -> None:
    service = InspectorService()
    for _ in range(2):
        with pytest.raises(FormulaError):
            service.inspect(InspectionRequest("1+*2"))


def test_a_variable_without_a_range_gets_1_to_5_and_a_notice() -> None:
    two = Domain("fixed", 2.0, 2.0)
    result = inspected("x*y", domains=(("y", two), ("unused", module.DEFAULT_DOMAIN)))
    assert dict(result.domains) == {"x": module.DEFAULT_DOMAIN, "y": two}
    assert said(result, "`x`: sampled uniformly from 1 to 5")
    assert result.inspection.samples.columns.keys() == {"x", "y"}


def test_work_is_limited_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WORK", 9_000)
    result = inspected("x+1", samples=100_000)
    assert result.inspection.counts.total == 3_000
    assert said(result, "Limited to 3,000 samples")


def test_an_exact_check_that_takes_too_much_work_is_stopped_and_it_is_said() -> None:
    request = InspectionRequest("2*x-x-x", effort=1e-4)
    inspection = InspectorService().inspect(request).inspection
    assert not inspection.finished and inspection.effort == 1e-4
    assert inspection.counts.rechecked and inspection.counts.left_out


def test_operon_counts_columns_from_one_and_the_visitor_may_say_otherwise() -> None:
    text = "((2.0 * X1) + (3.0 * X2))"
    one = inspected(text, TABLE, base=1)
    assert one.match is not None and list(one.match.mapping.values()) == ["a", "b"]
    assert one.target == "load"
    with pytest.raises(DataError, match="no column was found"):
        inspected(text, TABLE, base=0)
    with pytest.raises(DataError, match="`missing`"):
        inspected("a*missing", TABLE)
    chosen = inspected("a+q", TABLE, mapping=(("q", "load"), ("a", "b")), target="")
    assert chosen.match is not None and chosen.target == ""
    assert dict(chosen.match.mapping) == {"a": "b", "q": "load"}, "the visitor's choice wins"


def test_the_ranges_that_a_formula_states_are_used_until_others_are_chosen() -> None:
    core = "(FPCore (e x y) :pre (and (<= 1 e 10) (< 2 x 3)) (* e (+ x y)))"
    chosen = Domain("fixed", 2.5, 2.5)
    result = inspected(core, domains=(("x", chosen),))
    stated = Domain("uniform", 1.0, 10.0)
    assert dict(result.domains) == {"e": stated, "x": chosen, "y": module.DEFAULT_DOMAIN}
    assert said(result, "The range of `e` is the one")
    assert said(result, "`y`: sampled uniformly from 1 to 5")


def test_a_stated_range_wins_over_one_of_a_formula_before_and_a_column_over_both() -> None:
    core = "(FPCore (x) :pre (<= 1 x 10) (- x 1))"
    before = (("x", Domain("uniform", 1.0, 5.0)),)
    result = inspected(core, domains=before, carried=("x",))
    assert dict(result.domains) == {"x": Domain("uniform", 1.0, 10.0)} and not result.carried
    chosen = inspected(core, domains=before)
    assert chosen.domains == before and said(chosen, "`x` (1 … 5, not 1 … 10)")
    measured = inspected(core, read_table("x\n2\n3\n"))
    assert measured.inspection.samples.columns["x"].tolist() == [2.0, 3.0]
    assert said(measured, "The table's rows count, not the range of `x`")


@pytest.mark.parametrize("ranges", [(), ("x", "m"), ("mc",)])
def test_a_word_is_one_name_whatever_has_a_range(ranges: tuple[str, ...]) -> None:
    domains = tuple((name, module.DEFAULT_DOMAIN) for name in ranges)
    assert inspected("E = mc^2", domains=domains).reading.formula.variables == ("mc",)
