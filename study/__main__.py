"""`python -m study`: see `study.cli`."""

import sys

from study.cli import main

if __name__ == "__main__":
    sys.exit(main())
