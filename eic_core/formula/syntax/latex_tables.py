"""What LaTeX commands mean: brackets, operators, letters, and what is not read."""

from __future__ import annotations

import re

from eic_core.formula.syntax.tokens import DECIMAL, PLAIN_DECIMAL

TOKENS = re.compile(
    r"(?P<command>\\\\?[A-Za-z]+\*?|\\.)"
    rf"|(?P<number>{DECIMAL})"
    r"|(?P<word>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]+[0-9₀₁₂₃₄₅₆₇₈₉]*)"
    r"|(?P<mark>\S)",
    re.DOTALL,
)
SCIENTIFIC = re.compile(
    rf"({PLAIN_DECIMAL})\s*+(?:\\times|\\cdot|×|⋅|·)\s*+10\s*+\^\s*+"
    r"(?:\{\s*+([+-]?[0-9]++)\s*+\}|([0-9])(?![0-9]))(?!\s*+\^)"
)
SKIPPED = frozenset(
    (
        r"\, \; \: \! \> \quad \qquad \displaystyle \textstyle \scriptstyle \limits \nolimits"
        r" \[ \] \( \) \\ \nonumber \notag \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl"
        r" \biggr \Biggl \Biggr \thinspace \enspace \space \middle \mleft \mright"
    ).split()
) | {"\\ ", "\\\n"}
OPERATORS = {
    r"\cdot": "*", r"\times": "*", r"\ast": "*", r"\div": "/", r"\slash": "/",
    "+": "+", "-": "-", "*": "*", "/": "/", "−": "-", "–": "-", "×": "*",
    "·": "*", "⋅": "*", "÷": "/",
}  # fmt: skip
OPENERS = {
    "(": ("(", ")"), "[": ("[", "]"), r"\{": ("{", "}"), r"\lbrace": ("{", "}"),
    r"\lvert": ("|", "|"), r"\lfloor": ("⌊", "⌋"), r"\lceil": ("⌈", "⌉"),
    "⌊": ("⌊", "⌋"), "⌈": ("⌈", "⌉"),
}  # fmt: skip
CLOSERS = {
    ")": ")", "]": "]", r"\}": "}", r"\rbrace": "}", r"\rvert": "|", r"\rfloor": "⌋",
    r"\rceil": "⌉", "⌋": "⌋", "⌉": "⌉",
}  # fmt: skip
GREEK = frozenset(
    (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
        " sigma"
        " tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
        " hbar ell aleph imath jmath Re Im"
    ).split()
)
VARIANTS = {
    "varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi", "varrho": "rho",
    "varsigma": "sigma", "varkappa": "kappa", "varpi": "varpi",
}  # fmt: skip
FONTS = frozenset(
    (
        "mathrm text operatorname operatorname* mathit mathbf mathsf mathtt textrm textit textbf"
        " mathcal boldsymbol bm mathbb textnormal"
    ).split()
)
ACCENTS = frozenset("hat bar tilde vec widehat overline widetilde".split())
NOT_READ = {
    "binom": "binomial coefficients", "sum": "sums", "prod": "products over an index",
    "int": "integrals", "lim": "limits", "partial": "derivatives", "dot": "derivatives",
    "ddot": "derivatives", "infty": "infinite values", "pm": "`±`", "mp": "`∓`",
    "begin{cases}": "cases", "leq": "comparisons", "geq": "comparisons", "le": "comparisons",
    "ge": "comparisons", "neq": "comparisons", "lt": "comparisons", "gt": "comparisons",
    "over": "`\\over`", "href": "links", "circ": "degrees and compositions", "Gamma(": "",
    "iint": "integrals", "oint": "integrals", "nabla": "derivatives", "prime": "derivatives",
}  # fmt: skip
ARGUMENTS = {"frac": 2, "dfrac": 2, "tfrac": 2, "cfrac": 2}
SHORT_PRODUCTS = frozenset(("tg", "sq", "aq", "sub", "add", "n2", "n3", "n4"))
WRAPPERS = frozenset(
    "equation align gather aligned multline math displaymath eqnarray split gathered".split()
)
