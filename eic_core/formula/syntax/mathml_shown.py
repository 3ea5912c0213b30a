"""Presentation MathML, which says how a formula looks, as the tokens of the one infix parser."""

from __future__ import annotations

import html
import re

from eic_core.formula.syntax.build import FUNCTIONS, Function
from eic_core.formula.syntax.derivatives import fail_derivative
from eic_core.formula.syntax.grammar import FUNCTION_PRECEDENCE, TIGHT_PRODUCT, Grammar
from eic_core.formula.syntax.latex_scripts import Scripts, joins_numbers, mixed_number, run_end
from eic_core.formula.syntax.latex_words import SOME_UNITS, said_by
from eic_core.formula.syntax.mathml_elements import Element, plain_letters
from eic_core.formula.syntax.names import Names, refuse_function
from eic_core.formula.syntax.reading import Refusal, Report, insert
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    COMMA,
    DECIMAL,
    END,
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

_SIGNS = {
    "+": "+",
    "-": "-",
    "−": "-",
    "–": "-",
    "*": "*",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∗": "*",
    "∙": "*",
    "•": "*",
    "\u2062": "*",
    "/": "/",
    "÷": "/",
    "∕": "/",
    "\u2044": "/",
    "^": "^",
    "\u2064": "+",
}
_WHOLE = re.compile(r"-?[0-9]{1,6}")
_MANTISSA = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_CLOSING = {")": ")", "]": "]", "}": "}", "⌋": "⌋", "⌉": "⌉"}
_GROUPS = frozenset("math mrow mstyle mpadded semantics mfenced merror".split())
_SILENT = frozenset("mspace annotation annotation-xml mphantom maligngroup malignmark none".split())
_ACCENTS = {
    "^": "hat",
    "ˆ": "hat",
    "̂": "hat",
    "¯": "bar",
    "‾": "bar",
    "_": "bar",
    "~": "tilde",
    "˜": "tilde",
    "→": "vec",
}
_OPERATORS = re.compile("[ΓΦℜℑ]")
"""Letters that are functions before brackets."""
_DECIMAL = re.compile(rf"([-−+]?+)({DECIMAL})\Z")


class Displayed(Grammar):
    """Operands side by side are factors, as in LaTeX."""

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        if before.kind == token.kind == NUMBER:
            self.report.fail(
                "two numbers side by side",
                before.start,
                token.end,
                "write an operator between them",
            )
        if (mixed := mixed_number(tokens, index)) is not None:
            start, middle, end = mixed
            pieces = [(start, "<mo>(</mo>"), (middle, "<mo>+</mo>"), (end, "<mo>)</mo>")]
            self.report.fail(
                "a number before a fraction may be a sum or a product",
                start,
                end,
                "write `<mo>+</mo>` or `<mo>⋅</mo>` between them",
                choices=(
                    ("a mixed number, the sum", insert(self.report.text, pieces)),
                    ("a product", insert(self.report.text, [(middle, "<mo>⋅</mo>")])),
                ),
            )
        written = html.unescape(self.report.text[before.start : before.end])
        is_applied = before.kind == NAME and token.kind == OPEN and token.text in "(["
        is_operator = _OPERATORS.search(written) or (before.text == "E" and token.text == "[")
        if is_applied and is_operator and not self.names.is_known(before.text):
            self.report.fail(
                f"the operator `{before.text}` is not read",
                before.start,
                before.end,
                "write out what it is; for a product write `<mo>⋅</mo>` between the factors",
            )
        if before.kind == NAME and before.text in ("f", "g", "h") and token.text == "(":
            refuse_function(self.report, before.text, before.start, before.end)
        for row in reversed(pending):
            top = Pending._make(row)
            if top.precedence == FUNCTION_PRECEDENCE:
                loose = token.kind in (PREFIX, OPEN) or (
                    token.kind == CALL and token.text not in _OWN_CALLS
                )
                return 20 if loose else TIGHT_PRODUCT
            if top.name == "div":
                return self._after_slash(tokens, index, top)
            if top.precedence <= 20:
                break
        return 20

    def _after_slash(self, tokens: list[TokenRow], index: int, slash: Pending) -> int:
        """As in LaTeX: ``1/2 x`` is ½·x, of ``x/2 y`` the product is the denominator."""
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        text, start = self.report.text, slash.end
        if joins_numbers(tokens, index):
            self.report.note("the product after this fraction multiplies it", (start, token.end))
            end = run_end(tokens, index, False)
            self.report.alternative(
                "the product is the denominator",
                lambda: insert(text, [(start, "<mo>(</mo>"), (end, "<mo>)</mo>")]),
            )
            return 20
        self.report.note("the product after the slash is the denominator", (slash.start, token.end))
        self.report.alternative(
            "only the first factor is the denominator",
            lambda: insert(text, [(before.end, "<mo>⋅</mo>")]),
        )
        return TIGHT_PRODUCT

    def factor(self, token: TokenRow) -> None:
        refuse_function(self.report, token[1], token[2], token[3])


def _differs(element: Element, alone: bool = False) -> bool:
    """Whether a part of a fraction is a differential: a ``d`` and a variable, or with `alone` a
    ``d``.
    """
    parts = element.elements if element.tag == "mrow" else [element]
    first = parts[0] if parts else element
    first = first.elements[0] if first.tag == "msup" and first.elements else first
    if first.tag not in ("mi", "mo") or first.content not in ("d", "ⅆ", "∂"):
        return False
    return len(parts) > 1 and parts[1].tag != "mo" or (alone and len(parts) == 1)


_OWN_CALLS = ("frac", "sqrt", "root")


class Presentation:
    """Turns presentation into tokens over a stack of what is still to be read."""

    def __init__(self, report: Report, names: Names) -> None:
        self.report = report
        self.names = names
        self.scripts = Scripts(report, names)
        self.tokens: list[TokenRow] = []
        self.todo: list[Element | TokenRow] = []

    def scan(self, root: Element) -> list[TokenRow]:
        """The shared tokens, closed by `END`."""
        self.todo.append(root)
        while self.todo:
            item = self.todo.pop()
            if isinstance(item, Element):
                self.element(item)
            else:
                self.tokens.append(item)
        self.tokens.append((END, "", root.end, root.end, None))
        self.scripts.offer_reciprocals("<mn>-1.0</mn>")
        return self.right_side()

    def right_side(self) -> list[TokenRow]:
        """The tokens behind an equals sign, if only a name stands before it."""
        place = next((i for i, row in enumerate(self.tokens) if row[:2] == (BAD, "=")), -1)
        if place < 0:
            return self.tokens
        row = self.tokens[place]
        named = self.tokens[0][0] == NAME and (place == 1 or self.tokens[1][:2] == (OPEN, "("))
        if not named or (place > 1 and self.tokens[place - 1][0] != CLOSE):
            self.report.fail("this is an equation", row[2], row[3], "give only one side")
        self.report.note(
            f"only the right-hand side of `{self.tokens[0][1]} = …` is read",
            (self.tokens[0][2], row[3]),
        )
        return self.tokens[place + 1 :]

    def plan(self, *items: Element | TokenRow) -> None:
        self.todo.extend(reversed(items))

    def element(self, element: Element) -> None:
        tag, inner, span = element.tag, element.elements, (element.start, element.end)
        if tag in _SILENT:
            return
        if tag in ("mi", "mtext", "ms"):
            self.word(element)
        elif tag == "mn":
            self.number(element)
        elif tag == "mo":
            self.mark(element)
        elif tag == "semantics":
            self.plan(*inner[:1])
        elif tag == "mfenced":
            self.fenced(element)
        elif tag in _GROUPS:
            if any(not child.tag for child in element.children):
                self.report.fail(
                    f"text in `<{tag}>`", *span, "put it into `<mi>`, `<mn>` or `<mo>`"
                )
            self.plan(*inner)
        elif tag == "msqrt":
            self.plan(
                (CALL, "sqrt", *span, FUNCTIONS["sqrt"]),
                *inner,
                (CLOSE, ")", span[1], span[1], None),
            )
        elif tag in ("mfrac", "mroot", "msup", "msub", "mover", "munder", "msubsup"):
            if len(inner) != (3 if tag == "msubsup" else 2):
                self.report.fail(f"`<{tag}>` has {len(inner)} parts", *span, "check their number")
            self.script(element, inner)
        else:
            self.report.fail(
                f"`<{tag[:40]}>` is not read", *span, "use rows, fractions, roots, powers and names"
            )

    def script(self, element: Element, inner: list[Element]) -> None:
        """A tag of two or three parts."""
        tag, span = element.tag, (element.start, element.end)
        comma: TokenRow = (COMMA, ",", inner[0].end, inner[0].end, None)
        closing: TokenRow = (CLOSE, ")", span[1], span[1], None)
        if tag == "mfrac":
            if not self.names.is_known("d") and _differs(inner[0], True) and _differs(inner[1]):
                fail_derivative(self.report, *span)
            self.plan((CALL, "frac", *span, FUNCTIONS["div"]), inner[0], comma, inner[1], closing)
        elif tag == "mroot":
            self.plan((CALL, "root", *span, FUNCTIONS["root"]), inner[0], comma, inner[1], closing)
        elif tag == "msup":
            self.power(inner[0], inner[1], span)
        elif tag == "msub":
            self.subscripted(inner[0], inner[1], span)
        elif tag == "msubsup":
            row = self.name_token(inner[0], inner[1], span)
            self.plan(row, *self.raised(inner[2], span[1]))
        elif tag == "mover" and inner[1].tag == "mo" and inner[1].content in _ACCENTS:
            self.tokens.append(
                (
                    NAME,
                    f"{plain_letters(inner[0].content)}_{_ACCENTS[inner[1].content]}",
                    *span,
                    None,
                )
            )
        else:
            self.report.fail(f"`<{tag}>` is not read", *span, "write it out")

    def raised(self, exponent: Element, end: int) -> tuple[Element | TokenRow, ...]:
        """``^`` and an exponent, up to the end of the tag that holds both."""
        start = exponent.start
        return (
            (OPERATOR, "^", start, start, None),
            (OPEN, "(", start, start, None),
            exponent,
            (CLOSE, ")", end, end, None),
        )

    def power(self, base: Element, exponent: Element, span: tuple[int, int]) -> None:
        """``<msup>``: of an operand, of a closing bracket, or of a function's name."""
        if base.tag == "mo":
            self.plan(base, *self.raised(exponent, span[1]))
            return
        name = plain_letters(base.content) if base.tag == "mi" else ""
        function = self.function(name, span) if len(name) > 1 else None
        if function is not None:
            text = exponent.content.replace("−", "-")
            where = (exponent.start, exponent.end)
            raised = self.scripts.function_power(name, function, text, *span, where)
            self.tokens.append((PREFIX, name, *span, raised))
            return
        if self.scientific(base, exponent, span):
            return
        start, end = base.start, base.end
        self.plan(
            (OPEN, "(", start, start, None),
            base,
            (CLOSE, ")", end, end, None),
            *self.raised(exponent, span[1]),
        )

    def subscripted(self, base: Element, script: Element, span: tuple[int, int]) -> None:
        """``<msub>``: a name, or a logarithm with its base."""
        name = plain_letters(base.content)
        if name == "log":
            while script.tag in ("mrow", "mstyle") and len(script.elements) == 1:
                script = script.elements[0]
            parts = script.elements if script.tag == "mfrac" else ()
            said = "/".join(part.content for part in parts) if parts else script.content
            function = self.scripts.log_with_base(name, said, *span)
            self.tokens.append((PREFIX, name, *span, function))
        else:
            self.tokens.append(self.name_token(base, script, span))

    def name_token(self, base: Element, script: Element, span: tuple[int, int]) -> TokenRow:
        mark = re.sub(r"[\s,]+", "_", plain_letters(script.content))
        if base.tag != "mi" or not re.fullmatch(r"\w+", mark):
            self.report.fail("this subscript is not read", *span, "use letters and digits")
        return (NAME, f"{plain_letters(base.content)}_{mark}", *span, None)

    def function(self, name: str, span: tuple[int, int]) -> Function | None:
        if self.names.is_column(name):
            return None
        try:
            return self.names.function(name)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def word(self, element: Element) -> None:
        span = (element.start, element.end)
        name = plain_letters(element.content)
        if not name:
            return
        if element.tag == "mtext" and not self.names.is_known(name):
            said = said_by(name)[0]
            if said:
                self.report.fail(
                    f"`{said}` is said of a formula or of a case",
                    *span,
                    "leave it out, with the condition behind it",
                )
            if SOME_UNITS.match(name):
                self.report.note(f"`{name[:40]}` is read as a variable, not as a unit", span)
        function = self.function(name, span) if len(name) > 1 else None
        if function is not None:
            self.tokens.append((PREFIX, name, *span, function))
        else:
            self.tokens.append((NAME, "e" if name in ("ⅇ", "\u2147") else name, *span, None))

    def scientific(self, base: Element, exponent: Element, span: tuple[int, int]) -> bool:
        """Whether this was the second half of ``2.5×10^−3``, which is one number."""
        power = exponent.content.replace("−", "-")
        if base.tag != "mn" or base.content != "10" or not _WHOLE.fullmatch(power):
            return False
        if len(self.tokens) < 2 or self.tokens[-1][:2] != (OPERATOR, "*"):
            return False
        if "×" not in self.report.text[self.tokens[-1][2] : self.tokens[-1][3]]:
            return False  # a product
        kind, mantissa, start, *_ = self.tokens[-2]
        if kind != NUMBER or not _MANTISSA.fullmatch(mantissa):
            return False
        if len(self.tokens) > 2 and self.tokens[-3][1] in ("^", "/"):
            return False
        del self.tokens[-2:]
        self.tokens.append((NUMBER, f"{mantissa}e{power}", start, span[1], None))
        return True

    def number(self, element: Element) -> None:
        span = (element.start, element.end)
        text = element.content
        comma = re.fullmatch(r"([-−]?[0-9]+),([0-9]+)", text)
        if comma and (len(comma[2]) != 3 or comma[1] in ("0", "-0")):
            self.report.note("a comma between digits is read as the decimal mark", span)
            text = text.replace(",", ".")
        match = _DECIMAL.match(text)
        if match is None:
            self.report.fail(f"`{text[:40]}` is not a number", *span, "write it as `2.5`")
        if match[1] in ("-", "−"):
            self.tokens.append((OPERATOR, "-", *span, None))
        self.tokens.append((NUMBER, match[2], *span, None))

    def mark(self, element: Element) -> None:
        """An operator, a bracket or what is invisible."""
        span = (element.start, element.end)
        text = element.content
        if text in ("", "\u2061"):
            return
        if text in _SIGNS:
            self.tokens.append((OPERATOR, _SIGNS[text], *span, None))
        elif text in ("(", "[", "{", "⌊", "⌈"):
            self.opened(text, span)
        elif text in _CLOSING:
            self.tokens.append((CLOSE, text, *span, None))
        elif text in ("|", "∣", "‖"):
            self.tokens.append((BAR, "|", *span, None))
        elif text in (",", ";", "\u2063"):
            self.tokens.append((COMMA, ",", *span, None))
        elif text[0].isalpha():
            self.word(element)
        else:
            self.tokens.append((BAD, text, *span, None))

    def opened(self, text: str, span: tuple[int, int]) -> None:
        """An opening bracket: a function's own if one stands before it."""
        if self.tokens and self.tokens[-1][0] == PREFIX and text == "(":
            _, name, start, _, function = self.tokens.pop()
            self.tokens.append((CALL, name, start, span[1], function))
            return
        self.tokens.append((OPEN, text, *span, None))

    def fenced(self, element: Element) -> None:
        """``<mfenced>``: brackets as attributes, commas between its parts."""
        opener, closer = element.attribute("open", "("), element.attribute("close", ")")
        start, end = element.start, element.end
        bar = opener == closer == "|"
        if not bar and _CLOSING.get(closer) is None:
            self.report.fail("these brackets are not read", start, end, "use parentheses")
        parts: list[Element | TokenRow] = []
        for child in element.elements:
            if parts:
                parts.append((COMMA, ",", child.start, child.start, None))
            parts.append(child)
        if bar:
            self.tokens.append((OPEN, "|", start, start, None))
        else:
            self.opened(opener, (start, start))
        self.plan(*parts, (CLOSE, closer, end, end, None))
