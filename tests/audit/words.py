"""The sentences that readers get, for a person to read: ``python -m tests.audit.words``.

It writes `words.txt`: one sentence of every shape, in their order, above the first example that
has it; so that another example changes the lines alone that it brings.  What they claim is held to
the truth as data (`test_audit.py`); here their English is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from eic_core.errors import UserError
from eic_core.explain.budget import digit_budget
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.settling import spread_of
from eic_core.explain.triangulation import triangulate
from eic_core.measure import Inspection, inspect
from eic_core.rewriting import Repairs, repair
from tests.audit.draws import Draw
from tests.audit.examples import EXAMPLES, example

FILE = Path(__file__).with_name("words.txt")
STEPS = 40

SHARED = 300
"""Draws whose results are held for another test: all examples."""


@lru_cache(maxsize=SHARED)
def inspected(draw: Draw) -> Inspection:
    return inspect(draw.formula, draw.samples)


@lru_cache(maxsize=SHARED)
def searched(draw: Draw, late: bool = False) -> Repairs:
    """Better forms, from a search that ends before it begins, or comes to its end."""
    effort = 1e-9 if late else math.inf
    return repair(draw.formula, draw.samples, effort=effort, limit_steps=STEPS)


def sentences(draw: Draw, asked: str) -> Iterator[tuple[str, str]]:
    """Everything that is said of a formula on its data: where it stands, and the sentence."""
    inspection = inspected(draw)
    found = diagnose(inspection)
    parts = {
        "verdict": [found.verdict.sentence, *found.verdict.notes],
        "why": found.ledger.sentences,
        "where": found.where.sentences,
        "fault": [found.writing.sentence, *found.writing.notes],
        "losses": [loss.sentence for loss in found.losses],
    }
    spread = spread_of(inspection)
    if spread:
        parts["settled"] = [spread.settled]
    if "s" in asked:
        forms = searched(draw, late="t" in asked)
        parts["instead"] = [forms.sentence, forms.advice, *(r.sentence for r in forms.repairs[1:])]
    if "f" in asked:
        try:
            parts["budget"] = digit_budget(inspection).sentences
        except UserError as error:
            parts["budget"] = [str(error)]
        parts["ways"] = [triangulate(inspection).sentence]
    for part, texts in parts.items():
        yield from ((part, str(text)) for text in texts if text)


def shape(text: str) -> str:
    """How a sentence begins, without its sub-expressions and numbers."""
    text = re.sub(r"`[^`]*`", "`", text)
    return re.sub(r"[−∞\d][\d.,·⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*", "0", text)[:60]


def first_lines(examples: Iterable[tuple[str, str, int, str]]) -> dict[str, str]:
    """By shape: a sentence, and the first of some examples that has it."""
    first: dict[str, str] = {}
    for text, ranges, count, asked in examples:
        for part, sentence in sentences(example(text, ranges, count), asked):
            line = f"{part}: {sentence}\n    {text} | {ranges} | {count}\n"
            first.setdefault(shape(sentence), line)
    return first


def lines_read() -> dict[str, str]:
    """The same of `words.txt`."""
    found = re.findall(r"^\w+: .*\n    .*\n", FILE.read_text(encoding="utf-8"), re.MULTILINE)
    return {shape(line.partition(": ")[2].partition("\n")[0]): line for line in found}


def written() -> str:
    """The text of `words.txt`."""
    lines = first_lines(EXAMPLES).values()
    return "".join(sorted(lines, key=lambda line: (line.partition(":")[0], shape(line))))


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
