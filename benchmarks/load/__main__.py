"""Run the parts: `python -m benchmarks.load [PART …]`; without any, all in turn, as `make load`.

What follows one part's name goes to it: `python -m benchmarks.load ballots --raters 10`.
"""

from __future__ import annotations

import importlib
import sys

PARTS = {
    "ballots": "benchmarks.load.ballots",
    "slow_phone": "benchmarks.load.slow_phone",
    "visitors": "benchmarks.load.visitors",
    "visits": "benchmarks.load.visits",
}
"""Parts and their modules; each has ``main(arguments)``, which returns an exit status."""


def main(arguments: list[str]) -> int:
    """Run one part with its arguments, or all; the first status that is not 0."""
    named = arguments[:1] if arguments and arguments[0] in PARTS else list(PARTS)
    rest = arguments[1:] if arguments[:1] == named else arguments
    for part in named:
        print(f"== {part} ==", flush=True)
        status: int = importlib.import_module(PARTS[part]).main(rest)
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
