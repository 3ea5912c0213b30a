"""Speed, as ratios of medians in one interleaved run; `make bench` runs them all."""
