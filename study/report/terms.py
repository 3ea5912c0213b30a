"""Explains the statistical words of a report to readers without a course in statistics."""

from __future__ import annotations

EIC = (
    "EIC, the Effective Information Criterion, says how many significant digits are lost because "
    "of the way a formula is written. Lower is better."
)
RATE = "Votes for the formula of lower EIC, out of all votes that decide for one of the two."
INTERVAL = (
    "The shares that fit these votes. If the study were repeated many times, intervals made this "
    "way would hold the true share in that percentage of the repetitions."
)


def p_if(null: str) -> str:
    """What a p value is, with the null hypothesis of its own test.

    >>> p_if("the side made no difference")
    'If the side made no difference: how often chance alone would still bring a result as clear as
    this one. Small means hard to put down to chance.'
    """
    return (
        f"If {null}: how often chance alone would still bring a result as clear as this one. Small "
        "means hard to put down to chance."
    )


P_VALUE = p_if("people preferred neither formula, half of such votes for either")
ONE_SIDED = P_VALUE + " One-sided: only results in favour of the lower EIC count as clear."
P_ATTENTION = p_if("raters who failed a check preferred the lower EIC as often as the others")
P_SIDES = p_if("left and right were chosen alike")
P_ONE_SIDED_RATERS = p_if("every rater chose each side by what stood there")
P_BALLOTS = p_if("the preference did not change from the first ballot to the last")
P_SCREENS = p_if("the preference were the same on every width of window")
P_PROBLEMS = p_if("problems differed only as their pairs do")
DESIGN_EFFECT = (
    "How many times larger the variance is than if all votes were independent. Votes on one pair "
    "resemble each other, and so do votes of one person."
)
EFFECTIVE_VOTES = "As many independent votes would give the same precision."
CLUSTERS = (
    "Groups of votes that resemble each other. The uncertainty is computed from the differences "
    "between groups, not between single votes."
)
BOOTSTRAP = (
    "The pairs are drawn again at random, with all their votes, thousands of times; the interval "
    "holds the middle of the shares that come out. A check by another route."
)
TWO_WAY_BOOTSTRAP = "The same with raters drawn again as well (Owen, 2007); on the cautious side."
MIXED = (
    "A check by another route that supposes more: effects of raters, of pairs and of problems that "
    "are normal on the log odds. Its share is that of a typical rater, so further from one half "
    "than the share of all votes."
)
WILSON = "Wilson's interval (1927), exact enough for any count; takes all votes as independent."
CLOPPER_PEARSON = (
    "The interval of Clopper and Pearson (1934), never too short for independent votes; takes all "
    "votes as independent."
)
BINOMIAL = (
    "The chance of at least as many votes for the lower EIC if each vote were the toss of a coin, "
    "all tosses independent."
)
RAW_AGREEMENT = "How often two people who rated one pair chose the same formula."
FLEISS = (
    "Fleiss' kappa: agreement beyond what chance would give; 0 is chance, 1 is complete. It comes "
    "out low when nearly all votes are for one side, however much people agree."
)
KRIPPENDORFF = (
    "Krippendorff's alpha: as Fleiss' kappa, corrected for few votes; pairs count by their votes."
)
GWET = (
    "Gwet's AC1: agreement beyond chance, with a model of chance that does not collapse when "
    "nearly all votes are for one side."
)
TIE = "“Cannot decide”: a vote for neither."
ACTIVE = (
    "From the first picture of the ballot to the press, by the clock of the rater's own browser "
    "and only while the page was visible. Where no browser told, by the server's clock, without "
    "the time in which the rater was away."
)
ATTENTION = "Ballots that tell the rater which formula to choose, or where one is plainly wrong."
PREFERENCE = "Votes for the lower EIC, votes for the higher EIC, and ties."
HASH = (
    "A fingerprint of everything that was fixed before the first vote. Two reports with one hash "
    "are of one study."
)
SEED = "Where the random draws begin: the same seed gives the same numbers."
ESTIMAND = (
    "What the interval is about: problems like these, other pairs of these same problems, or the "
    "pairs of this study alone."
)
PROMPT = (
    "A fingerprint of the words around the pairs. Two runs with one fingerprint were asked the "
    "same question."
)
CHAIN = (
    "Every vote is sealed when it is cast, and each seal holds the one before it. The same link as "
    "in the audit trail of the day on which the study was closed: the same votes."
)
