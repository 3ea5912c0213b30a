"""Templates of the report's other findings: the digit budget, and the ways that agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Context, Decimal

import numpy as np

from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT
from eic_core.operators import OPERATORS
from tests.audit.exactly import mp
from tests.audit.page import Page
from tests.audit.printed import KINDS, about, percent, significant, whole
from tests.audit.sentences import Match, says, somewhere

# --- how many digits are needed ---

KINDS["part"] = rf"(?:{KINDS['pct']}|{KINDS['num']})"
KINDS["scale"] = (
    r"(?:its (?:spread|size)|the (?:spread|size) of the target|the largest value on the way)"
)


def _digits(label: str) -> int:
    """Significant digits as written, zeros at the end of a whole number not counted."""
    digits = Decimal(label).as_tuple().digits
    text = "".join(map(str, digits)).lstrip("0").rstrip("0")
    return max(1, len(text))


def _constants(p: Page, formula: object) -> list[str]:
    """Distinct decimal constants, without whole-number exactness rules."""
    return list(
        dict.fromkeys(
            n.label
            for n in formula  # type: ignore[attr-defined]
            if n.operator == CONSTANT and n.label not in ("pi", "e") and "/" not in n.label
        )
    )


def _reference(p: Page) -> np.ndarray:
    return p.truth.value(p.truth.root)


def _unit(p: Page, scale: str) -> float:
    """The spread of the target, or of the output; its size where it does not vary; of an output
    that is 0 the largest value of any node.
    """
    target = p.samples.target
    y = _reference(p)
    known = np.isfinite(y)
    scaled = (y if target is None else target)[known]
    if scale == "the largest value on the way":
        nodes = [p.truth.value(k)[known] for k in range(p.truth.root + 1)]
        return max(float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for v in nodes) or 1.0
    largest = float(np.max(np.abs(scaled))) or 1.0
    spread = largest * float(np.std(scaled / largest))
    return largest if "size" in scale else spread


def _of_what(p: Page, scale: str) -> Iterator[str]:
    """Whether the output varies, or is 0, as the words for its scale say."""
    y = _reference(p)
    y = y[np.isfinite(y)] if p.samples.target is None else p.samples.target
    largest = float(np.max(np.abs(y), initial=0.0))
    spread = float(np.std(y / (largest or 1.0)))
    if "way" in scale and largest:
        yield f"the output is not 0, but {largest:.3g}"
    if "spread" in scale and not spread:
        yield "it does not vary"
    s = p.truth.s(p.truth.root)
    loose = 8 * 2.0**-53 * float(np.max(s[np.isfinite(s)], initial=1.0))
    if "size" in scale and spread > (loose if p.samples.target is None else 0.0):
        yield f"it varies by {spread:.3g} of its size"
    if "size" in scale and not largest and p.samples.target is None:
        yield "it is 0"


def _moved(p: Page) -> float:
    """How far the shortened formula, run on shortened inputs, is from the formula (rms)."""
    assert p.budget is not None
    shortened = read(p.budget.text, columns=tuple(p.samples.columns)).formula
    given = {n.name: n.together for n in p.budget.needs if n.kind == "input"}
    columns = {}
    for name, column in p.samples.columns.items():
        context = Context(prec=given.get(name, 17))
        columns[name] = np.array([float(context.create_decimal(repr(float(x)))) for x in column])
    from eic_core.samples import Samples
    from tests.audit.oracle import Truth

    names = shortened.variables
    after = Truth(
        shortened, Samples.from_columns({v: columns[v] for v in names}, count=p.truth.count)
    )
    before = p.truth
    gaps = []
    with mp.workdps(60):
        for a, b in zip(before.rows, after.rows, strict=True):
            if a.bad is None and math.isfinite(float(a.y[-1])):
                if b.bad is not None:
                    return math.inf
                gaps.append(float(b.y[-1] - a.y[-1]))
    largest = float(np.max(np.abs(gaps), initial=0.0)) or 1.0
    return largest * math.sqrt(float(np.mean(np.square(np.array(gaps) / largest))))


def _within(p: Page, text: str, scale: str) -> Iterator[str]:
    yield from _of_what(p, scale)
    allowed = (percent(text) if text.endswith("%") else significant(text))[1]
    moved = _moved(p) / _unit(p, scale)
    if not moved <= allowed * (1 + 1e-6):
        yield f"the output moves by {moved:.3g}"


@says(
    "budget.beyond",
    "budget",
    "No number of digits up to 17 keeps the output within <within:any>: run with so many on "
    "<n:int> [[sample|samples]], it moves by <by:any> of its spread (rms).",
)
def _(p: Page, m: Match) -> Iterator[str]:
    cells = [
        len(text.strip("-0.").replace(".", ""))
        for column in p.samples.exact.values()
        for text in column.values()
    ]
    if not any(count > 17 for count in cells):
        yield "no cell has more than 17 digits"


@says("budget.nothing", "budget", "There is nothing to shorten: no decimal constant and no input.")
def _(p: Page, m: Match) -> Iterator[str]:
    if p.formula.variables:
        yield f"there are inputs: {p.formula.variables}"
    if _constants(p, p.formula.nodes):
        yield f"there are constants: {_constants(p, p.formula.nodes)}"


@says(
    "budget.constants",
    "budget",
    "<after:int> of the <before:int> digits of its constants [[keeps|keep]] the output within "
    "<t:part> of <scale:scale>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    assert p.budget is not None
    before = sum(_digits(c) for c in _constants(p, p.formula.nodes))
    if whole(m["before"]) != before:
        yield f"they have {before} digits"
    changed = dict(
        zip(
            [n.label for n in p.formula.nodes if n.operator == CONSTANT],
            [n.label for n in p.budget.formula.nodes if n.operator == CONSTANT],
            strict=True,
        )
    )
    after = sum(_digits(changed[c]) for c in _constants(p, p.formula.nodes))
    if whole(m["after"]) < after:
        yield f"the shortened ones have {after} digits"
    yield from _within(p, m["t"], m["scale"])


@says(
    "budget.constants_none",
    "budget",
    "No constant can be shortened if the output is to stay within <t:part> of <scale:scale>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not _constants(p, p.formula.nodes):
        yield "there is no constant"
    yield from _within(p, m["t"], m["scale"])


@says(
    "budget.together",
    "budget",
    "With the other numbers rounded, too, no constant is shortened: the output is to stay within "
    "<t:part> of <scale:scale>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if not _constants(p, p.formula.nodes):
        yield "there is no constant"
    yield from _within(p, m["t"], m["scale"])


@says("budget.many", "budget", "<c:code> needs <n:int> of its <of:int>.")
def _(p: Page, m: Match) -> Iterator[str]:
    label = m["c"].strip("`")
    if label not in _constants(p, p.formula.nodes) or _digits(label) != whole(m["of"]):
        yield "there is no such constant of so many digits"
    if not whole(m["n"]) < whole(m["of"]):
        yield "these are all"


@says("budget.last", "budget", "<c:code> needs <n:int>: the output hangs on its last digits.")
def _(p: Page, m: Match) -> Iterator[str]:
    label = m["c"].strip("`")
    if label not in _constants(p, p.formula.nodes):
        yield "there is no such constant"
        return
    if whole(m["n"]) != _digits(label):
        yield f"it has {_digits(label)}"


@says("budget.inputs", "budget", "Of the inputs it takes <needs:any>.")
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _inputs_named(p, m["needs"])


@says(
    "budget.inputs_alone",
    "budget",
    "To keep the output within <t:part> of <scale:scale> it takes <needs:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _inputs_named(p, m["needs"])
    yield from _within(p, m["t"], m["scale"])


def _inputs_named(p: Page, text: str) -> Iterator[str]:
    for n, code in re.findall(r"(\d+)(?: digits?)? of (`[^`]+`)", text):
        column = p.column(code)
        if column is None:
            yield f"there is no input {code}"
        elif int(n) > max(_digits(repr(float(x))) for x in column):
            yield f"{code} has fewer digits than {n}"


@says(
    "budget.moved",
    "budget",
    "All rounded together and run on <n:int> [[sample|samples]], the output [[moves by |does not "
    "move]]⟦<moved:part> of <scale:scale> (rms)⟧.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    count = int(np.isfinite(_reference(p)).sum())
    if whole(m["n"]) > count or (whole(m["n"]) != count and count <= 1000):
        yield f"{count} samples have a value"
    if m["moved"] is None:
        moved = _moved(p) / _unit(p, "its size")
        if moved > 1e-12:
            yield f"it moves by {moved:.3g}"
        return
    moved = _moved(p) / _unit(p, m["scale"])
    told = percent(m["moved"]) if m["moved"].endswith("%") else significant(m["moved"])
    if not about(told, moved, 0.05) and moved > 1e-11:
        yield f"it moves by {moved:.4g}"


@says(
    "budget.unranged",
    "budget",
    "the formula has no double-precision value on these samples⟦: <hint:any>⟧",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if np.isfinite(_reference(p)).any() or not p.truth.valid.any():
        yield "it has, or there is none at all"


@says("budget.none", "budget", "the formula has no finite value on these samples⟦: <hint:any>⟧")
def _(p: Page, m: Match) -> Iterator[str]:
    if np.isfinite(_reference(p)).any():
        yield "it has"


# --- four ways ---


def errors_of(p: Page, k: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Observed relative errors at a node in units of roundoff, and q there, at each valid row."""
    roundoff = {"float64": 2.0**-53, "float32": 2.0**-24}[kind]
    values = {"float64": p.truth.doubles, "float32": p.truth.singles}[kind][k]
    errors = np.full(p.truth.count, math.nan)
    with mp.workdps(60):
        for i, row in enumerate(p.truth.rows):
            if row.bad is None and row.y[k] and math.isfinite(values[i]):
                gap = (mp.mpf(float(values[i])) - row.y[k]) / (row.y[k] * roundoff)
                errors[i] = float(gap) if abs(gap) < 1e300 else math.inf
    gains = p.truth.gains(k)
    q2 = np.zeros(p.truth.count)
    below = p.truth.subtree(k)
    for group in p.truth.classes:
        members = [j for j in group if j in below]
        if members:
            q2 += np.square(gains[members].sum(axis=0))
    return errors, np.sqrt(q2)


def _agrees(p: Page, k: int) -> Iterator[str]:
    """Whether plain arithmetic errs by as much as shared noise says, where it is in proportion."""
    for kind, roundoff in (("float64", 2.0**-53), ("float32", 2.0**-24)):
        errors, q = errors_of(p, k, kind)
        usable = np.isfinite(errors) & np.isfinite(q) & (q * roundoff < 1e-3)
        if usable.sum() < 3:
            continue
        ratio = math.sqrt(float(np.mean(np.square(errors[usable] / q[usable]))))
        if ratio > 1.7:
            yield f"at node {k} {kind} errs {ratio:.2f} times what is expected"
        if ratio < 0.07 and p.formula.nodes[k].children:
            yield f"at node {k} {kind} errs only {ratio:.3f} times what is expected"


@says(
    "ways.agree",
    "ways",
    "At [[the only node|both nodes]]⟦<some:comparable>⟧ the prediction, trials with small "
    "errors, single and double precision agree.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _are_compared(p, 2 if "both" in m[0] else 1, m["some"])
    yield from _all_agree(p)


@says(
    "ways.all_agree",
    "ways",
    "At all <n:int> nodes⟦<some:comparable>⟧ the prediction, trials with small "
    "errors, single and double precision agree.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _are_compared(p, whole(m["n"]), m["some"])
    yield from _all_agree(p)


KINDS["comparable"] = " that can be compared"


def _are_compared(p: Page, told: int, some: str | None) -> Iterator[str]:
    """Whether so many nodes have something to compare: all, or all but those of no noise."""
    empty = len(_nothing_at(p))
    if bool(some) != bool(empty) or told != p.truth.nodes - empty:
        yield f"there are {p.truth.nodes} nodes, {empty} of them with nothing to compare"


def _nothing_at(p: Page) -> dict[int, str]:
    """The nodes that bear or show no noise: truth values, 0 (not lost), branches not taken, and
    steps that nothing in double and single precision has rounded.
    """
    found = {}
    for k, node in enumerate(p.formula.nodes):
        values = [row.y[k] for row in p.truth.rows if row.bad is None]
        if all(y is None for y in values):
            found[k] = "a branch that none of these samples takes"
        elif node.children and OPERATORS[node.operator].truth:
            found[k] = "a truth value"
        elif not any(values) and not p.truth.singular(k).any():
            found[k] = "a value of 0"
        elif node.children and not p.truth.singular(k).any() and _unrounded(p, k):
            found[k] = "a value that comes out exact"
    return found


def _unrounded(p: Page, k: int) -> bool:
    """Whether the value is right to the last bit in both types, at every row that has one."""
    rows = [i for i, row in enumerate(p.truth.rows) if row.bad is None and row.y[k]]
    for kind, roundoff in (("float64", 2.0**-53), ("float32", 2.0**-24)):
        errors, q = (found[rows] for found in errors_of(p, k, kind))
        if not (errors == 0).all() or not (q * roundoff <= 1e-3).all():
            return False
    return True


@says("ways.left", "ways", "At <n:int> more there is nothing to compare: <kinds:any>.")
def _(p: Page, m: Match) -> Iterator[str]:
    found = _nothing_at(p)
    if whole(m["n"]) != len(found):
        yield f"there are {len(found)}"
    yield from _kinds_are(found, m["kinds"])


@says("ways.nothing", "ways", "There is nothing to compare at any node: <kinds:any>.")
def _(p: Page, m: Match) -> Iterator[str]:
    found = _nothing_at(p)
    if len(found) != p.truth.nodes:
        yield f"there is at {p.truth.nodes - len(found)}"
    yield from _kinds_are(found, m["kinds"])


def _kinds_are(found: dict[int, str], told: str) -> Iterator[str]:
    if set(re.split(", | and ", told)) != set(found.values()):
        yield f"they are {sorted(set(found.values()))}"


def _all_agree(p: Page) -> Iterator[str]:
    for k in set(range(p.truth.nodes)) - set(_nothing_at(p)):
        yield from _agrees(p, k)


REASONS = (
    r"no digit is left at (any sample|\d+ samples?)",
    r"trials show nothing: a value is 0, leaves double range, or bears no error of this size",
    r"no sample keeps a digit, so there is nothing to compare",
    r"trials have to leave out [\d,]+ samples?",
    r"so many digits are lost that trials in double precision show only noise",
    r"noise that crosses a jump or a tie does what no derivative sees",
    r"in (?P<kind>single|double) precision (?P<what>.+)",
)


@says(
    "ways.some",
    "ways",
    "At <n:int> of <of:int> nodes⟦<some:comparable>⟧ the prediction, trials with "
    "small errors, single and double precision agree; "
    "at ⟦<count:int> they do not, for instance at ⟧<at:code>⟦ they do not⟧, "
    "[[because |and no reason was found: ]]<why:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    yield from _are_compared(p, whole(m["of"]), m["some"])
    if m["count"] and whole(m["n"]) + whole(m["count"]) != whole(m["of"]):
        yield "they do not add up"
    if "no reason was found" not in m[0]:
        yield from somewhere(p, m["at"], lambda k: _because(p, k, m["why"]))


@says(
    "ways.none",
    "ways",
    "The prediction, trials with small errors, single and double precision do not all agree at "
    "<at:code>, "
    "[[because |and no reason was found: ]]<why:any>.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if "no reason was found" not in m[0]:
        yield from somewhere(p, m["at"], lambda k: _because(p, k, m["why"]))


def _because(p: Page, k: int, why: str) -> Iterator[str]:
    found = next((r for r in REASONS if re.fullmatch(r, why)), None)
    if found is None:
        yield f"no template for the reason: {why}"
        return
    match = re.fullmatch(found, why)
    assert match is not None
    if why.startswith("no digit is left at"):
        lost = int(p.truth.singular(k).sum())
        every = match[1] == "any sample"
        if every and lost != int(p.truth.valid.sum()):
            yield f"it is left at {int(p.truth.valid.sum()) - lost}"
        if not every and whole(match[1].split()[0]) > lost:
            yield f"none is left at {lost}"
    if "what" in match.groupdict():
        yield from _observed(
            p, k, "float32" if match["kind"] == "single" else "float64", match["what"]
        )


def _observed(p: Page, k: int, kind: str, what: str) -> Iterator[str]:
    errors, q = errors_of(p, k, kind)
    usable = np.isfinite(errors) & np.isfinite(q)
    exact = bool(usable.any()) and bool((errors[usable] == 0).all())
    if what == "its value comes out exact" and not exact:
        yield f"errors of {np.nanmax(np.abs(errors)):.3g} units"
    if what.startswith("no digit is left at any sample") and usable.any():
        yield f"some is left at {usable.sum()} samples"
    if what.endswith("the exact value is 0") and np.isfinite(errors).any():
        yield f"it is not at {np.isfinite(errors).sum()} samples"
    if what == "the value overflows or has no number":
        y = (p.truth.singles if kind == "float32" else p.truth.doubles)[k]
        if np.isfinite(y[p.truth.valid]).all():
            yield "it is a number at every sample"
    if what.startswith("less is lost"):
        ratio = math.sqrt(float(np.mean(np.square(errors[usable] / q[usable]))))
        if ratio > 0.3:
            yield f"{ratio:.3f} times what is expected is lost"


@says(
    "ways.no_value",
    "ways",
    "No sample has a usable value at every node, so there is nothing to compare.",
)
def _(p: Page, m: Match) -> Iterator[str]:
    if p.truth.valid.any():
        yield "some have"
