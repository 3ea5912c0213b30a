"""The product's modules as syntax trees, read once by each process whose tests look at them."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOUSES = ("eic_core", "study", "db", "pages")


@cache
def trees() -> dict[str, ast.Module]:
    """The tree of each module, by its path below the repository.

    They are a million objects that stay, and to look for garbage among them, now or later, costs
    more than to make them.
    """
    paths = [ROOT / "app.py", *(path for house in HOUSES for path in (ROOT / house).rglob("*.py"))]
    gc.disable()
    made = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(paths)
    }
    gc.freeze()
    gc.enable()
    return made


@cache
def nodes(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a module, as `ast.walk` gives them."""
    return [*ast.walk(tree)]
