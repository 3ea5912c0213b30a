"""Why a formula loses its digits, in words."""

from eic_core.explain.verdict import LEVELS, Verdict, verdict

__all__ = ["LEVELS", "Verdict", "verdict"]
