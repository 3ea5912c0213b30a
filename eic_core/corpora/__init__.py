"""Corpora: laws and equations that people wrote, with the ranges they are sampled from."""

from eic_core.corpora.laws import NAMES, RULES, Corpus, Law, load

__all__ = ["NAMES", "RULES", "Corpus", "Law", "load"]
