"""What functions of an inspection found is kept with it, and goes with it."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

from eic_core.explain.created import digits_created, noise_sums
from eic_core.explain.verdict import verdict
from eic_core.formula.syntax import read
from eic_core.measure import Inspection, Samples, inspect
from eic_core.measure.double_range import double_range
from eic_core.measure.following import following, moves_of, sources_of_infinity, undecided
from eic_core.measure.measured import measured_loss
from eic_core.measure.outcomes import outcomes


def inspected(text: str = "floor(x) + sqrt((x - 1)**2)") -> Inspection:
    return inspect(read(text).formula, Samples.from_columns({"x": [1.0, 2.5, 1e300]}))


def test_each_result_is_found_once() -> None:
    one, other = inspected(), inspected()
    functions = (undecided, moves_of, following, double_range, sources_of_infinity)
    for function in (*functions, measured_loss, outcomes, verdict):
        assert function(one) is function(one)
        assert function(one) is not function(other)
    for of_node in (noise_sums, digits_created):
        assert of_node(one, 3) is of_node(one, 3)
        assert of_node(one, 3) is not of_node(one, 1)


def test_copies_find_their_own_and_compare_as_before() -> None:
    inspection = inspected()
    verdict(inspection)
    for twin in (copy.copy(inspection), pickle.loads(pickle.dumps(inspection))):
        assert not twin._results and twin != inspection
        assert verdict(twin).to_json() == verdict(inspection).to_json()
        assert verdict(twin) is not verdict(inspection)
        assert twin.to_json() == inspection.to_json()


def test_results_go_with_the_inspection_and_threads_share_one() -> None:
    inspection = inspected()
    with ThreadPoolExecutor(8) as threads:
        assert len({id(said) for said in threads.map(verdict, [inspection] * 32)}) == 1
    gone = weakref.ref(verdict(inspection))
    del inspection
    gc.collect()
    assert gone() is None
