"""The view of a program: a copy of its text in which all that is no formula is blank. It is as long
as the text, so places in it are places in the user's own text.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from eic_core.formula.syntax.build import hex_label
from eic_core.formula.syntax.reading import Report, replaced

DIALECTS = frozenset(("infix", "c", "matlab", "julia"))
"""The notations that a program may be written in."""

_MARKS = frozenset("#;@\n%<>↦\\")
_RARE = frozenset("fFdDLMjuUvyBhrb")
"""Letters of which each of `_WORDS` has one, and few formulas any."""
_WORDS = (
    "return",
    "lambda",
    "function",
    "double",
    "float",
    "f(",
    "M_",
    "Math.",
    "scipy.",
    "jax.",
    "tf.",
    "array(",
    "fn ",
    "Number(",
    "dble(",
    "real(",
    "begin ",
    "BigFloat(",
    "const ",
    "var ",
    "auto ",
    "def ",
    "std::",
)
_PIECES = (
    "//",
    "/*",
    "...",
    "(int",
    "(long",
    "special.",
    "tensor(",
    "let ",
    "cast<",
    "::consts",
    "f64::",
    "f32::",
    ": f64",
    ": f32",
    " !",
    "[](",
    ".*",
    "./",
    ".^",
    ".+",
    ".-",
    ".(",
)
_NUMBERS = re.compile(
    r"[0-9.](?:[fFdDL](?![A-Za-z_(])|(?:[uU][lL]{0,2}|LL|[fiu](?:32|64))(?![\w(]))"
)
_OF_FORTRAN = re.compile(r"\.(lt|le|gt|ge|eq|ne|and|or|not)\.", re.IGNORECASE)
_FORTRAN_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_GROUPED = re.compile(
    r"[0-9]_[0-9]|(?<![\w.])[0-9]++(?:\.[0-9]*+)?+(?:[eEdD][+-]?[0-9]++)?+_[A-Za-z0-9]"
)
_HEXADECIMAL = re.compile(r"(?<![\w.])0[xX][0-9A-Fa-f]")


def looks_like_code(text: str, start: int, end: int) -> bool:
    """Whether anything in the text may be more than a plain formula.

    >>> [looks_like_code(t, 0, len(t)) for t in ("x**2 + sin(y)", "x.^2", "2.0f*x", "x*x;")]
    [False, True, True, True]
    """
    body = text[start:end]
    letters = set(body)
    if not letters.isdisjoint(_MARKS) or any(piece in body for piece in _PIECES):
        return True
    if not letters.isdisjoint(_RARE) and (
        any(word in body for word in _WORDS) or _NUMBERS.search(body)
    ):
        return True
    if "." in letters and _OF_FORTRAN.search(body):
        return True
    if "_" in letters and _GROUPED.search(body):
        return True
    return ("0x" in body or "0X" in body) and _HEXADECIMAL.search(body) is not None


TYPE = (
    r"(?:static|inline|constexpr|const|extern|public|private|protected|final|export|async|unsigned"
    r"|long|double|float|real|auto|var|let|__device__|__host__|__global__|local|global)"
)
_RUST = r"(?:32|64)(?!\w)"
_EVIDENCE = (
    ("infix", re.compile(r"\b(?:def|lambda)\b|<-\s|\bfunction\s*+\([^(){}]*+\)\s*+[^\s{]")),
    (
        "matlab",
        re.compile(r"@\s*+\(|\bfunction\b\s*+\[?+\s*+\w++\s*+\]?+\s*+="),
    ),
    (
        "c",
        re.compile(
            rf"\b{TYPE}\s++\w|\bfn\s++\w++\s*+\(|\bstd::|\bMath\.|=>|;\s*+//|/\*|\bstatic_cast\b"
            r"|\breturn\b[^;\n]{0,300}+;"
            r"|(?<![\w.])(?:[0-9]++\.[0-9]*+|\.[0-9]++|[0-9]++(?=[eE]))(?:[eE][+-]?[0-9]++)?+[fFL]"
            r"(?!\w|[+-][0-9])"
            r"|\(\s*+(?:const\s++)?+(?:double|float)\s*+\)|\bfunction\b[^\n{;]{0,200}\{"
        ),
    ),
    (
        "julia",
        re.compile(
            r"\w\.\(|@\.|->|\bfunction\b|::(?:Float|Real\b|Number\b)"
            rf"|(?<![\w.])[0-9]++\.?+[0-9]*+f(?!{_RUST})[0-9]"
        ),
    ),
    ("matlab", re.compile(r"\.[*/^]")),
)


_GOES_ON = re.compile(r"\.\.\.[ \t]*+[%A-Za-z\n]")
"""MATLAB's sign that a line goes on, on a line that has an end."""
_OF_JULIA = re.compile(r"#|√|∛|[Α-ω]|[0-9]\s?//\s?[0-9]")


def find_dialect(text: str, start: int, end: int) -> tuple[str, bool]:
    """The language of a program, and whether more than an operator tells.

    >>> [find_dialect(t, 0, len(t)) for t in ("@(x) x.^2", "x.^2", "exp.(x)", "x => x*x", "x**2")]
    [('matlab', True), ('matlab', False), ('julia', True), ('c', True), ('infix', False)]
    """
    for place, (name, pattern) in enumerate(_EVIDENCE):
        if pattern.search(text, start, end) or (place == 1 and _goes_on(text, start, end)):
            if place == 4 and _OF_JULIA.search(text, start, end):
                return "julia", True
            return name, place < 4
    return "infix", False


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether a line but the last one goes on, behind MATLAB's sign.

    The sign is looked for in lines that end: to look behind each sign for the end of its line would
    take time with the square of a long last line.
    """
    last = text.rfind("\n", start, end) + 1
    return _GOES_ON.search(text, start, max(start, last)) is not None


_COMMENTS = {
    "infix": re.compile(
        r"\A(?:\s*+(?://|%)[^\n]*+)++"
        r"|(?<=[\w)\]])[ \t]++![ \t]*+[^\W\d_]{2}[^\n]*+"  # of Fortran
        r"|#(?![0-9])[^\n]*+|(?P<doubtful>//|%)[^\n#]*+"
    ),
    "c": re.compile(r"//[^\n]*+|^[ \t]*+#[^\n]*+", re.MULTILINE),
    "matlab": re.compile(r"%[^\n]*+|\.\.\.[^\n]*+(?:\n|(?P<last>\Z))|#(?![0-9])[^\n]*+"),
    "julia": re.compile(r"#(?![0-9])[^\n]*+"),
}
_MACRO = re.compile(
    r"^(?P<head>[ \t]*+#[ \t]*+define[ \t]++)(?P<name>[^\W\d]\w*+)(?:(?P<call>\()"
    r"|(?P<gap>[ \t]++)(?P<value>[^\s/](?:[^\n/]|/(?!/))*+)(?P<rest>//[^\n]*+|\n|\Z))",
    re.MULTILINE,
)
"""``#define K 2.0`` of C, and the head of ``#define SQ(x) …``."""
_CLOSED = re.compile(r"(?:[-+]?+[\w.]++(?:(?<=[eE])[-+][0-9]++)?+f?|\((?:[^()]|\([^()]*+\))*+\))\Z")
"""What stays together wherever a macro puts it."""
_OF_LAST_LINE = re.compile(r"%[^\n]*+|#(?![0-9])[^\n]*+")
"""MATLAB's comments where no line follows, so that none goes on."""
_CONTINUATION = re.compile(r"(?<!&)&[ \t]*+(?:![^\n]*+)?+\r?+(?:\n[ \t]*+&?+(?!&)|\Z)")
"""Fortran's sign that a line goes on; on the last line, where none can, all that stands behind it:
another sign there is not looked at again."""
_COMPARES = re.compile(r"[<>~]|[=!]=|&&")
_BLOCKS = {
    "infix": re.compile(r"(\"{3}|'{3}).*?(?:\1|\Z)", re.DOTALL),
    "c": re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL),
    "julia": re.compile(r"#=.*?(?:=#|\Z)", re.DOTALL),
}
"""Comments of several lines, and texts that describe a function."""
_NO_PROSE = r"(?!(?:if|else|and|or|not|in|is|for)\b)"
_PROSE = re.compile(rf"\b{_NO_PROSE}[^\W\d_]{{2,}}+[ \t]++{_NO_PROSE}[^\W\d_]{{2,}}+")
"""Two words side by side that no formula has."""
_NO_NUMBER = re.compile(
    r"(?:\b(?:np|numpy|torch|tf)\.)?+\b(?:float|float64|Float64|Decimal)\s*+\(\s*+"
    r"(?P<quote>['\"])(?P<word>[+-]?(?:nan|inf(?:inity)?))(?P=quote)\s*+\)",
    re.IGNORECASE,
)
_MODULES = (
    r"(?:jax\.numpy|jax\.nn|jax\.scipy\.special|scipy\.special|special|scipy|tf\.math|tf\.nn"
    r"|torch\.special|torch\.nn\.functional|np\.emath|StrictMath|Math|std|f64|f32)"
)
_FLOATS = (
    r"(?:(?:np|numpy|jnp|torch|tf)\.)?+(?:float64|float32|float16|float_|float|longdouble|tensor"
    r"|array|asarray|constant|Float64|Float32|BigFloat|Number|parseFloat|dble|real|double)"
)
_LIBM = "sqrt|cbrt|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10"
_KINDS = (
    r"(?:[iuf](?:8|16|32|64)|usize|[dsqwr][pk][0-9]?|r[48]|real(?:32|64|128)|c_double|c_float"
    r"|double|float)"
)
"""What stands behind a number's ``_`` in Rust and in Fortran."""
_FEW_DIGITS = re.compile(r"_[0-9]{1,2}(?![0-9])")
"""What separates no thousands."""
_FORTRAN_KIND = re.compile(r"\.[0-9]*+(?:[eEdD][+-]?[0-9]++)?+(_(?:4|8|16))\Z")
_PATTERN = (
    r"(?P<slot>\#)(?=[0-9])"
    rf"|(?P<constant>\b(?:Math\.(?:PI|E|SQRT2|SQRT1_2|LN2|LN10|LOG2E|LOG10E)|M_PI|M_E|(?:(?:std|core)::)?+f(?:32|64)::consts::(?:PI|E)|std::numbers::(?:pi|e)(?:_v<\w++>)?)\b)"
    rf"|(?P<module>(?<![\w.]){_MODULES}(?:\.|::)(?=\w++\s*+\())"
    rf"|(?P<cast>\(\s*+(?:const\s++)?+(?:double|float|long\s++double)\s*+\)(?=\s*+[\w(.])"
    r"|\bstatic_cast\s*+<\s*+(?:double|float|long\s++double)\s*+>)"
    r"|(?P<cut>\(\s*+(?:int|long|short|unsigned)\s*+\)(?=\s*+[\w(.])|\bstatic_cast\s*+<\s*+\w++\s*+>)"
    rf"|(?P<wrapper>(?<![\w.]){_FLOATS}(?=\s*+\())"
    rf"|(?P<single>(?<![\w.])(?:{_LIBM}|pow|fabs|fmin|fmax|hypot|fma|erf|floor|ceil|round|log1p)f(?=\s*+\())"
    r"|(?P<hex>(?<![\w.])0[xX][0-9A-Fa-f]{1,10}\b(?![.pP]))"
    r"|(?P<scaled>(?<![\w.])0[xX][0-9A-Fa-f]*+\.?+[0-9A-Fa-f]*+[pP][+-]?[0-9]{1,6}+)[fFlL]?+(?!\w)"
    r"|(?P<number>(?<![\w.])(?:[0-9]++(?:_[0-9]++)*+\.?+(?:[0-9]++(?:_[0-9]++)*+)?+|\.[0-9]++)"
    rf"(?:(?P<power>[eEdD]|f(?!{_RUST})(?=[0-9])|<f>)(?=[+-]?[0-9])[+-]?[0-9]++)?+"
    rf"(?P<suffix>(?:[fFdD]|[uU][lL]{{0,2}}+|[lL]{{1,2}}+[uU]?+|f[0-9]++|[iu](?:8|16|32|64)|_{_KINDS})(?![\w(]))?+)"
    r"|(?P<broadcast>(?<![\w.])[A-Za-z_]\w*+\.(?=\())"
    r"|(?P<dot>\.(?=[*/^+<>-]|[=!]=))"
    r"|(?P<macro>@\.)"
)
_SPELLED = re.compile(_PATTERN.replace("|<f>", ""))
_OF_JULIA_TOO = re.compile(_PATTERN.replace("<f>", "f(?=[+-])"))
"""The same where ``1.0f-3`` is one number."""
_SIGNED_DIGITS = re.compile(r"[+-][0-9]++(?![.\w])")


def _blank(text: str) -> str:
    return " " * len(text)


def _plain_sign(match: re.Match[str]) -> str:
    """Fortran's ``.lt.`` and ``.and.`` as they are written elsewhere, in as many characters."""
    word = match[1].lower()
    return f" {_FORTRAN_SIGNS.get(word, word)}".ljust(len(match[0]))


def _word_alone(match: re.Match[str]) -> str:
    """The word of `_NO_NUMBER` in its place, as ``nan`` of ``float('nan')``."""
    before = match.start("word") - match.start()
    return (" " * before + match["word"]).ljust(len(match[0]))


def _without_continuation(match: re.Match[str]) -> str:
    """Blanks for a sign that a line goes on, if one follows."""
    return _blank(match[0]) if "\n" in match[0] else match[0]


def _without_comment(match: re.Match[str]) -> str:
    """Blanks for a comment; what may be a division or a remainder stays, unless it is prose.

    >>> pattern = _COMMENTS["infix"]
    >>> [pattern.sub(_without_comment, t).strip() for t in ("x # a", "x // of x", "x // one unit")]
    ['x', 'x // of x', 'x']
    """
    text, groups = match[0], match.groupdict()
    if groups.get("last") is not None:
        return _OF_LAST_LINE.sub(_without_comment, text)
    doubtful = groups.get("doubtful")
    if doubtful and (text.count(doubtful) > 1 or not _PROSE.search(text)):
        return text
    return _blank(text)


def _same_length(new: str, old: str) -> str:
    """`new` filled up with blanks, or `old` where it does not fit."""
    return new.ljust(len(old)) if len(new) <= len(old) else old


class View:
    """Makes the view of a program; columns win over other meanings of a name."""

    def __init__(self, report: Report, columns: Collection[str], dialect: str) -> None:
        self.report = report
        self.columns = columns
        self.dialect = dialect

    def make(self, start: int, end: int) -> str:
        """The whole text, blank outside [start, end) and wherever it says nothing."""
        text = self.report.text
        body = text[start:end]
        if self.dialect in _BLOCKS:
            body = _BLOCKS[self.dialect].sub(lambda match: _blank(match[0]), body)
        if self.dialect == "c" and "define" in body:
            body = _MACRO.sub(lambda match: self.macro(match, start), body)
        body = _COMMENTS[self.dialect].sub(_without_comment, body)
        if "." in body:
            body = _OF_FORTRAN.sub(_plain_sign, body)
        if "&" in body and _COMPARES.search(body) is None:
            body = _CONTINUATION.sub(_without_continuation, body)
        body = body.replace("\\\n", "  ").replace("\r", " ")
        if "float" in body or "Float" in body or "Decimal" in body:
            body = _NO_NUMBER.sub(_word_alone, body)
        self.start = start
        pattern = _OF_JULIA_TOO if self.dialect == "julia" else _SPELLED
        body = pattern.sub(self.spelled, body)
        if self.dialect == "julia":
            body = body.replace("//", "/ ")
        return _blank(text[:start]) + body + _blank(text[end:])

    def spelled(self, match: re.Match[str]) -> str:
        """What stands in the view for one piece of the text."""
        text, kind = match[0], match.lastgroup or ""
        span = (self.start + match.start(), self.start + match.end())
        report = self.report
        if match["number"]:
            return self.number(match, span)
        if kind == "slot":
            report.note("`#1`, `#2`, … are read as the variables `x1`, `x2`, …", span)
            report.index_base = 1
            return "x"
        if kind == "constant":
            return self.constant(text, span)
        if kind == "cut":
            report.fail("this cast cuts the decimals off", *span, "write `floor(x)`, or remove it")
        if kind == "hex":
            return _same_length(str(int(text, 16)), text)
        if match["scaled"]:
            label = hex_label(match["scaled"])
            if not label or "/" in label or len(label) > len(text):
                hint = f"write `{label}`" if label and len(label) <= 60 else "write it as a decimal"
                mended = replaced(report.text, [(*span, label)]) if label else None
                report.fail("this hexadecimal number is not read here", *span, hint, mended)
            return label.ljust(len(text))
        if kind == "broadcast" or kind == "single":
            return text[:-1] + " "
        of_c = self.dialect == "c" and "float" in text and "64" not in text
        if kind in ("cast", "wrapper") and (of_c or "32" in text or "16" in text):
            report.note("rounding to a shorter format is no part of the formula", span)
        return _blank(text)

    def macro(self, match: re.Match[str], start: int) -> str:
        """``K=2.0;`` at the places of ``#define K 2.0``; other macros are left out."""
        name, span = match["name"], (start + match.start(), start + match.end())
        if match["call"]:
            self.report.note(f"the macro `{name[:40]}(…)` is not read", span)
        if match["call"] or name.endswith("PI") or name == "M_E":  # which the language has, too
            return match[0]
        if _CLOSED.match(match["value"].strip()) is None:
            self.report.fail("this macro is not read", *span, "put what it stands for in brackets")
        head, gap = _blank(match["head"]), "=".ljust(len(match["gap"]))
        return f"{head}{name}{gap}{match['value']}{';'.ljust(len(match['rest']))}"

    def constant(self, text: str, span: tuple[int, int]) -> str:
        """``M_PI``, ``Math.E`` and their kin; ``M_E`` alone is as likely a mass."""
        c_text = self.dialect == "c" or "M_PI" in self.report.text
        if text in self.columns or (text == "M_E" and not c_text):
            return text
        if text.startswith("Math.") and text not in ("Math.PI", "Math.E"):
            return text.replace("Math.", "M_").rjust(len(text))
        if "pi" not in text.lower():
            self.report.note(f"`{text}` is read as Euler's number", span)
        return ("pi" if "pi" in text.lower() else "e").rjust(len(text))

    def number(self, match: re.Match[str], span: tuple[int, int]) -> str:
        """A number without the marks that only programs give it."""
        text, power, suffix = match[0], match["power"] or "", match["suffix"] or ""
        if power and suffix[:1] == "f" and suffix[1:].isdigit() and suffix not in ("f32", "f64"):
            bare = text.removesuffix(suffix)
            whole = self.report.text
            self.report.fail(
                f"`{text[:40]}` has two exponents",
                *span,
                f"write `{bare[:40]}`",
                whole[: span[0]] + bare + whole[span[1] :] if not int(suffix[1:]) else None,
            )
        if power and power in "dDf":
            place = match.start("power") - match.start()
            if suffix[:1] not in ("", "_") or text[place:] in self.columns:
                return text
            text = text.removesuffix(suffix)
            self.report.note(
                f"`{text}` is read as the number {text[:place]}e{text[place + 1 :]}", span
            )
            return (text[:place] + "e" + text[place + 1 :]).ljust(len(match[0]))
        if suffix:
            return self._without_suffix(text, suffix, span)
        before = self.report.text[: span[0]].rstrip() if "_" in text else ""
        if before.endswith("^") and _FEW_DIGITS.search(text):
            return text  # `x^2_1` is no power of 21
        kind = _FORTRAN_KIND.search(text) if "_" in text else None
        if kind is not None:
            self.report.note(f"the kind `{kind[1]}` of `{text}` says nothing of its value", span)
            self.report.keep(
                f"{text} as the number {text.replace('_', '')}",
                replaced(self.report.text, [(*span, text.replace("_", ""))]),
            )
            text = text.removesuffix(kind[1]).ljust(len(text))
        return _same_length(text.replace("_", ""), text) if "_" in text else text

    def _without_suffix(self, text: str, suffix: str, span: tuple[int, int]) -> str:
        """A number without the letters that give its type, or as it is where they are factors."""
        bare = text.removesuffix(suffix)
        plain = (bare.replace("_", "") if "_" in bare else bare).ljust(len(text))
        if self.dialect == "c" or suffix[0] == "_" or suffix in ("f32", "f64"):
            return plain
        if suffix in self.columns:
            return text
        if suffix in ("f", "F"):
            return self._single(text, bare, span).ljust(len(text))
        if len(suffix) > 1:
            return plain if bare.isdigit() or suffix.upper() != "LL" else text
        view = self.report.text
        stands_alone = re.search(rf"(?<![\w.]){suffix}(?!\w)", view) is not None
        if suffix not in "LuU" or not bare.isdigit() or "*" not in view or stands_alone:
            return text
        self.report.note(f"`{text}` is read as the number {bare}: `{suffix}` is its type", span)
        place = span[0] + len(bare)
        self.report.keep(
            f"{text} as the product {bare}*{suffix}", replaced(view, [(place, place, "*")])
        )
        return plain

    def _single(self, text: str, bare: str, span: tuple[int, int]) -> str:
        """``1.0f``; ``1.0f-3`` is 1.0 - 3 in C and one number in Julia."""
        report = self.report
        behind = _SIGNED_DIGITS.match(report.text, span[1])
        if behind is None or text[-1] == "F":
            return bare if not bare.isdigit() else text
        number = bare + "e" + behind[0]
        report.note(
            f"`{text}{behind[0]}` is read as {bare} {behind[0][0]} {behind[0][1:]}, as in C; in"
            f" Julia it is the number {number}",
            (span[0], behind.end()),
        )
        report.keep(
            f"{text}{behind[0]} as the number {number}",
            replaced(report.text, [(span[0], behind.end(), number)]),
        )
        return bare
