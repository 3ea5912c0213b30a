"""Parts of the LaTeX reader: its tables of commands, braces, delimiters, scripts on functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from eic_core.formula.syntax.build import FUNCTIONS, Function, log_base, number_label, power
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import (
    BAR,
    CALL,
    CLOSE,
    COMMA,
    DECIMAL,
    END,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PLAIN_DECIMAL,
    Token,
    TokenRow,
)
from eic_core.formula.tree import Draft, constant
from eic_core.operators import OPERATORS

TOKENS = re.compile(
    r"(?P<command>\\\\?[A-Za-z]+\*?|\\.)"
    r"|(?P<comma>[0-9]++\{,\}[0-9]++)"
    r"|(?P<grouped>(?<![0-9.])[0-9]{1,3}+(?:\\[,;][0-9]{3}(?![0-9]))++(?:\.[0-9]++)?+)"
    rf"|(?P<number>{DECIMAL.replace('[+-]', '[+−–—-]')})"
    r"|(?P<comment>%[^\n]*+)"
    r"|(?P<word>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]+[0-9₀₁₂₃₄₅₆₇₈₉]*)"
    r"|(?P<mark>\S)",
    re.DOTALL,
)
SCIENTIFIC = re.compile(
    rf"({PLAIN_DECIMAL})\s*+(?:\\times|\\cdot|×|⋅|·)\s*+10\s*+\^\s*+"
    r"(?:\{\s*+([+-]?[0-9]++)\s*+\}|([0-9])(?![0-9]))(?!\s*+\^)"
)
UPRIGHT_E = re.compile(
    rf"({PLAIN_DECIMAL})\s*+\\(?:mathrm|text|rm)\s*+\{{\s*+[eE]\s*+\}}"
    r"\{\s*+([+-]?[0-9]++)\s*+\}"
)
"""``2.5\\mathrm{e}{-3}``, a number as programs print it."""
SKIPPED = frozenset(
    (
        r"\, \; \: \! \> \quad \qquad \displaystyle \textstyle \scriptstyle \limits \nolimits"
        r" \[ \] \( \) \\ \nonumber \notag \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl"
        r" \biggr \rm \bf \it \sf \tt \cal"
        r" \Biggl \Biggr \thinspace \enspace \space \middle \mleft \mright"
    ).split()
) | {"\\ ", "\\\n"}
COMMAND_OPERATORS = {
    **dict.fromkeys(r"\cdot \times \ast * × · ⋅".split(), "*"),
    **dict.fromkeys(r"\div \slash / ÷".split(), "/"),
    **dict.fromkeys("-−–", "-"),
    "+": "+",
    r"\bmod": "%",
}
_PAIRS = (
    r"( ) ( )  [ ] [ ]  \{ \} { }  \lbrace \rbrace { }  \lvert \rvert | |"
    r"  \lfloor \rfloor ⌊ ⌋  \lceil \rceil ⌈ ⌉  ⌊ ⌋ ⌊ ⌋  ⌈ ⌉ ⌈ ⌉"
).split("  ")
"""Brackets, each pair beside what it is in other notations."""
OPENERS = {first: (opened, closed) for first, _, opened, closed in map(str.split, _PAIRS)}
CLOSERS = {last: closed for _, last, _, closed in map(str.split, _PAIRS)}
GREEK = frozenset(
    (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
        " sigma"
        " tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
        " hbar ell aleph imath jmath Re Im"
    ).split()
)
VARIANTS = {f"var{name}": name for name in "epsilon theta phi rho sigma kappa".split()}
VARIANTS["varpi"] = "varpi"
SYMBOLS = GREEK.union(VARIANTS)
FONTS = frozenset(
    (
        "mathrm text operatorname operatorname* mathit mathbf mathsf mathtt textrm textit textbf"
        " mathcal boldsymbol bm mathbb textnormal mbox"
    ).split()
)
ACCENTS = frozenset("hat bar tilde vec widehat overline widetilde".split())
NOT_READ = {
    **dict.fromkeys("partial dot ddot nabla prime".split(), "derivatives"),
    **dict.fromkeys("int iint oint".split(), "integrals"),
    "binom": "binomial coefficients",
    "sum": "sums",
    "prod": "products over an index",
    "lim": "limits",
    "infty": "infinite values",
    "pm": "`±`",
    "mp": "`∓`",
    "over": "derivatives, and `\\over` outside of braces,",
    "href": "links",
    "circ": "degrees and compositions",
}
_CONDITIONS = (
    "< lt; > gt; <= le leq leqslant; >= ge geq geqslant; != ne neq; && land wedge; || lor vee;"
    " ¬ lnot neg"
).split("; ")
CONDITIONS = {name: sign for sign, *names in map(str.split, _CONDITIONS) for name in names}
"""Commands of comparisons and of what joins them, as the shared parser knows them."""
OTHERWISE = frozenset("otherwise else elsewhere sonst autrement".split())
SAID_OF_CASES = frozenset(["", *"if for when where wenn für si pour".split()])
"""What stands before the condition of a case, and says nothing."""
ARGUMENTS = {"frac": 2, "dfrac": 2, "tfrac": 2, "cfrac": 2}
SHORT_PRODUCTS = frozenset("tg sh ch th sq aq sub add n2 n3 n4".split())
WRAPPERS = frozenset(
    "equation align gather aligned multline math displaymath eqnarray split gathered".split()
)


_RATIO = rf"({PLAIN_DECIMAL})(?:\s*+/\s*+([0-9]++))?+\s*+\Z"
_EXPONENT = re.compile(rf"\s*+([+-]?)\s*+{_RATIO}")
_BASE = re.compile(rf"\s*+{_RATIO}")


_RECIPROCALS = {
    **dict.fromkeys(("cot", "ctg", "cotan"), "atan"),
    **dict.fromkeys(("csc", "cosec"), "asin"),
    "sec": "acos",
    "coth": "atanh",
    "sech": "acosh",
    "csch": "asinh",
}
"""The inverse of which 1/x is to be taken for that of a function's reciprocal."""


def _inverse_of(name: str) -> Function | None:
    name = name.lower()
    if name in _RECIPROCALS:
        inverse = FUNCTIONS[_RECIPROCALS[name]]

        def build(args: list[Draft], span: tuple[int, int]) -> Draft:
            return inverse.build([Draft("div", [constant("1", span), *args], span=span)], span)

        return inverse._replace(build=build)
    row = next((row for row in OPERATORS.values() if name in row.names), None)
    return FUNCTIONS[row.writing.inverse] if row is not None and row.writing.inverse else None


class Scripts:
    """What the scripts of a function turn it into."""

    def __init__(
        self, report: Report, names: Names, offer: Callable[[str, int, int, str], None]
    ) -> None:
        self.report = report
        self.names = names
        self.offer = offer  # offers the text with another piece at a place, by a label

    def log_with_base(self, name: str, script: str, start: int, end: int) -> Function:
        """``\\log_{b}``: an exact base if it is a literal, else a quotient. Raises `FormulaError`
        for another command, or a base that is no positive number other than 1.
        """
        match = _BASE.match(script)
        if name != "log":
            self.report.fail(f"`\\{name}` takes no subscript", start, end, "remove it")
        if match:
            over, under = (Fraction(self.number(m or "1", start, end)) for m in match.groups())
            base = over / under if under else under
            if base <= 0 or base == 1:
                self.report.fail("the base of a logarithm is positive and not 1", start, end)
            return Function("log", 1, 1, partial(log_base, base))
        leaf = self.symbol(script, start, end)
        return Function("log", 1, 1, lambda args, span: FUNCTIONS["log"].build([*args, leaf], span))

    def function_power(
        self,
        name: str,
        function: Function,
        script: str,
        start: int,
        end: int,
        where: tuple[int, int],
    ) -> Function:
        """``\\sin^2 x`` is a power of sin; ``\\sin^{-1} x`` is the inverse function. The result
        takes the command's argument. Raises `FormulaError` unless the script is a number, a
        fraction or a letter.
        """
        match = _EXPONENT.match(script.replace("−", "-"))
        if match and match[0].replace(" ", "") == "-1":
            inverse = _inverse_of(name)
            if inverse is not None:
                shown = f"{inverse.name} of 1/x" if name.lower() in _RECIPROCALS else inverse.name
                self.report.note(
                    f"`\\{name}^{{-1}}` is read as the inverse function {shown}", (start, end)
                )
                self.offer(f"one over {name}", *where, "{-1.0}")
                return inverse
            told = f"`\\{name}^{{-1}}` is read as a power, not as an inverse function"
            self.report.note(told, (start, end))
        if match:
            label = match[1].replace("+", "") + self.number(match[2], start, end)
            exponent = constant(label, (start, end))
            if match[3]:
                under = constant(self.number(match[3], start, end), (start, end))
                exponent = Draft("div", [exponent, under], span=(start, end))
        else:
            exponent = self.symbol(script, start, end)

        def build(args: list[Draft], span: tuple[int, int]) -> Draft:
            return power([function.build(args, span), exponent], span)

        return function._replace(name=name, build=build)

    def number(self, text: str, start: int, end: int) -> str:
        """The `Node.label` of a number without a sign in a script."""
        try:
            return number_label(text)
        except Refusal as refusal:
            self.report.refuse(refusal, start, end)

    def symbol(self, script: str, start: int, end: int) -> Draft:
        """A letter or Greek letter in a script, with blanks around it or without, as a leaf."""
        text = script.strip().removeprefix("\\")
        if not re.fullmatch(r"[A-Za-z]", text) and text not in GREEK:
            self.report.fail(
                "this script is not read", start, end, "put the function in parentheses first"
            )
        try:
            return self.names.leaf(text, (start, end))
        except Refusal as refusal:
            self.report.refuse(refusal, start, end)


def _one_form(text: str, names: Names) -> dict[str, str]:
    """`VARIANTS` without those that stand beside the plain form in the text or are columns."""
    if "\\var" not in text:
        return VARIANTS
    return {
        variant: plain
        for variant, plain in VARIANTS.items()
        if not names.is_known(variant)
        and not (f"\\{variant}" in text and re.search(rf"\\{plain}(?![A-Za-z])", text))
    }


def run_end(tokens: list[TokenRow], index: int, with_brackets: bool) -> int:
    """Where the run of factors that tokens[index] continues ends in the source."""
    depth = 0
    end = tokens[index - 1][3]
    while True:
        token = Token._make(tokens[index])
        if token.kind in (OPEN, CALL):
            depth += 1
        elif token.kind == CLOSE:
            depth -= 1
            if depth < 0:
                return end
        elif (
            token.kind == END
            or depth == 0
            and (token.kind == COMMA or (token.kind == OPERATOR and token.text != "^"))
        ):
            return end
        end = token.end
        index += 1
        if with_brackets and depth == 0 and token.kind == CLOSE:
            return end


def _behind_sign(tokens: list[TokenRow], place: int) -> TokenRow:
    """The first token before this place that is no sign."""
    while place > 0 and tokens[place - 1][:2] in ((OPERATOR, "-"), (OPERATOR, "+")):
        place -= 1
    return tokens[place - 1] if place else tokens[0]


def joins_numbers(tokens: list[TokenRow], index: int) -> bool:
    """Whether number/number stands before tokens[index], as in ``1/2 x``; not ``x^2/2 y``."""
    if index < 3 or [row[0] for row in tokens[index - 3 : index]] != [NUMBER, OPERATOR, NUMBER]:
        return False
    return tokens[index - 2][1] == "/" and (
        index == 3 or _behind_sign(tokens, index - 3)[:2] != (OPERATOR, "^")
    )


def mixed_number(tokens: list[TokenRow], index: int) -> tuple[int, int, int] | None:
    """Where number, fraction and the fraction's end stand in ``3\\tfrac12``; else None."""
    if tokens[index][:2] != (CALL, "frac") or tokens[index - 1][0] != NUMBER:
        return None
    parts = tokens[index + 1 : index + 5]
    if [row[0] for row in parts] != [NUMBER, COMMA, NUMBER, CLOSE]:
        return None
    whole, over, under = tokens[index - 1][1], parts[0][1], parts[2][1]
    is_mixed = whole.isdigit() and over.isdigit() and under.isdigit()
    if not is_mixed or len(over) > 4 or len(under) > 4 or int(over) >= int(under):
        return None
    if index > 1 and _behind_sign(tokens, index - 1)[:2] == (OPERATOR, "^"):
        return None  # of `x^2\\frac12`
    return tokens[index - 1][2], tokens[index][2], parts[3][3]


ENDS_OPERAND = (NUMBER, NAME, CLOSE, LEAF, BAR, COMMA)
Raw = tuple[str, str, int, int]
"""A kind, a text and its place."""


def closing_braces(raw: list[Raw]) -> dict[int, int]:
    """Of each opening brace the place of its closing one."""
    closers: dict[int, int] = {}
    opened: list[int] = []
    for place, (_, text, *_) in enumerate(raw):
        if text == "{":
            opened.append(place)
        elif text == "}" and opened:
            closers[opened.pop()] = place
    return closers


def _with_fractions(raw: list[Raw], outside: bool) -> list[Raw]:
    """The raw tokens with ``\\frac{a}{b}`` for each ``a \\over b``, outside braces only if
    `outside`.
    """
    opened = [-1]
    overs: dict[int, list[int]] = {}
    ends: dict[int, int] = {-1: len(raw)}
    for place, (_, text, *_) in enumerate(raw):
        if text in ("{", "\\left"):
            opened.append(place)
        elif text in ("}", "\\right") and len(opened) > 1:
            ends[opened.pop()] = place
        elif text == "\\over" and (len(opened) > 1 or outside):
            overs.setdefault(opened[-1], []).append(place)
    added: dict[int, list[str]] = {}  # before which token what stands
    for begun, places in overs.items():
        if len(places) == 1 and begun in ends and not _is_derivative(raw, begun, places[0]):
            first = begun + (2 if begun >= 0 and raw[begun][1] == "\\left" else 1)
            added[first] = ["\\frac", "{", *added.get(first, [])]
            added[places[0]] = ["}", "{"]
            added[ends[begun]] = [*added.get(ends[begun], []), "}"]
    kept: list[Raw] = []
    for place, row in enumerate([*raw, ("", "", raw[-1][3], raw[-1][3])]):
        for text in added.get(place, ()):
            kind = "command" if text == "\\frac" else "mark"
            kept.append((kind, text, row[2], row[2]))
        if place < len(raw) and not (row[1] == "\\over" and place in added):
            kept.append(row)
    return kept


def _is_derivative(raw: list[Raw], begun: int, over: int) -> bool:
    """Whether ``{dy \\over dx}`` stands here."""
    behind = raw[over + 1][1] if over + 1 < len(raw) else ""
    return behind[:1] == "d" and len(behind) > 1 and raw[begun + 1][1][:1] == "d"


LETTER = re.compile(r"[^\W\d_][0-9₀-₉]*+")


class Brackets:
    """Where the scan stands, what was emitted, and what each closing bracket will mean."""

    def __init__(self, report: Report, names: Names, start: int, end: int) -> None:
        self.report = report
        self.names = names
        self.text = report.text
        self.scripts = Scripts(report, names, self.offer)
        self.other_pieces: dict[str, list[tuple[int, int, str]]] = {}
        self.variants = _one_form(self.text, names)
        self.raw = [
            (m.lastgroup or "", m[0], m.start(), m.end())
            for m in TOKENS.finditer(self.text, start, end)
            if m.lastgroup != "comment"
        ]
        last = self.raw[-1][3] if self.raw else start
        if "\\over" in self.text and any(row[1] == "\\over" for row in self.raw):
            outside = not self.text[:start].strip(" $\\[(\n\t") and "\\begin" not in self.text
            self.raw = _with_fractions(self.raw, outside)
        self.stop = last
        self.raw.append(("end", "", last, last))
        self.index = 0
        self.tokens: list[TokenRow] = []
        self.open: list[tuple[str, str, int]] = []  # source bracket wanted, what it means, where
        self.factors: set[int] = set()  # where brackets open behind an operand; else `=` compares

    def emit(
        self, kind: int, text: str, start: int, end: int, extra: Function | Draft | None = None
    ) -> None:
        """Add one shared token; `extra` is what a `PREFIX` builds, or the leaf that a `LEAF` is."""
        self.tokens.append((kind, text, start, end, extra))

    @property
    def following(self) -> str:
        """The raw token that comes next."""
        return self.raw[self.index][1]

    def offer(self, label: str, start: int, end: int, piece: str) -> None:
        """Offer the text with a piece in place of [start, end) and all others of that label."""
        self.other_pieces.setdefault(label, []).append((start, end, piece))

    def skip_to(self, end: int) -> None:
        """Go past the raw tokens before a place."""
        while self.raw[self.index][2] < end:
            self.index += 1

    def cut(self, size: int) -> tuple[str, int]:
        """So many letters of the last raw token, whose rest comes next, and where they end."""
        _, text, start, end = self.raw[self.index - 1]
        rest = text[size:]
        if not rest:
            return text, end
        self.index -= 1
        kind = "word" if rest[0].isalpha() else "number"
        self.raw[self.index] = (kind, rest, start + size, end)
        return text[:size], start + size

    def raw_group(self) -> tuple[str, int]:
        """The text of the group or single token that comes next, and where it ends."""
        kind, text, start, end = self.raw[self.index]
        self.index += 1
        if text[1:] in FONTS and self.following == "{":  # `k_\mathrm{B}`
            return self.raw_group()
        if text != "{":
            if kind == "end" or text in "}^_&)" or text == "\\":
                self.report.fail("nothing follows this mark", start - 1, end, "write it in braces")
            if kind == "number" and "." in text:
                self.report.fail("write this script in braces", start, end, "as in `x_{0}`")
            letter = LETTER.match(text) if kind == "word" else None
            # TeX takes one: `\\hat xy`, `\\sin^nx`
            return self.cut(letter.end()) if letter is not None else (text, end)
        depth = 1
        while depth:
            kind, text, low, high = self.raw[self.index]
            if kind == "end":
                self.report.fail_unbalanced("bracket", start, end, "close it with `}`")
            self.index += 1
            depth += (text == "{") - (text == "}")
        return self.text[end:low], high

    def begin(self, shown: str, closer: str, start: int, end: int) -> None:
        """Open a bracket that groups. ``|``, ``⌊`` and ``⌈`` are functions, all others
        parentheses.
        """
        is_function = shown in "|⌊⌈"
        if self.tokens and self.tokens[-1][0] in ENDS_OPERAND:
            self.factors.add(start)
        self.emit(OPEN, shown if is_function else "(", start, end)
        self.open.append((closer, closer if is_function else ")", start))

    def finish(self, closer: str, start: int, end: int) -> None:
        """Close a bracket, which was given its meaning when it was opened. Raises `FormulaError` if
        none is open, or another must be closed first.
        """
        if not self.open:
            self.report.fail_unbalanced(
                "bracket",
                start,
                end,
                "remove it or open it before",
            )
        expected, meaning, place = self.open.pop()
        if expected != closer:
            self.report.fail(
                f"the bracket at column {place + 1} is closed by `{closer}`",
                start,
                end,
                f"write `{expected}`",
            )
        if meaning == "then":
            self.emit(COMMA, ",", start, end)
            self.argument(")")
        else:
            self.emit(CLOSE, meaning, start, end)

    def argument(self, meaning: str, is_script: bool = False) -> None:
        """The operand of ``^``, or a further argument of a command: a group or one token."""
        kind, text, start, end = self.raw[self.index]
        if text == "{":
            self.index += 1
            if is_script:
                self.emit(OPEN, "(", start, end)
            self.open.append(("}", meaning, start))
            return
        if is_script and text in "+-−" and kind == "mark":
            self.index += 1
            self.emit(OPERATOR, COMMAND_OPERATORS[text], start, end)
            kind, text, start, end = self.raw[self.index]
        self.index += 1
        if kind == "number":
            if not is_script and not text.isdigit():
                self.report.fail("an argument in braces is missing here", start, end, "write them")
            if not is_script:  # `\frac12`
                text, end = self.cut(1)
            elif len(text) > 1:
                self.report.note(f"`{text}` is read as the whole exponent", (start, end))
            self.emit(NUMBER, text, start, end)
        elif kind == "word":
            if not self.names.is_column(text):  # a low digit belongs to its letter: `\\sqrt x₁`
                rest = text[1:].lstrip("₀₁₂₃₄₅₆₇₈₉")
                text, end = self.cut(len(text) - len(rest))
            self.emit(NAME, text, start, end)
        elif kind == "command" and text[1:] in SYMBOLS:
            self.emit(NAME, self.variants.get(text[1:], text[1:]), start, end)
        elif is_script and text[1:] in ARGUMENTS:
            self.emit(CALL, "frac", start, end, FUNCTIONS["div"])
            self.argument("then")
        elif is_script and text[1:] in NOT_READ:
            self.report.fail(f"{NOT_READ[text[1:]]} are not supported", start, end, "write it out")
        else:
            self.report.fail("an argument in braces is missing here", start, end, "as in `x^{2}`")
        if not is_script:
            if meaning == "then":
                self.emit(COMMA, ",", end, end)
                self.argument(")")
            else:
                self.emit(CLOSE, ")", end, end)
