"""The rows on which a formula is measured: a table's, drawn from ranges, or plain columns."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from eic_core.errors import DataError, require
from eic_core.headers import names_without_units

MAX_SAMPLES = 5_000_000

DEFAULT_SAMPLES = 10_000  # for the page and the commands alike


@dataclass(frozen=True)
class Samples:
    """N rows of finite values.

    Attributes
    ----------
    columns
        float64 by canonical variable name, each of shape (N,), read-only.
    count
        N, at least 1 (also the answer of ``len``).
    target
        Values that formulas should reproduce, shape (N,); None if there are none.
    target_name
        Name of its column; empty if it has none.
    exact
        By variable and row: cells whose decimal is not the shortest of their double.
    origin
        Source of the rows, for display and reports.
    rows
        Row numbers in the table (1 is the first below the header), shape (N,).

    Examples
    --------
    >>> samples = Samples.from_columns({"x": [0.1, 2.0]})
    >>> len(samples), samples.decimal("x", 0)
    (2, '0.1')
    """

    columns: Mapping[str, np.ndarray]
    count: int
    target: np.ndarray | None = None
    target_name: str = ""
    exact: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    origin: str = ""
    rows: np.ndarray | None = None

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, object],
        *,
        count: int | None = None,
        target: object = None,
        target_name: str = "",
        exact: Mapping[str, Mapping[int, str]] | None = None,
        origin: str = "",
        rows: np.ndarray | None = None,
    ) -> Samples:
        """Check and freeze columns of equal length.

        Parameters
        ----------
        columns
            Finite numbers by variable, each of shape (N,), or a data frame; a unit, as in
            ``m [kg]``, is no part of a name.
        count
            N; needed without any column.
        target
            Finite numbers that formulas should reproduce, shape (N,); None for none.
        target_name
            The name of the target's column.
        exact
            Decimals that no double holds, by variable and row (from 0).
        origin
            Source of the samples, for a reader.
        rows
            Row numbers in the table, shape (N,).

        Returns
        -------
        Samples
            With read-only copies of the columns.

        Raises
        ------
        DataError
            If there is no row, lengths differ, or a value is not finite.
        """
        if isinstance(target, str):
            raise DataError(
                f"the target is the name `{target}`, not its values",
                hint="give the column itself, as in `target=table.values[name]`",
            )
        if not (hasattr(columns, "items") and hasattr(columns, "keys")):
            raise DataError(
                "columns are given by name", hint='write `Samples.from_columns({"x": [1.0, 2.0]})`'
            )
        frozen: dict[str, np.ndarray] = {}
        length = count
        names = dict(zip(columns, names_without_units([*map(str, columns)]), strict=True))
        for header, values in columns.items():  # of a data frame, `values` is no method
            name = names[header]
            frozen[name] = _frozen(values, name)
            if length is not None and len(frozen[name]) != length:
                raise DataError(f"column `{name}` has {len(frozen[name])} rows, others {length}")
            length = len(frozen[name])
        target_array = None if target is None else _frozen(target, target_name or "target")
        if target_array is not None:
            if length is not None and len(target_array) != length:
                raise DataError(f"the target has {len(target_array)} rows, others {length}")
            length = len(target_array)
        if not length:
            raise DataError("there are no samples", hint="give at least one row")
        texts = {names.get(name, name): cells for name, cells in (exact or {}).items()}
        return cls(MappingProxyType(frozen), length, target_array, target_name, texts, origin, rows)

    def __len__(self) -> int:
        return self.count

    def __getstate__(self) -> dict[str, Any]:
        # a mapping proxy cannot be pickled, and addresses are those of one process
        state = {**self.__dict__, "columns": dict(self.columns)}
        state.pop("addresses", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        columns: dict[str, np.ndarray] = state["columns"]
        for column in (*columns.values(), state["target"]):
            if column is not None:
                column.setflags(write=False)
        self.__dict__.update(state, columns=MappingProxyType(columns))

    @cached_property
    def subnormal(self) -> frozenset[str]:
        """Columns with a subnormal number (below 2.2e-308), where a double holds few digits."""
        tiny = np.finfo(np.float64).tiny
        return frozenset(
            name
            for name, column in self.columns.items()
            if bool(((np.abs(column) < tiny) & (column != 0)).any())
        )

    @cached_property
    def longer(self) -> frozenset[str]:
        """Columns with a cell whose text is not the shortest decimal of its double."""
        return frozenset(name for name, cells in self.exact.items() if cells)

    @cached_property
    def addresses(self) -> dict[str, int]:
        """The memory address of each column's first number, for compiled code."""
        return {name: int(column.ctypes.data) for name, column in self.columns.items()}

    @cached_property
    def target_spread(self) -> float:
        """`squared_spread` of the target; nan without one."""
        return math.nan if self.target is None else squared_spread(self.target)

    @cached_property
    def row_numbers(self) -> np.ndarray:
        """The number of each sample in its own table: `rows`, else its place from 1; shape (N,)."""
        return np.arange(1, len(self) + 1) if self.rows is None else self.rows

    def take(self, rows: np.ndarray) -> Samples:
        """These rows alone, in this order, as doubles: the texts of cells are dropped.

        Parameters
        ----------
        rows
            Places from 0, or a mask of shape (N,).

        Returns
        -------
        Samples
            With a column for each variable.
        """
        columns = {name: column[rows] for name, column in self.columns.items()}
        target = None if self.target is None else self.target[rows]
        return Samples(MappingProxyType(columns), len(rows), target, self.target_name)

    def decimal(self, name: str, row: int) -> str:
        """The decimal number that a cell means: the text written, else the shortest decimal.

        Parameters
        ----------
        name
            A variable.
        row
            From 0 to N - 1.

        Returns
        -------
        str
            Reads back as the column's double.
        """
        return self.exact.get(name, {}).get(row) or repr(float(self.columns[name][row]))

    def cells(self, names: Iterable[str], row: int) -> tuple[str, ...]:
        """The decimal numbers of a row; rows of the same are alike.

        Parameters
        ----------
        names
            Variables.
        row
            From 0 to N - 1.

        Returns
        -------
        tuple[str, ...]
            One for each name.
        """
        return tuple([self.decimal(name, row) for name in names])

    def require(self, names: Iterable[str]) -> None:
        """Raise `DataError` unless every name is a column.

        Parameters
        ----------
        names
            Variables of a formula.
        """
        missing = [name for name in names if name not in self.columns]
        if missing:
            listed = ", ".join(f"`{name}`" for name in missing)
            have = ", ".join(f"`{name}`" for name in self.columns) or "none"
            raise DataError(
                f"no data for {listed}",
                hint=f"give a range or a column for each variable (there are: {have})",
            )

    def digest(self) -> str:
        """A short hash over names and values, equal for equal data.

        Returns
        -------
        str
            The first 12 hexadecimal digits of a SHA-256.
        """
        sha = hashlib.sha256()
        for name in sorted(self.columns):
            sha.update(name.encode() + b"\0" + self.columns[name].tobytes())
        if self.target is not None:
            sha.update(b"target\0" + self.target.tobytes())
        return sha.hexdigest()[:12]


def evenly_spread(rows: np.ndarray, most: int) -> np.ndarray:
    """So many of the rows, or all: the first, the last and evenly those between.

    >>> evenly_spread(np.arange(10, 20), 3).tolist()
    [10, 14, 19]
    """
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(np.int64)]


def squared_spread(values: np.ndarray) -> float:
    """The sum of squared distances from the mean.

    >>> squared_spread(np.array([1.0, 3.0]))
    2.0
    """
    with np.errstate(over="ignore"):
        return float(np.sum(np.square(values - np.mean(values))))


def _frozen(values: object, name: str) -> np.ndarray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"column `{name}` holds something that is no number in double range",
            hint="give one number for each row",
        ) from None
    if array.ndim != 1:
        raise DataError(f"column `{name}` is not one-dimensional")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array))[0])
        raise DataError(f"column `{name}` has a value that is not finite in row {row + 1}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class Domain:
    """How one variable is sampled: a distribution and its two numbers.

    Attributes
    ----------
    kind
        "uniform", "normal", "loguniform" or "fixed".
    low
    high
        Ends of the range; mean and standard deviation if normal; the value, twice, if fixed.

    Examples
    --------
    >>> Domain.parse("x=normal:1000:1")
    ('x', Domain(kind='normal', low=1000.0, high=1.0))
    """

    kind: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if self.kind not in ("uniform", "normal", "loguniform", "fixed"):
            raise DataError(
                f"unknown distribution `{self.kind}`",
                hint="use uniform, normal, loguniform or fixed",
            )
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise DataError("a range must have finite ends")
        if self.kind == "normal" and self.high < 0:
            raise DataError("the standard deviation must not be negative")
        if self.kind in ("uniform", "loguniform") and self.low > self.high:
            raise DataError(
                f"the range {self.low:g}:{self.high:g} is upside down",
                hint=f"write {self.high:g}:{self.low:g}",
            )
        if self.kind == "uniform" and not math.isfinite(self.high - self.low):
            raise DataError("the range is wider than double precision")
        if self.kind == "loguniform" and self.low <= 0:
            raise DataError("a loguniform range must be positive")

    @classmethod
    def between(cls, low: float, high: float) -> Domain:
        """The range from `low` to `high`; log-uniform over more than three positive decades.

        Parameters
        ----------
        low
        high
            Finite ends; equal ones give a fixed value.

        Returns
        -------
        Domain
            "uniform", "loguniform" or "fixed".

        Examples
        --------

        >>> str(Domain.between(0, 10)), str(Domain.between(1e-8, 1e8)), str(Domain.between(2, 2))
        ('0.0:10.0', 'loguniform:1e-08:100000000.0', '2.0')
        """
        low, high = float(low), float(high)
        if low == high:
            return cls("fixed", low, high)
        # a range that a text states says nothing of the distribution; evenly over many decades, a
        # uniform one would hardly ever draw a small number
        return cls("loguniform" if 0 < low < 1e-3 * high else "uniform", low, high)

    @classmethod
    def parse(cls, text: str) -> tuple[str, Domain]:
        """Read ``NAME=LOW:HIGH``, ``NAME=KIND:A:B`` or ``NAME=VALUE``.

        Parameters
        ----------
        text
            An argument of ``--range``.

        Returns
        -------
        tuple[str, Domain]
            The variable and its domain.

        Raises
        ------
        DataError
            If the text has another form.
        """
        name, equals, rest = text.partition("=")
        name = name.strip()
        parts = [part.strip() for part in rest.split(":")]
        kind = "uniform"
        # inf and nan are numbers, which `__post_init__` refuses with a clearer message
        if parts and parts[0] and parts[0][0].isalpha() and parts[0] not in ("inf", "nan"):
            kind = parts.pop(0).lower()
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            numbers = []
        if (
            not (equals and name)
            or len(numbers) not in (1, 2)
            or (len(numbers) == 1 and kind not in ("uniform", "fixed"))
        ):
            raise DataError(
                f"cannot read the range `{text}`",
                hint="write x=0.1:10, x=normal:1000:1, x=loguniform:1e-3:1e3 or x=2.5",
            )
        if len(numbers) == 1:
            return name, cls("fixed", numbers[0], numbers[0])
        return name, cls(kind, *numbers)

    @classmethod
    def parse_all(cls, texts: Iterable[str]) -> tuple[dict[str, Domain], dict[str, str]]:
        """Read what can be read of some ranges.

        Parameters
        ----------
        texts
            As `parse` takes them; of two for one variable the last counts.

        Returns
        -------
        tuple[dict[str, Domain], dict[str, str]]
            The domain of each variable, and why each other text is none.

        Examples
        --------
        >>> domains, problems = Domain.parse_all(["x=1:5", "y=5:1"])
        >>> list(domains), problems
        (['x'], {'y=5:1': 'the range 5:1 is upside down: write 1:5'})
        """
        domains: dict[str, Domain] = {}
        problems: dict[str, str] = {}
        for text in texts:
            try:
                domains.update([cls.parse(text)])
            except DataError as error:
                problems[text] = str(error)
            except OverflowError:
                problems[text] = str(DataError("a number is too large"))
        return domains, problems

    def as_kind(self, kind: str) -> Domain:
        """A domain of another kind at about the same place.

        Parameters
        ----------
        kind
            "uniform", "normal", "loguniform" or "fixed".

        Returns
        -------
        Domain
            Of that kind.

        Examples
        --------
        >>> Domain("uniform", 2.0, 4.0).as_kind("fixed")
        Domain(kind='fixed', low=3.0, high=3.0)
        >>> Domain("normal", 3.0, 0.5).as_kind("uniform")
        Domain(kind='uniform', low=2.0, high=4.0)
        """
        low, high = self.low, self.high
        if self.kind == "normal":
            low, high = self.low - 2 * self.high, self.low + 2 * self.high
        # The sum of two large ends could overflow.
        centre = low / 2 + high / 2
        if kind == "fixed":
            return Domain(kind, centre, centre)
        if low == high:
            low, high = centre - 1, centre + 1
        if kind == "normal":
            return Domain(kind, centre, float(f"{(high - low) / 4:.3g}"))
        if kind == "loguniform" and low <= 0:
            high = high if high > 0 else 1.0
            # A logarithm needs positive ends: three decades below the upper one.
            low = float(f"{high / 1000:.3g}")
        return Domain(kind, low, high)

    def __str__(self) -> str:
        if self.kind == "fixed":
            return f"{self.low!r}"
        prefix = "" if self.kind == "uniform" else f"{self.kind}:"
        return f"{prefix}{self.low!r}:{self.high!r}"

    def draw(self, name: str, count: int, seed: int) -> np.ndarray:
        """`count` values; the stream depends on the seed and the name alone.

        Parameters
        ----------
        name
            The variable; two variables of the same domain draw different values.
        count
            At least 1.
        seed
            Non-negative.

        Returns
        -------
        np.ndarray
            Shape (count,).
        """
        # a stream of its own for each name: another variable beside it changes no draw
        key = hashlib.sha256(name.encode()).digest()[:8]
        rng = np.random.default_rng([seed, int.from_bytes(key, "big")])
        if self.kind == "normal":
            return rng.normal(self.low, self.high, count)
        if self.kind == "loguniform":
            logs = rng.uniform(math.log(self.low), math.log(self.high), count)
            # The C library's exponential: NumPy's own differs between processors in a last bit, and
            # with it every row.  exp(log(end)) may round past the end.
            drawn = np.array([math.exp(each) for each in logs], dtype=np.float64)
            return np.clip(drawn, self.low, self.high)
        if self.kind == "fixed":
            return np.full(count, self.low)
        return rng.uniform(self.low, self.high, count)


def sample_domains(domains: Mapping[str, Domain], *, count: int, seed: int = 0) -> Samples:
    """Draw independent samples for each variable.

    Parameters
    ----------
    domains
        By variable.
    count
        1 to 5,000,000.
    seed
        Non-negative.

    Returns
    -------
    Samples
        `Samples.origin` names the domains, the count and the seed.

    Raises
    ------
    DataError
        If `count` or `seed` is out of range.

    Examples
    --------

    >>> a = sample_domains({"x": Domain("uniform", 0, 1)}, count=3, seed=1)
    >>> b = sample_domains({"y": Domain("fixed", 2, 2), "x": Domain("uniform", 0, 1)},
    ...                    count=3, seed=1)
    >>> bool((a.columns["x"] == b.columns["x"]).all())
    True
    """
    require(domains, Mapping)
    if not 1 <= count <= MAX_SAMPLES:
        raise DataError(f"the number of samples must be from 1 to {MAX_SAMPLES:,}, not {count:,}")
    if seed < 0:
        raise DataError("the seed must not be negative")
    ranges: Mapping[str, object] = domains
    for name, value in ranges.items():
        if not isinstance(value, Domain):
            raise DataError(
                f"the range of `{name}` is no `Domain`",
                hint='give one such as `Domain("uniform", 0, 1)`',
            )
    columns: dict[str, object] = {
        name: domain.draw(name, count, seed) for name, domain in domains.items()
    }
    described = ", ".join(f"{name}={domain}" for name, domain in domains.items())
    origin = f"{described}; {count} samples, seed {seed}"
    return Samples.from_columns(columns, count=count, origin=origin)
