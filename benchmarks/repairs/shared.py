"""The two suites of `../shared/data`: half of Hamming's cases, and Herbie's published 28."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.repairs.cases import BitUniform, Case, Needs, Published

HAMMING, HERBIE = "hamming_half.csv", "herbie_28.csv"

SERIES = ("sintan", "invcot", "expq2", "expq3", "2nthrt")
"""Cases whose best known form is a series on a part of their points."""

BRANCH = ("quadp", "quadm", "quad2p", "quad2m")
"""Cases whose best known form chooses by the sign or the size of a variable."""

EXACT_FORMS = {
    "2cos": "(- (* -2 (cos x) (sqr (sin (/ eps 2)))) (* (sin x) (sin eps)))",
    "2sin": "(- (* (cos x) (sin eps)) (* 2 (sin x) (sqr (sin (/ eps 2)))))",
    "2tan": "(/ (sin eps) (* (cos x) (- (* (cos x) (cos eps)) (* (sin x) (sin eps)))))",
}
"""Forms without a branch that keep their digits where x + eps is rounded."""


def hamming_cases(shared: Path) -> list[Case]:
    """Every second case of Herbie's Hamming suite, under its preconditions."""
    return [
        Case(
            row["name"],
            row["formula_fpcore"],
            BitUniform(tuple(row["variables"].split()), row["precondition"]),
            f"Herbie's Hamming suite, {row['chapter']}",
            tuple(form for form in row["known_forms_fpcore"].split(" | ") if form),
            "fpcore",
            _needs(row["name"]),
        )
        for row in _rows(shared / HAMMING)
    ]


def herbie_cases(shared: Path) -> list[Case]:
    """The 28 cases of Herbie's report of 2017, which has no preconditions, with its figures.
    Best known are its outputs, and the known forms of the Hamming suite.
    """
    forms = {row["name"]: row["known_forms_fpcore"] for row in _rows(shared / HAMMING)}
    cases = []
    for row in _rows(shared / HERBIE):
        texts = [row["formula_fpcore"], row["herbie_output_fpcore"], row["variables"]]
        formula, output, variables = (text.replace("b/2", "b_2") for text in texts)
        known_forms = [output, *forms.get(row["name"], "").split(" | ")]
        known_forms.append(EXACT_FORMS.get(_short(row["name"]), ""))
        cases.append(
            Case(
                row["name"],
                formula,
                BitUniform(tuple(variables.split())),
                "Herbie's report of 2017",
                tuple(form for form in known_forms if form),
                "fpcore",
                _needs(row["name"]),
                Published(float(row["start_bits"]), float(row["herbie_bits"])),
            )
        )
    return cases


def _needs(name: str) -> Needs:
    short = _short(name)
    if short in SERIES:
        return Needs.SERIES
    return Needs.BRANCH if short in BRANCH else Needs.EXACT


def _short(name: str) -> str:
    return name.partition(" ")[0]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from csv.DictReader(file)
