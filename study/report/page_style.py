"""The look of a report's HTML page: on a wide screen, on a phone, in the dark and on paper."""

CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --quiet: #57606a; --paper: #fff;
        --line: #d0d7de; --card: #f6f8fa; --blue: #0b5394; --look: #8a4b00; --fine: #1a5e2a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --quiet: #a8b0b8; --paper: #15181c; --line: #3a4047; --card: #1e2329;
          --blue: #7cb8f2; --look: #f0b060; --fine: #7fd08f; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .5rem; padding-top: 1rem;
     border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2rem 0 .25rem; }
p { margin: .5rem 0; }
a { color: var(--blue); }
.verdict { font-size: 1.45rem; line-height: 1.35; font-weight: 600; }
.note, .term, figcaption, caption, footer { color: var(--quiet); font-size: .9rem; }
.note { border-left: 3px solid var(--line); padding-left: .75rem; }
.caution { border-left: 4px solid var(--look); background: var(--card); padding: .5rem .75rem; }
.judgement { font-size: .8rem; font-weight: 600; margin-left: .5rem; padding: .1rem .5rem;
             border: 1px solid; border-radius: 1rem; white-space: nowrap; }
.fine { color: var(--fine); } .fine::before { content: "✓ "; }
.look { color: var(--look); } .look::before { content: "▲ "; }
.open { color: var(--quiet); } .open::before { content: "? "; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; margin: .75rem 0; }
caption { text-align: left; padding-bottom: .25rem; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line);
         vertical-align: top; overflow-wrap: break-word; }
th { font-weight: 400; } th[scope=col] { color: var(--quiet); }
.scroll th[scope=row] { min-width: 7rem; }
.facts { table-layout: fixed; } .facts th { width: 45%; }
.facts td { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
             padding: .3rem 0 .3rem .75rem; }
details { color: var(--quiet); font-size: .9rem; }
summary { cursor: pointer; }
.facts summary { color: var(--ink); font-size: .95rem; text-decoration: underline dotted;
                 text-underline-offset: .2em; list-style: none; }
.facts summary::-webkit-details-marker { display: none; }
figure { margin: 1rem 0; }
.scroll { overflow-x: auto; }
figure .scroll { background: #fff; border-radius: 4px; }
svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
footer { margin: 3rem 0 1rem; border-top: 1px solid var(--line); padding-top: .5rem;
         overflow-wrap: anywhere; }
@media (max-width: 30rem) {
  body { margin: 1rem auto; } .verdict { font-size: 1.25rem; }
  .facts th { width: 50%; } .wide svg { max-width: none; width: 36rem; } }
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; color: #000; background: #fff; }
  h2, h3 { break-after: avoid; } figure, tr, .caution { break-inside: avoid; }
  details > *, details::details-content { display: block; content-visibility: visible; }
  #data { display: none; } }
"""
