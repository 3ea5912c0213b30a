"""The stimulus: how the formulas of a pair are written and drawn, once, when a study is frozen."""
