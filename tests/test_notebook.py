"""The notebooks run from their first cell to their last; results show themselves in them."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.effort import dear

DOCS = Path(__file__).resolve().parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
MOST_CELLS = 14
SHOWN = {  # what each must show, beside running
    "analyse-a-study": ["61 of 75 votes", "raw agreement 0.70"],
    "choose-from-a-front": ["cancellation", "Take row"],
    "debug-a-formula": ["the two terms cancel", "2*(sin(x/2)/x)**2", "<svg"],
    "measure-your-law": ["17.625", "kB in law.html", "<svg"],
}


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem, scope="module")
def notebook(request) -> tuple[str, nbformat.NotebookNode]:
    return request.param.stem, nbformat.read(request.param, as_version=4)


def test_each_notebook_is_kept_short_and_without_outputs(notebook) -> None:
    name, kept = notebook
    assert name in SHOWN and len(SHOWN) == len(NOTEBOOKS)
    assert len(kept.cells) <= MOST_CELLS
    nbformat.validate(kept)
    for cell in kept.cells:
        assert cell.cell_type == "markdown" or (not cell.outputs and cell.execution_count is None)


@dear(2)
def test_each_notebook_runs_without_an_error_or_a_warning(notebook, monkeypatch) -> None:
    name, kept = notebook
    monkeypatch.setenv("PYTHONPATH", str(DOCS.parent))
    resources = {"metadata": {"path": str(DOCS / "notebooks")}}
    done = NotebookClient(nbformat.from_dict(kept), timeout=300, resources=resources).execute()
    outputs = [o for cell in done.cells for o in cell.get("outputs", ())]
    assert {o.name for o in outputs if o.output_type == "stream"} <= {"stdout"}
    texts = [str(o.get("text", "")) + str(o.get("data", "")) for o in outputs]
    for text in SHOWN[name]:
        assert any(text in each for each in texts), text


def test_the_overview_names_only_what_there_is() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    named = re.findall(r"`(eic_core(?:\.\w+)*)\.(\w+)`", text)
    assert len(named) > 20
    for module, name in named:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"
