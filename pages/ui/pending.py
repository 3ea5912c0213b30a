"""Stand-ins until the modules named here are there."""
from dataclasses import dataclass
try:
    from pages.ui.gallery import EXAMPLES, Example
except ImportError:
    from eic_core.measure.data import Domain
    @dataclass(frozen=True)
    class Example:
        key: str; title: str; lesson: str; formula: str; domains: tuple = (); samples: int = 0
    EXAMPLES = (
        Example("cancel", "10000x − 9999x", "Two large terms cancel", "10000*x - 9999*x", (("x", Domain("uniform", 1.0, 5.0)),)),
        Example("logexp", "ln(exp(x))", "Inner overflow", "log(exp(x))", (("x", Domain("normal", 1000.0, 1.0)),)),
        Example("cot", "sin(sin(cot(x)))", "x", "sin(sin(cot(x)))", (("x", Domain("uniform", 0.1, 3.0)),)),
    )
try:
    from eic_core.explain.verdict import verdict
except ImportError:
    @dataclass(frozen=True)
    class V:
        sentence: str; cause: str; level: str; notes: tuple = ()
    def verdict(i):
        n = i.nodes[i.bottleneck]
        return V(f"Loses {i.eic:.1f} of your digits at `{n.text}`", "The two terms cancel.", "bad")
try:
    from pages.ui.coloured import coloured_latex, coloured_tex
except ImportError:
    from eic_core.formula.rendering import to_latex
    def coloured_latex(i, *, selected=None, dark=False): return to_latex(i.formula)
    def coloured_tex(i): return to_latex(i.formula)
try:
    from pages.ui.downloads import json_text, nodes_csv, python_snippet
except ImportError:
    import json
    def json_text(i): return json.dumps(i.to_json())
    def nodes_csv(i): return "id"
    def python_snippet(i): return "pass"
try:
    from pages.ui.figures.data import curve_figure, surface_figure, slice_figure, residual_figure
except ImportError:
    import plotly.graph_objects as go
    def curve_figure(*a, **k): return go.Figure(layout={"height": 400})
    surface_figure = slice_figure = residual_figure = curve_figure
