"""The stability gap: how EIC is distributed over laws, benchmarks and what methods find."""
