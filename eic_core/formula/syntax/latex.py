"""Reads LaTeX: turns commands and groups into the shared tokens, and finds unwritten products."""

from __future__ import annotations

import re
from functools import cached_property, partial
from typing import NoReturn

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import FUNCTIONS, Function, root
from eic_core.formula.syntax.conditions import AND, CASES, JOINTS, TRUE
from eic_core.formula.syntax.derivatives import fail_derivative, is_latex_derivative
from eic_core.formula.syntax.grammar import (
    FUNCTION_PRECEDENCE,
    LOG10_LABEL,
    TIGHT_PRODUCT,
    Grammar,
    parse,
    raised_function,
)
from eic_core.formula.syntax.infix import with_decimal_commas
from eic_core.formula.syntax.latex_scripts import (
    ACCENTS,
    ARGUMENTS,
    CLOSERS,
    COMMAND_OPERATORS,
    CONDITIONS,
    ENDS_OPERAND,
    FONTS,
    LETTER,
    NOT_READ,
    OPENERS,
    OTHERWISE,
    SCIENTIFIC,
    SHORT_PRODUCTS,
    SKIPPED,
    SYMBOLS,
    UPRIGHT_E,
    WRAPPERS,
    Brackets,
    closing_braces,
    joins_numbers,
    mixed_number,
    run_end,
)
from eic_core.formula.syntax.latex_words import (
    BARE,
    EACH_UNIT,
    LETTERS,
    ONE_UNIT,
    SOME_UNITS,
    SPACED,
    TEXTS,
    UNITS,
    UPRIGHT,
    before_equation_number,
    is_condition,
    said_by,
)
from eic_core.formula.syntax.names import NOT_A_NUMBER, Names, refuse_function
from eic_core.formula.syntax.policy import WordRule
from eic_core.formula.syntax.reading import Refusal, Report, insert, replaced
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    COMMA,
    END,
    LEAF,
    MINUS,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PREFIX,
    Pending,
    PendingRow,
    Token,
    TokenRow,
)
from eic_core.formula.tree import Draft, constant

_LOOSE = 20
_OPERATORS = {
    "Phi": "the normal distribution has no operator here",
    **dict.fromkeys(
        ("Var", "Cov", "Corr", "Std"),
        "a measure of a whole column is not read: a formula takes the values of one row",
    ),
}
"""Names that are functions before brackets, and why they are not read."""
_SEPARATOR = re.compile(r"\$|&|\\\\(?![A-Za-z])|\\(?:q?quad|hspace)(?![A-Za-z])")
"""The end of a formula, of a cell or of a line, or a wide blank."""


class Latex(Grammar):
    """Operands side by side are factors. A function without parentheses takes the whole product
    that follows (``\\sin 2x``), up to the next operator, function or parenthesis. After a slash
    such a product is the denominator (``h/2\\pi``), unless the slash joins two numbers (``1/2 x``).
    """

    braces = "{}"

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        report = self.report
        if token.kind == NUMBER and before.kind == NUMBER:
            report.fail(
                "two numbers side by side",
                before.start,
                token.end,
                "write an operator between them",
            )
        between = _SEPARATOR.search(report.text, before.end, token.start)
        if between:
            report.fail(
                f"`{between[0]}` separates these two: they are no product",
                *between.span(),
                "write the operator that it stands for",
            )
        if (mixed := mixed_number(tokens, index)) is not None:
            start, middle, end = mixed
            sum_of = insert(report.text, [(start, "("), (middle, " + "), (end, ")")])
            report.fail(
                "a number before a fraction may be a sum or a product",
                start,
                end,
                "write `+` or `\\cdot` between them",
                choices=(
                    ("a mixed number, the sum", sum_of),
                    ("a product", insert(report.text, [(middle, " \\cdot ")])),
                ),
            )
        if before.kind == NAME:
            self._refuse_operator(before, token)
        if before.kind == NAME and token.kind == OPEN and token.text == "(":
            self._call_or_product(before, token)
        elif (
            raised := raised_function(tokens, index, ("f", "g", "h", "Gamma", *_OPERATORS))
        ) and not self.names.is_known(raised[1]):
            self._refuse_operator(Token._make(raised), token)
            refuse_function(report, raised[1], *raised[2:4])
        for row in reversed(pending):
            top = Pending._make(row)
            if top.precedence == FUNCTION_PRECEDENCE:
                return self._in_argument(tokens, index, top)
            if top.name == "div":
                return self._after_slash(tokens, index, top)
            if top.precedence <= _LOOSE:
                break
        return _LOOSE

    def _refuse_operator(self, name: Token, operand: Token) -> None:
        """Raise for ``\\Phi(x)``, ``\\mathbb{E}[x]`` and ``\\Re x``, which are no products."""
        written = self.report.text[name.start : name.end]
        is_applied = operand[:2] == (OPEN, "(")
        what = _OPERATORS.get(name.text) if is_applied else None
        hint = "write out what it is"
        if written.startswith(("\\Re", "\\Im")):
            what, hint = "complex numbers are not supported", "leave the operator out"
        elif is_applied and written.startswith(("\\mathbb", "\\mathcal")):
            what = f"`{written[:40]}` before brackets is an operator, which is not read"
        elif name.text == "E" and is_applied and self.report.text[operand.end - 1] == "[":
            what = "an expectation is not a formula of values"
        elif name.text == "Phi":
            hint = "write `(1 + \\operatorname{erf}(x/\\sqrt{2}))/2`"
        if what is not None and not self.names.is_known(name.text):
            hint += f"; for a product write `{written[:40]} \\cdot (…)`"
            self.report.fail(what, name.start, name.end, hint)

    def _call_or_product(self, name: Token, bracket: Token) -> None:
        if name.text in "fgh" and not self.names.is_column(name.text):
            refuse_function(self.report, name.text, name.start, name.end)
        if name.text in ("pi", "e") or name.end != bracket.start:
            return
        self.report.note(
            f"`{name.text}(…)` is read as a product, not as a call", (name.start, bracket.end)
        )

    def _in_argument(self, tokens: list[TokenRow], index: int, function: Pending) -> int:
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        if token.kind == PREFIX or (token.kind == CALL and token.text not in ("frac", "sqrt")):
            return _LOOSE
        shown = f"\\{function.name}"
        if token.kind == OPEN:
            self.report.note(
                f"the argument of `{shown}` ends before the parenthesis",
                (function.start, token.end),
            )
            self.report.alternative(
                f"{function.name} of the whole product",
                lambda: self._wrapped(function.end, run_end(tokens, index, True)),
            )
            return _LOOSE
        if before.kind != NUMBER:
            self.report.note(
                f"`{shown}` without parentheses takes the whole product that follows",
                (function.start, token.end),
            )
            self.report.alternative(
                f"{function.name} of the first factor only",
                lambda: self._wrapped(function.end, before.end),
            )
        return TIGHT_PRODUCT

    def _after_slash(self, tokens: list[TokenRow], index: int, slash: Pending) -> int:
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        first = Token._make(tokens[index - 3])
        numbers = joins_numbers(tokens, index)
        report = self.report
        span = (first.start if numbers else slash.start, token.end)
        if numbers:
            report.note("the product after this fraction multiplies it", span)
            report.alternative(
                "the product is the denominator",
                lambda: self._wrapped(slash.end, run_end(tokens, index, False)),
            )
            return _LOOSE
        report.note("the product after the slash is the denominator", span)
        report.alternative(
            "only the first factor is the denominator",
            lambda: insert(report.text, [(before.end, " \\cdot ")]),
        )
        return TIGHT_PRODUCT

    def _wrapped(self, start: int, end: int) -> str:
        text = self.report.text
        inner = text[start:end]
        padding = len(inner) - len(inner.lstrip())
        return insert(text, [(start + padding, "("), (end, ")")])


_CASES = ("cases", "dcases", "rcases", "numcases", "subnumcases")
_BRACES = ("\\{", "\\lbrace")
_TABLES = ("array", "matrix", "aligned", "gathered")
_NO_FACTORS = FONTS | {"begin", "end", "label", "tag", "right", "{"}
_RELATIONS = frozenset("< > ≤ ≥ ≠ ⩽ ⩾ ∈ ∀ \\in \\forall \\notin".split()) | {
    f"\\{name}" for name, sign in CONDITIONS.items() if sign[0] in "<>!"
}
_WIDE_BLANKS = frozenset("quad qquad hspace hspace*".split())
_BLANKS = SKIPPED - {"\\\\"}
_HEIGHT = re.compile(r"\[\s*+-?[0-9.]*+\s*+(?:pt|ex|em|mm|cm|in|mu|px|\\baselineskip|\\jot)\s*+\]")
"""What may stand behind the end of a line: how far below the next begins."""
_DELTA = re.compile(
    rf"\\Delta(?![A-Za-z])\s*+(?=[^\W\d_]|\\(?:{'|'.join(sorted(SYMBOLS))})(?![A-Za-z]))"
)
_GREEK_IN_FONT = re.compile(rf"(?<![A-Za-z0-9])\\({'|'.join(sorted(SYMBOLS))})(?![A-Za-z])\s*+")
_INDEX_ABOVE = re.compile(r"\s*+\{\s*+\(\s*+([0-9]{1,2})\s*+\)\s*+\}")
_LAST_NAME = re.compile(r"[^\W\d_][0-9₀-₉]*+\Z")
_LONGEST_BLANK = 12
_LONGEST_NAME = 100
"""Most letters that are offered as one name."""
_LABEL = re.compile(r"\\label\s?\{[^{}]*+\}\Z")
_END = re.compile(r"\\end\s*+\{[a-z]++\*?+\}")


def _several(word: str) -> bool:
    """Whether a raw token is a word of which one letter would be the index."""
    letter = LETTER.match(word)
    return letter is not None and letter[0] != word


_SAID_BELOW = frozenset("max min sup inf lim ln log exp in out".split()) | SYMBOLS


def _said_by(match: re.Match[str]) -> str:
    """What a command of a subscript says: ``max`` of ``v_{\\max}``; a font says nothing."""
    return match[1] if match[1] in _SAID_BELOW else ""


class _Scanner(Brackets):
    braced = 0
    """How many braces are open that no other closes."""
    has_units = False
    """Whether a word was read as a variable that may be a unit."""
    read_to = 0
    """Where the last text ends that was found to hold no unit of the formula."""

    def scan(self) -> list[TokenRow]:
        """The shared tokens, closed by `END`."""
        self.looked = 0  # how many tokens were found to be no comparison
        # of each list of cases its depth, the conditions of the row, and its first token
        self.rows: list[list[int]] = []
        self.case_name = ""  # what `y =` in a case calls the value
        while True:
            kind, text, start, end = self.raw[self.index]
            self.index += 1
            if kind == "end":
                while self.rows:  # an end at the end of a text is left out before
                    self.end_cases(start, end)
                if self.open:
                    place = self.open[-1][2]
                    self.report.fail_unbalanced(
                        "bracket",
                        place,
                        place + 1,
                        f"close it with `{self.open[-1][0]}`",
                    )
                for label, pieces in self.other_pieces.items():
                    self.report.alternative(label, partial(replaced, self.text, pieces))
                self.emit(END, "", self.stop, self.stop)
                return self.tokens
            if kind == "number":
                self.number(text, start, end)
            elif kind == "comma":
                self.decimal_comma(text, start, end)
            elif kind == "grouped":
                whole = text.replace("\\,", "").replace("\\;", "")
                self.report.note(f"`{text}` is read as the number {whole}", (start, end))
                self.emit(NUMBER, whole, start, end)
            elif kind == "word":
                self.word(text, start, end)
            elif kind == "command":
                self.command(text, start, end)
            else:
                self.mark(text, start, end)

    def number(self, text: str, start: int, end: int) -> None:
        if (upright := UPRIGHT_E.match(self.text, start, self.stop)) is not None:
            self.skip_to(upright.end())
            text = f"{upright[1]}e{upright[2]}"
            self.report.note(f"this is read as the number {text}", upright.span())
            self.emit(NUMBER, text, *upright.span())
            return
        text = text.translate(MINUS)
        match = SCIENTIFIC.match(self.text, start, self.stop)
        raised = bool(self.tokens) and self.tokens[-1][:2] == (OPERATOR, "^")
        if match and not raised:
            end = match.end()
            self.skip_to(end)
            power_text = match[2] or match[3]
            self.report.note("a number times a power of ten is read as one constant", (start, end))
            self.report.alternative(
                "a product with a power of 10",
                lambda: insert(
                    self.text[:start] + self.text[end:],
                    [(start, f"{match[1]} \\cdot {{(10)}}^{{{power_text}}}")],
                ),
            )
            text = f"{match[1]}e{power_text}"
        self.emit(NUMBER, text, start, end)

    def decimal_comma(self, text: str, start: int, end: int) -> None:
        """``2{,}5``; ``1{,}000`` may as well group thousands."""
        over, _, under = text.partition("{,}")
        if len(under) == 3 and len(over) <= 3 and over[0] != "0":
            self.report.fail(
                f"`{text}` may be {over}.{under} or {over}{under}",
                start,
                end,
                "write the decimal mark as a point, and no mark between thousands",
            )
        self.report.note("a comma between digits is read as the decimal mark", (start, end))
        self.emit(NUMBER, f"{over}.{under}", start, end)

    def word(self, text: str, start: int, end: int) -> None:
        """Letters: a column, a spelled-out function, or a product of single letters."""
        letters = text.rstrip("0123456789₀₁₂₃₄₅₆₇₈₉")
        if text in BARE and self.is_said(text):
            self.said_of_formula(text, self.index, 0, start, end)
            return
        if self.names.is_column(text) or len(letters) == 1:
            self.name(text, start, end)
        elif letters == text and text.lower() in FUNCTIONS and text not in SHORT_PRODUCTS:
            self.report.note(f"`{text}` is read as the function `\\{text}`", (start, end))
            self.function(text, FUNCTIONS[text.lower()], start, end)
        elif text == "pi":
            self.report.note("`pi` is read as π", (start, end))
            self.name(text, start, end)
        elif self.script_column(text) or self.is_one_name(letters):
            self.name(text, start, end)
        else:
            shown = " · ".join([*letters[:-1], text[len(letters) - 1 :]])
            self.report.note(f"`{text}` is read as the product {shown}", (start, end))
            if len(text) <= _LONGEST_NAME and self.may_be_name(text):
                self.report.alternative(
                    f"one variable called {text}", partial(self.with_one_name, text, start, end)
                )
            for offset in range(len(letters) - 1):
                self.emit(NAME, letters[offset], start + offset, start + offset + 1)
            self.name(text[len(letters) - 1 :], start + len(letters) - 1, end)

    def may_be_name(self, word: str) -> bool:
        """Whether a word can name a variable: it is no function, and no value such as ``nan``."""
        try:
            self.names.function(word)
        except Refusal:
            return False
        lower = word.lower()
        return lower not in NOT_A_NUMBER and lower not in ("and", "or", "not")

    def is_one_name(self, letters: str) -> bool:
        """Whether a word is one name by the policy, which in LaTeX is that of a product."""
        words = self.names.policy.words
        given = all(self.names.is_known(letter) for letter in letters)
        return words is WordRule.NAME or words is WordRule.GIVEN and not given

    @cached_property
    def chooses(self) -> bool:
        """Whether Python's `else` is in the text."""
        return any(row[1] == "else" for row in self.raw)

    def is_said(self, word: str) -> bool:
        """Whether ``for`` or its kin is a word, not a call, a name or Python's choice."""
        if self.names.is_known(word) or self.following in ("(", "_", "\\left", "^"):
            return False
        if word == "if" and self.chooses and not self.rows:
            place = self.raw[self.index][2]
            self.report.fail(
                "a choice is written otherwise in LaTeX",
                place,
                place + 1,
                "write `\\begin{cases} x & x > 0 \\\\ y & \\text{else} \\end{cases}`",
            )
        return True

    def with_one_name(self, word: str, start: int, end: int) -> str:
        """The text with ``\\mathrm`` around a word at [start, end), and where it stands alone."""
        alone = re.compile(rf"(?<![A-Za-z\\]){word}(?![A-Za-z0-9])")
        one = rf"\mathrm{{{word}}}"
        before, behind = [
            alone.sub(lambda _: one, part) for part in (self.text[:start], self.text[end:])
        ]
        return before + one + behind

    def script_column(self, text: str) -> bool:
        """Whether `text` with the subscript that follows is a column."""
        if self.following != "_":
            return False
        position, row = self.index, self.raw[self.index + 1]
        script, _ = self.subscript(text)
        self.index, self.raw[position + 1] = position, row
        return self.names.is_column(f"{text}_{script}")

    def name(self, text: str, start: int, end: int) -> None:
        """A name with its subscript, if one follows, or stands behind a power: ``x^2_0``."""
        power, last = self.index, self.end_of_power()
        if self.raw[last][1] == "_":
            word, low = self.raw[last + 1][1:3]
            self.index = last
            script, end = self.subscript(text)
            script = re.sub(r"\\([A-Za-z]+)|[{}]", _said_by, script.replace(r"\_", "_"))
            script = re.sub(r"[\s,]+", "_", script.strip())
            if not re.fullmatch(r"\w+", script):
                self.report.fail("this subscript is not read", start, end, "use letters and digits")
            text = f"{text}_{script}"
            if _several(word):
                self.single_subscript(text, start, low, end, word)
            if power < last:
                for place in range(last, self.index):
                    self.raw[place] = ("command", r"\,", *self.raw[place][2:])
                self.raw[last - 1] = (*self.raw[last - 1][:3], end)
                self.index = power
                end = self.raw[power][2]
        if text in self.names.defined and self.following in ("(", "\\left"):
            self.function(text, self.names.defined[text], start, end)
            return
        self.emit(NAME, text, start, end)

    def end_of_power(self) -> int:
        """The place behind ``^2`` or ``^{n}`` among the raw tokens, if one begins here."""
        (_, mark, *_), (kind, text, *_) = (*self.raw[self.index : self.index + 2], ("", "", 0, 0))[
            :2
        ]
        is_one = text == "{" or (kind in ("number", "word") and len(text) == 1)
        if mark != "^" or not is_one or text == "{" and self.raw[self.index + 2][1] == "(":
            return self.index
        return self.closers.get(self.index + 1, self.index + 1) + 1

    def subscript(self, name: str) -> tuple[str, int]:
        """What stands behind the ``_`` here, and where it ends: of a word one letter, as TeX takes
        it, unless a column has more.
        """
        word = self.raw[self.index + 1][1]
        for size in range(len(word), 1, -1) if _several(word) else ():
            if self.names.spells_column(f"{name}_{word[:size]}"):
                self.index += 2
                return self.cut(size)
        self.index += 1
        return self.raw_group()

    def single_subscript(self, name: str, start: int, low: int, end: int, word: str) -> None:
        """Say where the index ends that a word behind ``_`` begins with: ``k_BT`` is k_B·T."""
        if self.raw[self.index][2] == end < low + len(word) and self.raw[self.index + 1][1] == "_":
            word = _LAST_NAME.sub("", word)  # `R_aR_b`
        rest = word[end - low :]
        shown = self.text[start:low] + word
        if len(shown) > _LONGEST_NAME or not rest and end - low == 1:
            return
        if end - low == 1 or self.text[low + 1 : end].isdecimal():
            told = f"`{shown}` is read as {name} and {rest}: without braces one letter is the index"
            self.report.note(told, (start, low + len(word)))
            self.offer("all letters are the index", low, low + len(word), f"{{{word}}}")
            return
        whole = f"{self.text[start:end]}`" + (f" in `{shown}`" if rest else "")
        self.report.note(f"`{whole} is read as the variable of that name", (start, end))
        first = f"{{{word[:1]}}} {word[1 : end - low]}"
        self.offer("only the first letter is the index", low, end, first)

    def mark(self, text: str, start: int, end: int) -> None:
        if text in COMMAND_OPERATORS:
            if text == "*" and self.raw[self.index][1:3] == ("*", end):
                self.index += 1
                self.emit(OPERATOR, "^", start, end + 1)
            else:
                self.emit(OPERATOR, COMMAND_OPERATORS[text], start, end)
        elif text == "{":
            self.begin("{", "}", start, end)
        elif text == "}" and self.open and self.open[-1][1] == "cases":
            self.open.pop()
            self.end_cases(start, end)
        elif text == "}":
            self.finish("}", start, end)
        elif text == "^":
            if (indexed := _INDEX_ABOVE.match(self.text, end, self.stop)) is not None:
                self.index_above(indexed)
            self.emit(OPERATOR, "^", start, end)
            self.argument(")", is_script=True)
        elif text in OPENERS:
            may_be_unit = self.following[1:] in TEXTS and (
                text == "[" or self.is_near(start) or self.text[start - 1].isspace()
            )
            if not may_be_unit or not self.is_unit_of_value(start):
                self.begin(*OPENERS[text], start, end)
        elif text in CLOSERS:
            self.finish(CLOSERS[text], start, end)
        elif text == "|":
            self.emit(BAR, "|", start, end)
        elif text in ",;":
            if self.in_row():
                self.comma_in_row(text, start, end)
            elif not (self.rows and self.tokens[-1][0] == COMMA):
                self.emit(COMMA, text, start, end)
        elif text == "_":
            self.report.fail("a subscript without a name", start, end, "as in `x_{0}`")
        elif text == "$" and self.tokens and not self.rows:
            self.report.fail(
                "`$` ends the formula here",
                start,
                end,
                "give one formula, or write the operator that it stands for",
            )
        elif text == "&" and self.rows:
            self.cell(start, end)
        elif text == "=" and self.in_row() and self.names_case(end):
            pass  # `y =` before a case
        elif text == "=" and self.open and self.open[-1][2] not in self.factors:
            self.emit(BAD, "==", start, end)
        elif text == ":" and self.rows and self.tokens[-1][0] == COMMA:
            pass  # before the condition of a case
        elif text not in "$&~" and not (text == "." and self.ends_case()):
            self.emit(BAD, text, start, end)

    def index_above(self, raised: re.Match[str]) -> None:
        """Say of ``x^{(1)}`` that it is read as a power, and offer the name with that index."""
        kind, name, start, *_ = self.tokens[-1] if self.tokens else (END, "", 0)
        if kind != NAME:
            return
        shown = self.text[start : raised.end()]
        self.report.note(
            f"`{shown}` is read as a power, not as an index or a derivative", (start, raised.end())
        )
        self.offer(
            "an index, a part of the name", start, raised.end(), rf"\mathrm{{{name}_{raised[1]}}}"
        )

    def power_of_call(self, name: str, start: int, opened: int) -> None:
        """Say of ``\\sin{x}^2`` that the function is raised, and offer the power inside."""
        raw, closed = self.raw, self.closers.get(opened, 0)
        if not closed or raw[closed + 1][1] != "^":
            return
        last = closed + 2
        last += raw[last][1] in COMMAND_OPERATORS
        if raw[last][1][1:] in ARGUMENTS:
            last = self.closers.get(last + 1, last + 1) + 1
        last = self.closers.get(last, last)
        if last >= len(raw) - 1:
            return
        low, high = raw[opened][2], raw[last][3]
        shown = self.text[start:high] if high - start <= _LONGEST_NAME else f"\\{name}{{…}}^…"
        self.report.note(f"`{shown}` is read as the power of `\\{name}`", (start, high))
        self.report.alternative(
            f"{name} of the power", lambda: insert(self.text, [(low, "("), (high, ")")])
        )

    @cached_property
    def closers(self) -> dict[int, int]:
        """Of each opening brace among the raw tokens, the place of its closing one."""
        return closing_braces(self.raw)

    def command(self, text: str, start: int, end: int) -> None:
        if self.rows and text.startswith("\\\\") and len(text) > 2:  # a new line, and letters
            self.row(start, start + 2)
            self.word(text[2:], start + 2, end)
            return
        if text.startswith("\\\\") and len(text) > 2:  # a backslash escaped once too often
            text = text[1:]
        word = text[1:]
        if text in ("\\\\", "\\cr") and self.rows:
            self.row(start, end)
            return
        if text == "\\cases" and self.following == "{":  # of plain TeX
            self.index += 1
            self.open.append(("}", "cases", start))
            self.begin_cases(start, end)
            return
        if text in _BRACES and self.following == "\\begin":
            self.braced += 1  # a brace around a table, which holds cases
            return
        if text == "\\boxed" and self.following == "{":
            return  # a frame says nothing
        if text == "\\rm" and self.following == "d" and not self.names.is_known("d"):
            self.fail_differential(start, self.raw[self.index][3])
        if text in SKIPPED or word in ("hspace", "hspace*"):
            if word.startswith("hspace"):
                _, end = self.raw_group()
            if word in _WIDE_BLANKS and self.tokens and self.tokens[-1][0] in ENDS_OPERAND:
                self.wide_blank(start, end)
            return
        if word in TEXTS and self.said_in_text(start):
            return
        if word in CONDITIONS:
            self.emit(BAD, CONDITIONS[word], start, end)
        elif word in ("left", "right"):
            self.delimiter(word, start)
        elif text in COMMAND_OPERATORS or text in OPENERS or text in CLOSERS:
            self.mark(text, start, end)
        elif word in ("vert", "mid", "|", "Vert"):
            self.emit(BAR, "|", start, end)
        elif word in ARGUMENTS:
            if is_latex_derivative(self.report, self.names, end):
                fail_derivative(self.report, start, end)
            if (
                UPRIGHT.match(self.text, end, self.stop)
                and self.is_near(start)
                and self.is_unit_of_value(start)
            ):
                return
            self.emit(CALL, "frac", start, end, FUNCTIONS["div"])
            self.argument("then")
        elif word == "sqrt":
            self.square_root(start, end)
        elif word in FONTS:
            self.spelled_name(word, start)
        elif word in ACCENTS:
            inner, end = self.raw_group()
            letter = inner.strip().removeprefix("\\")
            letter = self.variants.get(letter, letter)
            self.name(f"{letter}_{word.removeprefix('wide')}", start, end)
        elif word in ("begin", "end", "label", "tag"):
            inner, end = self.raw_group()
            table = inner in _TABLES and self.braced
            if (table or inner.rstrip("*") in _CASES) and word in ("begin", "end"):
                if word == "begin":
                    if inner == _TABLES[0] or inner.endswith("numcases"):
                        self.raw_group()  # how its columns are set; `y =`
                    self.begin_cases(start, end)
                elif self.rows:
                    self.end_cases(start, end)
            elif word == "begin" and inner.rstrip("*") not in WRAPPERS:
                self.report.fail(f"`{inner[:40]}` is not read", start, end, "paste one expression")
        elif word == "Delta" and self.difference(start):
            return
        elif (
            word == "Gamma"
            and self.following in ("(", "\\left")
            and not (self.names.is_known(word))
        ):
            self.function(word, FUNCTIONS["gamma"], start, end)
        elif word in SYMBOLS:
            self.name(self.variants.get(word, word), start, end)
        elif word == "lg":
            self.report.note("`\\lg` is read as the logarithm to base 10", (start, end))
            self.function("lg", FUNCTIONS["log10"], start, end)
        elif word in FUNCTIONS:
            self.function(word, FUNCTIONS[word], start, end)
        elif word in NOT_READ:
            self.report.fail(f"{NOT_READ[word]} are not supported", start, end, "write it out")
        else:
            self.report.fail(
                f"the command `{text[:40]}` is not known", start, end, "use plain LaTeX mathematics"
            )

    def begin_cases(self, start: int, end: int) -> None:
        self.emit(CALL, "cases", start, end, CASES)
        self.rows.append([len(self.open), 0, len(self.tokens)])

    def wide_blank(self, start: int, end: int) -> None:
        """``\\quad`` behind an operand, which separates a condition from what it is said of."""
        kind, text, *_ = self.raw[self.index]
        if kind == "end" or text in COMMAND_OPERATORS or text in SKIPPED or text[1:] in _NO_FACTORS:
            return
        if text in "^_=<>,;)}]" or text[1:] in CONDITIONS:
            return
        if self.in_row():
            if text not in ("&", "\\\\") and not self.rows[-1][1]:
                self.cell(start, end)
        elif (
            not self.open
            and not self.rows
            and self.last_relation > self.index
            and not self.compares()
        ):
            self.leave_out(end)

    def compares(self) -> bool:
        """Whether a comparison was read; each token is looked at once."""
        while self.looked < len(self.tokens) and self.tokens[self.looked][0] != BAD:
            self.looked += 1
        return self.looked < len(self.tokens)

    @cached_property
    def last_relation(self) -> int:
        """The place of the last comparison among the raw tokens, -1 if there is none."""
        found = [place for place, row in enumerate(self.raw) if row[1] in _RELATIONS]
        return max(found, default=-1)

    def difference(self, start: int) -> bool:
        """``\\Delta T`` as one variable, as ``ΔT`` is one; whether a letter follows."""
        kind, text, _, high = self.raw[self.index]
        if kind == "command" and text[1:] in SYMBOLS:
            head = self.variants.get(text[1:], text[1:])
        elif kind == "word":
            one = len(text.rstrip("0123456789₀₁₂₃₄₅₆₇₈₉")) == 1
            head = text if one or self.names.is_known(f"Delta{text}") else text[:1]
        else:
            return False
        whole = f"Delta{head}"
        known = self.names.is_known
        if known("Delta") and known(head) and not self.names.spells_column(whole):
            return False
        self.index += 1
        if kind == "word":
            _, high = self.cut(len(head))
        if not self.names.spells_column(whole):
            shown = self.text[start:high]
            self.report.note(f"`{shown}` is read as one variable, a difference", (start, high))
            self.report.alternative(
                "Delta as a factor",
                lambda: _DELTA.sub(r"\\Delta \\cdot ", self.text),
            )
        self.name(whole, start, high)
        return True

    def in_row(self) -> bool:
        """Whether no bracket is open within the row of a list of cases."""
        return bool(self.rows) and self.rows[-1][0] == len(self.open)

    def begins_row(self) -> bool:
        """Whether nothing of this row was read."""
        return self.rows[-1][1] == 0 and (
            self.tokens[-1][0] == COMMA or self.tokens[-1][:2] == (CALL, "cases")
        )

    def names_case(self, end: int) -> bool:
        """Whether ``y =`` or ``f(x) =`` begins a case, which names its value and is left out."""
        place = self.rows[-1][2]
        head = self.tokens[place:]
        kinds = [row[0] for row in head]
        called = len(kinds) > 3 and kinds[1] == OPEN and kinds[-1] == CLOSE
        if self.rows[-1][1] or kinds[:1] != [NAME] or not (called or len(kinds) == 1):
            return False
        if called and not {*kinds[2:-1]} <= {NAME, COMMA}:
            return False
        name = head[0][1]
        if self.case_name not in ("", name):
            self.report.fail(
                f"the cases give `{self.case_name}` and `{name}`: this is a system of equations",
                head[0][2],
                end,
                "give the formula of one of them",
            )
        self.case_name = name
        self.report.note(f"`{name} =` in a case names its value", (head[0][2], end))
        del self.tokens[place:]
        return True

    def cell(self, start: int, end: int) -> None:
        """A value ends, and its condition begins: ``&``, or a word or a blank that says so."""
        if self.tokens[-1][0] == COMMA and not self.begins_row():
            return
        if self.rows[-1][1]:
            self.report.fail(
                "this case has a second condition",
                start,
                end,
                "write `\\land` between two conditions, `\\\\` before the next case",
            )
        self.rows[-1][1] = 1
        if self.tokens[-1][0] != COMMA:
            self.emit(COMMA, ",", start, end)

    def comma_in_row(self, text: str, start: int, end: int) -> None:
        """A comma of a case: between its value and its condition, or at the end of either."""
        place = self.index
        while self.raw[place][1] in _BLANKS:
            place += 1
        if self.raw[place][1] in ("\\\\", "\\end", ""):
            return
        if self.rows[-1][1] and self.tokens[-1][0] == COMMA:
            return
        self.cell(start, end)

    def row(self, start: int, end: int) -> None:
        """A new line in a list of cases; an empty last line is none."""
        if not self.rows or not self.in_row():
            self.report.fail("a bracket is open at the end of this line", start, end, "close it")
        if self.following == "[":
            height = _HEIGHT.match(self.text, self.raw[self.index][2], self.stop)
            self.skip_to(height.end() if height is not None else 0)
        ends = self.raw[self.index][0] == "end" or self.following == "\\end"
        if ends or self.begins_row():
            return
        if not self.rows[-1][1]:
            hint = "write it behind `&`, as in `x & x > 0`"
            if self.case_name:
                hint += "; of a system of equations give one formula"
            self.report.fail("this case has no condition", *self.tokens[-1][2:4], hint)
        self.rows[-1][1] = 0
        if self.tokens[-1][0] != COMMA:
            self.emit(COMMA, ",", start, end)
        self.rows[-1][2] = len(self.tokens)

    def end_cases(self, start: int, end: int) -> None:
        """The list of cases closes; a comma or a point before its end says nothing."""
        if self.tokens[-1][0] == COMMA:
            self.tokens.pop()
        self.rows.pop()
        self.emit(CLOSE, ")", start, end)

    def ends_case(self) -> bool:
        """Whether a case, or the list of them, ends at the next token."""
        return bool(self.rows) and self.following in ("\\\\", "\\end")

    def said_in_text(self, start: int) -> bool:
        """Whether ``\\text{if }`` or ``\\text{kg}`` says something of the formula."""
        place = self.index
        if self.raw[place][1] != "{":
            return False
        inner, end = self.raw_group()
        said = re.sub(r"[\\,:;.~\s]+", " ", inner).strip().lower()
        if self.rows and said in ("", *JOINTS) and not self.names.is_known(said):
            if said:
                self.emit(BAD, "&&" if JOINTS[said] == AND else "||", start, end)
            return True
        word, behind = said_by(inner)
        if word and not self.names.is_known(word):
            self.said_of_formula(word, place, behind, start, end)
            return True
        self.index = place
        known = self.names.is_known(inner.strip())
        return not known and self.said_of_value(inner, start, end)

    def said_of_formula(self, word: str, place: int, behind: int, start: int, end: int) -> None:
        """In a list of cases begin the condition, else end the formula, at a word of conditions.
        `place` is the first token of the text that the word begins; the condition begins at
        `behind` in it.
        """
        shown = self.text[start:end].strip()
        in_row = self.in_row()
        if in_row and self.begins_row():
            hint = "write the value of each case first"
            self.report.fail(f"no value stands before `{shown[:40]}`", start, end, hint)
        # the second: `& {\text{if } …}`
        if in_row or self.rows and self.rows[-1][1] and self.tokens[-1][0] == OPEN:
            if in_row:
                self.cell(start, end)
            if word in OTHERWISE:
                self.names.special = True
                self.emit(LEAF, word, start, end, constant(TRUE, (start, end)))
            self.unpack(place, behind, end)
            return
        if word in OTHERWISE or self.open or self.rows or not self.tokens:
            hint = "give the formula alone, or cases as in `\\begin{cases} x & x > 0 \\end{cases}`"
            self.report.fail(f"`{shown[:40]}` is said of a case", start, end, hint)
        self.leave_out(start)

    def leave_out(self, start: int) -> None:
        """Read nothing from `start` on, and say so."""
        while self.tokens and self.tokens[-1][0] == COMMA:
            self.tokens.pop()
        shown = " ".join(self.text[start : self.stop].split())
        shown = shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"
        self.report.note(f"`{shown}` behind the formula is not read", (start, self.stop))
        self.index = len(self.raw) - 1

    def unpack(self, place: int, behind: int, end: int) -> None:
        """Go on with the condition in ``\\text{if $x > 0$ and $y > 0$}``: at `behind` in the braces
        at `place`.
        """
        low = self.raw[place][3] + behind
        if self.raw[place][1] != "{" or low >= end - 1:
            return
        if not is_condition(self.text[low : end - 1], 0):
            self.report.fail(
                "these words are no condition",
                low,
                end - 1,
                "write it with `<`, `>` or `=` and signs of mathematics",
            )
        last = self.index - 1  # the closing brace
        is_formula = "$" not in self.text[low:end]
        for at in range(place, last + 1):
            kind, text, first, until = self.raw[at]
            if first < low or at == last or text == "$" or kind == "mark" and text == ".":
                is_formula = is_formula != (text == "$")
                self.raw[at] = ("command", r"\,", first, until)
            elif text in JOINTS:
                sign = r"\land" if JOINTS[text] == AND else r"\lor"
                self.raw[at] = ("command", sign, first, until)
            elif not is_formula:
                self.report.fail(
                    f"`{text[:40]}` in a condition is not read",
                    first,
                    until,
                    "write it with signs of mathematics",
                )
        self.index = place

    def said_of_value(self, inner: str, start: int, end: int) -> bool:
        """``\\,\\text{kg}``, and words with blanks around them: whether they are left out."""
        follows = bool(self.tokens) and self.tokens[-1][0] in (NUMBER, NAME, CLOSE, LEAF)
        if not follows:
            return False
        is_near = inner[:1].isspace() or self.is_near(start)
        if is_near and self.is_unit_of_value(start):
            return True
        one = ONE_UNIT.match(inner)
        name = re.sub(r"[\s~\\,]+", "_", inner.strip())
        if one is None and SOME_UNITS.match(inner):
            self.report.fail("units are not read", start, end, "leave them out")
        if one is not None and (is_near or len(one[1]) > 1):
            self.report.note(f"`{one[1]}` is read as a variable, not as a unit", (start, end))
            self.has_units = True
        elif one is not None or inner == inner.strip():
            return False
        else:
            self.report.note(
                f"`{inner.strip()[:60]}` is read as a variable called {name[:60]}", (start, end)
            )
        behind = self.raw[self.closers.get(self.index, self.index) + 1][1]
        if behind not in ("^", "_"):
            self.offer("without words and units", start, end, " ")
        return False

    def is_near(self, start: int) -> bool:
        """Whether a number or a blank stands before this place, as before a unit."""
        low = max(0, start - _LONGEST_BLANK)
        is_number = bool(self.tokens) and self.tokens[-1][0] == NUMBER
        return is_number or SPACED.search(self.text[low:start]) is not None

    def is_unit_of_value(self, start: int) -> bool:
        """Whether only units stand from `start` on, which are then left out; the text is scanned
        once.
        """
        if start < self.read_to or self.rows or self.open or self.has_units:
            return False
        if not self.tokens or self.tokens[-1][0] not in ENDS_OPERAND:
            return False
        match = UNITS.match(self.text, start, self.stop)
        self.read_to = match.end() if match is not None else start
        if match is None or match.end() < self.stop:
            return False
        shown = match[0].strip()
        each = [*EACH_UNIT.finditer(self.text, start, self.stop)]
        if any(self.names.is_known(name) for name in LETTERS.findall(shown)):
            return False
        self.report.note(
            f"`{shown[:_LONGEST_NAME]}` behind the formula is read as a unit, and left out",
            (start, self.stop),
        )
        if "frac" not in shown and all(ONE_UNIT.match(one[1]) for one in each):
            in_brackets = shown[0] in "[("
            for place in [start] if in_brackets else [one.start() for one in each]:
                self.offer("a factor, no unit", place, place, "\\cdot ")
        self.index = len(self.raw) - 1
        return True

    def delimiter(self, side: str, start: int) -> None:
        """``\\left`` and ``\\right`` with the bracket that follows."""
        _, text, _, end = self.raw[self.index]
        if side == "right" and self.braced and text in (".", ""):  # a last point is left out before
            self.index += text == "."
            self.braced -= 1
            return
        self.index += 1
        if side == "left" and text in _BRACES and self.following == r"\begin":
            self.braced += 1  # a brace around a table, which holds cases
        elif text in ("|", r"\vert", r"\lvert", r"\rvert", r"\|"):
            if side == "left":
                self.begin("|", "|", start, end)
            else:
                self.finish("|", start, end)
        elif side == "left" and text in OPENERS:
            self.begin(*OPENERS[text], start, end)
        elif side == "right" and text in CLOSERS:
            self.finish(CLOSERS[text], start, end)
        else:
            self.report.fail(
                f"`\\{side}` with no bracket",
                start,
                end,
                f"as in `\\{side}(`" if side == "left" else "as in `\\right)`",
            )

    def square_root(self, start: int, end: int) -> None:
        """A root, of which the index is a formula, too: ``\\sqrt[n]{x}``."""
        function = FUNCTIONS["sqrt"]
        if is_indexed := self.following == "[":
            low = self.raw[self.index][2]
            self.index += 1
            if self.following in ("]", ""):
                self.report.fail("this root has no index", start, low + 1, "as in `\\sqrt[3]{x}`")
            kinds = [token[0] for token in self.raw[self.index : self.index + 2]]
            marks = [token[1] for token in self.raw[self.index : self.index + 2]]
            if kinds[0] != "number" or marks[1:] != ["]"]:
                told = "a root with an index that is no number is read as a power"
                self.report.note(told, (start, end))
            function = Function("sqrt", 2, 2, lambda args, span: root([args[1], args[0]], span))
        self.emit(CALL, "sqrt", start, end, function)
        if is_indexed:
            self.open.append(("]", "then", low))
        else:
            self.argument(")")

    def fail_differential(self, start: int, end: int) -> NoReturn:
        hint = "write the derivative or the integral out"
        self.report.fail("a differential is not a formula of values", start, end, hint)

    def spelled_name(self, font: str, start: int) -> None:
        """``\\mathrm{name}`` and its kin: a function if it is one and is applied."""
        inner, end = self.raw_group()
        inner = _GREEK_IN_FONT.sub(lambda match: self.variants.get(match[1], match[1]), inner)
        name = re.sub(r"[\s~\\,]+", "_", inner.replace("\\_", "_").strip())
        if not re.fullmatch(r"\w+", name):
            self.report.fail("this is not a name", start, end, "use letters, digits and `_`")
        following = self.raw[self.index]
        if (
            name == "d"
            and not self.names.is_known(name)
            and (following[0] == "word" or following[1][1:] in SYMBOLS)
        ):
            self.fail_differential(start, following[3])
        applied = self.following in ("(", "{", "\\left", "^") or font.startswith("op")
        if applied and not self.names.is_column(name):
            try:
                function = self.names.function(name)
            except Refusal as refusal:
                self.report.refuse(refusal, start, end)
            if function is not None:
                self.function(name, function, start, end)
                return
            if font.startswith("op"):
                refuse_function(self.report, name, start, end)
        if len(name) == 1 and name != "e":
            self.has_units = True  # upright letters are variables in this text
        self.name(name, start, end)

    def function(self, name: str, function: Function, start: int, end: int) -> None:
        """A function with the scripts that modify it, then its argument."""
        exponent, where = "", (start, end)
        based = False
        while self.following in ("^", "_"):
            _, mark, _, low = self.raw[self.index]
            self.index += 1
            script, end = self.raw_group()
            if mark == "_":
                function, based = self.scripts.log_with_base(name, script, start, end), True
            else:
                exponent, where = script, (low, end)
        if name == "log" and not based:
            self.report.note("`\\log` is read as the natural logarithm", (start, end))
            self.report.alternative(
                LOG10_LABEL,
                lambda: re.sub(r"\\log(?![A-Za-z]|\s*_)", r"\\log_{10}", self.text),
            )
        if exponent:
            function = self.scripts.function_power(name, function, exponent, start, end, where)
        _, text, low, high = self.raw[self.index]
        while text in SKIPPED:
            self.index += 1
            _, text, low, high = self.raw[self.index]
        if text == r"\left" and self.raw[self.index + 1][1] in ("(", "[", r"\{", r"\lbrace"):
            self.index += 1
            _, text, low, high = self.raw[self.index]
        if text in ("(", "[", "{", r"\{", r"\lbrace"):
            if text == "{":
                self.power_of_call(name, start, self.index)
            self.index += 1
            self.emit(CALL, name, start, high, function)
            self.open.append(("}" if text == "{" else OPENERS[text][1], ")", low))
        else:
            self.emit(PREFIX, name, start, end, function)


def _without_trailing(text: str, start: int, end: int) -> int:
    """Where the formula in text[start:end] ends, before the marks that may close a display. The
    last character tells each mark, so one walk backwards is enough.

    >>> [_without_trailing(t, 0, len(t)) for t in (r"x. \\]", r"x \\end {align*} $$", r"x\\}")]
    [1, 1, 3]
    """
    while end > start:
        last = text[end - 1]
        if last in ",;" and text.startswith("\\", end - 2) and end - 2 >= start:  # a blank
            end -= 2
        elif last == "d" and text.endswith(("\\quad", "\\qquad"), start, end):
            end = text.rindex("\\", start, end)
        elif last in "$.,;" or last.isspace():
            end -= 1
        elif last in "\\])" and text.startswith("\\", end - 2) and end - 2 >= start:
            end -= 2
        elif last == "}" and (label := _LABEL.search(text, max(start, end - 100), end)):
            end = label.start()
        elif last == "}" and (opened := text.rfind("\\end", start, end)) >= 0:
            if not _END.fullmatch(text, opened, end):
                break
            end = opened
        else:
            break
    return end


def read_latex(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of ``report.text[start:end]``. Raises `FormulaError` if it is no formula."""
    stop = _without_trailing(report.text, start, end)
    numbered = before_equation_number(report.text, start, stop)
    if numbered < stop:
        shown = report.text[numbered:stop].strip()
        report.note(f"`{shown}` is read as the number of the equation", (numbered, stop))
        stop = _without_trailing(report.text, start, numbered)
    tokens = _Scanner(report, names, start, stop).scan()
    notes, others = dict(report.notes), dict(report.alternatives)
    try:
        return parse(tokens, Latex(names, report))
    except FormulaError:
        report.notes, report.alternatives, report.products = dict(notes), dict(others), []
        joined = with_decimal_commas(report, tokens)
        if joined is None:
            raise
        return parse(joined, Latex(names, report))
