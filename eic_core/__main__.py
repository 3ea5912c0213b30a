"""`python -m eic_core`: see `eic_core.cli`."""

import signal
import sys

if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules load: see main
    from eic_core.cli import main

    sys.exit(main(program="python -m eic_core"))
