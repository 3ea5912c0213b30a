"""Layout, folding and drawing of trees, read back from the SVG."""

from __future__ import annotations

import math
import random
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from eic_core.drawing.layout import (
    GAP,
    SMALLEST,
    WIDTH,
    VisibleTree,
    compose,
    tidy,
    visible_tree,
)
from eic_core.drawing.scale import SCALE_TITLES, colour, paint
from eic_core.drawing.svg import tree_svg
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, inspect
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
    unfolded = frozenset(random.Random(seed).choices(range(len(inspection.nodes)), k=2))
    for narrow in (False, True):
        assert overlaps(compose(inspection, unfolded=unfolded, narrow=narrow).cards) == []


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


def test_the_worst_step_is_always_shown():
    for seed in range(8):
        inspection = random_inspection(seed, 500)
        assert inspection.worst_step in visible_tree(inspection).order
        assert inspection.worst_step in visible_tree(inspection, narrow=True).order


def test_cool_subtrees_fold_before_hot_ones():
    cool = "+".join(f"(x+{i})*(y+{i})" for i in range(1, 25))
    inspection = inspect_ranges(f"({cool})+sin(1000*x)*(x-1.00001)", count=200)
    tree = visible_tree(inspection)
    assert {"sin", "sub"} <= {inspection.nodes[k].node.operator for k in tree.order}
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
    assert tidy(tree, dict.fromkeys(order, 20.0)).levels == 5_001
    assert len(compose(inspect(formula, Samples.from_columns({"x": [1.0, 2.0]}))).cards) <= 40


def test_a_parent_stands_over_the_middle_of_its_operands():
    inspection = inspect_ranges("(x+y)*(x-y)", count=200)
    at = {card.node_id: card for card in compose(inspection).cards}
    root = inspection.formula.root
    assert at[root.id].x == pytest.approx(sum(at[c].x for c in root.children) / 2)


def test_neighbours_keep_their_distance():
    x = tidy(VisibleTree((0, 1, 2), {0: (), 1: (), 2: (0, 1)}, {}), {0: 30, 1: 50, 2: 20}).x
    assert x[1] - x[0] == pytest.approx(40 + GAP)


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


SVG = "{http://www.w3.org/2000/svg}"
CANCELLING = "10000*x-9999*x"


def nodes_of(svg):
    """The groups of the nodes by id, in the order of the document."""
    return {
        int(g.get("data-node")): g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("data-node")
    }


def texts_of(group):
    return ["".join(t.itertext()) for t in group.iter(f"{SVG}text")]


def part(group, name):
    (one,) = [e for e in group.iter() if name in (e.get("class") or "").split()]
    return one


def size_of(svg):
    root = ET.fromstring(svg)
    return float(root.get("width")), float(root.get("height"))


@pytest.mark.parametrize(
    "text", ["x", "x-1", "x-x", "log(-x)", "x-x+sin(y)", "sqrt(x-2)", "min(x,y,2,3)", "2+3"]
)
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("interactive", [False, True])
def test_every_kind_of_tree_is_a_picture_of_all_its_nodes(text, dark, interactive):
    inspection = inspect_ranges(text, count=200)
    svg = tree_svg(inspection, selected=0, dark=dark, interactive=interactive, height=300)
    assert sorted(nodes_of(svg)) == list(range(len(inspection.nodes)))


@pytest.mark.parametrize("size", [11, 60, 200])
@pytest.mark.parametrize("height", [260, 400, None])
def test_every_node_is_shown_or_stands_in_one_folded_card(size, height):
    for seed in range(3):
        inspection = random_inspection(seed, size)
        groups = nodes_of(tree_svg(inspection, width=620, height=height))
        covered = []
        for k, group in groups.items():
            spans = [span.split("-") for span in group.get("data-nodes").split(",")]
            ids = [i for low, high in spans for i in range(int(low), int(high) + 1)]
            assert k in ids
            covered += ids
        assert sorted(covered) == list(range(len(inspection.nodes)))
        assert inspection.worst_step in groups


def test_a_skipped_stretch_says_which_nodes_it_hides():
    chain = "x-1.0001" + "".join(f"+y*{i}" for i in range(1, 60))
    inspection = inspect_ranges(chain, count=200)
    tree = visible_tree(inspection)
    ((top, _),) = tree.skipped.items()
    (end,) = tree.children[top]
    assert nodes_of(tree_svg(inspection))[top].get("data-nodes").endswith(f"{end + 1}-{top}")


@pytest.mark.parametrize("size", [11, 40, 60, 200])
def test_a_picture_keeps_within_its_room_and_cools_branches_for_it(size):
    for seed in range(4):
        inspection = random_inspection(seed, size)
        for width, height in ((620, 300), (620, 420), (540, 340)):
            wide, high = size_of(tree_svg(inspection, width=width, height=height))
            assert high <= height + 1
            assert wide <= width * 1.05


def test_a_lower_picture_folds_more_and_shows_the_guilty_node_still():
    inspection = random_inspection(2, 120)
    low, high = (nodes_of(tree_svg(inspection, width=620, height=h)) for h in (280, 600))
    assert len(low) < len(high)
    assert inspection.worst_step in low


def test_each_node_shows_its_sign_and_its_digits():
    groups = nodes_of(tree_svg(inspect_ranges(CANCELLING, count=200)))
    assert texts_of(groups[6])[:2] == ["−", "4.39"] and texts_of(groups[0]) == ["10000", "0"]


def test_a_node_has_the_colour_of_its_digits_and_text_that_reads_on_it():
    inspection = inspect_ranges(CANCELLING, count=200)
    for dark in (False, True):
        for k, group in nodes_of(tree_svg(inspection, dark=dark)).items():
            drawn = paint(inspection.nodes[k].local_eic, dark)
            assert part(group, "fill").get("fill") == drawn.fill
            assert part(group, "title").get("fill") == part(group, "value").get("fill") == drawn.ink


def test_flat_cards_have_both_texts_in_a_line():
    inspection = random_inspection(1, 40)
    scene = compose(inspection, width=1200, height=260)
    assert scene.flat
    groups = nodes_of(tree_svg(inspection, width=1232, height=260 + 80))
    for card in scene.cards:
        (line,) = [t for t in groups[card.node_id].iter(f"{SVG}text") if t.get("class") != "tag"]
        assert [t.text or "" for t in line.iter(f"{SVG}tspan")] == [card.title, card.value]


def test_the_worst_step_alone_is_labelled():
    groups = nodes_of(tree_svg(inspect_ranges(CANCELLING, count=200)))
    assert [k for k, group in groups.items() if "worst step" in texts_of(group)] == [6]


def test_a_tree_without_any_value_says_where_and_does_not_name_a_worst_step():
    inspection = inspect_ranges("log(-x)+1", count=200)
    assert inspection.nodes[inspection.worst_step].node.operator == "log"
    groups = nodes_of(tree_svg(inspection))
    assert "no real value" in texts_of(groups[inspection.worst_step])
    assert all("undefined" in texts_of(group) for group in groups.values())
    assert "worst step" not in str([texts_of(group) for group in groups.values()])


def test_infinite_nodes_are_dashed_and_hatched_and_say_so():
    groups = nodes_of(tree_svg(inspect_ranges("(x-x)+y", count=200)))
    assert "∞" in texts_of(groups[2])
    assert part(groups[2], "card").get("stroke-dasharray")
    assert part(groups[2], "hatch").get("fill") == "url(#hatch-light)"
    assert not [k for k in (0, 1, 3, 4) if "hatch" in ET.tostring(groups[k], "unicode")]


def test_a_script_can_hatch_and_ring_any_node_of_a_picture_for_it():
    groups = nodes_of(tree_svg(inspect_ranges("(x-x)+y", count=200), selected=4, interactive=True))
    assert all(part(group, "ring").get("visibility") == "hidden" for group in groups.values())
    assert [k for k, g in groups.items() if not part(g, "hatch").get("visibility")] == [2]
    assert [k for k, g in groups.items() if g.get("class") == "node selected"] == [4]


def test_the_selected_node_is_ringed_in_a_file():
    groups = nodes_of(tree_svg(inspect_ranges(CANCELLING, count=200), selected=2))
    assert [
        k for k, group in groups.items() if 'class="ring"' in ET.tostring(group, "unicode")
    ] == [2]


def test_a_picture_for_a_script_is_an_aria_tree_in_reading_order():
    inspection = random_inspection(4, 120)
    svg = tree_svg(inspection, interactive=True, identity="one", width=620, height=320)
    root = ET.fromstring(svg)
    assert root.get("role") == "tree" and "x" in root.get("aria-label")
    items = list(nodes_of(svg).values())
    assert all(item.get("role") == "treeitem" for item in items)
    assert [item.get("tabindex") for item in items] == ["0"] + ["-1"] * (len(items) - 1)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids) and all("one" in each for each in ids)
    levels = [int(item.get("aria-level")) for item in items]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))
    # a parent stands before its children, and these in their order
    way = []
    for item, level in zip(items, levels, strict=True):
        way = [*way[: level - 1], int(item.get("data-node"))]
        if level > 1:
            assert nodes_of(svg)[way[-2]].get("aria-expanded") == "true"
            assert int(item.get("aria-posinset")) <= int(item.get("aria-setsize"))
    closed = [item for item in items if item.get("aria-expanded") == "false"]
    assert closed and all(item.get("data-folded") != "0" for item in closed)
    folded = [item for item in items if item.get("data-folded") != "0"]
    assert all("nodes, folded" in item.get("aria-label") for item in folded)


def test_a_node_is_told_in_words():
    groups = nodes_of(tree_svg(inspect_ranges(CANCELLING, count=200), interactive=True))
    assert groups[6].get("aria-label") == ("10000·x − 9999·x, local EIC 4.39, worst step")
    assert groups[1].get("aria-label") == "x, local EIC 0"


def test_nothing_but_nodes_is_heard_in_an_aria_tree():
    root = ET.fromstring(tree_svg(inspect_ranges(CANCELLING, count=200), interactive=True))
    (legend,) = [g for g in root.iter(f"{SVG}g") if g.get("class") == "legend"]
    (edges,) = [g for g in root.iter(f"{SVG}g") if g.get("class") == "edges"]
    assert legend.get("aria-hidden") == edges.get("aria-hidden") == "true"


def test_every_edge_names_the_node_at_its_lower_end():
    svg = tree_svg(inspect_ranges(CANCELLING, count=200))
    edges = [int(p.get("data-edge")) for p in ET.fromstring(svg).iter(f"{SVG}path")]
    assert sorted(edges) == [0, 1, 2, 3, 4, 5]


def test_colours_by_digits_created_keep_the_scale_and_have_their_own_title_and_label():
    inspection = inspect_ranges(f"sin({CANCELLING})+y", count=200)
    created = [0.0] * len(inspection.nodes)
    created[6], created[7] = 4.4, 0.3
    svg = tree_svg(inspection, by="created", values=created)
    groups = nodes_of(svg)
    assert part(groups[6], "fill").get("fill") == colour(4.4)
    assert part(groups[9], "fill").get("fill") == colour(0.0)
    assert texts_of(groups[6]) == ["−", "4.40", "creates most"]
    assert SCALE_TITLES["created"] in svg and SCALE_TITLES["eic"] not in svg


def test_both_colourings_show_the_worst_step_and_the_node_that_creates_most():
    inspection = random_inspection(6, 300)
    created = [0.0] * len(inspection.nodes)
    created[17] = 3.0
    sizes = {"width": 620, "height": 320, "values": created}
    by_eic, by_created = (
        nodes_of(tree_svg(inspection, by=by, **sizes)) for by in ("eic", "created")
    )
    assert {17, inspection.worst_step} <= set(by_eic) & set(by_created)


def test_digits_created_without_values_are_refused():
    inspection = inspect_ranges("x-1", count=200)
    with pytest.raises(ValueError, match="created"):
        tree_svg(inspection, by="created")
    with pytest.raises(ValueError, match="another"):
        tree_svg(inspection, by="another", values=[0.0] * 3)


@pytest.mark.parametrize("width", [280, 332, 620])
def test_the_legend_says_the_levels_in_words_and_keeps_within_the_picture(width):
    svg = tree_svg(inspect_ranges("x-1", count=200), width=width, narrow=True)
    root = ET.fromstring(svg)
    (legend,) = [g for g in root.iter(f"{SVG}g") if g.get("class") == "legend"]
    words = texts_of(legend)
    assert words[0] == SCALE_TITLES["eic"]
    assert words[1:10] == [str(tick) for tick in range(9)]
    assert words[10:] == ["below 1", "from 1", "from 2 digits"]
    # a level's swatch has every colour of its cards: of 2.3 digits as of 7
    fills = [r.get("fill") for r in legend.iter(f"{SVG}rect")][1:]
    ends = [(0.0, 1.0), (1.0, 2.0), (2.0, 8.0)]
    assert len(fills) == len(ends)
    gradients = {f"url(#{g.get('id')})": g for g in root.iter(f"{SVG}linearGradient")}
    for fill, (low, high) in zip(fills, ends, strict=True):
        stops = [
            (float(stop.get("offset")), stop.get("stop-color"))
            for stop in gradients[fill].iter(f"{SVG}stop")
        ]
        assert len(stops) > 4
        for share, painted in stops:
            assert painted == colour(low + (high - low) * share)
    wide, high = size_of(svg)
    for text in legend.iter(f"{SVG}text"):
        x, size = float(text.get("x")), float(text.get("font-size"))
        half = 0.25 * size * len(text.text)  # letters are about half as wide as high
        left = x - half if text.get("text-anchor") == "middle" else x
        assert left >= 0 and left + 2 * half <= wide and float(text.get("y")) <= high


def test_a_picture_may_go_without_its_legend():
    with_it, without = (
        tree_svg(inspect_ranges("x-1", count=200), legend=shown) for shown in (True, False)
    )
    assert "from 2 digits" in with_it and "from 2 digits" not in without
    assert size_of(without)[1] < size_of(with_it)[1]


def test_user_text_cannot_become_markup():
    name = '<img src=x>"'
    inspection = inspect(
        Formula.from_draft(Draft("sin", [variable(name)]), name),
        Samples.from_columns({name: [1.0]}),
    )
    for interactive in (False, True):
        svg = tree_svg(inspection, interactive=interactive, identity='"><img')
        assert "<img" not in svg
        ET.fromstring(svg)


def test_the_svg_survives_control_characters():
    name = "a\x00b\x1b&\"'"
    inspection = inspect(
        Formula.from_draft(variable(name), name), Samples.from_columns({name: [1.0]})
    )
    ET.fromstring(tree_svg(inspection))


def test_a_picture_of_a_large_tree_is_small():
    inspection = random_inspection(1, 300)
    assert len(tree_svg(inspection, width=620, height=320, interactive=True)) < 40_000
