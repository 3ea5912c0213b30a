"""Small pieces of the rating page: HTML that carries its own meaning to screen readers."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.rating import words
from pages.ui.rating.figures import DASHES, LETTERS, SCALE, Side, scale_ticks
from pages.ui.text import clean, escape
from study.ballot_types import Axis, FormulaCard
from study.rating_types import Progress

STYLE = Path(__file__).with_name("rating.css")

_ARRIVE = """<script>
setTimeout(() => {
  const main = document.querySelector('[data-testid="stMain"]');
  if (main) main.scrollTo({top: 0});
  const title = document.querySelector('.rate-focus');
  if (title) title.focus({preventScroll: true});
}, 60);
// %s
</script>"""


def style() -> None:
    """The look of all that is drawn here; call it once on a page."""
    st.html(STYLE)


def arrive(what: str) -> None:
    """Bring a new page to its top, and a screen reader to its heading; once for each `what`."""
    st.html(_ARRIVE % what, unsafe_allow_javascript=True)


def heading(text: str, *, over: str = "") -> None:
    """The heading of a page, where reading begins."""
    above = f'<p class="rate-over">{escape(over)}</p>' if over else ""
    st.html(f'{above}<h1 class="rate-h1 rate-focus" tabindex="-1">{escape(text)}</h1>')


def paragraphs(texts: tuple[str, ...]) -> None:
    """Prose of the page's own or of the organiser's; blank lines divide paragraphs."""
    parts = [part for text in texts for part in text.split("\n\n") if part.strip()]
    shown = "".join(
        f"<p>{escape(part.strip(), 10_000).replace(chr(10), '<br>')}</p>" for part in parts
    )
    st.html(f'<div class="rate-prose">{shown}</div>')


def notice(text: str) -> None:
    """Something that just happened, read out at once."""
    if text:
        st.html(f'<p class="rate-notice" role="alert">{escape(text)}</p>')


def error_beside(text: str) -> None:
    """What is wrong with the field above."""
    if text:
        st.html(f'<p class="rate-error" role="alert">{escape(text)}</p>')


def progress_bar(progress: Progress | None) -> None:
    """How many answers are in the database."""
    if progress is None:
        return
    share = 100 * progress.saved / max(1, progress.total)
    st.html(
        f'<div class="rate-progress"><div class="rate-track" role="progressbar" '
        f'aria-label="Answers saved" aria-valuemin="0" aria-valuemax="{progress.total}" '
        f'aria-valuenow="{progress.saved}"><span style="width:{share:.1f}%"></span></div>'
        f'<span class="rate-saved">saved {progress.saved} of {progress.total}</span></div>'
    )


def swatch(side: Side) -> str:
    """The line of a formula, as the legend has it."""
    dash = "" if DASHES[side] == "solid" else ' stroke-dasharray="8 5"'
    return (
        f'<svg class="rate-swatch rate-{side}" width="34" height="10" viewBox="0 0 34 10" '
        f'aria-hidden="true"><line x1="2" y1="5" x2="32" y2="5" stroke="currentColor" '
        f'stroke-width="3.5"{dash}/></svg>'
    )


def card_title(side: Side, *, line: bool) -> None:
    """"Formula A", with its line."""
    mark = swatch(side) if line else ""
    st.html(f'<h3 class="rate-h3">Formula {LETTERS[side]}{mark}</h3>')


def card_numbers(card: FormulaCard, side: Side) -> None:
    """R² and complexity, each explained on hover, tap and focus."""
    cells = [
        _explained("R²", f"{card.r2:.3f}".replace("-", "−"), words.R2, f"r2-{side}"),
        _explained("Complexity", str(card.complexity), words.COMPLEXITY, f"complexity-{side}"),
    ]
    st.html(f'<div class="rate-numbers">{"".join(cells)}</div>')


def _explained(name: str, value: str, explained: str, key: str) -> str:
    return (
        f'<div class="rate-number" tabindex="0" aria-describedby="tip-{key}">'
        f'<span class="rate-name">{name}</span> <span class="rate-value">{value}</span>'
        f'<span class="rate-tip" role="tooltip" id="tip-{key}">{escape(explained)}</span></div>'
    )


def quantities(inputs: tuple[Axis, ...], target: Axis) -> str:
    """What the letters stand for, as a line of HTML.

    Examples
    --------
    >>> quantities((Axis("t", "min", "time", 0, 1),), Axis("h", "", "", 0, 1))
    'Computed: <b>h</b>. From: <b>t</b> (time, in min).'
    """
    given = ", ".join(map(_quantity, inputs))
    return f"Computed: {_quantity(target)}. From: {given}."


def _quantity(axis: Axis) -> str:
    more = [axis.meaning] if axis.meaning else []
    more += [f"in {axis.unit}"] if axis.unit else []
    said = f" ({escape(', '.join(more))})" if more else ""
    return f"<b>{escape(axis.name)}</b>{said}"


def colour_bar(target: Axis) -> None:
    """The one colour scale of both maps."""
    low, middle, high = scale_ticks(target)
    stops = ", ".join(SCALE)
    st.html(
        f'<div class="rate-scale" role="img" aria-label="Colour scale of {escape(target.label)}, '
        f'the same in both maps: dark is {low}, bright is {high}"><span class="rate-scale-name">'
        f'{escape(target.label)}</span><span class="rate-scale-bar" '
        f'style="background: linear-gradient(to right, {stops})"></span>'
        f"<span class='rate-scale-ticks'><span>{low}</span><span>{middle}</span>"
        f"<span>{high}</span></span></div>"
    )


def one_line(text: str, limit: int = 200) -> str:
    """A label's text on one line."""
    return " ".join(clean(text, limit).split())
