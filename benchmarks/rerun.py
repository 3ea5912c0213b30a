"""How long one rerun of the inspector takes on the server.

Runs the real page, without a browser, on a formula of about 30 nodes and
10,000 samples, and does what a visitor does: selects nodes, pastes formulas,
changes a range.  The time ends when the page stands; the sentences of the
diagnosis come after it, and the next thing is done when they have come.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "pages" / "ui" / "shell.py"

FORMULA = (
    "log(x0**2 + {c}) * (10000*x1 - 9999*x1) + sin(x0*x1 + 0.5) / (1 + exp(-x0)) "
    "- sqrt(x0 + 1) + cos(x1)"
)


def measure(repeats: int = 30) -> dict[str, list[float]]:
    """Seconds of each rerun, by what was done."""
    from streamlit.testing.v1 import AppTest

    from pages.ui.inspector import headline as summary

    summary.WAIT = summary.YIELD = 0.0
    page = AppTest.from_file(str(SCRIPT), default_timeout=60)
    page.query_params["formula"] = FORMULA.format(c=1)
    page.query_params["samples"] = "10000"
    page.run()
    _check(page)
    seconds: dict[str, list[float]] = {
        "select a node": [],
        "paste a formula": [],
        "set a range": [],
    }

    def timed(name: str) -> None:
        started = time.perf_counter()
        page.run()
        seconds[name].append(time.perf_counter() - started)
        _check(page)
        page.session_state["visit"].summary_job.wait(60)

    for i in range(repeats):
        page.query_params["node"] = str(i % 25)
        timed("select a node")
        page.text_area(key="formula_text").set_value(FORMULA.format(c=i + 2))
        timed("paste a formula")
        page.number_input(key="high:x0").set_value(6.0 + i)
        timed("set a range")
    return seconds


def _check(page: object) -> None:
    exceptions = getattr(page, "exception", ())
    if exceptions:
        raise RuntimeError(f"the page failed: {exceptions[0].value}")


def main() -> None:
    """Print p50 and p95 of every kind of rerun, and of all together."""
    from eic_core.formula.syntax import read

    nodes = read(FORMULA.format(c=1)).formula.complexity
    print(f"one rerun of the page, {nodes} nodes, 10,000 samples")
    measured = measure()
    everything = [s for values in measured.values() for s in values]
    for name, values in [*measured.items(), ("all", everything)]:
        cuts = statistics.quantiles(values, n=20)
        print(f"  {name:16} p50 {1e3 * cuts[9]:6.0f} ms   p95 {1e3 * cuts[18]:6.0f} ms")
    cuts = statistics.quantiles(everything, n=20)
    verdict = "met" if cuts[9] < 0.150 and cuts[18] < 0.400 else "MISSED"
    print(f"  target: p50 < 150 ms, p95 < 400 ms: {verdict}")


if __name__ == "__main__":
    main()
