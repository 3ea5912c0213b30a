"""`EICSymbolicRegressor`: the search in scikit-learn's manner (`pip install scikit-learn`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eic_core.engine.values import values
from eic_core.errors import DataError
from eic_core.formula.rendering import to_latex
from eic_core.formula.syntax.sympy_trees import to_sympy
from eic_core.operators.wide import Array
from eic_core.samples import Samples
from eic_core.search.keeping import FrontFormula
from eic_core.search.problem import SearchProblem, problem_of, variable_names
from eic_core.search.run import (
    TOLERANCE,
    SearchBudget,
    SearchProgress,
    State,
    choose,
    search,
    settings_of,
)
from eic_core.search.vocabulary import DEFAULT_STEPS

if TYPE_CHECKING:
    EICSymbolicRegressor: Any


class _Regressor:
    """Symbolic regression that weighs accuracy, length and digits.

    - `method`, {"gp", "mcts"}: genetic programming, or Monte-Carlo tree search.
    - `alpha`: the cost of a digit: 0.01 for formulas to read, 0 for none; None for that of Yu et
      al., 0.002 (gp) or 0.01 (mcts).
    - `penalty`, {"q90", "mean"}: a step's amplification while searching: its 90 % quantile over
      rows, or its root mean square as in EIC itself.
    - `operators`, `max_complexity`: keys of `eic_core.search.vocabulary.STEPS`; most nodes of a
      formula.
    - `max_evals`: distinct candidates to measure; with a `random_state` the formulas are the same
      for any `n_jobs`.
    - `max_time`, `enough_r2`: seconds; R^2 on the training rows at which the search stops.
    - `tolerance`: 1 - R^2 may grow by this share of itself when constants are shortened.
    - `n_jobs`: processes, up to 4; None is 1, and -1 as many as there are processors.
    - `callbacks`: called with a `SearchProgress` after each epoch; True from one ends the search.
    - `warm_start`: a further `fit` to the same data goes on, for as many candidates again.
    - `best_`: the formula that predicts, at first the fittest.
    - `pareto_front_`, `equations_`: formulas that no other beats in R^2, nodes and EIC, as a table,
      too.
    - `alpha_`, `stopped_`: the cost of a digit; the reason for the end, as in
      `SearchResult.stopped`.
    - `n_evaluations_`: distinct candidates that were measured; with `warm_start`, of all fits.
    - `feature_names_in_`: if `X` has names.

    >>> import numpy as np
    >>> from eic_core.search.estimator import EICSymbolicRegressor
    >>> X = np.random.default_rng(0).uniform(1, 5, (80, 2))
    >>> y = 2.5 * X[:, 0] / X[:, 1]
    >>> model = EICSymbolicRegressor(max_evals=4000, random_state=0).fit(X, y)
    >>> model.best_.text, round(model.score(X, y), 6)
    ('2.5*(x0/x1)', 1.0)
    """

    def __init__(
        self,
        method: str = "gp",
        *,
        alpha: float | None = None,
        penalty: str = "q90",
        operators: Sequence[str] = DEFAULT_STEPS,
        max_complexity: int = 40,
        max_evals: int | None = 100_000,
        max_time: float | None = None,
        enough_r2: float | None = None,
        tolerance: float = TOLERANCE,
        random_state: Any = None,
        n_jobs: int | None = None,
        callbacks: Sequence[Callable[[SearchProgress], object]] | None = None,
        warm_start: bool = False,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.penalty = penalty
        self.operators = operators
        self.max_complexity = max_complexity
        self.max_evals = max_evals
        self.max_time = max_time
        self.enough_r2 = enough_r2
        self.tolerance = tolerance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callbacks = callbacks
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any) -> Any:
        """Search for formulas that give y.

        Parameters
        ----------
        X
            Shape (N, columns), array-like or a data frame.
        y
            Shape (N,), array-like.

        Returns
        -------
        Any
            The estimator.

        Raises
        ------
        ValueError
            If a parameter is out of range, or the data hold something else than finite numbers.
        """
        from sklearn.utils.validation import validate_data

        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(X.shape[1])])
        self.variables_ = tuple(variable_names([str(name) for name in names]))
        samples = self._samples(X, np.asarray(y, dtype=np.float64))
        answers: list[object] = []

        def progress(now: SearchProgress) -> None:
            answers[:] = [callback(now) for callback in self.callbacks or ()]

        def stop_requested() -> bool:
            return any(isinstance(a, (bool, np.bool_)) and a for a in answers)

        try:
            problem = problem_of(
                samples,
                alpha=self.alpha,
                penalty=self.penalty,
                method=self.method,
                operators=self.operators,
                max_complexity=self.max_complexity,
            )
            seed, islands = self._start(problem)
            # `max_evals` counts this fit alone, a search's budget all candidates of its islands
            evaluations = self.max_evals
            if evaluations is not None:
                evaluations += sum(island.evaluations for island in islands)
            result = search(
                problem,
                SearchBudget(evaluations, self.max_time, self.enough_r2),
                seed=seed,
                jobs=self._jobs(),
                tolerance=self.tolerance,
                islands=islands,
                progress=progress,
                cancelled=stop_requested,
            )
            # Ctrl-C ends `fit` early, unless there is no formula yet to predict by
            if result.stopped == "interrupted" and not result.front:
                raise KeyboardInterrupt
            self.best_ = result.select()
        except DataError as error:
            raise ValueError(str(error)) from error
        self._ended = (settings_of(problem, seed), result.islands) if self.warm_start else None
        self.pareto_front_, self.alpha_ = result.front, problem.weights.alpha
        self.n_evaluations_, self.stopped_ = result.evaluations, result.stopped
        return self

    def _jobs(self) -> int:
        """As scikit-learn counts: -1 are all processors, -2 all but one."""
        jobs = 1 if self.n_jobs is None else self.n_jobs
        if jobs == 0 or not isinstance(jobs, (int, np.integer)):
            raise DataError(f"n_jobs is {jobs!r}", hint="1 or more, or -1 for all processors")
        return int(jobs) if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(jobs))

    def _start(self, problem: SearchProblem) -> tuple[int, tuple[State, ...]]:
        last = getattr(self, "_ended", None)
        if self.warm_start and last is not None:
            before, islands = last
            seed = before["seed"]
            now = settings_of(problem, seed)
            other = [key for key in now if before[key] != now[key]]
            if other:
                raise DataError(
                    "warm_start goes on with the search of the last fit: this one differs in "
                    + ", ".join(other),
                    hint="set warm_start=False to begin anew",
                )
            return seed, islands
        from sklearn.utils import check_random_state

        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        return int(seed), ()

    def _samples(self, X: Array, y: Array | None = None) -> Samples:
        return Samples.from_columns(
            dict(zip(self.variables_, X.T, strict=True)), count=len(X), target=y
        )

    def select(self, rule: str | int = "fitness") -> Any:
        """Predict by another formula of the front from now on.

        Parameters
        ----------
        rule
            As `SearchResult.select` has it, or a row of `equations_`. {"fitness", "readable",
            "accurate"} or int.

        Returns
        -------
        Any
            The estimator.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        if isinstance(rule, str):
            self.best_ = choose(self.pareto_front_, rule, self.alpha_)
        else:
            self.best_ = self._formula_at(rule)
        return self

    def predict(self, X: Any, index: int | None = None) -> Array:
        """The value of a formula at each row; nan where it has none.

        Parameters
        ----------
        X
            Shape (N, columns), array-like or a data frame, as in `fit`.
        index
            A row of `equations_`; default: `best_`.

        Returns
        -------
        Array
            Shape (N,).
        """
        from sklearn.utils.validation import check_is_fitted, validate_data

        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        predicted = values(self._formula_at(index).formula, self._samples(X))
        assert predicted is not None
        return predicted

    @property
    def equations_(self) -> Any:
        """The front as a table: complexity, loss, R^2, EIC, digits that constants need, formula."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        rows = [
            {
                "complexity": formula.formula.complexity,
                "loss": formula.loss,
                "r2": formula.score.r2,
                "eic": formula.score.eic,
                "digits_needed": formula.digits_needed,
                "equation": formula.text,
                "picked": formula is self.best_,
            }
            for formula in self.pareto_front_
        ]
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def _formula_at(self, index: int | None) -> FrontFormula:
        if index is None:
            return self.best_
        front = self.pareto_front_
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)):
            raise ValueError(f"the index of a row of equations_ is a whole number, not {index!r}")
        if not -len(front) <= index < len(front):
            raise ValueError(f"equations_ has {len(front)} rows, from 0: there is no row {index}")
        return front[index]

    def latex(self, index: int | None = None) -> str:
        """`best_`, or a row of `equations_`, in LaTeX.

        Parameters
        ----------
        index
            A row of `equations_`; None for `best_`.

        Returns
        -------
        str
            LaTeX.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return to_latex(self._formula_at(index).formula)

    def sympy(self, index: int | None = None) -> Any:
        """`best_`, or a row of `equations_`, as an expression of SymPy, in SymPy's order.

        Parameters
        ----------
        index
            A row of `equations_`; None for `best_`.

        Returns
        -------
        Any
            A SymPy expression; SymPy must be installed.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return to_sympy(self._formula_at(index).formula, evaluate=True)


_CLASSES: list[type] = []


def __getattr__(name: str) -> Any:
    """The estimator, made on first use: the rest of the module needs no scikit-learn."""
    if name != "EICSymbolicRegressor":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not _CLASSES:
        from sklearn.base import BaseEstimator, RegressorMixin

        attributes = {"__doc__": _Regressor.__doc__, "__module__": __name__}
        _CLASSES.append(type(name, (_Regressor, RegressorMixin, BaseEstimator), attributes))
    return _CLASSES[0]
