"""Layout, folding and drawing of trees."""

from __future__ import annotations

import math
import random
import xml.etree.ElementTree as ET
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from eic_core.drawing.layout import (
    GAP,
    SMALLEST,
    WIDTH,
    VisibleTree,
    compose,
    focus_node,
    text_width,
    tidy,
    visible_tree,
)
from eic_core.drawing.svg import tree_svg
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, inspect, sample_domains
from pages.ui.figures.tree import MARGINS, tree_figure
from pages.ui.inspector.formula_input import EXAMPLES
from pages.ui.inspector.workbench import TREE_HEIGHT
from tests.inspections import inspect_ranges


def random_draft(rng, size):
    """A random tree of `size` nodes or a little more, made without recursion."""
    parts = [
        variable(rng.choice("xyz")) if rng.random() < 0.7 else constant("2.5")
        for _ in range(max(1, size // 2))
    ]
    while len(parts) > 1:
        place = rng.randrange(len(parts) - 1)
        pair = parts[place : place + 2]
        parts[place : place + 2] = [Draft(rng.choice(["add", "mul", "sub"]), pair)]
        if rng.random() < 0.2:
            parts[place] = Draft(rng.choice(["sin", "exp", "abs"]), [parts[place]])
    return parts[0]


def random_inspection(seed, size):
    formula = Formula.from_draft(random_draft(random.Random(seed), size), f"tree {seed} {size}")
    rng = random.Random(seed)
    columns = {name: [rng.uniform(0.1, 2) for _ in range(20)] for name in formula.variables}
    return inspect(formula, Samples.from_columns(columns, count=20), recheck=False)


def overlaps(cards):
    """Pairs of cards closer than they may be."""
    found = []
    for i, a in enumerate(cards):
        for b in cards[i + 1 :]:
            apart = abs(a.x - b.x) >= (a.width + b.width) / 2 - 1e-6
            levels = abs(a.y - b.y) >= a.height
            if not (apart or levels):
                found.append((a, b))
    return found


@pytest.mark.parametrize("size", [3, 11, 30, 60, 200, 500])
@pytest.mark.parametrize("seed", range(4))
def test_cards_never_overlap(seed, size):
    inspection = random_inspection(seed, size)
    rng = random.Random(seed)
    unfolded = frozenset(rng.choices(range(len(inspection.nodes)), k=2))
    for narrow in (False, True):
        scene = compose(inspection, unfolded=unfolded, narrow=narrow)
        assert overlaps(scene.cards) == []


@pytest.mark.parametrize("text", ["where(x > 0, log(x), 0)", "sin(x)^2/(1+exp(-x)) - log(1+x)"])
@pytest.mark.parametrize("pixels", [260, 300, 340])
def test_cards_of_a_small_tree_stay_apart_on_a_phone_of_less_room(text, pixels):
    """Cards keep their size while the places shrink with the plot: boxes as they are drawn."""
    inspection = inspect_ranges(text, count=200)
    figure = tree_figure(inspection, narrow=True)
    low, high = figure.layout.xaxis.range
    drawn = [
        replace(card, x=(card.x - low) * pixels / (high - low))
        for card in compose(inspection, narrow=True).cards
    ]
    assert overlaps(drawn) == []
    assert all(card.width / 2 <= card.x <= pixels - card.width / 2 for card in drawn)
    (bar,) = (t.marker.colorbar.len for t in figure.data if t.marker.showscale)
    assert bar <= pixels + 12  # a longer bar squeezes the plot


@pytest.mark.parametrize("size", [60, 200, 500])
@pytest.mark.parametrize("narrow", [False, True])
def test_large_trees_fold_until_they_fit(size, narrow):
    for seed in range(5):
        scene = compose(random_inspection(seed, size), narrow=narrow)
        assert len(scene.cards) <= 45
        assert scene.scale >= SMALLEST[narrow]
        assert scene.width <= WIDTH[narrow] * 1.35 or len(scene.cards) < 20


@pytest.mark.parametrize("narrow", [False, True])
def test_a_tree_of_three_nodes_is_drawn_whole(narrow):
    scene = compose(inspect_ranges("x-1", count=200), narrow=narrow)
    assert len(scene.cards) == 3 and not scene.tree.folded


def test_hidden_nodes_are_counted_exactly():
    inspection = random_inspection(7, 500)
    tree = visible_tree(inspection)
    assert len(tree.order) + sum(tree.folded.values()) == len(inspection.nodes)


def test_the_bottleneck_is_always_shown():
    for seed in range(8):
        inspection = random_inspection(seed, 500)
        assert inspection.bottleneck in visible_tree(inspection).order
        assert inspection.bottleneck in visible_tree(inspection, narrow=True).order


def test_cool_subtrees_fold_before_hot_ones():
    cool = "+".join(f"(x+{i})*(y+{i})" for i in range(1, 25))
    inspection = inspect_ranges(f"({cool})+sin(1000*x)*(x-1.00001)", count=200)
    tree = visible_tree(inspection)
    shown = {inspection.nodes[k].node.operator for k in tree.order}
    assert {"sin", "sub"} <= shown
    assert tree.folded


def test_unfolding_shows_the_operands_and_closes_nothing():
    inspection = random_inspection(3, 300)
    before = visible_tree(inspection)
    k = max(before.folded, key=lambda j: before.folded[j])
    after = visible_tree(inspection, frozenset({k}))
    assert k not in after.folded or k in after.skipped
    assert set(before.order) <= set(after.order)
    assert len(after.order) > len(before.order)


def test_every_node_can_be_reached_by_unfolding():
    inspection = random_inspection(5, 200)
    unfolded: set[int] = set()
    for _ in range(500):
        tree = visible_tree(inspection, frozenset(unfolded))
        if not tree.folded:
            break
        unfolded.add(next(iter(tree.folded)))
    assert tree.order == tuple(range(len(inspection.nodes)))


def test_unfolding_everything_at_once_shows_every_node():
    inspection = random_inspection(5, 600)
    tree = visible_tree(inspection, frozenset(range(len(inspection.nodes))))
    assert tree.order == tuple(range(len(inspection.nodes)))


def test_the_selected_node_is_shown_wherever_it_is():
    inspection = random_inspection(11, 400)
    for k in range(0, len(inspection.nodes), 37):
        assert k in visible_tree(inspection, selected=k).order


def test_the_middle_of_a_long_way_is_skipped_and_can_be_opened():
    chain = "x-1.0001" + "".join(f"+y*{i}" for i in range(1, 60))
    inspection = inspect_ranges(chain, count=200)
    tree = visible_tree(inspection)
    assert len(tree.skipped) == 1
    ((top, run),) = tree.skipped.items()
    assert len(run) > 20
    opened = visible_tree(inspection, frozenset({top}))
    assert top not in opened.skipped
    assert set(tree.order) < set(opened.order)


def test_ids_outside_the_tree_are_ignored():
    inspection = inspect_ranges("x-1", count=200)
    assert visible_tree(inspection, frozenset({99, -1}), selected=99).order == (0, 1, 2)


def test_a_tree_of_ten_thousand_nodes_is_laid_out_without_recursion():
    draft = variable("x")
    for _ in range(5_000):
        draft = Draft("add", [draft, variable("x")])
    formula = Formula.from_draft(draft, "deep")
    order = tuple(range(len(formula)))
    tree = VisibleTree(order, {n.id: n.children for n in formula.nodes}, {})
    placement = tidy(tree, dict.fromkeys(order, 20.0))
    assert placement.levels == 5_001
    inspection = inspect(formula, Samples.from_columns({"x": [1.0, 2.0]}))
    assert len(compose(inspection).cards) <= 40


def test_a_parent_stands_over_the_middle_of_its_operands():
    inspection = inspect_ranges("(x+y)*(x-y)", count=200)
    scene = compose(inspection)
    at = {card.node_id: card for card in scene.cards}
    root = inspection.formula.root
    assert at[root.id].x == pytest.approx(sum(at[c].x for c in root.children) / 2)


def test_neighbours_keep_their_distance():
    tree = VisibleTree((0, 1, 2), {0: (), 1: (), 2: (0, 1)}, {})
    x = tidy(tree, {0: 30, 1: 50, 2: 20}).x
    assert x[1] - x[0] == pytest.approx(40 + GAP)


@pytest.mark.parametrize(
    "text", ["x", "x-1", "x-x", "log(-x)", "x-x+sin(y)", "sqrt(x-2)", "min(x,y,2,3)", "2+3"]
)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_every_kind_of_tree_is_a_valid_figure(text, dark, narrow):
    inspection = inspect_ranges(text, count=200)
    figure = tree_figure(inspection, selected=0, dark=dark, narrow=narrow)
    go.Figure(figure.to_dict())  # validates
    ET.fromstring(tree_svg(inspection, selected=0, dark=dark))


def hit(figure):
    (trace,) = [t for t in figure.data if t.name == "nodes"]
    return trace


def test_a_click_gives_the_node_id():
    trace = hit(tree_figure(inspect_ranges("10000*x-9999*x", count=200)))
    assert sorted(set(trace.customdata)) == list(range(7))
    assert trace.mode == "markers"


def test_a_wide_card_answers_at_both_ends():
    inspection = random_inspection(3, 300)
    folded = set(visible_tree(inspection).folded)
    trace = hit(tree_figure(inspection))
    wide = [k for k in folded if list(trace.customdata).count(k) == 3]
    assert wide


def test_only_the_nodes_answer_to_the_mouse():
    figure = tree_figure(inspect_ranges("10000*x-9999*x", count=200))
    assert all(t.hoverinfo == "skip" for t in figure.data if t.name != "nodes")


def texts(figure):
    return [text for trace in figure.data if trace.mode == "text" for text in trace.text]


def test_each_node_shows_its_sign_and_its_digits():
    shown = " ".join(texts(tree_figure(inspect_ranges("10000*x-9999*x", count=200))))
    assert "<b>−</b>" in shown and "<b>10000</b>" in shown and "4.39" in shown


def test_the_digits_of_a_tree_have_their_name_on_scale_and_hover():
    inspection = inspect_ranges("(x-x) + 10000*y - 9999*y", count=200)
    figure = tree_figure(inspection)
    (bar,) = [t.marker.colorbar for t in figure.data if t.marker and t.marker.showscale]
    assert bar.title.text.startswith("local EIC") and bar.title.text in tree_svg(inspection)
    assert all("local EIC of this step: " in text for text in hit(figure).hovertext)


def test_the_bottleneck_is_labelled():
    figure = tree_figure(inspect_ranges("10000*x-9999*x", count=200))
    assert [a.text for a in figure.layout.annotations] == ["<b>bottleneck</b>"]


@pytest.mark.parametrize("example", EXAMPLES, ids=[one.key for one in EXAMPLES])
def test_the_label_covers_no_card_and_the_tree_of_an_example_fits_a_first_screen(example):
    formula = read(example.formula).formula
    samples = sample_domains(dict(example.domains), count=300)
    inspection = inspect(formula, samples, recheck=False)
    figure = tree_figure(inspection, selected=focus_node(inspection), height=TREE_HEIGHT)
    scene = compose(
        inspection,
        selected=focus_node(inspection),
        height=TREE_HEIGHT - MARGINS["t"] - MARGINS["b"],
    )
    for note in figure.layout.annotations:
        middle = note.x + (note.xshift or 0), note.y - (note.yshift or 0)
        width = text_width("bottleneck", note.font.size)
        left = middle[0] - {"left": 0, "right": width}.get(note.xanchor, width / 2)
        for card in scene.cards:
            apart = (
                left + width < card.x - card.width / 2
                or left > card.x + card.width / 2
                or abs(middle[1] - card.y) > (card.height + note.font.size) / 2
            )
            assert apart, card.title
    assert figure.layout.height <= TREE_HEIGHT + 1


def test_a_tree_without_any_value_says_where_and_does_not_name_a_bottleneck():
    inspection = inspect_ranges("log(-x)+1", count=200)
    assert inspection.nodes[focus_node(inspection)].node.operator == "log"
    figure = tree_figure(inspection)
    assert [a.text for a in figure.layout.annotations] == ["<b>no real value</b>"]
    assert all("undefined" in text for text in texts(figure))


def test_infinite_nodes_are_dashed_and_say_so():
    figure = tree_figure(inspect_ranges("(x-x)+y", count=200))
    assert any("∞" in text for text in texts(figure))
    assert any("px" in (s.line.dash or "") for s in figure.layout.shapes)


def test_edges_are_as_wide_as_their_share_and_nan_is_a_hairline():
    inspection = inspect_ranges("sin(1000*x)+y*0.000001", count=200)
    scene = compose(inspection)
    root = scene.cards[-1]
    shares = inspection.nodes[root.node_id].edge_shares
    widths = [e.width for e in scene.edges if (e.x1, e.y0 > root.y) == (root.x, True)]
    assert widths == pytest.approx([1 + 8 * s for s in shares])
    assert all(
        math.isfinite(e.width) for e in compose(inspect_ranges("log(-x)+1", count=200)).edges
    )


def test_user_text_cannot_become_markup():
    name = "<img src=x>"
    inspection = inspect(
        Formula.from_draft(Draft("sin", [variable(name)]), name),
        Samples.from_columns({name: [1.0]}),
    )
    assert "<img" not in tree_figure(inspection).to_json().replace("\\u003c", "<")
    assert "<img" not in tree_svg(inspection)


def test_the_view_survives_a_selection_but_not_another_formula():
    one, other = inspect_ranges("x-1", count=200), inspect_ranges("x-2", count=200)
    assert (
        tree_figure(one, selected=0).layout.uirevision
        == tree_figure(one, selected=2).layout.uirevision
        != tree_figure(other).layout.uirevision
    )


def test_the_colour_bar_is_fixed_from_0_to_8():
    figure = tree_figure(inspect_ranges("x-1", count=200), narrow=True)
    (marker,) = [t.marker for t in figure.data if t.marker.showscale]
    assert (marker.cmin, marker.cmax) == (0, 8)
    assert marker.colorbar.orientation == "h"
    assert list(marker.colorbar.tickvals) == list(range(9))


def test_a_tree_figure_is_small():
    assert len(tree_figure(random_inspection(1, 30)).to_json()) < 60_000


def test_the_svg_names_every_visible_node():
    svg = tree_svg(inspect_ranges("10000*x-9999*x", count=200), selected=6)
    root = ET.fromstring(svg)
    labels = ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert labels.count("x") == 2 and "bottleneck" in labels and "4.39" in labels


def test_the_svg_survives_control_characters():
    name = "a\x00b\x1b&\"'"
    inspection = inspect(
        Formula.from_draft(variable(name), name), Samples.from_columns({name: [1.0]})
    )
    ET.fromstring(tree_svg(inspection))
