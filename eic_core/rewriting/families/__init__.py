"""Rewrites that no single pattern describes: polynomials, fractions, half angles, exponentials."""

from eic_core.operators import OPERATORS
from eic_core.rewriting.families.angles import (
    EVEN,
    ODD,
    half_angles,
    half_turns,
    opposite_arguments,
    vector_angles,
    vector_sines,
)
from eic_core.rewriting.families.brackets import bracketed_sums, shares_of_a_number
from eic_core.rewriting.families.fractions import common_denominators
from eic_core.rewriting.families.log_products import logs_of_products
from eic_core.rewriting.families.log_sums import log_sums, logarithms_near_one, logarithms_of_powers
from eic_core.rewriting.families.numbers import folded_numbers
from eic_core.rewriting.families.polynomial_forms import (
    beside_a_letter,
    cancelled_factors,
    like_factors,
    like_terms,
    polynomials,
)
from eic_core.rewriting.families.products import products_of_inputs
from eic_core.rewriting.families.quotients import (
    dividing_through,
    quotients_in_turn,
    roots_of_products,
    roots_of_sums,
)
from eic_core.rewriting.matching import POWERS, PRODUCTS, SUMS
from eic_core.rewriting.rules import Family

FAMILIES = (
    Family(SUMS, like_terms),
    Family((*PRODUCTS, "neg"), like_factors),
    Family((*SUMS, *PRODUCTS, "neg", "power"), polynomials),
    Family(SUMS, common_denominators),
    Family(("div",), cancelled_factors),
    Family(("div",), beside_a_letter),
    Family(("log",), log_sums),
    Family(("log",), logs_of_products),
    Family(PRODUCTS, dividing_through),
    Family(POWERS, roots_of_sums),
    Family(SUMS, half_angles),
    Family(("acos", "asin"), vector_angles),
    Family(SUMS, vector_sines),
    Family(("sin", "cos", "tan"), half_turns),
    Family((*ODD, *EVEN), opposite_arguments),
    Family(("log",), logarithms_near_one),
    Family(("log",), logarithms_of_powers),
    Family(OPERATORS, folded_numbers),
    Family(SUMS, bracketed_sums),
    Family(SUMS, shares_of_a_number),
    Family(PRODUCTS, quotients_in_turn),
    Family(SUMS, products_of_inputs),
    Family(("sqrt", "cbrt", "root"), roots_of_products),
)
"""In the order in which they are tried."""

__all__ = ["FAMILIES"]
