"""Hover texts: the terms of the pages in plain language."""

from eic_core.formula.tree import Exponents

WHAT_IS_EIC = (
    "Every operation on a computer rounds its result. The **Effective Information Criterion** "
    "asks how much a formula, written just this way, magnifies those tiny errors: each node of "
    "its tree is given an independent relative error, and EIC is the base-10 logarithm of how "
    "many times larger the error is at the worst node. In short: **by how many digits errors "
    "grow**. Physical laws usually stay near 1; formulas that cancel large terms, or take a sine "
    "of something huge, have many more. What a program really loses is measured beside it."
)

EIC = (
    "Effective Information Criterion: the digits by which errors grow up to the worst node, "
    "whether or not they reach the result; log10 of the mean error amplification there. 0 to 1 is "
    "typical of physical laws; the paper filters out formulas above 2."
)
LOCAL_EIC = (
    "Local EIC of this step: the digits by which errors grow up to and including it, if every "
    "node has a noise of its own. It is log10 of the mean error amplification there."
)
RESULT = (
    "Result, independent noise: the digits by which errors grow up to the result when every node "
    "has a noise of its own. If EIC is large and this number small, the result hides a bad step "
    "on the way. Double precision has about 16 digits, single precision about 7. With noise that "
    "is shared by all copies of an input the number may differ: see the line with all three."
)
SENSITIVITY = (
    "The digits by which errors of inputs, constants and steps grow up to the result: at half of "
    "the rows, at nine in ten, and at the worst. The badge goes by nine in ten: stable below 1 "
    "digit, sensitive up to 2, very sensitive above. Part of it may be the function's own: no "
    "writing cures that."
)
MEASURED = (
    "What a double-precision program really loses. It gets the nearest double of each cell, and "
    "its result is compared with the exact value at that number. In digits, at half of the rows, "
    "at nine in ten, and at the worst. Computed right: less than one digit at nine in ten rows."
)
WRITING = (
    "The digits that this way of writing adds to what the function itself costs in any program: a"
    " better form saves them."
)
NO_VALUE = (
    "The share of the rows at which a program has no value: there is no real value, double "
    "precision cannot hold or reach it, or it could not be determined. A row with a real value "
    "but no double counts as losing all digits; the other rows count in no number of digits."
)
NOISE_FIGURE = "EIC in decibels, as engineers state a noise figure: 20 × EIC."
WORST_STEP = (
    "The node up to which errors grow most. Click to select it in the tree, the table and the "
    "plots."
)
ORIGIN = "More of the worst step's digits arise at this node than at any other. Click to select it."
COMPLEXITY = "Number of nodes of the tree. Exact exponents such as ² belong to their operator."
EXPONENT_CHOICES: dict[Exponents, str] = {"exact": "Exact", "noisy": "Noisy"}
EXPONENTS = (
    "**Exact**: a literal exponent such as the 4 of x⁴, or ½, belongs to its operator: x⁴ has two"
    " nodes, and the 4 has no noise. **Noisy**: every exponent but 2 and 3 is an operand with "
    "noise of its own, as in the paper's program nd2py: x⁴ has three nodes, a larger EIC, and no "
    "value where x is negative. Roots such as sqrt are exact in both."
)
VALID = (
    "Samples at which every part of the formula has a real value. The others (log of a negative "
    "number, division by zero) are left out and counted here."
)
LOOK_FURTHER = (
    "Computes everything again with four times the effort: it may take four times as long."
)
NOT_CHECKED = (
    "Samples that double precision cannot decide, and that the exact check did not reach within "
    "its limit. They may well have a value; they count in no number and are not drawn."
)
SINGULAR = (
    "Valid samples at which the amplification is infinite, for instance log(x) at exactly x = 1, "
    "where the result is 0 and no relative digit survives."
)
RECHECKED = (
    "Samples where double precision over- or underflows, or keeps fewer than three digits. They "
    "were computed again exactly, with as many digits as each needs."
)
EVALUATED = (
    "Valid samples at which the node is evaluated: those that take its branch of a condition. The"
    " node's means are over these."
)
FINITE = (
    "The EIC over the samples at which it is finite. Where a node is singular, such as log(x) at "
    "exactly x = 1, a single sample makes the EIC infinite; this number leaves such samples out."
)
QUANTILES = (
    "The digits by which errors grow up to the named node (log10 of s), sample by sample. Half of"
    " the samples have less than the first number, nine in ten less than the second, 99 in a "
    "hundred less than the third. Local EIC is of the mean instead."
)
TOP_SHARE = (
    "How much of the mean comes from the worst 1 % of the samples. Near 100 %, a few samples "
    "decide the EIC."
)
SETTLED = (
    "Whether the mean is settled at this number of samples. Where a sum or a difference crosses "
    "zero inside the domain, or a function has a pole there, its mean does not exist and its EIC "
    "keeps growing with more samples. If that happens at another node than the one of the other "
    "numbers, it is named."
)
S_BAR = "Root mean square over the samples of how many times the node magnifies rounding errors."
R2 = "R²: the share of the target's variance that the formula explains on these rows."
CORRELATED = (
    "Result, shared noise: the digits by which errors grow up to the result when all copies of an "
    "input or a sub-expression share one rounding, as in a program."
)
OBSERVED = (
    "Measured: the error of really computing the formula in this precision, compared with the "
    "exact value at the inputs as that precision holds them. In digits above one rounding: 0 is "
    "as good as the precision allows."
)
FRONT_DIGITS = (
    "The digits that a program loses with this form: at the typical row, at nine in ten rows, and"
    " at the worst row. A form is listed if no cheaper one keeps as many digits in the mean; the "
    "formula as written is listed for comparison."
)
APPROXIMATION = (
    "Another function, close to this formula where it is used. In at least one branch a series "
    "replaces a part of the formula. The largest relative difference that it makes is proved in "
    "interval arithmetic for all inputs of the region."
)
KINDS = (
    "Branches: forms that compute one expression in one region and another elsewhere; both equal "
    "the formula. Approximations: a series near a point, within a proved bound of the formula. "
    "Switch one off to see the best form without it; nothing is searched again."
)
ERROR_CURVES = (
    "Digits that a double-precision program loses at each measured row, compared with the exact "
    "value at its inputs. A line is the mean of neighbouring rows. Shaded regions are the "
    "branches, dashed lines the thresholds between them."
)
NANOSECONDS = (
    "The time of one evaluation, added up from the form's operators, each measured on one machine"
    " (x86-64, gcc and glibc): in NumPy for each element of an array, and in C. Other machines "
    "differ; compare the ratios."
)
AMPLIFIED_NOISE = (
    "Every operation rounds its result. In one row, s says how many times larger than one "
    "rounding the error at this node has become. The amplified noise is s² summed over the rows. "
    "Its mean E[s²] makes the local EIC, ½·log10 E[s²], so rows with a large share decide it."
)
BOOTSTRAP = (
    "Bootstrap interval: the rows are drawn again and again, with repetition, and the local EIC "
    "is computed each time; 95 % of the answers lie between the two numbers. Trust it only where "
    "no few rows outweigh all others, that is where s² has a finite variance (tail index above "
    "2)."
)
ROW = "Number of the row in the table, or of the sample in the order drawn; the first is 1."
VALUE_HERE = "Value of the selected node in this row."
S_ROW = "How many times the selected node magnifies rounding errors in this row."
DIGITS_ROW = (
    "The digits by which errors grow up to the selected node in this row: log10 of s. Its local "
    "EIC is of the mean over all rows."
)
OWN = (
    "The function's own conditioning: ½·log10 of the mean of 1 + Σ (x ∂f/∂x / f)², with exact "
    "constants. It is the same for every way of writing the function."
)
CONDITION = (
    "The condition number |x ∂f/∂x / f|: by what factor a small relative error of this input "
    "arrives in the result. Root mean square over the samples."
)
DEVIATION = (
    "How far the output may move on the data when numbers are rounded: root mean square of the "
    "change, relative to the standard deviation (the spread) of the output, or of the target if "
    "there is one. If the output is constant up to rounding, its size replaces the spread; if it "
    "is 0, the largest intermediate value does."
)
ALONE = "Digits that are enough if nothing else is rounded."
TOGETHER = "Digits that are enough if every constant and every input is rounded at once."
INTRODUCED = "Introduced: the rounding of the node itself; at a number, the error of that number."
INHERITED = "Inherited: noise that arises in the nodes below and is handed up, amplified or damped."
MASKED = (
    "Masked: the local EIC of the node is larger than the result's by a digit or more, yet less "
    "than 1 % of the result's noise arises there. The result hides it."
)
SHARE = (
    "The part of the mean of s² that is introduced at this node; all parts add up to 100 %. One "
    "sample with an enormous s² can decide it."
)
MEAN_SHARE = (
    "The same split at every sample, then averaged. Every sample counts alike, so no single one "
    "can dominate."
)
GAIN = "How many times an error introduced at this node is amplified: root mean square."
LARGEST_GAIN = (
    "How many times an error introduced at this node is amplified, at the sample where that is "
    "most."
)
AMPLIFIER = "The step between this node and the result that amplifies its error most."
PREDICTED = (
    "Local EIC of the step, independent noise: the prediction of Algorithm 1 of the paper, from "
    "how each step passes errors on, if every step has an error of its own. Samples at which no "
    "digit is left are not counted."
)
TRIALS = (
    "Local EIC as trials find it (Algorithm 2 of the paper). The formula is run 100 times a "
    "sample, with a random error of relative size σ at every step. The spread of its value is "
    "measured, with a 95 % interval. With smaller errors it should settle at the prediction."
)
SHARED_NOISE = (
    "Local EIC of the step, shared noise: the prediction if all copies of an input or a "
    "sub-expression have the same error, as in a computer."
)
AGREEMENT = (
    "✓ agrees: all ways give the same. ◆ explained: they differ or cannot be compared, for a "
    "reason that was checked. ? unclear: they differ, and no reason was found."
)

CAUSE = (
    "Why: the cause of the finding that matters most for this formula, such as a cancellation or "
    "a large argument; empty where all is well."
)
