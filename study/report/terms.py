"""Explains the statistical words of a report to readers without a course in statistics."""

from __future__ import annotations

EIC = (
    "EIC, the Effective Information Criterion, says how many significant digits are lost because "
    "of the way a formula is written. Lower is better."
)
RATE = "Votes for the formula of lower EIC, out of all votes that decide for one of the two."
INTERVAL = (
    "The shares that fit these votes: of many such studies, that percentage would have an interval "
    "that holds the true share."
)
P_VALUE = (
    "If people preferred neither formula: how often chance alone would bring a result as clear as "
    "this one."
)
ONE_SIDED = P_VALUE + " One-sided: only results in favour of the lower EIC count as clear."
EFFECTIVE_VOTES = "As many independent votes would give the same precision."
WILSON = "Wilson's interval (1927), exact enough for any count; takes all votes as independent."
BINOMIAL = (
    "The chance of at least as many votes for the lower EIC if each vote were the toss of a coin, "
    "all tosses independent."
)
TIE = "“Cannot decide”: a vote for neither."
ACTIVE = (
    "From the first picture of a ballot to the press, by the rater's own browser while the page "
    "was visible; else by the server's clock, without the time in which the rater was away."
)
ATTENTION = "Ballots that tell the rater which formula to choose, or where one is plainly wrong."
HASH = (
    "A fingerprint of everything that was fixed before the first vote. Two reports with one hash "
    "are of one study."
)
ESTIMAND = (
    "What the interval is about: problems like these, other pairs of these same problems, or the "
    "pairs of this study alone."
)
PROMPT = (
    "A fingerprint of the words around the pairs. Two runs with one fingerprint were asked the "
    "same question."
)
CHAIN = (
    "Every vote is sealed when it is cast, and each seal holds the one before it: the same link as "
    "in the audit trail, the same votes."
)
