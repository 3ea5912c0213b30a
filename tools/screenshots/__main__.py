"""Photograph the pages: `python -m tools.screenshots FOLDER [--of PAGE …] [--only NAME …]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.screenshots import (
    compare,
    gallery,
    gap,
    inspector,
    organising,
    rating,
    results,
    unfinished,
)
from tools.screenshots.album import album

PAGES = {
    "inspector": inspector.photograph,
    "gallery": gallery.photograph,
    "compare": compare.photograph,
    "gap": gap.photograph,
    "unfinished": unfinished.photograph,
    "organising": organising.photograph,
    "rating": rating.photograph,
    "results": results.photograph,
    "readme": gallery.photograph_for_readme,
}
"""Who takes pictures of what; the last takes the one in `docs`, and only where it is named."""


def main() -> None:
    """Take the pictures that the command asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--of", nargs="+", choices=PAGES, default=[*PAGES][:-1], help="all")
    parser.add_argument("--only", nargs="+", default=[], help="how the pictures' names begin")
    asked = parser.parse_args()
    with album(asked.folder, tuple(asked.only)) as pictures:
        for page in asked.of:
            PAGES[page](pictures)


if __name__ == "__main__":
    main()
