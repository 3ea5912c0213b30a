"""`python -m eic_core`: see `eic_core.cli`."""

import sys

from eic_core.cli import main

if __name__ == "__main__":
    sys.exit(main(program="python -m eic_core"))
