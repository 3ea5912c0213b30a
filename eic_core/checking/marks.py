"""The formulas of a file that a comment marks: `# eic: x=0.1:10, max=3` on the line above.

Each is cut out with its place; it is read later, as a paste is. No program is run.
"""

from __future__ import annotations

import ast
import bisect
import io
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from eic_core.checking.settings import MarkSettings, settings_of, with_range, with_setting
from eic_core.errors import DataError, UserError
from eic_core.formula.syntax.languages import notation_called


class FileLanguage(NamedTuple):
    """How comments and statements are written in files of one kind."""

    syntax: str
    comment: str
    suffixes: tuple[str, ...]
    block: tuple[str, str] = ("", "")  # What a comment inside a line begins and ends with
    fixed: bool = False  # Fortran by columns: a letter in the first, a continuation in the sixth


FILE_LANGUAGES = (
    FileLanguage("python", "#", (".py", ".pyi", ".pyx")),
    FileLanguage("julia", "#", (".jl",), ("#=", "=#")),
    FileLanguage("r", "#", (".r",)),
    FileLanguage(
        "c",
        "//",
        (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cu", ".cl", ".java", ".js", ".ts")
        + (".rs", ".go", ".cs"),
        ("/*", "*/"),
    ),
    FileLanguage("fortran", "!", (".f90", ".f95", ".f03", ".f08", ".f18")),
    FileLanguage("fortran", "!", (".f", ".for", ".f77"), fixed=True),
    FileLanguage("latex", "%", (".tex", ".ltx")),
    FileLanguage("matlab", "%", (".m",)),
)

SUFFIXES = {suffix: each for each in FILE_LANGUAGES for suffix in each.suffixes}


@dataclass(frozen=True)
class MarkedFormula:
    """A formula in a file, cut out, with what its mark says.

    Attributes
    ----------
    path
        Of its file, as it was named.
    line
    end_line
        Its first and last line, from 1.
    column
        Where its text begins in the first line, from 1.
    text
        As the file has it; what is no formula may be blank.
    syntax
        The language, as `read` names it.
    settings
        Its data and limits.
    name
        In a list of formulas, its name; else empty.
    fault
        Why nothing can be cut out; else empty.
    folder
        Where its table may be, or below; None for the file's own.
    """

    path: str
    line: int
    end_line: int
    column: int
    text: str
    syntax: str
    settings: MarkSettings
    name: str = ""
    fault: str = ""
    folder: Path | None = None


def fault_of(error: Exception) -> str:
    """Why a file, a mark or its formula is not checked: none ends the check of the others."""
    if isinstance(error, UserError):
        return str(error)
    # without its text, which might quote a file
    return f"EIC Lab ended it with {type(error).__name__}, which is a fault of EIC Lab"


class _Piece(NamedTuple):
    start: int  # Offsets in the file's text
    end: int
    text: str


class _Unreadable(UserError):
    """The statement below a mark is none that holds one formula."""


def marked_formulas(
    path: Path, text: str, default: MarkSettings | None = None
) -> tuple[MarkedFormula, ...]:
    """The formulas that a file marks, in its order.

    Parameters
    ----------
    path
        Of a source file or a TOML list; its suffix names the language.
    text
        What the file holds.
    default
        Settings where a mark says nothing.

    Returns
    -------
    tuple[MarkedFormula, ...]
        One for each mark, also where nothing can be cut out.

    Raises
    ------
    DataError
        If the suffix is none that is read, or the TOML is none.

    Examples
    --------
    >>> text = "# eic: x=1:1e8\\ny = sqrt(x + 1) - sqrt(x)\\n"
    >>> [(each.line, each.text) for each in marked_formulas(Path("law.py"), text)]
    [(2, 'y = sqrt(x + 1) - sqrt(x)')]
    """
    refuse_unread(path)
    default = default or MarkSettings()
    suffix = path.suffix.lower()
    if suffix == ".toml":
        return tuple(_listed(path, text, default))
    source = _Source(text, SUFFIXES[suffix], strict=suffix != ".pyx")
    return tuple(source.marked(path, mark, default) for mark in source.marks)


# `ast.parse` gives up on what is nested too deeply, in either of two ways
_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)


class _Mark(NamedTuple):
    line: int  # Of its last comment, from 1
    words: str
    alone: bool = True  # Whether nothing else stands on its line


# `EIC x=1:2` is meant as one, and prose about EIC is not
_SAYS_MARK = r"(?:eic:|(?i:eic)\s*+:?+(?=\s*+\b\w++=))"

_MOST_MARKS = 8
"""Marks inside the statement below another: of a function and of its lines, say.

So far each is looked for, so that many marks are cut out in linear time.
"""

_PYTHON_TOKEN = re.compile(
    r"#[^\n]*|(?P<long>\"{3}|'{3})(?:\\.|.)*?(?:(?P=long)|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?",
    re.DOTALL,
)


class _Source:
    """A file's text and its lines."""

    def __init__(self, text: str, language: FileLanguage, *, strict: bool) -> None:
        self.text = text
        self.strict = strict  # Whether its language is Python alone, if it is Python at all
        self.language = language
        self.lines = io.StringIO(text).readlines()  # at \n alone, as lines are counted
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        sign = re.escape(language.comment)
        begin, end = map(re.escape, language.block)
        comment = rf"\s*{sign}+" + ("|[cC*]" if language.fixed else "")
        self.comment = re.compile(comment)
        comment += rf"|\s*{begin}" if begin else ""
        ending = rf"(?:{end}\s*)?" if end else ""
        self.mark = re.compile(rf"(?:{comment})\s*{_SAYS_MARK}(?P<words>[^\n]*?){ending}$")
        code = r"(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[^\"'\n])*?"
        opening = rf"(?<![\\{sign[-1]}])(?:{sign}{'|' + begin if begin else ''})(?:{sign})*+"
        self.trailing = re.compile(rf"{code}{opening}\s*+eic:(?P<words>[^\n]*)")

        self.marks = tuple(self._marks())
        self.code = [
            index
            for index, line in enumerate(self.lines)
            if line.strip() and not self.comment.match(line)
        ]

    def _marks(self) -> Iterator[_Mark]:
        """Comments that stand alone on a line; such that follow one another are one."""
        comments = self._python_comments() if self.language.syntax == "python" else None
        words: list[str] = []
        for number, line in enumerate([*self.lines, ""], start=1):
            is_comment = comments is None or number in comments
            match = self.mark.match(line) if is_comment else None
            if match is not None:
                words.append(match["words"])
                continue
            if words:
                yield _Mark(number - 1, " ".join(words))
                words = []
            behind = self.trailing.match(line) if is_comment and "eic:" in line else None
            if behind is not None and not self.comment.match(line):
                yield _Mark(number, behind["words"], alone=False)

    @cached_property
    def statements(self) -> list[ast.stmt] | None:
        """Of a Python file, by their lines; None if it is no Python."""
        try:
            tree = ast.parse(self.text)
        except _NO_PYTHON:
            return None
        return sorted((each for each in ast.walk(tree) if isinstance(each, ast.stmt)), key=_top)

    def marked(self, path: Path, mark: _Mark, default: MarkSettings) -> MarkedFormula:
        blank = MarkedFormula(str(path), mark.line, mark.line, 1, "", self.language.syntax, default)
        try:
            if not mark.alone:
                raise _Unreadable("a mark stands alone on the line above its formula")
            settings = settings_of(mark.words, default)
            piece = _CUTTERS.get(self.language.syntax, _cut_lines)(self, mark.line)
        except Exception as error:
            return replace(blank, fault=fault_of(error))
        line = self.line_at(piece.start) + 1
        return replace(
            blank,
            line=line,
            end_line=self.line_at(piece.end - 1) + 1,
            column=piece.start - self.starts[line - 1] + 1,
            text=piece.text,
            settings=settings,
        )

    def after(self, number: int) -> int:
        """The offset of the first line below that is neither blank nor a comment."""
        place = bisect.bisect_left(self.code, number)
        if place == len(self.code):
            raise _Unreadable("no formula stands below this mark")
        line = self.lines[self.code[place]]
        return self.starts[self.code[place]] + len(line) - len(line.lstrip())

    def limit(self, number: int) -> int:
        """The offset before which the statement below a mark has to end."""
        place = bisect.bisect_right(self.marks, number, key=lambda mark: mark.line) + _MOST_MARKS
        return (
            self.starts[self.marks[place].line - 1] if place < len(self.marks) else len(self.text)
        )

    def line_at(self, offset: int) -> int:
        """The line that holds a character, from 0."""
        return bisect.bisect_right(self.starts, offset) - 1

    def line_end(self, offset: int) -> int:
        """Where the line of a character ends, behind what breaks it."""
        return self.starts[self.line_at(offset) + 1]

    def piece(self, start: int, end: int) -> _Piece:
        text = self.text[start:end].rstrip()
        return _Piece(start, start + len(text), text)

    def _python_comments(self) -> set[int]:
        """The lines with a comment, from 1, not such that look like it in a string."""
        tokens = _PYTHON_TOKEN.finditer(self.text)
        return {self.line_at(each.start()) + 1 for each in tokens if each[0][0] == "#"}


def _cut_python(source: _Source, mark: int) -> _Piece:
    if source.statements is None:
        piece = _cut_lines(source, mark)
        try:
            ast.parse(piece.text)
        except SyntaxError as error:
            if source.strict:
                raise _Unreadable(f"what stands below is no Python: {error.msg}") from error
        except _NO_PYTHON:
            pass  # It may be read all the same
        return piece
    place = bisect.bisect_right(source.statements, mark, key=_top)
    if place == len(source.statements):
        raise _Unreadable("no formula stands below this mark")
    statement = source.statements[place]
    start = source.starts[_top(statement) - 1]
    line = source.lines[_top(statement) - 1]
    start += len(line) - len(line.lstrip())
    last = (statement.end_lineno or 1) - 1
    column = len(source.lines[last].encode()[: statement.end_col_offset].decode())
    _refuse_more(source.lines[last][column:].partition("#")[0])
    end = source.starts[last] + column
    if end > source.limit(mark):
        raise _Unreadable(f"the statement below holds more than {_MOST_MARKS} further marks")
    return source.piece(start, end)


def _refuse_more(rest: str) -> None:
    if rest.strip(" \t\n;"):
        raise _Unreadable("several statements stand on this line: give each a line of its own")


def _top(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


_BRACKETS = {")": "(", "]": "[", "}": "{"}
_OPEN = (*"-+*/^=,(&|<>?:", "...")
_CONTINUES = re.compile(r"\s*[-+*/^?:.)]")
# A comment or a string that nothing closes goes to the end, lest each of many looks for it
_C_COMMENT = r"//[^\n]*|/\*(?:.*?\*/|.*\Z)"
_C_TOKEN = re.compile(
    rf"{_C_COMMENT}|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])'|[()\[\]{{}};]", re.DOTALL
)
_C_COMMENTS = re.compile(rf"(?:\s|{_C_COMMENT})*+", re.DOTALL)
_MACRO = re.compile(r"#\s*define\s+\w+(?:\([^()]*\))?(?=\s)")
_MACRO_LINES = re.compile(r"(?:[^\n]*\\\n)*[^\n]*")
_SIXTH_COLUMN = re.compile(r"(?m)^ {5}[^\s0]")
_FLOW = re.compile(r"(?:for|while|if|switch|do|match|loop)\b")


def _refuse_flow(text: str) -> None:
    flow = _FLOW.match(text)
    if flow is not None:
        raise _Unreadable(f"the statement `{flow[0]}` holds no single formula")


def _cut_c(source: _Source, mark: int) -> _Piece:
    """Up to a semicolon, or to the bracket that ends a function; a macro's expression."""
    start, limit = source.after(mark), source.limit(mark)
    start = _C_COMMENTS.match(source.text, start, limit).end()  # type: ignore[union-attr]
    macro = _MACRO.match(source.text, start, limit)
    if macro is not None:
        end = _MACRO_LINES.match(source.text, start, limit).end()  # type: ignore[union-attr]
        return _Piece(macro.end(), end, source.text[macro.end() : end].replace("\\\n", " \n"))
    _refuse_flow(source.text[start : start + 20])
    depth = 0
    body = False
    for token in _C_TOKEN.finditer(source.text, start, limit):
        sign = token[0]
        if sign in "([{":
            body |= sign == "{" and depth == 0
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if sign == "}" and body and depth == 0:
                return source.piece(start, token.end())
        elif sign == ";" and depth == 0:
            rest = source.text[token.end() : source.line_end(token.start())]
            _refuse_more(_C_COMMENTS.sub(" ", rest).replace("}", ""))
            return source.piece(start, token.end())
        if depth < 0:
            break
    return _cut_lines(source, mark)


def _cut_lines(source: _Source, mark: int) -> _Piece:
    """One line, and those that continue it."""
    start = source.after(mark)
    _refuse_flow(source.text[start : start + 20])
    last = source.line_at(start)
    depth, behind = 0, ""
    for number in range(last + 1, source.line_at(source.limit(mark) - 1) + 1):
        text = source.lines[number - 1].partition(source.language.comment)[0]
        following = source.lines[number]
        depth, behind = depth + _depth(text), text.rstrip() or behind
        if source.language.fixed:
            if not _SIXTH_COLUMN.match(following):
                break
        elif depth <= 0 and not behind.endswith(_OPEN) and not _CONTINUES.match(following):
            break
        last = number
    piece = source.piece(start, source.starts[last + 1])
    return piece._replace(text=_SIXTH_COLUMN.sub("      ", piece.text))


def _depth(text: str) -> int:
    return sum(text.count(sign) for sign in "([{") - sum(text.count(sign) for sign in ")]}")


def _cut_r(source: _Source, mark: int) -> _Piece:
    start = source.after(mark)
    first = source.text[start : source.line_end(start)]
    return _cut_c(source, mark) if "{" in first else _cut_lines(source, mark)


_BLOCK_WORDS = re.compile(
    r"(?m)^[^\S\n]*+(?:@\w++[^\S\n]++)*+(?P<open>function|begin|let|for|while|if|do|try|quote|macro|struct)\b"
    r"|\b(?P<end>end)\b(?!\s*+[])])"
)
_RETURN_TYPE = re.compile(r"(?<=\))\s*::\s*[\w.]+(?:\{[^{}\n]*\})?(?=[^\S\n]*(?:\n|=[^=]))")
_DOTTED_ASSIGNMENT = re.compile(r"\A(\w+\s*)\.=")
_MACROS = re.compile(r"(?:@\w++\s++)*+(?=function\b)")


def _cut_blocks(source: _Source, mark: int) -> _Piece:
    """A function to its `end` (Julia, MATLAB), or lines."""
    start, limit = source.after(mark), source.limit(mark)
    macros = _MACROS.match(source.text, start, limit)
    if macros is None:
        piece = _cut_lines(source, mark)
        text = _RETURN_TYPE.sub("", piece.text, 1)
        return piece._replace(text=_DOTTED_ASSIGNMENT.sub(r"\1 =", text))
    start = macros.end()
    depth = 1
    for word in _BLOCK_WORDS.finditer(source.text, start + len("function"), limit):
        depth += 1 if word["open"] else -1
        if depth == 0:
            piece = source.piece(start, word.end())
            return piece._replace(text=_RETURN_TYPE.sub("", piece.text, 1))
    return source.piece(start, limit)  # MATLAB's functions may go without `end`


_FUNCTION = re.compile(
    r"(?i)[^\n!=]*?\bfunction\s+(?P<name>\w+)\s*\([^()]*\)(?:\s*result\s*\(\s*(?P<result>\w+)\s*\))?"
)
_FUNCTION_END = re.compile(r"(?im)^[^\S\n]*+end[^\S\n]*+(?:function\b.*)?$")
_ASSIGNED = re.compile(r"\s*(?P<name>\w+)\s*=(?!=)")
_DECLARED = re.compile(r"(?i)\s*(?:implicit|use|real|integer|double|intent|return|contains)\b|.*::")


def _cut_fortran(source: _Source, mark: int) -> _Piece:
    """A function to its end, of which the assignments stand; or a line and what continues it."""
    start, limit = source.after(mark), source.limit(mark)
    header = _FUNCTION.match(source.text, start, limit)
    if header is None:
        return _cut_lines(source, mark)
    end = _FUNCTION_END.search(source.text, header.end(), limit)
    if end is None:
        raise _Unreadable(f"the function `{header['name']}` has no end")
    result = header["result"] or header["name"]
    kept = [re.sub(r"[^\n]", " ", source.text[start : header.end()])]
    last = ""
    for line in source.text[header.end() : end.start()].splitlines(keepends=True):
        plain = line.split("!")[0]
        assigned = _ASSIGNED.match(plain)
        is_more = last.endswith("&")
        if not plain.strip() or (_DECLARED.match(plain) and not is_more):
            kept.append(" " * (len(line) - line.count("\n")) + "\n" * line.count("\n"))
            continue
        if not (assigned or is_more):
            word = plain.split()[0]
            raise _Unreadable(f"the statement `{word}` in `{header['name']}` is not read")
        kept.append(plain.rstrip("\n") + " " * (len(line) - len(plain)) + "\n" * line.count("\n"))
        last = plain.rstrip()
    body = "".join(kept)
    names = [match["name"].lower() for match in map(_ASSIGNED.match, body.splitlines()) if match]
    if not names or names[-1] != result.lower():
        raise _Unreadable(f"the last statement of `{header['name']}` does not set `{result}`")
    return _Piece(start, end.end(), body.rstrip())


_ENVIRONMENT = re.compile(
    r"\\begin\{(?P<name>equation|displaymath|math|align|gather|multline)\*?\}"
)
_OPENS_MATH = re.compile(r"\\[\[(]|(?<!\\)\$\$?")
_CLOSES_MATH = {r"\[": r"\]", r"\(": r"\)", "$$": "$$", "$": "$"}


def _cut_latex(source: _Source, mark: int) -> _Piece:
    """An environment, the first mathematics of the line below, or that line."""
    start, limit = source.after(mark), source.limit(mark)
    environment = _ENVIRONMENT.match(source.text, start)
    if environment is not None:
        closing = environment[0].replace("begin", "end", 1)
        end = source.text.find(closing, start, limit)
        if end < 0:
            raise _Unreadable(f"`{environment[0]}` has no end")
        piece = source.piece(start, end + len(closing))
        return piece._replace(text=re.sub(r"(?<!\\)%[^\n]*", "", piece.text))
    line_end = source.line_end(start)
    unclosed = set[str]()  # No later one is closed either
    for opening in _OPENS_MATH.finditer(source.text, start, line_end):
        if opening[0] not in unclosed:
            closing = _CLOSES_MATH[opening[0]]
            end = source.text.find(closing, opening.end(), limit)
            if end >= 0:
                return source.piece(opening.start(), end + len(closing))
            unclosed.add(opening[0])
    return source.piece(start, line_end)


_CUTTERS: dict[str, Callable[[_Source, int], _Piece]] = {
    "python": _cut_python,
    "c": _cut_c,
    "r": _cut_r,
    "julia": _cut_blocks,
    "matlab": _cut_blocks,
    "fortran": _cut_fortran,
    "latex": _cut_latex,
}

# Python's reader takes more than linear work for a key of many parts
_LONG_KEY = re.compile(
    r"(?:(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[^\S\n]*+\.[^\S\n]*+){20}"
)
_HEADING = re.compile(r"[^\S\n]*+\[\[[^\S\n]*+formulas?[^\S\n]*+\]\]")


def _listed(path: Path, text: str, default: MarkSettings) -> Iterator[MarkedFormula]:
    """The tables `[[formula]]` of a TOML file; `[defaults]` holds for all of them."""
    if _LONG_KEY.search(text):
        raise DataError(f"{path}: a key has too many parts", hint="write `[[formula]]` above each")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path} is no TOML: {error}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is nested too deeply, or a number is too long") from error
    unknown = document.keys() - {"formula", "formulas", "defaults"}
    if unknown:
        raise DataError(
            f"{path}: `{min(unknown)}` is no part of a list",
            hint="write `[[formula]]` above each formula, `[defaults]` above what holds for all",
        )
    tables = document.get("formula") or document.get("formulas") or []
    if not (isinstance(tables, list) and tables and all(isinstance(t, dict) for t in tables)):
        raise DataError(f"{path} lists no formula", hint="write `[[formula]]` above each")
    defaults = document.get("defaults", {})
    if not isinstance(defaults, dict):
        raise DataError(f"{path}: `defaults` is no table", hint="write `[defaults]` above them")
    default = _of_table(default, defaults)
    heads = (_HEADING.match(line) for line in io.StringIO(text))
    lines = [number for number, head in enumerate(heads, start=1) if head]
    lines = lines if len(lines) == len(tables) else [1] * len(tables)
    for table, line in zip(tables, lines, strict=True):
        formula, name, syntax = (str(table.get(key, "")) for key in ("text", "name", "syntax"))
        blank = MarkedFormula(str(path), line, line, 1, formula, "auto", default, name)
        try:
            if not formula:
                raise _Unreadable("there is no `text`")
            settings = _of_table(default, table)
            yield replace(blank, settings=settings, syntax=notation_called(syntax or "auto"))
        except Exception as error:
            yield replace(blank, fault=fault_of(error))


def _of_table(settings: MarkSettings, table: dict[str, Any]) -> MarkSettings:
    own: list[str] = []
    for name, value in table.items():
        if name == "ranges":
            if not isinstance(value, dict):
                raise DataError("`ranges` is no table", hint='write `ranges = { x = "0.1:10" }`')
            for variable, domain in value.items():
                settings = with_range(settings, variable, str(domain))
                own.append(variable)
        elif name not in ("text", "name", "syntax"):
            settings = with_setting(settings, name, str(value))
            own.append(name)
    return settings.stating(own)


def is_read(path: PurePath) -> bool:
    """Whether files of this kind can hold marks."""
    return path.suffix.lower() in (*SUFFIXES, ".toml")


def refuse_unread(path: PurePath) -> None:
    """DataError if files of this kind can hold no marks."""
    if not is_read(path):
        raise DataError(
            f"{path}: files `{path.suffix.lower() or path.name}` are not read",
            hint=f"give one of {' '.join(SUFFIXES)} or a .toml list",
        )
