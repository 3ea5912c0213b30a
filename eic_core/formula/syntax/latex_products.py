"""Products that LaTeX leaves unwritten, and the ambiguities they bring."""

from __future__ import annotations

from eic_core.formula.syntax.core import FUNCTION_PRECEDENCE, TIGHT_PRODUCT, Grammar
from eic_core.formula.syntax.names import suggestion
from eic_core.formula.syntax.reading import insert
from eic_core.formula.syntax.tokens import (
    CALL,
    CLOSE,
    COMMA,
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

_LOOSE = 20


class Latex(Grammar):
    """Operands side by side are factors.

    A function without parentheses takes the whole product that follows
    (``\\sin 2x``), up to the next operator, function or parenthesis.  After a
    slash such a product is the denominator (``h/2\\pi``), unless the slash
    joins two numbers (``1/2 x``).
    """

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
        if before.kind == NAME and token.kind == OPEN and token.text == "(":
            self._call_or_product(before, token)
        for row in reversed(pending):
            top = Pending._make(row)
            if top.precedence == FUNCTION_PRECEDENCE:
                return self._in_argument(tokens, index, top)
            if top.name == "div":
                return self._after_slash(tokens, index, top)
            if top.precedence <= _LOOSE:
                break
        return _LOOSE

    def _call_or_product(self, name: Token, bracket: Token) -> None:
        if name.text in "fgh" and not self.names.is_column(name.text):
            self.report.fail(
                f"unknown function `{name.text}`",
                name.start,
                name.end,
                suggestion(name.text),
                insert(self.report.text, [(name.end, " \\cdot ")]),
            )
        if name.text in ("pi", "e") or name.end != bracket.start:
            return
        self.report.note(
            f"`{name.text}(…)` is read as a product, not as a call", (name.start, bracket.end)
        )
        self.report.alternative(
            "the same product, written out",
            lambda: insert(self.report.text, [(name.end, " \\cdot ")]),
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
                lambda: self._wrapped(function.end, self._run_end(tokens, index, True)),
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
        numbers = before.kind == NUMBER and first.kind == NUMBER
        report = self.report
        span = (first.start if numbers else slash.start, token.end)
        if numbers and tokens[index - 2][1] == "/":
            report.note("the product after this fraction multiplies it", span)
            report.alternative(
                "the product is the denominator",
                lambda: self._wrapped(slash.end, self._run_end(tokens, index, False)),
            )
            return _LOOSE
        report.note("the product after the slash is the denominator", span)
        report.alternative(
            "only the first factor is the denominator",
            lambda: insert(report.text, [(before.end, " \\cdot ")]),
        )
        return TIGHT_PRODUCT

    def _wrapped(self, start: int, end: int) -> str:
        """The text with parentheses around [start, end)."""
        text = self.report.text
        inner = text[start:end]
        padding = len(inner) - len(inner.lstrip())
        return insert(text, [(start + padding, "("), (end, ")")])

    @staticmethod
    def _run_end(tokens: list[TokenRow], index: int, with_brackets: bool) -> int:
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
