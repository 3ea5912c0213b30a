"""The tour runs from its first cell to its last, and prints what it shows.

``python tests/test_notebook.py`` runs it and keeps what it prints.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).resolve().parents[1] / "docs"
TOUR = DOCS / "tour.ipynb"
PLAIN = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def run(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook run in a kernel of its own; any cell's error is raised."""
    fresh = nbformat.from_dict(notebook)
    client = NotebookClient(fresh, timeout=300, resources={"metadata": {"path": str(DOCS)}})
    client.execute()
    return fresh


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(o.text for o in cell.outputs if o.output_type == "stream")


@pytest.fixture(scope="module")
def kept():
    return nbformat.read(TOUR, as_version=4)


@pytest.fixture(scope="module")
def fresh(kept):
    return run(kept)


def test_every_cell_of_the_tour_runs_without_an_error_or_a_warning(fresh) -> None:
    ran = [c for c in fresh.cells if c.cell_type == "code"]
    assert len(ran) > 15 and all(c.execution_count for c in ran)
    streams = {o.name for c in ran for o in c.outputs if o.output_type == "stream"}
    assert streams <= {"stdout"}


def test_the_tour_shows_what_it_prints(kept, fresh) -> None:
    """All but what the machine's libraries measure, which its cells are marked for."""
    for shown, now in zip(kept.cells, fresh.cells, strict=True):
        if shown.cell_type == "code" and "measured" not in shown.metadata.get("tags", ()):
            assert printed(shown) == printed(now), f"renew it: {__doc__}"


def test_the_overview_names_only_what_there_is() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    named = re.findall(r"`(eic_core(?:\.\w+)*)\.(\w+)`", text)
    assert len(named) > 20
    for module, name in named:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


def main() -> None:
    """Run the tour and keep its outputs."""
    done = run(nbformat.read(TOUR, as_version=4))
    for cell in done.cells:
        cell.metadata.pop("execution", None)
    done.metadata = nbformat.from_dict(PLAIN)
    nbformat.validate(done)
    nbformat.write(done, TOUR)


if __name__ == "__main__":
    main()
