"""What `repair` gives back: forms, how they were reached, verified and measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from eic_core.explain.correlated import CorrelatedAmplification
from eic_core.explain.rewriting.sentences import cut_short
from eic_core.explain.rewriting.verify import Verification
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import json_number
from eic_core.measure.observed import ObservedError
from eic_core.samples import Samples


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

    @property
    def q(self) -> float:
        """Digits lost at the root when copies share their noise, singular samples left out."""
        return self.amplification.q_eic_finite

    @property
    def eic(self) -> float:
        """EIC, singular samples left out."""
        return self.amplification.eic_finite

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return {
            "q": json_number(self.q),
            "eic": json_number(self.eic),
            "complexity": self.complexity,
            "float32": self.float32.to_json(),
            "float64": self.float64.to_json(),
        }


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


@dataclass(frozen=True)
class Repair:
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

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        return {
            "formula": self.text,
            "latex": to_latex(self.formula),
            "sentence": self.sentence,
            "steps": [
                {
                    "rule": s.rule,
                    "before": s.before,
                    "after": s.after,
                    "assumptions": list(s.assumptions),
                }
                for s in self.steps
            ],
            "assumptions": list(self.assumptions),
            "after": self.after.to_json(),
            "delta_q": json_number(self.delta_q),
            "delta_eic": json_number(self.delta_eic),
            "delta_complexity": self.delta_complexity,
            "verification": self.verification.to_json(),
        }


@dataclass(frozen=True)
class Repairs:
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

    @property
    def missing(self) -> str:
        """What the search did not do for want of time, in a sentence; "" if it came to its end."""
        return "" if self.finished else cut_short(self.evaluated, bool(self.repairs))

    @property
    def best(self) -> Repair | None:
        """The first repair, if there is one."""
        return self.repairs[0] if self.repairs else None

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        return {
            "formula": to_python(self.formula),
            "sentence": self.sentence,
            "advice": self.advice,
            "own": json_number(self.own),
            "before": None if self.before is None else self.before.to_json(),
            "measured_rows": self.measured_rows,
            "evaluated": self.evaluated,
            "finished": self.finished,
            "missing": self.missing,
            "repairs": [r.to_json() for r in self.repairs],
        }
