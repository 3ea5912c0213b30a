"""A gate for formulas in other people's files: `eic check`.

`marks` finds the formulas that a comment marks, `checks` measures them, `baseline` knows what was
accepted before, `printing` says it to people and to machines.
"""
