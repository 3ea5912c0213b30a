"""Search: from a table to formulas that fit it, are short, and keep their digits."""

from eic_core.search.problem import SearchProblem, problem_of, samples_to_search
from eic_core.search.run import SearchBudget, SearchProgress, SearchResult, search

__all__ = [
    "SearchBudget",
    "SearchProblem",
    "SearchProgress",
    "SearchResult",
    "problem_of",
    "samples_to_search",
    "search",
]
