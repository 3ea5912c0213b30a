"""How a formula of a list is written: nested transcendentals, variable exponents, and its twins."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.formula.rendering import number_latex, short_text, to_latex
from eic_core.formula.tree import CONSTANT, Formula, Node
from eic_core.operators import OPERATORS, TRANSCENDENTAL
from eic_core.pool.candidate import Refused, read_candidate
from eic_core.pool.listing import ListedScore

_STEP_TEXT = 40

_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

_PRINTED = 4
"""Digits of a constant that two printings of one formula share."""


@dataclass(frozen=True)
class Structure:
    """What of a formula a reader of its recommendation should know; "" for what it has not.

    >>> from eic_core.formula.syntax import read
    >>> Structure.of(read("2*sin(x + log(x)) + x**y").formula)
    Structure(nested='sin(x + log(x))', exponent='x^y')
    >>> Structure.of(read("sin(x)*exp(2) + x**3").formula)
    Structure(nested='', exponent='')
    """

    nested: str = ""  # Its first transcendental function of another, as short text
    exponent: str = ""  # Its first power whose exponent varies

    @classmethod
    def of(cls, formula: Formula) -> Structure:
        return cls(
            _text_of_first(formula, _nested(formula)), _text_of_first(formula, _powers(formula))
        )


def _text_of_first(formula: Formula, places: Iterator[int]) -> str:
    place = next(places, None)
    return "" if place is None else short_text(formula, place, _STEP_TEXT)


def _varies(formula: Formula, place: int) -> bool:
    nodes = formula.nodes[formula.first[place] : place + 1]
    return any(node.is_leaf and node.operator != CONSTANT for node in nodes)


def _nested(formula: Formula) -> Iterator[int]:
    """Transcendental functions of a varying argument that holds another, inner ones first."""
    outer = [
        node.id
        for node in formula.nodes
        if node.operator in TRANSCENDENTAL and _varies(formula, node.id)
    ]
    for before, place in zip(outer, outer[1:], strict=False):
        if before >= formula.first[place]:
            yield place


def _powers(formula: Formula) -> Iterator[int]:
    for node in formula.nodes:
        powers = len(node.children) == 2 and OPERATORS[node.operator].power
        if powers and _varies(formula, node.children[1]):
            yield node.id


def formula_of(scored: ListedScore) -> Formula | None:
    """A scored formula, read once more as it was; None if it was refused."""
    candidate = scored.listed.candidate()
    if scored.syntax:
        candidate = candidate.in_notation(scored.syntax)
    reading = read_candidate(candidate, tuple(scored.columns.values()))
    return None if isinstance(reading, Refused) else reading.formula


def structure_of(scored: ListedScore) -> Structure:
    formula = formula_of(scored)
    return Structure() if formula is None else Structure.of(formula)


def short_latex(formula: Formula) -> str:
    r"""LaTeX with constants as short as tables print them.

    >>> from eic_core.formula.syntax import read
    >>> print(short_latex(read("1.23456789*x + 2").formula))
    1.235 \cdot x + 2
    """

    def shortened(node: Node, latex: str) -> str:
        long = node.operator == CONSTANT and len(node.label) > _PRINTED + 3
        return (
            number_latex(f"{float(node.label):.{_PRINTED}g}")
            if long and "/" not in node.label
            else latex
        )

    return to_latex(formula, decorate=shortened)


def printed(text: str) -> str:
    """A formula's text with constants of four digits and without blanks.

    >>> printed("x0 *1.23456 + 2.5e-7"), printed("x0*1.23461+2.50001E-7")
    ('x0*1.235+2.5e-07', 'x0*1.235+2.5e-07')
    """
    return "".join(_NUMBER.sub(lambda m: f"{float(m[0]):.{_PRINTED}g}", text).split())


def twins(scores: Sequence[ListedScore]) -> tuple[tuple[int, ...], ...]:
    """For each formula the places of its twins, itself included; of most, itself alone.

    Twins have the same values, nodes and EIC, as `x + 1` and `1 + x` have; or the same text but
    for digits of constants that are not printed, and the same R² and EIC as printed.
    """
    first: dict[Hashable, int] = {}
    groups: dict[int, list[int]] = {}
    for place, scored in enumerate(scores):
        keys = list(_keys(scored))
        leader = next((first[key] for key in keys if key in first), place)
        for key in keys:
            first.setdefault(key, leader)
        groups.setdefault(leader, []).append(place)
    members = {place: tuple(group) for group in groups.values() for place in group}
    return tuple(members[place] for place in range(len(scores)))


def _keys(scored: ListedScore) -> Iterator[Hashable]:
    score = scored.score
    if score.error:
        return
    losses = score.complexity, f"{score.eic:.2f}", f"{score.eic_finite:.2f}"
    fit = f"{1 - score.r2:.2e}"
    yield scored.listed.problem, printed(scored.listed.formula), *losses, fit
    if score.values:
        yield scored.listed.problem, score.values, *losses


def first_of(groups: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Whether each formula is the first of its `twins`: shape (N,)."""
    return np.array([group[0] == place for place, group in enumerate(groups)], dtype=bool)
