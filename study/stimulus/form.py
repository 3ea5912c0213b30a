"""The fair form: both formulas of a pair in one typesetting, so that no habit of a tool shows.

A rule changes how a formula is written, never its value at any real numbers; the order of terms
and factors stays. Only what is drawn is rewritten: EIC, R² and complexity are of the formula as
found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from fractions import Fraction

from eic_core.formula.rendering import compact_forms, to_latex
from eic_core.formula.tree import CONSTANT, UNDEFINED, VARIABLE, Draft, Formula, Node, constant
from eic_core.operators import OPERATORS

Rewriting = Callable[[Node, list[Draft]], Draft | None]
"""A node and its operands, rewritten already, to what stands for it; None: nothing changes."""


@dataclass(frozen=True)
class FormRule:
    id: str
    sentence: str  # What it does, for the methods
    rewrite: Callable[[Formula], Formula] | None  # None: it is of the pair, see `FairForm.compact`


@dataclass(frozen=True)
class FairForm:
    lower: Formula
    higher: Formula
    compact: bool  # Whether exponentials are powers of e, in both; otherwise all are ``exp``
    applied: tuple[str, ...]  # Ids of the rules that changed something, in the order of `RULES`

    @property
    def latex(self) -> tuple[str, str]:
        """Of the lower and of the higher formula."""
        return (
            to_latex(self.lower, compact=self.compact),
            to_latex(self.higher, compact=self.compact),
        )


def fair_form(lower: Formula, higher: Formula) -> FairForm:
    """Both formulas of a pair, rewritten by `RULES` until none changes anything.

    >>> from eic_core.formula.syntax import read
    >>> texts = ("0 + 1*(0.5*x - (-0.2*x))", "exp(x) + exp(x*x + 2.5*x*x)")
    >>> form = fair_form(*(read(text).formula for text in texts))
    >>> for latex in form.latex:
    ...     print(latex)
    0.5 \\cdot x + 0.2 \\cdot x
    \\exp\\left(x\\right) + \\exp\\left(x \\cdot x + 2.5 \\cdot x \\cdot x\\right)
    >>> form.applied
    ('neutral', 'signs', 'exponentials')
    """
    applied: set[str] = set()
    pair = []
    for formula in (lower, higher):
        rewritten, ids = _rewritten(formula)
        pair.append(rewritten)
        applied |= ids
    ways = frozenset().union(*map(compact_forms, pair))
    if len(ways) > 1:
        applied.add(EXPONENTIALS)
    return FairForm(
        pair[0],
        pair[1],
        compact=False not in ways,
        applied=tuple(rule.id for rule in RULES if rule.id in applied),
    )


def _rewritten(formula: Formula) -> tuple[Formula, set[str]]:
    applied: set[str] = set()
    while True:
        before = formula
        for rule in RULES:
            changed = rule.rewrite(formula) if rule.rewrite else formula
            if changed.structure() != formula.structure():
                applied.add(rule.id)
                formula = changed
        if formula is before:
            return formula, applied


def _node_by_node(rewriting: Rewriting) -> Callable[[Formula], Formula]:
    def rewrite(formula: Formula) -> Formula:
        drafts: list[Draft] = []
        for node in formula.nodes:
            operands = [drafts[child] for child in node.children]
            drafts.append(rewriting(node, operands) or _with_operands(node, operands))
        return Formula.from_draft(drafts[-1], formula.source, formula.exponents)

    return rewrite


def _with_operands(node: Node, operands: list[Draft]) -> Draft:
    return Draft(node.operator, operands, node.label, node.parameter, node.span)


# --- numbers ---


def short_constant(label: str, digits: int) -> str:
    """A constant with at most `digits` digits, in one style whatever its method prints.

    >>> [short_constant(c, 4) for c in ("0.12345678", "-2.000000", "1.5E-7", "123456", "1/3")]
    ['0.1235', '-2', '1.5e-7', '123500', '1/3']
    """
    try:
        number = Decimal(label)
    except InvalidOperation:
        return label
    if not number.is_finite():
        return label
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-(10**9), Emax=10**9)
    rounded = context.plus(number)
    if not rounded:
        return "0"
    sign, figures, exponent = rounded.normalize(context).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, figures))
    minus = "-" if sign else ""
    power = len(text) - 1 + exponent
    if -4 <= power <= 6:
        return minus + f"{abs(rounded.normalize(context)):f}"
    mantissa = text[0] + (f".{text[1:]}" if len(text) > 1 else "")
    return f"{minus}{mantissa}e{power}"


def _in_one_style(node: Node, operands: list[Draft]) -> Draft | None:
    if node.operator != CONSTANT:
        return None
    # as many digits as it has: no value is lost
    return constant(short_constant(node.label, max(1, len(node.label))), node.span)


def _is_number(draft: Draft, value: int) -> bool:
    if draft.operator != CONSTANT:
        return False
    over, slash, under = draft.label.partition("/")
    try:
        return Decimal(over) == value * Decimal(under or "1")
    except InvalidOperation:
        return False


# --- zeros and ones ---


def _without_neutral(formula: Formula) -> Formula:
    drafts: list[Draft] = []
    total: list[bool] = []
    for node in formula.nodes:
        operands = [drafts[child] for child in node.children]
        safe = [total[child] for child in node.children]
        drafts.append(_neutral(node, operands, safe) or _with_operands(node, operands))
        total.append(_is_total(node) and all(safe))
    return Formula.from_draft(drafts[-1], formula.source, formula.exponents)


def _is_total(node: Node) -> bool:
    """Whether an operator has a value for all real operands."""
    if node.operator in (CONSTANT, VARIABLE):
        return node.label != UNDEFINED
    row = OPERATORS[node.operator]
    if node.parameter is not None and row.power:
        return node.parameter > 0 and node.parameter.denominator == 1
    gaps = row.has_gaps or row.poles or row.outside is not None or row.pole is not None
    return not gaps and node.parameter is None


def _neutral(node: Node, operands: list[Draft], total: list[bool]) -> Draft | None:
    if node.operator == "power" and node.parameter == 1:
        return operands[0]
    if node.operator == "neg" and _is_number(operands[0], 0):
        return operands[0]
    if node.operator not in ("add", "sub", "mul", "div"):
        return None
    left, right = operands
    if node.operator in ("add", "sub"):
        if _is_number(right, 0):
            return left
        if _is_number(left, 0):
            return right if node.operator == "add" else Draft("neg", [right])
        return None
    if _is_number(right, 1):
        return left
    if _is_number(right, -1):
        return Draft("neg", [left])
    if node.operator == "div":
        return None  # 0/u has no value where u is 0
    if _is_number(left, 1):
        return right
    if _is_number(left, -1):
        return Draft("neg", [right])
    # 0·u is 0 where u has a value only
    if (_is_number(left, 0) and total[1]) or (_is_number(right, 0) and total[0]):
        return constant("0")
    return None


# --- signs ---


def _with_joined_signs(formula: Formula) -> Formula:
    """Each product and quotient has at most one minus, in front; sums take it for their sign."""
    parts: list[tuple[bool, Draft]] = []  # whether there is a minus, and what stands behind it
    for node in formula.nodes:
        operands = [parts[child] for child in node.children]
        parts.append(_sign_and_rest(node, operands))
    return Formula.from_draft(_signed(*parts[-1]), formula.source, formula.exponents)


def _sign_and_rest(node: Node, operands: list[tuple[bool, Draft]]) -> tuple[bool, Draft]:
    if node.operator == CONSTANT:
        return node.label.startswith("-"), constant(node.label.removeprefix("-"), node.span)
    if node.operator == "neg":
        minus, rest = operands[0]
        return not minus, rest
    if node.operator in ("mul", "div"):
        (left_minus, left), (right_minus, right) = operands
        return left_minus != right_minus, _with_operands(node, [left, right])
    if node.operator in ("add", "sub"):
        left_operand, (right_minus, right) = operands
        sign = "sub" if right_minus != (node.operator == "sub") else "add"
        return False, Draft(sign, [_signed(*left_operand), right], span=node.span)
    return False, _with_operands(node, [_signed(*operand) for operand in operands])


def _signed(minus: bool, rest: Draft) -> Draft:
    if not minus:
        return rest
    factors = []  # what the first factor of a product is multiplied by, the last one first
    while rest.operator == "mul":
        factors.append(rest)
        rest = rest.children[0]
    is_number = rest.operator == CONSTANT and rest.label[:1].isdigit()
    signed = constant("-" + rest.label, rest.span) if is_number else Draft("neg", [rest])
    for product in reversed(factors):
        signed = Draft("mul", [signed, product.children[1]], span=product.span)
    return signed


# --- roots ---


def _to_square_root(node: Node, operands: list[Draft]) -> Draft | None:
    is_root = (
        (node.operator == "power" and node.parameter == Fraction(1, 2))
        or (node.operator == "root" and node.parameter == 2)
        or (node.operator == "pow" and _is_half(operands[1]))
    )
    return Draft("sqrt", operands[:1], span=node.span) if is_root else None


def _is_half(draft: Draft) -> bool:
    return draft.operator == CONSTANT and draft.label in ("0.5", "1/2")


EXPONENTIALS = "exponentials"
RULES: tuple[FormRule, ...] = (
    FormRule(
        "numbers",
        "numbers are printed in one style",
        _node_by_node(_in_one_style),
    ),
    FormRule(
        "neutral",
        "printed zeros and ones are left out where the value is exactly the same without them",
        _without_neutral,
    ),
    FormRule(
        "signs",
        "signs that stand together are joined, and a product or quotient has its minus in front",
        _with_joined_signs,
    ),
    FormRule(
        EXPONENTIALS,
        "exponentials are written in one way in both formulas of a pair",
        None,
    ),
    FormRule(
        "roots",
        "powers of one half are written as square roots",
        _node_by_node(_to_square_root),
    ),
)
"""All that may change between a formula as found and as shown; each keeps its value."""


def rule_sentences(ids: Iterable[str]) -> list[str]:
    """What the rules of these ids do, in the order of the table; unknown ones are left out.

    >>> rule_sentences(["roots"])
    ['powers of one half are written as square roots']
    """
    named = set(ids)
    return [rule.sentence for rule in RULES if rule.id in named]
