"""Corpora of laws: formulas as written, their ranges, and rows drawn from these."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np

from eic_core.engine.values import values
from eic_core.errors import DataError
from eic_core.formula.syntax import Reading, read
from eic_core.formula.syntax.names import canonical_name
from eic_core.formula.tree import Formula
from eic_core.samples import Domain, Samples, sample_domains

RULES: Mapping[str, Domain] = MappingProxyType(
    {
        "uniform 1 to 5": Domain("uniform", 1.0, 5.0),
        "uniform -5 to 5": Domain("uniform", -5.0, 5.0),
        "uniform 0 to 1": Domain("uniform", 0.0, 1.0),
        "loguniform 0.1 to 10": Domain("loguniform", 0.1, 10.0),
    }
)
"""Ranges for every variable of an equation without ranges; the first is the default.

Of the 462 ranges of the Feynman laws 289 are 1 to 5. The others show how much rests on the rule.
"""


@dataclass(frozen=True)
class Law:
    """A formula that people use, exactly as its source writes it.

    Attributes
    ----------
    name
        Within its corpus; for the Feynman and Strogatz laws, the name of PMLB's data set.
    formula
        As the source writes it.
    variables
        As written, in the order of the source's columns; the formula may leave one out.
    domains
        How each variable is sampled; empty where the source states no range.
    target
        The quantity that the formula gives; "" if the source does not say.
    source
        The corpus that states it, or the law or system from which it was made.
    frequency
        Occurrences in the source.
    origin
        The law that it was solved from, and is sampled on a table of.

    Examples
    --------
    >>> law = load("feynman")["feynman_I_12_1"]
    >>> law.formula, law.target, {name: str(domain) for name, domain in law.domains.items()}
    ('mu*Nn', 'F', {'mu': '1.0:5.0', 'Nn': '1.0:5.0'})
    """

    name: str
    formula: str
    variables: tuple[str, ...]
    domains: Mapping[str, Domain] = field(default_factory=dict)
    target: str = ""
    source: str = ""
    frequency: int = 1
    origin: Law | None = None

    @cached_property
    def reading(self) -> Reading:
        """The law's formula as it is read, on the names of its variables."""
        return read(self.formula, columns=self.variables)

    @property
    def tree(self) -> Formula:
        """The tree of its reading."""
        return self.reading.formula

    def samples(self, count: int, seed: int = 0, *, rule: Domain | None = None) -> Samples:
        """Rows of its variables, by canonical name, with the target that they give.

        Parameters
        ----------
        count
            Rows to draw.
        seed
            Non-negative; a variable's stream depends on it and on the variable's name alone.
        rule
            The range of every variable, if the law has none of its own.

        Returns
        -------
        Samples
            Without a target if the formula lacks a value at some row.

        Raises
        ------
        DataError
            If neither the law nor the caller says how to sample it, or `count` is out of range.

        Examples
        --------
        >>> solved = load("llm_srbench_transform")["I.10.7_1_0"]
        >>> solved.formula, solved.origin.formula, sorted(solved.samples(4).columns)
        ('-c*sqrt(1 - m_0**2/m**2)', 'm_0/sqrt(1-v**2/c**2)', ['c', 'm', 'm_0'])
        """
        if self.origin is not None:
            return self._on_table_of(self.origin, count, seed)
        domains = dict(self.domains)
        if not domains and rule is not None:
            domains = dict.fromkeys(self.variables, rule)
        if len(domains) < len(self.variables):
            raise DataError(
                f"no ranges are known for the variables of {self.name}",
                hint="say how every variable is sampled, with a rule",
            )
        ranges = {canonical_name(name): domain for name, domain in domains.items()}
        samples = sample_domains(ranges, count=count, seed=seed)
        target = values(self.tree, samples)
        assert target is not None
        # samples need a finite target at every row, and EIC counts the rows without a value itself
        if not np.isfinite(target).all():
            return samples
        return replace(samples, target=target, target_name=self.target)

    def _on_table_of(self, origin: Law, count: int, seed: int) -> Samples:
        # the target of the other law is an input of this one: rows without it drop out
        inputs = origin.samples(count, seed)
        target = values(origin.tree, inputs)
        assert target is not None
        finite = np.flatnonzero(np.isfinite(target))
        table = {name: column[finite] for name, column in inputs.columns.items()}
        table[canonical_name(origin.target)] = target[finite]
        return Samples.from_columns(
            {name: table[name] for name in map(canonical_name, self.variables)},
            count=len(finite),
            target=table[canonical_name(self.target)],
            target_name=self.target,
            origin=f"a table of {origin.name}: {inputs.origin}",
        )


@dataclass(frozen=True)
class Corpus:
    """Laws of one source.

    Attributes
    ----------
    name
        A key of `NAMES`.
    title
        As a reader sees it.
    source
        Who collected them, and through whom they came here.
    sampling
        How the rows are drawn on which the laws are measured.
    laws
        Those that can be measured, in the order of the table.
    not_measured
        Those without ranges and without a law that they were solved from.

    Examples
    --------
    >>> corpus = load("wikipedia")
    >>> len(corpus), sum(law.frequency for law in corpus), corpus[0].formula
    (847, 1861, 'X0*X1')
    """

    name: str
    title: str
    source: str
    sampling: str
    laws: tuple[Law, ...]
    not_measured: tuple[Law, ...] = ()

    @property
    def has_ranges(self) -> bool:
        """Whether the source states how its variables are sampled; if not, a rule does."""
        return bool(self.laws) and bool(self.laws[0].domains or self.laws[0].origin)

    def __len__(self) -> int:
        return len(self.laws)

    def __iter__(self) -> Iterator[Law]:
        return iter(self.laws)

    def __getitem__(self, which: int | str) -> Law:
        if isinstance(which, int):
            return self.laws[which]
        match = next((law for law in self.laws if law.name == which), None)
        if match is None:
            raise KeyError(which)
        return match


def load(name: str) -> Corpus:
    """A corpus by its name.

    Parameters
    ----------
    name
        One of `NAMES`.

    Returns
    -------
    Corpus
        Read once, and then the same object.

    Raises
    ------
    DataError
        If there is no such corpus.

    Examples
    --------
    >>> {name: len(load(name)) for name in ("feynman", "strogatz", "llm_srbench_synth")}
    {'feynman': 119, 'strogatz': 14, 'llm_srbench_synth': 6}
    >>> solved = load("llm_srbench_transform")
    >>> len(solved), [law.name for law in solved.not_measured][:2]
    (106, ['I.15.1_1_0', 'II.11.17_0_0'])
    """
    if name not in NAMES:
        raise DataError(f"there is no corpus `{name}`", hint="there are " + ", ".join(NAMES))
    return _load(name)


TITLES: Mapping[str, str] = {
    "feynman": "Feynman laws",
    "strogatz": "Strogatz laws",
    "wikipedia": "Named equations of Wikipedia",
    "llm_srbench_transform": "LLM-SRBench, Transform",
    "llm_srbench_synth": "LLM-SRBench, Synth",
}

NAMES: tuple[str, ...] = tuple(TITLES)
"""Names of the corpora."""

_SOURCES = {
    "feynman": "Udrescu and Tegmark (2020), AI Feynman; formulas and ranges as the metadata of "
    "PMLB state them (MIT licence)",
    "strogatz": "La Cava et al. (2016), ODE-Strogatz; formulas as the metadata of PMLB state them "
    "(MIT licence), ranges as observed in its tables",
    "wikipedia": "Guimerà et al. (2020), named equations of Wikipedia, as stored by nasa/pysips",
    "llm_srbench_transform": "Shojaee et al. (2025), LLM-SRBench, LSR-Transform (MIT licence), "
    "each with the Feynman law that it was solved from",
    "llm_srbench_synth": "Shojaee et al. (2025), LLM-SRBench, LSR-Synth (MIT licence), and the two "
    "oscillators of LLM-SR; ranges as observed in their tables",
}

_SAMPLING = {
    "feynman": "uniform in the ranges that PMLB states",
    "strogatz": "uniform in the box of the observed values: the published rows are trajectories",
    "wikipedia": "no ranges are published; every variable by one rule, uniform from 1 to 5 unless "
    "another is asked for",
    "llm_srbench_transform": "inputs of the source law, uniform in its ranges, with the target "
    "that it gives them",
    "llm_srbench_synth": "uniform in the box of the observed values",
}


@lru_cache(maxsize=len(NAMES))
def _load(name: str) -> Corpus:
    laws = tuple(_READERS.get(name, _with_ranges)(name))
    # an equation of this corpus states no ranges: only the table of its source law gives rows
    all_measurable = name != "llm_srbench_transform"
    return Corpus(
        name=name,
        title=TITLES[name],
        source=_SOURCES[name],
        sampling=_SAMPLING[name],
        laws=tuple(law for law in laws if all_measurable or law.origin),
        not_measured=tuple(law for law in laws if not all_measurable and not law.origin),
    )


def _rows(name: str) -> list[dict[str, str]]:
    table = files("eic_core.corpora") / "data" / f"{name}.csv"
    return list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))


def _with_ranges(name: str) -> Iterator[Law]:
    for row in _rows(name):
        domains = dict(map(Domain.parse, row["ranges"].split()))
        yield Law(
            row["name"],
            row["formula"],
            tuple(domains),
            MappingProxyType(domains),
            row["target"],
            row.get("system") or name,
        )


def _named_equations(name: str) -> Iterator[Law]:
    for number, row in enumerate(_rows(name), start=1):
        variables = read(row["formula"]).formula.variables
        written = tuple(
            variable.upper() for variable in sorted(variables, key=lambda name: int(name[1:]))
        )
        yield Law(
            f"named_{number}",
            row["formula"],
            written,
            source=name,
            frequency=int(row["frequency"]),
        )


def _solved_laws(name: str) -> Iterator[Law]:
    laws = {law.name: law for law in load("feynman")}
    for row in _rows(name):
        yield Law(
            row["name"],
            row["formula"],
            tuple(row["variables"].split()),
            target=row["target"],
            source=row["law"] or name,
            origin=laws[row["law"]] if row["law"] else None,
        )


_READERS = {"wikipedia": _named_equations, "llm_srbench_transform": _solved_laws}
