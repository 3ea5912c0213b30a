"""Formulas of a forest as text, ten times as fast as `eic_core.formula.rendering`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eic_core.engine.forest import Alphabet, Forest
from eic_core.formula.rendering import form_of, template_parts, to_python
from eic_core.formula.tree import VARIABLE, Formula, Node
from eic_core.operators.writing import ADD, ATOM, MUL, NEG

_RIGHT = (ADD + 1, MUL + 1)
"""Precedences of operands behind a sign: an operand that begins with a minus needs parentheses."""


class _Pattern(NamedTuple):
    """The texts around an operator's operands, and the precedence that each operand needs."""

    before: str
    floor: int
    signs: bool  # whether the operand may not begin with a minus
    between: str
    second_floor: int  # -1 where there is no second operand
    second_signs: bool
    after: str
    binds: int  # precedence of the whole
    minus: bool  # whether the text begins with a minus


def _pattern(node: Node) -> _Pattern:
    """Derived from the text of the operator over variables."""
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
        done: list[tuple[str, int, bool]] = []  # text, precedence, whether it begins with a minus
        leaves, patterns = self._leaves, self._patterns
        pop, push = done.pop, done.append
        # backwards through prefix order, both operands are on the stack before their operator
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
    # the writer lives as long as its alphabet, which thousands of forests share
    cache = forest.alphabet.__dict__
    writer = cache.get("_writer") or cache.setdefault("_writer", InfixWriter(forest.alphabet))
    symbols, starts = forest.symbols.tolist(), forest.starts.tolist()
    return [
        writer.write(symbols[start:stop])
        for start, stop in zip(starts[:-1], starts[1:], strict=True)
    ]


def prefix_texts(forest: Forest, words: Sequence[str]) -> list[str]:
    """Every formula of a forest as tokens with commas between; `words` names the symbols."""
    tokens = [words[symbol] for symbol in forest.symbols.tolist()]
    starts = forest.starts.tolist()
    return [
        ",".join(tokens[start:stop]) for start, stop in zip(starts[:-1], starts[1:], strict=True)
    ]
