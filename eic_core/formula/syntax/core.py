"""The parser that every infix notation shares: precedences over a stack, no recursion.

A language turns its text into tokens and hands them to `parse`, with a
`Grammar` that says what its names mean and what two operands side by side
mean.  Precedence is Python's.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from eic_core.formula.syntax.build import Function, Refusal, number_label, power
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import MAX_DEPTH, Report
from eic_core.formula.tree import Draft, constant

# Kinds of token.
NUMBER, NAME, CALL, OPEN, CLOSE, COMMA, OPERATOR, BAR, SUPERSCRIPT, LEAF, PREFIX, END = range(12)
BAD = 12

FUNCTION_PRECEDENCE = 25
TIGHT_PRODUCT = 27
_ADD, _MUL, _NEG, _POW, _ROOT = 10, 20, 30, 40, 45
_BINARY = {
    "+": (_ADD, "add"),
    "-": (_ADD, "sub"),
    "*": (_MUL, "mul"),
    "/": (_MUL, "div"),
    "^": (_POW, "pow"),
}
_CLOSERS = {"(": ")", "[": "]", "{": "}", "|": "|", "⌊": "⌋", "⌈": "⌉"}
_WORDS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}


class Token(NamedTuple):
    """One token: kind, text (or what it stands for), and [start, end) in the source."""

    kind: int
    text: str
    start: int
    end: int
    extra: Function | Draft | None = None


class Pending(NamedTuple):
    """An operator that waits for its right operand, or an open bracket (precedence 0)."""

    precedence: int
    name: str
    start: int
    end: int
    extra: Function | None
    base: int


class Grammar:
    """What differs between the infix notations.

    Parameters
    ----------
    names : Names
        The meaning of names.
    report : Report
        Where notes and errors go.
    """

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report

    def side_by_side(self, tokens: list[Token], index: int, pending: list[Pending]) -> int:
        """The precedence of the product understood between tokens `index`-1 and `index`.

        Raises
        ------
        FormulaError
            If the notation has no such products.
        """
        raise NotImplementedError

    def factor(self, token: Token) -> None:
        """Note that ``name(`` is read as a product, or raise for an unknown function."""
        raise NotImplementedError


def parse(tokens: list[Token], grammar: Grammar) -> Draft:
    """The tree of a token list that ends in an `END` token.

    Raises
    ------
    FormulaError
        With the place and, where there is one, a remedy.
    """
    report, names = grammar.report, grammar.names
    operands: list[Draft] = []
    starts: list[int] = []
    ends: list[int] = []
    pending: list[Pending] = []
    depth = 0
    want = True
    index = 0

    def reduce(floor: int) -> None:
        while pending and pending[-1].precedence >= floor:
            top = pending.pop()
            name, right, high = top.name, operands[-1], ends[-1]
            if top.extra is not None or name == "neg":
                span = (top.start, high)
                starts[-1] = top.start
                if top.extra is None:
                    operands[-1] = Draft("neg", [right], "", None, span)
                else:
                    operands[-1] = _apply(report, top.extra, [right], span)
                continue
            operands.pop()
            starts.pop()
            ends.pop()
            span = (starts[-1], high)
            ends[-1] = high
            if name == "pow":
                try:
                    operands[-1] = power([operands[-1], right], span)
                except Refusal as refusal:
                    report.fail(refusal.message, *right.span, refusal.hint)
            else:
                operands[-1] = Draft(name, [operands[-1], right], "", None, span)

    while True:
        token = tokens[index]
        kind, text, start, end, extra = token
        index += 1
        if want:
            if kind == NUMBER:
                draft = constant(_label(report, token), (start, end))
            elif kind == NAME:
                try:
                    draft = names.leaf(text, (start, end))
                except Refusal as refusal:
                    report.fail(refusal.message, start, end, refusal.hint)
            elif kind == OPEN or kind == CALL or kind == BAR:
                function: Function | None = None
                if kind == CALL:
                    function = _called(grammar, token)
                    if function is None:  # `x(y+z)`: a product
                        grammar.factor(token)
                        report.products.append((start + len(text), end - 1))
                        draft = names.leaf(text, (start, start + len(text)))
                        operands.append(draft)
                        starts.append(start)
                        ends.append(start + len(text))
                        reduce(_MUL)
                        pending.append(Pending(_MUL, "mul", end - 1, end, None, 0))
                        start = end - 1
                depth += 1
                if depth > MAX_DEPTH:
                    report.fail(
                        f"brackets are nested more than {MAX_DEPTH:,} deep",
                        start,
                        end,
                        "write the formula with fewer brackets",
                    )
                name = "(" if kind == CALL else text
                pending.append(Pending(0, name, start, end, function, len(operands)))
                continue
            elif kind == OPERATOR and text == "-":
                after = tokens[index]
                if after.kind == NUMBER and not _raised(tokens[index + 1]):
                    index += 1
                    end = after.end
                    draft = constant("-" + _label(report, after), (start, end))
                else:
                    pending.append(Pending(_NEG, "neg", start, end, None, 0))
                    continue
            elif kind == OPERATOR and text == "+":
                continue
            elif kind == PREFIX:
                assert isinstance(extra, Function)
                precedence = _ROOT if text in "√∛∜" else FUNCTION_PRECEDENCE
                pending.append(Pending(precedence, text, start, end, extra, 0))
                continue
            elif kind == LEAF:
                assert isinstance(extra, Draft)
                draft = extra
            else:
                _missing(report, tokens, index - 1)
            operands.append(draft)
            starts.append(start)
            ends.append(end)
            want = False
            continue

        if kind == OPERATOR:
            precedence, name = _BINARY[text]
            reduce(precedence + (text == "^"))
            pending.append(Pending(precedence, name, start, end, None, 0))
            want = True
        elif kind == CLOSE or (kind == BAR and _closes_bar(pending, text)):
            reduce(1)
            if not pending:
                report.fail(
                    f"unbalanced parenthesis at column {start + 1}",
                    start,
                    end,
                    f"remove this `{text}` or open it before",
                )
            opened = pending.pop()
            depth -= 1
            if _CLOSERS[opened.name] != text:
                report.fail(
                    f"`{opened.name}` at column {opened.start + 1} is closed by `{text}`",
                    start,
                    end,
                    f"write `{_CLOSERS[opened.name]}`",
                )
            span = (opened.start, end)
            if opened.extra is not None:
                args = operands[opened.base :]
                del operands[opened.base :], starts[opened.base :], ends[opened.base :]
                operands.append(_apply(report, opened.extra, args, span))
                starts.append(opened.start)
                ends.append(end)
            else:
                if opened.name in "|⌊⌈":
                    operator = {"|": "abs", "⌊": "floor", "⌈": "ceil"}[opened.name]
                    operands[-1] = Draft(operator, [operands[-1]], "", None, span)
                starts[-1], ends[-1] = span
        elif kind == COMMA:
            reduce(1)
            if not pending or pending[-1].extra is None:
                report.fail(
                    f"unexpected `{text}`",
                    start,
                    end,
                    "commas separate a function's arguments; the decimal mark is a point",
                )
            want = True
        elif kind == SUPERSCRIPT:
            reduce(_ROOT)
            span = (starts[-1], end)
            digits = constant(text, (start, end))
            operands[-1] = power([operands[-1], digits], span)
            ends[-1] = end
        elif kind == END:
            reduce(1)
            if pending:
                opened = pending[-1]
                _unclosed(report, opened, pending)
            return operands[-1]
        elif (kind == NAME or kind == CALL) and text in _WORDS and not names.is_column(text):
            middle = start + len(text)
            precedence, name = _BINARY[_WORDS[text]]
            reduce(precedence + (name == "pow"))
            pending.append(Pending(precedence, name, start, middle, None, 0))
            if kind == CALL:
                index -= 1
                tokens[index] = Token(OPEN, "(", end - 1, end)
            want = True
        else:
            if kind == BAD or kind == PREFIX and text in "√∛∜":
                _missing(report, tokens, index - 1)
            precedence = grammar.side_by_side(tokens, index - 1, pending)
            report.products.append((tokens[index - 2].end, start))
            reduce(precedence)
            pending.append(Pending(precedence, "mul", start, start, None, 0))
            index -= 1
            want = True


def _label(report: Report, token: Token) -> str:
    try:
        return number_label(token.text)
    except Refusal as refusal:
        report.fail(refusal.message, token.start, token.end, refusal.hint)


def _raised(token: Token) -> bool:
    return token.kind == SUPERSCRIPT or (token.kind == OPERATOR and token.text == "^")


def _closes_bar(pending: list[Pending], text: str) -> bool:
    """Whether `text` closes the innermost open bracket, a bar."""
    for top in reversed(pending):
        if top.precedence == 0:
            return top.name == "|" and text == "|"
    return False


def _apply(report: Report, function: Function, args: list[Draft], span: tuple[int, int]) -> Draft:
    count = len(args)
    if not function.low <= count <= function.high:
        wanted = str(function.low) if function.low == function.high else f"{function.low} or more"
        if function.high == 2 and function.low == 1:
            wanted = "1 or 2"
        plural = "" if wanted == "1" else "s"
        report.fail(
            f"`{function.name}` takes {wanted} argument{plural}, not {count}",
            *span,
            "separate arguments by commas",
        )
    try:
        return function.build(args, span)
    except Refusal as refusal:
        report.fail(refusal.message, *span, refusal.hint)


def _called(grammar: Grammar, token: Token) -> Function | None:
    if isinstance(token.extra, Function):
        return token.extra
    try:
        return grammar.names.function(token.text)
    except Refusal as refusal:
        end = token.start + len(token.text)
        grammar.report.fail(refusal.message, token.start, end, refusal.hint)


def _missing(report: Report, tokens: list[Token], index: int) -> NoReturn:
    """Raise for a token that cannot start an operand, or a bad character anywhere."""
    token = tokens[index]
    before = tokens[index - 1] if index else None
    if token.kind == BAD:
        _bad_character(report, token)
    if token.kind == END and before is None:
        report.fail("there is no formula", token.start, token.end, "write one, such as `x*y + 1`")
    place = (token.start, token.end)
    if before is None:
        report.fail(f"missing operand before `{token.text}`", *place, "write one or remove it")
    if before.kind in (OPEN, CALL) and token.kind == CLOSE:
        report.fail(
            "nothing between these parentheses", before.start, token.end, "write an operand"
        )
    if token.kind == END:
        place = (before.start, before.end)
    if before.kind in (OPEN, CALL, BAR):
        what = "end of the text" if token.kind == END else f"`{token.text}`"
        report.fail(f"missing operand before the {what}".replace("the `", "`"), *place, "write one")
    written = report.text[before.start : before.end].strip() or before.text
    report.fail(f"missing operand after `{written}`", *place, "write one or remove it")


_EXPLAINED = {
    "=": ("this is an equation or an assignment", "give only one right-hand side"),
    "<": ("comparisons are not supported", "write a formula with a number as its value"),
    ">": ("comparisons are not supported", "write a formula with a number as its value"),
    "'": ("text in quotes is not part of a formula", "remove it"),
    '"': ("text in quotes is not part of a formula", "remove it"),
    ".": ("attributes are not supported", "write a decimal as `0.5`, a product as `x*y`"),
    ":": ("`:` has no meaning in a formula", "remove it"),
    "%": ("the remainder is not supported", "write the formula without `%`"),
    "!": ("factorials are not supported", "write the number out"),
    "\\": ("a backslash has no meaning here", "paste LaTeX whole, or remove it"),
    "_": ("`_` has no meaning here", "attach a subscript to a name, as in `x_0`"),
}


def _bad_character(report: Report, token: Token) -> NoReturn:
    message, hint = _EXPLAINED.get(
        token.text[:1], (f"`{token.text}` has no meaning in a formula", "remove it")
    )
    report.fail(message, token.start, token.end, hint)


def _unclosed(report: Report, opened: Pending, pending: list[Pending]) -> NoReturn:
    closers = "".join(_CLOSERS[p.name] for p in reversed(pending) if p.precedence == 0)
    report.fail(
        f"unbalanced parenthesis at column {opened.end}",
        opened.end - 1 if opened.end > opened.start else opened.start,
        opened.end,
        f"close this `{opened.name}`",
        report.text.rstrip() + closers if len(closers) <= 20 else None,
    )
