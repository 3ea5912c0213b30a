"""Reads MathML: presentation becomes LaTeX, content (``<apply>``) the forms of s-expressions."""

from __future__ import annotations

from typing import NoReturn

from eic_core.formula.syntax.mathml_elements import Element, plain_letters, read_elements
from eic_core.formula.syntax.mathml_shown import read_shown
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import MAX_DEPTH, Report
from eic_core.formula.syntax.sexpr import SExpression, read_form
from eic_core.formula.tree import Draft


def read_mathml(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of ``report.text[start:end]``. Raises `FormulaError` if it is no formula."""
    found = [child for child in read_elements(report, start, end) if child.tag]
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
_NOT_READ = frozenset(
    "infinity imaginaryi eulergamma vector matrix set list interval"
    " diff partialdiff int sum product limit".split()
)


class _Content:
    """Turns content into the forms of s-expressions, without recursion."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def form(self, root: Element) -> SExpression:
        root = self.right_side(root)
        done: dict[int, SExpression] = {}
        pending = [(root, False)]
        while pending:
            element, ready = pending.pop()
            if not ready and element.tag == "apply":
                pending.append((element, True))
                pending.extend(
                    (child, False) for child in element.elements[1:] if self.is_operand(child)
                )
            elif not ready and element.tag == "piecewise":
                pending.append((element, True))
                pending.extend(
                    (part, False) for case in element.elements for part in self.case(case)
                )
            elif element.tag == "apply":
                done[id(element)] = self.call(element, done)
            elif element.tag == "piecewise":
                done[id(element)] = self.choice(element, done)
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

    def call(self, element: Element, done: dict[int, SExpression]) -> SExpression:
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
        first = SExpression(name, head.start, head.end)
        return SExpression("(", element.start, element.end, [first, *items])

    def case(self, element: Element) -> list[Element]:
        """The value and the condition of a ``<piece>``, or the value of ``<otherwise>``."""
        parts = element.elements
        if len(parts) != {"piece": 2, "otherwise": 1}.get(element.tag, 0):
            self.refuse(element)
        return parts

    def choice(self, element: Element, done: dict[int, SExpression]) -> SExpression:
        """``<piecewise>``: each piece where its condition holds and none before it does."""
        span = (element.start, element.end)
        cases = element.elements
        rest = SExpression("NAN", *span)
        if cases and cases[-1].tag == "otherwise":
            rest = done[id(cases.pop().elements[0])]
        for case in reversed(cases):
            if case.tag == "otherwise":
                self.refuse(case)
            value, condition = [done[id(part)] for part in case.elements]
            rest = SExpression("(", *span, [SExpression("if", *span), condition, value, rest])
        return rest

    def atom(self, element: Element) -> SExpression:
        tag, span = element.tag, (element.start, element.end)
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
            self.report.fail(
                "this number is not read", element.start, element.end, "write a decimal"
            )
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
