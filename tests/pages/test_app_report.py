"""The inspector offers its report as a file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eic_core.measure.table import read_table
from eic_core.report import command_line
from pages.ui import widgets_share
from pages.ui.service import InspectorService, Request
from tests.pages.test_app_inspector import open_page


def test_the_report_is_among_the_downloads() -> None:
    page = open_page(formula="10000*x-9999*x")
    assert not page.exception
    offered = [button.proto.label for button in page.get("download_button")]
    assert "Report, HTML" in offered


class Visit:
    """A stand-in for the tab: only its table matters."""

    def __init__(self, table=None):
        self.table = table


@pytest.fixture
def tab(monkeypatch):
    here = Visit()
    monkeypatch.setattr(widgets_share, "visit", lambda: here)
    return here


def test_a_report_of_ranges_says_how_to_have_them_again(tab) -> None:
    result = InspectorService().inspect(Request("x*y - 1", samples=50, seed=4))
    known = widgets_share.provenance_of(result)
    command = command_line(result.inspection.formula, result.inspection.samples, known)
    assert "--samples 50 --seed 4" in command and "x=1.0:5.0 y=1.0:5.0" in command
    assert known.notices == result.notices != ()


def test_a_report_of_a_table_says_which_column_is_which(tab) -> None:
    tab.table = read_table(b"a,b,t\n1,2,3\n4,5,6\n", source="data.csv")
    request = Request("x0 - x1", upload=tab.table.digest)
    result = InspectorService().inspect(request, tab.table)
    known = widgets_share.provenance_of(result)
    assert (known.file_name, known.file_hash) == ("data.csv", tab.table.digest)
    assert known.mapping == {"x0": "a", "x1": "b"} and known.target == "t"
    inspection = result.inspection
    told = command_line(inspection.formula, inspection.samples, known)
    assert "--data data.csv --target t" in told
    swapped = replace(known, mapping={"x0": "b", "x1": "a"})
    assert command_line(inspection.formula, inspection.samples, swapped) is None
