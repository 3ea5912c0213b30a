"""What names in a formula mean: indexed variables, constants, Greek letters, misspelt functions."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from fractions import Fraction
from functools import lru_cache, partial
from typing import NoReturn

from eic_core.errors import RefusalKind
from eic_core.formula.syntax.build import FUNCTIONS, Function, log_base, number_label
from eic_core.formula.syntax.conditions import SPECIAL, condition_function
from eic_core.formula.syntax.policy import Policy
from eic_core.formula.syntax.protected import functions
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.refusals import MISSPELT, REFUSED_FUNCTIONS
from eic_core.formula.syntax.tokens import DECIMAL
from eic_core.formula.tree import CONSTANT, UNDEFINED, VARIABLE, Draft

SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
LOWERED = "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
_RAISED = str.maketrans(LOWERED, "0123456789aehijklmnoprstuvx")
_SUBSCRIPT = re.compile(f"_?([{LOWERED}]++)")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
GREEK = dict(
    zip(
        "αβγδεζηθικλμνξρστυφχψωΓΔΘΛΞΠΣΦΨΩϵϑϕϱςℏħ",
        (
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau"
            " upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega epsilon"
            " theta phi rho sigma hbar hbar"
        ).split(),
        strict=True,
    )
)
LETTERS = frozenset(GREEK.values())
_TWO_FORMS = {
    "ϕφ": "varphi",
    "ϵε": "varepsilon",
    "θϑ": "vartheta",
    "ρϱ": "varrho",
    "σς": "varsigma",
}
"""Two forms of one letter, the second with its name where both stand in a text, as in LaTeX."""


def forms_apart(text: str) -> dict[int, str]:
    """What the second form of each letter is called of which a text holds both.

    >>> forms_apart("φ + ϕ") == {ord("φ"): "varphi"}, forms_apart("φ + x")
    (True, {})
    """
    return {
        ord(pair[1]): name
        for pair, name in _TWO_FORMS.items()
        if pair[0] in text and pair[1] in text
    }


_INDEXED = re.compile(
    r"(?:[xX](?:_?([0-9]+)|_?\{([0-9]+)\}|\[(?::,)?([0-9]+)\])|ARG([0-9]+))\Z"  # ARG0: of DEAP
)
_HEAD_AND_INDEX = re.compile(r"([^\W\d_]+)_?([0-9]*)\Z")
_SPELLED = re.compile(r"(\w+)(?:\[\s*(?::\s*,\s*)?([0-9]+)\s*\])?\Z")
_MODULE = re.compile(r"(?:np|numpy|math|sympy|sp|torch|jnp|tf|onp)\.")
_LOG_TO_BASE = re.compile(r"log(?:_?([0-9]{1,9})|_[a-z])\Z")
_LOG_OF_MAPLE = re.compile(r"log\[\s*([0-9]{1,9})\s*\]\Z")
"""``log[10]``, whose base stands in brackets."""
_DECIMAL = re.compile(DECIMAL)
_SHORT_NAME = 40
"""Letters of a name whose meaning is kept, so that what is kept stays small."""
_PI = frozenset(("pi", "π", "Pi", "PI"))
_OF_NUMPY = {"remainder": "mod", "sinc": "normalized_sinc"}
"""What calls are behind the name of a module, NumPy's or its kin's."""
_OF_MODULES: dict[str, dict[str, str]] = {
    **dict.fromkeys(("", "math.", "sp."), {}),
    "sympy.": {"sinc": "unnormalized_sinc"},
}
"""The same of other modules."""
_OWN_CALLS = {"beta": "beta_function", "log_e": "ln"}
"""Functions by names that stand for them in calls alone."""
_IDENTITY = Function("id", 1, 1, lambda args, span: args[0])
"""ITEA's function that changes nothing."""
CONSTANT_NAMES = _PI | {"e", "E"}
NOT_A_NUMBER = frozenset("inf nan oo zoo infinity infty true false none null".split())
MISSING = frozenset(("NA", "NA_real_", "NULL"))
"""What R and SQL call a value that is missing."""
_ALWAYS_FUNCTIONS = frozenset(
    (
        "sin cos tan exp log ln sqrt cbrt abs log10 log2 log1p expm1 asin acos atan arcsin arccos"
        " arctan sinh cosh tanh floor ceil sqrtabs powabs"
    ).split()
)


def canonical_name(name: str) -> str:
    """The one spelling of an indexed variable; other names come back unchanged.

    >>> [canonical_name(n) for n in ("x_0", "x_{12}", "x₀", "X0", "X_0", "x[:,0]", "x[0]")]
    ['x0', 'x12', 'x0', 'x0', 'x0', 'x0', 'x0']
    >>> canonical_name("omega_0"), canonical_name("ARG0")
    ('omega_0', 'x0')
    """
    compact = "".join(name.translate(SUBSCRIPTS).split())
    match = _INDEXED.match(compact)
    return f"x{match.group(match.lastindex or 1)}" if match else name


def may_hold(text: str, name: str) -> bool:
    """Whether a formula's text may hold a variable of that name, in any of its spellings.

    >>> [may_hold(text, "x1") for text in ("sin(X_1)", "x[1]", "x₁", "x + 1", "θ")]
    [True, True, True, False, True]
    """
    plain, name = (
        re.sub(r"[\s_{}\[\]:,\\]", "", unicodedata.normalize("NFKC", each)).casefold()
        for each in (text, name)
    )
    return bool(text) and (name in plain or not plain.isascii())


def _kept_case(name: str) -> str:
    """As `canonical_name`, but ``X0`` stays apart from ``x0``.

    >>> _kept_case("X_0"), _kept_case("x[:,3]"), _kept_case("T_1")
    ('X0', 'x3', 'T_1')
    """
    canonical = canonical_name(name)
    return canonical if canonical == name or name[0] != "X" else "X" + canonical[1:]


def is_indexed(name: str) -> bool:
    """Whether a name is an indexed variable in any of its spellings.

    >>> is_indexed("x_1"), is_indexed("X[:,2]"), is_indexed("T1")
    (True, True, False)
    """
    return _INDEXED.match("".join(name.translate(SUBSCRIPTS).split())) is not None


_BOTH_CASES = re.compile(
    r"(?<![^\W\d])(?<![^\W\d]\d)(?<![^\W\d]\d\d)([xX])\s*+"
    r"(?:_?+\s*+\{?+|\[\s*+(?::\s*+,)?+)\s*+([0-9]++)"
)

_SMALL = re.compile(r"x[\s_{\[<0-9₀-₉]")
"""What an ``x`` with an index begins with, unlike ``exp`` and ``max``."""


def holds_both_cases(text: str) -> bool:
    r"""Whether an ``X3`` and an ``x3`` both stand in a text.

    >>> holds_both_cases(r"X_{1} \cdot x_{1}"), holds_both_cases("X1 + x2 + X0x_1")
    (True, False)
    """
    if _SMALL.search(text) is None:
        return False
    plain = re.sub(r"<[^<>]*+>", " ", text.translate(SUBSCRIPTS))
    indexed = set(_BOTH_CASES.findall(plain))
    return any(("x", index) in indexed for case, index in indexed if case == "X")


def plain_letters(name: str) -> str:
    """A name with its Greek letters spelled out, look-alikes replaced and subscripts marked by `_`.

    >>> plain_letters("θ₁"), plain_letters("𝑣_max"), plain_letters("µ"), plain_letters("xₙ")
    ('theta_1', 'v_max', 'mu', 'x_n')
    """
    if name.isascii():
        return name
    marked = _SUBSCRIPT.sub(lambda match: "_" + match[1].translate(_RAISED), name)
    spelled = "".join(GREEK.get(letter, letter) for letter in marked)
    if spelled.isascii():
        return spelled
    same = unicodedata.normalize("NFKC", spelled)
    return "".join(GREEK.get(letter, letter) for letter in same)


def _label(name: str) -> str:
    """A name as a variable's label: Greek letters spelled out, its subscripts as they are.

    >>> _label("θ₁"), _label("θ_1"), _label("𝑣_max"), _label("xₙ")
    ('theta₁', 'theta_1', 'v_max', 'xₙ')
    """
    if name.isascii():
        return name
    return "".join(c if c in LOWERED else plain_letters(c) for c in name)


def typeset_alike(name: str) -> str:
    """The spelling that two names share which look the same on a page: ``θ₁``, ``theta_1``,
    ``theta1``.

    >>> typeset_alike("theta_1") == typeset_alike("theta1") == typeset_alike("θ₁")
    True
    >>> typeset_alike("x0") == typeset_alike("X0")
    False
    """
    plain = plain_letters(name)
    match = _HEAD_AND_INDEX.match(plain)
    return match[1] + match[2] if match else plain


def safe_name(name: str) -> str:
    """A column's name as it can be typed in a formula.

    >>> safe_name("log Re/1"), safe_name("2nd")
    ('log_Re_1', '_2nd')
    """
    safe = re.sub(r"\W+", "_", name.translate(SUBSCRIPTS)) or "_"
    return f"_{safe}" if safe[0].isdigit() else safe


def _folded(name: str) -> str:
    """A name without its subscript marks and Greek letters."""
    return re.sub(r"[_{}\s]", "", plain_letters(name))


class _Columns:
    """The columns of a table under every spelling that means one of them."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.exact = frozenset(columns)
        canonical = [canonical_name(column) for column in columns]
        clash = {name for name, count in Counter(canonical).items() if count > 1}
        self.labels: dict[str, str] = {}
        self.near: dict[str, str] = {}
        if clash:  # where ``x1`` and ``X1`` are two, ``X2`` is not ``x2`` either
            canonical = [
                column if label not in clash and _kept_case(column) != label else label
                for column, label in zip(columns, canonical, strict=True)
            ]
        for column, label in zip(columns, canonical, strict=True):
            label = column if label in clash else label
            self.near.setdefault(_folded(column), label)
            for spelling in (safe_name(column), _kept_case(column), canonical_name(column)):
                self.labels.setdefault(spelling, label)
        for column, label in zip(columns, canonical, strict=True):
            self.labels[column] = column if label in clash else label

    def find(self, name: str) -> str | None:
        """The label of the column that a name spells, None if it spells none."""
        bare = _MODULE.sub("", name, count=1)
        for spelling in (name, _kept_case(bare), canonical_name(bare)):
            label = self.labels.get(spelling)
            if label is not None:
                return label
        return None


_columns = lru_cache(maxsize=16)(_Columns)
"""The formulas of a pool are read on the same few tables."""


class Names:
    """What each name in a formula means: columns first, then the arguments that the text itself
    declares (``f(E, x) = …``, an FPCore's), then constants. Two spellings that look the same when
    typeset, such as ``θ₁`` and ``θ_1``, are one variable, called as the text spells it first.
    `parameters` are numbers that stand for names, such as tinyGP's ``theta``.
    """

    def __init__(
        self,
        columns: Collection[str],
        parameters: Mapping[str, str],
        policy: Policy = Policy(),  # noqa: B008 (it is frozen)
        arguments: Collection[str] = (),
    ) -> None:
        self._columns = _columns(tuple(columns))
        self.exact = self._columns.exact
        self.policy = policy
        self._protected = functions(policy.protected)
        self._calls = _OWN_CALLS | dict(pair.split("=") for pair in policy.calls.split())
        self.special = False  # whether `True`, `False` or `nan` was read
        self.variants: dict[int, str] = {}  # letters that have two forms in the text
        # for each name, whether it is a constant; its label
        self.met: dict[str, tuple[bool, str]] = {}
        self._spellings: dict[str, str] = {}
        self.parameters = parameters
        self.defined: dict[str, Function] = {}  # functions that the text itself defines
        for name, text in parameters.items():
            if name not in self.exact:
                self.met[name] = (True, _signed_label(name, str(text)))
        if arguments:
            self.declare(arguments)

    def with_arguments(self, arguments: Collection[str]) -> Names:
        """As these, in the body of a function of `arguments`."""
        inside = copy(self)
        inside.met, inside._spellings = dict(self.met), dict(self._spellings)
        inside.declare(arguments)
        return inside

    def take_for_missing(self, names: Collection[str]) -> None:
        """Take these names for a missing value, unless they are columns or arguments."""
        for name in names:
            if name not in self.met and self._columns.find(name) is None:
                self.met[name] = (True, UNDEFINED)
                self.special = True

    def declare(self, arguments: Collection[str]) -> None:
        """Take these names for variables, whatever else they could mean."""
        labels = [self._columns.find(name) or canonical_name(_label(name)) for name in arguments]
        if len(set(labels)) < len(labels):  # where `x1` and `X1` are two, `X2` is not `x2` either
            labels = [self._columns.find(name) or _kept_case(_label(name)) for name in arguments]
        looks = Counter(typeset_alike(label) for label in labels)
        for name, label in zip(arguments, labels, strict=True):
            alone = looks[typeset_alike(label)] == 1
            self.met[name] = (False, label if alone else name)
            self._spellings.setdefault(typeset_alike(label), self.met[name][1])
        self.exact = self.exact | frozenset(arguments)

    @property
    def has_columns(self) -> bool:
        return bool(self._columns.exact)

    def guessed_among(self, names: frozenset[str]) -> frozenset[str]:
        """Those of `names` that were met and are variables that nothing declares."""
        met = [name for name in names.intersection(self.met) if not self.met[name][0]]
        return frozenset([name for name in met if not self.is_known(name)])

    def is_column(self, name: str) -> bool:
        """Whether `name` is the exact name of a column or of an argument."""
        return name in self.exact

    def is_known(self, name: str) -> bool:
        """Whether `name` is a column or an argument in one of its spellings."""
        return name in self.exact or self._columns.find(name) is not None

    def spells_column(self, name: str) -> bool:
        """As `is_known`, or by its Greek letters and marks: ``ω`` of a column ``omega``."""
        return self.is_known(name) or _folded(name) in self._columns.near

    def leaf(self, name: str, span: tuple[int, int]) -> Draft:
        """The leaf for a name. Raises `Refusal` if it is no variable and no constant."""
        known = self.met.get(name)
        if known is None:
            known = self.met[name] = self._find(name)
        return Draft(CONSTANT if known[0] else VARIABLE, [], known[1], None, span)

    def _find(self, name: str) -> tuple[bool, str]:
        """Whether a name is a constant, and its label: the one its first look-alike got."""
        if self.variants and not self.is_known(name):
            name = name.translate(self.variants)
        meaning = _meaning if len(name) < _SHORT_NAME else _meaning.__wrapped__
        is_constant, label, look = meaning(
            self._columns, name, self.policy.euler, self.policy.cased
        )
        self.special = self.special or (is_constant and label in SPECIAL)
        return is_constant, self._spellings.setdefault(look, label) if look else label

    def function(self, name: str) -> Function | None:
        """The function of that name, None if there is none. Raises `Refusal` if it is not
        supported.
        """
        if name in self.defined:
            return self.defined[name]
        bare = _MODULE.sub("", name, count=1).lower()
        if (own := self._protected.get(name.lower())) is not None:
            return own
        of_module = _OF_MODULES.get(name[: -len(bare)], _OF_NUMPY)
        meant = of_module.get(bare) or self._calls.get(bare, bare)
        found = FUNCTIONS.get(meant)
        if found is not None and not (bare in LETTERS and self._is_variable(name)):
            return found if meant == bare else found._replace(name=bare)
        if name in self.exact:
            return None
        found = condition_function(name, _MODULE.sub("", name, count=1))
        if found is not None:
            return found
        if (maple := _LOG_OF_MAPLE.match(bare)) is not None and int(maple[1]) > 1:
            return Function("log", 1, 1, partial(log_base, Fraction(int(maple[1]))))
        based = _LOG_TO_BASE.match(plain_letters(bare)) if bare.startswith("log") else None
        if based is not None and bare != f"log{based[1]}" and int(based[1] or 2) > 1:
            if not based[1]:
                raise Refusal(f"the function `{name}` is not supported", "write log(x)/log(b)")
            return Function("log", 1, 1, partial(log_base, Fraction(int(based[1]))))
        if bare in REFUSED_FUNCTIONS:
            remedy, kind = REFUSED_FUNCTIONS[bare], RefusalKind.NOT_SUPPORTED
            raise Refusal(f"the function `{name}` is not supported", remedy, kind)
        if bare.startswith(("protected", "pdiv", "plog", "psqrt", "_protected")):
            plain = re.sub(r"^_?(protected_?|p)", "", bare) or "div"
            raise Refusal(
                f"`{name}` is a protected operator, which changes the function being measured",
                f"write the plain operator, such as `{plain if plain in FUNCTIONS else 'div'}`",
            )
        if name == "id":
            return _IDENTITY
        if name == "Γ":
            return FUNCTIONS["gamma"]
        if name in ("Σ", "Π"):
            what = ("sums", "terms") if name == "Σ" else ("products", "factors")
            raise Refusal(
                f"{what[0]} over an index are not supported",
                f"write the {what[1]} out; for a product write `{name}*(…)`",
            )
        return None

    def _is_variable(self, name: str) -> bool:
        return self.is_known(name) or (name in self.met and not self.met[name][0])

    def is_factor(self, name: str) -> bool:
        """Whether ``name(`` is more likely a product than a call."""
        bare = _MODULE.sub("", name, count=1)
        if name in self._columns.labels or name in self.met and not self.met[name][0]:
            return True
        if canonical_name(bare) != bare or bare in _PI or bare in GREEK.values() or bare in GREEK:
            return True
        return bool(_INDEXED.match(bare)) or (len(bare) == 1 and bare not in "fgh")


def is_raised(letter: str) -> bool:
    """Whether a letter is a superscript.

    >>> is_raised("ⁿ"), is_raised("n"), is_raised("ₙ")
    (True, False, False)
    """
    return letter > "\x7f" and unicodedata.decomposition(letter).startswith("<super>")


@lru_cache(maxsize=1024)
def _meaning(columns: _Columns, name: str, euler: bool, cased: bool) -> tuple[bool, str, str]:
    """Whether a name is a constant, its label, and its look if it is no column's. Raises `Refusal`
    if it is no variable and no constant.
    """
    label = columns.labels.get(name) if cased else columns.find(name)
    if label is not None:
        return False, label, ""
    bare = _MODULE.sub("", name, count=1)
    if cased and (label := columns.labels.get(_kept_case(bare))) == _kept_case(bare):
        return False, label, ""
    if bare in _PI:
        return True, "pi", ""
    if bare == "e" or (bare == "E" and euler):
        return True, "e", ""
    lower = bare.lower()
    if lower in SPECIAL:
        return True, lower, ""
    if lower in NOT_A_NUMBER:
        raise Refusal(f"`{bare}` is not a real number", "write a finite number")
    if lower in _ALWAYS_FUNCTIONS:
        raise Refusal(
            f"the function `{bare}` has no argument",
            f"write its argument as `{bare}(x)`",
            RefusalKind.NO_ARGUMENT,
        )
    if is_indexed(bare):
        label = _kept_case(bare) if cased else canonical_name(bare)
        return False, label, label
    raised = next((letter for letter in bare if is_raised(letter)), "")
    if raised:
        base, _, exponent = bare.partition(raised)
        power = unicodedata.normalize("NFKC", raised + exponent)
        raise Refusal(f"`{bare[:40]}` ends in a raised letter", f"write `{base}^{power}`"[:60])
    spelled = _label(bare)
    match = _SPELLED.match(spelled)
    if match is None or not match[1].translate(_RAISED).isidentifier():
        raise Refusal(f"`{bare[:40]}` is not a name", "use letters, digits and `_`")
    near = columns.near.get(_folded(spelled))
    if near is not None:
        return False, near, ""
    label = match[1] + (match[2] or "")
    if is_indexed(label):  # `x_1[:,1]`, `x_[1]`: an index by other marks
        label = _kept_case(label) if cased else canonical_name(label)
        return False, label, label
    return False, label, typeset_alike(label)


def _signed_label(name: str, text: str) -> str:
    stripped = text.strip()
    digits = stripped.lstrip("+-")
    if not _DECIMAL.fullmatch(digits):
        raise Refusal(f"the parameter `{name}` is not a number", "give it as a decimal")
    return ("-" if stripped.startswith("-") else "") + number_label(digits)


def similar_function(name: str) -> str:
    """The function that a name plainly misspells, or "". One letter is another, missing or doubled,
    or two have changed places. A further letter at an end may mean another function: ``sind``,
    ``asqrt``.

    >>> [similar_function(name) for name in ("lg", "np.sqtr", "arcsn", "coss")]
    ['log10', 'sqrt', 'arcsin', 'cos']
    >>> [similar_function(name) for name in ("banana", "foo", "sint", "swish", "mix")]
    ['', '', '', '', '']
    """
    bare = _MODULE.sub("", name, count=1).lower()
    if bare in MISSPELT:
        return MISSPELT[bare]
    if bare in REFUSED_FUNCTIONS or not 2 < len(bare) < _SHORT_NAME:
        return ""
    near = [known for known in FUNCTIONS if _is_misspelt(bare, known)]
    return min(near, key=lambda known: sorted(known) != sorted(bare)) if near else ""


def similar_name(name: str, names: Iterable[str]) -> str:
    """The one of the names that another plainly misspells, in capitals or by one letter, or "".

    >>> [similar_name(n, ["Temperature", "v_max", "x1"]) for n in ("Temprature", "V_max", "x2")]
    ['Temperature', 'v_max', '']
    """
    near = [known for known in names if known.lower() == name.lower()]
    near = near or [known for known in names if _is_misspelt(name.lower(), known.lower())]
    return near[0] if len(near) == 1 else ""


def _is_misspelt(name: str, known: str) -> bool:
    """Whether a name is a known one with one slip of the keyboard.

    >>> [_is_misspelt(name, "sqrt") for name in ("sqtr", "sqrrt", "sort", "sqr", "asqrt")]
    [True, True, False, False, False]
    """
    size = len(name)
    if abs(size - len(known)) > 1 or name == known or min(size, len(known)) < 3:
        return False
    least = min(size, len(known))
    first = next((i for i in range(least) if name[i] != known[i]), least)
    if size == len(known):
        swapped = name[first + 1 : first + 2] + name[first : first + 1]
        if known[first : first + 2] == swapped and name[first + 2 :] == known[first + 2 :]:
            return True
        return size > 4 and 0 < first < size - 1 and name[first + 1 :] == known[first + 1 :]
    if size > len(known):
        doubled = first > 0 and name[first - 1] == name[first]
        inside = 0 < first < size - 1
        return (inside or doubled) and name[:first] + name[first + 1 :] == known
    return size > 3 and 0 < first < size and known[:first] + known[first + 1 :] == name


def refuse_function(report: Report, name: str, start: int, end: int) -> NoReturn:
    kind = RefusalKind.UNKNOWN_FUNCTION
    message = f"unknown function `{name}`"
    report.fail(message, start, end, suggestion(name), kind=kind, fields=(name,))


def suggestion(name: str) -> str:
    """A hint for an unknown function.

    >>> suggestion("lg"), suggestion("np.foo")
    ('did you mean `log10`?', 'write out what `foo` is')
    """
    near = similar_function(name)
    if near:
        return f"did you mean `{near}`?"
    bare = name.rpartition(".")[2]
    product = f"; for a product write `{name}*(…)`" if bare == name else ""
    return f"write out what `{bare}` is{product}"
