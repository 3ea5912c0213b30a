"""Rewrites that no single pattern describes: polynomials, fractions, half angles, exponentials."""

from eic_core.rewriting.families.angles import half_angles, half_turns, vector_angles, vector_sines
from eic_core.rewriting.families.brackets import (
    bracketed_sums,
    quotients_in_turn,
    shares_of_a_number,
)
from eic_core.rewriting.families.fractions import common_denominators
from eic_core.rewriting.families.log_sums import (
    log_sums,
    logarithms_near_one,
    logs_of_products,
    softmax,
)
from eic_core.rewriting.families.numbers import folded_numbers
from eic_core.rewriting.families.polynomial_forms import (
    beside_a_letter,
    cancelled_factors,
    like_factors,
    like_terms,
    polynomials,
)
from eic_core.rewriting.families.products import products_of_inputs

FAMILIES = (
    like_terms,
    like_factors,
    polynomials,
    common_denominators,
    cancelled_factors,
    beside_a_letter,
    log_sums,
    logs_of_products,
    softmax,
    half_angles,
    vector_angles,
    vector_sines,
    half_turns,
    logarithms_near_one,
    folded_numbers,
    bracketed_sums,
    shares_of_a_number,
    quotients_in_turn,
    products_of_inputs,
)
"""In the order in which they are tried."""

__all__ = ["FAMILIES"]
