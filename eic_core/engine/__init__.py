"""Evaluation of formulas on one tape: values, one walk for amplifications, one reverse sweep."""
