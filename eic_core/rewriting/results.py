"""What `repair` gives back: the better forms, how they were reached and verified, and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eic_core import wording
from eic_core.explain.correlated import CorrelatedAmplification
from eic_core.exports import Plain
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.observed import ObservedError
from eic_core.rewriting.verify import Verification
from eic_core.samples import Samples

SMALL = 1.0
"""Digits that any formula of a few operations loses: nothing to mend."""

NEAR = 0.3
"""Digits within which a formula counts as being as good as the function allows."""


class Saved(NamedTuple):
    """Digits lost before and after.

    Attributes
    ----------
    q, eic, double : tuple of float
        At the root with shared noise, at the worst node, and observed in double precision.
    """

    q: tuple[float, float]
    eic: tuple[float, float]
    double: tuple[float, float]


def repair_sentence(text: str, rules: Sequence[str], saved: Saved) -> str:
    """What to write instead, and what it saves.

    Parameters
    ----------
    text : str
        The new form, in Python.
    rules : sequence of str
        Names of the rules that lead to it, in order; repetitions are dropped.
    saved : Saved
        Digits before and after; what saves less than 0.05 is not mentioned.

    Examples
    --------
    >>> repair_sentence("x", ["merging like terms"], Saved((4.39, 0), (4.39, 0), (4, 0)))
    'Write `x` (merging like terms): the result loses no digit instead of 4.4.'
    >>> print(repair_sentence("x", ["inverse functions"], Saved((0.1, 0), (3, 0), (math.inf, 0))))
    Write `x` (inverse functions): the worst step loses no digit instead of 3.0,
    and no value leaves the range of double precision.
    """
    reasons = ", then ".join(dict.fromkeys(rules))
    at_root, inside = saved.q[0] - saved.q[1], saved.eic[0] - saved.eic[1]
    effects = []
    if at_root >= max(0.1, inside - 0.5):
        effects.append(
            f"the result loses {wording.lost_phrase(saved.q[1])} instead of {saved.q[0]:.1f}"
        )
    elif inside >= 0.05:
        effects.append(
            f"the worst step loses {wording.lost_phrase(saved.eic[1])} instead of "
            f"{saved.eic[0]:.1f}"
        )
    if math.isinf(saved.double[0]) and math.isfinite(saved.double[1]):
        effects.append("no value leaves the range of double precision")
    elif not effects:
        effects.append(
            "with exact inputs double precision loses "
            f"{wording.lost_phrase(saved.double[1])} instead of {saved.double[0]:.1f}"
        )
    return f"Write `{text}` ({reasons}): {', and '.join(effects)}."


def no_repair_sentence(q: float, eic: float, own: float, finished: bool) -> str:
    """Why there is no repair.

    Parameters
    ----------
    q, eic, own : float
        Digits lost at the root and at the worst node, and by the function itself.
    finished : bool
        False if the time limit ended the search.

    Examples
    --------
    >>> no_repair_sentence(3.1, 3.1, 0.2, False)
    'Nothing better found before the time limit.'
    >>> no_repair_sentence(3.1, 3.1, 3.0, True)
    'Nothing better found: the result itself is that sensitive to the inputs.'
    >>> no_repair_sentence(0.4, 0.5, 0.2, True)
    'Nothing better found: the result loses only 0.4 digits.'
    >>> no_repair_sentence(0.0, 0.0, 0.0, True)
    'Nothing better found: the result loses no digit.'
    >>> print(no_repair_sentence(0.2, 4.9, 0.2, True))
    Nothing better found: the result loses only 0.2 digits, and no exact rewriting with these
    operators spares the step inside that loses 4.9.
    """
    if math.isnan(q):
        return "Nothing better found: the formula has no finite amplification on these samples."
    if not finished:
        return "Nothing better found before the time limit."
    lead = "Nothing better found"
    inside = (
        ", and no exact rewriting with these operators spares the step inside that loses "
        f"{eic:.1f}"
        if eic > q + 1
        else ""
    )
    if q <= SMALL:
        return f"{lead}: the result loses {_small_loss_clause(q)}{inside}."
    if q <= own + NEAR:
        return f"{lead}: the result itself is that sensitive to the inputs{inside}."
    return (
        f"{lead}: {q - own:.1f} of {q:.1f} digits are lost to the writing, but "
        "no exact rewriting with these operators saves them."
    )


def unfinished_search_sentence(evaluated: int, found_better: bool) -> str:
    """What a search that met its time limit leaves open.

    Parameters
    ----------
    evaluated : int
        Forms that it has looked at.
    found_better : bool
        Whether a better one was among them.

    Examples
    --------
    >>> unfinished_search_sentence(1, False)
    'The search was cut short by its time limit after 1 form: there may be a better one.'
    >>> unfinished_search_sentence(9, True)
    'The search was cut short by its time limit after 9 forms: there may be a still better one.'
    """
    forms = wording.count(evaluated, "form")
    better = "a still better one" if found_better else "a better one"
    return f"The search was cut short by its time limit after {forms}: there may be {better}."


def _small_loss_clause(q: float) -> str:
    return f"only {q:.1f} digits" if q >= 0.05 else wording.lost_phrase(q)


def advice_sentence(q: float, eic: float, own: float) -> str:
    """What to do where no other form is better.

    Parameters
    ----------
    q, eic, own : float
        Digits lost at the root and at the worst node, and by the function itself.

    Examples
    --------
    >>> advice_sentence(0.4, 0.5, 0.2)
    'Nothing needs to be done.'
    >>> print(advice_sentence(0.2, 4.9, 0.2))
    The result does not feel that step: it needs a higher precision only where its value
    is used on its own.
    >>> print(advice_sentence(3.1, 3.1, 3.0))
    What helps instead: inputs known more exactly, samples away from where the result crosses 0
    or turns steep, or asking for a quantity that is less sensitive; a higher precision helps
    only as far as the inputs are known.
    >>> print(advice_sentence(4.9, 4.9, 0.2))
    What helps instead: a higher precision for this part (of its digits 4.9 are spent here), or
    another way to compute the same quantity, such as a series or a library function.
    """
    if math.isnan(q):
        return "What helps: samples at which the formula has a finite value other than 0."
    if q <= SMALL:
        if eic <= q + 1:
            return "Nothing needs to be done."
        return (
            "The result does not feel that step: it needs a higher precision only where its value "
            "is used on its own."
        )
    if q <= own + NEAR:
        return (
            "What helps instead: inputs known more exactly, samples away from where the result "
            "crosses 0 or turns steep, or asking for a quantity that is less sensitive; a higher "
            "precision helps only as far as the inputs are known."
        )
    return (
        f"What helps instead: a higher precision for this part (of its digits {q:.1f} are spent "
        "here), or another way to compute the same quantity, such as a series or a library "
        "function."
    )


@dataclass(frozen=True)
class Measured:
    """One form on the measured rows.

    Attributes
    ----------
    amplification : CorrelatedAmplification
        q at the root and EIC.
    complexity : int
        Number of nodes.
    float32, float64 : ObservedError
        What plain evaluation makes of it.
    """

    amplification: CorrelatedAmplification = field(repr=False)
    complexity: int
    float32: ObservedError
    float64: ObservedError

    JSON = ("q", "eic", "complexity", "float32", "float64")

    @property
    def q(self) -> float:
        """Digits lost at the root when copies share their noise, singular samples left out."""
        return self.amplification.q_eic_finite

    @property
    def eic(self) -> float:
        """EIC, singular samples left out."""
        return self.amplification.eic_finite


@dataclass(frozen=True)
class RepairStep:
    """One rewrite: which rule, where, and what it needs.

    Attributes
    ----------
    rule : str
    before, after : str
        The sub-expressions exchanged, as short labels.
    assumptions : tuple of str
        Such as ``"x > 0"``.
    """

    rule: str
    before: str
    after: str
    assumptions: tuple[str, ...]

    JSON = ("rule", "before", "after", "assumptions")


@dataclass(frozen=True)
class Repair(Plain):
    """An equivalent form that loses fewer digits.

    Attributes
    ----------
    formula : Formula
        The new form; its source is its Python text.
    steps : tuple of RepairStep
    before, after : Measured
    verification : Verification
    sentence : str
    """

    formula: Formula
    steps: tuple[RepairStep, ...]
    before: Measured
    after: Measured
    verification: Verification
    sentence: str

    JSON = (
        "formula=text", ("latex", lambda repair: to_latex(repair.formula)), "sentence", "steps",
        "assumptions", "after", "delta_q", "delta_eic", "delta_complexity", "verification",
    )  # fmt: skip

    @property
    def text(self) -> str:
        """Python infix, which reads back to the same tree."""
        return self.formula.source

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must hold for the two to be equal; it holds on the data."""
        return tuple(dict.fromkeys(a for step in self.steps for a in step.assumptions))

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the rules used, in order, without repetition."""
        return tuple(dict.fromkeys(step.rule for step in self.steps))

    @property
    def delta_q(self) -> float:
        """Change of q at the root, in digits; negative is better."""
        return self.after.q - self.before.q

    @property
    def delta_eic(self) -> float:
        """Change of EIC, in digits; negative is better."""
        return self.after.eic - self.before.eic

    @property
    def delta_complexity(self) -> int:
        """Change of the number of nodes."""
        return self.after.complexity - self.before.complexity


@dataclass(frozen=True)
class Repairs(Plain):
    """What the search for better forms found.

    Attributes
    ----------
    formula : Formula
    samples : Samples
    repairs : tuple of Repair
        The best first; may be empty.
    before : Measured or None
        None if no row could be measured.
    own : float
        The function's own conditioning on the measured rows, in digits: what no form of it
        can go below.
    measured_rows : int
    evaluated : int
        Forms whose cost was computed.
    finished : bool
        False if the deadline ended the search: these are then not all, nor surely the best.
    sentence : str
        The best repair, or why there is none; and what is missing, if something is.
    advice : str
        What helps instead; "" if there is a repair, or may be one.
    """

    formula: Formula
    samples: Samples = field(repr=False)
    repairs: tuple[Repair, ...]
    before: Measured | None
    own: float
    measured_rows: int
    evaluated: int
    finished: bool
    sentence: str
    advice: str

    JSON = (
        ("formula", lambda repairs: to_python(repairs.formula)), "sentence", "advice", "own",
        "before", "measured_rows", "evaluated", "finished", "missing", "repairs",
    )  # fmt: skip

    @property
    def missing(self) -> str:
        """What the search did not do for want of time, in a sentence; "" if it came to its end."""
        return (
            "" if self.finished else unfinished_search_sentence(self.evaluated, bool(self.repairs))
        )

    @property
    def best(self) -> Repair | None:
        """The first repair, if there is one."""
        return self.repairs[0] if self.repairs else None
