"""The trees of the gallery's examples, as a pane of the workbench has them."""

from __future__ import annotations

import pytest

from eic_core.drawing.layout import TAG_GAP, compose, focus_node, tag_side, text_width
from eic_core.drawing.svg import LEGEND_WIDTH, PADDING
from eic_core.formula.syntax import read
from eic_core.measure import inspect, sample_domains
from pages.ui.inspector.formula_input import EXAMPLES

WIDTH, HEIGHT = 540.0, 260.0


@pytest.mark.parametrize("example", EXAMPLES, ids=[one.key for one in EXAMPLES])
def test_the_tree_of_an_example_fits_its_pane_and_the_label_covers_no_card(example):
    formula = read(example.formula).formula
    samples = sample_domains(dict(example.domains), count=300)
    inspection = inspect(formula, samples, recheck=False)
    focus = focus_node(inspection)
    scene = compose(inspection, selected=focus, width=WIDTH, height=HEIGHT)
    assert scene.width <= WIDTH + 1 and scene.height <= HEIGHT + 1
    (card,) = [card for card in scene.cards if card.tag]
    assert card.node_id == focus
    size = 12 * scene.scale
    wide = text_width(card.tag, size)
    side = tag_side(card, scene, spare=PADDING + max(0, LEGEND_WIDTH - scene.width) / 2)
    x, y = card.x, card.y
    if side == "above":
        y -= card.height / 2 + 9 + size / 3
    else:
        x += (card.width / 2 + TAG_GAP + wide / 2) * (1 if side == "right" else -1)
    for other in scene.cards:
        apart = (
            abs(x - other.x) > (wide + other.width) / 2
            or abs(y - other.y) > (other.height + size) / 2
        )
        assert apart or other is card, other.title
