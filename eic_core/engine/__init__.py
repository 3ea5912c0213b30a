"""Evaluation of formulas on one tape: values, amplifications, adjoints and gradients."""
