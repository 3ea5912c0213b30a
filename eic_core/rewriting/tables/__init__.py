"""Every rewriting rule that is a pair of patterns."""

from eic_core.rewriting.rules import RuleBook
from eic_core.rewriting.tables.algebra import ALGEBRA_RULES
from eic_core.rewriting.tables.exponentials import EXPONENTIAL_RULES
from eic_core.rewriting.tables.special import SPECIAL_RULES
from eic_core.rewriting.tables.trigonometry import TRIGONOMETRY_RULES

ALL_RULES = (*ALGEBRA_RULES, *EXPONENTIAL_RULES, *TRIGONOMETRY_RULES, *SPECIAL_RULES)

RULES = RuleBook(ALL_RULES)
"""Every rule, by the operator at the root of its left side."""

__all__ = ["ALL_RULES", "RULES"]
