"""The look of a report: on a wide screen, on a phone, in the dark and on paper."""

from __future__ import annotations

from eic_core.drawing.scale import THEMES, Theme

CSP = "default-src 'none'; style-src 'unsafe-inline'"
"""No script, no picture from elsewhere, no request."""


def _colours(theme: Theme, *, card: str, bar: str, alert: str, fine: str) -> str:
    named = {
        "ink": theme.ink, "quiet": theme.muted, "line": theme.faint, "paper": theme.paper,
        "accent": theme.accent, "card": card, "bar": bar, "alert": alert, "fine": fine,
    }  # fmt: skip
    return " ".join(f"--{name}: {value};" for name, value in named.items())


_LIGHT = _colours(THEMES[False], card="#f6f7f9", bar="#c2541d", alert="#8a3b00", fine="#1a5e2a")
_DARK = _colours(THEMES[True], card="#1a1f29", bar="#e8894a", alert="#f0b060", fine="#7fd08f")

STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
.dark-only {{ display: none; }}
@media (prefers-color-scheme: dark) {{
  :root {{ {_DARK} }} .dark-only {{ display: block; }} .light-only {{ display: none; }} }}
@media print {{ :root {{ {_LIGHT} color-scheme: light; }}
  .dark-only {{ display: none; }} .light-only {{ display: block; }} }}
""" + """
* { box-sizing: border-box; }
body { font: 16px/1.55 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; color: var(--ink);
       background: var(--paper); max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
       overflow-wrap: break-word; }
.kicker { color: var(--quiet); margin: 0; }
h1 { font-size: 1.6rem; line-height: 1.3; margin: .25rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .5rem; padding-top: 1rem;
     border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
p { margin: .5rem 0; }
a { color: var(--accent); }
code { font: .92em/1.4 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--card);
       padding: .05em .3em; border-radius: .3em; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem;
      padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; }
pre code { background: none; padding: 0; }
.answers { margin: 1rem 0; } .answers dt { color: var(--quiet); font-size: .9rem; }
.answers dd { margin: 0 0 .75rem; }
.formula { overflow-x: auto; padding: .75rem 0; font-size: 1.25rem; }
math { display: block math; margin: 0 auto;
       font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", math; }
mfrac > * { math-depth: inherit; padding: .12em .1em; }
.quiet, .caption, figcaption, footer { color: var(--quiet); font-size: .9rem; }
.missing { color: var(--quiet); border-left: 3px solid var(--line); padding-left: .75rem; }
.cut { border: 1px solid var(--alert); border-left-width: 6px; border-radius: .4rem;
       padding: .6rem .9rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0; }
.card.best { border-color: var(--accent); }
.badge { font-size: .85rem; font-weight: 600; white-space: nowrap; }
.ok { color: var(--fine); } .explained { color: var(--quiet); } .unclear { color: var(--alert); }
table { border-collapse: collapse; width: 100%; font-size: .93rem; margin: .5rem 0; }
.caption { margin: 1rem 0 0; break-after: avoid; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th { font-weight: 400; } thead th { color: var(--quiet); font-size: .88rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th.n { white-space: normal; }
.marked th, .marked td { font-weight: 600; }
.scroll { overflow-x: auto; }
.scroll td:not(.n), .scroll th:not(.n) { min-width: 7rem; }
.scroll th[scope=row]:not(.n) { min-width: 9rem; }
.scroll .words td, .scroll .words th[scope=row] { min-width: 0; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--quiet); }
figure { margin: 1rem 0; }
svg { display: block; height: auto; } .tree svg { max-width: 100%; margin: 0 auto; }
.chart { width: 100%; }
.chart text { fill: var(--ink); font-size: 14px; }
.chart .soft { fill: var(--quiet); } .chart .bar { fill: var(--bar); }
.chart .ghost { fill: var(--line); } .chart .rule { stroke: var(--line); }
.chart .curve { stroke: var(--bar); fill: none; stroke-width: 2; }
.chart .band { fill: var(--bar); fill-opacity: .18; } .chart .cool { fill: var(--accent); }
footer { margin: 3rem 0 1rem; border-top: 1px solid var(--line); padding-top: .5rem; }
@media (max-width: 40rem) {
  body { margin: 1rem auto; font-size: 15px; } h1 { font-size: 1.3rem; }
  .tree svg { max-width: none; } }
@media print {
  html { font-size: 10pt; } body { max-width: none; margin: 0; font-size: 1rem; }
  h2, h3 { break-after: avoid; } figure, tr, .card, .answers { break-inside: avoid; }
  .scroll, .formula { overflow: visible; }
  details > *, details::details-content { display: block; content-visibility: visible; }
  .screen { display: none; } }
"""
