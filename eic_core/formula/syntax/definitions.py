"""Functions that a text itself defines, beside the formula that calls them: a call stands for the
function's body with the operands in place of its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from eic_core.formula.syntax.build import Function, power
from eic_core.formula.syntax.reading import MAX_NODES, Refusal, Report
from eic_core.formula.tree import VARIABLE, Draft

Span = tuple[int, int]


def arguments_of(names: tuple[str, ...], span: Span) -> dict[str, Draft]:
    """A leaf for each argument of a function, by its name: what the body is read with."""
    return {name: Draft(VARIABLE, [], name, None, span) for name in names}


def define(
    report: Report,
    name: str,
    arguments: Mapping[str, Draft],
    body: Draft,
    span: Span,
    defaults: tuple[Draft, ...] = (),
) -> Function:
    """The function at `span` with these leaves of `arguments_of` in its body; `defaults` are the
    operands that the last arguments have if a call leaves them out.
    """
    leaves = [id(leaf) for leaf in arguments.values()]

    def build(operands: list[Draft], _: Span) -> Draft:
        missing = len(leaves) - len(operands)
        given = operands + list(defaults[len(defaults) - missing :])
        draft = put_in(body, dict(zip(leaves, given, strict=True)))
        if size(draft) > MAX_NODES:
            raise Refusal(f"the formula has more than {MAX_NODES:,} nodes", "write it out")
        report.note("functions that are given are replaced by what they return", span)
        return draft

    low, high = len(leaves) - len(defaults), len(leaves)
    return Function(name, low, high, build, tuple(each.lower() for each in arguments))


def put_in(body: Draft, operands: Mapping[int, Draft]) -> Draft:
    """A copy of a tree with operands in place of its leaves, which are told by their `id`. A power
    whose exponent becomes a literal is exact.
    """
    copies = dict(operands)
    todo = [body]
    while todo:
        draft = todo[-1]
        missing = [child for child in draft.children if id(child) not in copies]
        if missing and id(draft) not in copies:
            todo += missing
            continue
        todo.pop()
        if id(draft) in copies:
            continue
        children = [copies[id(child)] for child in draft.children]
        copies[id(draft)] = (
            power(children, draft.span)
            if draft.operator == "pow"
            else Draft(
                draft.operator, children, draft.label, draft.parameter, draft.span, draft.exponent
            )
        )
    return copies[id(body)]


def size(draft: Draft) -> int:
    """How many nodes a tree has whose parts may be shared."""
    sizes: dict[int, int] = {}
    todo = [draft]
    while todo:
        node = todo[-1]
        missing = [child for child in node.children if id(child) not in sizes]
        if missing:
            todo += missing
            continue
        todo.pop()
        sizes[id(node)] = 1 + sum([sizes[id(child)] for child in node.children])
    return sizes[id(draft)]
