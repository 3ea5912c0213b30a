"""The compiled engine: `kernel.c` over `operators.h`, which `generate` writes from the rows."""
