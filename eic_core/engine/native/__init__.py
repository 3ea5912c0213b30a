"""The compiled engine: `kernel.c` over `operators.h`, which `generate` writes from the rows.

`build` compiles it with the machine's C compiler and `library` finds, checks and loads it.  Where
there is none, `eic_core.engine.reference` does the work.
"""
