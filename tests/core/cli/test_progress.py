"""A line of progress, on a terminal and elsewhere."""

from __future__ import annotations

import io
import math
from contextlib import redirect_stderr

import pytest

from eic_core.cli.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_text_moves_on_a_terminal_and_covers_the_longer_one_before() -> None:
    with redirect_stderr(Terminal()) as said:
        line = ProgressLine()
        line.show("12 of 20")
        line.show("20", last=True)
    assert said.getvalue() == "\r12 of 20\r20      \n"


def test_elsewhere_a_line_comes_now_and_then() -> None:
    times = iter([0, 1, 5, 11, 12])
    with redirect_stderr(io.StringIO()) as said:
        line = ProgressLine(elsewhere=10, clock=lambda: next(times))
        for text in "abc":
            line.show(text)
        line.show("d", last=True)
        line.end()
    assert said.getvalue() == "a\nc\nd\n"


def test_nothing_is_said_before_its_time_nor_where_no_text_is_wanted() -> None:
    times = iter([0, 0.5, 2])
    with redirect_stderr(Terminal()) as said:
        line = ProgressLine(first=1, clock=lambda: next(times))
        line.show("early")
        line.end()
        line.show("late")
    assert said.getvalue() == "\rlate"
    with redirect_stderr(io.StringIO()) as said:
        ProgressLine(elsewhere=math.inf).show("never", last=True)
    assert said.getvalue() == ""


@pytest.mark.parametrize(("stream", "texts"), [(Terminal(), 101), (io.StringIO(), 11)])
def test_a_count_is_told_by_hundredths_or_tenths(stream: io.StringIO, texts: int) -> None:
    with redirect_stderr(stream):
        line = ProgressLine()
        for done in range(201):
            line.count(done, 200)
    assert stream.getvalue().count("%") == texts and stream.getvalue().endswith("200 of 200\n")
