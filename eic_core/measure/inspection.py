"""`inspect`: the measurement of one formula on one data set."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, update_wrapper
from operator import attrgetter
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from eic_core.display import Displayed
from eic_core.effort import Effort, factor_of
from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.passes import Progress
from eic_core.errors import require
from eic_core.exports import Plain, json_form
from eic_core.formula.rendering import node_texts, to_latex
from eic_core.formula.tree import Formula, Node
from eic_core.measure.crossings import SignChanges
from eic_core.measure.tails import Tail, tail_of
from eic_core.samples import Samples
from eic_core.wording import digits_lost

TEXT_LIMIT = 400

INHERITED = 0.85
"""A step that has so much of its loss from one below, a digit or more, only passes it on."""

_Of = TypeVar("_Of")
_Result = TypeVar("_Result")


class ByNode(Generic[_Of, _Result]):
    """What each node of something has, worked out when it is asked for."""

    def __init__(self, of: _Of, work: Callable[[_Of], tuple[_Result, ...]]) -> None:
        self._of, self._work = of, work

    @cached_property
    def by_node(self) -> tuple[_Result, ...]:
        return self._work(self._of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByNode) and self.by_node == other.by_node

    def __hash__(self) -> int:
        return hash(self.by_node)


def _texts(formula: Formula) -> tuple[str, ...]:
    return node_texts(formula, TEXT_LIMIT)


def _edge_shares(amplification: Amplification) -> tuple[tuple[float, ...], ...]:
    by_slot = [amplification.edge_shares(node) for node in amplification.tape.nodes]
    return tuple([by_slot[slot] for slot in amplification.tape.slots])


def _no_shares(amplification: Amplification) -> tuple[tuple[float, ...], ...]:
    return ((),) * len(amplification.formula)


_new_node = tuple.__new__  # a third of what calling the class costs


_NODE_KEYS = (
    "id=node.id",
    "text",
    "operator=node.operator",
    "children=node.children",
    "span=node.span",
    "s_bar",
    "local_eic",
    "local_eic_finite",
    "invalid",
    "singular",
)
_CHOSEN_NODE_KEYS = (*_NODE_KEYS, "evaluated")


class NodeAmplification(NamedTuple):
    node: Node
    # Root of the mean of s_k^2 over valid samples, at least 1; inf if a sample is singular here;
    # nan if none is valid
    s_bar: float
    local_eic: float  # log10 of it: digits lost up to and including this node
    # The same without the samples that are singular here; nan if none remain
    local_eic_finite: float
    # Samples that first have no real value at this node, or none that is known: those are in
    # `Amplification.unsettled_at`
    invalid: int
    singular: int  # Valid samples at which s_k is infinite (or above 10^30)
    shares: ByNode[Amplification, tuple[float, ...]]
    texts: ByNode[Formula, str]  # The texts of all nodes of the formula
    # Valid samples at which the node is evaluated, over which its means are, if it stands in a
    # formula with conditionals; else -1: all of them
    evaluated: int = -1

    @property
    def edge_shares(self) -> tuple[float, ...]:
        return self.shares.by_node[self.node[0]]

    @property
    def text(self) -> str:
        return self.texts.by_node[self.node[0]]

    def to_json(self) -> dict[str, Any]:
        return json_form(self, _NODE_KEYS if self.evaluated < 0 else _CHOSEN_NODE_KEYS)


_NO_TAIL = {
    "node": None,
    **dict.fromkeys(("q50", "q90", "q99", "top1_share"), math.nan),
    "divergent": None,
    "crossings": (),
}


@dataclass(frozen=True)
class SampleCounts:
    # total, valid, invalid: ``total = valid + invalid``
    total: int
    valid: int
    invalid: int
    singular: int  # Valid samples that are singular at some node
    rechecked: int  # Samples re-evaluated in balls
    # Those `left_out`, and those at which no proof says that a value is 0 or on a jump, though
    # 10^-300 of its operands shows nothing else
    unresolved: int
    # Samples that needed it but came after its limit; they are among the invalid ones
    left_out: int = 0

    _JSON = ("total", "valid", "invalid", "singular", "rechecked", "unresolved")


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Displayed, Plain):
    """The Effective Information Criterion of one formula on one data set.

    Attributes
    ----------
    formula
        The formula that was measured.
    samples
        Its data.
    nodes
        In post-order.
    counts
        The numbers of valid, invalid and singular samples.
    reason
        Why EIC is nan, else "".
    amplification
        The sums behind it; `amplification.trace` gives per-sample values.

    Notes
    -----
    Yu et al., Eq. ``eq:EIC_def``: EIC = max_k log10 s-bar_k.
    """

    formula: Formula
    samples: Samples
    nodes: tuple[NodeAmplification, ...]
    counts: SampleCounts
    reason: str
    amplification: Amplification = field(repr=False)
    # By function and further arguments, see `cached_on_inspection`
    _results: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    _JSON = (
        "formula=formula.source",
        ("latex", lambda inspection: to_latex(inspection.formula)),
        "complexity=formula.complexity",
        "exponents=formula.exponents",
        "eic",
        "eic_finite",
        "noise_figure_db",
        "bottleneck",
        "worst_step",
        "no_value_at",
        "reason",
        "effort",
        "finished",
        "samples=counts",
        ("tail", lambda inspection: _NO_TAIL if inspection.tail is None else inspection.tail),
        "nodes",
    )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_results": {}}

    @property
    def effort(self) -> float:
        """Of settling samples exactly, as a multiple of the normal one."""
        return self.amplification.effort

    @property
    def finished(self) -> bool:
        """Whether that was enough for all of them."""
        return not self.counts.left_out

    @property
    def eic(self) -> float:
        """max_k log10 s-bar_k; inf if a sample is singular; nan if none is valid."""
        digits = (n.local_eic for n in self.nodes if not math.isnan(n.local_eic))
        return max(digits, default=math.nan)

    @property
    def eic_finite(self) -> float:
        """The largest ``local_eic_finite``; nan if one of them is nan."""
        return self.amplification.eic_finite

    @property
    def bottleneck(self) -> int:
        """Id of the node of largest local EIC, the first in post-order at ties."""
        return _largest(self.nodes, attrgetter("local_eic"))

    @cached_property
    def worst_step(self) -> int:
        """Of the nodes whose printed local EIC is the largest the one that adds most, or the step
        below that adds more, where nearly all of the loss is there already.

        Without a valid sample the node at which most samples first have no value.

        >>> from eic_core.formula.syntax import read
        >>> found = inspect(read("(10000*x-9999*x)/3").formula, Samples.from_columns({"x": [1.5]}))
        >>> found.nodes[found.bottleneck].text, found.nodes[found.worst_step].text
        ('(10000·x − 9999·x)/3', '10000·x − 9999·x')
        """
        return self._worst([n.local_eic for n in self.nodes])

    @cached_property
    def finite_worst_step(self) -> int:
        """The same without singular samples; `worst_step` where a node has no others."""
        finite = [n.local_eic_finite for n in self.nodes]
        return self.worst_step if math.isnan(self.eic_finite) else self._worst(finite)

    def _worst(self, digits: list[float]) -> int:
        if all(map(math.isnan, digits)):
            return self.no_value_at or 0

        def added(k: int) -> float:
            below = [digits[child] for child in self.nodes[k].node.children]
            largest = max((lost for lost in below if not math.isnan(lost)), default=0.0)
            return 0.0 if math.isinf(largest) else digits[k] - largest

        printed = digits_lost(max(lost for lost in digits if not math.isnan(lost)))
        tied = [k for k, lost in enumerate(digits) if digits_lost(lost) == printed]
        step = max(tied, key=added)  # the first of equals
        way = [step]
        while operands := self.nodes[step].node.children:
            shares = self.nodes[step].edge_shares
            known = shares if len(shares) == len(operands) else (math.nan,) * len(operands)
            step, _ = max(
                zip(operands, known, strict=True),
                key=lambda operand: (max(0.0, operand[1]), digits[operand[0]]),
            )
            if not digits[step] >= max(1.0, INHERITED * digits[way[0]]):
                break
            way.append(step)
        return max(way, key=added)

    @cached_property
    def sign_changes(self) -> SignChanges:
        """The events where nodes change their sign."""
        return SignChanges(self.amplification)

    @cached_property
    def tail(self) -> Tail | None:
        """The tail of s^2 at the node of largest ``local_eic_finite``; None if no sample is valid.

        Its mean is never called settled while some other node keeps a digit at no sample.
        """
        if not self.counts.valid:
            return None
        watched = self.finite_bottleneck
        amplification, valid = self.amplification, self.counts.valid
        crossings = tuple([k for k, signs in enumerate(amplification.signs) if signs == 3])
        # The answer of one is enough, and of a short subtree it is soonest had.
        first = amplification.formula.first
        shortest = sorted(crossings, key=lambda k: k - first[k])
        unbounded = any(self.sign_changes.unbounded(k) for k in shortest)
        tail = tail_of(watched, amplification.valid_s2(watched), crossings, unbounded)
        hopeless = self.counts.singular == valid and any(n.singular == valid for n in self.nodes)
        if tail.divergent is False and hopeless:
            tail = replace(tail, divergent=None)
        return tail

    @property
    def finite_bottleneck(self) -> int:
        """Id of the node of largest ``local_eic_finite``, the first at ties."""
        return _largest(self.nodes, attrgetter("local_eic_finite"))

    @property
    def no_value_at(self) -> int | None:
        """Id of the node at which most samples first have no real value; None if all have one.

        Where no sample is valid, every local EIC is nan, and the bottleneck, the first of equals,
        says nothing: this is where to look.
        """
        worst = max(self.nodes, key=lambda n: (n.invalid, n.node.id))
        return worst.node.id if worst.invalid else None

    @property
    def digits_lost(self) -> float:
        """Significant digits lost at the bottleneck: EIC itself."""
        return self.eic

    @property
    def noise_figure_db(self) -> float:
        """The noise figure at the bottleneck, 20 EIC (Yu et al., Eq. after ``eq:EIC_def``)."""
        return 20 * self.eic


_Arguments = ParamSpec("_Arguments")


class cached_on_inspection(Generic[_Arguments, _Result]):
    """Makes a function of an inspection run once for the same further arguments.

    Its results are kept with the inspection, but not with a copy, nor where it is pickled.

    >>> from eic_core.formula.syntax import read
    >>> @cached_on_inspection
    ... def complexity(inspection: Inspection) -> int:
    ...     print("counted")
    ...     return inspection.formula.complexity
    >>> inspection = inspect(read("x + 1").formula, Samples.from_columns({"x": [2.0]}))
    >>> complexity(inspection), complexity(inspection)
    counted
    (3, 3)
    """

    # a class, because doctest passes over the examples of a function that another module made
    def __init__(self, function: Callable[Concatenate[Inspection, _Arguments], _Result]) -> None:
        self._function = function
        update_wrapper(self, function)

    def __call__(
        self, inspection: Inspection, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> _Result:
        require(inspection, Inspection)
        results, key = inspection._results, (self, args, *kwargs.items())
        if key not in results:
            # of two threads at once, both get what was kept first
            results.setdefault(key, self._function(inspection, *args, **kwargs))
        return results[key]


def local_eic(mean_s2: float) -> float:
    """log10 of the root of a mean s^2; nan and inf pass through."""
    return 0.5 * math.log10(mean_s2) if mean_s2 < math.inf else mean_s2


def _largest(
    nodes: tuple[NodeAmplification, ...], digits: Callable[[NodeAmplification], float]
) -> int:
    candidates = [n for n in nodes if not math.isnan(digits(n))]
    # the first of equals, to the digits that are promised
    return max(candidates or nodes, key=lambda n: round(digits(n), 9)).node.id


def inspect(
    formula: Formula,
    samples: Samples,
    *,
    recheck: bool = True,
    edges: bool = True,
    effort: Effort = "normal",
    progress: Progress | None = None,
) -> Inspection:
    """Measure where a formula loses its digits on a data set.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        With a column for each variable.
    recheck
        Settle doubtful samples in exact arithmetic (see `amplify`).
    edges
        Fill `NodeAmplification.edge_shares`.
    effort
        How much work settling may take: "quick", "normal" (some ten seconds at most), "thorough",
        or a multiple of normal; samples beyond are left out (`Inspection.finished`).
    progress
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    Inspection
        EIC, the bottleneck, and every node's amplification.

    Raises
    ------
    DataError
        If a variable has no column.
    UserError
        If `formula` is no tree, or `effort` none.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> result = inspect(read("10000*x-9999*x").formula, samples)
    >>> result.counts.valid, round(result.eic, 5)
    (3, 4.38905)
    """
    amplification = amplify(
        formula,
        samples,
        recheck=recheck,
        edges=edges,
        effort=factor_of(effort),
        progress=progress,
    )
    nodes, valid = _nodes(amplification, edges), amplification.valid_count
    counts = SampleCounts(
        total=len(samples),
        valid=valid,
        invalid=len(samples) - valid,
        singular=amplification.singular_samples,
        rechecked=amplification.rechecked,
        unresolved=sum(
            map(len, (amplification.unsettled, amplification.assumed, amplification.indistinct))
        ),
        left_out=len(amplification.unsettled),
    )
    return Inspection(
        formula=formula,
        samples=samples,
        nodes=nodes,
        counts=counts,
        reason="" if valid else _reason(nodes),
        amplification=amplification,
    )


def _nodes(amplification: Amplification, edges: bool) -> tuple[NodeAmplification, ...]:
    formula, invalid = amplification.formula, amplification.first_invalid
    shares = ByNode(amplification, _edge_shares if edges else _no_shares)
    texts = ByNode(formula, _texts)
    by_slot = []
    for mean, rest, singular in amplification.means:
        digits = local_eic(mean)
        finite = local_eic(rest) if singular else digits
        by_slot.append((math.sqrt(mean), digits, finite, singular))
    nodes, count, chooses = [], -1, amplification.chooses
    for node, slot in zip(formula.nodes, amplification.tape.slots, strict=True):
        s_bar, digits, finite, singular = by_slot[slot]
        if chooses:
            count = amplification.evaluated_count(node.id)
        lost = invalid.get(node[0], 0) if invalid else 0
        row = (node, s_bar, digits, finite, lost, singular, shares, texts, count)
        nodes.append(_new_node(NodeAmplification, row))
    return tuple(nodes)


def _reason(nodes: tuple[NodeAmplification, ...]) -> str:
    worst = max(nodes, key=lambda n: n.invalid)
    return f"no sample is valid: `{worst.text}` has no real value in {worst.invalid} of them"
