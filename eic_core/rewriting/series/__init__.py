"""Series: approximations near a point, proposed by SymPy, with a bound proved by Arb."""
