"""What surrounds a formula in a paste: code fences, quotes, prompts, closing punctuation, and the
other side of an equation. Of ``y = …`` and ``f(x) = …`` the right-hand side is read; for ``sin(x) =
y`` and ``x + y = z`` the user is asked for the side.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import LETTERS

_BEGINS = re.compile(r"[\s`~*>\"'“‘„«‹$\\╭├╰│─┌└]|In ?\[|Out ?\[|julia|sage|octave|print")
"""What a wrapper begins with."""
_PAIRS = ("``", '""', "''", "“”", "‘’", "„“", "«»", "‹›")
_WRAPPERS = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"(?P<mark>`{3,8}|~{3,8})[ \t]*+(?P<language>[\w+#.-]{0,30})[^\n`]{0,80}\n"
        r"(?P<body>.*)(?P=mark)",
        r"(?P<mark>``++)(?P<body>(?:(?!(?P=mark)).)++)(?P=mark)[\s,;.]*+",
        *[f"{mark[0]}(?P<body>[^{mark[1]}]++){mark[1]}[\\s,;.]*+" for mark in _PAIRS],
        r"\*\*(?P<body>(?:(?!\*\*).)++)\*\*",  # as a chat prints it
        r"(?:>>>?(?=\s)|(?:In|Out) ?\[[0-9]{0,6}\]:(?!=)|julia>|sage:"
        r"|(?:octave:[0-9]{1,6})?>(?=\s)|[╭├╰│─┌└]++)(?P<body>.*)",
    )
]
_DISPLAY = r"\s|\$|\\displaystyle\b|\\(?:begin|end)\s*+\{[a-z]++\*?+\}"
_BOX = re.compile(rf"(?:{_DISPLAY}|\\\[|\\\()*+\\(?:boxed|fbox|framebox)\s*+\{{")
_PRINT = re.compile(r"print\s?\((?![fr]?['\"])")
_BEHIND = re.compile(rf"(?:{_DISPLAY}|\\\]|\\\)|[.,;])*+")
_BRACKETS = re.compile(r"\\.|[()\[\]{},;=]", re.DOTALL)
_MOST_WRAPPERS = 6


def unwrap(text: str, start: int, end: int) -> tuple[int, int, str]:
    """The formula's place without fences, enclosing quotes and prompts, and the word behind the
    opening fence, "" if there is none.

    >>> unwrap("```python\\nx**2\\n```", 0, 18), unwrap(">>> 'x'", 0, 7), unwrap("'x'*'y'", 0, 7)
    ((10, 14, 'python'), (5, 6, ''), (0, 7, ''))
    """
    language = ""
    for _ in range(_MOST_WRAPPERS):
        if not _BEGINS.match(text, start, end):
            break
        start, end = _stripped(text, start, end)
        inner = _inside(text, start, end)
        if inner is None:
            break
        start, end, language = inner[0], inner[1], language or inner[2]
    return *_stripped(text, start, end), language


def _inside(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """What the outermost wrapper holds, and the language that it tells."""
    for pattern in _WRAPPERS:
        if (wrapped := pattern.fullmatch(text, start, end)) is not None:
            return *wrapped.span("body"), wrapped.groupdict().get("language") or ""
    for opening, separators, language in ((_BOX, "", "latex"), (_PRINT, ",=", "")):
        head = opening.match(text, start, end)
        closed = closing(text, head.end() - 1, end, separators) if head is not None else -1
        if head is not None and closed >= 0 and _BEHIND.fullmatch(text, closed + 1, end):
            return head.end(), closed, language
    return None


def closing(text: str, place: int, end: int, separators: str) -> int:
    """Where the bracket at `place` closes; -1 if it does not, or a separator stands inside."""
    depth = 0
    for match in _BRACKETS.finditer(text, place, end):
        depth += (match[0] in "([{") - (match[0] in ")]}")
        if not depth:
            return match.start()
        if depth == 1 and match[0] in separators:
            break
    return -1


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    body = text[start:end].rstrip()
    end = start + len(body)
    return end - len(body.lstrip()), end


_LABEL = re.compile(
    r"\s*+(?P<label>[^\W\d]\w{0,29}+(?: [^\W\d]\w{0,29}+){0,2}+) ?:(?=\s)\s*+(?=\S)"
    r"(?!(?:float|double|int|number|real|complex|Tensor|f32|f64|np\.|torch\.)\w*+)"
)
_NO_LABELS = re.compile(
    r"(?:lambda|else|try|default|case|finally|if|elif|for|while|def|class|in|not|and|or|return|do)\b"
)


def behind_label(text: str, start: int, end: int) -> tuple[str, int] | None:
    """What is written before a formula with a colon and a blank, and where the formula begins.

    >>> behind_label("Best model: x + 1", 0, 17), behind_label("x:y", 0, 3)
    (('Best model:', 12), None)
    """
    match = _LABEL.match(text, start, end) if ":" in text else None
    if match is None or _NO_LABELS.search(match["label"]) is not None:
        return None
    if len(match["label"]) < 3 and text[match.end("label")] == " ":
        return None  # a range, as `a : b`
    return f"{match['label']}:", match.end()


_OPERAND = r"(?=[^\W\d_]|[(√|])"
_ITEM = re.compile(rf"\s*+(?P<mark>[0-9]{{1,3}}\.|\([0-9]{{1,3}}\)|\[[0-9]{{1,3}}\])\s++{_OPERAND}")
_CLOSED_ITEM = re.compile(r"\s*+(?P<mark>[0-9]{1,3}\))\s++(?=[^\W_]|[(√|])")
_OF_EQUATION = re.compile(r"(?P<mark>\([0-9]{1,3}(?:\.[0-9]{1,3})?[a-z]?\))[\s,;.]*+\Z")
_BEFORE_MARK = re.compile(r"(?:(?P<word>[^\W\d]\w*+)|[\w)\]])\s++\Z")
_LONGEST_WORD = 40
_LONGEST_MARK = 20


def behind_item(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The number of a list's item before a formula, which may be a factor, and where the formula
    begins: ``2.``, ``(2)`` and ``[2]``; None if none is.

    >>> behind_item("2. x + 1", 0, 8), behind_item("2. + x", 0, 6)
    (('2.', 3), None)
    """
    match = _ITEM.match(text, start, end)
    return (match["mark"], match.end()) if match is not None else None


def closed_item(text: str, start: int, end: int) -> tuple[str, int] | None:
    """As `behind_item`, of ``2)``, which is nothing else."""
    match = _CLOSED_ITEM.match(text, start, end)
    return (match["mark"], match.end()) if match is not None else None


_MARKED = re.compile(r"([-+])[ \t]++(\S.*+)")
_MOST_ITEMS = 6


def marked_lines(text: str, start: int, end: int) -> list[str]:
    """The lines without the sign before each, if all begin with the same sign and a blank.

    >>> marked_lines("- x^2\\n- x^3", 0, 11), marked_lines("x\\n- y", 0, 5)
    (['x^2', 'x^3'], [])
    """
    if text.find("\n", start, end) < 0:
        return []
    lines = [line.strip() for line in text[start:end].splitlines() if line.strip()]
    found = [_MARKED.match(line) for line in lines]
    items = [(match[1], match[2]) for match in found if match is not None]
    if not 1 < len(items) == len(lines) <= _MOST_ITEMS or len({mark for mark, _ in items}) > 1:
        return []
    return [item for _, item in items]


def equation_number(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The number of an equation behind a formula, and where the formula ends; None if none is.

    >>> equation_number("y = a x + b (2)", 0, 15), equation_number("x + log (2)", 0, 11)
    (('(2)', 11), None)
    """
    place = text.rfind("(", max(start, end - _LONGEST_MARK), end)
    match = _OF_EQUATION.match(text, place, end) if place > start else None
    if match is None:
        return None
    low = max(start, place - _LONGEST_WORD)
    before = _BEFORE_MARK.search(text, low, place)
    if before is None or _is_function((before["word"] or "").lower()):
        return None
    return match["mark"], low + len(text[low:place].rstrip())


def without_closing_marks(text: str, start: int, end: int) -> int:
    """Where a formula ends that a comma, a semicolon or a full stop closes.

    >>> [without_closing_marks(t, 0, len(t)) for t in ("x*y;", "x ,", "x.", "x**2.", "2.;")]
    [3, 1, 1, 5, 2]
    """
    while end > start:
        last = text[end - 1]
        full_stop = last == "." and end - start > 1 and not text[end - 2].isdigit()
        if not (full_stop or last in ",;" or last.isspace()):
            break
        end -= 1
    return end


_D = r"(?:d|\\mathrm\s?\{d\})"
_PART = rf"\{{\s?{_D}(?:[^{{}}]|\{{[^{{}}]{{0,9}}\}}){{0,20}}+\}}"
_DERIVATIVE = (
    rf"d\s?\w{{0,4}}+\s?/\s?d\s?\w{{1,4}}+|[A-Za-z]'{{1,3}}+|\\[dt]?frac\s?{_PART}\s?{_PART}"
)
"""``dy/dx``, ``y'``, ``\\frac{dy}{dx}``: what the right side of a differential equation gives."""
_IN_FONT = (
    r"\\(?:mathrm|mathit|mathbf|mathsf|mathcal|text|textrm|textit|operatorname|boldsymbol)"
    r"\s?\{[^{}\\]{1,40}+\}"
)
"""``\\mathrm{Nu}``, which names a value."""
_HEAD = re.compile(
    r"(?:\s|\$|&|\\\[|\\\(|\\displaystyle|\\begin\s*+\{(?![dr]?cases)[a-z]++\*?+\}"
    r"|\\label\s*+\{[^{}]{0,80}+\})*"
    rf"(?P<name>{_IN_FONT}|\\?[^\W\d](?:[^\W_]++|_(?![{{\\]))*+"
    rf"|\\(?:hat|bar|tilde|d?dot)\s*+\{{?+\s*+\\?+[A-Za-z]++\s*+\}}?+|{_DERIVATIVE})"
    rf"(?:[_^](?:\{{(?:{_IN_FONT}|[\w\\*+]){{1,40}}+\}}|{_IN_FONT}))?+"
    r"\s*+(?:(?:\\left)?\((?P<arguments>\s*+[^()+*/=]{0,2000}+)\))?+\s*+&?+\s*+"
    r"(?::=|=(?!=)|~(?!=)|~=(?!\s*+[-+]?[0-9.]++\s*+\Z)|\\sim\b|\\approx\b|≈)\s*+&?+"
)
_ARGUMENT = re.compile(r"\\?([^\W\d](?:[^\W_]|_(?!\{))*+)(?:_?\{(\w{1,40})\})?\Z")
_SIGN = re.compile(r"(?<![<>=!:~])=(?!=)")
_DOUBLE_SIGN = re.compile(r"(?<![<>=!:~])==(?!=)")
_MOST_SIDES = 3


def left_hand_side(text: str, start: int, end: int) -> tuple[str, int, tuple[str, ...]] | None:
    """The text before the first equals sign, the place behind that sign, and the names that the
    text declares in parentheses; None if it is no name of the rest's value.

    >>> left_hand_side("y = 2", 0, 5), left_hand_side("f(x, E) := x", 0, 12)
    (('y', 4, ()), ('f', 11, ('x', 'E')))
    >>> left_hand_side("x == 2", 0, 6) is None, left_hand_side("sin(x) = y", 0, 10) is None
    (True, True)
    """
    if not ("=" in text or "~" in text or "≈" in text or "\\" in text):
        return None
    head = _HEAD.match(text, start, end)
    if head is None:
        return None
    name, inside = head["name"].strip(), head["arguments"]
    applied = inside is not None or name.startswith("\\")
    bare = name[name.index("{") + 1 : -1] if name.endswith("}") and applied else name
    if applied and _is_function(bare.strip().lstrip("\\").lower()):
        return None
    return name, head.end(), _declared(inside or "")


def _is_function(name: str) -> bool:
    return name in FUNCTIONS and name not in LETTERS


def _declared(inside: str) -> tuple[str, ...]:
    """The names among the arguments of a head, as a formula spells them.

    >>> _declared(chr(92) + "theta_{1}, x, 2")
    ('theta_1', 'x')
    """
    found = [_ARGUMENT.match(part.strip()) for part in re.split("[,;]", inside)]
    names = [m[1] + (f"_{m[2]}" if m[2] else "") for m in found if m]
    return tuple(dict.fromkeys(names))


_NO_EQUATION = dict.fromkeys(
    "+-*/^%&|",
    ("this assignment is not read", "write the new value alone, as `x + 1` for `x += 1`"),
)
"""What is said of ``+=`` and its kin, by the first character."""


def ask_for_a_side(
    error: FormulaError, start: int, end: int, is_read: Callable[[str], bool]
) -> FormulaError:
    """The error at an equals sign, with each side that can be read to choose from."""
    text = error.source
    sign = text[error.span[0] : error.span[1]]
    if sign not in ("=", "=="):
        return error
    before = text[max(error.span[0] - 1, 0) : error.span[0]]
    told = _NO_EQUATION.get(before) if sign == "=" else None
    if sign == "=" and text.startswith(">", error.span[1]):
        told = ("`=>` is not read here", "write `>=` for a comparison")
    if told is not None:
        return FormulaError(told[0], source=text, span=error.span, hint=told[1])
    pattern = _SIGN if sign == "=" else _DOUBLE_SIGN
    ends = [place.start() for place in pattern.finditer(text, start, end)]
    if not ends or len(ends) >= _MOST_SIDES:
        return error
    sides = [
        text[low:high].strip(" \t\n&$")
        for low, high in zip([start, *[e + len(sign) for e in ends]], [*ends, end], strict=True)
    ]
    labels = ["the left-hand side", "the right-hand side"]
    if start or len(sides) > len(labels):
        first = 2 if start else 1
        labels = [f"side {number}" for number in range(first, first + len(sides))]
    choices = [pair for pair in zip(labels, sides, strict=True) if pair[1] and is_read(pair[1])]
    if not choices:
        return error
    shown = " or ".join(f"`{side if len(side) <= 40 else side[:39] + '…'}`" for _, side in choices)
    return FormulaError(
        "this is an equation: which side is meant?",
        source=text,
        span=error.span,
        hint=f"give {shown}",
        choices=tuple(choices),
    )
