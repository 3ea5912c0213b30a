"""What the verdict would be on other ranges than those that were guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eic_core.explain.judgement import Judgement
from eic_core.explain.phrases.headline import guess_line, value_mark
from eic_core.explain.verdict import verdict
from eic_core.measure.inspection import Inspection, inspect
from eic_core.phrasing import Phrase
from eic_core.samples import Domain, sample_domains

DIRECTIONS = (10.0, 1000.0), (0.1, 0.001), (-1.0,)
"""Factors of the ranges; in each direction the first is told at which the verdict changes."""

ROWS = 200


def guess_told(
    inspection: Inspection, domains: tuple[tuple[str, Domain], ...], guessed: tuple[str, ...]
) -> Phrase:
    """That some ranges are a guess, all the same one, and what the verdict is on others.

    >>> from eic_core.formula.syntax import read
    >>> domains = tuple((name, Domain("uniform", 1.0, 5.0)) for name in "uv")
    >>> samples = sample_domains(dict(domains), count=100)
    >>> found = inspect(read("log(exp(u) + exp(v))").formula, samples)
    >>> print(guess_told(found, domains, ("u",)))
    `u` goes from 1 to 5, which is a guess; from 1,000 to 5,000: out of range, no value at 100 %.
    """
    domain = dict(domains)[guessed[0]]
    others = _verdicts_elsewhere(inspection, dict(domains), guessed)
    return guess_line(guessed, domain, [(_scaled(domain, by), there) for by, there in others])


def _verdicts_elsewhere(
    inspection: Inspection, domains: dict[str, Domain], guessed: tuple[str, ...]
) -> Iterator[tuple[float, Judgement]]:
    """The verdicts with guessed ranges times a factor, where they are others than that here."""
    known = _told(verdict(inspection))
    for factors in DIRECTIONS:
        for factor in factors:
            moved = {name: _scaled(domains[name], factor) for name in guessed}
            samples = sample_domains(domains | moved, count=ROWS)
            there = verdict(inspect(inspection.formula, samples))
            if _told(there) != known:
                yield factor, there
                break


def _scaled(domain: Domain, factor: float) -> Domain:
    low, high = sorted((factor * domain.low, factor * domain.high))
    return replace(domain, low=low, high=high)


def _told(judged: Judgement) -> tuple[object, bool]:
    return judged.level, value_mark(judged) is not None
