"""One inspection as one HTML page, with everything needed to reproduce it."""

from eic_core.report.findings import Answers, Findings, collect_findings, investigate
from eic_core.report.page import html_report, render
from eic_core.report.provenance import Provenance, command_line, python_snippet

__all__ = [
    "Answers",
    "Findings",
    "Provenance",
    "command_line",
    "collect_findings",
    "html_report",
    "investigate",
    "python_snippet",
    "render",
]
