"""The definition where a value is 0 or a function has a kink (ADR 0001), each rule once.

The functions are written over a backend (`eic_core.operators.backend`), without branches:
`eic_core.engine.reference` follows them over arrays, `eic_core.engine.exact` at 60 digits, and
`eic_core.engine.native.generate` traces them into the native engine.

Notation: at one sample, ``y`` is the value of node k, ``a`` that of its operand i, ``s2`` the
operand's s_i^2, ``below`` its absolute deviation sqrt(v_i) where a = 0, and ``moved`` the deviation
|de_k/dy_i| sqrt(v_i) that reaches the node through this edge.
"""

from __future__ import annotations

from typing import Any

from eic_core.operators.row import square


def deviation(B: Any, a: Any, s2: Any, below: Any) -> Any:
    """sqrt(v_i): |a| s_i, and what was carried there where the operand is 0.

    - `a`, `s2`: the operand's value and its s_i^2.
    - `below`: its absolute deviation; read only where ``a == 0``.
    """
    return B.where(a == 0, below, B.abs(a) * B.sqrt(s2))


def moved_by(B: Any, partial: Any, std: Any) -> Any:
    """|de_k/dy_i| sqrt(v_i); 0 if either factor is, however large the other.

    - `partial`: de_k/dy_i; may be infinite.
    - `std`: sqrt(v_i), as `deviation` gives it.
    """
    return B.where((std == 0) | (partial == 0), 0.0, B.abs(partial) * std)


def term_at_zero(B: Any, limit: Any, s2: Any, moved: Any) -> Any:
    """What an operand adds to s^2 where y = 0.

    ``limit^2 s_i^2`` if kappa has a finite non-zero limit there, else 0 if nothing is moved, else
    infinity.

    - `limit`: the row's `zero_limit`: nan where kappa has no finite non-zero limit.
    - `s2`: the operand's s_i^2.
    - `moved`: as `moved_by` gives it.

    Notes
    -----
    ADR 0001, ``docs/adr``.
    """
    has_limit = B.isfinite(limit) & (limit != 0)
    return B.where(has_limit, square(limit) * s2, B.where(moved == 0, 0.0, B.inf))


def term_of_inner_zero(B: Any, y: Any, moved: Any) -> Any:
    """What an operand that is 0 adds to s^2 where y is not: the absolute form.

    - `y`: the node's value, not 0 where the term is used.
    - `moved`: as `moved_by` gives it.
    """
    return square(moved / B.abs(y))


def takes_over(B: Any, attained: Any, s2: Any, best: Any) -> Any:
    """Kinks of min and max: whether an operand that is the value is noisier than the best so far.

    All of the node's noise comes through the operand attained; at ties through the noisier.

    - `attained`: whether this operand is the node's value.
    - `s2`: its s_i^2.
    - `best`: the largest s^2 of the operands attained before it; -1 before the first.
    """
    return B.where(attained, s2 > best, False)


def plain_term(B: Any, kappa2: Any, s2: Any) -> Any:
    """kappa^2 s_i^2; 0 where kappa is, even under s = inf.

    - `kappa2`: kappa_{k,i}^2 (``eq:recursive_relation``).
    - `s2`: the operand's s_i^2; may be inf.
    """
    return B.where(kappa2 == 0, 0.0, kappa2 * s2)


def edge_term(B: Any, y: Any, a: Any, s2: Any, kappa2: Any, limit: Any, moved: Any) -> Any:
    """What one operand adds to s_k^2, wherever the sample lies.

    - `y`, `a`: the values of the node and of the operand.
    - `s2`, `kappa2`: s_i^2, and kappa_{k,i}^2; used where neither y nor a is 0.
    - `limit`: as for `term_at_zero`; used where ``y == 0``.
    - `moved`: as `moved_by` gives it; used where y or a is 0.
    """
    inner = B.where(a == 0, term_of_inner_zero(B, y, moved), plain_term(B, kappa2, s2))
    return B.where(y == 0, term_at_zero(B, limit, s2, moved), inner)
