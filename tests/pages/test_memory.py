"""What the pages' process keeps of visits: every cache has a bound over all of them."""

from __future__ import annotations

import functools
import gc
import inspect
import sys
import tracemalloc
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from cachetools import Cache
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.ui.kit import jobs, wiring
from pages.ui.kit.caches import BoundedCache, bytes_held
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectorService
from pages.ui.kit.visit import Visit
from pages.ui.server import forget_ended_visits
from tests.pages.conftest import UNHURRIED

FORMULA = "exp(-((theta-theta1)/sigma)**2/2)/(sqrt(2*pi)*sigma)"
TOGETHER = 450e6
"""Bytes of all caches of the pages; `docs/deployment.md` states them."""


def asked(seed: int, formula: str = FORMULA) -> InspectionRequest:
    return InspectionRequest(formula, samples=10_000, seed=seed)


def inspector(megabytes: float = 100.0) -> InspectorService:
    return InspectorService(megabytes)


@pytest.mark.parametrize("formula", ["x+1", FORMULA, "log(exp(400*x)) - sqrt(x)"])
def test_a_result_and_its_answers_weigh_what_python_allocates_for_them(formula: str) -> None:
    service, questions = inspector(), DiagnosisService()

    def ask(seed: int) -> tuple[object, ...]:
        result = service.inspect(asked(seed, formula))
        return result, questions.where(result, result.inspection.worst_step)

    ask(0)  # what is made once
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = ask(1)
        gc.collect()
        allocated = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0.7 < bytes_held(made) / allocated < 1.5


def test_the_results_of_many_visits_hold_no_more_than_their_bound() -> None:
    service = inspector(megabytes=10.0)
    alive = [weakref.ref(service.inspect(asked(seed)).inspection) for seed in range(12)]
    gc.collect()
    kept = [one for each in alive if (one := each()) is not None]
    assert 2 <= len(kept) < 12 and bytes_held(kept) <= 10e6


def test_a_visit_keeps_its_own_result_when_others_push_it_out() -> None:
    service = inspector(megabytes=0.001)

    def answer(seed: int, last: Any) -> Any:
        return service.answer(asked(seed), None, lambda _: None, last_good=last).result

    mine = answer(1, None)
    assert answer(2, None) is not mine and answer(1, mine) is mine
    assert answer(3, mine).request.seed == 3


def test_every_cache_of_the_product_is_bounded() -> None:
    ours = ("eic_core", "study", "db", "pages")
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in ours]
    spaces = [space for module in modules for space in (module, *vars(module).values())]
    dictionaries = [vars(space) for space in spaces if hasattr(space, "__dict__")]
    values = [value for each in dictionaries for value in each.values()]
    memos = {
        each
        for each in values
        if isinstance(each, functools._lru_cache_wrapper) and each.__module__.split(".")[0] in ours
    }
    assert len(memos) > 30
    for memo in memos:
        bound = memo.cache_info().maxsize
        assert bound is not None or not inspect.signature(memo).parameters, memo.__qualname__
    built = (wiring.inspector_service(), wiring.diagnosis_service())
    places = [wiring.figure_cache(), wiring.draft_cache()]
    places += [v for one in built for v in vars(one).values() if isinstance(v, BoundedCache)]
    assert len(places) == 5 and sum(place._most for place in places) <= TOGETHER
    for one in gc.get_objects():
        if isinstance(one, Cache):
            assert one.maxsize < 1e9


def test_visits_that_have_ended_are_let_go_without_another_one() -> None:
    ends: Any = MemorySessionStorage(ttl_seconds=0)
    visits = WebsocketSessionManager(ends, None, None, None)  # type: ignore[arg-type]
    visit = Visit()
    gone = weakref.ref(visit)
    ends.save(SimpleNamespace(session=SimpleNamespace(id="one", visit=visit)))
    del visit
    assert gone() is not None
    forget_ended_visits(visits)
    assert gone() is None


def test_jobs_that_have_ended_are_kept_up_to_a_number() -> None:
    all_jobs = jobs.Jobs()
    for number in range(jobs.MOST_ENDED + 20):
        assert all_jobs.start(str(number), "work", lambda _: None).wait(UNHURRIED)
    assert all_jobs.get("0") is None and len(all_jobs.under("")) <= jobs.MOST_ENDED + 1
