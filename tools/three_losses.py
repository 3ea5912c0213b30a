"""The figure of docs/three-losses.md: `python -m tools.three_losses`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

from eic_core.explain.conditioning import own_conditioning
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.measured import measured_loss

OUT = Path(__file__).parents[1] / "docs" / "three-losses.png"

TINY, LARGE = np.logspace(-7, -1, 60), np.logspace(1, 7, 60)

PANELS = (
    ("sqrt(1 - x)", 1 - TINY, "1 − x", TINY),
    ("sqrt(x + 1) - sqrt(x)", LARGE, "x", LARGE),
)
INK = {"sensitivity": "#0072B2", "function": "#009E73", "measured": "#D55E00"}  # Okabe and Ito


def main() -> None:
    """Draw both formulas: sensitivity, the function's own, and what a program loses."""
    plt.rcParams.update({"font.size": 9})
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
    for axis, (text, values, label, along) in zip(axes, PANELS, strict=True):
        formula = read(text).formula
        samples = Samples.from_columns({"x": values})
        inspection = inspect(formula, samples)
        _, s = inspection.amplification.trace(formula.root.id)
        own = [own_conditioning(formula, samples.take(np.array([i]))).own for i in range(len(s))]
        measured = measured_loss(inspection)
        axis.plot(along, np.log10(s), color=INK["sensitivity"], label="sensitivity")
        axis.plot(along, own, "--", color=INK["function"], label="of it the function's own")
        at = along[measured.positions]
        axis.plot(at, measured.lost, ".", color=INK["measured"], label="measured")
        axis.set(title=text, xlabel=label, xscale="log", ylim=(-0.2, 8))
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("decimal digits")
    axes[1].legend(loc="upper left", frameon=False)
    figure.savefig(OUT)


if __name__ == "__main__":
    main()
