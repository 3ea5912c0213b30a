"""The definition where a value is 0 or a function has a kink (ADR 0001), each rule once.

The functions run over a backend (`eic_core.operators.backend`) without branches, and are traced
into the native engine. ``y`` is the value of node k, ``a`` of its operand i, ``s2`` the operand's
s_i^2, ``below`` its deviation sqrt(v_i) where a = 0, ``moved`` the deviation |de_k/dy_i| sqrt(v_i).
"""

from __future__ import annotations

from typing import Any

from eic_core.operators.row import square


def deviation(B: Any, a_zero: Any, a: Any, s2: Any, below: Any) -> Any:
    """sqrt(v_i): |a| s_i, or `below` where a is 0."""
    return B.where(a_zero, below, B.abs(a) * B.sqrt(s2))


def moved_by(B: Any, partial: Any, std: Any) -> Any:
    """|de_k/dy_i| sqrt(v_i); 0 if either factor is, however large the other."""
    return B.where((std == 0) | (partial == 0), 0.0, B.abs(partial) * std)


def term_at_zero(B: Any, limit: Any, s2: Any, moved: Any) -> Any:
    """The operand's part of s^2 where y = 0 (ADR 0001).

    ``limit^2 s_i^2`` if kappa has a finite non-zero limit there (the row's
    `eic_core.operators.row.Operator.zero_limit`, else nan), else 0 if nothing is moved, else
    infinity.
    """
    has_limit = B.isfinite(limit) & (limit != 0)
    return B.where(has_limit, square(limit) * s2, B.where(moved == 0, 0.0, B.inf))


def term_of_inner_zero(B: Any, y: Any, moved: Any) -> Any:
    """The part of an operand that is 0 in s^2 where y is not 0: the absolute form."""
    return square(moved / B.abs(y))


def takes_over(B: Any, attained: Any, s2: Any, best: Any) -> Any:
    """Kinks of min and max: whether an attained operand is noisier than the best so far.

    All of the node's noise comes through the operand attained; at ties through the noisier. `best`
    is -1 before the first.
    """
    return B.where(attained, s2 > best, False)


def plain_term(B: Any, kappa2: Any, s2: Any) -> Any:
    """kappa^2 s_i^2 (``eq:recursive_relation``); 0 where kappa is 0, even under s = inf."""
    return B.where(kappa2 == 0, 0.0, kappa2 * s2)


def edge_term(
    B: Any, y_zero: Any, a_zero: Any, y: Any, s2: Any, kappa2: Any, limit: Any, moved: Any
) -> Any:
    """One operand's part of s_k^2 wherever the sample lies.

    `s2` and `kappa2` are used where neither y nor a is 0; `limit` (as in `term_at_zero`) where y is
    0; `moved` where y or a is 0.
    """
    inner = B.where(a_zero, term_of_inner_zero(B, y, moved), plain_term(B, kappa2, s2))
    return B.where(y_zero, term_at_zero(B, limit, s2, moved), inner)
