"""The curves of error of a formula and of another form of it, over the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.formula.tree import Formula
from eic_core.report.error_curves import Along, error_curves, values_along, ways_along
from eic_core.report.rulers import letters
from eic_core.rewriting import OwnForm
from eic_core.rewriting.profile import Profile, RowSpan, parts_along
from pages.ui.kit import glossary
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import clean, escape, table_box
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import chart

FEWEST = 2
"""Rows that are compared: of fewer there is no curve."""


def curves(
    result: InspectionResult, form: Formula, own: OwnForm | None, name: str = "instead"
) -> None:
    """Digits lost at each row, as written, with the form and with the user's own; with a table."""
    profile = diagnosis_service().profile(result, form)
    yours = None
    if own is not None and own.after is not None and own.formula.structure() != form.structure():
        yours = diagnosis_service().profile(result, own.formula)
    ways = ways_along(profile)
    if not ways or np.count_nonzero(~np.isnan(profile.before)) < FEWEST:
        return
    labels = dict(result.match.mapping) if result.match is not None else {}
    title = escape(glossary.ERROR_CURVES, 1000)
    st.html(f'<h4 class="eic-h" title="{title}">Digits lost over the data</h4>')
    along = ways[0]
    if len(ways) > 1:
        along = st.selectbox(
            "Drawn against",
            ways,
            key=f"curves-along-{name}:{ways[0].kind}:{ways[0].name}",
            format_func=partial(_way, profile=profile, labels=labels),
            label_visibility="collapsed",
            width=280,
        )
    structures = form.structure(), None if yours is None else yours.form.structure()
    chart(
        result,
        ("curves", structures, name, along),
        lambda: replace(
            error_curves(profile, along, yours, name=name, labels=labels),
            words=_in_words(profile, yours, along, name, labels),
        ),
        key=f"curves-{name}",
    )
    with st.expander("The curves as a table"):
        st.html(_tables(profile, yours, along, name, labels))


def _way(way: Along, profile: Profile, labels: dict[str, str]) -> str:
    if way.kind == "map":
        names = [clean(labels.get(name, name), 20) for name in profile.inputs]
        return f"over {wording.join(names)}"
    return f"against {clean(labels.get(way.name, way.name), 40)}"


def _in_words(
    profile: Profile, yours: Profile | None, along: Along, name: str, labels: dict[str, str]
) -> str:
    forms = [("as written", profile.before), (name, profile.after)]
    forms += [] if yours is None else [("yours", yours.after)]
    parts = [
        f"{what} {wording.number(float(np.nanmean(lost)), 1)} in the mean" for what, lost in forms
    ]
    texts = profile.conditions
    names = letters(len(texts))
    regions = [
        f" Branch {letter} ({text or 'otherwise'}): "
        f"{wording.count(int(np.count_nonzero(profile.taken == place)), 'row')}."
        for place, (letter, text) in enumerate(zip(names, texts, strict=True))
    ]
    return clean(
        f"Digits lost at {len(profile)} rows {_way(along, profile, labels)}: "
        f"{'; '.join(parts)}.{''.join(regions)}",
        2_000,
    )


def _tables(
    profile: Profile, yours: Profile | None, along: Along, name: str, labels: dict[str, str]
) -> str:
    """Groups of neighbouring rows, along the axis or along both inputs of a map."""
    ways = [along]
    if along.kind == "map":
        ways = [Along("input", one) for one in profile.inputs]
    return "".join(_table(profile, yours, way, name, labels) for way in ways)


def _table(
    profile: Profile, yours: Profile | None, along: Along, name: str, labels: dict[str, str]
) -> str:
    values = values_along(profile, along)
    lines: Iterable[tuple[RowSpan, ...]]
    lines = zip(parts_along(values, profile.before, profile.after), strict=True)
    columns = ["as written", name]
    if yours is not None:
        columns.append("yours")
        own = parts_along(values, profile.before, yours.after)
        lines = zip(parts_along(values, profile.before, profile.after), own, strict=False)
    body = "".join(_line(parts) for parts in lines)
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    quantity = escape(labels.get(along.name, along.name), 60)
    return table_box(
        f'<table class="eic-repair"><tr><th scope="col"><code>{quantity}</code> from … to</th>'
        f'<th scope="col">rows</th>{head}</tr>{body}</table>',
        "eic-wide",
    )


def _line(parts: tuple[RowSpan, ...]) -> str:
    first = parts[0]
    numbers = [first.before, *(part.after for part in parts)]
    cells = "".join(f"<td>{wording.number(number, 1)}</td>" for number in numbers)
    ends = " … ".join(wording.significant(end, 5) for end in (first.low, first.high))
    return f'<tr><th scope="row">{ends}</th><td>{first.rows:,}</td>{cells}</tr>'
