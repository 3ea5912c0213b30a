"""How results show themselves in a notebook: HTML, pictures of Matplotlib, tables of pandas.

Nothing imports this: the front door loads it, by name, when a result is shown (ADR 0027).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from types import ModuleType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from markupsafe import Markup

from eic_core import wording
from eic_core.drawing.chart import Chart, Guide, Mark, Points
from eic_core.drawing.inline import svg_of
from eic_core.drawing.scale import PAGE_COLOURS
from eic_core.drawing.svg import tree_svg
from eic_core.errors import UserError
from eic_core.explain.diagnosis import Diagnosis
from eic_core.explain.phrases import causes as cause_phrases
from eic_core.explain.verdict import Verdict, verdict
from eic_core.formula.rendering import node_texts, short_text
from eic_core.markup import environment
from eic_core.measure.inspection import Inspection, inspect
from eic_core.operators.wide import Array
from eic_core.pool.listing import ListedScore, ScoredList, accuracy_keys, front_of
from eic_core.pool.picking import Pick
from eic_core.report import instead, sections
from eic_core.report.charts import forms, loss_along
from eic_core.report.report_table import ReportTable, code, count, digits, fit, plain
from eic_core.report.rulers import Ruler
from eic_core.rewriting.profile import profile
from eic_core.rewriting.results import Repair, Repairs

MOST_ROWS = 10
"""Rows of a table."""

TREE_WIDTH = 720
"""Pixels that a tree should fit into."""

STEP_LETTERS = 60

_PAIR = re.compile(r"light-dark\((#\w{6}),(#\w{6})\)")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


# In a line


def _line_of_inspection(result: Inspection) -> str:
    text = short_text(result.formula, limit=STEP_LETTERS)
    rows = f"{result.counts.total:,} rows"
    return f"<Inspection of {text}: EIC {wording.number(result.eic)}, {rows}>"


def _line_of_repair(result: Repairs | Repair) -> str:
    return f"<{type(result).__name__}: {wording.shorten(str(result.sentence), 200)}>"


def _line_of_list(result: ScoredList) -> str:
    refused = sum(bool(scored.score.error) for scored in result)
    count = wording.count(len(result), "formula")
    return f"<ScoredList of {count}, {refused:,} of them left out>"


# As HTML


def _html_of_inspection(result: Inspection) -> str:
    along = (loss_along(result, name) for name in result.formula.variables)
    figures = [chart for chart in along if chart is not None][:1]
    head = _headline(verdict(result))
    return _page(**head, tree=_tree(result), figures=figures, tables=[_steps(result)])


def _html_of_diagnosis(result: Diagnosis) -> str:
    return _page(
        **_headline(result.verdict),
        answers=zip(sections.QUESTIONS, result.sentences[1:], strict=False),
        gauges=sections.gauges_picture(result),
        tree=_tree(result.inspection),
        tables=[sections.causes_found(result.verdict)],
        notes=result.verdict.notes,
    )


def _html_of_repairs(result: Repairs) -> str:
    first = result.leading
    several = len(result.front) > 1
    tables = [instead.front(result)] if several else []
    figures = [forms(result)] if several else []
    notes = [*([] if result.advice is None else [result.advice]), *result.left_out_sentences]
    checked = () if first is None else instead.verified(first)
    return _page(
        sentence=result.sentence,
        form=first,
        tables=tables,
        figures=figures,
        notes=[*checked, *notes],
    )


def _html_of_repair(result: Repair) -> str:
    tables = [
        instead.branches(result),
        instead.series(result),
        instead.before_and_after(result),
    ]
    notes = *instead.verified(result), *result.conditions
    return _page(sentence=result.sentence, form=result, tables=tables, notes=notes)


def _html_of_list(result: ScoredList) -> str:
    on_front = _on_front(result)
    best = [scored for scored, is_on in zip(result, on_front, strict=True) if is_on]
    others = [scored for scored, is_on in zip(result, on_front, strict=True) if not is_on]
    caption = (
        f"{wording.count(len(result), 'formula')}. Marked, first: those that no other beats in "
        "accuracy, complexity and EIC."
    )
    rows = [*best, *others]
    return _page(tables=[_formulas(rows, range(len(best)), caption)])


def _html_of_pick(result: Pick) -> str:
    ranked = [scored for _, scored in result.ranked]
    caption = "The best first by accuracy, complexity and digits; marked is the formula to take."
    marked = [i for i, scored in enumerate(ranked) if scored is result.picked]
    return _page(sentence=result.sentence, tables=[_formulas(ranked, marked, caption)])


def _page(**parts: Any) -> str:
    fields = {
        "sentence": None,
        "badges": (),
        "answers": (),
        "gauges": "",
        "form": None,
        "tree": "",
        "figures": (),
        "tables": (),
        "notes": (),
    } | parts
    template = environment("eic_core").get_template("notebook.html.j2")
    page = template.render(fields, show=sections, drawn=svg_of)
    pairs = dict.fromkeys(_PAIR.findall(page))
    page = _PAIR.sub(lambda pair: f"var(--eic-{pair[1][1:]}-{pair[2][1:]},{pair[1]})", page)
    light, dark = (
        "".join(f"--{name}:{value};" for name, value in PAGE_COLOURS[theme].items())
        for theme in ("light", "dark")
    )
    dark += "".join(f"--eic-{a[1:]}-{b[1:]}:{b};" for a, b in pairs)
    return page.replace("/* light */", light).replace("/* dark */", dark)


def _headline(judged: Verdict) -> dict[str, Any]:
    return {"sentence": judged.sentence, "badges": sections.level(judged)}


def _tree(inspection: Inspection) -> Markup:
    """The tree, whose colours follow the notebook's theme."""
    mark = f"{crc32(repr((inspection.formula.structure(), inspection.eic)).encode()):x}"
    light, dark = (
        tree_svg(inspection, dark=is_dark, width=TREE_WIDTH, identity=mark)
        for is_dark in (False, True)
    )
    colours = zip(_COLOUR.findall(light), _COLOUR.findall(dark), strict=True)
    return Markup(_COLOUR.sub(lambda _: "light-dark({},{})".format(*next(colours)), light))


def _steps(inspection: Inspection) -> ReportTable:
    texts = node_texts(inspection.formula, STEP_LETTERS)
    steps = [n for n in inspection.nodes if n.node.children] or list(inspection.nodes)

    def loss(place: int) -> float:
        return -math.inf if math.isnan(steps[place].local_eic) else steps[place].local_eic

    order = sorted(range(len(steps)), key=lambda place: -loss(place))[:MOST_ROWS]
    worst = [steps[place] for place in order]
    columns = [
        ("step", [code(texts[n.node.id]) for n in worst]),
        ("local EIC", [digits(n.local_eic) for n in worst]),
    ]
    if inspection.counts.singular:
        columns.append(("of finite rows", [digits(n.local_eic_finite) for n in worst]))
    if inspection.counts.invalid:
        columns.append(("rows without a value", [count(n.invalid) for n in worst]))
    names, cells = zip(*columns, strict=True)
    return ReportTable(
        names,
        list(zip(*cells, strict=True)),
        f"Digits by which errors grow up to a step, the worst of {len(steps):,} first, on "
        f"{inspection.counts.total:,} rows.",
        numbers=range(1, len(names)),
        words=True,
    )


def _formulas(scores: Sequence[ListedScore], marked: Iterable[int], caption: str) -> ReportTable:
    rows = [
        (
            plain(scored.listed.row),
            code(wording.shorten(scored.listed.formula, STEP_LETTERS)),
            plain(math.nan if scored.score.complexity is None else scored.score.complexity),
            fit(scored.score.r2),
            digits(scored.score.eic),
            scored.score.error or scored.score.cause.replace("_", " "),
        )
        for scored in scores[:MOST_ROWS]
    ]
    more = len(scores) - len(rows)
    caption += f" {more:,} more are not shown." if more else ""
    places = frozenset(place for place in marked if place < len(rows))
    names = ("row", "formula", "nodes", "R²", "EIC", "")
    return ReportTable(names, rows, caption, numbers=(0, 2, 3, 4), marked=places, words=True)


def _accuracy(scores: Sequence[ListedScore]) -> tuple[str, Array] | None:
    return next(iter(accuracy_keys(scores).items()), None)


def _on_front(scores: Sequence[ListedScore]) -> Sequence[bool]:
    accuracy = _accuracy(scores)
    on_front: Sequence[bool] = front_of(scores, accuracy and accuracy[1]).tolist()
    return on_front


# As tables of pandas


def _frame_of_inspection(result: Inspection) -> Any:
    return _frame(
        {
            "step": n.text,
            "operator": n.node.operator,
            "local_eic": n.local_eic,
            "local_eic_finite": n.local_eic_finite,
            "invalid": n.invalid,
            "singular": n.singular,
        }
        for n in result.nodes
    )


def _frame_of_diagnosis(result: Diagnosis) -> Any:
    formula = result.inspection.formula
    texts = node_texts(formula, STEP_LETTERS)
    return _frame(
        (
            {
                "cause": finding.cause.name(),
                "words": str(cause_phrases.label(finding.cause, formula)),
                "step": texts[finding.cause.node],
                "outcome": finding.outcome.name.lower(),
                "rows": math.nan if finding.rows is None else finding.rows,
                "typical": finding.digits.typical,
                "nine_in_ten": finding.digits.nine_in_ten,
                "worst": finding.digits.worst,
                "errors": finding.noise.value,
            }
            for finding in result.verdict.findings
        ),
        "cause words step outcome rows typical nine_in_ten worst errors",
    )


def _frame_of_repairs(result: Repairs) -> Any:
    return _frame(
        (
            {
                "form": form.text,
                "as_written": form.is_original,
                "lost_typical": form.numbers.measured.typical,
                "lost_nine_in_ten": form.numbers.measured.nine_in_ten,
                "lost_worst": form.numbers.measured.worst,
                "without_value": form.numbers.without_value,
                "exact": all(branch.is_exact for branch in form.branches),
            }
            for form in result.forms
        ),
        "form as_written lost_typical lost_nine_in_ten lost_worst without_value exact",
    )


def _frame_of_repair(result: Repair) -> Any:
    return _frame(
        {
            "form": name,
            "q": each.q,
            "eic": numbers.eic_finite,
            "complexity": each.complexity,
            "float64": each.float64.digits_lost,
            "float32": each.float32.digits_lost,
        }
        for name, each, numbers in (
            ("as written", result.before, result.written),
            (result.text, result.after, result.instead),
        )
    )


def _frame_of_list(result: ScoredList) -> Any:
    return _frame(
        _scored(each, is_on) for each, is_on in zip(result, _on_front(result), strict=True)
    )


def _frame_of_pick(result: Pick) -> Any:
    return _frame(
        {"fitness": weight, **_scored(each, each is result.picked, "picked")}
        for weight, each in result.ranked
    )


def _scored(scored: ListedScore, is_marked: bool, mark: str = "front") -> dict[str, Any]:
    score = scored.score
    return {
        "row": scored.listed.row,
        "formula": scored.listed.formula,
        "complexity": math.nan if score.complexity is None else score.complexity,
        "r2": score.r2,
        "eic": score.eic,
        "eic_finite": score.eic_finite,
        "error": score.error,
        mark: is_marked,
    }


def _frame(rows: Iterable[dict[str, Any]], columns: str = "") -> Any:
    """With its columns even where it has no row."""
    records = list(rows)
    names = None if records or not columns else columns.split()
    return _needed("pandas").DataFrame(records, columns=names)


# As pictures of Matplotlib


def _plot_inspection(
    result: Inspection,
    *,
    over: str = "",
    node: int | None = None,
    quantiles: bool = False,
    ax: Any = None,
) -> Any:
    if quantiles:
        name = over or next(iter(result.formula.variables), "")
        chart = loss_along(result, name) if name in result.formula.variables else None
        if chart is None:
            raise UserError(f"there is nothing to compare along `{name}`")
        return _panel(chart, ax)
    step = result.worst_step if node is None else node
    if step not in range(len(result.nodes)):
        ids = f"give an id from 0 to {len(result.nodes) - 1}: `to_pandas()` lists the steps"
        raise UserError(f"there is no step {step}", hint=ids)
    _, s = result.amplification.trace(step)
    with np.errstate(all="ignore"):
        lost = np.log10(s)
    ax = _axes(ax)
    names = result.formula.subtree(step).variables or result.formula.variables
    xs = _along(ax, {name: result.samples.columns[name] for name in names}, over, len(lost))
    finite = np.isfinite(lost)
    marks: list[Mark] = [Points(xs[finite], lost[finite], size=6, digits=lost[finite])]
    top = max(1.0, float(np.max(lost[finite], initial=0.0)))
    for at, height, symbol, words in (
        (np.isinf(lost), 1.08 * top, "triangle-up", "no digit left"),
        (np.isnan(lost), -0.08 * top, "x", "no real value"),
    ):
        if at.any():
            count = int(at.sum())
            heights, name = np.full(count, height), f"{words} ({count:,})"
            marks.append(Points(xs[at], heights, symbol, colour="muted", name=name))
    local = result.nodes[step].local_eic_finite
    if math.isfinite(local):
        name = f"local EIC {wording.number(local)}"
        marks.append(Guide(local, level=True, colour="muted", name=name))
    ax.set_title(short_text(result.formula, step, STEP_LETTERS), fontsize="medium")
    return _drawn(ax, marks, "digits by which errors grow")


def _plot_diagnosis(
    result: Diagnosis, *, over: str = "", node: int | None = None, ax: Any = None
) -> Any:
    step = result.ledger.target if node is None else node
    return _plot_inspection(result.inspection, over=over, node=step, ax=ax)


def _plot_repairs(
    result: Repairs, *, over: str = "", all_forms: bool = False, ax: Any = None
) -> Any:
    if all_forms:
        return _panel(forms(result), ax)
    form = result.leading
    inspection = inspect(result.formula, result.samples)
    rows = profile(inspection, result.formula if form is None else form.formula, result.target)
    ax = _axes(ax)
    xs = _along(ax, rows.inputs, over, len(rows))
    marks = [Points(xs, rows.before, "circle-open", colour="orange", name="as written")]
    if form is not None:
        name = wording.shorten(form.text, 40)
        marks.append(Points(xs, rows.after, size=5, colour="blue", name=name))
    return _drawn(ax, marks, f"digits lost in {result.target}")


def _plot_repair(result: Repair, **options: Any) -> Any:
    raise TypeError(type(result).__name__)


def _plot_scores(result: ScoredList | Pick, *, ax: Any = None) -> Any:
    scores = result if isinstance(result, ScoredList) else [each for _, each in result.ranked]
    offered = _accuracy(scores)
    name, ys = offered or ("nodes", np.array([s.score.complexity or math.nan for s in scores]))
    xs = np.array([s.score.eic_finite for s in scores])
    ax = _axes(ax)
    placed = np.isfinite(xs) & np.isfinite(ys)
    if offered is not None and np.any(ys[placed] > 0):
        # what fits to the last digit has no place on the scale but its end
        exact = np.min(ys[placed & (ys > 0)]) / 10
        if np.any(ys[placed] < exact):
            name += f" (exact fits: at {exact:.0e})"
        ys = np.maximum(ys, exact)
        ax.set_yscale("log")
    front = np.array(_on_front(scores), dtype=bool) & placed
    marks = [
        Points(xs[placed], ys[placed], colour="data", name="formulas"),
        Points(xs[front], ys[front], size=8, colour="blue", name="on the front"),
    ]
    if isinstance(result, Pick):
        [place] = [i for i, each in enumerate(scores) if each is result.picked]
        picked = wording.shorten(result.picked.listed.formula, 40)
        ring = [xs[place]], [ys[place]]
        marks.insert(0, Points(*ring, "circle-open", 16, colour="orange", name=picked))
    ax.set_xlabel("EIC: digits by which errors grow, worst step")
    return _drawn(ax, marks, name)


def _panel(chart: Chart, ax: Any) -> Any:
    """The first panel of a chart."""
    from eic_core.drawing.paper import draw_panel

    ax = _axes(ax)
    draw_panel(ax, chart.panels[0])
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="small")
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    return _needed("matplotlib.pyplot", "matplotlib").subplots(layout="constrained")[1]


def _drawn(ax: Any, marks: Sequence[Mark], ylabel: str) -> Any:
    from eic_core.drawing.paper import draw_mark

    for mark in marks:
        draw_mark(ax, mark)
    ax.set_ylabel(ylabel)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="small")
    return ax


def _along(ax: Any, inputs: Any, over: str, rows: int) -> Array:
    """The values of one variable along the axis, or the rows' numbers where there is none."""
    if over and over not in inputs:
        hint = "there are " + ", ".join(f"`{name}`" for name in inputs) if inputs else ""
        raise UserError(f"there is no variable `{over}` at this step", hint=hint)
    name = over or next(iter(inputs), "")
    if not name:
        ax.set_xlabel("row")
        return np.arange(rows, dtype=np.float64)
    ax.set_xlabel(name)
    values = np.asarray(inputs[name], dtype=np.float64)
    ruler = Ruler.of(values)
    if ruler.kind == "decades" and ruler.low > 0:
        ax.set_xscale("log")
    elif ruler.kind == "decades":
        ax.set_xscale("symlog", linthresh=10**ruler.start)
    return values


def _needed(module: str, package: str = "") -> ModuleType:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise UserError(
            f"{package or module} is not installed",
            hint=f"`pip install {package or module}`",
        ) from None


# Of each class


class Display(NamedTuple):
    """What shows the results of a class."""

    line: Callable[[Any], str]
    html: Callable[[Any], str]
    plot: Callable[..., Any]
    frame: Callable[[Any], Any]

    def draw(self, result: Any, options: dict[str, Any]) -> Any:
        """Draw it; an option that this result does not have is named."""
        names = [*signature(self.plot).parameters][1:]
        if unknown := options.keys() - set(names):
            listed = wording.join([f"`{name}`" for name in names])
            message = f"`{type(result).__name__}.plot` has no option `{min(unknown)}`"
            raise UserError(
                message, hint=f"it has {listed}; change the rest on the axes it returns"
            )
        return self.plot(result, **options)


DISPLAYS = {
    "Inspection": Display(
        _line_of_inspection, _html_of_inspection, _plot_inspection, _frame_of_inspection
    ),
    "Diagnosis": Display(
        lambda result: f"<Diagnosis: {result.verdict.sentence}>",
        _html_of_diagnosis,
        _plot_diagnosis,
        _frame_of_diagnosis,
    ),
    "Repairs": Display(_line_of_repair, _html_of_repairs, _plot_repairs, _frame_of_repairs),
    "Repair": Display(_line_of_repair, _html_of_repair, _plot_repair, _frame_of_repair),
    "ScoredList": Display(_line_of_list, _html_of_list, _plot_scores, _frame_of_list),
    "Pick": Display(
        lambda result: f"<Pick: {result.headline}>", _html_of_pick, _plot_scores, _frame_of_pick
    ),
}
"""By the class of the result; the front door has a loader for each."""
