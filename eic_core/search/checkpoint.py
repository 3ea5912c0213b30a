"""Checkpoints: a search between two epochs as a file, which is checked before it is used."""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from eic_core.errors import DataError
from eic_core.search.fitting import Fitted, Individual
from eic_core.search.vocabulary import ARITY, STEPS, Term, Vocabulary

FORMAT = 2
"""Version of the file format; 1 was before there was more than one method."""

State = TypeVar("State")


def write_checkpoint(
    path: Path, settings: Mapping[str, Any], documents: Iterable[Mapping[str, Any]]
) -> None:
    """Write a search; `settings` must be the same for it to go on."""
    document = {"format": FORMAT, "settings": settings, "islands": list(documents)}
    beside = path.with_name(path.name + ".new")
    try:
        # a killed search leaves the last whole checkpoint
        beside.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


def read_checkpoint(
    path: Path, expected: Mapping[str, Any], read: Callable[[int, Mapping[str, Any]], State]
) -> list[State]:
    """The islands of a stopped search; DataError if the file is of another, or damaged."""
    damaged = DataError(f"{path} is no checkpoint of a search, or is damaged")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        version, settings = document["format"], document["settings"]
        if version == 1:
            settings = {"method": "gp", **settings}
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, RecursionError):
        raise damaged from None
    if version not in (1, FORMAT):
        raise DataError(f"{path} was written by another version")
    if settings != expected:
        other = [key for key in expected if settings.get(key) != expected[key]]
        raise DataError(
            f"{path} is of another search: it differs in {', '.join(other) or 'its settings'}",
            hint="give another file, or remove this one to begin anew",
        )
    try:
        islands = [read(number, island) for number, island in enumerate(document["islands"])]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, IndexError):
        raise damaged from None
    if len(islands) != len(expected["max_terms"]):
        raise damaged
    return islands


def rng_state_in(document: Sequence[Any]) -> Any:
    """The state of a `random.Random`; ValueError or TypeError if it is none."""
    version, numbers, gauss = document
    rng = random.Random()
    rng.setstate((version, tuple(numbers), gauss))
    return rng.getstate()


def count_in(document: Any) -> int:
    """A whole number of 0 or more; ValueError if it is none."""
    if not isinstance(document, int) or document < 0:
        raise ValueError(document)
    return document


def candidate_document(candidate: Individual) -> list[Any]:
    fitted = candidate.fitted
    return [
        candidate.genome,
        fitted.coefficients,
        fitted.intercept,
        fitted.nmse,
        candidate.nodes,
        candidate.digits,
        candidate.fitness,
        candidate.age,
    ]


def candidate_in(document: Sequence[Any], vocabulary: Vocabulary) -> Individual:
    """The candidate of a file; ValueError or TypeError if it is none."""
    genome, coefficients, intercept, nmse, nodes, digits, worth, age = document
    terms = tuple([_term(term, vocabulary) for term in genome])
    numbers = [float(c) for c in coefficients]
    if not terms or len(numbers) != len(terms):
        raise ValueError("a candidate has a coefficient for each term")
    fitted = Fitted(tuple(numbers), float(intercept), float(nmse))
    whole = Individual(terms, fitted, int(nodes), float(digits), float(worth), int(age))
    if not all(map(math.isfinite, [*numbers, fitted.intercept, fitted.nmse, whole.digits, worth])):
        raise ValueError("a number of a candidate is not finite")
    return whole


def _term(tokens: Sequence[Any], vocabulary: Vocabulary) -> Term:
    term: list[float | str] = []
    height = 0  # values on the stack of the post-order, as in `formula_of`
    for token in tokens:
        if token in vocabulary.leaves or isinstance(token, float) and math.isfinite(token):
            height += 1
        elif isinstance(token, str) and token in STEPS and height >= ARITY[token]:
            height += 1 - ARITY[token]
        else:
            raise ValueError(token)
        term.append(token)
    if height != 1:
        raise ValueError("a term has one value")
    return tuple(term)
