"""One row of the blame ledger."""

from __future__ import annotations

from dataclasses import dataclass

HIDDEN_BY = 1.0
"""Digits by which a masked node's local EIC exceeds the target's, at least."""

HIDDEN_SHARE = 0.01
"""What a masked node's noise makes of the target's, at most."""


@dataclass(frozen=True)
class LedgerRow:
    """One node's part in the target's amplification.

    Attributes
    ----------
    node_id : int
    text : str
        What the noise is, in words.
    share : float
        sum_x G^2 / sum_x s_t^2 over the samples with finite s_t: the part of E[s_t^2]
        introduced here, 0 to 1.
    mean_share : float
        Mean of G^2 / s_t^2 over the same samples; one sample cannot dominate it.
    through : float
        What comes to the target through this node, from it and all below: 0 to 1.
    largest : float
        Largest |G| there.
    gain : float
        Root mean square of G: how many times this node's noise is amplified.
    amplifier : int
        The node on the way to the target that multiplies it most.
    masked : bool
        Whether this node loses at least `HIDDEN_BY` digits more than the target and yet
        its share is below `HIDDEN_SHARE`.
    """

    node_id: int
    text: str
    share: float
    mean_share: float
    through: float
    largest: float
    gain: float
    amplifier: int
    masked: bool

    @property
    def inherited(self) -> float:
        """What comes through this node from the nodes below it: 0 to 1."""
        return max(0.0, self.through - self.share)
