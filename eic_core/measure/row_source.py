"""The rows of one formula, from a table or from ranges: for a command and a mark alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax import Reading
from eic_core.measure.table import NoColumn, Table, match_variables, meant
from eic_core.samples import DEFAULT_SAMPLES, Domain, Samples, sample_domains


class NoRange(DataError):
    """Variables without data.

    >>> print(NoRange(("presure",), ["pressure"], "write `presure=1:5`"))
    no data for `presure`: did you mean `pressure`? write `presure=1:5`
    """

    def __init__(self, missing: tuple[str, ...], names: Sequence[str], hint: str) -> None:
        listed = wording.join([f"`{name}`" for name in missing], limit=5)
        super().__init__(f"no data for {listed}", hint=meant(missing[0], names) + hint)
        self.missing, self.names = missing, names


@dataclass(frozen=True)
class RowSource:
    """A table, or ranges where there is none."""

    # By canonical name; a variable without one gets the range that the formula's text states
    domains: Mapping[str, Domain] = field(default_factory=dict)
    table: Table | None = None
    target: str | None = None  # A column that is no input; else the one called `target`, if any
    # Whether x1 is the second (0) or the first (1) column, if that is not left to the text
    index_base: int | None = None
    count: int = DEFAULT_SAMPLES
    seed: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.domains) if self.table is None else self.table.names

    def rows(self, reading: Reading) -> tuple[Samples, dict[str, str]]:
        """The samples, and the column or range of each variable; DataError without some."""
        if self.table is not None:
            return self._of_table(self.table, reading)
        stated = {name: Domain.between(low, high) for name, low, high in reading.domain}
        domains, variables = stated | dict(self.domains), reading.formula.variables
        missing = tuple(name for name in variables if name not in domains)
        if missing:
            raise NoRange(missing, list(domains), f"give `{missing[0]}=1:5`, say")
        used = {name: domains[name] for name in variables}
        samples = sample_domains(used, count=self.count, seed=self.seed)
        return samples, {name: str(domain) for name, domain in used.items()}

    def _of_table(self, table: Table, reading: Reading) -> tuple[Samples, dict[str, str]]:
        column = self.target or ("target" if "target" in table.names else "")
        target = table.column(column) if column else None
        if column and target is None:
            raise DataError(f"there is no column `{column}`")
        chosen = self.index_base is not None
        base = self.index_base if chosen else reading.index_base
        inputs = [name for name in table.names if name != target]
        match = match_variables(reading.formula.variables, inputs, index_base=base, chosen=chosen)
        if match.missing:
            raise NoColumn(match.missing, inputs)
        return table.samples(match.mapping, target), dict(match.mapping)
