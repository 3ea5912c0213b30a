"""What the rows of a table can be drawn against."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.explain.where import Where

ROW, VALUE, INPUT = "row", "value", "input"


@dataclass(frozen=True)
class Across:
    """What the rows are drawn against.

    Attributes
    ----------
    kind : {"input", "value", "row"}
        A variable, the value of the node that vanishes at the carrying rows, or the row number.
    name : str
        The variable, or the node's text; "" for the row number.
    """

    kind: str
    name: str = ""


def ways_across(found: Where) -> tuple[Across, ...]:
    """Everything that the rows can be drawn against, what tells most first.

    That is the input that the carrying rows pick out (one row picks out every input, and so
    none); else the node that vanishes at them; else the row number in a table, and an input
    where rows are drawn from ranges.

    Examples
    --------
    >>> from eic_core.explain.where import where
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> [way.kind for way in ways_across(where(inspect(read("1/(x-2)").formula, samples)))]
    ['value', 'input', 'row']
    """
    inspection, place = found.inspection, found.place
    inputs = [Across(INPUT, n) for n in inspection.formula.subtree(found.node_id).variables]
    value, picked = [], []
    if place is not None:
        picked = [Across(INPUT, i.name) for i in place.inputs]
        if place.node_id is not None and inspection.formula.nodes[place.node_id].children:
            value = [Across(VALUE, inspection.nodes[place.node_id].text)]
    row = [Across(ROW)]
    table = inspection.samples.rows is not None
    alone = bool(value) and len(found.carriers[1].positions) == 1
    ways = [*(value if alone else ()), *picked, *value, *(row if table else ()), *inputs, *row]
    return tuple(dict.fromkeys(ways))
