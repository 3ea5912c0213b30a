"""Evaluation: one tape, and on it values, amplifications, adjoints and gradients.

`tape` lays a formula, or a population of formulas, out; `edges` holds the rules of ADR 0001 where
the plain recursion does not; `reference` applies them with NumPy, `native` in compiled code,
`extended` beyond double range, and `exact` at 60 digits; `amplify` puts the four together.
"""
