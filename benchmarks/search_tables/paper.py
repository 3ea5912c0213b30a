"""What Yu et al. print of their searches (tables of `app:search_results`)."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A row of the paper: share of R^2 > .99, nodes, EIC, seconds."""

    share: float
    nodes: float
    eic: float
    seconds: float


PAPER = {
    ("gp", 0.0): Printed(0.7215, 34.61, 2.367, 1728),
    ("eic-gp", 0.0): Printed(0.7288, 32.47, 2.136, 1718),
    ("mcts", 0.0): Printed(0.6917, 17.68, 1.185, 10580),
    ("eic-mcts", 0.0): Printed(0.7107, 17.64, 0.9983, 12080),
    ("gp", 1e-3): Printed(0.691, 35.65, 2.811, 1813),
    ("eic-gp", 1e-3): Printed(0.7103, 31.7, 2.394, 1703),
    ("mcts", 1e-3): Printed(0.6404, 19.3, 1.246, 3641),
    ("eic-mcts", 1e-3): Printed(0.6692, 20.46, 0.9275, 15228),
    ("gp", 1e-2): Printed(0.6642, 34.83, 2.684, 1784),
    ("eic-gp", 1e-2): Printed(0.6884, 33.65, 2.554, 1582),
    ("mcts", 1e-2): Printed(0.6186, 19.33, 1.226, 4158),
    ("eic-mcts", 1e-2): Printed(0.7083, 18.99, 0.9407, 15996),
    ("gp", 1e-1): Printed(0.3258, 29.67, 2.938, 1157),
    ("eic-gp", 1e-1): Printed(0.3182, 29.97, 2.823, 862),
    ("mcts", 1e-1): Printed(0.5064, 18.77, 1.174, 2778),
    ("eic-mcts", 1e-1): Printed(0.5012, 18.67, 1.092, 3005),
}
"""By method and noise."""

CHANGES = {
    ("eic-gp", 0.0): "+1, -7, -9.8, -0.5 %",
    ("eic-gp", 1e-3): "+3, -11, -15, -6 %",
    ("eic-gp", 1e-2): "+4, -3, -4.8, -11 %",
    ("eic-gp", 1e-1): "-2, +1, -3.9, -26 %",
    ("eic-mcts", 0.0): "+2.7, -.2, -16, +14 %",
    ("eic-mcts", 1e-3): "+4.5, +6, -26, +318 %",
    ("eic-mcts", 1e-2): "+14.5, -1.8, -23, +285 %",
    ("eic-mcts", 1e-1): "-1, +.5, -7, +8 %",
}
"""Its changes of the four, as printed; that of nodes at noise 0 is -6.2 % by its own numbers."""
