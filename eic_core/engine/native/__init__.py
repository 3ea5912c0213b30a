"""The compiled engine: `kernel.c` over `operators.h`, which the build makes from the rows."""
