"""The texts around the pictures of *About*."""

WHAT = r"""
Every operation on a computer rounds its result, in double precision in about the sixteenth digit.
Some formulas magnify these errors on their way to the result. Give every node of a formula's tree
a small relative error of its own. In one row of the data, the mean square error of node $k$, in
units of one rounding, is then

$$
s_k^2 = 1 + \sum_i \kappa_{ki}^2\, s_i^2
$$

The sum is over the operands $i$ of the node. The condition number $\kappa_{ki}$ says by how many
per cent the node changes when that operand changes by one. Each row has an $s_k$ of its own;
$\bar s_k$ is their root mean square over all $N$ rows. The **Effective Information Criterion** is
taken at the node where it is largest:

$$
\bar s_k = \sqrt{\frac{1}{N} \sum_{\text{rows}} s_k^2}
$$

$$
\text{EIC} = \max_k\, \log_{10} \bar s_k
$$

EIC is the number of digits by which errors grow up to the worst step.
"""

QUANTITIES = r"""
Three quantities are easily taken for one another. Each has its own word, here and everywhere:

- **Sensitivity**: the digits by which errors of inputs, constants and steps grow up to the
  result. $\sqrt{1-x}$ near $x = 1$ is *sensitive*: where $x$ is known to 7 digits, the result has
  fewer. The badge shows the sensitivity at nine in ten rows: *stable* below 1 digit, *sensitive* up
  to 2, *very sensitive* above; within 0.2 digits of a limit it also says *borderline*.
- **Function or writing**: the part that errors of the inputs cost in any way of writing, and the
  part that this writing adds. Only the second can be mended.
- **Measured**: what a program really *loses*. It gets the nearest double of each cell, and its
  result is compared with the exact value at that number. $\sqrt{1-x}$ near 1 is *computed right*:
  there is nothing to rewrite.

EIC is the sensitivity at the worst step, from a mean over the data; the result may hide that step.
"""

NOT_EIC = r"""
- **Not accuracy.** A formula can fit perfectly while its EIC is ten digits, or have an EIC
  of 0 and be wrong.
- **Not length.** $\sin(\sin(\cot x))$ has four nodes, and its EIC is more than two digits.
- **Not a property of the function.** Another way to write it has another EIC.
- **Not the error of your program.** An input that stands twice in a formula has one error in a
  program; EIC gives each place an error of its own. The inspector shows both numbers, by name.
- **Not a verdict on its own.** It is measured on data; on other data it is another number.
"""

EXPONENTS = r"""
Has the 4 of $x^4$ an error of its own? That is a choice.

- **Exact**, the default: a whole or half exponent that is written as a number belongs to its
  operator and has no error. $x^4$ has two nodes, and for $x$ from 1 to 5 its EIC is 0.62 digits.
- **Noisy**, as in the paper's program nd2py: any exponent but 2 and 3 is an operand with an error
  of its own. $x^4$ has three nodes, its EIC is 0.78 digits, and a negative $x$ has no value.

Roots are exact in both. *Exponents* beside the notation and `--exponents noisy` make the choice;
links, files and reports keep it.
"""

LEAVES = (
    "Nothing. The server that shows you this page computes what you enter, keeps it in memory "
    "while your tab is open, and sends it nowhere else. No fonts, scripts or pictures "
    "come from other places, and no use is counted."
)

CITE = (
    "Yu et al., *Beyond Accuracy and Complexity: The Effective Information Criterion for "
    "Structurally Stable Symbolic Regression*. Beside a number, state the data, the number of rows "
    "and the seed: *Copy link* keeps all of them, *Download* has the report."
)
