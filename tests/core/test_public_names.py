"""What a script gets from `import eic_core`."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import eic_core

ROOT = Path(__file__).resolve().parents[2]


def test_every_public_name_is_there_and_shown() -> None:
    promised = {
        "read",
        "inspect",
        "diagnose",
        "repair",
        "score",
        "Samples",
        "Domain",
        "UserError",
        "FormulaError",
        "DataError",
    }
    assert promised < set(eic_core.__all__) <= set(dir(eic_core))
    assert all(hasattr(eic_core, name) for name in eic_core.__all__)
    assert not hasattr(eic_core, "amplifly")


def test_a_type_checker_sees_each_name_where_it_is_loaded_from() -> None:
    tree = ast.parse(Path(eic_core.__file__).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"eic_core.{home}" for name, home in eic_core._HOMES.items()}
    assert seen.keys() | {"__version__"} == set(eic_core.__all__)


@pytest.mark.parametrize(
    "name, unneeded", [("__version__", "numpy"), ("read", "flint"), ("score", "flint")]
)
def test_a_name_loads_only_what_it_needs(name: str, unneeded: str) -> None:
    program = f"import sys, eic_core; eic_core.{name}; print({unneeded!r} in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
