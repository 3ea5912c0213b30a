"""The texts around the pictures of *About*."""

WHAT = (
    "Every operation on a computer rounds its result, in double precision in about the sixteenth "
    "digit. Some formulas magnify these errors on their way to the result. Give every node of a "
    "formula's tree a small relative error of its own; then the mean square error of node k, in "
    "units of one rounding, is s² = 1 + Σ κ²·s², summed over its operands, where κ says by how "
    "many per cent the node changes when an operand changes by one. The **Effective Information "
    "Criterion** is the base-10 logarithm of the largest of these, its mean taken over the data: "
    "the digits by which errors grow up to the worst step."
)

QUANTITIES = """\
Three quantities are easily taken for one another. Each has its own word, here and everywhere:

- **Sensitivity**: the digits by which errors of inputs, constants and steps grow up to the
  result. `sqrt(1-x)` near x = 1 is *sensitive*: where x is known to 7 digits, the result keeps
  fewer. The badge goes by it, at nine in ten rows: below 1 digit stable, to 2 sensitive, above
  very sensitive; within 0.2 digits of a limit it says *borderline*.
- **Function or writing**: what any way of writing suffers from the errors of its inputs, and what
  this writing adds. Only the second can be mended.
- **Measured**: what a program really *loses*. It gets the nearest double of each cell, and its
  result is held to the exact value at that number. `sqrt(1-x)` near 1 is *computed right*: there
  is nothing to rewrite.

EIC is the sensitivity of the worst step, as a mean over the data; the result may hide that step.
"""

NOT_EIC = """\
- **Not accuracy.** A formula can fit perfectly while its EIC is ten digits, or have an EIC
  of 0 and be wrong.
- **Not length.** `sin(sin(cot(x)))` has four nodes, and its EIC is more than two digits.
- **Not a property of the function.** Write it otherwise, and EIC changes.
- **Not the error of your program.** There an input that stands twice is wrong by the same both
  times; EIC gives each place a noise of its own. The inspector shows both numbers, by name.
- **Not a verdict on its own.** It is measured on data; on other data it is another number.
"""

EXPONENTS = (
    "One thing is a matter of choice: whether the 4 of `x**4` has noise. Here it has none: a whole "
    "or half exponent that is written as a number belongs to its operator, `x**4` has two nodes, "
    "and with x from 1 to 5 its EIC is 0.62 digits. The paper's program nd2py does so for "
    "squares and cubes alone; any other exponent is an operand with noise of its own: three nodes, "
    "0.78 digits. *Exponents* beside the notation, and `--exponents noisy`, measure in that way; a "
    "negative base then has no power. Roots are exact in both. Links, files and reports keep the "
    "choice."
)

LEAVES = (
    "Nothing. Formulas and tables that you enter are computed on the server that shows you this "
    "page, are kept in its memory while your tab is open, and are sent nowhere else. No fonts, "
    "scripts or pictures come from other places, and no use is counted."
)

CITE = (
    "Yu et al., *Beyond Accuracy and Complexity: The Effective Information Criterion for "
    "Structurally Stable Symbolic Regression*. With a number, say on which data, on how many rows "
    "and with which seed it was measured: *Copy link* keeps all of it, *Download* has the report."
)
