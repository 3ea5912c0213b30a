"""What is said of one formula on one table, sentence by sentence, beside what is true of it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from eic_core.errors import UserError
from eic_core.explain.budget import Budget, digit_budget
from eic_core.explain.diagnosis import Diagnosis, diagnose
from eic_core.explain.ledger import blame
from eic_core.explain.spread import spread_of
from eic_core.explain.triangulation import Triangulation, triangulate
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection, inspect
from eic_core.rewriting import Repairs, repair
from eic_core.samples import Samples
from tests.audit.oracle import Truth

JUMPS = frozenset("floor ceil round sign atan2".split())
"""Operators whose value jumps."""

LIMITS = (24, 28, 32, 37, 40, 48, 56, 400)
"""To so many characters sub-expressions are cut in sentences."""


@dataclass
class Page:
    """The sentences of one page and the truth about it.

    Attributes
    ----------
    formula : Formula
    samples : Samples
    truth : Truth
    said : list of (part, sentence)
        In the order of the page.
    about : int or None
        The node that a sentence of the ledger or on the rows is about, if that is asked for.
    """

    formula: Formula
    samples: Samples
    truth: Truth
    inspection: Inspection
    diagnosis: Diagnosis
    repairs: Repairs | None = None
    triangulation: Triangulation | None = None
    budget: Budget | None = None
    said: list[tuple[str, str]] = field(default_factory=list)
    about: int | None = None

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for limit in LIMITS:
            for k in range(len(self.formula)):
                nodes = places.setdefault(short_text(self.formula, k, limit), [])
                if k not in nodes:
                    nodes.append(k)
        return places

    def nodes(self, code: str) -> list[int]:
        """The nodes that a text in backticks, or "the result", may stand for."""
        if code == "the result":
            return [self.truth.root]
        return self._places.get(code.strip("`"), [])

    def column(self, code: str) -> np.ndarray | None:
        """The data of an input by its name as shown."""
        for k in self.nodes(code):
            if self.formula.nodes[k].operator == "variable":
                return self.samples.columns[self.formula.nodes[k].label]
        return None

    @cached_property
    def binary(self) -> Truth:
        """The truth at the very numbers that double precision holds, as decimals.

        Of a formula that jumps the decimals that are written count: a jump may lie between.
        """
        if any(node.operator in JUMPS for node in self.formula.nodes):
            return self.truth
        columns = {v: self.samples.columns[v] for v in self.formula.variables}
        texts = {
            v: {i: str(Decimal(float(x))) for i, x in enumerate(column)}
            for v, column in columns.items()
        }
        count = len(self.samples)
        return Truth(self.formula, Samples.from_columns(columns, count=count, exact=texts))

    @cached_property
    def diagnosed(self) -> int:
        """The node of largest finite local EIC by the oracle; with no digit left, the worst."""
        finite = np.nan_to_num(self.truth.locals_finite, nan=-1.0)
        best = int(np.argmax(finite))
        if not self.formula.nodes[best].children and self.truth.valid.any():
            return int(np.argmax(self.truth.locals))
        return best


def open_page(
    formula: Formula,
    samples: Samples,
    *,
    steps: int = 0,
    findings: bool = False,
    hurry: bool = False,
) -> Page:
    """Ask for everything that is said, and find out what is true.

    Parameters
    ----------
    formula : Formula
    samples : Samples
    steps : int
        Forms that the search for better ones looks at; 0 for no search.
    findings : bool
        Whether to ask for the other parts of a report, too.
    hurry : bool
        Whether the search meets its time limit.
    """
    truth = Truth(formula, samples)
    inspection = inspect(formula, samples)
    found = diagnose(inspection)
    page = Page(formula, samples, truth, inspection, found)
    page.said += [("level", text) for text in found.verdict.meaning.split("; ")]
    page.said += [("verdict", text) for text in pieces(found.verdict.sentence)]
    page.said += [("cause", found.verdict.cause)]
    page.said += [("note", note) for note in found.verdict.notes]
    page.said += [("why", text) for text in found.ledger.sentences]
    page.said += [("where", text) for text in found.where.sentences]
    page.said += [("fault", found.writing.sentence)]
    page.said += [("fault", note) for note in found.writing.notes]
    page.said += [("losses", loss.sentence) for loss in found.losses]
    spread = spread_of(inspection)
    page.said += [("settled", spread.settled)] if spread else []
    root = len(formula) - 1
    if found.ledger.target != root:
        page.said += [("why of the result", text) for text in blame(inspection, root).sentences]
    if steps:
        page.repairs = repair(
            formula,
            samples,
            limit_seconds=2.0 if hurry else math.inf,
            limit_steps=steps,
            clock=ticking(1.0 if hurry else 0.0),
        )
        page.said += [("instead", text) for text in _instead(page.repairs)]
    if findings and not truth.valid.any():
        page.said += [("ways", triangulate(inspection).sentence)]
    elif findings:
        try:
            page.budget = digit_budget(inspection)
            page.said += [("budget", text) for text in page.budget.sentences]
        except UserError as error:
            page.said += [("budget", str(error))]
        page.triangulation = triangulate(inspection)
        ways = page.triangulation.sentence
        page.said += [("ways", text) for text in re.split(r"(?<=\.) (?=At \d+ more)", ways)]
    return page


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by so much whenever it is looked at."""
    times = itertools.count()
    return lambda: next(times) * step


RANGE = re.compile(
    r"No double-precision value at [\d,]+ of (?:the )?[\d,]+ samples?(?: that were checked)?: "
    r"(?:`[^`]*`|[^`;])*; "
    r"(?:the exact value|what the exact value is)[^.]*\."
)
WORN = re.compile(
    r"(?:Underflow|Overflow|Over- or underflow) costs (?:up to )?[\d.a-z ]+? of "
    r"the result at [\d,]+ of [\d,]+ samples?\."
)
JUMP = re.compile(
    r"(?:Rounding|Over- or underflow) decides .*? of the result"
    r"(?:; other steps at [\d,]+ more)?\."
)
PARTLY = re.compile(
    r"No (?:real|usable) value at [\d,]+ of [\d,]+ samples?(?:, at `[^`]*`)?: (?:`[^`]*`|[^`.])*\."
)
LEFT_OUT = re.compile(
    r"Left out (?:is|are) [\d,]+ of [\d,]+ samples? that double precision cannot tell: [^.]*\."
)
LEADS = (
    "At the others ",
    "At the other sample ",
    "With a wider range of exponents, and apart from a jump, ",
    "With a wider range of exponents ",
    "Apart from that, ",
)


def pieces(sentence: str) -> list[str]:
    """The sentences of a verdict: one, and one each of double range and of jumps."""
    found: list[str] = []
    for pattern in (PARTLY, PARTLY, LEFT_OUT, RANGE, WORN, JUMP):
        match = pattern.search(sentence)
        if match is not None:
            found.append(match[0])
            sentence = (sentence[: match.start()] + sentence[match.end() :]).strip()
    for lead in LEADS:
        sentence = sentence.removeprefix(lead)
    return [*found, sentence] if sentence else found


def _instead(found: Repairs) -> Iterator[str]:
    sentence = found.sentence
    if found.missing:
        sentence = sentence.removesuffix(found.missing).rstrip()
        yield found.missing
    yield sentence
    if found.advice:
        yield found.advice
    for other in found.repairs[1:]:
        yield other.sentence


def composed_of(text: str, sentences: list[str]) -> str:
    """What is left of a text when known sentences are taken from it."""
    for sentence in sorted(sentences, key=len, reverse=True):
        text = text.replace(sentence, " ")
    return text.strip()


def numbers(values: Any) -> str:
    """Numbers for a message."""
    return ", ".join(f"{v:.4g}" for v in np.ravel(values)[:8])
