"""Rows of the operator table: comparisons, and, or, not, and the conditional (ADR 0004)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eic_core.operators.row import Operands, Operator, Program, Y
from eic_core.operators.wide import Wide, subtract
from eic_core.operators.words import ON_A_JUMP, Words
from eic_core.operators.writing import ADD, ATOM, IF, MUL, NOT, RELATE, Form, Writing
from eic_core.operators.writing import AND as BOTH
from eic_core.operators.writing import OR as EITHER

ON_THRESHOLD = "a sample lies exactly on the threshold of its condition, where its branches differ"
NO_OPERAND = "its operands have no value"


def _no_slope(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # a truth value does not move with its operands: zeros, in the shape of each of them
    return tuple(B.where(x == x, 0.0, 0.0) for x in a)


def _truth_of(relation: Any) -> Callable[..., Any]:
    """A ufunc of truth as 1 or 0, nan where an operand is."""

    def truth(*operands: Any) -> Any:
        unknown = np.isnan(operands[0])
        for operand in operands[1:]:
            unknown = unknown | np.isnan(operand)
        return np.where(unknown, np.nan, relation(*operands))

    return truth


# --- comparisons


def _related(
    name: str,
    names: str,
    relation: Any,
    signs: tuple[str, str, str],  # in code, LaTeX and plain text
    holds: tuple[bool, bool, bool],
) -> Operator:
    """A comparison; `holds` for a first operand less than, equal to, greater than the second."""
    code, latex, text = signs
    mark = text.replace("<", "&lt;").replace(">", "&gt;")
    left, right = f"<0:{RELATE + 1}>", f"<1:{RELATE + 1}>"
    name_of_call = names.partition(" ")[0]

    def program(p: float, count: int) -> Program:
        return ((truth, 0, 1),)

    def widely(a: Any, p: float) -> Wide:
        ahead = subtract((a[0], a[1]), p).m
        truth_value = np.where(ahead < 0, holds[0], np.where(ahead > 0, holds[2], holds[1]))
        return Wide.of(np.where(np.isnan(ahead), np.nan, truth_value))

    truth = _truth_of(relation)
    return Operator(
        name,
        2,
        program,
        exact=lambda B, a, p: float(holds[(a[0] > a[1]) - (a[0] < a[1]) + 1]),
        partials=_no_slope,
        truth=True,
        compares=True,
        rough=True,
        widely=widely,
        writing=Writing(
            names,
            Form(
                # a formula that is an equation is refused, so that this one is written as a call
                f"{name_of_call}(<0>, <1>)" if code == "==" else f"{left} {code} {right}",
                f"{left} {latex} {right}",
                f"{left} {text} {right}",
                f"<mrow>{left}<mo>{mark}</mo>{right}</mrow>",
                RELATE,
                RELATE,
                text,
                ATOM if code == "==" else None,
            ),
        ),
        words=Words("comparison", singular=ON_A_JUMP, nearly="", invalid=NO_OPERAND),
    )


LESS_ROW = _related("less_than", "less smaller", np.less, ("<", "<", "<"), (True, False, False))
AT_MOST_ROW = _related(
    "less_equal",
    "less_equal less_or_equal smaller_or_equal",
    np.less_equal,
    ("<=", r"\le", "≤"),
    (True, True, False),
)
GREATER_ROW = _related("greater_than", "greater", np.greater, (">", ">", ">"), (False, False, True))
AT_LEAST_ROW = _related(
    "greater_equal",
    "greater_equal greater_or_equal",
    np.greater_equal,
    (">=", r"\ge", "≥"),
    (False, True, True),
)
EQUAL_ROW = _related("equal_to", "equal", np.equal, ("==", "=", "="), (False, True, False))
UNEQUAL_ROW = _related(
    "not_equal", "not_equal different", np.not_equal, ("!=", r"\ne", "≠"), (True, False, True)
)


# --- and, or, not


def _joined(name: str, relation: Any, signs: tuple[str, str, str], tight: int) -> Operator:
    code, latex, text = signs

    def program(p: float, count: int) -> Program:
        return (
            (_truth_of(relation), 0, 1),
            *((_truth_of(relation), Y, i) for i in range(2, count)),
        )

    every = relation is np.logical_and

    def templates(mark: str, floors: tuple[int, int]) -> str:
        return f"<0:{floors[0]}>{mark}<1:{floors[1]}>"

    return Operator(
        name,
        2,
        program,
        exact=lambda B, a, p: float(all(x == 1 for x in a) if every else any(x == 1 for x in a)),
        partials=_no_slope,
        truth=True,
        rough=True,
        writing=Writing(
            "",  # which numbers are true in a call differs: each reader has its rule
            Form(
                templates(f" {code} ", (MUL, MUL)),
                templates(f" {latex} ", (tight, tight + 1)),
                templates(f" {text} ", (tight, tight + 1)),
                f"<mrow><0:{tight}><mo>{'∧' if every else '∨'}</mo><1:{tight + 1}></mrow>",
                tight,
                tight,
                text,
            ),
            folds=True,
        ),
        words=Words("condition", singular=ON_A_JUMP, nearly="", invalid=NO_OPERAND),
    )


AND_ROW = _joined("logical_and", np.logical_and, ("&", r"\land", "and"), BOTH)
OR_ROW = _joined("logical_or", np.logical_or, ("|", r"\lor", "or"), EITHER)

NOT_ROW = Operator(
    "logical_not", 1, lambda p, count: ((_truth_of(np.logical_not), 0),),
    exact=lambda B, a, p: float(a[0] == 0),
    partials=_no_slope,
    truth=True, rough=True,
    writing=Writing(
        "logical_not",
        Form("logical_not(<0>)", rf"\lnot <0:{ADD}>", f"not <0:{NOT}>",
             f"<mrow><mo>¬</mo><0:{ADD}></mrow>", NOT, NOT, "not", ATOM),
    ),
    words=Words("condition", singular=ON_A_JUMP, nearly="", invalid=NO_OPERAND),
)  # fmt: skip


# --- the conditional


def _choose(condition: Any, held: Any, other: Any) -> Any:
    return np.where(np.isnan(condition), np.nan, np.where(condition != 0, held, other))


def _slopes_of_choice(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    held = B.where(a[0] != 0, 1.0, 0.0)
    # the truth value, which carries no noise; then 1 for the branch that is evaluated
    return B.where(a[0] == a[0], 0.0, 0.0), held, 1.0 - held


def _choose_widely(a: Any, p: float) -> Wide:
    condition, held, other = a
    chosen = held.where(condition.m != 0, other)
    return Wide(np.where(np.isnan(condition.m), np.nan, chosen.m), chosen.e)


CONDITIONAL_ROW = Operator(
    "conditional", 3, lambda p, count: ((_choose, 0, 1, 2),),
    exact=lambda B, a, p: a[1] if a[0] != 0 else a[2],
    partials=_slopes_of_choice,
    chooses=True, rough=True, widely=_choose_widely,
    writing=Writing(
        "where ifelse if_else",
        Form(
            "where(<0>, <1>, <2>)",
            # a truth value in brackets: `y =` before a case names its value
            rf"\begin{{cases}} <1:{RELATE + 1}> & \text{{if }} <0> \\ <2:{RELATE + 1}> &"
            r" \text{otherwise} \end{cases}",
            f"<1:{IF + 1}> if <0:{IF + 1}> else <2:{IF}>",
            f"<mrow><mo>{{</mo><mtable><mtr><mtd><1:{RELATE + 1}></mtd><mtd><mtext>if&#xA0;</mtext>"
            f"<0></mtd></mtr><mtr><mtd><2:{RELATE + 1}></mtd><mtd><mtext>otherwise</mtext></mtd>"
            "</mtr></mtable></mrow>",
            IF, IF, "if", ATOM,
        ),
        parameters=("condition cond test", "input yes true", "other no false"),
    ),
    words=Words("conditional", singular=ON_THRESHOLD, nearly="",
                invalid="its condition has no value"),
)  # fmt: skip


ROWS = (
    LESS_ROW,
    AT_MOST_ROW,
    GREATER_ROW,
    AT_LEAST_ROW,
    EQUAL_ROW,
    UNEQUAL_ROW,
    AND_ROW,
    OR_ROW,
    NOT_ROW,
    CONDITIONAL_ROW,
)
