"""Formulas as trees: nodes, operators, reading and writing."""
