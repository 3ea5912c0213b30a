"""docs/recipes.md: every block runs, and prints what the page shows."""

from __future__ import annotations

import re
import shutil
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
HALL_OF_FAME = Path(__file__).parent / "pysr" / "hall_of_fame.csv"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```\n(?P<output>.*?)^```$)?", re.S | re.M)


class PySRRegressor:
    """What PySR 2.7 makes of its file: the columns of `equations_`, and how it predicts."""

    @classmethod
    def from_file(cls, *, run_directory: str) -> PySRRegressor:
        import sympy

        model = cls()
        table = pd.read_csv(Path(run_directory) / "hall_of_fame.csv")
        table.columns = [name.lower() for name in table.columns]
        symbols = sympy.symbols("distance height")
        functions: dict[str, Any] = {"square": lambda x: x**2, "sqrt": sympy.sqrt}
        functions |= {str(symbol): symbol for symbol in symbols}
        forms = [sympy.sympify(text, locals=functions) for text in table.equation]
        table["score"] = -np.log(table.loss).diff().fillna(0) / table.complexity.diff()
        table["sympy_format"] = forms
        table["lambda_format"] = [sympy.lambdify(symbols, form) for form in forms]
        model.equations_ = table
        model.feature_names_in_ = np.array(["distance", "height"])
        return model

    def predict(self, X: Any, index: int) -> np.ndarray:
        return self.equations_.lambda_format[index](*np.asarray(X).T) * np.ones(len(X))


def test_every_recipe_runs_and_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("outputs/run").mkdir(parents=True)
    for folder in (".", "outputs/run"):
        shutil.copy(HALL_OF_FAME, folder)
    pysr = types.ModuleType("pysr")
    pysr.PySRRegressor = PySRRegressor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pysr", pysr)
    names: dict[str, Any] = {}
    blocks = [*BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(blocks) >= 10
    for block in blocks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # gplearn's, about scikit-learn's versions
            exec(block["code"], names)  # noqa: S102  # the page is ours
        printed = capsys.readouterr().out
        if block["output"] is not None:
            lines = [line.rstrip() for line in printed.splitlines()]
            assert lines == block["output"].splitlines()
    assert names["prediction"].shape == (300,)
