"""Evaluation of formulas on one tape: values, amplifications, and one reverse sweep."""
