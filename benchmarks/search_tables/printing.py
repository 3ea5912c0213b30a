"""The tables, from the rows of runs; none is printed of a part of its runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from benchmarks.search_tables.breaking import BROKEN, KEPT, broken, worth
from benchmarks.search_tables.comparing import Interval, Runs, change, half_width, mean
from benchmarks.search_tables.paper import CHANGES, PAPER
from benchmarks.search_tables.runs import METHODS, PICKED_AGAIN, Row
from eic_core.explain.facts import FEW_DIGITS

GOOD, USABLE = 0.99, 0.8
"""Held-out R^2 of a law that counts as found, and of a formula whose EIC counts."""

GIVEN_UP = 0.01
"""Held-out R^2 that may be given up when a digit's cost is chosen on one half."""

LABELS = {
    **{key: method.label for key, method in METHODS.items()},
    **{new: f"{METHODS[old].label}, picked again" for old, new in PICKED_AGAIN.items()},
    "gplearn": "gplearn",
    "operon": "Operon (pyoperon)",
}

PLAIN = {
    "eic-gp": "gp",
    "eic-gp-01": "gp",
    "gp-picked": "gp",
    "eic-mcts": "mcts",
    "mcts-picked": "mcts",
}
"""What a method is compared with."""


class Column(NamedTuple):
    """A number of a run and how its change is told.

    Attributes
    ----------
    title : str
    of : callable (Row) -> float
        nan where a run does not count.
    kind : {"share", "relative", "number"}
        A share changes by points, the second by per cent, the third by a difference.
    """

    title: str
    of: Callable[[Row], float]
    kind: str


def _if(holds: bool, value: float) -> float:
    return float(value) if holds else math.nan


def _found(row: Row) -> bool:
    return bool(row.formula) and math.isfinite(row.eic)


LAW_COLUMNS = (
    Column(f"R² > {GOOD:g}", lambda row: float(row.r2_held_out > GOOD), "share"),
    Column("nodes", lambda row: _if(bool(row.formula), row.nodes), "relative"),
    Column("EIC", lambda row: _if(_found(row) and row.r2_held_out >= USABLE, row.eic), "relative"),
    Column("EIC, all", lambda row: _if(_found(row), row.eic), "relative"),
    Column("CPU s", lambda row: row.seconds, "relative"),
)

REAL_COLUMNS = (
    Column("held-out R²", lambda row: worth(row.r2_held_out), "number"),
    Column("EIC", lambda row: _if(_found(row), row.eic), "relative"),
    Column("nodes", lambda row: _if(bool(row.formula), row.nodes), "relative"),
    Column(f"{FEW_DIGITS} digits break", lambda row: float(broken(row.r2, row.r2_short)), "share"),
    Column("float32 breaks", lambda row: float(broken(row.r2, row.r2_single)), "share"),
    Column("digits needed", lambda row: _if(bool(row.formula), row.digits_needed), "number"),
    Column("float32, log10", lambda row: row.single_error, "number"),
    Column("nested", lambda row: _if(bool(row.formula), row.nested), "number"),
)

PEER_COLUMNS = (*REAL_COLUMNS, LAW_COLUMNS[-1])


def runs_of(rows: Sequence[Row], method: str, column: Column) -> Runs:
    """A column's number of each run of a method, where it counts."""
    numbers = {(row.problem, row.seed): column.of(row) for row in rows if row.method == method}
    return {key: number for key, number in numbers.items() if not math.isnan(number)}


def methods_in(rows: Sequence[Row]) -> list[str]:
    """The methods of these rows, in the order of tables."""
    there = {row.method for row in rows}
    return [key for key in LABELS if key in there]


def missing(
    rows: Sequence[Row], problems: Collection[str], seeds: int, methods: Collection[str]
) -> str:
    """How many runs of a table are there, if not all are; else "".

    Parameters
    ----------
    rows : sequence of Row
    problems : collection of str
    seeds : int
        Runs of each problem.
    methods : collection of str
    """
    there = {(row.problem, row.seed, row.method) for row in rows}
    wanted = len(problems) * seeds * len(methods)
    count = sum((p, s, m) in there for p in problems for s in range(seeds) for m in methods)
    return f"{count:,} of {wanted:,} runs: no table" if count < wanted else ""


def mean_lines(rows: Sequence[Row], columns: Sequence[Column]) -> list[str]:
    """A line a method: means over problems, with the half width of their 95 % interval."""
    lines = [_line("", [column.title for column in columns])]
    for method in methods_in(rows):
        cells = []
        for column in columns:
            runs = runs_of(rows, method, column)
            cells.append(_mean_text(mean(runs), half_width(runs), column.kind))
        lines.append(_line(LABELS[method], cells))
    return lines


def change_lines(rows: Sequence[Row], columns: Sequence[Column], against: str = "") -> list[str]:
    """A line a method: its changes against the one without EIC, by paired bootstrap.

    Parameters
    ----------
    rows : sequence of Row
    columns : sequence of Column
    against : str
        Another method to compare all with.
    """
    lines = []
    there = methods_in(rows)
    for method in there:
        plain = against or PLAIN.get(method, "")
        if plain not in there or plain == method:
            continue
        cells = []
        for column in columns:
            new, old = runs_of(rows, method, column), runs_of(rows, plain, column)
            found = change(new, old, relative=column.kind == "relative")
            cells.append(_change_text(found, column.kind))
        lines.append(_line(f"{LABELS[method]} − {LABELS[plain]}", cells))
    return lines


def law_lines(rows: Sequence[Row], noise: float) -> list[str]:
    """Means, changes, and what the paper prints at this noise."""
    lines = [*mean_lines(rows, LAW_COLUMNS), *change_lines(rows, LAW_COLUMNS)]
    for method in methods_in(rows):
        printed = PAPER.get((method, noise))
        if printed is not None:
            cells = [
                f"{printed.share:.3f}",
                f"{printed.nodes:.1f}",
                f"{printed.eic:.2f}",
                "",
                f"{printed.seconds:,.0f} (clock)",
            ]
            lines.append(_line(f"paper: {LABELS[method]}", cells))
        if (method, noise) in CHANGES:
            share, nodes, eic, seconds = CHANGES[method, noise].removesuffix(" %").split(", ")
            cells = [f"{text} %" if text else "" for text in (share, nodes, eic, "", seconds)]
            lines.append(_line("paper: its change", cells))
    return lines


def half_lines(rows: Sequence[Row], columns: Sequence[Column], order: Sequence[str]) -> list[str]:
    """The changes on the problems of odd and of even places, and what a choice on the first gives.

    Parameters
    ----------
    rows : sequence of Row
    columns : sequence of Column
    order : sequence of str
        Problems in their order.
    """
    halves = [[row for row in rows if row.problem in set(order[start::2])] for start in (0, 1)]
    lines = []
    for name, start in (("first", 0), ("second", 1)):
        lines += [
            f"{name} half: {', '.join(order[start::2])}",
            *change_lines(halves[start], columns),
        ]
    r2 = Column("held-out R²", lambda row: worth(row.r2_held_out), "number")
    costs = {
        key: METHODS[key].alpha
        for key in methods_in(rows)
        if key in METHODS and METHODS[key].search == "gp"
    }
    if "gp" in costs:
        plain = runs_of(halves[0], "gp", r2)
        good = [
            key
            for key in costs
            if change(runs_of(halves[0], key, r2), plain, relative=False).value >= -GIVEN_UP
        ]
        chosen = max(good, key=lambda key: costs[key])
        lines.append(
            f"the largest cost of a digit that gives up at most {GIVEN_UP:g} of held-out R² on the "
            f"first half: {costs[chosen]:g} ({LABELS[chosen]})"
        )
    return lines


def _line(name: str, cells: Sequence[str]) -> str:
    return (f"{name:<30}" + "".join(f"{cell:>23}" for cell in cells)).rstrip()


def _mean_text(value: float, half: float, kind: str) -> str:
    if math.isnan(value):
        return "-"
    if kind == "share":
        return f"{100 * value:.1f} ± {100 * half:.1f} %"
    return f"{value:.3g} ± {half:.2g}" if abs(value) < 100 else f"{value:.0f} ± {half:.0f}"


def _change_text(found: Interval, kind: str) -> str:
    if math.isnan(found.value):
        return "-"
    if kind == "number":
        return f"{found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]"
    value, low, high = (100 * part for part in found)
    unit = " pt" if kind == "share" else " %"
    return f"{value:+.1f}{unit} [{low:+.1f}, {high:+.1f}]"


NOTES = (
    "± and [ ]: 95 %, by problem (runs of a problem are averaged); pt: points of per cent.",
    "EIC: of the formula as printed, on all rows, without singular samples.  Of laws, the column "
    f"EIC leaves out runs of held-out R² below {USABLE:g}, and its change is of the runs that "
    "count on both sides.",
    "Held-out R² counts as 0 below 0 and where there is no value.  A formula breaks where R² on "
    f"all rows, counted so, falls by more than {BROKEN:g}; digits needed: the fewest that all "
    f"constants must keep for it to fall by at most {KEPT:g}; float32, log10: root mean square "
    "of its error by the target's standard deviation.",
)
