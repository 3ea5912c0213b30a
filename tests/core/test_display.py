"""Results show themselves: in a line, as HTML for notebooks, as pictures, as tables."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest

from eic_core import diagnose, inspect, read, repair
from eic_core.display import LOADERS, Displayed
from eic_core.errors import UserError
from eic_core.frames import score_front
from eic_core.notebook import DISPLAYS
from eic_core.pool.importers import Listed
from eic_core.pool.listing import RangeData, ScoredList, score_listing
from eic_core.pool.picking import pick
from eic_core.samples import Domain, Samples, sample_domains

matplotlib.use("Agg")
EVIL = "<img src=x>"


def _scored(formulas: list[str]) -> ScoredList:
    x = np.linspace(1, 9, 50)
    return score_front(formulas, x[:, None], 2 * x + np.sin(x) / 10)


@pytest.fixture(scope="module")
def results() -> dict[str, Displayed]:
    samples = sample_domains({"x": Domain("loguniform", 1e-5, 1)}, count=200)
    inspection = inspect(read("(1-cos(x))/x**2").formula, samples)
    repairs = repair(inspection.formula, samples)
    scores = _scored(["2*x0", "1e9*x0 - 999999998*x0", "2.1*x0", f"lg({EVIL})"])
    partly = Samples.from_columns({"x": [-1.0, 1.0, 2.0], "y": [1.0, 1.0, 3.0]})
    return {
        "inspection": inspection,
        "partly valid": inspect(read("log(x) + x - y").formula, partly),
        "diagnosis": diagnose(inspection),
        "repairs": repairs,
        "repair": repairs.leading,
        "nothing to repair": repair(read("x + 1").formula, samples),
        "list": scores,
        "pick": pick(scores),
    }


NAMES = "inspection|partly valid|diagnosis|repairs|repair|nothing to repair|list|pick".split("|")


class Tags(HTMLParser):
    """Whether every element that is opened is closed, in order."""

    VOID = frozenset({"rect", "path", "line", "stop", "circle", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.met.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_a_line_and_a_small_card_of_whole_elements(results, name: str) -> None:
    line, page = repr(results[name]), results[name]._repr_html_()
    assert len(line) < 300 and line.startswith(f"<{type(results[name]).__name__}")
    assert len(page.encode()) < 60_000
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert not tags.met & {"script", "img", "iframe", "link"}
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)


@pytest.mark.parametrize("name", NAMES)
def test_every_colour_has_its_twin_for_dark_notebooks(results, name: str) -> None:
    page = results[name]._repr_html_()
    assert "light-dark(" not in page
    dark = page[page.index(":is([data-jp-theme-light") :].partition("}")[0]
    for variable in set(re.findall(r"var\((--[\w-]+)[,)]", page)):
        assert f"{variable}:#" in dark, variable
    assert "{" in dark and "/*" not in dark


def test_text_of_a_user_is_inert(results) -> None:
    assert EVIL not in results["list"]._repr_html_()
    assert "&lt;img src" in results["list"]._repr_html_()


def test_the_card_of_an_inspection_has_the_sentence_the_tree_and_the_worst_steps(results) -> None:
    page = results["inspection"]._repr_html_()
    assert "the two terms cancel" in page and page.count('class="node"') == 7
    assert page.index("<code>1 − cos(x)</code></th>") < page.index("<code>cos(x)</code></th>")
    assert "rows without a value" not in page
    assert "rows without a value" in results["partly valid"]._repr_html_()


def test_two_trees_on_a_page_share_no_id(results) -> None:
    both = [results[name]._repr_html_() for name in ("inspection", "partly valid")]
    one, other = (set(re.findall(r' id="([^"]+)"', page)) for page in both)
    assert one and other and not one & other


@pytest.mark.parametrize(
    ("name", "rows", "column"),
    [
        ("inspection", 7, "local_eic"),
        ("diagnosis", None, "cause"),
        ("repairs", None, "lost_typical"),
        ("repair", 2, "q"),
        ("list", 4, "front"),
        ("pick", 3, "fitness"),
    ],
)
def test_a_result_is_a_table_of_pandas(results, name: str, rows: int | None, column: str) -> None:
    table = results[name].to_pandas()
    assert column in table and len(table) == (len(table) if rows is None else rows) > 0
    if name == "inspection":
        assert table.local_eic.max() == results[name].eic


@pytest.mark.parametrize("name", [name for name in NAMES if name != "repair"])
def test_a_result_draws_itself_on_the_axes_that_it_gets(results, name: str) -> None:
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    assert results[name].plot(ax=ax) is ax
    assert ax.collections and ax.get_xlabel() and ax.get_ylabel()
    pyplot.close(figure)


def test_a_picture_has_a_dot_for_each_row_at_its_digits(results) -> None:
    inspection = results["inspection"]
    dots = inspection.plot(over="x").collections[0].get_offsets()
    _, s = inspection.amplification.trace(inspection.worst_step)
    np.testing.assert_allclose(
        dots, np.column_stack([inspection.samples.columns["x"], np.log10(s)])
    )
    with pytest.raises(UserError, match="no variable `z`"):
        inspection.plot(over="z")


def test_rows_without_a_value_or_a_digit_are_marked(results) -> None:
    assert "no real value (1)" in results["partly valid"].plot().get_legend_handles_labels()[1]


@pytest.mark.parametrize(("package", "call"), [("matplotlib", "plot"), ("pandas", "to_pandas")])
def test_without_the_extra_the_error_says_what_to_install(package: str, call: str) -> None:
    code = (
        f"import sys; sys.modules['{package}'] = None\n"
        "from eic_core import Samples, inspect, read\n"
        "i = inspect(read('x+1').formula, Samples.from_columns({'x': [1.0]}))\n"
        f"i._repr_html_()\ntry: i.{call}()\nexcept Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{package} is not installed" in done.stdout
    assert f"pip install {package}" in done.stdout


def test_no_measurement_waits_for_what_shows_it() -> None:
    code = (
        "import sys, eic_core; from eic_core import *\n"
        "i = inspect(read('x+1').formula, Samples.from_columns({'x': [1.0]})); diagnose(i)\n"
        "print([m for m in ('eic_core.notebook', 'jinja2', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_front_door_loads_the_table_of_what_shows_results_and_nothing_else() -> None:
    code = (
        "import sys; before = {*sys.modules}; import eic_core; new = {*sys.modules} - before\n"
        "print(*sorted(m for m in new if m.partition('.')[0] not in ('importlib', 'warnings')))"
    )
    done = subprocess.run([sys.executable, "-Sc", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["eic_core", "eic_core.display"]


def test_every_class_of_results_has_a_row_and_so_has_what_derives_from_it(results) -> None:
    kinds = {kind for kind in Displayed.__subclasses__() if kind.__module__.startswith("eic_core.")}
    assert {kind.__name__ for kind in kinds} == LOADERS.keys() == DISPLAYS.keys()
    assert all(LOADERS[name](name) is DISPLAYS[name] for name in LOADERS)
    assert repr(type("Derived", (ScoredList,), {})(results["list"])) == repr(results["list"])


def test_a_list_without_a_target_is_drawn_by_nodes() -> None:
    data = RangeData({"x": Domain("uniform", 1, 2)}, count=20)
    scores = score_listing([Listed(1, "x+1"), Listed(2, "10000*x - 9999*x")], data)
    assert scores.plot().get_ylabel() == "nodes"


def test_an_option_or_a_step_that_is_not_there_is_named() -> None:
    inspection = inspect(read("x + 1").formula, Samples.from_columns({"x": [1.0, 2.0]}))
    with pytest.raises(UserError, match=r"`Inspection.plot` has no option `color`: it has `over`"):
        inspection.plot(color="red")
    for step in (3, -1):
        with pytest.raises(UserError, match=f"there is no step {step}: give an id from 0 to 2"):
            inspection.plot(node=step)


def test_a_table_without_rows_has_its_columns() -> None:
    table = diagnose(inspect(read("3.5").formula, Samples.from_columns({}, count=4))).to_pandas()
    assert len(table) == 0 and {"cause", "step", "worst"} <= set(table.columns)
