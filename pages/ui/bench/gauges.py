"""Three gauges: sensitivity, writing, measured."""

from __future__ import annotations

from pages.ui.kit.inspector_service import InspectionResult


def gauges_html(result: InspectionResult, writing: object = None) -> str:
    return f'<div style="height:88px;width:330px;border:1px dashed gray">{result.inspection.eic:.2f}</div>'
