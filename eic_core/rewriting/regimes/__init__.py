"""Branches: which of several forms is computed where."""
