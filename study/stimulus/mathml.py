"""Formulas as MathML, for those who do not see them."""

from __future__ import annotations

from html import escape

from eic_core.formula.rendering import printable
from study.stimulus.latex import (
    Bracketed,
    Cases,
    Fractional,
    Line,
    Marked,
    Numeral,
    Part,
    Radical,
    Scripted,
    Sign,
    Stacked,
    Word,
)

_APPLY = "<mo>&#x2061;</mo>"


def mathml(line: Line) -> str:
    r"""One ``<math>``.

    >>> from study.stimulus.latex import parse
    >>> mathml(parse(r"\mathrm{income}^{2}"))
    '<math><msup><mi>income</mi><mn>2</mn></msup></math>'
    """
    return f"<math>{''.join(_parts(line))}</math>"


def _parts(line: Line) -> list[str]:
    parts = []
    for n, part in enumerate(line):
        parts.append(_part(part))
        follower = line[n + 1] if n + 1 < len(line) else None
        # Products have a sign: a name right before a bracket is a function.
        if isinstance(follower, Bracketed) and isinstance(part, Word | Scripted):
            parts.append(_APPLY)
    return parts


def _one(line: Line) -> str:
    """One element of a line."""
    parts = _parts(line)
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _part(part: Part) -> str:
    match part:
        case Word(text, "text"):
            return f"<mtext>{escape(text).replace(' ', '&#xA0;')}</mtext>"
        case Word(text, kind):
            upright = ' mathvariant="normal"' if kind != "letter" and len(text) == 1 else ""
            return f"<mi{upright}>{escape(printable(text))}</mi>"
        case Marked(_, body):
            return _one(body)
        case Numeral(text):
            return f"<mn>{text}</mn>"
        case Sign(text):
            return f"<mo>{escape(text)}</mo>"
        case Bracketed(opened, body, closed):
            signs = [
                f'<mo form="{form}">{mark}</mo>' if opened == closed else f"<mo>{mark}</mo>"
                for form, mark in (("prefix", opened), ("postfix", closed))
            ]
            return f"<mrow>{signs[0]}{''.join(_parts(body))}{signs[1]}</mrow>"
        case Fractional(over, under):
            return f"<mfrac>{_one(over)}{_one(under)}</mfrac>"
        case Radical(body, degree):
            inner = _one(body)
            return f"<mroot>{inner}{_one(degree)}</mroot>" if degree else f"<msqrt>{inner}</msqrt>"
        case Scripted(base, lowered, raised):
            name = "m" + "sub" * bool(lowered) + "sup" * bool(raised)
            inner = "".join(_one(line) for line in (base, lowered, raised) if line)
            return f"<{name}>{inner}</{name}>"
        case Cases(rows):
            table = "".join(
                f"<mtr>{''.join(f'<mtd>{_one(line)}</mtd>' for line in row)}</mtr>" for row in rows
            )
            return f"<mrow><mo>{{</mo><mtable>{table}</mtable></mrow>"
        case Stacked():
            raise TypeError("lines are those of a drawing")
