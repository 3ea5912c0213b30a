"""The parser that every infix notation shares, and its errors for text that it cannot read. A
language hands its tokens to `parse` with a `Grammar`, which gives the meaning of names and of two
operands side by side. Precedence is Python's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, NoReturn, TypeVar

from eic_core.formula.syntax.build import (
    FUNCTIONS,
    Function,
    literal,
    logarithm,
    number_label,
    power,
    root,
)
from eic_core.formula.syntax.conditions import (
    ALTERNATIVES,
    AND,
    AND_PRECEDENCE,
    ASKING,
    IF_PRECEDENCE,
    JOINTS,
    NEGATION,
    NEGATIONS,
    NOT_PRECEDENCE,
    OR_PRECEDENCE,
    PAIR,
    PIECEWISE,
    QUESTIONS,
    RELATION_PRECEDENCE,
    RELATIONS,
    TRUTHS,
    choice,
    is_truth,
)
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import MAX_DEPTH, MAX_NODES, Refusal, Report, replaced
from eic_core.formula.syntax.refusals import (
    CLOSED_BY_ANOTHER,
    COMMA_IN_CALL,
    COMMA_IN_NUMBER,
    COMMA_OUTSIDE,
    LABEL,
    NESTED,
    NO_CONDITION,
    NO_OTHER_BRANCH,
    RANGE,
    TOO_MANY_NODES,
    refuse,
    refuse_count,
    refuse_missing_operand,
    refuse_unclosed_bracket,
)
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
    PendingRow,
    TokenRow,
)
from eic_core.formula.tree import CONSTANT, Draft, constant


def raised_function(
    tokens: list[TokenRow], index: int, called: Collection[str] = ("f", "g", "h")
) -> TokenRow | None:
    """The ``f`` of ``f^{-1}(x)`` or ``f²(x)``, whose bracket is the token at `index`."""
    place = index - 1
    if tokens[index][:2] != (OPEN, "(") or place < 1:
        return None
    if tokens[place][0] == SUPERSCRIPT:
        place -= 1
    else:
        depth = 0
        while place >= 0:
            depth += (tokens[place][0] == CLOSE) - (tokens[place][0] in (OPEN, CALL))
            if depth <= 0:
                break
            place -= 1
        place -= 1
        while place > 0 and tokens[place][:2] == (OPERATOR, "-"):
            place -= 1
        if place < 1 or tokens[place][:2] != (OPERATOR, "^"):
            return None
        place -= 1
    row = tokens[place]
    return row if place >= 0 and row[0] == NAME and row[1] in called else None


def end_of_operand(tokens: list[TokenRow], place: int) -> int:
    """Where the operand that begins at a token, maybe with a sign, ends in the source, powers
    included.
    """
    depth, end = 0, tokens[place][3]
    while tokens[place][0] != END:
        kind, text, _, end, _ = tokens[place]
        depth += (kind in (OPEN, CALL)) - (kind == CLOSE)
        place += 1
        if depth > 0 or kind in (OPERATOR, PREFIX):
            continue
        if tokens[place][:2] != (OPERATOR, "^") and tokens[place][0] != SUPERSCRIPT:
            break
    return end


_MOST_PARTS = 6
"""Most formulas with commas between them that are offered."""
_ONES = frozenset(("1", "-1"))
_DIVISOR = re.compile(r"\s*+/\s*+[2-9][0-9]*+(?![\w.(])")
"""What stands behind the 1 of ``x^1/2``."""
_SLASH = re.compile(r"\s*+/")
LOG10_LABEL = "logarithm to base 10"
FUNCTION_PRECEDENCE = 25
TIGHT_PRODUCT = 27
_ADD, _MUL, _NEG, _POW, _SIGN, _ROOT = 10, 20, 30, 40, 43, 45
TIGHTEST_PRODUCT = 41
"""The product of ``1/mc^2``: more tightly than the power before it, less so than the one behind."""
_BINARY = {
    "+": (_ADD, _ADD, "add"),
    "-": (_ADD, _ADD, "sub"),
    "*": (_MUL, _MUL, "mul"),
    "/": (_MUL, _MUL, "div"),
    "%": (_MUL, _MUL, "%"),
    "%%": (_MUL + 2, _MUL + 2, "mod"),
    "^": (_POW, TIGHTEST_PRODUCT + 1, "pow"),
}
"""Precedence, what is finished first, and operator."""
_JOINED = Function("joined", 2, 2, choice)
"""Marks what waits between two operands of a condition; `_Parser.joined` finishes it."""
_OF_CONDITIONS = frozenset((BAD, BAR, NAME, CALL, NUMBER, OPEN))
_OPENING = (OPEN, BAR)
_LEAVES = (NUMBER, NAME)
ROOT_SIGNS = frozenset("√∛")
_BRACKET_OPERATORS = {"|": "abs", "⌊": "floor", "⌈": "ceil"}
_WORDS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}


class Grammar:
    """What differs between the infix notations. With `sign_first` a sign binds more tightly than a
    power, as in spreadsheets; with `powers_from_left` ``a^b^c`` is (a^b)^c; `braces` enclose an
    exponent of several characters.
    """

    sign_first = False
    braces = "()"
    powers_from_left = False

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        """The precedence of the product understood between tokens `index`-1 and `index` (from 1).
        Raises `FormulaError` if the notation has no such products.
        """
        raise NotImplementedError

    def factor(self, token: TokenRow) -> None:
        """Note that ``name(`` is read as a product, or raise for an unknown function."""
        raise NotImplementedError


def parse(tokens: list[TokenRow], grammar: Grammar) -> Draft:
    """The tree of tokens that `END` closes. Raises `FormulaError` with the place and a remedy, if
    any.
    """
    if len(tokens) > MAX_NODES:
        leaves = [token for token in tokens if token[0] in (NUMBER, NAME, LEAF)]
        if len(leaves) > MAX_NODES:
            refuse(grammar.report, TOO_MANY_NODES, (0, leaves[0][3]))
    return _Parser(tokens, grammar).parse()


def apply_call(
    report: Report, names: Names, function: Function, args: list[Draft], span: tuple[int, int]
) -> Draft:
    """What a call at `span` builds, as in a text that is parsed here."""
    operands = [(draft, *draft.span) for draft in args]
    return _Parser([], Grammar(names, report)).called(function, operands, span)


Operand = tuple[Draft, int, int]
_Built = TypeVar("_Built")


class _Parser:
    """Operands and waiting operators on two stacks. The place of an operand includes its
    parentheses; a node's own span leaves them out.
    """

    def __init__(self, tokens: list[TokenRow], grammar: Grammar) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.report = grammar.report
        self.names = grammar.names
        self.index = 0  # of the token after the one at hand, for `operand` and `operator`
        self.depth = 0
        self.operands: list[Operand] = []
        self.pending: list[PendingRow] = []
        self.raised_root = False  # whether `√x²` was met
        self.divided_exponent = False  # whether `e^-t/tau` was met
        self.compared: dict[int, Draft] = {}  # of a comparison, its last operand

    def parse(self) -> Draft:
        """Alternate between operands and operators; the commonest tokens are handled here."""
        want, index = True, 0
        tokens, pending = self.tokens, self.pending
        push, leaf = self.operands.append, self.names.leaf
        while True:
            token = tokens[index]
            index += 1
            kind, text, start, end, _ = token
            if want:
                if kind in _OPENING:
                    self.open(text, start, end, None)
                elif kind in _LEAVES:
                    span = (start, end)
                    try:
                        if kind == NAME:
                            push((leaf(text, span), start, end))
                        else:
                            draft = Draft(CONSTANT, [], number_label(text), None, span)
                            push((draft, start, end))
                    except Refusal as refusal:
                        self.report.refuse(refusal, start, end)
                    want = False
                elif kind == CALL:
                    self.call(token)
                else:
                    self.index = index
                    want = self.operand(token)
                    index = self.index
            elif kind == OPERATOR:
                self.infix(text, start, end)
                want = True
            elif kind == CLOSE:
                self.close(text, start, end)
            elif kind == END:
                self.reduce(1)
                if pending:
                    refuse_unclosed_bracket(self.report, pending)
                return self.operands[-1][0]
            else:
                self.index = index
                want = self.operator(token)
                index = self.index

    def operand(self, token: TokenRow) -> bool:
        """Take a rarer token where an operand is wanted; whether one still is."""
        kind, text, start, end, extra = token
        if kind == OPERATOR and text == "-":
            kind, text, place, end_of_number, _ = self.tokens[self.index]
            sign_first = self.grammar.sign_first
            if kind == NUMBER and (sign_first or not _raised(self.tokens[self.index + 1])):
                self.index += 1
                label = "-" + self.placed((place, end_of_number), number_label, text)
                draft = constant(label, (start, end_of_number))
                self.operands.append((draft, start, end_of_number))
                return False
            self.pending.append((_SIGN if sign_first else _NEG, "neg", start, end, None, 0))
        elif kind == PREFIX:
            tight = _NEG if self.names.policy.close_products else _ROOT
            precedence = tight if text in ROOT_SIGNS else FUNCTION_PRECEDENCE
            assert isinstance(extra, Function)
            self.pending.append((precedence, text, start, end, extra, 0))
        elif kind == LEAF:
            assert isinstance(extra, Draft)
            self.operands.append((extra, start, end))
            return False
        elif kind == BAD and text in NEGATIONS:
            self.pending.append((_NEG, text, start, end, NEGATION, 0))
        elif kind != OPERATOR or text != "+":
            refuse_missing_operand(self.report, self.tokens, self.index - 1)
        return True

    def operator(self, token: TokenRow) -> bool:
        """Take a rarer token where an operator is wanted; whether an operand is wanted next."""
        kind, text, start, end, _ = token
        if kind == BAR and self.closes_bar():
            self.close(text, start, end)
            return False
        if kind in _OF_CONDITIONS and self.condition(token):
            return True
        if kind == COMMA:
            self.reduce(1)
            if not self.pending or self.pending[-1][4] is None:
                self.refuse_comma(text, (start, end))
            return True
        if kind == SUPERSCRIPT:
            self.note_root(end)
            self.reduce(_ROOT)
            size = self.placed((start, end), number_label, text.lstrip("-"))
            exponent = constant(f"-{size}" if text.startswith("-") else size, (start, end))
            base, begin, _ = self.operands[-1]
            self.operands[-1] = (self.power(base, exponent, (begin, end)), begin, end)
            return False
        if kind == BAD:
            refuse_missing_operand(self.report, self.tokens, self.index - 1)
        if (kind in (NAME, CALL)) and text in _WORDS and not self.names.is_column(text):
            self.infix(_WORDS[text], start, start + len(text))
            if kind == CALL:
                self.open("(", end - 1, end, None)
            return True
        precedence = self.grammar.side_by_side(self.tokens, self.index - 1, self.pending)
        self.report.products.append((self.tokens[self.index - 2][3], start))
        self.reduce(precedence)
        self.pending.append((precedence, "mul", start, start, None, 0))
        self.index -= 1
        return True

    def infix(self, text: str, start: int, end: int) -> None:
        """A binary operator: what binds at least as tightly is finished first."""
        precedence, floor, name = _BINARY[text]
        if name == "%":
            name = self.names.policy.remainder
        if floor > precedence and self.grammar.powers_from_left:
            floor = precedence
        pending = self.pending
        if pending and pending[-1][0] >= floor:
            if name == "pow" and pending[-1][0] == _ROOT:
                self.note_root(-1, start)
            self.reduce(floor)
        pending.append((precedence, name, start, end, None, 0))

    def reduce(self, floor: int) -> None:
        """Finish the waiting operators down to precedence `floor`."""
        pending, operands = self.pending, self.operands
        while pending and pending[-1][0] >= floor:
            _, name, start, _, function, _ = pending.pop()
            draft, _, end = operands.pop()
            if function is not None:
                if function is _JOINED:
                    self.joined(name, draft, start, end)
                    continue
                operands.append((self.apply(function, [draft], (start, end)), start, end))
            elif name == "neg":
                operands.append((Draft(name, [draft], "", None, (start, end)), start, end))
            else:
                left, begin, _ = operands[-1]
                if name == "pow":
                    joined = self.power(left, draft, (begin, end))
                else:
                    joined = Draft(name, [left, draft], "", None, (begin, end))
                operands[-1] = (joined, begin, end)

    def is_between_numbers(self) -> bool:
        """Whether the token at hand has a number on both sides."""
        return self.tokens[self.index - 2][0] == self.tokens[self.index][0] == NUMBER

    def refuse_comma(self, text: str, span: tuple[int, int]) -> NoReturn:
        """Raise for a comma that is in no call."""
        calls = [row[4] for row in self.pending if not row[0] and row[4] is not None]
        if self.is_between_numbers():
            refuse(self.report, COMMA_IN_NUMBER, span, comma=text)
        row, name = (COMMA_IN_CALL, calls[-1].name) if calls else (COMMA_OUTSIDE, "")
        refuse(self.report, row, span, None, self.parts(), comma=text, name=name)

    def parts(self) -> tuple[tuple[str, str], ...]:
        """What stands between the commas of a text that is no call, to choose from."""
        depth, places = 0, [(self.tokens[0][2], self.tokens[0][2])]
        for kind, _, start, end, _ in self.tokens:
            depth += (kind in (OPEN, CALL)) - (kind == CLOSE)
            if kind == COMMA and not depth:
                places.append((start, end))
        if not 1 < len(places) <= _MOST_PARTS:
            return ()
        ends = [*[start for start, _ in places[1:]], self.tokens[-1][3]]
        found = [
            self.report.text[low:high].strip() for (_, low), high in zip(places, ends, strict=True)
        ]
        return tuple([(f"formula {i}", part) for i, part in enumerate(found, 1) if part])

    def note_root(self, end: int, sign: int = 0) -> None:
        """Say that in ``√x²`` the root is raised, and offer the root of the power. `end` is -1
        while the exponent is still to come; then `sign` is the place of its ``^``.
        """
        if self.raised_root or not self.pending or self.pending[-1][0] != _ROOT:
            return
        self.raised_root = True
        begin = self.pending[-1][3]
        if self.report.text[begin : begin + 1] == "(":
            return
        if end < 0:
            place = next(i for i, row in enumerate(self.tokens) if row[:3] == (OPERATOR, "^", sign))
            end = end_of_operand(self.tokens, place + 1)
        text = self.report.text
        self.offer(
            f"`{_shown(text, begin - 1, end)}` is read as a power of the root",
            (begin - 1, end),
            "the root of the power",
            lambda: f"{text[:begin]}({text[begin:end]}){text[end:]}",
        )

    def condition(self, token: TokenRow) -> bool:
        """Take a sign or a word of conditions, if it is one; an operand is wanted next."""
        kind, text, start, end, _ = token
        known = self.names.is_column(text)
        if kind != BAD and known:
            return False
        here, asked = self.index - 1, self.tokens[self.index - 2]
        if asked[:2] == (NAME, "not") and not self.names.is_column("not"):  # read as a variable
            self.operands.pop()
            self.pending.append((NOT_PRECEDENCE, "not", asked[2], asked[3], NEGATION, 0))
            self.index = here
            return True
        if kind in (OPEN, NUMBER):  # an opening bar is no `or`
            return False
        if text in "&|" and kind in (BAD, BAR):
            following = self.tokens[self.index]
            doubled = following[1] == text and following[2] == end  # && and ||
            if not (self.after_condition() or (doubled and kind == BAD)):
                return False  # a bar of an absolute value, or bits of numbers
            self.index += doubled
        elif text == "<" and self.tokens[self.index][1:3] == (">", end):
            text = "<>"
            self.index += 1
        elif text == "=" and self.asked():
            text = "=="
        if text in RELATIONS:
            self.wait(RELATION_PRECEDENCE, RELATIONS[text], start, end)
        elif text in JOINTS:
            every = JOINTS[text] == AND
            self.wait(AND_PRECEDENCE if every else OR_PRECEDENCE, JOINTS[text], start, end)
        elif text in QUESTIONS:
            self.reduce(IF_PRECEDENCE + 1)
            self.pending.append((IF_PRECEDENCE, text, start, end, _JOINED, 0))
        elif text in ALTERNATIVES:
            self.alternative(text, start, end)
        else:
            return False
        if kind == CALL:
            self.open("(", end - 1, end, None)
        return True

    def wait(self, precedence: int, name: str, start: int, end: int) -> None:
        """Stack a comparison, an ``and`` or an ``or`` after all that binds as tightly."""
        self.reduce(precedence)
        self.pending.append((precedence, name, start, end, _JOINED, 0))

    def alternative(self, text: str, start: int, end: int) -> None:
        """``else`` or ``:``, which waits for the last operand of a choice."""
        self.reduce(IF_PRECEDENCE + 1)
        pending = self.pending
        while pending and pending[-1][1] in ALTERNATIVES:
            _, name, begin, *_ = pending.pop()
            draft, _, stop = self.operands.pop()
            self.joined(name, draft, begin, stop)
        is_label = self.index == 2 and self.tokens[0][0] == NAME and self.tokens[0][3] == start
        if text == ":" and is_label and self.report.text[end : end + 1].isspace():
            _, name, begin, *_ = self.tokens[0]
            refuse(self.report, LABEL, (begin, end), self.report.text[end:].strip(), name=name[:40])
        if not pending or pending[-1][1] not in QUESTIONS:
            row = RANGE if text == ":" and self.is_between_numbers() else NO_CONDITION
            refuse(self.report, row, (start, end), sign=text)
        pending[-1] = (IF_PRECEDENCE, text, start, end, _JOINED, 0)

    def after_condition(self) -> bool:
        """Whether what stands before this token is a condition, so that ``|`` means or."""
        if is_truth(self.operands[-1][0]):
            return True
        innermost = self.pending[-1] if self.pending else None
        return innermost is not None and innermost[4] is _JOINED and innermost[1] in TRUTHS

    def asked(self) -> bool:
        """Whether a bracket is open that belongs to a function of conditions."""
        opened = [row[4] for row in self.pending if not row[0]]
        return any(function is not None and function.name in ASKING for function in opened)

    def joined(self, name: str, draft: Draft, start: int, end: int) -> None:
        """Finish a comparison, an ``and``, an ``or`` or a choice, whose last operand is `draft`."""
        operands = self.operands
        left, begin, _ = operands.pop()
        if name in QUESTIONS:
            refuse(self.report, NO_OTHER_BRANCH, (start, end))
        if name in ALTERNATIVES:
            first, begin, _ = operands.pop()
            condition, held = (left, first) if name == "else" else (first, left)
            built = choice([condition, held, draft], (begin, end))
        else:
            built = Draft(name, [left, draft], "", None, (begin, end))
            middle = self.compared.get(id(left))
            is_relation = name in RELATIONS.values()
            if is_relation and middle is not None and left.span[0] == begin:  # a < b < c
                second = Draft(name, [middle, draft], "", None, (middle.span[0], end))
                built = Draft(AND, [left, second], "", None, (begin, end))
            if is_relation:
                self.compared[id(built)] = draft
        operands.append((built, begin, end))

    def open(self, name: str, start: int, end: int, function: Function | None) -> None:
        if function is None and self.pending and self.pending[-1][4] is PIECEWISE:
            function = PAIR
        self.depth += 1
        if self.depth > MAX_DEPTH:
            refuse(self.report, NESTED, (start, end))
        self.pending.append((0, name, start, end, function, len(self.operands)))

    def call(self, token: TokenRow) -> None:
        """``name(``: a function, or a factor before a parenthesis."""
        _, text, start, end, extra = token
        middle = start + len(text)
        span = (start, middle)
        try:
            function = extra if isinstance(extra, Function) else self.names.function(text)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)
        if function is None and text == "not" and not self.names.is_column(text):
            self.pending.append((NOT_PRECEDENCE, text, start, middle, NEGATION, 0))
            start = end - 1
        elif function is None:
            self.grammar.factor(token)
            self.operands.append((self.placed(span, self.names.leaf, text, span), *span))
            self.report.products.append((middle, end - 1))
            self.infix("*", middle, middle)
            start = end - 1
        is_bracket = self.names.policy.brackets_call and self.report.text[end - 1] == "["
        self.open("[" if is_bracket else "(", start, end, function)

    def close(self, text: str, start: int, end: int) -> None:
        """A closing bracket: apply the function or the bars it ends."""
        pending = self.pending
        if pending and pending[-1][0]:
            self.reduce(1)
        if not pending:
            self.report.fail_unbalanced(
                "parenthesis" if text == ")" else "bracket",
                start,
                end,
                f"remove this `{text}` or open it before",
            )
        _, name, opened, behind, function, base = pending.pop()
        self.depth -= 1
        if CLOSERS[name] != text:
            refuse(
                self.report,
                CLOSED_BY_ANOTHER,
                (start, end),
                opened=name,
                column=f"{behind}",
                closed=text,
                meant=CLOSERS[name],
            )
        operands = self.operands
        if function is not None:
            inside = operands[base:]
            del operands[base:]
            operands.append((self.called(function, inside, (opened, end)), opened, end))
            return
        draft = operands[-1][0]
        if name in _BRACKET_OPERATORS:
            draft = Draft(_BRACKET_OPERATORS[name], [draft], "", None, (opened, end))
        operands[-1] = (draft, opened, end)

    def called(self, function: Function, operands: list[Operand], span: tuple[int, int]) -> Draft:
        """What a call of a function builds of its operands."""
        args = [operand[0] for operand in operands]
        if len(args) == 2:
            if function.build is logarithm:
                args = self.with_base_last(operands, span)
            elif function.build is root:
                self.note_root_index(operands, span)
            elif function.name == "atan" and self.names.policy.log_base == "first":
                function = FUNCTIONS["atan2"]  # as Julia calls it
        return self.apply(function, args, span)

    def with_base_last(self, operands: list[Operand], span: tuple[int, int]) -> list[Draft]:
        """The arguments of ``log(a, b)`` with the base last: Julia's is the first, Python's the
        last. Where neither notation nor module tells, a number before a formula is the base.
        """
        first, second = operands[0][0], operands[1][0]
        text = self.report.text
        is_first = self.names.policy.log_base == "first"
        if self.names.policy.log_base or text.startswith(_MODULES, span[0]):
            return [second, first] if is_first else [first, second]
        is_first = literal(first) is not None and literal(second) is None
        places = [(low, high) for _, low, high in operands]
        base, of = places if is_first else places[::-1]
        self.report.alternatives.pop(LOG10_LABEL, None)  # which has no second argument
        self.offer(
            f"`{_shown(text, *span)}` is read as the logarithm of {_shown(text, *of)} to the base"
            f" {_shown(text, *base)}, as {'Julia' if is_first else 'Python'} writes it",
            span,
            f"the logarithm of {_shown(text, *base)} to the base {_shown(text, *of)}",
            lambda: (
                f"{text[: span[0]]}(log({text[slice(*base)]})/log({text[slice(*of)]}))"
                f"{text[span[1] :]}"
            ),
        )
        return [second, first] if is_first else [first, second]

    def note_root_index(self, operands: list[Operand], span: tuple[int, int]) -> None:
        """Say of ``root(3, x)`` which is the index, and offer the other."""
        (first, *_), (second, *_) = operands
        if literal(first) is None or literal(second) is not None:
            return
        text = self.report.text
        (_, low, high), (_, start, end) = operands
        shown = [_shown(text, low, high), _shown(text, start, end)]
        self.offer(
            f"`{_shown(text, *span)}` is read as the root of {shown[0]} with the index {shown[1]}",
            span,
            f"the root of {shown[1]} with the index {shown[0]}",
            lambda: replaced(text, [(low, high, text[start:end]), (start, end, text[low:high])]),
        )

    def closes_bar(self) -> bool:
        """Whether a bar closes the innermost open bracket."""
        return next((name == "|" for level, name, *_ in reversed(self.pending) if not level), False)

    def placed(self, span: tuple[int, int], build: Callable[..., _Built], *args: Any) -> _Built:
        """What is built of the arguments; a refusal gets the place."""
        try:
            return build(*args)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)

    def power(self, base: Draft, exponent: Draft, span: tuple[int, int]) -> Draft:
        """A power, exact if its exponent is a literal."""
        if exponent.operator == "neg" or (
            exponent.operator == CONSTANT and exponent.label in _ONES
        ):
            self.note_divided(exponent)
        try:
            return power([base, exponent], span)
        except Refusal as refusal:
            self.report.refuse(refusal, *exponent.span)

    def note_divided(self, exponent: Draft) -> None:
        """Say of ``x^1/2`` and the first ``e^-t/tau`` that the power is divided, and offer the
        quotient as exponent.
        """
        text, (start, end) = self.report.text, exponent.span
        is_number = exponent.operator == CONSTANT
        behind = (_DIVISOR if is_number else _SLASH).match(text, end)
        if behind is None or (is_number and text[end - 1] != "1"):
            return
        stop, braces = behind.end(), self.grammar.braces
        if not is_number:
            before = text[max(start - 3, 0) : start].rstrip()
            if self.divided_exponent or text[start] != "-" or not before.endswith(("^", "**")):
                return
            self.divided_exponent = True
            sign = next((i for i, row in enumerate(self.tokens) if row[2] == stop - 1), -1)
            if self.tokens[sign][:2] != (OPERATOR, "/"):
                return
            stop = end_of_operand(self.tokens, sign + 1)
        shown = _shown(text, start, stop)
        self.offer(
            f"of `^{shown}` only `{_shown(text, start, end)}` is read as the exponent",
            (start, stop),
            f"the exponent {shown}",
            lambda: f"{text[:start]}{braces[0]}{text[start:stop]}{braces[1]}{text[stop:]}",
        )

    def offer(self, note: str, span: tuple[int, int], label: str, write: Callable[[], str]) -> None:
        """Say how something is read, and keep what else it may mean."""
        self.report.note(note, span)
        self.report.alternative(label, write)

    def apply(self, function: Function, args: list[Draft], span: tuple[int, int]) -> Draft:
        if not function.low <= len(args) <= function.high:
            limits = (function.low, function.high)
            refuse_count(self.report, function.name, limits, len(args), span)
        if function.note:
            self.report.note(function.note, span)
        try:
            return function.build(args, span)
        except Refusal as refusal:
            self.report.refuse(refusal, *span)


_MODULES = ("math.", "np.", "numpy.", "sympy.", "sp.")


def _shown(text: str, start: int, end: int) -> str:
    """A part of the text, cut where it is long."""
    return text[start:end] if end - start <= 40 else text[start : start + 39] + "…"


def _raised(token: TokenRow) -> bool:
    return token[0] == SUPERSCRIPT or (token[0] == OPERATOR and token[1] == "^")
