"""The own components of the workbench: the formula with its tree and table, the digits of a row."""
