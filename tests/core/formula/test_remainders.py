"""Each language's own names and signs of remainders, gamma and erfc."""

from __future__ import annotations

import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read

READ = [
    ("np.fmod(x, y)", "", "fmod(x, y)"),
    ("np.mod(x, y)", "", "mod(x, y)"),
    ("np.remainder(x, y)", "", "mod(x, y)"),
    ("torch.remainder(x, y)", "", "mod(x, y)"),
    ("math.remainder(x, y)", "", "remainder(x, y)"),
    ("math.fmod(x, y)", "", "fmod(x, y)"),
    ("remainder(x, y)", "c", "remainder(x, y)"),
    ("x % y", "python", "mod(x, y)"),
    ("x % y", "c", "fmod(x, y)"),
    ("x % y", "julia", "fmod(x, y)"),
    ("Math.sin(x % y)", "", "sin(fmod(x, y))"),
    ("a*x % y + 1", "", "mod(a*x, y) + 1"),
    ("a*x %% y", "r", "a*mod(x, y)"),
    ("mod(x, y)", "julia", "mod(x, y)"),
    ("rem(x, y)", "julia", "fmod(x, y)"),
    ("rem(x, y)", "matlab", "fmod(x, y)"),
    ("mod(x, y)", "matlab", "mod(x, y)"),
    ("mod(x, y)", "fortran", "fmod(x, y)"),
    ("mod(x, 2.0d0)", "", "fmod(x, 2.0e0)"),
    ("modulo(x, y)", "fortran", "mod(x, y)"),
    ("Mod[x, y]", "", "mod(x, y)"),
    ("Mod(x, y)", "sympy", "mod(x, y)"),
    ("=MOD(A1, B1)", "", "mod(A1, B1)"),
    ("(FPCore (x y) (- (fmod x y) (remainder x y)))", "", "fmod(x, y) - remainder(x, y)"),
    (r"a \bmod b", "", "mod(a, b)"),
    ("<apply><rem/><ci>x</ci><ci>y</ci></apply>", "", "fmod(x, y)"),
    ("scipy.special.gamma(x) + gammaln(x)", "", "gamma(x) + lgamma(x)"),
    ("scipy.special.loggamma(x)", "", "lgamma(x)"),
    ("special.erfc(x)", "", "erfc(x)"),
    ("tgamma(x) + lgamma(x)", "c", "gamma(x) + lgamma(x)"),
    ("Gamma[x] + LogGamma[x] + Erfc[x]", "", "gamma(x) + lgamma(x) + erfc(x)"),
    ("=GAMMALN.PRECISE(A1) + GAMMA(A1)", "", "lgamma(A1) + gamma(A1)"),
    (r"\Gamma\left(x\right) + \Gamma", "", "gamma(x) + Gamma"),
]
LETTERS = [
    ("gamma*x", "gamma*x"),
    ("gamma + gamma(1 - x)", "gamma + gamma*(1 - x)"),
    ("(gamma x + 1)/2", "(gamma*x + 1)/2"),
    ("γ(x)", "gamma*x"),
    (r"\gamma(x)", "gamma*x"),
    ("gamma(v) = v", "v"),
]


@pytest.mark.parametrize(("text", "language", "meant"), READ)
def test_a_name_means_what_its_language_computes(text: str, language: str, meant: str) -> None:
    found = read(text, syntax=language) if language else read(text)
    assert to_python(found.formula) == meant


@pytest.mark.parametrize(("text", "meant"), LETTERS)
def test_a_greek_letter_stays_a_variable(text: str, meant: str) -> None:
    assert to_python(read(text).formula) == meant


def test_a_column_called_gamma_is_a_factor() -> None:
    assert to_python(read("gamma(x + 1)", columns=("gamma", "x")).formula) == "gamma*(x + 1)"


def test_the_sign_of_a_remainder_is_told() -> None:
    for language, sign in (("python", "divisor"), ("c", "dividend")):
        (note,) = read("x % y", syntax=language).notes
        assert f"the sign of the {sign}" in str(note)
