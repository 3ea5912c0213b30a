"""Proved bounds of what an approximation adds to a term."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from flint import arb

from eic_core.operators.balls import Ball, working
from eic_core.rewriting.series.coefficients import Unproved, to_ball
from eic_core.rewriting.series.expansion import Point
from eic_core.rewriting.series.scaling import Scaling, inputs_outside, scaling_of
from eic_core.rewriting.series.taylor_models import (
    BITS,
    ORDER,
    ORDER_WITH_INPUTS,
    Model,
    ModelField,
    Modeller,
    by_root,
)
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import ENDLESS, WorkBudget

PARTS = 64
"""A box is proved in so many parts at most."""

PIECES = 6
"""And the region of the quantity in so many."""

Box = Mapping[str, tuple[float, float]]
"""The least and the largest value of each input."""

SLACK = Fraction(1 + 10**6, 10**6)
"""The region proved is larger by this factor: a guard is computed in rounded numbers, of float32
perhaps."""


_Models = tuple[Modeller, Model, int]
"""A modeller with the model of the term, in this root of the distance."""


class Proofs:
    """Bounds for one term near one point of a quantity, whose models are made once a radius."""

    def __init__(
        self,
        terms: Terms,
        term: int,
        quantity: int,
        point: Point,
        box: Box,
        budget: WorkBudget = ENDLESS,
        enough: float = 0.0,
        coefficients: int = 0,
    ) -> None:
        self.terms, self.term, self.quantity, self.point = terms, term, quantity, point
        inside, outside = {*terms.subterms(quantity)}, inputs_outside(terms, term, quantity)
        free = {terms[n].label for n in outside - inside}
        self.box = {name: span for name, span in box.items() if name in free}
        # Of a quantity whose inputs stand outside of it too, one is taken as 1
        self.scaling: Scaling | None = scaling_of(terms, quantity) if outside & inside else None
        self.degree = None if self.scaling is None else self.scaling.degree(terms, term)
        self.budget, self.most = budget, enough or sys.float_info.max
        self.order = max(ORDER_WITH_INPUTS, coefficients) if self.box else ORDER
        self._models: dict[tuple[object, ...], _Models | None] = {}

    def bound(
        self, approximation: int, radius: Fraction, sides: tuple[int, ...], kept: int = 0
    ) -> float:
        """At most |approximation/term - 1| where the quantity is at most `radius` (at an end of the
        line its reciprocal) from the point; inf if nothing is proved. If it is the sum of the first
        so many powers as are `kept`, it has no model where the others are too large already.
        """
        if self.scaling is not None and (
            self.degree is None or self.scaling.degree(self.terms, approximation) != self.degree
        ):
            return math.inf
        radius *= SLACK
        worst = 0.0
        with working(BITS):
            for side in sides if isinstance(self.point, Fraction) else (1,):
                worst = max(worst, self._over_box(approximation, radius, side, kept))
                if worst == math.inf:
                    break
        return worst

    def _over_box(self, approximation: int, radius: Fraction, side: int, kept: int) -> float:
        """The box in one, or in parts where that proves nothing, or not `enough`; before, its ends:
        what is not proved there is not in the box.
        """
        todo: list[Box] = [self.box]
        if self.box:
            todo += ({name: end(*span) for name, span in self.box.items()} for end in (_low, _high))
        worst, parts = 0.0, 1
        while todo:
            self.budget.check()
            box = todo.pop()
            bound = self._in_box(approximation, radius, side, box, kept)
            if bound <= self.most:
                worst = max(worst, bound)
                continue
            halves = _halves(box)
            if halves is None or parts == PARTS:
                return math.inf
            parts += 1
            todo += halves
        return worst

    def _in_box(
        self, approximation: int, radius: Fraction, side: int, box: Box, kept: int
    ) -> float:
        models = self._of_term(radius, side, box)
        if models is None:
            return math.inf
        modeller, model, root = models
        try:
            if kept and _largest(model.after(kept * root), model) > self.most:
                return math.inf
            return _largest(modeller.model(approximation) - model, model)
        except Unproved:
            return math.inf

    def _of_term(self, radius: Fraction, side: int, box: Box) -> _Models | None:
        key = (radius, side, tuple(sorted(box.items())))
        if key not in self._models:
            self._models[key] = None
            with contextlib.suppress(Unproved):
                self._models[key] = by_root(partial(self._made, radius, side, box))
        return self._models[key]

    def _made(self, radius: Fraction, side: int, box: Box, root: int) -> _Models:
        spans = {name: arb(low).union(arb(high)) for name, (low, high) in box.items()}
        # A root is rounded: a little larger
        reach = radius if root == 1 else Fraction(float(radius) ** (1 / root)) * SLACK
        order = max(self.order, self.order * root // 2)
        field = ModelField(reach, spans, order, self.budget)
        modeller = Modeller(self.terms, self.quantity, self.point, side, field, root, self.scaling)
        model = modeller.model(self.term)
        _ = model.lead
        return modeller, model, root


def _halves(box: Box) -> list[Box] | None:
    """Two parts: the input of the widest range halved, by its logarithm if it has one sign."""
    widths = {name: _width(low, high) for name, (low, high) in box.items() if low < high}
    if not widths:
        return None
    name = max(widths, key=lambda each: widths[each])
    low, high = box[name]
    if low > 0 or high < 0:
        middle = math.copysign(math.sqrt(abs(low)) * math.sqrt(abs(high)), low)
    else:
        middle = low / 2 + high / 2
    if not low < middle < high:
        return None
    return [{**box, name: (low, middle)}, {**box, name: (middle, high)}]


def _low(low: float, high: float) -> tuple[float, float]:
    """An end as an interval: inputs of one value are numbers, of which less is seen."""
    return low, math.nextafter(low, high)


def _high(low: float, high: float) -> tuple[float, float]:
    return math.nextafter(high, low), high


def _width(low: float, high: float) -> float:
    if low > 0 or high < 0:
        return abs(math.log(abs(high)) - math.log(abs(low)))
    return 1e3 + high - low


def _largest(error: Model, model: Model) -> float:
    """The largest of |error/model| on the region."""
    if error.is_zero:
        return 0.0
    if error.first < model.first:
        return math.inf
    worst = arb(0)
    for span in _pieces(model.field):
        size = _on(model, span)
        if size.contains(0) or not size.is_finite():
            return math.inf
        ratio = span ** (error.first - model.first) * _on(error, span) / size
        worst = worst.union(abs(ratio).upper())
    upper = worst.abs_upper()
    if not upper.is_finite():
        return math.inf
    return math.nextafter(float(upper), math.inf)


def _on(model: Model, span: Ball) -> Ball:
    total = model.rest
    for c in reversed(model.coefficients):
        total = total * span + to_ball(c)
    return total


def _pieces(field: ModelField) -> Iterator[Ball]:
    """The range of t in parts, the small ones near its end."""
    ends = [field.range * 0]
    high = arb(field.range.upper())
    ends += [high * (PIECES + place) / (2 * PIECES) for place in range(PIECES + 1)]
    for low, high in zip(ends, ends[1:], strict=False):
        yield low.union(high)
