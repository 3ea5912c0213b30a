"""Reads MathML, what a page shows as well as what it means, with a small scanner of its own.

No document type, no entity but a single character's name, nothing nested deeper than brackets may
be: there is nothing in the text that could grow.  Presentation becomes the tokens of the one infix
parser, content (``<apply>``) the forms of s-expressions.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple, NoReturn

from eic_core.formula.syntax.build import FUNCTIONS, Function, Refusal
from eic_core.formula.syntax.grammar import FUNCTION_PRECEDENCE, TIGHT_PRODUCT, Grammar, parse
from eic_core.formula.syntax.latex_scripts import Scripts
from eic_core.formula.syntax.names import Names, suggestion
from eic_core.formula.syntax.reading import MAX_DEPTH, Report
from eic_core.formula.syntax.sexpr import Form, read_form
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
from eic_core.formula.tree import Draft

BEGINS = re.compile(
    r"\s*+(?:<\?xml[^<>]{0,300}\?>\s*+)?+(?:<!--|<!DOCTYPE|<(?:\w{1,20}:)?"
    r"(?:math|apply|mrow|semantics|mfrac|msup|msub|msqrt|mstyle|mi|mn|lambda)\b)"
)
"""How MathML begins."""
_TAG = re.compile(
    r"<(?P<close>/?+)\s*+(?P<tag>[A-Za-z_][\w:.-]*+)"
    r"(?P<attributes>(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+)>"
)
_ATTRIBUTE = re.compile(r"\b(open|close|type|base)\s*+=\s*+[\"']([^\"']{0,20}+)[\"']")


class Element(NamedTuple):
    """A tag with what stands in it.

    Attributes
    ----------
    tag : str
        Its name without a prefix.
    attributes : str
        As written.
    children : list of Element
        A text is a child without a tag.
    text : str
        Of a text.
    start, end : int
        The place in the source, its tags included.
    """

    tag: str
    attributes: str
    children: list[Element]
    text: str
    start: int
    end: int

    @property
    def elements(self) -> list[Element]:
        """The children that are tags."""
        return [child for child in self.children if child.tag]

    @property
    def content(self) -> str:
        """The text in it, at any depth, joined."""
        parts, pending = [], [self]
        while pending:
            element = pending.pop()
            parts.append(element.text)
            pending.extend(reversed(element.children))
        return "".join(parts).strip()

    def attribute(self, name: str, default: str) -> str:
        """The value of an attribute."""
        return dict(_ATTRIBUTE.findall(self.attributes)).get(name, default)


def _elements(report: Report, start: int, end: int) -> list[Element]:
    """The elements at the top of the text."""
    text = report.text
    levels: list[tuple[str, str, list[Element], int]] = [("", "", [], start)]
    place = start
    while place < end:
        opened = text.find("<", place, end)
        stop = end if opened < 0 else opened
        words = html.unescape(text[place:stop]).strip()
        if words:
            if len(levels) == 1:
                report.fail("text beside MathML", place, stop, "paste only `<math>…</math>`")
            levels[-1][2].append(Element("", "", [], words, place, stop))
        if opened < 0:
            break
        if text.startswith(("<!--", "<?"), opened):
            closer = "-->" if text[opened + 1] == "!" else "?>"
            closed = text.find(closer, opened, end)
            if closed < 0:
                report.fail(
                    "this comment is not closed", opened, opened + 4, f"close it with `{closer}`"
                )
            place = closed + len(closer)
            continue
        match = _TAG.match(text, opened, end)
        if match is None:
            report.fail(
                "this is no tag of MathML", opened, opened + 1,
                "paste only `<math>…</math>`, without a document type",
            )  # fmt: skip
        place = match.end()
        tag = match["tag"].rpartition(":")[2].lower()
        attributes = match["attributes"]
        if match["close"]:
            name, given, children, begun = levels[-1]
            if name != tag or len(levels) == 1:
                wanted = f"`</{name}>` belongs here" if name else "remove it"
                report.fail(f"`</{tag[:40]}>` closes nothing", opened, place, wanted)
            levels.pop()
            levels[-1][2].append(Element(name, given, children, "", begun, place))
        elif attributes.rstrip().endswith("/"):
            levels[-1][2].append(Element(tag, attributes, [], "", opened, place))
        else:
            levels.append((tag, attributes, [], opened))
            if len(levels) > MAX_DEPTH:
                report.fail(f"tags are nested more than {MAX_DEPTH:,} deep", opened, place)
    if len(levels) > 1:
        name, begun = levels[-1][0], levels[-1][3]
        report.fail(
            f"`<{name[:40]}>` is not closed", begun, begun + 1, f"close it with `</{name[:40]}>`"
        )
    return levels[0][2]


def read_mathml(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of the MathML in ``report.text[start:end]``.

    Parameters
    ----------
    report : Report
        Holds the text; notes are added to it.
    names : Names
        The meaning of names.
    start, end : int
        Character offsets.

    Raises
    ------
    FormulaError
        If it is no formula.
    """
    found = [child for child in _elements(report, start, end) if child.tag]
    if not found:
        report.fail(
            "there is no formula", start, end, "write one, such as `<math><mi>x</mi></math>`"
        )
    if len(found) > 1:
        report.fail("more than one expression", found[1].start, found[1].end, "give a single one")
    root = found[0]
    while root.tag in ("math", "mrow", "semantics", "mstyle") and root.elements:
        inner = root.elements
        if len(inner) > 1 and root.tag != "semantics":
            break
        root = inner[0]
    if root.tag in ("apply", "lambda", "bind", "ci", "cn", "piecewise", "csymbol"):
        return read_form(report, names, _Content(report).form(root))
    return parse(_Presentation(report, names).scan(root), Shown(names, report))


# ---------------------------------------------------------------------------------------------
# What it means: content

_HEADS = {
    "plus": "+", "minus": "-", "times": "*", "divide": "/", "power": "pow", "ln": "log",
    "ceiling": "ceil",
}  # fmt: skip
_CONSTANTS = {"pi": "PI", "exponentiale": "E"}
_NOT_READ = frozenset(
    "piecewise infinity notanumber true false imaginaryi eulergamma vector matrix set list interval"
    " diff partialdiff int sum product limit".split()
)


class _Content:
    """Turns content into the forms of s-expressions, without recursion."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def form(self, root: Element) -> Form:
        """The form of an element."""
        root = self.right_side(root)
        done: dict[int, Form] = {}
        pending = [(root, False)]
        while pending:
            element, ready = pending.pop()
            if not ready and element.tag == "apply":
                pending.append((element, True))
                pending.extend(
                    (child, False) for child in element.elements[1:] if self.is_operand(child)
                )
            elif element.tag == "apply":
                done[id(element)] = self.call(element, done)
            else:
                done[id(element)] = self.atom(element)
        return done[id(root)]

    def right_side(self, root: Element) -> Element:
        """Past the variables of a function and the left side of an equation."""
        for _ in range(MAX_DEPTH):
            inner = root.elements
            if root.tag in ("lambda", "bind") and inner:
                root = inner[-1]
            elif root.tag == "apply" and len(inner) == 3 and inner[0].tag == "eq":
                self.report.note("only the right-hand side is read", (inner[1].start, inner[1].end))
                root = inner[2]
            else:
                break
        return root

    @staticmethod
    def is_operand(element: Element) -> bool:
        return element.tag not in ("degree", "logbase", "bvar")

    def call(self, element: Element, done: dict[int, Form]) -> Form:
        """``<apply>``: an operator and what it is applied to."""
        children = element.elements
        if not children:
            self.report.fail(
                "nothing is applied here", element.start, element.end, "write an operator"
            )
        head = children[0]
        if head.tag in _NOT_READ:
            self.refuse(head)
        name = head.content if head.tag in ("ci", "csymbol") else _HEADS.get(head.tag, head.tag)
        items = [done[id(child)] for child in children[1:] if self.is_operand(child)]
        marks = {child.tag: child for child in children if child.tag in ("degree", "logbase")}
        if name == "root":
            name = "root" if "degree" in marks else "sqrt"
        elif head.tag == "log" and "logbase" not in marks:
            name = "log10"
        for mark in marks.values():
            inner = mark.elements
            if len(inner) != 1 or inner[0].tag == "apply":
                self.report.fail(
                    "this degree or base is not read", mark.start, mark.end, "write a number"
                )
            items.append(self.atom(inner[0]))
        first = Form(name, head.start, head.end)
        return Form("(", element.start, element.end, [first, *items])

    def atom(self, element: Element) -> Form:
        """A number, a name or a constant."""
        tag, span = element.tag, (element.start, element.end)
        if tag in _CONSTANTS:
            return Form(_CONSTANTS[tag], *span)
        if tag == "cn":
            return Form(self.number(element), *span)
        if tag == "ci":
            inner = element.elements
            scripted = bool(inner) and inner[0].tag == "msub" and len(inner[0].elements) == 2
            parts = inner[0].elements if scripted else [element]
            return Form("_".join([_plain(part.content) for part in parts]), *span)
        self.refuse(element)

    def number(self, element: Element) -> str:
        """``<cn>`` of any type, spelled as s-expressions spell numbers."""
        parts = ["".join(part.content.split()) for part in element.children if not part.tag]
        kind = element.attribute("type", "real")
        if element.attribute("base", "10") != "10" or kind.startswith("complex"):
            self.report.fail(
                "this number is not read", element.start, element.end, "write a decimal"
            )
        if len(parts) == 2 and kind in ("rational", "e-notation"):
            return ("/" if kind == "rational" else "e").join(parts)
        return "".join(parts).replace("−", "-")

    def refuse(self, element: Element) -> NoReturn:
        self.report.fail(
            f"`<{element.tag[:40]}>` is not read", element.start, element.end,
            "use numbers, names and functions of one value",
        )  # fmt: skip


def _plain(text: str) -> str:
    """A name in letters of print as plain letters."""
    return unicodedata.normalize("NFKC", text) if not text.isascii() else text


# ---------------------------------------------------------------------------------------------
# What it shows: presentation

_SIGNS = {
    "+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "×": "*", "·": "*", "⋅": "*", "∗": "*", "∙": "*",
    "•": "*", "\u2062": "*", "/": "/", "÷": "/", "∕": "/", "\u2044": "/", "^": "^", "\u2064": "+",
}  # fmt: skip
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
_DECIMAL = re.compile(rf"([-−+]?+)({DECIMAL})\Z")


class Shown(Grammar):
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
        if before.kind == NAME and before.text in ("f", "g", "h") and token.text == "(":
            self.report.fail(
                f"unknown function `{before.text}`",
                before.start,
                before.end,
                suggestion(before.text),
            )
        for row in reversed(pending):
            top = Pending._make(row)
            if top.precedence == FUNCTION_PRECEDENCE:
                loose = token.kind in (PREFIX, OPEN) or (
                    token.kind == CALL and token.text not in _OWN_CALLS
                )
                return 20 if loose else TIGHT_PRODUCT
            if top.name == "div":
                self.report.note(
                    "the product after the slash is the denominator", (top.start, token.end)
                )
                return TIGHT_PRODUCT
            if top.precedence <= 20:
                break
        return 20

    def factor(self, token: TokenRow) -> None:
        self.report.fail(f"unknown function `{token[1]}`", token[2], token[3], suggestion(token[1]))


_OWN_CALLS = ("frac", "sqrt", "root")


class _Presentation:
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
        """Read these next, in this order."""
        self.todo.extend(reversed(items))

    def element(self, element: Element) -> None:
        """One tag."""
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
            if any([not child.tag for child in element.children]):
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
            self.plan((CALL, "frac", *span, FUNCTIONS["div"]), inner[0], comma, inner[1], closing)
        elif tag == "mroot":
            self.plan((CALL, "root", *span, FUNCTIONS["root"]), inner[0], comma, inner[1], closing)
        elif tag == "msup":
            self.power(inner[0], inner[1], span)
        elif tag == "msub":
            self.subscripted(inner[0], inner[1], span)
        elif tag == "msubsup":
            row = self.name_token(inner[0], inner[1], span)
            self.plan(row, *self.raised(inner[2]))
        elif tag == "mover" and inner[1].tag == "mo" and inner[1].content in _ACCENTS:
            self.tokens.append(
                (NAME, f"{_plain(inner[0].content)}_{_ACCENTS[inner[1].content]}", *span, None)
            )
        else:
            self.report.fail(f"`<{tag}>` is not read", *span, "write it out")

    def raised(self, exponent: Element) -> tuple[Element | TokenRow, ...]:
        """``^`` and an exponent."""
        start, end = exponent.start, exponent.end
        return (
            (OPERATOR, "^", start, start, None), (OPEN, "(", start, start, None), exponent,
            (CLOSE, ")", end, end, None),
        )  # fmt: skip

    def power(self, base: Element, exponent: Element, span: tuple[int, int]) -> None:
        """``<msup>``: of an operand, of a closing bracket, or of a function's name."""
        if base.tag == "mo":
            self.plan(base, *self.raised(exponent))
            return
        name = _plain(base.content) if base.tag == "mi" else ""
        function = self.function(name, span) if len(name) > 1 else None
        if function is not None:
            text = exponent.content.replace("−", "-")
            self.tokens.append(
                (PREFIX, name, *span, self.scripts.function_power(name, function, text, *span))
            )
            return
        start, end = base.start, base.end
        self.plan(
            (OPEN, "(", start, start, None),
            base,
            (CLOSE, ")", end, end, None),
            *self.raised(exponent),
        )

    def subscripted(self, base: Element, script: Element, span: tuple[int, int]) -> None:
        """``<msub>``: a name, or a logarithm with its base."""
        name = _plain(base.content)
        if name == "log":
            function = self.scripts.log_with_base(name, script.content, *span)
            self.tokens.append((PREFIX, name, *span, function))
        else:
            self.tokens.append(self.name_token(base, script, span))

    def name_token(self, base: Element, script: Element, span: tuple[int, int]) -> TokenRow:
        mark = re.sub(r"[\s,]+", "_", _plain(script.content))
        if base.tag != "mi" or not re.fullmatch(r"\w+", mark):
            self.report.fail("this subscript is not read", *span, "use letters and digits")
        return (NAME, f"{_plain(base.content)}_{mark}", *span, None)

    def function(self, name: str, span: tuple[int, int]) -> Function | None:
        if self.names.is_column(name):
            return None
        try:
            return self.names.function(name)
        except Refusal as refusal:
            self.report.fail(refusal.message, *span, refusal.hint)

    def word(self, element: Element) -> None:
        """A name, or a function."""
        span = (element.start, element.end)
        name = _plain(element.content)
        if not name:
            return
        function = self.function(name, span) if len(name) > 1 else None
        if function is not None:
            self.tokens.append((PREFIX, name, *span, function))
        else:
            self.tokens.append((NAME, "e" if name in ("ⅇ", "\u2147") else name, *span, None))

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
