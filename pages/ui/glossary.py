"""What the page's words mean, in plain language, for its hover texts."""

WHAT_IS_EIC = (
    "Every operation on a computer rounds its result. The **Effective Information Criterion** "
    "asks how much a formula, written just this way, magnifies those tiny errors: each node of "
    "its tree is given an independent relative error, and EIC is the base-10 logarithm of how "
    "many times larger the error is at the worst node. In short: **how many significant digits "
    "the writing loses**. Physical laws usually stay near 1; formulas that cancel large terms, "
    "or take a sine of something huge, lose many more."
)

EIC = (
    "Effective Information Criterion: log10 of the mean error amplification at the worst node. "
    "0 to 1 is typical of physical laws; the paper filters out formulas above 2."
)
DIGITS = (
    "Significant digits that are gone at the worst node. Double precision has about 16, single "
    "precision about 7."
)
NOISE_FIGURE = "The same loss as engineers quote it: 20 × EIC, in decibels."
BOTTLENECK = (
    "The node at which most digits have been lost. Click to select it in the tree, the table and "
    "the plots."
)
ORIGIN = (
    "The bottleneck adds little of its own: most of its loss comes up from this node. Click to "
    "select it."
)
COMPLEXITY = "Number of nodes of the tree. Exact exponents such as ² belong to their operator."
VALID = (
    "Samples at which every part of the formula has a real value. The others (log of a negative "
    "number, division by zero) are left out and counted here."
)
SINGULAR = (
    "Valid samples at which the amplification is infinite, for instance log(x) at exactly x = 1, "
    "where the result is 0 and no relative digit survives."
)
RECHECKED = (
    "Samples where double precision over- or underflows, or keeps fewer than three digits: they "
    "were computed again with 60 digits."
)
FINITE = "EIC without the samples at which a node is singular."
QUANTILES = (
    "Digits lost by the samples: half of them lose less than the first number, nine in ten less "
    "than the second, 99 in a hundred less than the third."
)
TOP_SHARE = (
    "How much of the mean comes from the worst 1 % of the samples. Near 100 %, a few samples "
    "decide the EIC."
)
SETTLED = (
    "Whether the mean is settled at this number of samples. If part of the formula crosses zero "
    "inside the domain, the mean does not exist and EIC keeps growing with more samples."
)
S_BAR = "Root mean square over the samples of how many times the node magnifies rounding errors."
R2 = "R²: the share of the target's variance that the formula explains on these rows."
CORRELATED = (
    "Digits lost at the root when repeated inputs and repeated sub-results share their rounding: "
    "what the result itself loses, whatever happens on the way."
)
OBSERVED = (
    "Error of really computing the formula in this precision, against high precision, in digits "
    "above one rounding. 0 means as good as the format allows."
)
