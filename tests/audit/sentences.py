"""The table of templates: every sentence matches one, and each says when it is true.

A template's check yields what is wrong, a complaint each, and looks only at the oracle's numbers
and the data.  What it claims is a list of (subject, low, high): two sentences of a page contradict
each other where they claim intervals of one subject that do not meet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tests.audit.page import Page
from tests.audit.printed import SLACK, compiled

Match = re.Match[str]
Claim = tuple[str, float, float]
Check = Callable[[Page, Match], Iterable[str]]
Claims = Callable[[Page, Match], Iterable[Claim]]


@dataclass(frozen=True)
class Template:
    """One way of saying something.

    Attributes
    ----------
    name : str
    parts : tuple of str
        Where on a page it may stand.
    text : str
        As `printed.compiled` reads it.
    check : callable (page, match) -> complaints
    claims : callable (page, match) -> claims
    """

    name: str
    parts: tuple[str, ...]
    text: str
    check: Check
    claims: Claims

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a sentence of this template looks like."""
        return compiled(self.text)


TABLE: list[Template] = []


def _nothing(page: Page, match: Match) -> Iterable[Claim]:
    return ()


def says(
    name: str, parts: str, template: str, claims: Claims = _nothing
) -> Callable[[Check], Check]:
    """Enter a template into the table; what is decorated is its check."""

    def enter(check: Check) -> Check:
        TABLE.append(Template(name, tuple(parts.split()), template, check, claims))
        return check

    return enter


@dataclass(frozen=True)
class Duty:
    """What must not be left unsaid.

    Attributes
    ----------
    what : str
    applies : callable (page) -> bool
    said_by : frozenset of str
        Templates of which one must then have been used.
    """

    what: str
    applies: Callable[[Page], bool]
    said_by: frozenset[str]


DUTIES: list[Duty] = []


def duty(what: str, said_by: str) -> Callable[[Callable[[Page], bool]], Callable[[Page], bool]]:
    """Enter a duty; what is decorated tells whether it applies."""

    def enter(applies: Callable[[Page], bool]) -> Callable[[Page], bool]:
        DUTIES.append(Duty(what, applies, frozenset(said_by.split())))
        return applies

    return enter


def matching(part: str, text: str, table: Iterable[Template] | None = None) -> list[Template]:
    """The templates that a sentence follows."""
    table = TABLE if table is None else table
    return [t for t in table if part in t.parts and t.pattern.match(text)]


def best_of(complaints: Iterator[list[str]]) -> list[str]:
    """No complaint if one of several readings has none, else those of the first."""
    every = list(complaints)
    if not every:
        return ["no such sub-expression"]
    return min(every, key=len)


def somewhere(page: Page, code: str, check: Callable[[int], Iterable[str]]) -> list[str]:
    """The complaints about the node that a text stands for; it may stand for several."""
    return best_of(list(check(k)) for k in page.nodes(code))


@dataclass
class Verdicts:
    """What came of a page.

    Attributes
    ----------
    fired : list of str
        Names of the templates that were used.
    faults : list of str
        Unmatched and ambiguous sentences, false ones and contradictions.
    """

    fired: list[str]
    faults: list[str]


def judge(page: Page) -> Verdicts:
    """Hold every sentence of a page to the truth, and to the others."""
    fired: list[str] = []
    faults: list[str] = []
    claimed: list[tuple[Claim, str]] = []
    for part, text in page.said:
        page.about = page.truth.root if part.endswith(" of the result") else None
        part = part.removesuffix(" of the result")
        found = matching(part, text)
        if not found:
            faults.append(f"no template [{part}]: {text}")
            continue
        if len(found) > 1:
            names = ", ".join(t.name for t in found)
            faults.append(f"several templates ({names}): {text}")
        template = found[0]
        fired.append(template.name)
        match = template.pattern.match(text)
        assert match is not None
        complaints = list(_complaints(template, page, match))
        if complaints:
            faults.append(f"false [{template.name}]: {text}\n      {'; '.join(complaints)}")
        claimed += [(claim, text) for claim in template.claims(page, match)]
    faults += _contradictions(claimed)
    faults += [
        f"not said: {d.what}"
        for d in DUTIES
        if not d.said_by.intersection(fired) and d.applies(page)
    ]
    return Verdicts(fired, faults)


def _complaints(template: Template, page: Page, match: Match) -> Iterator[str]:
    try:
        yield from template.check(page, match)
    except (ArithmeticError, LookupError, ValueError, TypeError) as error:
        yield f"the check failed: {error!r}"


def _contradictions(claimed: list[tuple[Claim, str]]) -> Iterator[str]:
    for i, ((subject, low, high), text) in enumerate(claimed):
        for (other, least, most), said in claimed[:i]:
            if subject != other or text == said:
                continue
            apart = max(low, least) > min(high, most) + SLACK
            if math.isinf(max(low, least)):
                apart = max(low, least) != min(high, most)
            if apart:
                yield f"contradiction about {subject}: {said}\n      and: {text}"
