"""Small tables as CSV and HTML, safe to open and to show."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from pages.ui.text import escape
from study.pairing import RefusedRow
from study.report.spreadsheet import safe_cell


def refused_csv(rows: Iterable[RefusedRow]) -> str:
    """Refused rows of a pool, for a spreadsheet.

    Examples
    --------
    >>> print(refused_csv([RefusedRow(3, "kepler", "=a", "unknown name")]), end="")
    row,problem,formula,error
    3,kepler,'=a,unknown name
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", "problem", "formula", "error"])
    for row in rows:
        cells = (row.problem, row.formula, row.error)
        writer.writerow([row.row, *(safe_cell(cell) for cell in cells)])
    return out.getvalue()


def table_html(
    rows: Iterable[Sequence[str | int]], heads: Sequence[str] = (), *, caption: str = ""
) -> str:
    """A table; numbers to the right, text inert.

    Examples
    --------
    >>> table_html([("<b>", 3)])
    '<div class="eic-table-box"><table class="eic-table"><tbody><tr><th scope="row">&lt;b&gt;</th><td class="n">3</td></tr></tbody></table></div>'
    """  # noqa: E501
    rows = [tuple(row) for row in rows]
    numeric = [not isinstance(cell, str) for cell in rows[0]] if rows else []
    head = "".join(
        f'<th scope="col"{" class=" + chr(34) + "n" + chr(34) if n else ""}>{escape(h)}</th>'
        for h, n in zip(heads, numeric or [False] * len(heads), strict=False)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row, range(len(row))))}</tr>" for row in rows)
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    return (
        f'<div class="eic-table-box"><table class="eic-table">{said}{head}'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(value: str | int, place: int) -> str:
    if place == 0:
        return f'<th scope="row">{escape(str(value), 300)}</th>'
    if isinstance(value, str):
        return f"<td>{escape(value, 10_000)}</td>"
    return f'<td class="n">{value:,}</td>'
