"""A formula written in other languages (`eic_core.operators.dialects`), proved by reading back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import count as counting
from keyword import iskeyword
from textwrap import wrap
from typing import Any, NamedTuple

from eic_core import wording
from eic_core.errors import FormulaError
from eic_core.formula.rendering import (
    LETTERS_BY_NAME,
    Part,
    name_latex,
    name_mathml,
    number_latex,
    number_mathml,
    template_parts,
    to_latex,
    to_mathml,
    to_python,
    verbatim,
)
from eic_core.formula.syntax import EXPONENTS, read
from eic_core.formula.syntax.build import exponent_label
from eic_core.formula.syntax.names import canonical_name, plain_letters
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node
from eic_core.operators import OPERATORS, Operator, follow, writing
from eic_core.operators.dialects import DIALECTS, TIGHT, Dialect, Lacking, Spelling
from eic_core.operators.writing import ADD, ATOM, MUL

LATEX, MATHML = "latex", "mathml"


class Notation(NamedTuple):
    """What `eic_core.formula.rendering` writes, by the tree's own names."""

    name: str  # Its name for people
    syntax: str  # As what it is read
    # The same formula in a few ways, the plainest first
    texts: Callable[[Formula], Iterator[str]]


def _python_texts(formula: Formula) -> Iterator[str]:
    text, names = to_python(formula), formula.variables
    yield text
    # arguments are variables whatever else their names mean
    if all(name.isidentifier() and not iskeyword(name) for name in names):
        yield f"lambda {', '.join(names)}: {text}"


def _latex_texts(formula: Formula) -> Iterator[str]:
    for compact in (True, False):
        yield to_latex(formula, decorate=_own_leaves(formula, LATEX), compact=compact)


def _mathml_texts(formula: Formula) -> Iterator[str]:
    yield to_mathml(formula, decorate=_own_leaves(formula, MATHML))


def _own_leaves(formula: Formula, language: str) -> Callable[[Node, str], str]:
    """Writes leaves so that they are read as these: ``t1`` is no ``t_1``, and ½ no quotient."""
    names = {label: _own_spelling(label, language) for label in formula.variables}
    number = number_latex if language == LATEX else number_mathml

    def spelled(node: Node, text: str) -> str:
        if node.operator == VARIABLE:
            return names[node.label]
        decimal = _decimal(node.label) if "/" in node.label else ""
        return number(decimal) if decimal else text

    return spelled


def _decimal(label: str) -> str:
    """A fraction that is a decimal of a few digits as that, else an empty text.

    >>> _decimal("-1/8"), _decimal("1/3")
    ('-0.125', '')
    """
    value = Fraction(label)
    scaled = value * 10**_DIGITS
    if scaled.denominator != 1:
        return ""
    return f"{Decimal(scaled.numerator).scaleb(-_DIGITS).normalize():f}"


_DIGITS = 6


NOTATIONS = {
    "python": Notation("Python, bare names", "infix", _python_texts),
    LATEX: Notation("LaTeX", "latex", _latex_texts),
    MATHML: Notation("MathML", "mathml", _mathml_texts),
}

COPIED: dict[str, str] = {
    key: row.name for rows in (DIALECTS, NOTATIONS) for key, row in rows.items()
}
"""Every language that formulas are copied to: key and displayed name."""


@lru_cache(maxsize=4096)
def is_own_name(name: str, syntax: str, label: str = "") -> bool:
    """Whether a text is a variable of that name, and nothing else, where it is read alone.

    >>> is_own_name("hypot", "c"), is_own_name("M_PI", "c"), is_own_name("if", "infix")
    (True, False, True)
    """
    try:
        nodes = read(name, syntax=syntax).formula.nodes
    except FormulaError:
        return False
    return nodes[0].operator == VARIABLE and label in ("", nodes[0].label)


@lru_cache(maxsize=4096)
def _own_spelling(label: str, language: str) -> str:
    """How a variable is typeset so that it is read as this one."""
    letter = LETTERS_BY_NAME.get(label, "")
    if language == LATEX:
        spellings = [name_latex(label), verbatim(label, writing.LATEX)]
    else:
        spellings = [name_mathml(label), verbatim(label, writing.MATHML)]
        spellings += [f"<mi>{letter}</mi>"] if letter else []
    own = (text for text in spellings if is_own_name(_whole(text, language), language, label))
    return next(own, spellings[0])


def _whole(text: str, language: str) -> str:
    return f"<math>{text}</math>" if language == MATHML else text


_LARGEST_INT = 2**31  # whole numbers from here on are no int in C and Fortran


@dataclass(frozen=True)
class Copied:
    text: str
    language: str  # A key of `COPIED`
    same: bool  # True if it reads back to the same tree, False for another one of the same value
    defined: tuple[str, ...]  # Operators that the language lacks, for which others stand
    # Variables that could not keep their names: old name, new name
    renamed: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]  # Caveats, a sentence each, user text in backticks
    helpers: tuple[str, ...] = ()  # Functions and imports that the text needs before it

    @property
    def program(self) -> str:
        """The helpers and the text."""
        return "\n\n".join((*self.helpers, self.text))


@lru_cache(maxsize=64)
def copied(formula: Formula, language: str) -> Copied:
    """A formula in a language of `COPIED`; FormulaError if it has no text that reads back.

    >>> formula = read("-x**2/3 + exp(1e-3*y)").formula
    >>> for name in ("c", "fortran", "mathematica", "excel"):
    ...     print(copied(formula, name).text)
    -pow(x, 2)/3. + exp(1e-3*y)
    -x**2/3.0d0 + exp(1.0d-3*y)
    -x^2/3 + Exp[1*^-3*y]
    =(-(A2^2)/3 + EXP(1E-3*B2))
    >>> copied(read("log1p(x)").formula, "mathematica").helpers
    ('log1p[x_] := If[Abs[x] < 1/2, 2*ArcTanh[x/(2 + x)], Log[1 + x]]',)
    >>> copied(read("cbrt(x)").formula, "sympy").notes
    ('SymPy has no `cbrt`: `real_root(x, 3)` stands for it.',)
    """
    used: dict[str, Spelling] = {}
    names = {label: label for label in formula.variables}
    if language in NOTATIONS:
        label, syntax, texts = NOTATIONS[language]
        written = list(texts(formula))
    else:
        dialect = DIALECTS[language]
        writer = Writer(formula, dialect)
        written, used, names = [writer.text()], writer.used, writer.names
        syntax, label = dialect.syntax, dialect.name
    read_back = [_read_back(text, syntax, formula) for text in written]
    is_same = _is_identical if language in NOTATIONS else _is_same
    same = next((i for i, trees in enumerate(read_back) if is_same(trees, formula)), -1)
    text, readings = written[max(same, 0)], read_back[max(same, 0)]
    stands = {name: spelling for name, spelling in used.items() if spelling.lack is not None}
    digits = _NEARLY if stands else _AGREED
    if same < 0 and not (readings and _equal(formula, readings[-1], names, digits)):
        raise _refused_meaning(formula, text, language, label)
    renamed = tuple((old, new) for old, new in names.items() if old != new)
    notes = (*_notes_on_operators(label, used), *_notes_on_leaves(formula, language, renamed))
    if same < 0 and not stands:
        notes += ("Read back it is another tree of the same value.",)
    helpers = dict.fromkeys(helper for spelling in used.values() for helper in spelling.helpers)
    if helpers and language in DIALECTS and DIALECTS[language].placed:
        notes += (DIALECTS[language].placed,)
    if language in DIALECTS and len(text) > (DIALECTS[language].line or len(text)):
        notes += (f"{label} ends a line at column {DIALECTS[language].line}: break it by `&`.",)
    return Copied(text, language, same >= 0, tuple(stands), renamed, notes, tuple(helpers))


def _read_back(text: str, syntax: str, formula: Formula) -> list[Formula]:
    """What a text is where it stands alone; nothing if it cannot be read."""
    try:
        # an exponent that belongs to a function's name is none of it in another language
        return [
            read(text, syntax=syntax, exponents=exponents).formula
            for exponents in dict.fromkeys((formula.exponents, EXPONENTS[0]))
        ]
    except FormulaError:
        return []


def _is_same(readings: list[Formula], formula: Formula) -> bool:
    return bool(readings) and _shape(readings[0]) == _shape(formula)


def _is_identical(readings: list[Formula], formula: Formula) -> bool:
    """The same with every variable's own name."""
    return _is_same(readings, formula) and [*meant(readings[0].variables).values()] == [
        *meant(formula.variables).values()
    ]


def meant(names: Iterable[str]) -> dict[str, str]:
    """Each variable's name in its one spelling: ``X1`` is ``x1`` where not both are there."""
    canonical = {name: canonical_name(name) for name in names}
    return canonical if len({*canonical.values()}) == len(canonical) else {n: n for n in canonical}


def _refused_meaning(formula: Formula, text: str, language: str, label: str) -> FormulaError:
    """A text that would be read as another formula, by a variable's name or otherwise."""
    if language in NOTATIONS:
        syntax = NOTATIONS[language].syntax
        for name in formula.variables:
            spelling = name if language == "python" else _own_spelling(name, language)
            if not is_own_name(_whole(spelling, language), syntax, name):
                why = f"the name `{name[:40]}` means something else there"
                return _refused(formula, label, why, "rename it")
    return _refused(formula, label, f"`{text[:60]}` has another meaning there")


_LONGEST_FORM = 100
"""Characters of what stands for an operator that a note holds."""


def _notes_on_operators(label: str, used: dict[str, Spelling]) -> Iterator[str]:
    """What stands for operators that the language lacks, and what has to be imported."""
    helped: dict[Lacking | None, list[str]] = {}
    for operator, spelling in used.items():
        row = OPERATORS.get(operator)
        called = next(iter(row.names), operator) if row is not None else operator
        name = f"`{called}(x, n)`" if row is not None and row.has_parameter else f"`{called}`"
        if spelling.helpers:
            helped.setdefault(spelling.lack, []).append(name)
            continue
        form = f"`{re.sub(r'<([01p])(:[0-9]+)?>', _letter, spelling.template)}`"
        if len(form) > _LONGEST_FORM:
            form = "a longer form that keeps its digits"
        yield f"{label} has no {_ADJECTIVES[spelling.lack]}{name}: {form} stands for it."
    for lack, operators in helped.items():
        names, many = wording.join(operators), len(operators) > 1
        if lack is None:
            yield f"{names} {'need' if many else 'needs'} what is imported before the formula."
            continue
        stand = "the definitions before the formula stand for them"
        if not many:
            stand = "the definition before the formula stands for it"
        yield f"{label} has no {_ADJECTIVES[lack]}{names}: {stand}."


_ADJECTIVES = {None: "", Lacking.OPERATOR: "", Lacking.DIGITS: "accurate "}


def _letter(slot: re.Match[str]) -> str:
    return {"0": "x", "1": "y", "p": "n"}[slot[1]]


def _notes_on_leaves(
    formula: Formula, language: str, renamed: tuple[tuple[str, str], ...]
) -> Iterator[str]:
    if renamed:
        pairs = [f"`{old}` is `{new}`" for old, new in renamed]
        yield f"{wording.join(pairs, limit=12)}."
    if (
        language in DIALECTS
        and DIALECTS[language].exact
        and _order_matters(formula, DIALECTS[language])
    ):
        yield (
            f"{COPIED[language]} orders terms and factors itself: where brackets keep digits, "
            f"evaluate by {DIALECTS[language].exact}, or copy the text of another language."
        )
    digits = DIALECTS[language].digits if language in DIALECTS else 0
    if digits and any(_digits(node.label) > digits for node in formula if _is_number(node)):
        label = COPIED[language]
        yield f"{label} keeps {digits} digits of a number, and here are some with more."


def _order_matters(formula: Formula, dialect: Dialect) -> bool:
    """Whether there is a sum of three terms or more, or a product of as many factors."""

    def binds(node: Node) -> int:
        spelling = dialect.spellings.get(node.operator) if node.children else None
        return ATOM if spelling is None else spelling.binds

    return any(
        binds(node) in (ADD, MUL)
        and any(binds(formula.nodes[child]) == binds(node) for child in node.children)
        for node in formula
    )


def _refused(formula: Formula, label: str, why: str, hint: str = "") -> FormulaError:
    return FormulaError(
        f"this formula cannot be written in {label}: {why}",
        hint=hint or "choose another language",
        source=formula.source,
        span=(0, len(formula.source)),
    )


def _is_number(node: Node) -> bool:
    return node.operator == CONSTANT and node.label[:1] in "-0123456789"


def _digits(label: str) -> int:
    """Significant digits of a number.

    >>> _digits("-0.00120"), _digits("1500e3")
    (3, 4)
    """
    return len(re.sub(r"\D", "", label.partition("e")[0]).lstrip("0"))


Shape = tuple[tuple[str, int, object, object], ...]


def _shape(formula: Formula) -> Shape:
    """A tree by operators, values of numbers, and variables in order of appearance."""
    place = {label: i for i, label in enumerate(formula.variables)}
    return tuple(
        (
            node.operator,
            len(node.children),
            place[node.label]
            if node.operator == VARIABLE
            else Fraction(node.label)
            if _is_number(node)
            else node.label,
            node.parameter,
        )
        for node in formula
    )


_POINTS = ((3, 7), (11, 5), (-13, 9), (1, 6), (-8, 11), (29, 4))
"""Numerators and denominators of the numbers at which two trees are compared."""

_BITS, _AGREED, _NEARLY = 200, 30, 14
"""The working precision there, and the digits to which they must agree: half may be lost. What
stands for an operator may be a series near 0, which has the digits of doubles."""


def _equal(formula: Formula, other: Formula, names: Mapping[str, str], digits: int) -> bool:
    """Whether two trees have the same values to so many digits at a few points; `names` are those
    of the other by those of the first.
    """
    columns = tuple(names[label] for label in formula.variables)
    if set(columns) != set(other.variables):
        columns = other.variables
    from eic_core.operators.balls import working  # of no use to whoever only copies

    with working(_BITS):
        for turn in range(len(_POINTS)):
            own_value = _value_at(formula, formula.variables, turn)
            other_value = _value_at(other, columns, turn)
            if own_value is None:
                continue
            if other_value is None or not _is_small(own_value - other_value, own_value, digits):
                return False
    return True


def _is_small(x: Any, value: Any, digits: int) -> bool:
    return bool(abs(x) * 10**digits <= 1 + abs(value))


def _value_at(formula: Formula, variables: tuple[str, ...], turn: int) -> Any:
    """The value as a ball, or None where there is none or fewer digits are known."""
    from flint import arb

    from eic_core.operators.balls import BALLS

    place = {label: i for i, label in enumerate(variables)}
    values: list[Any] = []
    for node in formula:
        if node.operator == VARIABLE:
            over, under = _POINTS[(place[node.label] + turn) % len(_POINTS)]
            value = BALLS.number(Fraction(over + place[node.label] // len(_POINTS), under))
        elif node.operator == CONSTANT:
            value = _constant(node, BALLS)
        else:
            row = OPERATORS[node.operator]
            operands = [values[child] for child in node.children]
            needed = operands
            # the other branch may have no value at this point
            if row.chooses and operands[0] is not None:
                needed = [operands[0], operands[1 if operands[0] != 0 else 2]]
            missing = any(operand is None for operand in needed)
            try:
                value = None if missing else arb(row.exact(BALLS, operands, node.parameter))
            except (ValueError, ZeroDivisionError):
                value = None
        values.append(value if value is not None and value.is_finite() else None)
    last = values[-1]
    return last if last is not None and _is_small(last.rad(), last, _AGREED) else None


def _constant(node: Node, B: Any) -> Any:
    if _is_number(node):
        return B.number(Fraction(node.label))
    values = {
        "pi": B.pi,
        "e": B.exp(1),
        "true": B.number(1),
        "false": B.number(0),
    }
    return values.get(node.label)


follow(is_own_name.cache_clear)
follow(_own_spelling.cache_clear)
follow(copied.cache_clear)  # a registered operator may change what a text means


class Writer:
    """Writes a formula in a language; operators that it lacks are refused, or `supplied` by whoever
    reads the text: functions of their names.
    """

    def __init__(self, formula: Formula, dialect: Dialect, supplied: bool = False) -> None:
        self.formula = formula
        self.dialect = dialect
        self.supplied = supplied
        self.names = dict(_names(formula.variables, dialect))
        self.used: dict[str, Spelling] = {}  # What stands for an operator, or needs a helper
        self.spellings = [self._spelling(node) if node.children else None for node in formula]

    def text(self) -> str:
        whole = self.dialect.whole
        if self.binds <= ADD:
            whole = self.dialect.whole_sum or whole
        return whole.replace("<v>", " ".join(self.names.values())).replace("<0>", self.value())

    @property
    def binds(self) -> int:
        """How tightly the value binds."""
        return self._binds(self.formula.nodes[-1])

    def value(self) -> str:
        """The text without what surrounds it in the language."""
        pieces: list[str] = []
        size = 0
        todo: list[str | int] = [len(self.formula) - 1]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                pieces.append(item)
                size += len(item)
                if size > self.dialect.longest:
                    raise self._refused(
                        f"it takes {self.dialect.longest:,} characters at most",
                        "write parts of it by themselves, and use their values",
                    )
            else:
                todo.extend(reversed(list(self._parts(self.formula.nodes[item]))))
        return "".join(pieces)

    def _refused(self, why: str, hint: str = "") -> FormulaError:
        return _refused(self.formula, self.dialect.name, why, hint)

    def _spelling(self, node: Node) -> Spelling:
        row, value = OPERATORS[node.operator], node.parameter
        keys = [node.operator]
        if value is not None:
            kind = "even" if value.denominator == 1 and value.numerator % 2 == 0 else "odd"
            special = [f"{node.operator}:{key}" for key in (value, kind, "*")]
            keys = special + (keys if row.needs_parameter else [])
        spelling = next(
            (self.dialect.spellings[key] for key in keys if key in self.dialect.spellings), None
        )
        if spelling is None and row.writing.definition:
            spelling = defined(row, self.dialect)
        if spelling is None and self.supplied:
            form = row.form_with(value)
            return Spelling(form.code, form.precedence)
        if spelling is None:
            name = next(iter(row.names), row.name)
            raise self._refused(f"it has no `{name}`", self.dialect.hints.get(node.operator, ""))
        return self._noted(node.operator, spelling)

    def _noted(self, name: str, spelling: Spelling) -> Spelling:
        if spelling.lack is not None or spelling.helpers:
            self.used[name] = spelling
        return spelling

    def _parts(self, node: Node) -> Iterator[str | int]:
        spelling = self.spellings[node.id]
        if spelling is None:
            yield self._leaf(node)
            return
        for part in _template(spelling.template, len(node.children), self.dialect.name):
            if part is None:
                yield self._parameter(node)
            elif isinstance(part, str):
                yield part
            else:
                yield from self._operand(node, *part)

    def _operand(self, node: Node, position: int, floor: int) -> Iterator[str | int]:
        child = self.formula.nodes[node.children[position]]
        opened, closed = "", ""
        if self._is_counted(node, child, position):
            if not self.dialect.counts:
                raise self._refused("there a truth value is no number")
            opened, closed = self.dialect.counts.split("<0>")
        bare = not opened
        spelling = self.spellings[node.id]
        assert spelling is not None
        of_sign = spelling.template.startswith("-") and _is_number(child)  # -(2) is no number
        signed = floor in (ADD + 1, MUL + 1) and self._begins_with_minus(child)
        if bare and floor and (self._binds(child) < floor or signed or of_sign):
            opened, closed = "(", ")"
        yield from (opened, child.id, closed)

    def _is_counted(self, node: Node, child: Node, position: int) -> bool:
        """Whether an operand is a truth value that the operator reckons with as a number."""
        row = OPERATORS[node.operator]
        counts = row.numeric or row.compares or (row.chooses and position > 0)
        return counts and bool(child.children) and OPERATORS[child.operator].truth

    def _binds(self, node: Node) -> int:
        spelling = self.spellings[node.id]
        if spelling is not None:
            return spelling.binds
        if not _is_number(node):
            return self.dialect.constants[node.label].binds if node.operator == CONSTANT else ATOM
        if "/" in node.label:
            exact = self.dialect.fraction or _decimal(node.label)
            return ATOM if exact and not node.label.startswith("-") else MUL
        return self.dialect.negative if node.label.startswith("-") else ATOM

    def _begins_with_minus(self, node: Node) -> bool:
        while True:
            spelling = self.spellings[node.id]
            if spelling is None:
                return node.label.startswith("-") and self.dialect.negative < ATOM
            first = _template(spelling.template, len(node.children), self.dialect.name)[0]
            if isinstance(first, str):
                return first.startswith("-")
            if first is None:
                return False
            child = self.formula.nodes[node.children[first[0]]]
            if self._binds(child) < first[1]:
                return False
            node = child

    def _leaf(self, node: Node) -> str:
        label = node.label
        if node.operator == VARIABLE:
            return self.names[label]
        if not _is_number(node):
            spelling = self.dialect.constants.get(label)
            if spelling is None:
                raise self._refused(f"it has no `{label}`")
            return self._noted(label, spelling).template
        over, slash, under = label.partition("/")
        number = self.dialect.number
        if slash and self.dialect.fraction:
            return self.dialect.fraction.replace("<0>", over).replace("<1>", under)
        if not slash or (label := _decimal(label)):
            return number(label)
        return f"{number(over)}/{number(under)}"

    def _parameter(self, node: Node) -> str:
        value = node.parameter
        assert value is not None
        row, number = OPERATORS[node.operator], self.dialect.number
        if row.base:
            over, under = str(value.numerator), str(value.denominator)
            if under == "1":
                return number(over)
            exact = self.dialect.fraction.replace("<0>", over).replace("<1>", under)
            return exact or f"({number(over)}/{number(under)})"
        whole = value.denominator == 1 and abs(value) < _LARGEST_INT
        text = str(value) if whole else number(exponent_label(value))
        in_text = self.dialect.spellings[node.operator].binds < ATOM if row.power else False
        return f"({text})" if value < 0 and in_text else text


def defined(row: Operator, dialect: Dialect) -> Spelling:
    """What stands for an operator that a language lacks, by the definition in its row."""
    operands = "xyz"[: row.arity]
    named = bool(dialect.function)
    names = {x: x if named else f"<{i}:{TIGHT + 1}>" for i, x in enumerate(operands)}
    lines, helpers = "", dict[str, None]()
    for part in row.writing.definition.split("; "):
        local, _, text = part.rpartition(" = ")
        writer = Writer(read(text, columns=tuple(names)).formula, dialect)
        writer.names = names
        value, binds = writer.value(), writer.binds
        helpers |= dict.fromkeys(h for spelling in writer.used.values() for h in spelling.helpers)
        if local and dialect.local:
            lines += _filled(dialect.local, n=local, v=value)
        if local:
            names[local] = local if dialect.local else value if binds == ATOM else f"({value})"
    lack = Lacking.DIGITS if row.name in dialect.coarse else Lacking.OPERATOR
    if not named:
        return Spelling(value, binds, lack, tuple(helpers))
    if dialect.line:
        value = " &\n    ".join(wrap(value, dialect.line - 20, break_long_words=False))
    called = _called(row, dialect)
    declared = ", ".join(_filled(dialect.operand, n=x) for x in operands)
    function = _filled(dialect.function, f=called, x=declared, l=lines, v=value)
    opened, closed = "[]" if f"{called}[" in function else "()"
    return Spelling(f"{called}{opened}<*>{closed}", ATOM, lack, (*helpers, function))


def _called(row: Operator, dialect: Dialect) -> str:
    return row.name.replace("_", "") if dialect.names == "alphanumeric" else row.name


def _filled(template: str, **slots: str) -> str:
    return re.sub(r"<([a-z])>", lambda slot: slots[slot[1]], template)


@lru_cache(maxsize=2048)
def _template(template: str, arity: int, dialect: str) -> tuple[Part | None, ...]:
    """The parts of a template; one of two operands is nested where there are more."""
    comma = " " if template.startswith("(") and "<*>" in template else ", "
    parts = template_parts(template, arity, comma)
    mentioned = {part[0] for part in parts if isinstance(part, tuple)}
    if arity <= 2 or arity - 1 in mentioned:
        return parts
    opened, first, between, _, closed = parts
    rest = [part for place in range(1, arity) for part in (between, (place, 0), closed)]
    return (*[opened] * (arity - 1), first, *rest)


_HELPER_NAME = re.compile(
    r"^(?:def |class |double |elemental .* function |function \w+ = )?(\w+)[(\[]", re.MULTILINE
)


def _names(labels: tuple[str, ...], dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Each variable's name in the language, unlike its words and the other names."""
    if dialect.names == "cells":
        for label, column in zip(labels, _columns(), strict=False):
            yield label, f"{column}2"
        return
    called = {_called(row, dialect) for row in OPERATORS.values() if row.writing.definition}
    called |= {
        text
        for spelling in dialect.spellings.values()
        for text in (
            *re.findall(r"\w+(?=[(\[])", spelling.template),
            *_HELPER_NAME.findall("\n".join(spelling.helpers)),
        )
    }
    used = {_key(word, dialect) for word in (*dialect.words, *called)}
    for label in labels:
        plain = re.sub(r"[^0-9A-Za-z_]", "_", plain_letters(label)).strip("_") or "v"
        if dialect.names == "alphanumeric":
            plain = plain.replace("_", "") or "v"
        if not plain[0].isalpha():
            plain = f"v{plain}"
        name = plain
        joint = "" if dialect.names == "alphanumeric" else "_"
        for suffix in counting(2):
            # a new name is read in its one spelling: `X_4` as `x4`
            spellings = {name, name if name == label else canonical_name(name)}
            keys = {_key(spelling, dialect) for spelling in spellings}
            if used.isdisjoint(keys) and is_own_name(name, dialect.syntax):
                break
            name = f"{plain}{joint}{suffix}"
        used |= keys
        yield label, name


def _key(name: str, dialect: Dialect) -> str:
    return name.lower() if dialect.names == "capitals" else name


def _columns() -> Iterator[str]:
    for number in counting(1):
        letters = ""
        while number:
            number, place = divmod(number - 1, 26)
            letters = chr(ord("A") + place) + letters
        yield letters
