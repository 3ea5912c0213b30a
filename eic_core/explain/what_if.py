"""Replaces a part of the formula by a constant, to see how many digits the rest would lose."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.errors import UserError, require
from eic_core.explain.phrases import code_text
from eic_core.explain.phrases import what_if as phrases
from eic_core.explain.shortening import signed_number_label
from eic_core.exports import Plain
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula, constant
from eic_core.measure.fit import r_squared
from eic_core.measure.inspection import Inspection
from eic_core.phrasing import Phrase


@dataclass(frozen=True)
class WhatIf(Plain):
    inspection: Inspection = field(repr=False)
    node_id: int
    mean: float  # Over the valid samples at which the node is in double range
    formula: Formula = field(repr=False)  # With the constant in the node's place
    text: str  # The same, to paste
    # "target" or "formula": whether R2 is that of the data's target or of the formula's own values
    against: str
    # r2_before, r2_after: over the samples at which both formulas have a finite value
    r2_before: float
    r2_after: float
    # eic_before, eic_after: ``eic_finite`` of both
    eic_before: float
    eic_after: float

    _JSON = (
        "node=node_id",
        "mean",
        "formula=text",
        "against",
        "r2_before",
        "r2_after",
        "eic_before",
        "eic_after",
        "sentence",
    )

    @property
    def sentence(self) -> Phrase:
        return phrases.sentence(
            self.inspection,
            self.node_id,
            self.mean,
            (self.r2_before, self.r2_after),
            (self.eic_before, self.eic_after),
        )


def what_if_mean(inspection: Inspection, node_id: int) -> WhatIf:
    """Replace a node by its mean over the data, and see what becomes of the fit and of EIC.

    Parameters
    ----------
    inspection
        Its samples must have a finite value.
    node_id
        Of the node that is replaced; not the root.

    Returns
    -------
    WhatIf
        Fit and EIC before and after.

    Raises
    ------
    UserError
        If the node is the root, or the formula or the node has no finite value on the data.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=1000)
    >>> formula = read("x + 0.000001*sin(1000*x)").formula
    >>> found = what_if_mean(inspect(formula, samples), 6)
    >>> found.text[:4], bool(found.r2_after > 0.999999), round(found.eic_after, 1)
    ('x + ', True, 0.2)
    """
    require(inspection, Inspection)
    formula = inspection.formula
    if node_id == len(formula) - 1:
        raise UserError("the whole formula would be a constant", hint="choose a part of it")
    if not inspection.counts.valid:
        raise UserError(
            "the formula has no usable value on these samples",
            hint="choose samples inside its domain",
        )
    y, _ = inspection.amplification.trace(node_id)
    known = y[np.isfinite(y)]
    if not len(known):
        raise UserError(
            f"{code_text(formula, node_id)} has no finite value on these samples",
            hint="choose another part or other samples",
        )
    with np.errstate(over="ignore"):
        mean = float(np.mean(known))
    if not math.isfinite(mean):
        raise UserError(
            f"the mean of {code_text(formula, node_id)} leaves double range",
            hint="choose another part or other samples",
        )
    draft = formula.to_draft(instead={node_id: constant(signed_number_label(repr(mean)))})
    changed = Formula.from_draft(draft, formula.source, formula.exponents)
    after = amplify(changed, inspection.samples, root_values=True)
    before, _ = inspection.amplification.trace(len(formula) - 1)
    values = after.root_values
    assert values is not None
    both = np.isfinite(before) & np.isfinite(values)
    target = inspection.samples.target
    against = before if target is None else target
    r2_before, r2_after = (
        r_squared(v[both], against[both]) if both.any() else math.nan for v in (before, values)
    )
    return WhatIf(
        inspection=inspection,
        node_id=node_id,
        mean=mean,
        formula=changed,
        text=to_python(changed),
        against="formula" if target is None else "target",
        r2_before=r2_before,
        r2_after=r2_after,
        eic_before=inspection.eic_finite,
        eic_after=after.eic_finite,
    )
