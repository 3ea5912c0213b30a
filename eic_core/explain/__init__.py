"""Why a formula loses its digits: facts, and the phrases that say them."""

from eic_core.explain.judgement import Level
from eic_core.explain.verdict import Verdict, verdict

__all__ = ["Level", "Verdict", "verdict"]
