"""Small pieces of the rating page: HTML that carries its own meaning to screen readers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from secrets import token_hex

import streamlit as st

from pages.ui.kit.prepared import draw_script, draw_style
from pages.ui.kit.text import clean, escape
from pages.ui.rating import words
from pages.ui.rating.ballot_figure import LETTERS, SCALE, Side, scale_ticks
from study.rating_types import Axis, BallotFigure, FormulaCard, Progress

_STYLE = Path(__file__).with_name("rating.css")
_BALLOT = f"<script>{Path(__file__).with_name('ballot.js').read_text(encoding='utf-8')}</script>"

_BRACKETS = re.compile(r"(\\left\(|\\right\))")
_BRACES = re.compile(r"([\^_]?\{|\}|\\frac)")
_GROUP = re.compile(r"(?:^|[\s+(-])\{\Z")
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_ROOT = re.compile(r"\\(sqrt|big)")
_TALL = (r"\left", r"\begin")

# The heading may be drawn late, or anew: for three seconds it gets the focus back whenever the
# focus falls to nothing, until the rater clicks, taps or presses a key.
_ARRIVE = """<script>
(() => {
  const arrival = window.rateArrival = {}, until = Date.now() + 3000;
  let came = false;
  const look = () => {
    if (window.rateArrival !== arrival) return;
    const title = document.querySelector('.rate-focus');
    const lost = !document.activeElement || document.activeElement === document.body;
    if (title && (lost || !came)) {
      if (!came) document.querySelector('[data-testid="stMain"]')?.scrollTo({top: 0});
      title.focus({preventScroll: true});
      came = true;
    }
    if (Date.now() < until) setTimeout(look, 60);
  };
  const leave = () => { if (window.rateArrival === arrival) window.rateArrival = null; };
  for (const done of ['pointerdown', 'keydown']) addEventListener(done, leave, {once: true});
  setTimeout(look, 60);
})();
</script>"""

_ONE_PRESS = """<script>
if (!window.rateOnePress) {
  window.rateOnePress = true;
  addEventListener('keydown', event => {
    if (!event.repeat || !document.querySelector('.st-key-rate-choose')) return;
    if (event.target.closest?.('input, textarea, [contenteditable]')) return;
    if (event.key === ' ' && !event.target.closest?.('button')) return;
    if (!/^[ab ]$|^Enter$/i.test(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, {capture: true});
}
</script>"""


_KEEP = """<script>
fetch('./door/rater', {method: 'POST', body: new URLSearchParams(location.search)}).catch(() => {});
</script>"""


def _prefetch(script: str) -> str:
    return f"<script>fetch({json.dumps(script)}, {{priority: 'low'}}).catch(() => {{}});</script>"


def scripts(plot_script: str) -> tuple[str, ...]:
    """Every script of the rating page; a browser runs these and no other."""
    return _ARRIVE, _ONE_PRESS, _BALLOT, _KEEP, _prefetch(plot_script)


def style() -> None:
    draw_style(_STYLE)


def scroll_to_top(what: str) -> None:
    """Bring a new page to its top, and a screen reader to its heading; once for each `what`."""
    again = f'<i hidden class="rate-what" title="{escape(what)}"></i>'  # another is run again
    draw_script(_ARRIVE + again)


def prefetch_script(script: str) -> None:
    """Let the browser load a script while the rater still reads."""
    if script:
        draw_script(_prefetch(script))


def prevent_double_votes() -> None:
    """Let a key that is held down count once (``KeyboardEvent.repeat``); typing is left alone."""
    draw_script(_ONE_PRESS)


def keep_in_browser() -> None:
    """Let this browser recognise its rater, by a cookie that no script can read."""
    draw_script(_KEEP)


def help_of_the_browser() -> None:
    """Fit formulas, time the answer from paint to press, and note what was in view."""
    draw_script(_BALLOT)


def mark_run() -> None:
    """Let the browser tell a page that was drawn anew from one that still waits."""
    st.html(f'<i hidden class="rate-run" title="{token_hex(6).translate(_LETTERS)}"></i>')


def heading(text: str, *, over: str = "") -> None:
    above = f'<p class="rate-over">{escape(over)}</p>' if over else ""
    st.html(f'{above}<h1 class="rate-h1 rate-focus" tabindex="-1">{escape(text)}</h1>')


def paragraphs(texts: tuple[str, ...]) -> None:
    """The page's own prose or the organiser's; blank lines divide paragraphs."""
    parts = [part for text in texts for part in text.split("\n\n") if part.strip()]
    shown = "".join(
        f"<p>{escape(part.strip(), 10_000).replace(chr(10), '<br>')}</p>" for part in parts
    )
    st.html(f'<div class="rate-prose">{shown}</div>')


def notice(text: str) -> None:
    """A message about the last action, read out at once."""
    if text:
        st.html(f'<p class="rate-notice" role="alert">{escape(text)}</p>')


def error_beside(text: str) -> None:
    if text:
        st.html(f'<p class="rate-error" role="alert">{escape(text)}</p>')


def progress_bar(progress: Progress | None, where: str = "") -> None:
    """The number of this ballot, and of the answers in the database."""
    if progress is None:
        return
    share = 100 * progress.saved / max(1, progress.total)
    st.html(
        f'<div class="rate-progress"><b class="rate-where">{escape(where)}</b>'
        f'<div class="rate-track" role="progressbar" '
        f'aria-label="Answers saved" aria-valuemin="0" aria-valuemax="{progress.total}" '
        f'aria-valuenow="{progress.saved}"><span style="width:{share:.1f}%"></span></div>'
        f'<span class="rate-saved">saved {progress.saved} of {progress.total}</span></div>'
    )


def point_count_text(figure: BallotFigure) -> str:
    """The number of dots.

    >>> axis = Axis("t", "", "", 0, 1)
    >>> point_count_text(BallotFigure("curve", (axis,), axis, ((0, 1),), ((0, 0), (1, 1)), 1500))
    '2 of 1,500 measurements'
    """
    shown = f"{len(figure.points):,}"
    if figure.rows > len(figure.points):
        shown = f"{shown} of {figure.rows:,}"
    return f"{shown} measurements"


def legend(figure: BallotFigure) -> None:
    """The legend of dots and lines; the text alternative of the figure says the same."""
    st.html(
        f'<div class="rate-legend" aria-hidden="true"><span><i class="rate-dot"></i>'
        f'{point_count_text(figure)}</span><span><i class="rate-swatch"></i>Formula A</span>'
        f'<span><i class="rate-swatch rate-right"></i>Formula B</span></div>'
    )


def map_title(side: Side) -> None:
    st.html(f'<h2 class="rate-h3">Formula {LETTERS[side]}</h2>')


def card_head(card: FormulaCard, side: Side, *, line: bool) -> None:
    """The formula's name with its line, R² and complexity, explained on hover, tap and focus."""
    mark = f'<span class="rate-swatch rate-{side}" aria-hidden="true"></span>' if line else ""
    cells = [
        _explained("R²", f"{card.r2:.3f}".replace("-", "−"), words.R2, f"r2-{side}"),
        _explained("Complexity", str(card.complexity), words.COMPLEXITY, f"complexity-{side}"),
    ]
    st.html(
        f'<div class="rate-head"><h2 class="rate-h3">Formula {LETTERS[side]}{mark}</h2>'
        f'<div class="rate-numbers">{"".join(cells)}</div></div>'
    )


def _explained(name: str, value: str, explained: str, key: str) -> str:
    return (
        f'<div class="rate-number" tabindex="0" aria-describedby="tip-{key}">'
        f'<span class="rate-name">{name}</span> <span class="rate-value">{value}</span>'
        f'<span class="rate-tip" role="tooltip" id="tip-{key}">{escape(explained)}</span></div>'
    )


def quantities(inputs: tuple[Axis, ...], target: Axis) -> str:
    """The meaning of the letters, as a line of HTML.

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
    low, middle, high = scale_ticks(target)
    stops = ", ".join(SCALE)
    st.html(
        f'<div class="rate-scale" role="img" aria-label="Colour scale of {escape(target.title)}, '
        f'the same in both maps: dark is {low}, bright is {high}"><span class="rate-scale-name">'
        f'{escape(target.title)}</span><span class="rate-scale-bar" '
        f'style="background: linear-gradient(to right, {stops})"></span>'
        f"<span class='rate-scale-ticks'><span>{low}</span><span>{middle}</span>"
        f"<span>{high}</span></span></div>"
    )


def breakable(latex: str) -> str:
    r"""The same formula, such that KaTeX can break its lines and a phone can show it large.

    Brackets of a fixed size stand around what is a line or a fraction high, for there KaTeX
    breaks lines; fractions in fractions are as large as the outermost; brackets around towers
    of fractions are as high as the tower, not twice as high as its longer half.

    >>> breakable(r"2 \cdot \left(a + b\right)"), breakable(r"\left(\frac{a}{b}\right)")
    ('2 \\cdot (a + b)', '\\biggl(\\dfrac{a}{b}\\biggr)')
    >>> breakable(r"{\left(a + b\right)}^{2}"), breakable(r"2 \cdot \left(\sqrt{a} + b\right)")
    ('(a + b)^{2}', '2 \\cdot \\bigl(\\sqrt{a} + b\\bigr)')
    """
    parts = _BRACKETS.split(latex)
    opened: list[int] = []
    for at, part in enumerate(parts):
        if part == r"\left(":
            opened.append(at)
        elif part == r"\right)" and opened:
            start = opened.pop()
            inside = "".join(parts[start + 1 : at])
            storeys = _storeys(inside)
            if storeys > 1 or any(tall in inside for tall in _TALL):
                if storeys > 2:
                    parts[start], parts[at] = r"\left(\vcenter{", r"}\right)"
                continue
            size = r"\bigg" if storeys else r"\big" if _ROOT.search(inside) else ""
            parts[start], parts[at] = (f"{size}l(", f"{size}r)") if size else ("(", ")")
            if _GROUP.search(parts[start - 1]) and parts[at + 1].startswith("}^"):
                parts[start - 1], parts[at + 1] = parts[start - 1][:-1], parts[at + 1][1:]
    return _large_fractions("".join(parts))


def _storeys(latex: str) -> int:
    r"""The depth of fractions in fractions.

    >>> _storeys("a + b"), _storeys(r"\frac{a}{b} + \frac{1}{\sqrt{\frac{c}{d}}}")
    (0, 2)
    """
    most, opened, left = 0, [0], [0]  # for each open group: fractions around it, their arguments
    for part in _BRACES.split(latex):
        if part == r"\frac":
            left[-1] = 2
        elif part.endswith("{"):
            opened.append(opened[-1] + (left[-1] > 0))
            left[-1] = max(0, left[-1] - 1)
            left.append(0)
            most = max(most, opened[-1])
        elif part == "}" and len(opened) > 1:
            opened.pop()
            left.pop()
    return most


def _large_fractions(latex: str) -> str:
    r"""The formula with nested fractions as large as the outermost; those in exponents stay.

    >>> _large_fractions(r"\frac{a}{\frac{b}{c}} + x^{\frac{1}{2}}")
    '\\dfrac{a}{\\dfrac{b}{c}} + x^{\\frac{1}{2}}'
    """
    found: list[str] = []
    scripts = [False]
    for part in _BRACES.split(latex):
        if part.endswith("{"):
            scripts.append(scripts[-1] or part != "{")
        elif part == "}" and len(scripts) > 1:
            scripts.pop()
        found.append(r"\dfrac" if part == r"\frac" and not scripts[-1] else part)
    return "".join(found)


def one_line(text: str, limit: int = 200) -> str:
    return " ".join(clean(text, limit).split())
