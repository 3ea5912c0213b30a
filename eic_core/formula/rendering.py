"""Formulas as Python that reads back to the same tree, LaTeX, MathML and short labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from html import escape

from eic_core.errors import require
from eic_core.formula.syntax.build import FUNCTIONS, literal
from eic_core.formula.syntax.names import GREEK, SUBSCRIPTS, safe_name
from eic_core.formula.tree import ALWAYS_EXACT, CONSTANT, UNDEFINED, VARIABLE, Formula, Node
from eic_core.operators import OPERATORS, Form, follow
from eic_core.operators.writing import (
    ADD,
    APPLY,
    ATOM,
    CODE,
    LATEX,
    MATHML,
    MUL,
    NEG,
    POW,
    TEXT,
)

Part = str | tuple[int, int]

_SLOT = re.compile(r"<([0-9*p])(?::([0-9]+))?>")
_SMALL = 6  # the most nodes that stand in an exponent of e


@lru_cache(maxsize=512)
def template_parts(template: str, arity: int, comma: str = ", ") -> tuple[Part | None, ...]:
    """A template as texts, (operand, floor of precedence) pairs, and None for the parameter.

    >>> template_parts("max(<*>)", 2)
    ('max(', (0, 0), ', ', (1, 0), ')')
    """
    parts: list[Part | None] = []
    place = 0
    for match in _SLOT.finditer(template):
        parts.append(template[place : match.start()])
        if match[1] == "*":
            for operand in range(arity):
                parts += [comma, (operand, 0)] if operand else [(operand, 0)]
        elif match[1] == "p":
            parts.append(None)
        else:
            parts.append((int(match[1]), int(match[2] or 0)))
        place = match.end()
    parts.append(template[place:])
    return tuple(part for part in parts if part != "")


def form_of(formula: Formula, node: Node, compact: bool = True) -> Form:
    """The form of an operator over these operands; `compact`: as a power of e where that is small.

    >>> from eic_core.formula.syntax import read
    >>> formula = read("exp(-x)").formula
    >>> form_of(formula, formula.root).latex
    'e^{<0>}'
    """
    row = OPERATORS[node.operator]
    writing = row.writing
    if writing.of_number is not None:
        child = formula.nodes[node.children[0]]
        if child.operator == CONSTANT and child.label not in ("pi", "e"):
            return writing.of_number
    if writing.explicit is not None and _misread(formula, node):
        return writing.explicit
    if compact and writing.compact is not None and _fits_exponent(formula, node):
        return writing.compact
    return row.form_with(node.parameter)


def _fits_exponent(formula: Formula, node: Node) -> bool:
    # a variable e would look like the base of a power of e
    return node.id - formula.first[node.id] <= _SMALL and "e" not in formula.variables


def compact_forms(formula: Formula) -> frozenset[bool]:
    """Of the operators that have a compact form: whether each is written so.

    >>> from eic_core.formula.syntax import read
    >>> sorted(compact_forms(read("exp(x) + exp(x + x + x + x)").formula))
    [False, True]
    """
    return frozenset(
        _fits_exponent(formula, node)
        for node in formula.nodes
        if node.children and OPERATORS[node.operator].writing.compact is not None
    )


def _misread(formula: Formula, node: Node) -> bool:
    """Whether ``u**v`` would be read as another operator: u is e, or v a literal n or n/2."""
    base, *exponents = node.children
    if _is_euler(formula.nodes[base]):
        return True
    if not exponents:  # the text means the same whichever way exponents are read
        return formula.exponents == "noisy" and node.parameter not in ALWAYS_EXACT
    # no literal n or n/2 has more than four nodes; longer exponents need not be looked at
    if exponents[0] - formula.first[exponents[0]] >= 4:
        return False
    value = literal(formula.to_draft(exponents[0]))
    return value is not None and value.denominator <= 2


def _is_euler(node: Node) -> bool:
    return node.operator == CONSTANT and node.label == "e"


def math_style(form: Form, place: int, around: str = "") -> str:
    r"""The style of an operand in TeX, such as ``\scriptstyle``; `around` is that of the whole.

    >>> [math_style(OPERATORS["pow"].form, place) for place in (0, 1)]
    ['', '\\scriptstyle']
    >>> math_style(OPERATORS["div"].form, 0), math_style(OPERATORS["sin"].form, 0, r"\textstyle")
    ('\\textstyle', '\\textstyle')
    """
    slot = rf"\{{<{place}(:[0-9]+)?>\}}"
    if re.search(r"\^" + slot, form.latex):
        return r"\scriptstyle"
    return around or (r"\textstyle" if re.search(r"\\frac(\{.*\})?" + slot, form.latex) else "")


_TO_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
LETTERS_BY_NAME = {name: letter for letter, name in reversed(GREEK.items())}
_NAME = re.compile(r"([^\W\d_]+)(?:_?([0-9]+))?\Z|([^\W\d_][^\W_]*)_(\w+)\Z")


@lru_cache(maxsize=4096)
def name_latex(name: str) -> str:
    r"""A variable's name in LaTeX; no character of it can act as a command.

    >>> [name_latex(n) for n in ("x0", "theta_1", "E_n", "speed", r"\def{x}")]
    ['x_{0}', '\\theta_{1}', 'E_{n}', '\\mathrm{speed}', '\\mathrm{?def?x?}']
    >>> name_latex("log_Re")  # not a logarithm to the base Re
    '\\mathrm{log\\_Re}'
    """
    match = _subscripted(name)
    if not match:
        return _upright(name)
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in LETTERS_BY_NAME and head != "pi" or head == "hbar":
        stem = rf"\{head}"
    else:
        stem = head if len(head) == 1 and head.isascii() else _upright(head)
    if not script:
        return stem
    plain = script.isdigit() or (len(script) == 1 and script.isascii())
    return f"{stem}_{{{script if plain else _upright(script)}}}"


def name_text(name: str) -> str:
    """A variable's name in a plain label.

    >>> [name_text(n) for n in ("x0", "theta_1", "E_n", "speed")]
    ['x₀', 'θ₁', 'E_n', 'speed']
    """
    match = _NAME.match(name.translate(SUBSCRIPTS))
    if not match:
        return name
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in LETTERS_BY_NAME and head != "pi":
        head = LETTERS_BY_NAME[head]
    if script.isdigit():
        return head + script.translate(_TO_SUBSCRIPTS)
    return f"{head}_{script}" if script else head


@lru_cache(maxsize=4096)
def name_mathml(name: str) -> str:
    """A variable's name as one MathML element; any text is safe.

    >>> name_mathml("theta_1")
    '<msub><mi>θ</mi><mn>1</mn></msub>'
    >>> name_mathml("E_n"), name_mathml("<b>")
    ('<msub><mi>E</mi><mi>n</mi></msub>', '<mi>&lt;b&gt;</mi>')
    """
    match = _subscripted(name)
    if not match:
        return f"<mi>{escape(printable(name[:80]))}</mi>"
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in LETTERS_BY_NAME and head != "pi":
        head = LETTERS_BY_NAME[head]
    stem = f"<mi>{escape(head)}</mi>"
    if not script:
        return stem
    kind = "mn" if script.isdigit() else "mi"
    return f"<msub>{stem}<{kind}>{escape(script)}</{kind}></msub>"


def _subscripted(name: str) -> re.Match[str] | None:
    match = _NAME.match(name.translate(SUBSCRIPTS))
    # log_2 would look like a logarithm to that base, sqrt_3 like a cube root
    return None if match and (match[1] or match[3]).lower() in FUNCTIONS else match


def printable(text: str) -> str:
    """The text without control characters and lone surrogates, which XML forbids.

    >>> printable("a\\x00b\\ud800")
    'ab'
    """
    return "".join(
        c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff"
    )


def _upright(name: str) -> str:
    r"""``\mathrm{...}`` around letters, digits and a few harmless marks."""
    safe = re.sub(r"[^\w .,:/()+*=#$%&-]", "?", name[:80]).replace(" ", "~")
    escaped = re.sub("([_#$%&])", r"\\\1", safe)
    return rf"\mathrm{{{escaped}}}"


follow(name_latex.cache_clear)
follow(name_mathml.cache_clear)


_TYPESET = (LATEX, MATHML)
_RIGHT = (ADD + 1, MUL + 1)
"""Floors of operands at the right of + − and · /, where a leading minus needs parentheses."""

_BRACKETS = {
    CODE: ("(", ")"),
    LATEX: (r"\left(", r"\right)"),
    TEXT: ("(", ")"),
    MATHML: ("<mrow><mo>(</mo>", "<mo>)</mo></mrow>"),
}
_COMMA = {CODE: ", ", LATEX: ", ", TEXT: ", ", MATHML: "<mo>,</mo>"}
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def to_python(
    formula: Formula,
    node_id: int | None = None,
    decorate: Callable[[Node, str], str] | None = None,
) -> str:
    """Python infix that reads back to the identical structure.

    Parameters
    ----------
    formula
        The tree.
    node_id
        The root of the part to write; the whole by default.
    decorate
        Given a node, leaves too, and its text, returns another in its place.

    Returns
    -------
    str
        In the infix notation of `eic_core.read`.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> to_python(read("(x_0 - 1)^2 * -x_1").formula)
    '(x0 - 1)**2*(-x1)'
    """
    require(formula, Formula)
    return "".join(_flatten(formula, _last(formula, node_id), CODE, decorate))


def to_latex(
    formula: Formula,
    node_id: int | None = None,
    decorate: Callable[[Node, str], str] | None = None,
    compact: bool = True,
) -> str:
    r"""LaTeX that KaTeX typesets.

    Parameters
    ----------
    formula
        The tree.
    node_id
        The root of the part to write; the whole by default.
    decorate
        Given a node, leaves too, and its LaTeX, returns a well-formed group in its place, such as
        ``\colorbox{red}{$...$}``.
    compact
        Whether small exponents of e stand raised; otherwise all are written ``exp``.

    Returns
    -------
    str
        For math mode, without delimiters.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> print(to_latex(read("sqrt(x_0)/(1.5e-7*theta)").formula))
    \frac{\sqrt{x_{0}}}{1.5\times 10^{-7} \cdot \theta}
    """
    require(formula, Formula)
    return "".join(_flatten(formula, _last(formula, node_id), LATEX, decorate, compact))


def to_mathml(
    formula: Formula,
    node_id: int | None = None,
    decorate: Callable[[Node, str], str] | None = None,
) -> str:
    """MathML Core (W3C): one well-formed ``<math>`` element that browsers typeset.

    Parameters
    ----------
    formula
        The tree.
    node_id
        The root of the part to write; the whole by default.
    decorate
        Given a node, leaves too, and its MathML, returns one element in its place.

    Returns
    -------
    str
        In display style.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> to_mathml(read("sqrt(x)").formula)[-48:]
    'display="block"><msqrt><mi>x</mi></msqrt></math>'
    """
    require(formula, Formula)
    inner = "".join(_flatten(formula, _last(formula, node_id), MATHML, decorate))
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{inner}</math>'


def short_text(formula: Formula, node_id: int | None = None, limit: int = 40) -> str:
    """A compact label; where it is too long, long constants lose digits, then operands go.

    Ellipses stand for operands, innermost first: the last operation and its brackets stay, so that
    sums which begin alike differ.

    Parameters
    ----------
    formula
        The tree.
    node_id
        The root of the part to write; the whole by default.
    limit
        Most characters, ellipses included; below `FEWEST_OF_OPERANDS` the end is cut off.

    Returns
    -------
    str
        At most `limit` characters of plain text.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> f = read("10000*x - 9999*x").formula
    >>> short_text(f), short_text(f, limit=8)
    ('10000·x − 9999·x', '10000·x…')
    >>> short_text(read("18229197693709419806720.000*x - 0.5").formula, limit=24)
    '1.8229198e22·x − 0.5'
    >>> short_text(read("sin(1.0003*x**8 + 0.9991*x**7) + 1.002*x**6 + x").formula, limit=32)
    'sin(… + …·x⁷) + 1.002·x⁶ + x'
    """
    require(formula, Formula)
    node = _last(formula, node_id)
    for brief in (False, True):
        whole = _beginning(formula, node, limit, brief)
        if len(whole) <= limit:
            return whole
    beginnings: dict[int, str] = {}

    def beginning(k: int) -> str:
        if k not in beginnings:
            beginnings[k] = _beginning(formula, k, limit, True)
        return beginnings[k]

    return _elided(formula, node, limit, beginning)


FEWEST_OF_OPERANDS, MOST_OF_OPERANDS = 24, 80
"""Limits between which operands are left out of a label; for others its end is cut off."""


def _beginning(formula: Formula, node_id: int, limit: int, brief: bool) -> str:
    text = ""
    todo: list[str | int] = [node_id]
    while todo and len(text) <= limit:
        part = todo.pop()
        if isinstance(part, str):
            text += _brief(part) if brief else part
        else:
            todo.extend(reversed(list(_parts(formula, formula.nodes[part], TEXT))))
    return text[: limit + 1]  # one more than fits tells that it is too long


def _elided(formula: Formula, node_id: int, limit: int, beginning: Callable[[int], str]) -> str:
    """A shortened label; `beginning` has the first `limit` + 1 characters of each node's label."""
    if FEWEST_OF_OPERANDS <= limit <= MOST_OF_OPERANDS and formula.nodes[node_id].children:
        return _with_room(formula, node_id, limit, beginning)
    return beginning(node_id)[: max(limit - 1, 0)].rstrip() + "…"


def _with_room(formula: Formula, node_id: int, room: int, beginning: Callable[[int], str]) -> str:
    """A label in `room` characters: operands share what the operation leaves, short ones first."""
    text = beginning(node_id)
    if len(text) <= room:
        return text
    parts = [
        _brief(part) if isinstance(part, str) else part
        for part in _parts(formula, formula.nodes[node_id], TEXT)
    ]
    operands = [part for part in parts if not isinstance(part, str)]
    spare = room - sum([len(part) for part in parts if isinstance(part, str)])
    if spare < len(operands) or not operands:
        return "…"
    written: dict[int, str] = {}
    for n, k in enumerate(sorted(operands, key=lambda k: len(beginning(k)))):
        share = spare // (len(operands) - n)
        written[k] = _with_room(formula, k, share, beginning) if share > 1 else "…"
        spare -= len(written[k])
    text = "".join([part if isinstance(part, str) else written[part] for part in parts])
    # an operation of nothing but ellipses tells no more than one
    return text if any(map(str.isalnum, text)) else "…"


_LONG_NUMBER = re.compile(r"(?<![\w.])\d[\d.]{11,}(?![\w.])")


def _brief(text: str) -> str:
    return _LONG_NUMBER.sub(lambda m: re.sub(r"e\+?0*", "e", f"{float(m[0]):.8g}"), text)


def node_texts(formula: Formula, limit: int = 40) -> tuple[str, ...]:
    """The label of every node, in post-order, in time proportional to nodes times limit.

    >>> from eic_core.formula.syntax import read
    >>> node_texts(read("x**2 + 1").formula)
    ('x', 'x²', '1', 'x² + 1')
    """
    plain, brief = _beginnings(formula, limit, str), _beginnings(formula, limit, _brief)
    return tuple(
        [
            whole
            if len(whole) <= limit
            else short
            if len(short) <= limit
            else _elided(formula, k, limit, brief.__getitem__)
            for k, (whole, short) in enumerate(zip(plain, brief, strict=True))
        ]
    )


def _beginnings(formula: Formula, limit: int, written: Callable[[str], str]) -> list[str]:
    texts: list[str] = []
    for node in formula.nodes:
        text = ""
        for part in _parts(formula, node, TEXT):
            text += written(part) if isinstance(part, str) else texts[part]
            if len(text) > limit:
                break
        texts.append(text[: limit + 1])
    return texts


def _last(formula: Formula, node_id: int | None) -> int:
    return len(formula) - 1 if node_id is None else node_id


def _parts(formula: Formula, node: Node, style: int, compact: bool = True) -> Iterator[str | int]:
    if not node.children:
        yield _leaf(formula, node, style)
        return
    form = form_of(formula, node, compact)
    opened, closed = _BRACKETS[style]
    for part in template_parts(form[style], len(node.children), _COMMA[style]):
        if part is None:
            assert node.parameter is not None
            yield _parameter(node, form, style)
        elif isinstance(part, str):
            yield part
        else:
            position, floor = part
            child = node.children[position]
            precedence = _precedence(formula, formula.nodes[child], style, compact)
            if precedence < floor or (
                floor in _RIGHT
                and _begins_with_minus(formula, formula.nodes[child], style, compact)
            ):
                yield opened
                yield child
                yield closed
            else:
                yield child


def _begins_with_minus(formula: Formula, node: Node, style: int, compact: bool) -> bool:
    """Whether a node's text begins with a minus, which would stand next to another sign."""
    # a MathML template begins with a tag, but has a minus first where that of LaTeX does
    style = LATEX if style == MATHML else style
    while node.children:
        first, *_ = template_parts(
            form_of(formula, node, compact)[style], len(node.children), _COMMA[style]
        )
        if isinstance(first, str):
            return first[0] in "-−"
        if first is None:
            return False
        place, floor = first
        node = formula.nodes[node.children[place]]
        if _precedence(formula, node, style, compact) < floor:
            return False
    return _precedence(formula, node, style, compact) == NEG


def _precedence(formula: Formula, node: Node, style: int, compact: bool) -> int:
    if node.children:
        form = form_of(formula, node, compact)
        if style == CODE and form.code_precedence is not None:
            return form.code_precedence
        return form.latex_precedence if style in _TYPESET else form.precedence
    if node.operator == CONSTANT:
        if node.label.startswith("-"):
            return ATOM if style == CODE and "/" in node.label else NEG
        if style in _TYPESET and ("e" in node.label[1:] or "/" in node.label):
            return APPLY
        if style == TEXT and "/" in node.label:
            return MUL
    return ATOM


def _parameter(node: Node, form: Form, style: int) -> str:
    value = node.parameter
    assert value is not None
    if style == MATHML:
        return number_mathml(str(value))
    if style == LATEX or not OPERATORS[node.operator].power:
        return str(value)
    if style == TEXT:
        whole = value.denominator == 1
        return str(value).translate(_SUPERSCRIPTS) if whole else f"^({value})"
    text = _decimal(value)
    return f"({text})" if value < 0 and form.precedence == POW else text


def _decimal(value: Fraction) -> str:
    """A whole number or a half, as a decimal."""
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return f"{sign}{abs(value.numerator) // 2}.5"


_NAMES: dict[int, Callable[[str], str]] = {
    LATEX: name_latex,
    TEXT: name_text,
    MATHML: name_mathml,
}


@lru_cache(maxsize=64)
def _variable_names(formula: Formula, style: int) -> dict[str, str]:
    """The typeset name of each variable; where two are alike, letter by letter, then numbered."""
    names = {label: _NAMES[style](label) for label in formula.variables}
    attempts = (lambda label, place, style: verbatim(label, style), _numbered)
    for attempt in attempts:
        count = Counter(names.values())
        alike = [label for label, name in names.items() if count[name] > 1]
        if not alike:
            break
        for place, label in enumerate(alike, 1):
            names[label] = attempt(label, place, style)
    return names


follow(_variable_names.cache_clear)


def verbatim(label: str, style: int) -> str:
    """A name letter by letter."""
    if style == LATEX:
        return _upright(label)
    return f"<mi>{escape(printable(label[:80]))}</mi>" if style == MATHML else label


def _numbered(label: str, place: int, style: int) -> str:
    name = verbatim(label, style)
    if style == LATEX:
        return rf"{name}^{{({place})}}"
    return f"<msup>{name}<mn>({place})</mn></msup>" if style == MATHML else f"{name}({place})"


def _leaf(formula: Formula, node: Node, style: int) -> str:
    label = node.label
    if node.operator == VARIABLE:
        if style != CODE:
            return _variable_names(formula, style)[label]
        return label if label.translate(SUBSCRIPTS).isidentifier() else safe_name(label)
    if style == CODE:
        if label == "pi" and label in formula.variables:
            return "π"
        over, slash, under = label.partition("/")
        return f"Rational({over}, {under})" if slash else label
    if style == TEXT:
        return "π" if label == "pi" else label.replace("-", "−")
    return number_mathml(label) if style == MATHML else number_latex(label)


def number_latex(label: str) -> str:
    if label == "pi":
        return r"\pi"
    if label == "e":
        return r"\mathrm{e}"
    if label == UNDEFINED:
        return r"\mathrm{nan}"
    over, slash, under = label.partition("/")
    if slash:
        sign = "-" if over.startswith("-") else ""
        return rf"{sign}\frac{{{over.lstrip('-')}}}{{{under}}}"
    mantissa, mark, exponent = label.partition("e")
    return rf"{mantissa}\times 10^{{{exponent}}}" if mark else label


def number_mathml(label: str) -> str:
    """A constant as one MathML element.

    >>> number_mathml("-2.5"), number_mathml("pi")
    ('<mrow><mo>−</mo><mn>2.5</mn></mrow>', '<mi>π</mi>')
    >>> number_mathml("1e-3")
    '<mrow><mn>1</mn><mo>×</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup></mrow>'
    """
    if label in ("pi", "e", UNDEFINED):
        return "<mi>π</mi>" if label == "pi" else f"<mi>{label}</mi>"
    if label.startswith("-"):
        return f"<mrow><mo>−</mo>{number_mathml(label[1:])}</mrow>"
    over, slash, under = label.partition("/")
    if slash:
        return f"<mfrac><mn>{over}</mn><mn>{under}</mn></mfrac>"
    mantissa, mark, exponent = label.partition("e")
    if not mark:
        return f"<mn>{label}</mn>"
    power = f"<msup><mn>10</mn>{number_mathml(exponent)}</msup>"
    return f"<mrow><mn>{mantissa}</mn><mo>×</mo>{power}</mrow>"


def _flatten(
    formula: Formula,
    root: int,
    style: int,
    decorate: Callable[[Node, str], str] | None = None,
    compact: bool = True,
) -> list[str]:
    """All pieces of the text, left to right, over an explicit stack."""
    pieces: list[str] = []  # an explicit stack: deep trees would exceed the limit of recursion
    todo: list[str | int | tuple[int, int]] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, tuple):
            assert decorate is not None
            node_id, start = item
            text = decorate(formula.nodes[node_id], "".join(pieces[start:]))
            pieces[start:] = [text]
        else:
            if decorate is not None:
                todo.append((item, len(pieces)))
            todo.extend(reversed(list(_parts(formula, formula.nodes[item], style, compact))))
    return pieces
