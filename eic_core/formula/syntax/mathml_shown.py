"""Presentation MathML, which says how a formula looks, as LaTeX, whose reader knows what such a
formula means. Each part of the LaTeX remembers the element that it stands for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import parts_of
from eic_core.formula.syntax.latex import read_latex
from eic_core.formula.syntax.latex_words import SOME_UNITS, said_by
from eic_core.formula.syntax.mathml_elements import Element, plain_letters
from eic_core.formula.syntax.names import Names, safe_name
from eic_core.formula.syntax.paste import left_hand_side
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import DECIMAL
from eic_core.formula.tree import Draft

_SIGNS = {
    **dict.fromkeys("−–", "-"),
    **dict.fromkeys("·⋅∗∙•\u2062", "*"),
    **dict.fromkeys("÷∕\u2044", "/"),
    **dict.fromkeys("∣‖", "|"),
    **dict.fromkeys(";\u2063", ","),
    "\u2064": "+",
    "×": r"\times ",
    "{": r"\{",
    "}": r"\}",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "=",
    ":=": "=",
    "&&": "∧",
    "||": "∨",
    "**": "^",
    "\u2061": "",
    "": "",
}
_BARS = {"prefix": r"\lvert ", "postfix": r"\rvert "}
_OF_TEX = re.compile(r"[\\$&%~#_^{}]")
_ONLY_OF_TEX = frozenset("\\$&%~#_")
"""Signs that mean something in LaTeX alone."""
_LETTERS = {"Γ": r"\Gamma ", "Φ": r"\Phi ", "ℜ": r"\Re ", "ℑ": r"\Im ", "pi": r"\pi "}
"""Names that are functions before brackets, or have their own command."""
_GROUPS = frozenset("math mrow mstyle mpadded mtd merror".split())
_SILENT = frozenset("mspace annotation annotation-xml mphantom maligngroup malignmark none".split())
_ACCENTS = {
    **dict.fromkeys("^ˆ̂", "hat"),
    **dict.fromkeys("¯‾_", "bar"),
    **dict.fromkeys("~˜", "tilde"),
    "→": "vec",
}
_PARTS = {
    "mfrac": (r"\frac{", "}{", "}"),
    "msup": ("", "^{", "}"),
    "msub": ("", "_{", "}"),
    "msubsup": ("", "_{", "}^{", "}"),
    "mover": (),
    "munder": (),
    "mroot": (),
}
"""Tags of two or three parts, and what stands around these."""
_PLAIN = ("mi", "mn", "mo", "msub")
"""Tags of a base that needs no braces."""
_WHOLE = re.compile(r"[-+]?[0-9]{1,6}\Z")
_DECIMAL = re.compile(rf"[-−+]?+{DECIMAL}\Z")
_DECIMAL_COMMA = re.compile(r"[-−]?[0-9]+,[0-9]+\Z")
_THOUSANDS = re.compile(r"[-−]?[1-9][0-9]*,[0-9]{3}\Z")

Piece = tuple[str, int, int]
"""A part of the LaTeX, and the place of what it stands for."""


def read_shown(report: Report, names: Names, root: Element) -> Draft:
    """The tree of presentation MathML. Raises `FormulaError` if it is no formula."""
    pieces = _Translation(report, names).pieces(root)
    starts, latex = [], ""
    for text, _, _ in pieces:
        starts.append(len(latex))
        latex += text

    def place(span: tuple[int, int]) -> tuple[int, int]:
        first = max(bisect_right(starts, span[0]) - 1, 0)
        last = max(bisect_left(starts, span[1]) - 1, first)
        return pieces[first][1], pieces[last][2]

    inner, start = Report(latex), 0
    head = left_hand_side(latex, 0, len(latex))
    if head is not None:
        start = head[1]
        report.note(f"only the right-hand side of `{head[0]} = …` is read", place((0, start)))
    try:
        draft = read_latex(inner, names, start, len(latex))
    except FormulaError as error:
        report.fail(
            error.message,
            *place(error.span),
            error.hint,
            error.replacement,
            error.choices,
            error.kind,
        )
    for note in inner.notes:
        report.note(note.message, place(note.span))
    report.alternatives |= inner.alternatives
    for part in parts_of(draft):
        part.span = place(part.span)
    return draft


class _Translation:
    """Writes LaTeX over a stack of what is still to be written."""

    def __init__(self, report: Report, names: Names) -> None:
        self.report = report
        self.names = names
        self.done: list[Piece] = []
        self.todo: list[Element | Piece] = []

    def pieces(self, root: Element) -> list[Piece]:
        self.todo.append(root)
        while self.todo:
            item = self.todo.pop()
            if isinstance(item, Element):
                self.element(item)
            else:
                self.done.append(item)
        return self.done or [("", *root.span)]

    def plan(self, element: Element, *items: Element | Piece | str) -> None:
        """Write texts and elements in this order; the first text begins where `element` does, all
        others end with it.
        """
        planned: list[Element | Piece] = []
        for item in items:
            if isinstance(item, str):
                begins = not planned
                at = element.start if begins else element.end
                planned.append((item, at, at + begins))
            else:
                planned.append(item)
        self.todo.extend(reversed(planned))

    def fail(self, element: Element, message: str, hint: str) -> None:
        self.report.fail(message, *element.span, hint)

    def element(self, element: Element) -> None:
        tag, inner = element.tag, element.elements
        if tag in _SILENT:
            return
        if tag in ("mi", "mtext", "ms"):
            self.word(element)
        elif tag == "mn":
            self.number(element)
        elif tag == "mo":
            self.mark(element)
        elif tag == "semantics":
            self.plan(element, "", *inner[:1])
        elif tag == "mfenced":
            self.fenced(element)
        elif tag in _GROUPS:
            if any(not child.tag for child in element.children):
                self.fail(element, f"text in `<{tag}>`", "put it into `<mi>`, `<mn>` or `<mo>`")
            self.row(element)
        elif tag == "mtable" and [child.tag for child in inner] == ["mtr"]:
            self.plan(element, "", *inner[0].elements)  # one line that is set in columns
        elif tag == "msqrt":
            self.plan(element, r"\sqrt{", *inner, "}")
        elif tag in _PARTS:
            if len(inner) != (3 if tag == "msubsup" else 2):
                self.fail(element, f"`<{tag}>` has {len(inner)} parts", "check their number")
            self.script(element, inner)
        else:
            self.fail(
                element,
                f"`<{tag[:40]}>` is not read",
                "use rows, fractions, roots, powers and names",
            )

    def row(self, element: Element) -> None:
        """Its parts in their order; a table behind a brace holds cases."""
        items: list[Element | str] = [""]
        before = element
        for child in element.elements:
            table = _alone(child)
            if table.tag == "mtable" and before.tag == "mo" and before.content == "{":
                items.pop()
                items += self.cases(table)
            else:
                items.append(child)
            before = before if child.tag in _SILENT else child
        self.plan(element, *items)

    def cases(self, table: Element) -> list[Element | str]:
        """The rows of a table behind a brace, as cases."""
        items: list[Element | str] = [r"\begin{cases} "]
        for row in table.elements:
            if row.tag != "mtr":
                self.fail(
                    row, f"`<{row.tag[:40]}>` is not read", "write the cases as rows of a table"
                )
            for place, cell in enumerate(row.elements):
                items += [" & ", cell] if place else [cell]
            items.append(r" \\ ")
        return [*items, r"\end{cases}"]

    def script(self, element: Element, inner: list[Element]) -> None:
        """A tag of two or three parts."""
        tag, base = element.tag, inner[0]
        around = list(_PARTS[tag])
        items: list[Element | Piece | str] = [*inner]
        if tag == "mroot":
            self.plan(element, r"\sqrt[", inner[1], "]{", base, "}")
            return
        if tag in ("msub", "msubsup"):
            name = self.letters(base, applied=base.content == "log")
            items[0] = (name, element.start, base.end)
            items[1] = self.subscript(inner[1], base.content == "log")
        elif tag == "msup":
            power = inner[1].content.replace("−", "-")
            written = [part.tag for part in _alone(inner[1]).elements] or ["mo", "mn"]
            if _WHOLE.match(power) and written == ["mo", "mn"]:
                items[1] = power
            if base.tag not in _PLAIN:
                around[:2] = ["{", "}^{"]
        elif tag == "mover" and inner[1].content in _ACCENTS and base.tag == "mi":
            name = plain_letters(base.content)
            around, items = [rf"\{_ACCENTS[inner[1].content]}{{{name}}} "], []
        elif not around:
            self.fail(element, f"`<{tag}>` is not read", "write it out")
        joined = [part for pair in zip(around, items, strict=False) for part in pair]
        self.plan(element, *joined, *around[len(items) :])

    def subscript(self, element: Element, of_logarithm: bool) -> str:
        """An index, or the base of a logarithm, which may be a fraction."""
        while element.tag in _GROUPS and len(element.elements) == 1:
            element = element.elements[0]
        parts = element.elements if element.tag == "mfrac" and of_logarithm else [element]
        script = "/".join([plain_letters(part.content) for part in parts])
        if not of_logarithm and not re.fullmatch(r"[\w\s,]+", script):
            self.fail(element, "this subscript is not read", "use letters and digits")
        return script

    def letters(self, element: Element, applied: bool = False) -> str:
        """A name, as a letter or in a font, which keeps its letters together."""
        name = plain_letters(element.content)
        if name in _LETTERS or re.fullmatch(r"[^\W\d_]", name):
            return _LETTERS.get(name, f"{name} ")
        if self.names.is_column(name):
            name = safe_name(name)
        elif applied:
            return rf"\operatorname{{{name}}}"
        if not re.fullmatch(r"[\w ]+", name):
            self.fail(element, f"`{name[:40]}` is not a name", "use letters, digits and `_`")
        return rf"\bm{{{name}}}"

    def word(self, element: Element) -> None:
        name = plain_letters(element.content)
        if not name:
            return
        text = element.children[0].text if element.children else ""
        if element.tag == "mtext" and not self.names.is_known(name):
            said = said_by(name)[0]
            if said and not any(piece[0] == r"\begin{cases} " for piece in self.done):
                hint = "leave it out, with the condition behind it"
                self.fail(element, f"`{said}` is said of a formula or of a case", hint)
            if said or name in ("and", "or"):
                self.write(rf"\text{{{_OF_TEX.sub(' ', text)} }}", element)
                return
            if SOME_UNITS.match(name):
                told = f"`{name[:40]}` is read as a variable, not as a unit"
                self.report.note(told, element.span)
        if len(name) == 1 and not name.isalpha() and name != "_":
            self.mark(element)
            return
        try:
            applied = not self.names.is_column(name) and self.names.function(name) is not None
        except Refusal as refusal:
            self.report.refuse(refusal, *element.span)
        self.write(self.letters(element, applied and len(name) > 1), element)

    def number(self, element: Element) -> None:
        text = element.content
        if _DECIMAL_COMMA.match(text) and not _THOUSANDS.match(text):
            told = "a comma between digits is read as the decimal mark"
            self.report.note(told, element.span)
            text = text.replace(",", ".")
        if not _DECIMAL.match(text):
            self.fail(element, f"`{text[:40]}` is not a number", "write it as `2.5`")
        self.write(f" {text} ", element)

    def mark(self, element: Element) -> None:
        """An operator, a bracket or what is invisible."""
        text = element.content
        if len(text) > 1 and text[0].isalpha():
            self.word(element)
            return
        sign = _SIGNS.get(text, text)
        if sign == "|":
            sign = _BARS.get(element.attribute("form", ""), sign)
        if not _ONLY_OF_TEX.isdisjoint(text):
            self.fail(element, f"`{text[:40]}` has no meaning in a formula", "remove it")
        self.write(sign, element)

    def fenced(self, element: Element) -> None:
        """``<mfenced>``: brackets as attributes, commas between its parts."""
        opener, closer = element.attribute("open", "("), element.attribute("close", ")")
        inner = element.elements
        if opener == "{" and not closer and len(inner) == 1 and _alone(inner[0]).tag == "mtable":
            self.plan(element, "", *self.cases(_alone(inner[0])))
            return
        brackets = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉", "|": "|"}
        if closer not in brackets.values():
            self.fail(element, "these brackets are not read", "use parentheses")
        bar = (r"\lvert ", r"\rvert ") if opener == closer == "|" else None
        first, last = bar or (_SIGNS.get(opener, opener), _SIGNS.get(closer, closer))
        parts = [part for child in inner for part in (",", child)][1:]
        self.plan(element, first, *parts, last)

    def write(self, text: str, element: Element) -> None:
        self.done.append((text, *element.span))


def _alone(element: Element) -> Element:
    """What stands alone in rows around it."""
    while element.tag in _GROUPS:
        inner = [child for child in element.elements if child.tag not in _SILENT]
        if len(inner) != 1:
            break
        element = inner[0]
    return element
