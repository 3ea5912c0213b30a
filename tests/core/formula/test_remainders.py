"""Each language's own names of remainders, gamma, erfc and functions made against a loss."""

from __future__ import annotations

import pytest

from eic_core.errors import FormulaError
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
    ("scipy.special.erfcx(x) + erfcx(y)", "", "erfcx(x) + erfcx(y)"),
    ("erfc_scaled(x)", "fortran", "erfcx(x)"),
    ("special.betaln(x, y) + lbeta(x, y)", "", "betaln(x, y) + betaln(x, y)"),
    ("logbeta(x, y)", "julia", "betaln(x, y)"),
    ("np.logaddexp(x, y) + torch.logaddexp(x, 2)", "", "logaddexp(x, y) + logaddexp(x, 2)"),
    ("log_sum_exp(x, y)", "", "logaddexp(x, y)"),
    ("F.softplus(x) + jax.nn.softplus(y)", "", "logaddexp(x, 0) + logaddexp(y, 0)"),
    ("jax.nn.log_sigmoid(x)", "", "-logaddexp(0, -x)"),
    ("scipy.special.beta(x, y)", "", "exp(betaln(x, y))"),
    ("Beta[x, y]", "mathematica", "exp(betaln(x, y))"),
    ("special.xlogy(x, y)", "", "where(equal(x, 0), 0, x*log(y))"),
    ("tf.math.xlog1py(x, y)", "", "where(equal(x, 0), 0, x*log1p(y))"),
    ("scipy.special.cosm1(x)", "", "-2*sin(x/2)**2"),
    ("np.sinc(x)", "", "where(equal(x, 0), 1, sin(pi*x)/(pi*x))"),
    ("sinc(x)", "julia", "where(equal(x, 0), 1, sin(pi*x)/(pi*x))"),
    ("sympy.sinc(x)", "", "where(equal(x, 0), 1, sin(x)/x)"),
    ("Sinc[x]", "mathematica", "where(equal(x, 0), 1, sin(x)/x)"),
    ("log1mexp(x)", "julia", "where(x > -0.7, log(-expm1(x)), log1p(-exp(x)))"),
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
    ("beta x y", "beta*x*y"),
    ("beta + beta(1 - x)", "beta + beta*(1 - x)"),
    (r"\beta(x) + \beta y", "beta*x + beta*y"),
    ("* beta x", "beta*x"),
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


def test_what_a_function_made_against_a_loss_is_read_as_is_told() -> None:
    for text, told in (
        ("softplus(x)", "`softplus(x)` is read as `logaddexp(x, 0)`"),
        ("(cosm1 x)", "`cosm1(x)` is read as `-2*sin(x/2)**2`"),
        ("add xlogy x y beta", "`xlogy(x, y)` is read as `where(x == 0, 0, x*log(y))`"),
        ("np.sinc(2*t)", "`sinc(x)` is read as `where(x == 0, 1, sin(pi*x)/(pi*x))`"),
        ("scipy.special.beta(a, b)", "`beta(x, y)` is read as `exp(betaln(x, y))`"),
    ):
        assert told in [note.message for note in read(text).notes]
    assert not read("sigmoid(x)*coth(x)").notes


def test_what_libraries_do_not_agree_on_is_asked_with_both_ways_out() -> None:
    for text, meanings in (
        ("2*sinc(x + 1)", ("sin(pi*(x + 1))/(pi*(x + 1))", "sin(x + 1)/(x + 1)")),
        ("log1mexp(x - y)", ("log1p(-exp(x - y))", "log1p(-exp(-(x - y)))")),
    ):
        with pytest.raises(FormulaError, match="libraries do not agree") as refusal:
            read(text)
        forms = [to_python(read(choice).formula) for _, choice in refusal.value.choices]
        assert all(meaning in form for form, meaning in zip(forms, meanings, strict=True))


def test_the_sign_of_a_remainder_is_told() -> None:
    for language, sign in (("python", "divisor"), ("c", "dividend")):
        (note,) = read("x % y", syntax=language).notes
        assert f"the sign of the {sign}" in str(note)
