"""The reasons why an operator loses digits or has no value, a sentence each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core import wording
from eic_core.engine.amplify import amplify
from eic_core.engine.exact import GREAT_DEPTH, MANY_DIGITS, ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.explain import phrases
from eic_core.explain.created import CreatedLoss, created_losses, row_weights
from eic_core.formula.tree import UNDEFINED, Node
from eic_core.measure.double_range import indistinct_rows
from eic_core.measure.inspection import Inspection
from eic_core.operators import NUMPY, OPERATORS, Operator
from eic_core.operators.words import TOO_MUCH

Array = npt.NDArray[Any]

MAX_ROWS = 2_000
"""Evidence is taken from at most this many samples, evenly spaced."""

FAR, CLOSE = 2.0, 0.5
"""Within half a turn, larger values of a periodic function are near a pole, smaller near a zero."""

MOST = 0.5
"""The part of a loss that is most of it."""

CROSSING = 0.1
"""Where a crossing does the harm, a smaller part of the two terms is left."""

FEELS = 2.0
"""Where a function multiplies noise by less, it is not the cause."""


@dataclass(frozen=True)
class Cause:
    label: str  # Two to six words: "cancellation in a difference"
    clause: str  # What happens, to follow a colon: "the two terms cancel"


@dataclass(frozen=True)
class Evidence:
    node: Node
    # shape (n,): Values of the node at valid, non-singular samples; n may be 0. nan throughout if
    # the node leaves double range at all of them.
    y: Array
    operands: tuple[Array, ...]  # shape (n,)
    weights: Array  # shape (n,): s^2, normalised to sum 1
    edge_shares: tuple[float, ...]
    crosses: bool  # Whether the node is known to pass through a zero at which it loses every digit
    # Per operand the largest finite magnitude over all samples at which the node keeps a digit; nan
    # if none is finite
    largest: tuple[float, ...]
    inherited: bool = False  # Whether the loss that is explained is that of another node above

    def typical(self, values: Array) -> float:
        """The s^2-weighted median: a typical value where digits are lost; nan if there is none."""
        known = np.isfinite(values)
        if not known.any():
            return math.nan
        values, weights = values[known], self.weights[known]
        order = np.argsort(values)
        sums = np.cumsum(weights[order])
        return float(values[order[int(np.searchsorted(sums, 0.5 * sums[-1]))]])


def gather_evidence(inspection: Inspection, node_id: int, target: int | None = None) -> Evidence:
    """Evidence at one node at up to `MAX_ROWS` samples, weighted by the loss of `target` (a node at
    or above it) that the node creates, else by its own s^2.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> gather_evidence(inspect(read("3*x").formula, samples), 2).y.tolist()
    [3.0, 6.0]
    """
    created = None if target is None else _created_at(inspection, node_id, target)
    rows = _evidence_rows(inspection, node_id, created)
    nothing = np.empty(0)
    crosses = inspection.sign_changes.at(node_id).loses_at_zero
    shares = inspection.nodes[node_id].edge_shares
    node = inspection.formula.nodes[node_id]
    if not len(rows) or not node.children:
        none = (math.nan,) * len(node.children)
        empty = (nothing,) * len(node.children)
        return Evidence(node, nothing, empty, nothing, shares, crosses, none)
    trace = inspection.amplification.trace
    y, s = (values[rows] for values in trace(node_id))
    operands = [trace(child)[0][rows] for child in node.children]
    usable = np.isfinite(s)
    if not usable.any():
        usable = np.ones(len(rows), dtype=bool)
        s = np.ones(len(rows))
    with np.errstate(over="ignore"):
        weights = np.square(s[usable] / s[usable].max())
    if created is not None and np.any(created[rows][usable] > 0):
        weights = created[rows][usable]
    total = float(np.sum(weights))
    return Evidence(
        node,
        y[usable],
        tuple(values[usable] for values in operands),
        weights / total if total else weights,
        shares,
        crosses,
        _largest(inspection, node, tuple(operands)),
        inherited=target not in (None, node_id),
    )


def _largest(inspection: Inspection, node: Node, operands: tuple[Array, ...]) -> tuple[float, ...]:
    _, s = inspection.amplification.trace(node.id)
    keeps = np.isfinite(s)
    found = []
    for child, seen in zip(node.children, operands, strict=True):
        y, _ = inspection.amplification.trace(child)
        known = keeps & np.isfinite(y)
        values = y[known] if known.any() else seen[np.isfinite(seen)]
        found.append(float(np.max(np.abs(values))) if len(values) else math.nan)
    return tuple(found)


def _evidence_rows(
    inspection: Inspection, node_id: int, created: Array | None
) -> npt.NDArray[np.int64]:
    rows = np.flatnonzero(inspection.amplification.evaluated(node_id))
    if len(rows) <= MAX_ROWS:
        return rows
    even = rows[:: math.ceil(len(rows) / MAX_ROWS)]
    if created is None:
        return even
    most = np.argpartition(-created, MAX_ROWS // 10)[: MAX_ROWS // 10]
    return np.union1d(even, most[created[most] > 0])


def _created_at(inspection: Inspection, node_id: int, target: int) -> Array:
    _, above = inspection.amplification.trace(target)
    _, s = inspection.amplification.trace(node_id)
    known = np.isfinite(above) & np.isfinite(s)
    created = np.zeros(len(s))
    if not known.any():
        return created
    growth = np.log10(s[known])
    given = [
        np.log10(np.where(np.isfinite(below[known]), below[known], 1.0))
        for child in inspection.formula.nodes[node_id].children
        for below in (inspection.amplification.trace(child)[1],)
    ]
    if given:
        growth = growth - np.max(given, axis=0)
    created[known] = row_weights(above[known]) * np.maximum(growth, 0.0)
    return created


def finite_cause(evidence: Evidence) -> Cause:
    if not len(evidence.y):
        return ACCUMULATED
    row = OPERATORS[evidence.node.operator]
    way = next(way for applies, way in _WAYS if applies(row))
    if not all(np.isfinite(values).any() for values in evidence.operands):
        return ACCUMULATED if way is _steepness_cause else BEYOND
    with np.errstate(all="ignore"):
        return way(row, evidence)


ACCUMULATED = Cause(
    "accumulated rounding", "it adds up over the steps below, and no single one stands out"
)
BEYOND = Cause(
    "values beyond double range", "what it is given cannot be computed in double precision at all"
)

ZERO_TERM = Cause(
    "error of a term that is 0", "one of the two terms is 0 and only brings its error"
)


def _zero_given(what: str) -> Cause:
    return Cause("error of a value that is 0", f"{what} is 0 there and only brings its error")


STEP = 0.35
"""Digits that a step must create to be a cause: more than a square or a sum of two adds."""

WORTH_NAMING = 0.25
"""The part of a loss that a second step must create to be named beside the first."""

SHOWN = 0.1
"""Digits from which it is said that others take some off what two steps create."""

NEARLY_ALL = 0.9
"""The part of a loss from which a step's own part is not told apart from it."""


@dataclass(frozen=True)
class ExplainedLoss:
    origin: int  # Where most are created: the node itself or one below it
    digits: float  # How many of them
    label: str  # The cause in two to six words
    # To follow the node's name: ", 2.6 of them inherited from `x - 0.999`", or "". A conditional
    # hands a loss on as it is: there it is created in a branch.
    place: str
    clause: str  # What happens, to follow a colon
    further: str = ""  # To follow it: a second large step, or ""


def explain_loss(inspection: Inspection, node_id: int, limit: int = 37) -> ExplainedLoss:
    """The step that creates most of a node's loss and why, and a second large one.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.01]})
    >>> found = explain_loss(inspect(read("(x-0.999)**4").formula, samples), 3)
    >>> found.place, found.clause
    (', 3.0 of them inherited from `x − 0.999`', 'the two terms cancel')
    """
    losses = created_losses(inspection, node_id)
    whole = inspection.nodes[node_id].local_eic_finite
    if not losses:
        return ExplainedLoss(node_id, 0.0, ACCUMULATED.label, "", ACCUMULATED.clause)
    first = losses[0]
    evidence = gather_evidence(inspection, first.node_id, node_id)
    clause = finite_cause(evidence)
    if first.digits < STEP and clause is not BEYOND:
        most = (
            f", at most {math.ceil(10 * max(first.digits, 0.0)) / 10:.1f} of them in any one step"
        )
        return ExplainedLoss(
            first.node_id, first.digits, ACCUMULATED.label, most, ACCUMULATED.clause
        )
    if clause is ACCUMULATED:
        clause = _plain_cause(inspection, first, evidence)
    further = ""
    second = losses[1] if len(losses) > 1 else None
    if second is not None and second.digits >= max(STEP, WORTH_NAMING * whole):
        further = f"; {second.digits:.1f} more are created "
        if node_id in second.copies:
            further += "in its last operation"
        else:
            further += f"at {phrases.code_text(inspection.formula, second.node_id, limit)}"
        taken_off = first.digits + second.digits - whole
        if taken_off >= SHOWN:
            further += f", and other steps take {taken_off:.1f} off"
    here = node_id in first.copies
    few = first.digits < NEARLY_ALL * whole
    place = ""
    if not here:
        all_of_it = round(first.digits, 1) >= round(whole, 1)
        part = "all" if all_of_it else f"{first.digits:.1f}"
        chooses = OPERATORS[inspection.formula.nodes[node_id].operator].chooses
        more_than_all = further and first.digits >= whole  # others take off what is too much
        of_them = "" if more_than_all else f"{part} of them "
        place = f", {of_them}{'created in its branch at' if chooses else 'inherited from'} "
        place += phrases.code_text(inspection.formula, first.node_id, limit)
        place += f" ({first.digits:.1f} digits)" if more_than_all else ""
    elif few:
        place = f", {first.digits:.1f} of them in this step"
    return ExplainedLoss(first.node_id, first.digits, clause.label, place, clause.clause, further)


def _plain_cause(inspection: Inspection, loss: CreatedLoss, evidence: Evidence) -> Cause:
    node = inspection.formula.nodes[loss.node_id]
    if OPERATORS[node.operator].words.cancels:
        noun = OPERATORS[node.operator].words.noun
        nothing = np.any([values == 0 for values in evidence.operands], axis=0)
        if evidence.weights[nothing].sum() > MOST:
            return ZERO_TERM
        return Cause(f"cancellation in a {noun}", "the two terms nearly cancel at some samples")
    worst = int(np.argmax(np.nan_to_num(np.array(evidence.edge_shares))))
    if evidence.weights[evidence.operands[worst] == 0].sum() > MOST:
        names = (
            ("its base", "its exponent")
            if OPERATORS[node.operator].power
            else ("what it is given",)
        )
        ours = len(evidence.operands) <= len(names)
        return _zero_given(names[worst] if ours else f"operand {worst + 1}")
    each = loss.digits / len(loss.copies)
    times = wording.times(10**each)
    return Cause("steep function", f"it amplifies what it is given about {times}")


def _cancellation_cause(row: Operator, evidence: Evidence) -> Cause:
    noun = row.words.noun
    a, b = evidence.operands
    kept = np.abs(evidence.y) / (np.abs(a) + np.abs(b))
    where_lost = evidence.typical(kept)
    if not where_lost < 0.5:
        return ACCUMULATED
    label = f"cancellation in a {noun}"
    if float(np.nanmedian(kept)) < 0.1:  # where both terms are 0 nothing is kept or lost
        return Cause(label, "the two terms cancel")
    if (
        evidence.crosses
        and where_lost < CROSSING
        and not is_smaller_elsewhere(kept, np.sqrt(evidence.weights), where_lost)
    ):
        return Cause(label, f"the two terms cancel where the {noun} crosses zero")
    return _near_cancellation(noun, kept)


def is_smaller_elsewhere(y: Array, lost: Array, size: float) -> bool:
    """Whether a value falls below half its usual `size` where less is lost: its zero is no cause.

    >>> y, lost = np.array([0.1, 0.5, 3.0]), np.array([1.0, 9.0, 2.0])
    >>> is_smaller_elsewhere(y, lost, 0.5), is_smaller_elsewhere(y, 1 / y, 0.5)
    (True, False)
    """
    known = ~np.isnan(y) & ~np.isnan(lost)
    closer = known & (np.abs(y) < 0.5 * size)
    if not closer.any():
        return False
    return bool(np.max(lost[closer]) < 0.5 * np.max(lost[known]))


def _near_cancellation(noun: str, kept: Array) -> Cause:
    some = "" if float(np.nanmax(kept)) < 0.5 else " at some samples"
    return Cause(f"cancellation in a {noun}", f"the two terms nearly cancel{some}")


def _periodic_cause(row: Operator, evidence: Evidence) -> Cause:
    name = row.name
    (x,) = evidence.operands
    p = row.parameter(evidence.node.parameter)
    y = row.evaluate((x,), p)
    (slope,) = row.partials(NUMPY, (x,), y, p)
    kappa = slope * (x / y)  # not kappa2: the square may overflow
    if not evidence.typical(np.abs(kappa)) >= FEELS:
        return ACCUMULATED
    where = evidence.typical(np.abs(x))
    size = evidence.typical(np.abs(evidence.y))
    largest = evidence.largest[0]
    turn = row.period if row.waves else 2 * row.period  # a wave has two zeros in a period
    few_turns = where <= turn
    if row.poles and (size > max(10.0, where) or (few_turns and size > FAR)):
        return Cause("near a pole", f"it comes close to a pole of `{name}`")
    has_zeros = not (row.poles and row.waves)  # what has poles and crests has none
    if has_zeros and ((few_turns and size < CLOSE) or (size < 0.1 and where * size < 1)):
        near = f"it comes close to a zero of `{name}`"
        if where >= 2 * turn:
            near += f", at a large argument (up to {wording.significant(largest)})"
        return Cause("near a zero", near)
    closer = np.abs(slope / y) > np.abs(x)  # the operand's nearness does more than its size
    if nearness := _nearness_by_row(row, evidence, kappa, closer, where >= 2 * turn):
        return nearness
    if few_turns:
        return _steepness_cause(row, evidence)
    return Cause(
        f"large argument of {name}",
        f"its argument is large (up to {wording.significant(largest)}) for a function of period "
        + _length(row.period),
    )


def _nearness_by_row(
    row: Operator, evidence: Evidence, kappa: Array, near: npt.NDArray[np.bool_], large: bool
) -> Cause | None:
    """Zeros and poles, row by row: they may do most of the harm while none is typical."""
    weights = evidence.weights
    if not evidence.inherited:  # the loss is the step's own: rows weigh by its noise
        times = np.nan_to_num(np.abs(kappa), posinf=0.0)
        weights = np.square(times / np.max(times))
        weights /= weights.sum()
    if not weights[near].sum() > MOST:
        return None
    at_poles = near & (np.abs(evidence.y) > 1) if row.poles else np.zeros_like(near)
    if row.poles and (row.waves or weights[at_poles].sum() > MOST):
        return Cause("near a pole", f"it comes close to a pole of `{row.name}`")
    if weights[near & ~at_poles].sum() > MOST:
        clause = f"it comes close to a zero of `{row.name}`"
        if large:
            largest = wording.significant(evidence.largest[0])
            clause += f", at a large argument (up to {largest})"
        return Cause("near a zero", clause)
    return Cause("near zeros and poles", f"it comes close to zeros and poles of `{row.name}`")


def _length(period: float) -> str:
    """A period, as a multiple of π for one or two.

    >>> _length(2 * math.pi), _length(math.pi), _length(2.0)
    ('2π', 'π', '2')
    """
    return {1.0: "π", 2.0: "2π"}.get(period / math.pi) or wording.significant(period)


BY_A_POLE = 0.2
"""Nearer to a pole of gamma its nearness does more than the argument's size."""


def _growth_cause(row: Operator, evidence: Evidence) -> Cause:
    (x,) = evidence.operands
    if row.poles and row.brink is not None and evidence.typical(row.brink(NUMPY, x)) < BY_A_POLE:
        return Cause("near a pole", f"it comes close to a pole of `{row.name}`")
    if evidence.typical(np.abs(x)) < 1:
        return ACCUMULATED
    word = row.words.family or (f"`{row.name}`" if row.words.noun == "step" else row.words.noun)
    return Cause(
        f"{word} of a large number",
        f"the {word} of a large number (up to {wording.significant(evidence.largest[0])}) "
        "magnifies its relative error",
    )


def _exponent_cause(row: Operator, evidence: Evidence) -> Cause:
    exponent = abs(Fraction(evidence.node.parameter or 0))
    if exponent >= 2:
        times = wording.significant(float(exponent))
        return Cause("large exponent", f"the power multiplies the relative error by {times}")
    return ACCUMULATED


def _noisy_exponent_cause(row: Operator, evidence: Evidence) -> Cause:
    base, exponent = evidence.operands
    largest = evidence.typical(np.abs(exponent))
    steepest = evidence.typical(np.abs(exponent * np.log(base)))
    shares = evidence.edge_shares
    # What the step creates of the noise that comes through an operand, not what passes through.
    created = [
        share * math.log(max(times, 1.0))
        for share, times in zip(shares, (largest, steepest), strict=False)
    ]
    if len(created) == 2 and created[1] > created[0]:
        if steepest >= 1:
            return Cause(
                "error in an exponent", "an error in the exponent counts exponent × ln(base) times"
            )
        return ACCUMULATED
    if largest >= 2:
        return Cause(
            "large exponent",
            f"the power multiplies the relative error by about {wording.significant(largest)}",
        )
    return ACCUMULATED


def _nearness_cause(row: Operator, evidence: Evidence) -> Cause:
    near = row.words.near
    assert near is not None
    if near.brink:
        assert row.brink is not None
        distance = row.brink(NUMPY, *evidence.operands)
    else:
        distance = np.abs(evidence.y)
    if not evidence.typical(distance) < near.within:
        return ACCUMULATED
    above = float(evidence.weights[evidence.operands[0] > 0].sum())
    end = "1" if above > NEARLY_ALL else "−1" if above < 1 - NEARLY_ALL else "±1"
    return Cause(near.label, near.clause.replace("±1", end))


def _steepness_cause(row: Operator, evidence: Evidence) -> Cause:
    y, parameter = evidence.y, row.parameter(evidence.node.parameter)
    kappas = row.kappa_squared(NUMPY, evidence.operands, y, parameter)
    times = [evidence.typical(np.sqrt(np.broadcast_to(k2, y.shape))) for k2 in kappas]
    worst = int(np.argmax(np.nan_to_num(np.array(evidence.edge_shares))))
    if not times[worst] >= FEELS:
        return ACCUMULATED
    whose = "its operand" if len(times) == 1 else f"operand {worst + 1}"
    return Cause(
        "steep function",
        f"it multiplies the relative error of {whose} by about {wording.significant(times[worst])}",
    )


_WAYS: tuple[tuple[Callable[[Operator], object], Callable[[Operator, Evidence], Cause]], ...] = (
    (lambda row: row.words.cancels, _cancellation_cause),
    (lambda row: row.period, _periodic_cause),
    (lambda row: row.exponential, _growth_cause),
    (lambda row: row.power and row.needs_parameter, _exponent_cause),
    (lambda row: row.power, _noisy_exponent_cause),
    (lambda row: row.words.near, _nearness_cause),
    (lambda row: True, _steepness_cause),
)
"""The ways to lose digits, and which rows go them: the first that applies."""


NO_ANGLE = 1e15
"""Arguments of a periodic function from which on double precision knows no angle."""

LEAST_LEFT = 1e-30
"""What is left of two terms that cancel in more than 30 digits."""

MOST_CHECKED = 16
"""Samples at which a zero is looked at with many digits, at most."""

GIVEN = "what it is given has no digit left"


def singular_clause(
    inspection: Inspection, node_id: int, rows: npt.NDArray[np.int64] | None = None
) -> str:
    """The event that makes an infinite amplification (or above 10^30) at `rows` or its own rows.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [100.0, 200.0]})
    >>> for text in ("x - x", "(1e40 + x) - 1e40", "sin(exp(x))", "2*(x - x)"):
    ...     formula = read(text).formula
    ...     print(singular_clause(inspect(formula, samples), len(formula) - 1))
    the two terms cancel exactly
    the two terms cancel in more than 30 digits
    its argument is so large that no digit of the angle is left
    what it is given has no digit left
    """
    node, trace = inspection.nodes[node_id].node, inspection.amplification.trace
    lost = np.isinf(trace(node_id)[1])
    given = np.zeros(len(lost), dtype=bool)
    for child in node.children:
        given |= np.isinf(trace(child)[1])
    if rows is not None:
        lost &= np.isin(np.arange(len(lost)), rows)
        given &= ~lost
    made = lost & ~given
    if not made.any():
        return GIVEN
    row = OPERATORS[node.operator]
    clause = (
        _made_clause(inspection, node_id, made)
        if row.numeric
        else (_jump_clause(inspection, node_id, made))
    )
    return f"{clause}, or {GIVEN}" if (lost & given).any() else clause


def _made_clause(inspection: Inspection, node_id: int, rows: npt.NDArray[np.bool_]) -> str:
    node = inspection.nodes[node_id].node
    row = OPERATORS[node.operator]
    exact, nearly = row.words.singular, row.words.nearly
    if not nearly:
        return exact
    y, _ = inspection.amplification.trace(node_id)
    anywhere = row.jumps or row.brink is not None  # there the value need not be 0
    at_zero = rows if anywhere else rows & (y == 0)
    looked_at = _to_great_depth(inspection, node_id, np.flatnonzero(at_zero))
    zeros = np.array([special and proven for special, proven in looked_at], dtype=bool)
    if zeros.all() and (anywhere or not y[rows].any()):
        return exact
    if looked_at and all(special for special, _ in looked_at) and not zeros.any():
        nearly = f"{nearly}, and in all of the {MANY_DIGITS:,} that were looked at"
    if row.period:
        x, _ = inspection.amplification.trace(node.children[0])
        if np.abs(x[rows]).max() >= NO_ANGLE:
            nearly = "its argument is so large that no digit of the angle is left"
    if row.words.cancels:
        a, b = [inspection.amplification.trace(child)[0][rows] for child in node.children]
        with np.errstate(all="ignore"):
            if not np.all(np.abs(y[rows]) <= LEAST_LEFT * np.fmax(np.abs(a), np.abs(b))):
                nearly = TOO_MUCH
    return f"{exact}, or {nearly}" if zeros.any() else nearly


def _to_great_depth(
    inspection: Inspection, node_id: int, rows: npt.NDArray[np.intp]
) -> list[tuple[bool, bool]]:
    """Whether a node's value at some of these rows is 0 or on a jump, and if that is proved."""
    found = []
    subtree = inspection.formula.subtree(node_id)
    evaluator = ExactEvaluator(tape_of(subtree), depth=GREAT_DEPTH)
    for row in rows[:: max(1, math.ceil(len(rows) / MOST_CHECKED))].tolist():
        cells = {name: inspection.samples.decimal(name, row) for name in subtree.variables}
        sample = evaluator.sample(cells)
        special = sample.first_invalid is not None or evaluator.is_special(sample)
        found.append((special, sample.proven))
    return found


def _jump_clause(inspection: Inspection, node_id: int, lost: npt.NDArray[np.bool_]) -> str:
    node, rows = inspection.formula.nodes[node_id], np.flatnonzero(lost)
    if not OPERATORS[node.operator].chooses:
        return _on_threshold(inspection, node_id, rows, "its threshold")
    condition = phrases.code_text(inspection.formula, node.children[0])
    meet = _are_hinges(inspection, node_id, rows)
    if meet.all():
        threshold = f"the threshold of the condition {condition}"
        return f"{_on_threshold(inspection, node_id, rows, threshold)}, where {MEET_AT_0}"
    clause = _on_threshold(
        inspection, node_id, rows[~meet], f"the jump of the condition {condition}"
    )
    if meet.any():
        clause += f", and at {int(meet.sum()):,} more {MEET_AT_0}"
    return clause


MEET_AT_0 = "both branches are 0, beside which no error is small"


def _on_threshold(
    inspection: Inspection, node_id: int, rows: npt.NDArray[np.intp], threshold: str
) -> str:
    exactly = all(map(all, _to_great_depth(inspection, node_id, rows)))
    numbers = rows + 1 if inspection.samples.rows is None else inspection.samples.rows[rows]
    if len(rows) == 1:
        subject = f"row {numbers[0]:,} lies"
    else:
        subject = f"{len(rows):,} rows, the first of them row {numbers[0]:,}, lie"
    if exactly:
        return f"{subject} exactly on {threshold}"
    return f"{subject} on {threshold} to more than 30 digits"


def _are_hinges(
    inspection: Inspection, node_id: int, rows: npt.NDArray[np.intp]
) -> npt.NDArray[np.bool_]:
    formula = inspection.formula
    found = np.ones(len(rows), dtype=bool)
    for branch in formula.nodes[node_id].children[1:]:
        part = formula.subtree(branch)
        at = inspection.samples.take(rows)
        y, _ = amplify(part, at).trace(len(part) - 1)
        found &= y == 0
    return found


def invalid_clause(node: Node) -> str:
    """The reason why a node may have no real value; "" where it can only leave every range.

    >>> from eic_core.formula.syntax import read
    >>> for text in ("log(x)", "x**-2", "x + 1"):
    ...     print(repr(invalid_clause(read(text).formula.root)))
    'the argument of a logarithm must be positive'
    'the base is 0, and the exponent is negative'
    ''
    """
    if not node.children:
        return "the formula gives none there" if node.label == UNDEFINED else ""
    row = OPERATORS[node.operator]
    if row.power and row.needs_parameter:
        return _base_clause(Fraction(node.parameter or 0))
    unsaid = f"`{row.name}` has no real value for what it is given" if row.has_gaps else ""
    return row.words.invalid or unsaid


def _base_clause(exponent: Fraction) -> str:
    if exponent.denominator == 1:
        return "the base is 0, and the exponent is negative"
    if exponent > 0:
        return "the base is negative, and the exponent is not whole"
    return "the base must be positive, for the exponent is neither whole nor positive"


UNREDUCED = "its argument is too large to be reduced"
"""Of a sine, tangent or the like that has a value which no arithmetic of ours finds."""

LEAVES = "its value leaves every range of numbers"

INDISTINCT = "to 300 digits what it is given cannot be told from where it has no value"


def missing_clause(inspection: Inspection, node_id: int) -> str:
    """The reason why samples have no value at a node: the domain, or the range of numbers.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1e7, -1.0]})
    >>> for text in ("exp(x)", "cos(exp(x/1000))", "log(x)"):
    ...     formula = read(text).formula
    ...     print(missing_clause(inspect(formula, samples), len(formula) - 1))
    its value leaves every range of numbers
    its argument is too large to be reduced
    the argument of a logarithm must be positive
    """
    node = inspection.formula.nodes[node_id]
    clause = invalid_clause(node)
    if not clause and not (node.children and OPERATORS[node.operator].period):
        return LEAVES
    amplification = inspection.amplification
    tape = amplification.tape
    step = tape.steps[tape.slots[node_id]]
    found = [y for y, _ in amplification.exact.values() if len(y) == step.slot]
    row = step.row
    if not found or row is None:
        return clause or LEAVES
    operands = [np.array([y[i] for y in found]) for i in step.operands]
    with np.errstate(all="ignore"):
        y = np.asarray(row.evaluate(operands, step.parameter), dtype=np.float64)
        small, large = y == 0, np.isinf(y)
        if row.vanishes is None:
            small[:] = False
        else:
            small &= np.logical_not(row.vanishes(NUMPY, operands, step.parameter))
        if row.pole is not None:
            large &= np.logical_not(row.pole(NUMPY, operands, step.parameter))
    unreduced = int(np.count_nonzero(np.isinf(operands[0]))) if row.period else 0
    beyond = 0 if row.period else int(np.count_nonzero(small | large))
    known = inspection.nodes[node_id].invalid - amplification.unsettled_at.get(node_id, 0)
    indistinct = sum(node == node_id for node in indistinct_rows(inspection).values())
    others = known - unreduced - beyond - indistinct
    reasons = [clause] if others and clause else []
    reasons += [INDISTINCT] if indistinct else []
    reasons += [UNREDUCED] if unreduced else []
    reasons += [LEAVES] if beyond else []
    return ", or ".join(reasons) or LEAVES
