"""The pages' signs in the browser's tab, as SVG: an icon's name would be fetched from elsewhere.

One drawing serves light and dark browsers: its colour stands out on both.
"""

from __future__ import annotations


def _icon(shapes: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="64" height="64" '
        'fill="none" stroke="#3f7be0" stroke-width="2" stroke-linecap="round" '
        f'stroke-linejoin="round">{shapes}</svg>'
    )


LENS = _icon(
    '<circle cx="10" cy="10" r="7"/><path d="M15.2 15.2 21 21"/>'
    '<path d="M5.5 10.5h2l1.5-3 2 5.5 1.5-2.5h2"/>'
)
"""A magnifying glass over a trace: the inspector, Compare and Organise."""

BALLOT = _icon(
    '<rect x="3" y="3" width="18" height="18" rx="2"/><path d="m6 8 1.3 1.3L9.6 7M13 8h5"/>'
    '<rect x="6" y="14" width="3.2" height="3.2" rx=".6"/><path d="M13 15.6h5"/>'
)
"""A ballot: the volunteer's page."""
