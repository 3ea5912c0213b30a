"""Reads MathML: presentation becomes LaTeX, content (``<apply>``) the forms of s-expressions."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NoReturn

from eic_core.formula.syntax.mathml_elements import Element, plain_letters, read_elements
from eic_core.formula.syntax.mathml_shown import read_shown
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import MAX_DEPTH, Report
from eic_core.formula.syntax.sexpr import SExpression, read_form, run
from eic_core.formula.tree import Draft


def read_mathml(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of ``report.text[start:end]``. Raises `FormulaError` if it is no formula."""
    found = [child for child in read_elements(report, start, end) if child.tag]
    if not found:
        report.fail(
            "there is no formula", start, end, "write one, such as `<math><mi>x</mi></math>`"
        )
    if len(found) > 1:
        report.fail("more than one expression", *found[1].span, "give a single one")
    root = found[0]
    while root.tag in ("math", "mrow", "semantics", "mstyle") and root.elements:
        inner = root.elements
        if len(inner) > 1 and root.tag != "semantics":
            break
        root = inner[0]
    if root.tag in ("apply", "lambda", "bind", "ci", "cn", "piecewise", "csymbol"):
        content = _Content(report)
        return read_form(report, names, run(content.form(content.right_side(root))))
    return read_shown(report, names, root)


_HEADS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "power": "pow",
    "ln": "log",
    "ceiling": "ceil",
    "lt": "<",
    "gt": ">",
    "leq": "<=",
    "geq": ">=",
    "eq": "==",
    "neq": "!=",
}
_CONSTANTS = {
    "pi": "PI",
    "exponentiale": "E",
    "true": "TRUE",
    "false": "FALSE",
    "notanumber": "NAN",
}
_MARKS = frozenset(("degree", "logbase", "bvar"))
"""What stands in an `<apply>` and is no operand."""
_NOT_READ = frozenset(
    "infinity imaginaryi eulergamma vector matrix set list interval"
    " diff partialdiff int sum product limit".split()
)


class _Content:
    """Turns content into the forms of s-expressions."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def form(self, element: Element) -> Generator[Any, SExpression, SExpression]:
        """What an element says; waits for the forms of its operands."""
        if element.tag == "apply":
            operands = [child for child in element.elements[1:] if child.tag not in _MARKS]
            build = self.call
        elif element.tag == "piecewise":
            operands = [part for case in element.elements for part in self.case(case)]
            build = self.choice
        else:
            return self.atom(element)
        forms: list[SExpression] = []
        for operand in operands:
            forms.append((yield self.form(operand)))
        return build(element, forms)

    def right_side(self, root: Element) -> Element:
        """Past the variables of a function and the left side of an equation."""
        for _ in range(MAX_DEPTH):
            inner = root.elements
            if root.tag in ("lambda", "bind") and inner:
                root = inner[-1]
            elif root.tag == "apply" and len(inner) == 3 and inner[0].tag == "eq":
                self.report.note("only the right-hand side is read", inner[1].span)
                root = inner[2]
            else:
                break
        return root

    def call(self, element: Element, forms: list[SExpression]) -> SExpression:
        """``<apply>``: an operator and what it is applied to."""
        children = element.elements
        if not children:
            self.report.fail("nothing is applied here", *element.span, "write an operator")
        head = children[0]
        if head.tag in _NOT_READ:
            self.refuse(head)
        name = head.content if head.tag in ("ci", "csymbol") else _HEADS.get(head.tag, head.tag)
        marks = {child.tag: child for child in children if child.tag in ("degree", "logbase")}
        if name == "root":
            name = "root" if "degree" in marks else "sqrt"
        elif head.tag == "log" and "logbase" not in marks:
            name = "log10"
        for mark in marks.values():
            inner = mark.elements
            if len(inner) != 1 or inner[0].tag == "apply":
                self.report.fail("this degree or base is not read", *mark.span, "write a number")
            forms.append(self.atom(inner[0]))
        first = SExpression(name, *head.span)
        return SExpression("(", *element.span, [first, *forms])

    def case(self, element: Element) -> list[Element]:
        """The value and the condition of a ``<piece>``, or the value of ``<otherwise>``."""
        parts = element.elements
        if len(parts) != {"piece": 2, "otherwise": 1}.get(element.tag, 0):
            self.refuse(element)
        return parts

    def choice(self, element: Element, forms: list[SExpression]) -> SExpression:
        """``<piecewise>``: each piece where its condition holds and none before it does."""
        span = element.span
        for case in element.elements[:-1]:
            if case.tag == "otherwise":
                self.refuse(case)
        rest = forms.pop() if len(forms) % 2 else SExpression("NAN", *span)
        while forms:
            condition, value = forms.pop(), forms.pop()
            rest = SExpression("(", *span, [SExpression("if", *span), condition, value, rest])
        return rest

    def atom(self, element: Element) -> SExpression:
        tag, span = element.tag, element.span
        if tag in _CONSTANTS:
            return SExpression(_CONSTANTS[tag], *span)
        if tag == "cn":
            return SExpression(self.number(element), *span)
        if tag == "ci":
            inner = element.elements
            scripted = bool(inner) and inner[0].tag == "msub" and len(inner[0].elements) == 2
            parts = inner[0].elements if scripted else [element]
            return SExpression("_".join([plain_letters(part.content) for part in parts]), *span)
        self.refuse(element)

    def number(self, element: Element) -> str:
        """``<cn>`` of any type, spelled as s-expressions spell numbers."""
        parts = ["".join(part.content.split()) for part in element.children if not part.tag]
        kind = element.attribute("type", "real")
        if element.attribute("base", "10") != "10" or kind.startswith("complex"):
            self.report.fail("this number is not read", *element.span, "write a decimal")
        if len(parts) == 2 and kind in ("rational", "e-notation"):
            return ("/" if kind == "rational" else "e").join(parts)
        return "".join(parts).replace("−", "-")

    def refuse(self, element: Element) -> NoReturn:
        self.report.fail(
            f"`<{element.tag[:40]}>` is not read",
            element.start,
            element.end,
            "use numbers, names and functions of one value",
        )
