"""The digit budget: how many digits of each constant and input the output needs.

Every constant and every input column is rounded to fewer and fewer significant digits, one
at a time and then all together, and the formula is run on the data each time.  What counts
is a tolerance on the output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eic_core.engine.amplify import amplify
from eic_core.errors import UserError
from eic_core.explain import words
from eic_core.explain.shortening import shortenable
from eic_core.explain.trial import Key, Trial
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.inspection import Inspection, json_number, local_eic

TOLERANCE = 1e-3

MANY = 6
"""A constant that needs as many digits deserves a word."""

LISTED = 6

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Need:
    """How many digits of one number the output needs.

    Attributes
    ----------
    kind : {"constant", "input"}
    name : str
        The constant as written, or the variable.
    nodes : tuple of int
        Where it stands.
    given : int
        Significant digits as written; for an input, the most that a cell has.
    alone : int
        Digits that suffice if nothing else is rounded.
    together : int
        Digits kept when everything is rounded at once.
    shortened : str
        The constant rounded so; "" for an input.
    """

    kind: str
    name: str
    nodes: tuple[int, ...]
    given: int
    alone: int
    together: int
    shortened: str


@dataclass(frozen=True)
class Budget:
    """The fewest digits with which the output stays within a tolerance.

    Attributes
    ----------
    inspection : Inspection
    tolerance : float
        Allowed rms deviation of the output, in standard deviations of `scale_of` (of a
        constant output: relative to its size); with a target also the allowed loss of R2.
    scale_of : {"target", "output"}
    needs : tuple of Need
        Constants in post-order, then inputs.
    deviation : float
        That of the jointly rounded formula and data, measured on all rows, in units of the same.
    formula : Formula
        With shortened constants, the inputs as given.
    text : str
        The same, to paste; reads back to `formula`.
    r2_before, r2_after : float
        Against the target, over the rows where the formula has a value; nan without one.
    eic_before, eic_after : float
        ``eic_finite`` of the formula as given and as shortened.
    sentences : tuple of str
    """

    inspection: Inspection = field(repr=False)
    tolerance: float
    scale_of: str
    needs: tuple[Need, ...]
    deviation: float
    formula: Formula = field(repr=False)
    text: str
    r2_before: float
    r2_after: float
    eic_before: float
    eic_after: float
    sentences: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        return {
            "tolerance": self.tolerance,
            "scale_of": self.scale_of,
            "needs": [
                {
                    "kind": n.kind,
                    "name": n.name,
                    "nodes": list(n.nodes),
                    "given": n.given,
                    "alone": n.alone,
                    "together": n.together,
                    "shortened": n.shortened,
                }
                for n in self.needs
            ],
            "deviation": json_number(self.deviation),
            "formula": self.text,
            "r2_before": json_number(self.r2_before),
            "r2_after": json_number(self.r2_after),
            "eic_before": json_number(self.eic_before),
            "eic_after": json_number(self.eic_after),
            "sentences": list(self.sentences),
        }


def digit_budget(
    inspection: Inspection,
    *,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
) -> Budget:
    """Find the fewest digits of each constant and input that keep the output.

    Parameters
    ----------
    inspection : Inspection
    tolerance : float
        Above 0 and at most 1.
    progress : callable (fraction done) -> None, optional

    Raises
    ------
    UserError
        If the tolerance is out of range, or the formula has no finite value on the data.

    Notes
    -----
    Rounded output f' keeps the tolerance t if it has a value wherever f has one,
    rms(f' - f) <= t std(target or f), and with a target R2(f) - R2(f') <= t.  A number of
    digits counts only if every larger one keeps it, too.  The digits found one at a time
    are then taken together, and raised where that is too few; the joint result is run on
    all rows.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=500)
    >>> budget = digit_budget(inspect(read("3.14159265*x + 2.71828").formula, samples))
    >>> budget.text
    '3.142*x + 2.72'
    """
    if not 0 < tolerance <= 1:
        raise UserError(f"the tolerance is {tolerance:g}", hint="give a number from 0 to 1")
    trial = Trial(inspection, tolerance)
    names = shortenable(inspection.formula)
    columns = inspection.formula.variables
    keys = [("constant", name) for name in names] + [("input", name) for name in columns]
    given = {key: trial.given(key) for key in keys}
    alone: dict[Key, int] = {}
    for done, key in enumerate(keys):
        alone[key] = trial.fewest(key, given[key])
        if progress is not None:
            progress(0.8 * (done + 1) / len(keys))
    together = trial.jointly(alone, given)
    if progress is not None:
        progress(1.0)
    return _result(inspection, trial, given, alone, together)


def _result(
    inspection: Inspection,
    trial: Trial,
    given: Mapping[Key, int],
    alone: Mapping[Key, int],
    together: Mapping[Key, int],
) -> Budget:
    formula = trial.shortened(together)
    after = amplify(formula, inspection.samples, root_values=True)
    assert after.root_values is not None
    target, rows = inspection.samples.target, trial.all
    finite = [after.finite_mean_s2(k) for k in range(len(formula))]
    needs = tuple(
        Need(
            kind,
            name,
            _places(inspection.formula, name),
            given[kind, name],
            alone[kind, name],
            together[kind, name],
            formula.nodes[trial.labels[name][0]].label if kind == "constant" else "",
        )
        for kind, name in together
    )
    deviation = trial.deviation(together, rows) / trial.unit
    r2 = [
        math.nan if target is None else r_squared(values[rows], target[rows])
        for values in (trial.reference, after.root_values)
    ]
    eic_after = math.nan if any(map(math.isnan, finite)) else local_eic(max(finite))
    return Budget(
        inspection=inspection,
        tolerance=trial.tolerance,
        scale_of=trial.scale_of,
        needs=needs,
        deviation=deviation,
        formula=formula,
        text=to_python(formula),
        r2_before=r2[0],
        r2_after=r2[1],
        eic_before=inspection.eic_finite,
        eic_after=eic_after,
        sentences=_sentences(needs, trial, deviation),
    )


def _places(formula: Formula, name: str) -> tuple[int, ...]:
    return tuple(n.id for n in formula.nodes if n.is_leaf and n.label == name)


def _sentences(needs: tuple[Need, ...], trial: Trial, deviation: float) -> tuple[str, ...]:
    constants = [n for n in needs if n.kind == "constant"]
    inputs = [n for n in needs if n.kind == "input"]
    if not needs:
        return ("There is nothing to shorten: no decimal constant and no input.",)
    within = f"within {share_text(trial.tolerance)} of {trial.measure}"
    lines = _about_constants(constants, within) if constants else []
    if inputs:
        taken = _about_inputs(inputs)
        lines.append(
            f"Of the inputs it takes {taken}."
            if constants
            else f"To keep the output {within} it takes {taken}."
        )
    moved = "does not move"
    if deviation:
        moved = f"moves by {share_text(deviation)} of {trial.measure} (rms)"
    lines.append(
        f"All rounded together and run on {words.samples(len(trial.all))}, the output {moved}."
    )
    return tuple(lines)


def _about_constants(constants: list[Need], within: str) -> list[str]:
    before, after = sum(n.given for n in constants), sum(n.together for n in constants)
    if after < before:
        kept = "keeps" if after == 1 else "keep"
        lines = [f"{after} of the {before} digits of its constants {kept} the output {within}."]
    else:
        lines = [f"No constant can be shortened if the output is to stay {within}."]
    most = max(constants, key=lambda n: n.together)
    if most.together >= MANY:
        lines.append(f"`{most.name}` needs {most.together}: the output hangs on its last digits.")
    return lines


def _about_inputs(inputs: list[Need]) -> str:
    """The digits of the first few inputs, and the most of the others."""
    first, *others = inputs[:LISTED]
    parts = [f"{first.together} digit{'s' if first.together > 1 else ''} of "
             f"{words.input_name(first.name)}"]  # fmt: skip
    parts += [f"{n.together} of {words.input_name(n.name)}" for n in others]
    rest = inputs[LISTED:]
    if rest:
        parts.append(f"at most {max(n.together for n in rest)} of {len(rest)} more")
    return words.listed(parts)


def share_text(share: float) -> str:
    """A part of 1: per cent, or a power of ten where that is too small.

    Examples
    --------
    >>> share_text(1e-2), share_text(3.21e-4), share_text(1e-6), share_text(0.0)
    ('1 %', '0.032 %', '10⁻⁶', '0')
    """
    return f"{100 * share:.2g} %" if share >= 1e-4 else words.number(share)
