"""Comparing formulas: a list with its front, and two side by side."""
