"""EIC Lab's numerics: formulas as trees, and where they lose their digits.

The names below are loaded when first used; `docs/python.md` lists the rest.

Examples
--------

>>> import eic_core
>>> formula = eic_core.read("10000*x - 9999*x").formula
>>> samples = eic_core.sample_domains({"x": eic_core.Domain("uniform", 0.1, 10)}, count=1000)
>>> inspection = eic_core.inspect(formula, samples)
>>> print(eic_core.diagnose(inspection).verdict.sentence)
Double precision loses 3.6 digits typically, 4.0 at nine in ten rows, at `10000·x − 9999·x`: \
the two terms cancel.
"""

from importlib import import_module

from eic_core.display import LOADERS

TYPE_CHECKING = False  # `typing` would load twenty modules

if TYPE_CHECKING:
    from eic_core.errors import DataError, FormulaError, UserError
    from eic_core.explain.diagnosis import diagnose
    from eic_core.explain.robustness import robustness_card
    from eic_core.formula.syntax import read
    from eic_core.formula.syntax.sympy_trees import to_sympy
    from eic_core.measure.inspection import inspect
    from eic_core.measure.table import read_table
    from eic_core.pool.scoring import score
    from eic_core.rewriting.repair import repair
    from eic_core.samples import Domain, Samples, sample_domains

__version__ = "0.2.0"
# The wheel takes its version from here, and every output prints it.

__all__ = [
    "DataError",
    "Domain",
    "FormulaError",
    "Samples",
    "UserError",
    "__version__",
    "diagnose",
    "inspect",
    "read",
    "read_table",
    "repair",
    "robustness_card",
    "sample_domains",
    "score",
    "to_sympy",
]

_HOMES = {
    "DataError": "errors",
    "Domain": "samples",
    "FormulaError": "errors",
    "Samples": "samples",
    "UserError": "errors",
    "diagnose": "explain.diagnosis",
    "inspect": "measure.inspection",
    "read": "formula.syntax",
    "read_table": "measure.table",
    "repair": "rewriting.repair",
    "robustness_card": "explain.robustness",
    "sample_domains": "samples",
    "score": "pool.scoring",
    "to_sympy": "formula.syntax.sympy_trees",
}
"""The module of each name: the command line imports this package, too, and waits for none."""

LOADERS.update(
    dict.fromkeys(
        ("Diagnosis", "Inspection", "Pick", "Repair", "Repairs", "ScoredList"),
        lambda name: import_module(f"{__name__}.notebook").DISPLAYS[name],
    )
)

if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
