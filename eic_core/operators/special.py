"""Rows of the operator table: gamma, log|gamma|, log beta and the complementary error functions."""

from __future__ import annotations

from typing import Any

from eic_core.operators import wide
from eic_core.operators.row import (
    STEEP_END,
    Operands,
    Operator,
    by_name,
    call_by_name,
    nowhere,
    square,
)
from eic_core.operators.words import ON_A_POLE, Near, Words
from eic_core.operators.writing import Writing, called


def _at_pole(B: Any, a: Operands, p: Any) -> Any:
    return (a[0] <= 0) & (a[0] == B.floor(a[0]))


def _to_pole(B: Any, x: Any) -> Any:
    """Distance from the nearest of 0, -1, -2, ..."""
    return B.where(x < 0.5, B.abs(x - B.nint(x)), B.abs(x))


def _gamma_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] * B.digamma(a[0])),)


_NO_POLE = "its argument must not be 0, −1, −2, …"

GAMMA_ROW = Operator(
    "gamma", 1, call_by_name("gamma"), by_name("gamma"),
    partials=lambda B, a, y, p: (y * B.digamma(a[0]),),
    kappa2=_gamma_kappa, helper="digamma",
    # the value times the argument is gamma(x + 1): its sign changes at all poles but 0, beside
    # which kappa is -1
    vanishes=nowhere, pole=_at_pole, crossing="argument", poles=True,
    integer_points=True, brink=_to_pole, exponential=True, widely=wide.gamma,
    kappa2_widely=wide.gamma_kappa2,
    writing=Writing(
        "gamma tgamma", called("gamma", r"\Gamma", text="Γ", upright="Γ", sign="Γ"),
    ),
    words=Words("gamma function", singular=ON_A_POLE, nearly=ON_A_POLE, invalid=_NO_POLE),
)  # fmt: skip


def _lgamma_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (B.digamma(a[0]),)


def _lgamma_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return (square(a[0] * B.digamma(a[0]) / y),)


LGAMMA_ROW = Operator(
    "lgamma", 1, call_by_name("lgamma"),
    exact=by_name("lgamma"),
    partials=_lgamma_partials,
    kappa2=_lgamma_kappa, helper="digamma",
    pole=_at_pole, crossing="value", poles=True,
    integer_points=True, brink=_to_pole, brink_roundings=STEEP_END, widely=wide.log_gamma,
    kappa2_widely=wide.log_gamma_kappa2,
    writing=Writing("lgamma gammaln loggamma log_gamma lngamma"),
    words=Words(
        "logarithm of gamma",
        near=Near(
            False, 1.0, "log-gamma near a zero",
            "its value comes close to 0, as beside 1 and 2",
        ),
        singular="its argument is a zero of log-gamma, such as 1 or 2",
        nearly="its argument agrees with a zero of log-gamma in more than 30 digits",
        invalid=_NO_POLE,
    ),
)  # fmt: skip


def _erfc_kappa(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    # erfcx(x) = exp(x^2) erfc(x) neither under- nor overflows where kappa does not
    return (square(2.0 / B.sqrt(B.pi) * a[0] / B.erfcx(a[0])),)


ERFC_ROW = Operator(
    "erfc", 1, call_by_name("erfc"), by_name("erfc"),
    partials=lambda B, a, y, p: (-2.0 / B.sqrt(B.pi) * B.exp(-square(a[0])),),
    kappa2=_erfc_kappa, helper="erfcx",
    sloped=True, vanishes=nowhere, exponential=True, low=2.0, widely=wide.complementary_error,
)  # fmt: skip


def _erfcx_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    slope = y * B.over(B.erfcx_kappa(a[0], y), a[0])
    return (B.where(a[0] == 0, -2.0 / B.sqrt(B.pi), slope),)


ERFCX_ROW = Operator(
    "erfcx", 1, call_by_name("erfcx"), by_name("erfcx"),
    partials=_erfcx_partials,
    kappa2=lambda B, a, y, p: (square(B.erfcx_kappa(a[0], y)),),
    sloped=True, vanishes=nowhere, widely=wide.scaled_error,
    writing=Writing(
        "erfcx erfc_scaled",
        definition="r = floor(16*x + 1/2)/16; t = 1/(2*x**2); where(x < 26,"
        " exp(r**2)*exp((x - r)*(x + r))*erfc(x),"
        " (1 - t*(1 - 3*t*(1 - 5*t*(1 - 7*t*(1 - 9*t*(1 - 11*t))))))/(x*sqrt(pi)))",
    ),
)  # fmt: skip


def _betaln_exact(B: Any, a: Operands, p: Any) -> Any:
    if a[0] <= 0 or a[1] <= 0:
        raise ValueError
    return B.lgamma(a[0]) + B.lgamma(a[1]) - B.lgamma(a[0] + a[1])


def _stirling(r: str) -> str:
    """log gamma less Stirling's formula, by the inverse of its argument."""
    inner = "1/1188 - 691*t**2/360360".replace("t", r)
    for number in (1680, 1260, 360, 12):
        inner = f"1/{number} - {r}**2*({inner})"
    return f"{r}*({inner})"


# As `beyond_numpy.betaln`
_BETALN = (
    "p = min(x, y); q = max(x, y); u = 1/p; v = 1/q; w = 1/(x + y);"
    f" s = {_stirling('v')} - {_stirling('w')};"
    " where(q < 15, lgamma(p) + (lgamma(q) - lgamma(x + y)), where(p < 15,"
    " lgamma(p) - ((q - 1/2)*log1p(p/q) + p*(log(x + y) - 1) - s),"
    f" log(2*pi/q)/2 + ({_stirling('u')} + s) - (p - 1/2)*log1p(q/p) - q*log1p(p/q)))"
)


def _betaln_partials(B: Any, a: Operands, y: Any, p: Any) -> tuple[Any, ...]:
    return -B.digamma_rise(a[0], a[1]), -B.digamma_rise(a[1], a[0])


BETALN_ROW = Operator(
    "betaln", 2, call_by_name("betaln"), _betaln_exact,
    partials=_betaln_partials,
    outside=lambda B, a, p: (a[0] < 0) | (a[1] < 0),
    pole=lambda B, a, p: (a[0] == 0) | (a[1] == 0),
    crossing="value", commutative=True, widely=wide.log_beta,
    writing=Writing("betaln lbeta logbeta log_beta", definition=_BETALN),
    words=Words(
        "logarithm of beta",
        near=Near(
            False, 1.0, "log-beta near a zero", "its value comes close to 0, as beside (1, 1)"
        ),
        invalid="its arguments must be positive",
    ),
)  # fmt: skip


ROWS = (GAMMA_ROW, LGAMMA_ROW, BETALN_ROW, ERFC_ROW, ERFCX_ROW)
