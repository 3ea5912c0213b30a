"""How alike the members of matched pairs are: complexity, R² and EIC, lower against higher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES
from pages.ui.figures.plotting import axis_style, base_layout, build, legend_above

Quantity = Literal["complexity", "r2", "eic"]
LABELS: dict[Quantity, str] = {"complexity": "complexity", "r2": "R²", "eic": "EIC (digits)"}
COLOURS = {False: ("#0072b2", "#d55e00"), True: ("#5cb8f0", "#f0a03c")}
"""Blue and vermilion by `dark`, told apart with any colour vision."""

Values = Mapping[tuple[str, Quantity], Sequence[float]]


def pairs_figure(values: Values, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """Three histograms, each of the lower and of the higher members.

    After Yu et al., Figure ``fig:LLM_rating``, left panels.

    Parameters
    ----------
    values : mapping of ("lower" or "higher", quantity) to numbers, one a pair
    dark, narrow : bool
        For a dark page; for a phone.
    """
    theme = THEMES[dark]
    data: list[dict[str, Any]] = []
    layout = base_layout(dark) | {
        "height": 560 if narrow else 250,
        "margin": {"l": 44, "r": 8, "t": 34, "b": 44},
        **legend_above(theme),
        "barmode": "overlay",
        "bargap": 0,
        "dragmode": False,
    }  # fmt: skip
    for panel, (quantity, label) in enumerate(LABELS.items()):
        edges = _edges(values, quantity)
        number = "" if panel == 0 else str(panel + 1)
        spans = [[0.76, 1.0], [0.38, 0.62], [0.0, 0.24]] if narrow else [[0.0, 1.0]] * 3
        across = [[0.0, 1.0]] * 3 if narrow else [[0.0, 0.3], [0.35, 0.65], [0.7, 1.0]]
        layout[f"xaxis{number}"] = axis_style(theme) | {
            "domain": across[panel], "anchor": f"y{number}", "fixedrange": True,
            "title": {"text": label, "standoff": 6},
        }  # fmt: skip
        layout[f"yaxis{number}"] = axis_style(theme) | {
            "domain": spans[panel], "anchor": f"x{number}", "fixedrange": True,
            "tickformat": "d", "nticks": 5, "rangemode": "tozero",
        }  # fmt: skip
        for side, colour in zip(("lower", "higher"), COLOURS[dark], strict=True):
            counts, _ = np.histogram(_finite(values.get((side, quantity), ())), edges)
            centres = (edges[1:] + edges[:-1]) / 2
            data.append(
                {
                    "type": "bar", "name": f"{side} EIC", "legendgroup": side,
                    "showlegend": panel == 0, "x": centres.tolist(), "y": counts.tolist(),
                    "width": np.diff(edges).tolist(), "xaxis": f"x{number}",
                    "yaxis": f"y{number}",
                    "marker": {"color": colour, "opacity": 0.55,
                               "line": {"color": colour, "width": 1}},
                    "hovertemplate": f"%{{y}} pairs at {label} %{{x:.3g}}<extra>{side}</extra>",
                }
            )  # fmt: skip
    return build(data, layout)


def _finite(values: Sequence[float]) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    return array[np.isfinite(array)]


def _edges(values: Values, quantity: Quantity) -> np.ndarray:
    """Bins that both sides share."""
    both = np.concatenate([_finite(values.get((s, quantity), ())) for s in ("lower", "higher")])
    if not len(both):
        return np.array([0.0, 1.0])
    low, high = float(both.min()), float(both.max())
    if quantity == "complexity":
        step = max(1, int(np.ceil((high - low + 1) / 20)))
        return np.arange(low - 0.5, high + step + 0.5, step)
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, 21)
