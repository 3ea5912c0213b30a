"""What the left pane sends to the browser."""

from __future__ import annotations

import json
import math
from functools import cache
from xml.etree import ElementTree

import pytest

from eic_core.drawing.scale import colour
from eic_core.samples import Domain
from pages.ui.bench.tree_pane import TreePane, pane_of
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult, InspectorService


@cache
def result_of(formula: str, low: float = 1.0, high: float = 2.0) -> InspectionResult:
    variables = [name for name in ("x", "y") if name in formula]
    domains = tuple((name, Domain("uniform", low, high)) for name in variables)
    service = InspectorService()
    return service.inspect(InspectionRequest(formula, domains=domains, samples=500))


def test_every_node_has_its_numbers_its_neighbours_and_its_place() -> None:
    result = result_of("log(x)-3*sin(y)")
    data = pane_of(result).to_json()
    formula = result.inspection.formula
    assert [node["text"] for node in data["nodes"]] == [n.text for n in result.inspection.nodes]
    for k, node in enumerate(data["nodes"]):
        assert node["children"] == list(formula.nodes[k].children)
        assert all(data["nodes"][child]["parent"] == k for child in node["children"])
        assert node["digits"] == pytest.approx(result.inspection.nodes[k].local_eic, abs=1e-3)
        assert f'data-node="{k}"' in data["tree"]
        assert all(len(box) == 4 for box in data["formula"]["boxes"][str(k)])
    assert data["nodes"][-1]["parent"] is None
    assert data["worst_step"] == result.inspection.worst_step
    assert data["colours"]["ramp"][-1] == colour(data["colours"]["high"])


def test_created_digits_add_up_to_the_worst_steps_and_are_undefined_beside_it() -> None:
    result = result_of("(10000*x-9999*x)*1+0*log(x+y)")
    pane = pane_of(result)
    created = [node.created for node in pane.nodes]
    below = result.inspection.formula.subtree(pane.worst_step)
    inside = created[pane.worst_step + 1 - len(below) : pane.worst_step + 1]
    loss = pane.nodes[pane.worst_step].digits
    assert math.fsum(inside) == pytest.approx(loss, abs=0.7)
    assert all(math.isnan(c) for c in created if c not in inside)


def test_infinite_and_undefined_numbers_go_as_words() -> None:
    pane = pane_of(result_of("log(x-x)+log(y/y)"))
    assert '"nan"' in json.dumps(pane.to_json(), allow_nan=False)


def test_a_long_formula_fits_into_a_message() -> None:
    result = result_of("+".join(f"sin({i}*x)/{i}" for i in range(1, 10)))
    assert 55 <= len(result.inspection.nodes) <= 70
    assert len(json.dumps(pane_of(result).to_json())) < 60_000


def test_signs_of_comparison_are_escaped_in_both_drawings() -> None:
    data = pane_of(result_of("where(x<1.5, x, 2)")).to_json()
    assert any("<" in node["text"] for node in data["nodes"])
    for drawing in (data["tree"], data["formula"]["svg"], data["formula"]["mathml"]):
        ElementTree.fromstring(drawing)  # not well formed with a bare sign


def folded(pane: TreePane) -> list[int]:
    return [k for k, _ in enumerate(pane.nodes) if not pane.shows(k)]


def test_a_large_tree_folds_and_unfolds_a_node_that_is_asked_for() -> None:
    result = result_of("+".join(f"sin({i}*x)/(y+{i})" for i in range(1, 40)))
    pane = pane_of(result)
    hidden = folded(pane)
    assert hidden and not pane.unfolded
    parent = pane.nodes[hidden[0]].parent
    assert parent is not None
    again = pane_of(result, frozenset({parent}))
    assert again.unfolded and again.shows(hidden[0])


def test_columns_without_anything_to_say_are_left_out() -> None:
    names = [name for name, _, _ in pane_of(result_of("x+1")).columns]
    assert names == ["id", "text", "digits", "s"]
    names = [name for name, _, _ in pane_of(result_of("log(x)", -1.0, 1.0)).columns]
    assert "invalid" in names and "singular" not in names


def test_the_second_button_leads_to_where_the_digits_arise() -> None:
    result = result_of("(1000*x - 999*x)**40")
    places = pane_of(result).places
    assert [place["key"] for place in places] == ["W", "O"]
    assert [place["node"] for place in places] == [result.inspection.worst_step, result.origin]
    assert [place["key"] for place in pane_of(result_of("x+1")).places] == ["W"]


def test_a_narrow_page_gets_a_formula_that_fits_it() -> None:
    result = result_of("+".join(f"sin({i}*x)" for i in range(1, 12)))

    def width(narrow: bool) -> float:
        boxes = pane_of(result, narrow=narrow).formula["boxes"].values()
        return max(x + w for places in boxes for x, _, w, _ in places)

    assert width(True) < 332 < width(False) < 560
