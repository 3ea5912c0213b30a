"""Run every benchmark, each in a process of its own: `make bench`."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "engine",
    "hard",
    "exact",
    "badges",
    "pool",
    "population",
    "searching",
    "generating",
    "matching",
    "memory",
    "read_share",
    "rerun",
    "hand",
    "repairs",
)


def main() -> int:
    """Run them in turn; the exit status is that of the first that fails."""
    for name in MODULES:
        print(f"\n== {name} ==", flush=True)
        status = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False)
        if status.returncode:
            return status.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
