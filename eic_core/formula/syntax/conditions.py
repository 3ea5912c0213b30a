"""Conditions in every notation: what a comparison, a choice and a list of cases build. A comparison
is a truth value. Where a number is expected, as in ``(x > 0)*x``, it counts 1 or 0. Where a truth
value is expected, a number holds unless it is 0; PySR's `cond` has rules of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from eic_core.formula.syntax.build import FUNCTIONS, MANY, Function, Span, fold
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.refusals import EQUATION, refuse
from eic_core.formula.tree import CONSTANT, UNDEFINED, VARIABLE, Draft, constant
from eic_core.operators import ROWS

CHOICE = "conditional"
AND, OR, NOT = "logical_and", "logical_or", "logical_not"
TRUTHS = frozenset([row.name for row in ROWS if row.truth])
"""Operators whose value is a truth value."""

CONDITIONS = TRUTHS | {CHOICE}

TRUE, FALSE = "true", "false"
SPECIAL = frozenset((TRUE, FALSE, UNDEFINED))
"""Labels of constants that stand only where conditions say so: ``True``, ``False``, ``nan``."""

RELATIONS = {
    "<": "less_than",
    "<=": "less_equal",
    "≤": "less_equal",
    "⩽": "less_equal",
    ">": "greater_than",
    ">=": "greater_equal",
    "≥": "greater_equal",
    "⩾": "greater_equal",
    "==": "equal_to",
    "!=": "not_equal",
    "≠": "not_equal",
    "<>": "not_equal",
    "~=": "not_equal",
}
"""Comparisons by their signs."""

JOINTS = {
    "&": AND,
    "&&": AND,
    "∧": AND,
    "and": AND,
    "AND": AND,
    "|": OR,
    "||": OR,
    "∨": OR,
    "or": OR,
    "OR": OR,
}
NEGATIONS = frozenset(("!", "~", "¬"))
QUESTIONS = frozenset(("if", "?"))
ALTERNATIVES = frozenset(("else", ":"))

IF_PRECEDENCE, OR_PRECEDENCE, AND_PRECEDENCE, NOT_PRECEDENCE, RELATION_PRECEDENCE = 2, 4, 5, 6, 7


def is_truth(draft: Draft) -> bool:
    return draft.operator in TRUTHS or (draft.operator == CONSTANT and draft.label in (TRUE, FALSE))


def choice(args: list[Draft], span: Span) -> Draft:
    """The second operand where the first holds, else the third."""
    return Draft(CHOICE, args, span=span)


def _merge(args: list[Draft], span: Span) -> Draft:
    """Fortran's ``merge(a, b, c)``: a where c holds, else b."""
    return choice([args[2], args[0], args[1]], span)


def chain(operator: str, args: list[Draft], span: Span) -> Draft:
    """``(< a b c)``: every two neighbours compared."""
    pairs = [Draft(operator, [a, b], span=span) for a, b in zip(args, args[1:], strict=False)]
    return fold(AND, pairs, span)


def positive(draft: Draft, span: Span) -> Draft:
    """PySR's truth of a number: it is above 0."""
    return (
        draft if is_truth(draft) else Draft("greater_than", [draft, constant("0", span)], span=span)
    )


def _cond(args: list[Draft], span: Span) -> Draft:
    """PySR's ``cond(c, a)``: a where c > 0, else 0; a third operand is the other branch."""
    other = args[2] if len(args) == 3 else constant("0", span)
    return choice([positive(args[0], args[0].span), args[1], other], span)


def _of_positive(operator: str) -> Callable[[list[Draft], Span], Draft]:
    """``logical_or(a, b)``, where numbers hold above 0, as in PySR."""

    def build(args: list[Draft], span: Span) -> Draft:
        return fold(operator, [positive(arg, arg.span) for arg in args], span)

    return build


def _heaviside(args: list[Draft], span: Span) -> Draft:
    """0 below 0, 1 above, at 0 the second operand, by default 1/2."""

    def sign_of(operator: str) -> Draft:
        return Draft(operator, [args[0], constant("0", span)], span=span)

    at_zero = args[1] if len(args) == 2 else constant("0.5", span)
    inner = choice([sign_of("less_than"), constant("0", span), at_zero], span)
    return choice([sign_of("greater_than"), constant("1", span), inner], span)


PAIR = Function("pair", 2, 2, lambda args, span: Draft("pair", args, span=span))
"""``(value, condition)`` inside `PIECEWISE`."""


def _piecewise(args: list[Draft], span: Span) -> Draft:
    if len(args) > 1 and is_truth(args[0]):  # Maple's and MATLAB's, as `piecewise(x < 0, -x, x)`
        count = len(args) // 2 * 2
        turned = [part for i in range(0, count, 2) for part in (args[i + 1], args[i])]
        return cases([*turned, *args[count:]], span)
    if any(arg.operator != PAIR.name for arg in args):
        raise Refusal(
            "a piecewise formula is a list of pairs", "as in `Piecewise((a, x > 0), (b, True))`"
        )
    return cases([part for arg in args for part in arg.children], span)


def cases(args: Sequence[Draft], span: Span) -> Draft:
    """Value, condition, value, condition, … A last value without a condition holds elsewhere; where
    no condition holds there is no value.
    """
    pieces = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
    rest = args[-1] if len(args) % 2 else constant(UNDEFINED, span)
    for value, condition in reversed(pieces):
        label = condition.label if condition.operator == CONSTANT else ""
        if label == TRUE:
            rest = value
        elif label != FALSE:
            rest = choice([condition, value, rest], span)
    return rest


PIECEWISE = Function("piecewise", 1, MANY, _piecewise)
CASES = Function("cases", 1, MANY, cases)
EVERY = Function("and", 2, MANY, partial(fold, AND))
SOME = Function("or", 2, MANY, partial(fold, OR))
NEGATION = Function(NOT, 1, 1, lambda args, span: Draft(NOT, args, span=span))

CALLS: dict[str, Function] = {
    "cond": Function("cond", 2, 3, _cond),
    "logical_and": Function("logical_and", 2, MANY, _of_positive(AND)),
    "logical_or": Function("logical_or", 2, MANY, _of_positive(OR)),
    "heaviside": Function("heaviside", 1, 2, _heaviside, ("x x1", "values x2 h0")),
    "piecewise": PIECEWISE,
    "if": Function("if", 3, 3, choice),
    "iif": Function("iif", 3, 3, choice),
    "ite": Function("ite", 3, 3, choice),
    "merge": Function("merge", 3, 3, _merge),
}
"""Functions of conditions by lower-case name, beside those of the operators' own names."""

_SYMPY = {
    "And": EVERY,
    "Or": SOME,
    "Not": NEGATION,
    "AND": EVERY,
    "OR": SOME,
    "NOT": NEGATION,
    "Eq": FUNCTIONS["equal"],
    "Ne": FUNCTIONS["not_equal"],
    "Lt": FUNCTIONS["less"],
    "Le": FUNCTIONS["less_equal"],
    "Gt": FUNCTIONS["greater"],
    "Ge": FUNCTIONS["greater_equal"],
    "StrictLessThan": FUNCTIONS["less"],
    "LessThan": FUNCTIONS["less_equal"],
    "StrictGreaterThan": FUNCTIONS["greater"],
    "GreaterThan": FUNCTIONS["greater_equal"],
}
"""Those whose capitals tell them from variables."""

_NUMPY = {"logical_and": EVERY, "logical_or": SOME}

ASKING = frozenset((*CALLS, *_SYMPY, "where", "ifelse", "cases", "pair", "logical_not"))
"""Names of functions in whose brackets a single ``=`` compares."""


def condition_function(name: str, bare: str) -> Function | None:
    """The function of conditions of that name, None if there is none. `bare` lacks the module's
    name: NumPy's ``np.logical_or`` takes numbers otherwise than PySR's ``logical_or``.

    >>> condition_function("sp.Piecewise", "Piecewise") is PIECEWISE
    True
    >>> condition_function("and", "and") is None
    True
    """
    if bare in _SYMPY:
        return _SYMPY[bare]
    lower = bare.lower()
    return _NUMPY.get(lower) if name != bare and lower in _NUMPY else CALLS.get(lower)


def condition_form(head: str, args: list[Draft], span: Span) -> Draft | None:
    """What an s-expression of conditions builds, None if it is none."""
    if head in RELATIONS and len(args) > 1:
        return chain(RELATIONS[head], args, span)
    if head in ("and", "or") and len(args) > 1:
        return fold(JOINTS[head], args, span)
    if head == "not" and len(args) == 1:
        return Draft(NOT, args, span=span)
    return choice(args, span) if head == "if" and len(args) == 3 else None


def settle(report: Report, root: Draft) -> Draft:
    """The tree with a truth value wherever one is expected; lists of operands are changed in place.
    Raises `FormulaError` if ``True``, ``False`` or ``nan`` stands where it has no meaning.
    """
    if root.operator == RELATIONS["=="] and not any(map(is_truth, root.children)):
        left, right = root.children  # of an equation; `equal(a, b)` is none
        place = report.text.find("=", left.span[1], right.span[0])
        if place >= 0:
            refuse(report, EQUATION, (place, place + 2))
    _ask_for_sides(report, root)
    top = Draft("", [root])
    todo, seen = [top], {id(top)}
    while todo:
        draft = todo.pop()
        if draft.operator == PAIR.name:
            report.fail("a comma has no meaning here", *draft.span, "give one formula")
        chooses = draft.operator == CHOICE
        for place, child in enumerate(draft.children):
            wants_truth = place == 0 if chooses else draft.operator in (AND, OR, NOT)
            if child.operator == CONSTANT and child.label in SPECIAL:
                _check_special(report, child, branch=chooses and place > 0)
            elif wants_truth and not is_truth(child):
                child = draft.children[place] = _as_truth(report, child)
            elif not wants_truth and child.operator in TRUTHS:
                _refuse_logic_of_numbers(report, child, alone=draft is top)
                report.note(f"{_shown(report, child)} counts 1 where it holds, else 0", child.span)
            if id(child) not in seen:
                seen.add(id(child))
                todo.append(child)
    return top.children[0]


_BY_A_SIGN = re.compile(r"[!~¬]|not\b|\\(?:neg|lnot)(?![A-Za-z])")
_WORD_THAT_JOINS = re.compile(r"\b(?:and|or)\b")


def _refuse_logic_of_numbers(report: Report, truth: Draft, alone: bool) -> None:
    """Raise for ``2*¬x``, ``1 + (x && y)`` and ``x != 0 and 1/x or 0``: logic of numbers in
    arithmetic. By itself, as in ``¬x``, a number may be a condition.
    """
    text, todo = report.text, [truth]
    while todo:
        draft = todo.pop()
        numbers = [child for child in draft.children if not is_truth(child)]
        start, end = draft.span
        sign = _BY_A_SIGN.match(text, start) if draft.operator == NOT else None
        if draft.operator in (AND, OR):
            todo += [child for child in draft.children if child.operator in (AND, OR)]
            if numbers and _WORD_THAT_JOINS.search(text, *truth.span):
                report.fail(
                    "`and` and `or` of numbers give one of them in Python",
                    *truth.span,
                    "write a choice as in `1/x if x != 0 else 0`",
                )
        if not numbers or alone or (sign is None and draft.operator not in (AND, OR)):
            continue
        if draft.operator in (AND, OR):
            report.fail(
                f"{_shown(report, draft)} joins numbers, not conditions",
                *draft.span,
                "write a comparison on each side, as in `x > 0 & y > 0`",
            )
        assert sign is not None
        operand = text[sign.end() : end].strip()
        report.fail(
            f"`{sign[0]}` before a number is logic, which has no place in arithmetic",
            start,
            end,
            f"write `-` for a sign, or a comparison such as `({operand[:30]} == 0)`",
            choices=(
                (f"minus {operand[:30]}", f"{text[:start]}(-{operand}){text[end:]}"),
                (
                    f"1 where {operand[:30]} is 0, else 0",
                    f"{text[:start]}where({operand} == 0, 1, 0){text[end:]}",
                ),
            ),
        )


def _ask_for_sides(report: Report, root: Draft) -> None:
    """Raise for SymPy's ``Eq(y, x)`` and R's ``y<-x``, which no formula by itself is."""
    start, end = root.span
    text = report.text
    is_equation = root.operator == RELATIONS["=="] and _EQUATION.match(text, start)
    place = root.children[0].span[1] if root.children else start
    is_assignment = (
        root.operator == RELATIONS["<"]
        and root.children[0].operator == VARIABLE
        and text.startswith("<-", place)
        and text[place + 2 : place + 3] != " "
    )
    if is_equation or is_assignment:
        left, right = [text[slice(*child.span)] for child in root.children]
        labels = ("the left-hand side", "the right-hand side")
        sides = (left, right)
        if is_assignment:
            labels = ("what is assigned", "a comparison")
            value = text[place + 2 : end]
            sides = (text[:start] + value + text[end:], f"{text[:place]} < {text[place + 1 :]}")
        what = "this is an equation" if is_equation else "this may be an assignment"
        report.fail(
            f"{what}: which side is meant?" if is_equation else f"{what} or a comparison",
            start,
            end,
            f"give `{sides[0][:40]}` or `{sides[1][:40]}`",
            choices=tuple(zip(labels, sides, strict=True)),
        )


_EQUATION = re.compile(r"(?:sympy\.|sp\.)?(?:Eq|Equality)\s*+\(")


def _shown(report: Report, draft: Draft) -> str:
    text = " ".join(report.text[draft.span[0] : draft.span[1]].split())
    return f"`{text[:60]}`" if text else "this"


def _as_truth(report: Report, draft: Draft) -> Draft:
    report.note(f"{_shown(report, draft)} is a condition: it holds where it is not 0", draft.span)
    return Draft("not_equal", [draft, constant("0", draft.span)], span=draft.span)


def _check_special(report: Report, leaf: Draft, *, branch: bool) -> None:
    if leaf.label == UNDEFINED:
        if not branch:
            start, end = leaf.span
            written = report.text[start:end]
            name = written if written in ("NA", "NULL") else "nan"
            hint, mended = "write a finite number", None
            if name == "NA":
                hint = "it marks a missing value in R; for a variable write `N_A`"
                mended = f"{report.text[:start]}N_A{report.text[end:]}"
            report.fail(f"`{name}` is not a real number", start, end, hint, mended)
        report.note("`nan` marks rows without a value", leaf.span)
        return
    report.fail(
        f"`{leaf.label}` stands where no condition can always or never hold",
        *leaf.span,
        "write a comparison, such as `x > 0`",
    )
