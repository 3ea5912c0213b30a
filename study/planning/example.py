"""The study of Yu et al. as a design to start from."""

from __future__ import annotations

from study.statistics.simulation import StudyModel

PAPER = StudyModel(
    preference=0.698, kappa=0.37, problem_share=0.0, rater_correlation=0.03,
    pairs=172, problems=19, raters=108, ballots=10, excluded=24 / 108,
)  # fmt: skip
"""Yu et al., appendix ``app:expert_rating``: 172 pairs of 19 problems, 108 raters with 10 ballots
each, 1080 votes cast and 840 valid (here: the sessions of 24 raters do not count), 69.8 % for
lower EIC, Fleiss' kappa 0.37.  `PAPER_ASSUMES` says what they do not report."""

PAPER_ASSUMES = (
    "The paper does not say how much the votes of one rater, or the pairs of one problem, go "
    "together. Assumed here: votes of one rater correlate by 0.03, and problems make no "
    "difference, which is the kindest case."
)
