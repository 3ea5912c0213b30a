"""The whole diagnosis of a formula: what is wrong, why, where in the data, and whose fault."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from eic_core.display import Displayed
from eic_core.explain.ledger import Ledger, blame
from eic_core.explain.losses import Loss, account_of_losses
from eic_core.explain.verdict import Verdict, verdict
from eic_core.explain.where import Where, where
from eic_core.explain.writing import WritingLoss, writing_loss
from eic_core.exports import Plain
from eic_core.measure.double_range import DoubleRange, double_range
from eic_core.measure.inspection import Inspection
from eic_core.phrasing import one_after_another


@dataclass(frozen=True, repr=False)
class Diagnosis(Displayed, Plain):
    """Four questions about a formula, each answered by a result that says it in words.

    Attributes
    ----------
    inspection
        The measurement that is diagnosed.
    verdict
        What is wrong.
    ledger
        Whose noise it is, at one node: for `diagnose` that of largest finite local EIC.
    where
        Which rows carry it, at the same node.
    writing
        Whether the function or its writing is to blame.
    """

    inspection: Inspection = field(repr=False)
    verdict: Verdict
    ledger: Ledger
    where: Where
    writing: WritingLoss

    _JSON = ("sentences", "ledger", "where", "writing", "losses", "double_range")

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The loss numbers, each with its name and one sentence."""
        found = self.writing
        shared = math.inf if found.singular else found.q
        return account_of_losses(self.inspection, (shared, found.q))

    @property
    def double_range(self) -> DoubleRange:
        """The rows at which a program gets no value in double precision."""
        return double_range(self.inspection)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What, why, where and whose fault, a sentence each where there is one to say."""
        return (
            str(self.verdict.sentence),
            str(self.ledger.sentences[0]),
            str(one_after_another(self.where.sentences[: 1 + len(self.where.places)])),
            str(one_after_another((self.writing.sentence, *self.writing.notes))),
        )


def diagnose(inspection: Inspection) -> Diagnosis:
    """Answer the four questions at the node of largest finite local EIC.

    Parameters
    ----------
    inspection
        Its samples carry the diagnosis.

    Returns
    -------
    Diagnosis
        The four answers, each with its sentences.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [3.0, 1000.0, 1e8]})
    >>> for sentence in diagnose(inspect(read("sqrt(x+1)-sqrt(x)").formula, samples)).sentences:
    ...     print(sentence)
    Double precision loses 3.0 digits typically, 8.1 at nine in ten rows, at `√(x + 1) − √x`: the \
two terms cancel.
    73 % of the noise of the result comes from the rounding of `√(x + 1)` and the rounding of \
`√x`, each amplified 1.2·10⁸ times at the difference `√(x + 1) − √x`.
    One of 3 rows, row 3, gives over 99.9 % of the amplified noise at `√(x + 1) − √x`.
    With shared noise errors grow by 8.24 digits up to the result, in the mean; 8.19 of them are \
added by the writing.
    """
    return Diagnosis(
        inspection,
        verdict(inspection),
        blame(inspection),
        where(inspection),
        writing_loss(inspection),
    )
