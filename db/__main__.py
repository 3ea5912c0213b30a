"""Runs the database's command line, `python -m db`."""

import sys

from db.commands import main

sys.exit(main())
