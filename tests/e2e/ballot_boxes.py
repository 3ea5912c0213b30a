"""What is wrong with a ballot as a browser draws it: cut, covered, too small, too wide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from study.stimulus.shapes import LEAST_PX
from tests.e2e.every_ballot import size_of_glyphs
from tests.e2e.profiles import Scheme

SIZES = (
    *((320, 640), (390, 660), (390, 844), (844, 390), (768, 1024)),
    *((1280, 800), (1920, 1080), (640, 400), (320, 256)),
)
"""CSS pixels: three phones and one on its side, a tablet, two desks, one at 200 and 400 %."""
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LEAST_MAIN = 16.0
LEAST_LABEL = 10.0
LEAST_TARGET = 44.0
LEAST_CONTRAST, LEAST_CONTRAST_OF_LINES = 4.5, 3.0
"""Of the Web Content Accessibility Guidelines, for words and for what is drawn."""
MOST_BAR = 0.25
"""Of the window's height."""

BOXES = """() => {
  const box = e => {
    const {left, top, right, bottom} = e.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const all = (what, inside = document) => [...inside.querySelectorAll(what)];
  const seen = e => e.getClientRects().length > 0
    && getComputedStyle(e).visibility === 'visible' && !e.closest('.visually-hidden');
  const scrolls = pane => ['auto', 'scroll'].includes(getComputedStyle(pane).overflowX);
  const scale = svg => svg.getScreenCTM().a;
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const contrast = colour => {
    if (!colour.startsWith('rgb')) return 0;
    const [a, b] = [light(colour), ground].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const bar = document.querySelector('#answer'), root = document.documentElement;
  return {
    wider: root.scrollWidth - root.clientWidth,
    formulas: all('.formula').map(pane => {
      const svg = all('svg', pane).find(seen);
      return {
        box: box(pane), svg: box(svg), higher: pane.scrollHeight - pane.clientHeight,
        scrolls: scrolls(pane), hidden: pane.scrollWidth / pane.clientWidth - 1,
        scale: scale(svg),
        glyphs: [...new Set(all('use', svg).map(e => e.getAttribute('href').slice(1)))],
        ink: all('use, rect', svg).map(box),
      };
    }),
    plots: all('.drawings svg').filter(seen).map(svg => ({
      box: box(svg), scale: scale(svg),
      scrolls: scrolls(svg.closest('.drawings')),
      marks: all('path, rect, image', svg).filter(e => !e.closest('[clip-path], clipPath, defs'))
        .map(box),
      labels: all('text', svg).filter(e => e.textContent.trim()).map(e => ({
        text: e.textContent, box: box(e),
        size: parseFloat(getComputedStyle(e).fontSize) * scale(svg),
        contrast: contrast(getComputedStyle(e).fill),
      })),
      lines: ['a', 'b'].flatMap(side => all(`.curve-${side}`, svg).map(e => ({
        side, contrast: contrast(getComputedStyle(e).stroke),
      }))),
      filled: all('path', svg).filter(e => getComputedStyle(e).fill !== 'none').length,
    })),
    cut: all('main *').filter(e => seen(e) && !e.closest('svg, .formula, .drawings')
      && getComputedStyle(e).overflowX === 'hidden' && e.tagName !== 'PROGRESS'
      && e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 60)),
    targets: all('main :is(button, select, input:not([type=hidden], [type=checkbox]))')
      .filter(seen).map(e => [e.innerText || e.id, e.getBoundingClientRect().height]),
    bar: getComputedStyle(bar).position === 'static' ? 0 : bar.offsetHeight / innerHeight,
    beside: all('main :is(h1, p, .formula, .drawings, button)').filter(seen)
      .filter(e => !e.closest('.formula, .drawings, .tip')).map(e => box(e)),
  };
}"""


@dataclass(frozen=True)
class Measured:
    wrong: list[str]
    main: float  # Pixels of the letters of the smaller formula
    least: float  # Pixels of the smallest script
    bar: float  # Share of the window
    hidden: float = 0.0  # Of the box of a formula, how much more it is wide: the larger of both


def faults(page: Page) -> Measured:
    """What is wrong with the ballot on the screen."""
    seen: dict[str, Any] = page.evaluate(BOXES)
    size = page.viewport_size
    assert size is not None
    wrong, mains, least = [], [], 100.0
    if seen["wider"] > 0:
        wrong.append(f"the page is {seen['wider']} px wider than the window")
    if len(seen["formulas"]) != 2:
        return Measured(["not two formulas"], 0.0, 0.0, 0.0)
    for letter, pane in zip("AB", seen["formulas"], strict=True):
        known = [size_of_glyphs()[name] for name in pane["glyphs"] if name in size_of_glyphs()]
        sizes = [pane["scale"] * each for each in known]
        if not sizes or not pane["ink"]:
            wrong.append(f"{letter} is empty")
            continue
        mains.append(max(sizes))
        least = min(least, *sizes)
        left, top, right, bottom = pane["svg"]
        for x0, y0, x1, y1 in pane["ink"]:
            if x0 < left - 1 or x1 > right + 1 or y0 < top - 1 or y1 > bottom + 1:
                wrong.append(f"{letter} is cut by its drawing")
        if right > pane["box"][2] + 1 and not pane["scrolls"]:
            wrong.append(f"{letter} is cut by its card")
        if pane["higher"] > 1:
            wrong.append(f"{letter} scrolls upwards by {pane['higher']} px")
    if not mains or min(mains) < LEAST_MAIN or least < LEAST_PX - 0.05:
        wrong.append(f"letters of {min(mains, default=0):.1f} px, scripts of {least:.1f} px")
    if not seen["plots"]:
        wrong.append("there is no plot")
    for plot in seen["plots"]:
        wrong += _faults_of_plot(plot, size["width"])
    wrong += [f"cut: {each}" for each in seen["cut"]]
    wrong += [f"{name!r} is {h:.0f} px high" for name, h in seen["targets"] if h < LEAST_TARGET]
    wrong += [
        "something lies beyond the window"
        for left, _, right, _ in seen["beside"]
        if left < -1 or right > size["width"] + 1
    ]
    if seen["bar"] > MOST_BAR:
        wrong.append(f"the bar takes {100 * seen['bar']:.0f} % of the height")
    hidden = max(pane["hidden"] for pane in seen["formulas"])
    return Measured(sorted(set(wrong)), min(mains, default=0.0), least, seen["bar"], hidden)


def _faults_of_plot(plot: dict[str, Any], width: int) -> list[str]:
    wrong: list[str] = []
    left, top, right, bottom = plot["box"]
    if (left < -1 or right > width + 1) and not plot["scrolls"] or right - left > width:
        wrong.append("the plot is wider than the window")
    for x0, y0, x1, y1 in [*plot["marks"], *(label["box"] for label in plot["labels"])]:
        if x0 < left - 2 or x1 > right + 2 or y0 < top - 2 or y1 > bottom + 2:
            wrong.append("the plot is cut")
    if plot["filled"]:
        wrong.append("lines of the plot are filled")
    wrong += [
        f"line {line['side']} stands out by {line['contrast']:.1f} only"
        for line in plot["lines"]
        if line["contrast"] < LEAST_CONTRAST_OF_LINES
    ]
    for place, label in enumerate(plot["labels"]):
        if label["contrast"] < LEAST_CONTRAST:
            wrong.append(f"the label {label['text']!r} stands out by {label['contrast']:.1f} only")
        if label["size"] < LEAST_LABEL:
            wrong.append(f"the label {label['text']!r} has {label['size']:.1f} px")
        for other in plot["labels"][:place]:
            if _overlap(label["box"], other["box"]):
                wrong.append(f"the labels {other['text']!r} and {label['text']!r} collide")
    return wrong


def _overlap(a: list[float], b: list[float], room: float = 2.0) -> bool:
    """Boxes of text, whose line is higher than its letters."""
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return across > room / 2 and down > 2 * room
