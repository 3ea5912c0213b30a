"""A formula as a whole source file of C."""

from __future__ import annotations

from eic_core.errors import require
from eic_core.formula.copying import Writer
from eic_core.formula.tree import Formula
from eic_core.operators.dialects import C_DIALECT

_CONSTANTS = {
    name: f"#ifndef {name}\n#define {name} {digits}\n#endif\n"
    for name, digits in (("M_PI", "3.14159265358979323846"), ("M_E", "2.7182818284590452354"))
}
"""What C99 lacks, and compilers mostly have."""


def to_c(formula: Formula, name: str = "f") -> str:
    """A C function of the formula's variables, with what it needs before it: C99 and `math.h`.

    Values may differ from NumPy's in the last digit.

    Parameters
    ----------
    formula
        Its variables are the arguments, in the order of `Formula.variables`; a name that C reserves
        is changed.
    name
        The name of the function.

    Returns
    -------
    str
        A whole source file; operators added at run time are functions that the reader supplies.

    Examples
    --------

    >>> from eic_core.formula.syntax import read
    >>> print(to_c(read("-x**2/3 + where(x > y, x, 2)").formula))
    #include <math.h>
    <BLANKLINE>
    double f(double x, double y)
    {
        return -pow(x, 2)/3. + (x > y ? x : 2.);
    }
    <BLANKLINE>
    """
    require(formula, Formula)
    writer = Writer(formula, C_DIALECT, supplied=True)
    arguments = ", ".join(f"double {each}" for each in writer.names.values()) or "void"
    value = writer.text()
    helpers = dict.fromkeys(text for each in writer.used.values() for text in each.helpers)
    texts = "".join((*helpers, value))
    lines = [
        "#include <math.h>",
        "",
        *(text for name, text in _CONSTANTS.items() if name in texts),
        *(f"static {text}\n" for text in helpers),
        f"double {name}({arguments})",
        "{",
        f"    return {value};",
        "}",
        "",
    ]
    return "\n".join(lines)
