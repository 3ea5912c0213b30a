"""Functions that stand beside a formula: each call is replaced by what it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eic_core.formula.syntax.build import Function, Span, power
from eic_core.formula.syntax.reading import MAX_NODES, Refusal
from eic_core.formula.tree import Draft


def inlined(
    name: str,
    count: int,
    body: Draft,
    slots: Mapping[int, int],
    on_use: Callable[[], None] = lambda: None,
) -> Function:
    """A function of `count` arguments whose call becomes its body; `slots` has the place of the
    argument that each leaf of a parameter stands for, by the identity of the leaf. A call that
    makes the formula too large is refused.
    """

    def build(args: list[Draft], _: Span) -> Draft:
        draft = _put_in(body, {leaf: args[place] for leaf, place in slots.items()})
        if size_of(draft) > MAX_NODES:
            raise Refusal(f"the formula has more than {MAX_NODES:,} nodes", "write it out")
        on_use()
        return draft

    return Function(name, count, count, build)


def parts_of(root: Draft) -> list[Draft]:
    """Every part of a tree once, operands before what they are operands of."""
    done: dict[int, Draft] = {}
    todo = [root]
    while todo:
        draft = todo[-1]
        missing = [child for child in draft.children if id(child) not in done]
        if missing and id(draft) not in done:
            todo += missing
        else:
            done[id(todo.pop())] = draft
    return [*done.values()]


def size_of(root: Draft) -> int:
    """How many nodes a tree has whose parts may be shared."""
    sizes: dict[int, int] = {}
    for draft in parts_of(root):
        sizes[id(draft)] = 1 + sum([sizes[id(child)] for child in draft.children])
    return sizes[id(root)]


def _put_in(body: Draft, operands: dict[int, Draft]) -> Draft:
    """A copy of a tree with operands in place of some of its leaves. A power whose
    exponent becomes a number is exact, as if it were written there.
    """
    copies = dict(operands)
    for draft in parts_of(body):
        if id(draft) not in copies:
            children = [copies[id(child)] for child in draft.children]
            copies[id(draft)] = (
                power(children, draft.span)
                if draft.operator == "pow"
                else Draft(
                    draft.operator,
                    children,
                    draft.label,
                    draft.parameter,
                    draft.span,
                    draft.exponent,
                )
            )
    return copies[id(body)]
