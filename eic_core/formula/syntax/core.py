"""The parser that every infix notation shares: precedences over a stack, no recursion.

A language turns its text into tokens and hands them to `parse`, with a
`Grammar` that says what its names mean and what two operands side by side
mean.  Precedence is Python's.
"""

from __future__ import annotations

from eic_core.formula.syntax.build import Function, Refusal, number_label, power
from eic_core.formula.syntax.complaints import missing, unclosed
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import MAX_DEPTH, MAX_NODES, Report
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    CLOSERS,
    COMMA,
    END,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PREFIX,
    SUPERSCRIPT,
    Pending,
    Token,
)
from eic_core.formula.tree import Draft, constant

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
ROOT_SIGNS = frozenset("√∛")
_BRACKET_OPERATORS = {"|": "abs", "⌊": "floor", "⌈": "ceil"}
_WORDS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}


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
    if len(tokens) > MAX_NODES:
        leaves = [token for token in tokens if token.kind in (NUMBER, NAME, LEAF)]
        if len(leaves) > MAX_NODES:
            grammar.report.fail(
                f"the formula has more than {MAX_NODES:,} nodes", 0, leaves[0].end, "split it"
            )
    return _Parser(tokens, grammar).parse()


class _Parser:
    """Operands and waiting operators on two stacks.

    `starts` and `ends` hold how far each operand reaches in the source, its
    parentheses included; a node's own span leaves them out.
    """

    def __init__(self, tokens: list[Token], grammar: Grammar) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.report = grammar.report
        self.names = grammar.names
        self.index = 0
        self.depth = 0
        self.operands: list[Draft] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.pending: list[Pending] = []

    def parse(self) -> Draft:
        """Alternate between wanting an operand and wanting an operator."""
        want = True
        tokens, operand, operator = self.tokens, self.operand, self.operator
        while True:
            token = tokens[self.index]
            self.index += 1
            if want:
                want = operand(token)
            elif token.kind == END:
                self.reduce(1)
                if self.pending:
                    unclosed(self.report, self.pending)
                return self.operands[-1]
            else:
                want = operator(token)

    def operand(self, token: Token) -> bool:
        """Take a token where an operand is wanted; whether one still is."""
        kind, text, start, end, extra = token
        if kind == NUMBER:
            self.push(constant(self.number(token), (start, end)), start, end)
            return False
        if kind == NAME:
            self.push(self.leaf(text, start, end), start, end)
            return False
        if kind == OPEN or kind == BAR:
            self.open(text, start, end, None)
        elif kind == CALL:
            self.call(token)
        elif kind == OPERATOR and text == "-":
            after = self.tokens[self.index]
            if after.kind == NUMBER and not _raised(self.tokens[self.index + 1]):
                self.index += 1
                label = "-" + self.number(after)
                self.push(constant(label, (start, after.end)), start, after.end)
                return False
            self.pending.append(Pending(_NEG, "neg", start, end, None, 0))
        elif kind == PREFIX:
            precedence = _ROOT if text in ROOT_SIGNS else FUNCTION_PRECEDENCE
            assert isinstance(extra, Function)
            self.pending.append(Pending(precedence, text, start, end, extra, 0))
        elif kind == LEAF:
            assert isinstance(extra, Draft)
            self.push(extra, start, end)
            return False
        elif kind != OPERATOR or text != "+":
            missing(self.report, self.tokens, self.index - 1)
        return True

    def operator(self, token: Token) -> bool:
        """Take a token where an operator is wanted; whether an operand is wanted next."""
        kind, text, start, end, _ = token
        if kind == OPERATOR:
            self.infix(text, start, end)
            return True
        if kind == CLOSE or (kind == BAR and self.closes_bar()):
            self.close(text, start, end)
            return False
        if kind == COMMA:
            self.reduce(1)
            if not self.pending or self.pending[-1].extra is None:
                hint = "commas separate a function's arguments; the decimal mark is a point"
                self.report.fail(f"unexpected `{text}`", start, end, hint)
            return True
        if kind == SUPERSCRIPT:
            self.reduce(_ROOT)
            exponent = constant(self.signed(token), (start, end))
            self.operands[-1] = self.power(self.operands[-1], exponent, (self.starts[-1], end))
            self.ends[-1] = end
            return False
        if kind == BAD or (kind == PREFIX and text in ROOT_SIGNS):
            missing(self.report, self.tokens, self.index - 1)
        if (kind == NAME or kind == CALL) and text in _WORDS and not self.names.is_column(text):
            self.infix(_WORDS[text], start, start + len(text))
            if kind == CALL:
                self.open("(", end - 1, end, None)
            return True
        precedence = self.grammar.side_by_side(self.tokens, self.index - 1, self.pending)
        self.report.products.append((self.tokens[self.index - 2].end, start))
        self.reduce(precedence)
        self.pending.append(Pending(precedence, "mul", start, start, None, 0))
        self.index -= 1
        return True

    def push(self, draft: Draft, start: int, end: int) -> None:
        """Put a finished operand on the stack."""
        self.operands.append(draft)
        self.starts.append(start)
        self.ends.append(end)

    def infix(self, text: str, start: int, end: int) -> None:
        """A binary operator: what binds at least as tightly is finished first."""
        precedence, name = _BINARY[text]
        self.reduce(precedence + (text == "^"))
        self.pending.append(Pending(precedence, name, start, end, None, 0))

    def reduce(self, floor: int) -> None:
        """Finish the waiting operators down to precedence `floor`."""
        pending, operands, starts, ends = self.pending, self.operands, self.starts, self.ends
        while pending and pending[-1].precedence >= floor:
            _, name, start, _, function, _ = pending.pop()
            if function is not None or name == "neg":
                starts[-1] = start
                span = (start, ends[-1])
                if function is None:
                    operands[-1] = Draft("neg", [operands[-1]], "", None, span)
                else:
                    operands[-1] = self.apply(function, [operands[-1]], span)
                continue
            right = operands.pop()
            ends[-2:] = ends[-1:]
            starts.pop()
            span = (starts[-1], ends[-1])
            if name == "pow":
                operands[-1] = self.power(operands[-1], right, span)
            else:
                operands[-1] = Draft(name, [operands[-1], right], "", None, span)

    def open(self, name: str, start: int, end: int, function: Function | None) -> None:
        """An opening bracket."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            hint = "write the formula with fewer brackets"
            self.report.fail(f"brackets are nested more than {MAX_DEPTH:,} deep", start, end, hint)
        self.pending.append(Pending(0, name, start, end, function, len(self.operands)))

    def call(self, token: Token) -> None:
        """``name(``: a function, or a factor before a parenthesis."""
        _, text, start, end, extra = token
        middle = start + len(text)
        function = extra if isinstance(extra, Function) else self.function(text, start, middle)
        if function is None:
            self.grammar.factor(token)
            self.push(self.leaf(text, start, middle), start, middle)
            self.report.products.append((middle, end - 1))
            self.infix("*", middle, middle)
            start = end - 1
        self.open("(", start, end, function)

    def close(self, text: str, start: int, end: int) -> None:
        """A closing bracket: apply the function or the bars it ends."""
        self.reduce(1)
        if not self.pending:
            self.report.fail(
                f"unbalanced parenthesis at column {start + 1}", start, end,
                f"remove this `{text}` or open it before",
            )  # fmt: skip
        opened = self.pending.pop()
        self.depth -= 1
        if CLOSERS[opened.name] != text:
            self.report.fail(
                f"`{opened.name}` at column {opened.start + 1} is closed by `{text}`", start, end,
                f"write `{CLOSERS[opened.name]}`",
            )  # fmt: skip
        span = (opened.start, end)
        if opened.extra is not None:
            base = opened.base
            args = self.operands[base:]
            del self.operands[base:], self.starts[base:], self.ends[base:]
            self.push(self.apply(opened.extra, args, span), *span)
            return
        if opened.name in _BRACKET_OPERATORS:
            operator = _BRACKET_OPERATORS[opened.name]
            self.operands[-1] = Draft(operator, [self.operands[-1]], "", None, span)
        self.starts[-1], self.ends[-1] = span

    def closes_bar(self) -> bool:
        """Whether a bar closes the innermost open bracket."""
        return next(
            (top.name == "|" for top in reversed(self.pending) if not top.precedence), False
        )

    def number(self, token: Token) -> str:
        """The label of a number."""
        try:
            return number_label(token.text)
        except Refusal as refusal:
            self.report.fail(refusal.message, token.start, token.end, refusal.hint)

    def signed(self, token: Token) -> str:
        """The label of a superscript, which may carry a minus."""
        sign = "-" if token.text.startswith("-") else ""
        return sign + self.number(token._replace(text=token.text.lstrip("-")))

    def leaf(self, name: str, start: int, end: int) -> Draft:
        """The leaf that a name stands for."""
        try:
            return self.names.leaf(name, (start, end))
        except Refusal as refusal:
            self.report.fail(refusal.message, start, end, refusal.hint)

    def function(self, name: str, start: int, end: int) -> Function | None:
        """The function of that name, None if there is none."""
        try:
            return self.names.function(name)
        except Refusal as refusal:
            self.report.fail(refusal.message, start, end, refusal.hint)

    def power(self, base: Draft, exponent: Draft, span: tuple[int, int]) -> Draft:
        """A power, exact if its exponent is a literal."""
        try:
            return power([base, exponent], span)
        except Refusal as refusal:
            self.report.fail(refusal.message, *exponent.span, refusal.hint)

    def apply(self, function: Function, args: list[Draft], span: tuple[int, int]) -> Draft:
        """What a function makes of its arguments."""
        count, low, high = len(args), function.low, function.high
        if not low <= count <= high:
            wanted = f"{low}" if low == high else "1 or 2" if high == 2 else f"{low} or more"
            self.report.fail(
                f"`{function.name}` takes {wanted} argument{'' if wanted == '1' else 's'},"
                f" not {count}", *span, "separate arguments by commas",
            )  # fmt: skip
        try:
            return function.build(args, span)
        except Refusal as refusal:
            self.report.fail(refusal.message, *span, refusal.hint)


def _raised(token: Token) -> bool:
    return token.kind == SUPERSCRIPT or (token.kind == OPERATOR and token.text == "^")
