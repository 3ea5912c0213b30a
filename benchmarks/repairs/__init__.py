"""How far `repair` comes on collected cases: bits of error before, after, best known."""
