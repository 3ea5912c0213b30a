"""How names of variables are written."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import GREEK, SUBSCRIPTS
from eic_core.operators import follow

_TO_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LETTERS = {name: letter for letter, name in reversed(GREEK.items())}
_NAME = re.compile(r"([^\W\d_]+)_?([0-9]*)\Z|([^\W\d_][^\W_]*)_(\w+)\Z")


@lru_cache(maxsize=4096)
def name_latex(name: str) -> str:
    r"""A variable's name in LaTeX; no character of it can act as a command.

    Examples
    --------
    >>> [name_latex(n) for n in ("x0", "theta_1", "E_n", "speed", r"\def{x}")]
    ['x_{0}', '\\theta_{1}', 'E_{n}', '\\mathrm{speed}', '\\mathrm{?def?x?}']
    >>> name_latex("log_Re")  # not a logarithm to the base Re
    '\\mathrm{log\\_Re}'
    """
    match = _subscripted(name)
    if not match:
        return _upright(name)
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in _LETTERS and head != "pi" or head == "hbar":
        stem = rf"\{head}"
    else:
        stem = head if len(head) == 1 and head.isascii() else _upright(head)
    if not script:
        return stem
    plain = script.isdigit() or (len(script) == 1 and script.isascii())
    return f"{stem}_{{{script if plain else _upright(script)}}}"


def name_text(name: str) -> str:
    """A variable's name in a plain label.

    Examples
    --------
    >>> [name_text(n) for n in ("x0", "theta_1", "E_n", "speed")]
    ['x₀', 'θ₁', 'E_n', 'speed']
    """
    match = _NAME.match(name)
    if not match:
        return name
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in _LETTERS and head != "pi":
        head = _LETTERS[head]
    if script.isdigit():
        return head + script.translate(_TO_SUBSCRIPTS)
    return f"{head}_{script}" if script else head


@lru_cache(maxsize=4096)
def name_mathml(name: str) -> str:
    """A variable's name as one MathML element; any text is safe.

    Examples
    --------
    >>> name_mathml("theta_1")
    '<msub><mi>θ</mi><mn>1</mn></msub>'
    >>> name_mathml("E_n"), name_mathml("<b>")
    ('<msub><mi>E</mi><mi>n</mi></msub>', '<mi>&lt;b&gt;</mi>')
    """
    match = _subscripted(name)
    if not match:
        return f"<mi>{escape(printable(name[:80]))}</mi>"
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in _LETTERS and head != "pi":
        head = _LETTERS[head]
    stem = f"<mi>{escape(head)}</mi>"
    if not script:
        return stem
    kind = "mn" if script.isdigit() else "mi"
    return f"<msub>{stem}<{kind}>{escape(script)}</{kind}></msub>"


def _subscripted(name: str) -> re.Match[str] | None:
    """Head and script, unless that would look like a function with a base or an index."""
    match = _NAME.match(name.translate(SUBSCRIPTS))
    return None if match and (match[1] or match[3]) in FUNCTIONS else match


def printable(text: str) -> str:
    """Without the characters that XML forbids: control characters and lone surrogates.

    Examples
    --------
    >>> printable("a\\x00b\\ud800")
    'ab'
    """
    return "".join(
        c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF and c not in "\ufffe\uffff"
    )


def _upright(name: str) -> str:
    r"""``\mathrm{...}`` around letters, digits and a few harmless marks."""
    safe = re.sub(r"[^\w .,:/()+*=-]", "?", name[:80])
    return rf"\mathrm{{{safe.replace('_', chr(92) + '_').replace(' ', '~')}}}"


follow(name_latex.cache_clear)
follow(name_mathml.cache_clear)
