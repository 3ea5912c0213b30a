"""The scored list as a file that a spreadsheet opens safely and `import_formulas` reads back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from eic_core.pool import SCORE_COLUMNS
from eic_core.pool.listing import ListedScore
from study.report.spreadsheet import safe_cell

COLUMNS = ("row", "problem", "method", "formula", "syntax", "extra", *SCORE_COLUMNS, "front")


def scored_csv(scores: Sequence[ListedScore], on_front: np.ndarray) -> str:
    """A row for each row of the list, in order, refused ones included.

    Parameters
    ----------
    scores : sequence of ListedScore
    on_front : ndarray of bool, shape (N,)

    Examples
    --------
    >>> from eic_core.pool import Score
    >>> from eic_core.pool.importers import Listed
    >>> row = ListedScore(Listed(1, "-x"), Score(2, 0.5, 0.25, 0.25), "infix")
    >>> print(scored_csv([row], np.array([True])).splitlines()[1])
    1,,,'-x,infix,,2,0.5,0.25,0.25,0,0,0,,yes
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for scored, member in zip(scores, on_front, strict=True):
        listed, cells = scored.listed, scored.score.cells()
        values = (listed.parameters[f"t{i}"] for i in range(len(listed.parameters)))
        texts = (
            listed.problem,
            listed.method,
            listed.formula,
            listed.syntax or scored.syntax,
            "theta=" + ";".join(values) if listed.parameters else "",
        )
        writer.writerow(
            [
                listed.row,
                *map(safe_cell, texts),
                *(cells[name] for name in SCORE_COLUMNS[:-1]),
                safe_cell(cells["error"]),
                "yes" if member else "",
            ]
        )
    return out.getvalue()
