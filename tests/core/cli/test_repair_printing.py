"""What `python -m eic_core repair` prints: a front, a derivation, and JSON."""

from __future__ import annotations

import json

import pytest

from eic_core.cli import main
from eic_core.cli.repair_command import WIDTH

HALF_ANGLE = ("(1 - cos(x))/x**2", "--range", "x=loguniform:1e-6:1", "--samples", "400")
VECTORS = ("sqrt(x*x + y*y + z*z) - x", "--range", "x=loguniform:1:1e5", "y=1:2", "z=1:2")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["repair", *arguments, "--seconds", "inf"]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_front_has_a_row_for_the_formula_and_one_for_the_best_form(capsys) -> None:
    lines = printed(capsys, *HALF_ANGLE)
    head = lines.index(" mean  9 in 10  worst   NumPy     C")
    written, best = (line.split(maxsplit=5) for line in lines[head + 1 : head + 3])
    assert written[5] == "as written" and best[5] == "2*(sin(x/2)/x)**2"
    assert float(written[0]) > 3 > 1 > float(best[2]) >= float(best[1]) >= float(best[0])
    assert all(0 < float(number) < 100 for number in (*written[3:5], *best[3:5]))


def test_each_step_names_its_rule_and_the_digits_after_it(capsys) -> None:
    lines = printed(capsys, *HALF_ANGLE)
    start = next(i for i, line in enumerate(lines) if line.startswith("How it follows"))
    assert lines[start + 1].split(maxsplit=1)[1] == "half angle: (1 − cos(x))/x² → 2·(sin(x/2)/x)²"
    assert lines[start + 2].strip() == "equal to 1e-30 at 200 rows"


def test_all_but_the_sentence_fits_a_terminal(capsys) -> None:
    lines = printed(capsys, *VECTORS, "--samples", "300")
    assert max(len(line) for line in lines[1:]) <= WIDTH


def test_a_formula_with_nothing_better_has_its_own_row_alone(capsys) -> None:
    lines = printed(capsys, "x - sin(x)", "--range", "x=loguniform:1e-4:3", "--samples", "100")
    assert sum("as written" in line for line in lines[1:]) == 1
    assert not any(line.startswith("How it follows") for line in lines)


def test_json_is_complete(capsys) -> None:
    (line,) = printed(capsys, *HALF_ANGLE, "--json")
    document = json.loads(line)
    texts = [form["formula"] for form in document["front"]]
    assert {HALF_ANGLE[0], document["repairs"][0]["formula"]} <= set(texts)
    (step,) = document["repairs"][0]["steps"]
    assert step["whole"] == "2·(sin(x/2)/x)²" and step["digits"] < 0.3
