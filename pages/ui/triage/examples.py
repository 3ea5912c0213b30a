"""Two lists to begin with: writings of one function, and what a search found on real data."""

from __future__ import annotations

from dataclasses import dataclass

from eic_core.measure.table import read_table
from eic_core.samples import Domain
from pages.ui.triage.desk import desk, take
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import change, keep_upload, visit
from study.demo import demo_pool_path, problem_folder

WRITINGS = """\
# Ways to write three functions
sqrt(x + 1) - sqrt(x)
1/(sqrt(x + 1) + sqrt(x))
x**-0.5 * (sqrt(1 + 1/x) - 1) * x
exp(0.5*log(x + 1)) - exp(0.5*log(x))
(1 - cos(t))/t**2
2*(sin(t/2)/t)**2
0.5*(sin(t/2)/(t/2))**2
(1 - cos(t)**2)/(t**2*(1 + cos(t)))
log(exp(a) + exp(b))
a + log(1 + exp(b - a))
max(a, b) + log1p(exp(-abs(a - b)))
"""

RANGES = (
    ("x", Domain("loguniform", 1.0, 1e8)),
    ("t", Domain("loguniform", 1e-4, 1.0)),
    ("a", Domain("uniform", 1.0, 9.0)),
    ("b", Domain("uniform", 1.0, 9.0)),
)


@dataclass(frozen=True)
class ListExample:
    """A list worth looking at: its key, its button and what it shows."""

    key: str
    title: str
    lesson: str


EXAMPLES = (
    ListExample(
        "writings",
        "Three functions, eleven writings",
        "Writings of the same function lose between half a digit and eight: the short one is not "
        "always the one that keeps them.",
    ),
    ListExample(
        "search",
        "What two searches found",
        "326 formulas that Operon and gplearn found for the orbits of 100 exoplanets: at nearly "
        "the same fit they differ by digits.",
    ),
)


@undisturbed()
def show_example(key: str) -> None:
    """Show one, as a callback."""
    if key == "writings":
        visit().wants_table = False
        change(domains=RANGES, samples=2_000, seed=0, upload="", upload_name="", target=None,
               list_base=None, mapping=())  # fmt: skip
        take(WRITINGS)
        return
    path = problem_folder() / "kepler.csv"
    table = read_table(path.read_bytes(), source=path.name)
    keep_upload(table)
    change(upload=table.digest, upload_name=path.name, target=table.names[-1],
           list_base=None, mapping=())  # fmt: skip
    take(demo_pool_path().read_bytes(), demo_pool_path().name)
    desk().problem = "kepler"
