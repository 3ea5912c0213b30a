"""What the verdict would be on other ranges than those that were guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from eic_core.explain.judgement import Judgement
from eic_core.explain.phrases.headline import value_mark
from eic_core.explain.verdict import verdict
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import inspect
from eic_core.samples import Domain, sample_domains

DIRECTIONS = (10.0, 1000.0), (0.1, 0.001), (-1.0,)
"""Factors of the ranges; in each direction the first is told at which the verdict changes."""

ROWS = 200


class Elsewhere(NamedTuple):
    factor: float
    verdict: Judgement


def verdicts_elsewhere(
    formula: Formula, domains: Mapping[str, Domain], guessed: Sequence[str], known: Judgement
) -> tuple[Elsewhere, ...]:
    """The verdicts with guessed ranges times a factor, where they are others than the `known` one.

    >>> from eic_core.formula.syntax import read
    >>> formula, domains = read("log(exp(u) + exp(v))").formula, {}
    >>> for name in ("u", "v"):
    ...     domains[name] = Domain("uniform", 1.0, 5.0)
    >>> known = verdict(inspect(formula, sample_domains(domains, count=100)))
    >>> [each.factor for each in verdicts_elsewhere(formula, domains, ["u", "v"], known)]
    [1000.0]
    """
    found = []
    for factors in DIRECTIONS:
        for factor in factors:
            moved = {
                name: scaled(domain, factor) if name in guessed else domain
                for name, domain in domains.items()
            }
            there = verdict(inspect(formula, sample_domains(moved, count=ROWS)))
            if _told(there) != _told(known):
                found.append(Elsewhere(factor, there))
                break
    return tuple(found)


def scaled(domain: Domain, factor: float) -> Domain:
    """A range times a factor, its ends in order."""
    low, high = sorted((factor * domain.low, factor * domain.high))
    return replace(domain, low=low, high=high)


def _told(judged: Judgement) -> tuple[object, bool]:
    return judged.level, value_mark(judged) is not None
