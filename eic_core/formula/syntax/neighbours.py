"""Operands side by side in plain text: which are a product, errors for the others, and the other
readings to offer (of products, short words and functions without parentheses).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import NoReturn

from eic_core import wording
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.grammar import end_of_operand, raised_function
from eic_core.formula.syntax.names import (
    CONSTANT_NAMES,
    GREEK,
    LETTERS,
    Names,
    is_indexed,
    plain_letters,
    refuse_function,
)
from eic_core.formula.syntax.products import (
    APPLIED_TO_GREEK,
    FUNCTION_AND_LETTER,
    JOINING_WORDS,
    NEGATION_WORDS,
    WORDS_OF_CODE,
    LetterProducts,
    Written,
    is_factor,
    is_likely,
)
from eic_core.formula.syntax.reading import Refusal, Report, replaced
from eic_core.formula.syntax.refusals import MISSPELT
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    END,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    SUPERSCRIPT,
    Token,
    TokenRow,
)
from eic_core.formula.tree import VARIABLE

_SYMBOL = re.compile(r"([^\W\d_]+?)(?:_?[0-9]{1,3}|_\w{1,5})?\Z")
_OTHER_BASE = re.compile(r"(?:[xX][0-9a-fA-F]*[0-9][0-9a-fA-F]*|[bBoO][0-9]+)\Z")
_DIFFERENCE = re.compile(r"[Δδ∂][^\W\d_](?:_?\w{1,5})?\Z")


_IN_WORDS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "equals": "=",
    "over": "/",
    "squared": "^2",
    "cubed": "^3",
    "the": "",
    "of": "",
    "divided": "",
    "multiplied": "",
}
"""Words of a formula that is told, and what each is as a sign."""
_ROOTS = {"square root": "sqrt", "cube root": "cbrt", "cubic root": "cbrt"}
_SHORT_GREEK = frozenset(("eps", "lam", "sig", "del"))
_INVERSE_IN_WORDS = {"cot": "atan(1/{})", "sec": "acos(1/{})", "csc": "asin(1/{})"}
"""Inverse functions that are not read, as they are written."""
_ROW = re.compile(
    r"[0-9]{1,4}+[ \t]++(?=[0-9]++[.eE])(?:[0-9.]++(?:[eE][+-]?[0-9]++)?+[ \t]++){1,3}(?=[^\d\s])"
)
"""What stands before the formula in a printed table: its size, its loss, its score."""
_REMAINDERS = frozenset(("mod", "rem", "xor"))
_LONGEST = 40
"""Most characters of a name that may be a symbol."""


def refuse_element(report: Report, tokens: list[TokenRow], index: int) -> None:
    """Raise if a token begins the index of a result, as in ``f(x)[0]``."""
    token = tokens[index]
    if token[1] == "[" and tokens[index + 1][0] == NUMBER and tokens[index + 2][1] == "]":
        report.fail(
            "an element of a result is not read",
            token[2],
            tokens[index + 2][3],
            "remove the index, or write a product with `*`",
        )


class Neighbours:
    """Which operands side by side are no product, with an error for each kind."""

    def __init__(self, report: Report, names: Names) -> None:
        self.report = report
        self.names = names

    def refuse(self, tokens: list[TokenRow], index: int) -> None:
        """Raise unless the tokens `index` - 1 and `index` are factors of a product. In this order:
        two numbers, program code, a complex number, a function without parentheses, a number behind
        its factor, an index, and words that may or may not be one name.
        """
        report = self.report
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        if is_factor(self.names, tokens[index]):
            token = token._replace(kind=NAME, end=token.start + len(token.text))
        place = (before.start, token.end)
        raised = raised_function(tokens, index)
        if raised is not None and not self.names.is_known(raised[1]):
            refuse_function(report, raised[1], *raised[2:4])
        if before.kind == NUMBER and token.kind == NUMBER:
            self._refuse_row(tokens)
            report.fail("two numbers side by side", *place, "write an operator between them")
        words = {each.text.lower() for each in (before, token) if each.kind in (NAME, CALL)}
        if (word := next(iter(words & _REMAINDERS), "")) and not (
            self._known(before) or self._known(token)
        ):
            hint = "write the formula without it"
            if word != "xor":
                hint = f"write `{word}(x, y)` for `x {word} y`"
            report.fail(f"`{word}` has no operator here", *place, hint)
        named = [each for each in (before, token) if each.kind in (NAME, CALL)]
        self._refuse_words(before, token)
        if any(each.text in WORDS_OF_CODE and not self._known(each) for each in named):
            report.fail("this is program code, not a formula", *place, "give only the expression")
        glued = before.end == token.start
        if before.kind == NUMBER and glued and token.text in ("i", "j", "I", "J"):
            hint = f"for a variable write `{before.text}*{token.text}`"
            report.fail("complex numbers are not supported", *place, hint)
        if before.kind == NUMBER and glued and self._is_digits(before, token):
            report.fail(
                f"`{before.text}{token.text[:20]}` is no number that is read",
                *place,
                "write its digits as a plain decimal",
            )
        if before.kind == NAME and token.kind != OPEN:
            if before.text.lower() == "select" and not self._known(before):
                self._refuse_query(tokens, index)
            meant = MISSPELT.get(before.text.lower(), "")
            if self._is_function(before) or meant and not self._known(before):
                self._refuse_function(tokens, index, meant or before.text)
        if token.kind == NUMBER:
            if index > 1 and (before.text, token.text) == ("x", "10"):
                self._ask_for_power_of_ten(tokens, index)
            self._ask(tokens, index, (("a product", "*"), ("a power", "**")))
        if before.kind == NAME and token.text in ("[", "{") and self._is_function(before):
            self._refuse_bracket(tokens, index)
        if before.kind == NAME and token.kind == OPEN and token.text in "[{":
            sign = token.text
            report.fail(
                f"`{sign}` behind the name `{before.text[:20]}` is not read",
                *place,
                "write an index as in `x[0]`, a product with `*` and parentheses"
                if sign == "["
                else "write a product with `*`, and parentheses for braces",
            )
        if before.kind == NAME and token.kind in (NAME, CALL) and not glued:
            if token.kind == CALL and not self._is_function(token):
                return
            if token.kind == NAME and self._is_function(token) and self._is_symbol(before):
                return  # a factor, and a function whose argument is looked at next
            if not (self._is_symbol(before) and (token.kind == CALL or self._is_symbol(token))):
                meanings = (("a product", "*"), ("one name", "_"))
                is_name = token.kind == NAME and CONSTANT_NAMES.isdisjoint((before[1], token[1]))
                self._ask(tokens, index, meanings[: 2 if is_name else 1])

    def _refuse_words(self, before: Token, token: Token) -> None:
        """Raise for a formula in words, as ``x plus y`` and ``the square root of x``."""
        text, place = self.report.text, (before.start, token.end)
        words = [each for each in (before, token) if each.kind in (NAME, CALL)]
        root = _ROOTS.get(" ".join([each.text.lower() for each in words]))
        if root is not None and not any(self._known(each) for each in words):
            self.report.fail(
                f"`{text[slice(*place)]}` is a function in words",
                *place,
                f"write `{root}(x)`",
                replaced(text, [(*place, root)]),
            )
        for word in words:
            if self._known(word) or self._is_function(before):
                continue
            sign = _IN_WORDS.get(word.text.lower())
            if sign is None or (sign == "" and word is before and token.kind != NAME):
                continue
            mended = None
            if sign and word is token:
                low = before.end if sign[0] == "^" else token.start
                end = token.start + len(token.text)
                mended = replaced(text, [(low, end, sign)])
            self.report.fail(
                f"`{word.text}` is a word, no part of a formula",
                word.start,
                word.start + len(word.text),
                f"write `{sign}`" if sign else "write operators and functions",
                mended,
            )

    def _refuse_row(self, tokens: list[TokenRow]) -> None:
        """Raise for a line of a table, as PySR prints it, with the formula behind its numbers."""
        text, start = self.report.text, tokens[0][2]
        line = _ROW.match(text, start)
        if line is not None:
            self.report.fail(
                "this is a line of a table",
                start,
                line.end(),
                "paste the whole table into Compare, or give the formula alone",
                choices=(("the formula alone", text[line.end() :]),),
            )

    def _refuse_query(self, tokens: list[TokenRow], index: int) -> NoReturn:
        """Raise for ``SELECT a*b AS y FROM t``, with the expression alone."""
        start, end = tokens[index][2], tokens[-1][3]
        for kind, word, low, _, _ in tokens[index:]:
            if kind in (NAME, CALL) and word.lower() in ("as", "from"):
                end = low
                break
        self.report.fail(
            "a query of a database is no formula",
            *tokens[index - 1][2:4],
            "give the expression alone",
            self.report.text[start:end].strip(),
        )

    def _refuse_bracket(self, tokens: list[TokenRow], index: int) -> NoReturn:
        """Raise for ``exp{-x}`` and ``exp[-x]``, with parentheses in their place."""
        text, name = self.report.text, tokens[index - 1]
        depth = 0
        for place in range(index, len(tokens)):
            depth += (tokens[place][0] in (OPEN, CALL)) - (tokens[place][0] == CLOSE)
            if not depth:
                break
        opened, closed = tokens[index], tokens[place]
        mended = replaced(text, [(opened[2], opened[3], "("), (closed[2], closed[3], ")")])
        self.report.fail(
            f"the function `{name[1]}` needs parentheses",
            name[2],
            opened[3],
            f"write `{name[1]}(…)`",
            mended,
        )

    def _is_digits(self, before: Token, token: Token) -> bool:
        """Whether a name directly behind a number goes on with it: ``1_x``, ``0x1F``, ``0b101``."""
        return token.text[0] == "_" or (
            before.text == "0" and _OTHER_BASE.match(token.text) is not None
        )

    def _known(self, token: Token) -> bool:
        return self.names.is_known(token.text)

    def _is_function(self, token: Token) -> bool:
        try:
            found = self.names.function(token.text)
        except Refusal:
            return True
        letter = token.kind == NAME and token.text in LETTERS  # `gamma x` is a product
        return found is not None and not letter and not self.names.is_column(token.text)

    def _is_symbol(self, token: Token) -> bool:
        """Whether a name is one that people write products of without a sign."""
        match = _SYMBOL.match(plain_letters(token.text)) if len(token.text) < _LONGEST else None
        head = match[1] if match else ""
        return (
            self._known(token)
            or is_indexed(token.text)
            or len(head) == 1
            or head in GREEK.values()
            or head in _SHORT_GREEK
            or token.text in CONSTANT_NAMES
            or _DIFFERENCE.match(token.text) is not None
            or is_likely(token.text)
        )

    def _ask(
        self, tokens: list[TokenRow], index: int, meanings: tuple[tuple[str, str], ...]
    ) -> NoReturn:
        """Raise with the meanings that two operands side by side may have, to choose from."""
        text = self.report.text
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        left, right = text[before.start : before.end].strip(), token.text
        left = left[-1:] if before.kind == CLOSE or len(left) > 20 else left
        call = "(" if token.kind == CALL else ""
        shown = [f"`{left}{sign}{right[:20]}{call}` for {what}" for what, sign in meanings]
        choices = tuple(
            (what, replaced(text, [(before.end, token.start, sign)])) for what, sign in meanings
        )
        self.report.fail(
            f"`{left}{text[before.end : token.start][:20]}{right[:20]}{call}` is not clear",
            before.start,
            token.end,
            "write " + " or ".join(shown),
            choices=choices,
        )

    def _ask_for_power_of_ten(self, tokens: list[TokenRow], index: int) -> None:
        """Raise for ``1.2 x 10^3``, whose `x` may be a cross, with both meanings."""
        number, _, ten, sign, raised = tokens[index - 2 : index + 3]
        minus = raised[:2] == (OPERATOR, "-")
        if minus:
            raised = tokens[index + 3]
        if number[0] != NUMBER or sign[:2] != (OPERATOR, "^") or raised[0] != NUMBER:
            return
        text = self.report.text
        label = f"{number[1]}e{'-' if minus else ''}{raised[1]}"
        self.report.fail(
            f"`x {text[ten[2] : raised[3]]}` is not clear",
            number[2],
            raised[3],
            f"write `{label}` for the number, or `*` for a product with x",
            choices=(
                (f"the number {label}", replaced(text, [(number[2], raised[3], label)])),
                ("a product with x", replaced(text, [(ten[2], ten[2], "*")])),
            ),
        )

    def refuse_raised_function(self, tokens: list[TokenRow]) -> None:
        """Raise for the first ``sin^2(x)`` or ``sin² x``, with the power behind its argument."""
        text = self.report.text
        for index in range(len(tokens) - 2):
            name, raised = Token._make(tokens[index]), Token._make(tokens[index + 1])
            if name.kind != NAME or not self._is_function(name):
                continue
            first = index + 2
            if raised[:2] == (OPERATOR, "^") and tokens[first][:2] == (OPERATOR, "-"):
                first += 1
            if raised[:2] == (OPERATOR, "^") and tokens[first][0] == NUMBER:
                first += 1
            elif raised.kind != SUPERSCRIPT:
                continue
            end = self._argument_end(tokens, first)
            inside = text[tokens[first][2] : end].strip()
            if not inside:
                continue
            power = text[raised.start : tokens[first - 1][3]]
            argument = inside if tokens[first][0] == OPEN else f"({inside})"
            call = f"{name.text}{argument}{power}"
            if power.replace(" ", "") in ("^-1", "**-1", "⁻¹"):
                meanings = [(f"one over {name.text}", call)]
                if (inverse := _INVERSE_IN_WORDS.get(name.text.lower())) is not None:
                    meanings.insert(0, ("the inverse function", inverse.format(argument)))
                self.report.fail(
                    f"`{name.text}{power}` may be its inverse or one over it",
                    name.start,
                    tokens[first][3],
                    "write " + " or ".join([f"`{written[:40]}`" for _, written in meanings]),
                    choices=tuple(
                        [(label, text[: name.start] + w + text[end:]) for label, w in meanings]
                    ),
                )
            self.report.fail(
                f"the power of `{name.text}` stands before its argument",
                name.start,
                tokens[first][3],
                f"write `{call}`" if len(call) <= 60 else "write it behind the argument",
                text[: name.start] + call + text[end:],
            )

    def _argument_end(self, tokens: list[TokenRow], index: int) -> int:
        """Where an argument without parentheses of its own ends in the source: at the next operator
        or function; one in parentheses ends with these.
        """
        depth, last, closed = 0, index, tokens[index][0] == OPEN
        while tokens[last][0] not in (END, BAD, COMMA):
            kind, mark, *_ = tokens[last]
            depth += (kind in (OPEN, CALL)) - (kind == CLOSE)
            if depth < 0 or (depth == 0 and kind == OPERATOR and mark != "^"):
                break
            is_next = last > index and kind in (NAME, CALL) and depth == (kind == CALL)
            if is_next and self._is_function(Token._make(tokens[last])):
                break
            last += 1
            if closed and not depth:
                break
        return tokens[last - 1][3]

    def _refuse_function(self, tokens: list[TokenRow], index: int, meant: str) -> NoReturn:
        """Raise for ``sin 2x`` with parentheses up to the next operator. For ``sin x y`` ask
        whether the argument is the product or its first factor.
        """
        text, name = self.report.text, Token._make(tokens[index - 1])
        first, start = index, tokens[index][2]
        if text.startswith("of ", start) and not self.names.is_known("of"):  # as in `log of x`
            first = next(i for i in range(index, len(tokens)) if tokens[i][2] >= start + 2)
        place = (name.start, tokens[index][3])
        try:
            function = self.names.function(meant)
        except Refusal as refusal:
            self.report.refuse(refusal, *place)
        if function is not None and function.low > 1:
            self.report.fail(
                f"`{name.text}` takes {function.low} arguments", *place, f"write `{meant}(x, y)`"
            )
        end = self._argument_end(tokens, first)

        def applied(stop: int) -> str:
            return f"{meant}({text[tokens[first][2] : stop]})"

        message = f"the function `{name.text}` needs parentheses"
        one = end_of_operand(tokens, first)
        if one < end and (text[one].isspace() or text[one] == "("):
            shown = f"`{applied(end)[:40]}` or `{applied(one)}{text[one:end]}`"[:100]
            self.report.fail(
                message,
                *place,
                f"write {shown}",
                choices=(
                    ("of the product", f"{text[: name.start]}{applied(end)}{text[end:]}"),
                    ("of its first factor", f"{text[: name.start]}{applied(one)}{text[one:]}"),
                ),
            )
        shown = applied(end) if end - tokens[first][2] <= 40 else f"{meant}(…)"
        self.report.fail(
            message, *place, f"write `{shown}`", f"{text[: name.start]}{applied(end)}{text[end:]}"
        )


def variables_of(names: Names, tokens: list[TokenRow], whole: Collection[str]) -> list[str]:
    """The variables of a token list in which these words are whole."""
    found: dict[str, None] = {}
    for kind, name, low, high, _ in tokens:
        if name in JOINING_WORDS or name in NEGATION_WORDS:
            continue
        if kind == NAME:
            is_variable = name in whole or names.leaf(name, (low, high)).operator == VARIABLE
        else:
            is_variable = kind == CALL and names.function(name) is None
        if is_variable:
            found[name] = None
    return [*found]


def offer_other_products(report: Report, written: Written) -> None:
    """Offer the readings in which a product is the whole denominator or exponent, or no more is."""
    for label, places in (
        ("the whole product is the denominator", written.denominators),
        ("the whole product is the exponent", written.exponents),
        ("the root of the whole product", written.roots),
    ):
        if places:
            report.alternative(label, partial(written.text, places))
    if written.tight:
        label = "of the letters after a `/` or `^` only the first belongs to it"
        if written.close:
            label = "the product binds like `*`, as elsewhere"
        report.alternative(label, partial(written.text, loose=True))


_ARC_OR_AMPLITUDE = re.compile(r"A(sin|cos|tan|sinh|cosh|tanh)\Z")


def offer_calls(report: Report, names: Names, tokens: list[TokenRow]) -> None:
    """Offer ``sinx`` as a call, ``Asin(x)`` as a product. Raises `FormulaError` for ``sinθ``."""
    text = report.text
    calls: list[tuple[int, int, str]] = []
    products: list[tuple[int, int, str]] = []
    for kind, name, start, end, _ in tokens:
        if kind not in (NAME, CALL) or len(name) < 3:
            continue
        if kind == NAME and not name.isascii() and not names.is_known(name):
            _refuse_function_of_greek(report, name, start)
        if name[0] not in "Aasctel":
            continue
        if kind == CALL and (function := _ARC_OR_AMPLITUDE.match(name)):
            report.note(f"`{name}(…)` is read as the inverse of {function[1]}", (start, end))
            products.append((start + 1, start + 1, " "))
        applied = FUNCTION_AND_LETTER.match(name) if kind == NAME else None
        if not applied or name.lower() in FUNCTIONS or names.is_known(name):
            continue
        call = f"{applied[1]}({applied[2]})"
        report.note(f"`{name}` is read as one variable", (start, end))
        calls.append((start, end, call))
    if calls:
        start, end, call = calls[0]
        report.alternative(f"{text[start:end]} as {call}", lambda: replaced(text, calls))
    if products:
        report.alternative("A as a factor", lambda: replaced(text, products))


def _refuse_function_of_greek(report: Report, name: str, start: int) -> None:
    """Raise for ``rsinθcosφ``, which is no name, with the functions applied."""
    pieces = APPLIED_TO_GREEK.split(name)
    if len(pieces) == 1:
        return
    calls = [f"{f}({of})" for f, of in zip(pieces[1::2], pieces[2::2], strict=True)]
    written = " ".join([*filter(None, pieces[:1]), *calls])
    end = start + len(name)
    report.fail(
        f"the function `{pieces[1]}` needs parentheses",
        start,
        end,
        f"write `{written}`",
        report.text[:start] + written + report.text[end:],
    )


def offer_letters(
    report: Report, names: Names, tokens: list[TokenRow], words: LetterProducts
) -> None:
    """Offer the words that are names as products of their letters; unlikely ones only where the
    text leaves signs out.
    """
    possible = {} if "*" in report.view or names.has_columns else words.possible
    for offered in (words.likely, words.likely | possible if possible else {}):
        if not offered:
            continue
        for kind, word, low, high, _ in tokens:
            if kind == NAME and word in offered:
                report.note(f"`{word}` is read as one variable", (low, high))
        factors = wording.join(["·".join(way) for way in offered.values()], limit=3)
        label = f"{next(iter(offered))} as the product" if len(offered) == 1 else "the products"
        written = Written(report, names, tokens, words.certain | offered)
        report.alternative(f"{label} {factors}", written.text)
