"""What the functions of search tools compute, where that is not what their names say elsewhere, and
the same formula with the plain functions.

gplearn (`gplearn/functions.py`): ``sqrt`` is the root of |x|; ``log`` is log |x|, and 0 where |x| ≤
0.001; ``div`` is 1 where |divisor| ≤ 0.001; ``inv`` is 0 where |x| ≤ 0.001. DEAP (the examples
``gp/symbreg*.py``): ``protectedDiv`` is 1 where the divisor is 0. Eureqa (its list of building
blocks): a number holds where it is positive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from eic_core.formula.syntax import phrases
from eic_core.formula.syntax.build import FUNCTIONS, Function, Span, chain, plain
from eic_core.formula.syntax.conditions import CALLS, choice, positive
from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.tree import Draft, Formula, constant

PLAIN = {"gplearn": "gplearn_plain", "deap": "deap_plain"}
"""For each tool with protected functions the notation that reads its text with the plain ones."""

DRAWN = {"gplearn": "gplearn_drawn", "deap": "deap_plain"}
"""For each of them the functions as a page of mathematics has them: the tool's but for its edge."""

_PLAIN_NAMES = {
    "gp_div": "divide",
    "gp_log": "ln",
    "gp_inv": "reciprocal",
    "deap_div": "divide",
    "sqrt": "np.sqrt",
}
"""Names of the plain functions that no tool uses for its own."""
_WRITTEN_AS = {"gp_div": "div", "gp_log": "log", "gp_inv": "inv", "deap_div": "protectedDiv"}
_ROOT = "sqrt"


def functions(tool: str) -> Mapping[str, Function]:
    """The functions that a tool computes otherwise than others, by lower-case name.

    >>> sorted(functions("gplearn")), functions("infix")
    (['div', 'inv', 'log', 'sqrt'], {})
    """
    return _TOOLS.get(tool, {})


def _absolute_root(args: list[Draft], span: Span) -> Draft:
    bare = args[0].operator == "abs"  # a second one changes nothing
    return plain(_ROOT, args, span) if bare else chain(("abs", _ROOT), args, span)


def _step(args: list[Draft], span: Span) -> Draft:
    return choice([positive(args[0], span), constant("1", span), constant("0", span)], span)


def _chosen(args: list[Draft], span: Span) -> Draft:
    return choice([positive(args[0], args[0].span), *args[1:]], span)


def _either(args: list[Draft], span: Span) -> Draft:
    return plain("not_equal", [positive(arg, arg.span) for arg in args], span)


def _negated(args: list[Draft], span: Span) -> Draft:
    return plain("less_equal", [*args, constant("0", span)], span)


def _bell(args: list[Draft], span: Span) -> Draft:
    squared = Draft("power", args, parameter=Fraction(2), span=span)
    return plain("exp", [plain("neg", [squared], span)], span)


def _factorial(args: list[Draft], span: Span) -> Draft:
    return plain("gamma", [plain("add", [*args, constant("1", span)], span)], span)


_OF_DEAP = {
    f"v{name}": FUNCTIONS[name] for name in ("add", "sub", "mul", "div", "neg", "cos", "sin")
}
"""NumPy's functions, as the example ``symbreg_numpy.py`` names them."""

_TOOLS: dict[str, dict[str, Function]] = {
    "gplearn": {
        "div": FUNCTIONS["gp_div"],
        "log": FUNCTIONS["gp_log"],
        "inv": FUNCTIONS["gp_inv"],
        _ROOT: Function(_ROOT, 1, 1, _absolute_root),
    },
    "gplearn_drawn": {
        "log": Function("log", 1, 1, partial(chain, ("abs", "log"))),
        _ROOT: Function(_ROOT, 1, 1, _absolute_root),
    },
    "deap": _OF_DEAP | {"protecteddiv": FUNCTIONS["deap_div"]},
    "deap_plain": _OF_DEAP | {"protecteddiv": FUNCTIONS["div"]},
    "eureqa": {
        "if": Function("if", 3, 3, _chosen),
        "and": CALLS["logical_and"],
        "or": CALLS["logical_or"],
        "xor": Function("xor", 2, 2, _either),
        "not": Function("not", 1, 1, _negated),
        "step": Function("step", 1, 1, _step),
        "gauss": Function("gauss", 1, 1, _bell),
        "factorial": Function("factorial", 1, 1, _factorial),
    },
}


def note_protected(report: Report, formula: Formula) -> None:
    """Say which functions are read as the tool computes them, and offer the plain ones."""
    met: dict[str, Span] = {}
    for k, node in enumerate(formula):
        name = _WRITTEN_AS.get(node.operator) or (_ROOT if _has_its_own_abs(formula, k) else "")
        if name:
            met.setdefault(name, node.span)
    if met:
        report.protected = tuple(met)
        report.note(str(phrases.protected_functions(met)), next(iter(met.values())))
        report.alternative(
            str(phrases.plain_functions(met)), lambda: plain_text(report.text, formula)
        )


def _has_its_own_abs(formula: Formula, k: int) -> bool:
    """Whether a node is the root of an absolute value that was not written."""
    node = formula.nodes[k]
    if node.operator != _ROOT:
        return False
    below = formula.nodes[node.children[0]]
    return below.operator == "abs" and below.span == node.span


_CALLED = re.compile(r"\w+")


def plain_text(text: str, formula: Formula) -> str:
    """The text with the plain functions in place of the protected ones, by names that are read so
    whatever the notation.

    >>> from eic_core.formula.syntax import read
    >>> text = "div(sqrt(X0), log(sub(X0, X1)))"
    >>> plain_text(text, read(text, syntax="gplearn").formula)
    'divide(np.sqrt(X0), ln(sub(X0, X1)))'
    """
    pieces = []
    for k, node in enumerate(formula):
        is_own = node.operator in _WRITTEN_AS or _has_its_own_abs(formula, k)
        name = _CALLED.match(text, *node.span) if is_own else None
        if name is not None:
            pieces.append((*name.span(), _PLAIN_NAMES[node.operator]))
    return replaced(text, pieces)
