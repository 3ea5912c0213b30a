"""Groups, delimiters and scripts of LaTeX: the lower half of the scanner."""

from __future__ import annotations

from eic_core.formula.syntax.build import Function
from eic_core.formula.syntax.latex_scripts import Scripts
from eic_core.formula.syntax.latex_tables import GREEK, OPENERS, OPERATORS, TOKENS, VARIANTS
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.tokens import CLOSE, COMMA, NAME, NUMBER, OPEN, OPERATOR, TokenRow


class Brackets:
    """Where the scan stands, what was emitted, and what each closing bracket will mean."""

    def __init__(self, report: Report, names: Names, start: int, end: int) -> None:
        self.report = report
        self.names = names
        self.text = report.text
        self.scripts = Scripts(report, names)
        self.raw = [
            (m.lastgroup or "", m[0], m.start(), m.end())
            for m in TOKENS.finditer(self.text, start, end)
        ]
        last = self.raw[-1][3] if self.raw else start
        self.stop = last
        self.raw.append(("end", "", last, last))
        self.index = 0
        self.tokens: list[TokenRow] = []
        self.open: list[tuple[str, str, int]] = []  # source bracket wanted, what it means, where

    def emit(
        self, kind: int, text: str, start: int, end: int, extra: Function | None = None
    ) -> None:
        """Add one shared token."""
        self.tokens.append((kind, text, start, end, extra))

    def raw_group(self) -> tuple[str, int]:
        """The text of the group or single token that comes next, and where it ends."""
        kind, text, start, end = self.raw[self.index]
        self.index += 1
        if text != "{":
            if kind == "end" or text in "}^_&)" or text == "\\":
                self.report.fail("nothing follows this mark", start - 1, end, "write it in braces")
            if kind == "number" and "." in text:
                self.report.fail("write this script in braces", start, end, "as in `x_{0}`")
            return text, end
        depth = 1
        while depth:
            kind, text, low, high = self.raw[self.index]
            if kind == "end":
                self.report.fail(
                    f"unbalanced bracket at column {start + 1}", start, end, "close it with `}`"
                )
            self.index += 1
            depth += (text == "{") - (text == "}")
        return self.text[end:low], high

    def begin(self, shown: str, wanted: str, meaning: str, start: int, end: int) -> None:
        """An opening bracket that groups."""
        name = shown if shown in "|⌊⌈" else "("
        self.emit(OPEN, name, start, end)
        self.open.append((wanted, wanted if name != "(" else meaning, start))

    def opener(self, text: str, start: int, end: int) -> None:
        shown, wanted = OPENERS[text]
        self.begin(shown, wanted, ")", start, end)

    def finish(self, wanted: str, start: int, end: int) -> None:
        """A closing bracket: what it means was settled when it was opened."""
        if not self.open:
            self.report.fail(
                f"unbalanced bracket at column {start + 1}",
                start,
                end,
                "remove it or open it before",
            )
        expected, meaning, place = self.open.pop()
        if expected != wanted:
            self.report.fail(
                f"the bracket at column {place + 1} is closed by `{wanted}`",
                start,
                end,
                f"write `{expected}`",
            )
        if meaning == "then":
            self.emit(COMMA, ",", start, end)
            self.argument(")")
        else:
            self.emit(CLOSE, meaning, start, end)

    def argument(self, meaning: str, is_script: bool = False) -> None:
        """The operand of ``^``, or a further argument of a command: a group or one token."""
        kind, text, start, end = self.raw[self.index]
        if text == "{":
            self.index += 1
            if is_script:
                self.emit(OPEN, "(", start, end)
            self.open.append(("}", meaning, start))
            return
        if is_script and text in "+-−" and kind == "mark":
            self.index += 1
            self.emit(OPERATOR, OPERATORS[text], start, end)
            kind, text, start, end = self.raw[self.index]
        self.index += 1
        if kind == "number":
            if not is_script and not text.isdigit():
                self.report.fail("an argument in braces is missing here", start, end, "write them")
            if not is_script and len(text) > 1:  # `\frac12`
                self.emit(NUMBER, text[0], start, start + 1)
                self.raw[self.index - 1] = (kind, text[1:], start + 1, end)
                self.index -= 1
                end = start + 1
            else:
                if len(text) > 1:
                    self.report.note(f"`{text}` is read as the whole exponent", (start, end))
                self.emit(NUMBER, text, start, end)
        elif kind == "word" and len(text) > 1 and not self.names.is_column(text):
            self.emit(NAME, text[0], start, start + 1)
            self.index -= 1
            self.raw[self.index] = (
                "word" if text[1].isalpha() else "number",
                text[1:],
                start + 1,
                end,
            )
            end = start + 1
        elif kind == "word":
            self.emit(NAME, text, start, end)
        elif kind == "command" and (text[1:] in GREEK or text[1:] in VARIANTS):
            self.emit(NAME, VARIANTS.get(text[1:], text[1:]), start, end)
        else:
            self.report.fail("an argument in braces is missing here", start, end, "as in `x^{2}`")
        if not is_script:
            if meaning == "then":
                self.emit(COMMA, ",", end, end)
                self.argument(")")
            else:
                self.emit(CLOSE, ")", end, end)
