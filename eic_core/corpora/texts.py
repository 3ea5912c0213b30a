"""Formulas of a forest as text: tokens in prefix order, and infix that reads back to the same tree.

`eic_core.formula.rendering` writes any tree in any style; this writes the few operators of a recipe
in one, without building the tree, ten times as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eic_core.engine.forest import Alphabet, Forest
from eic_core.formula.rendering import form_of, template_parts, to_python
from eic_core.formula.tree import VARIABLE, Formula, Node
from eic_core.operators.writing import ADD, ATOM, MUL, NEG

_RIGHT = (ADD + 1, MUL + 1)
"""Operands that stand behind a sign: what begins with a minus gets parentheses there."""


class _Pattern(NamedTuple):
    """How an operator is written: the texts around its operands, and how tightly each must bind."""

    before: str
    floor: int
    signs: bool  # whether a minus may not come first in the operand
    between: str
    second_floor: int  # -1 where there is no second operand
    second_signs: bool
    after: str
    binds: int
    minus: bool  # whether the text begins with one


def _pattern(node: Node) -> _Pattern:
    """From the way in which the operator is written over variables."""
    names = [f"q{i}" for i in range(len(node.children))]
    leaves = [Node(i, VARIABLE, (), name, None, (0, 0)) for i, name in enumerate(names)]
    root = node._replace(id=len(names), children=tuple(range(len(names))))
    formula = Formula((*leaves, root))
    form = form_of(formula, root)
    floors = [part[1] for part in template_parts(form.code, len(names)) if isinstance(part, tuple)]
    rest, texts = to_python(formula), []
    for name in names:
        before, _, rest = rest.partition(name)
        texts.append(before)
    binds = form.precedence if form.code_precedence is None else form.code_precedence
    if len(floors) == 1:
        floors.append(-1)
        texts.append("")
    return _Pattern(
        texts[0],
        floors[0],
        floors[0] in _RIGHT,
        texts[1],
        floors[1],
        floors[1] in _RIGHT,
        rest,
        binds,
        texts[0][:1] == "-",
    )


class InfixWriter:
    """Writes formulas of one alphabet.

    >>> from eic_core.formula.syntax import read
    >>> formula = read("(x - -2)/x").formula
    >>> x, two, minus, _, over = formula.nodes
    >>> InfixWriter(Alphabet((over, minus, x, two))).write([0, 1, 2, 3, 2])
    '(x - (-2))/x'
    """

    def __init__(self, alphabet: Alphabet) -> None:
        self._leaves = [
            None
            if node.children
            else (node.label, NEG if node.label[0] == "-" else ATOM, node.label[0] == "-")
            for node in alphabet.nodes
        ]
        self._patterns = [_pattern(node) if node.children else None for node in alphabet.nodes]

    def write(self, symbols: Sequence[int]) -> str:
        """One formula.

        - `symbols`: in prefix order.
        """
        done: list[tuple[str, int, bool]] = []  # text, how tightly it binds, begins with a minus
        leaves, patterns = self._leaves, self._patterns
        pop, push = done.pop, done.append
        for symbol in reversed(symbols):
            leaf = leaves[symbol]
            if leaf is not None:
                push(leaf)
                continue
            before, floor, signs, between, second, second_signs, after, binds, minus = patterns[
                symbol
            ]  # type: ignore[misc]
            text, tight, signed = pop()
            if tight < floor or (signed and signs):
                text, signed = f"({text})", False
            if before:
                text, signed = before + text, minus
            if second < 0:
                push((text + after, binds, signed))
                continue
            right, tight, right_signed = pop()
            if tight < second or (right_signed and second_signs):
                right = f"({right})"
            push((text + between + right + after, binds, signed))
        return done[0][0]


def infix_texts(forest: Forest) -> list[str]:
    """Every formula of a forest, as `eic_core.formula.rendering.to_python` writes it."""
    kept = forest.alphabet.__dict__
    writer = kept.get("_writer") or kept.setdefault("_writer", InfixWriter(forest.alphabet))
    symbols, starts = forest.symbols.tolist(), forest.starts.tolist()
    return [
        writer.write(symbols[start:stop])
        for start, stop in zip(starts[:-1], starts[1:], strict=True)
    ]


def prefix_texts(forest: Forest, words: Sequence[str]) -> list[str]:
    """Every formula of a forest as tokens with commas between.

    - `words`: what each symbol of its alphabet is called.
    """
    tokens = [words[symbol] for symbol in forest.symbols.tolist()]
    starts = forest.starts.tolist()
    return [
        ",".join(tokens[start:stop]) for start, stop in zip(starts[:-1], starts[1:], strict=True)
    ]
