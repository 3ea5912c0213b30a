"""The report's sections on models: beside people, in agreement with them, and doubts."""

from __future__ import annotations

from eic_core import wording
from study.report import terms
from study.report.analysis import StudyReport
from study.report.model_results import RunResult
from study.report.phrases.agreement import units_sentence
from study.report.phrases.limits import limit
from study.report.phrases.numbers import interval_text
from study.report.section import Fact, Judgement, Section, SectionTable
from study.report.section_parts import interval_head
from study.statistics.clusters import Estimand
from study.statistics.preference import Interval

PAPER_SAYS = (
    "Yu et al. report 69.8 % for people, and 72.19 % for two language models together, each asked "
    "five times about a pair at temperature 0.7: their numbers, on their pairs, not this study's."
)
NO_RATERS = (
    "Models are no raters. Their answers to a pair are averaged to one score, both orders of the "
    "formulas weighing the same; they are in no vote, rate or kappa of people."
)
EXPLORATORY = "exploratory"


def model_sections(report: StudyReport) -> tuple[Section, ...]:
    """Empty where no model was asked or declared."""
    found = report.models
    if not found.runs:
        if not found.missing:
            return ()
        return (Section("models", "models", "People beside models", (_missing(report),)),)
    return (_beside(report), _agreement(report), _places(report), _asked(report))


def _haste(report: StudyReport) -> str:
    rule = report.export.exclusion
    seconds = wording.plain(rule.threshold_seconds)
    return (
        f"The rule that leaves out what people did in under {seconds} seconds does not apply to "
        "models: how long an answer took says nothing of the care behind it."
    )


def _missing(report: StudyReport) -> str:
    names = wording.join([f"`{name}`" for name in report.models.missing])
    return f"Declared before the study was frozen, and not asked as declared: {names}."


def _beside(report: StudyReport) -> Section:
    """Rates on the same pairs, and what the declared contrast says."""
    found, level = report.models, report.level
    people = report.inference
    rows = [
        (
            "people, all valid votes",
            f"{len(report.votes_per_pair):,}",
            _share(people.rate),
            _interval(people.interval(level)),
            "",
            "",
            "",
        )
    ]
    for each in found.runs:
        estimate, apart = each.found.rate, each.found.difference
        rows.append(
            (
                _named(each),
                f"{estimate.pairs:,}",
                _share(estimate.value),
                _interval(estimate.interval(level)),
                _share(each.found.people[0]),
                _points(apart.value),
                _points_between(apart.interval(level)),
            )
        )
    lines = [NO_RATERS, _haste(report), *_primary(report)]
    if any(each.run.undeclared for each in found.runs):
        lines.append(_undeclared(report))
    if found.missing:
        lines.append(_missing(report))
    lines += dict.fromkeys(
        f"{_named(each)}: {limit(why)}"
        for each in found.runs
        for why in (each.found.rate.reason or each.found.rate.too_small,)
        if why
    )
    return Section(
        key="models",
        group="models",
        title="People beside models",
        lines=(*lines, PAPER_SAYS),
        tables=(
            SectionTable(
                (
                    "",
                    "pairs",
                    "for the lower EIC",
                    interval_head(level),
                    "people on these pairs",
                    "less people, points",
                    interval_head(level),
                ),
                tuple(rows),
            ),
        ),
        explanation="A model is fixed, and so are its repeats: what is sampled is pairs or "
        "problems, as the study's design says, and they are the clusters of a model's interval. "
        "Model less people is the mean, over people's deciding votes, of the model's score on the "
        "pair less the vote, two-way clustered, in percentage points.",
    )


def _named(each: RunResult) -> str:
    return f"{each.run.label} ({EXPLORATORY})" if each.run.undeclared else each.run.label


def _undeclared(report: StudyReport) -> str:
    why = wording.join(
        [
            f"`{each.run.label}` ({each.run.undeclared})"
            for each in report.models.runs
            if each.run.undeclared
        ]
    )
    return f"Exploratory, and in no test: {why}."


def _primary(report: StudyReport) -> list[str]:
    found = report.models
    if not found.contrast:
        return []
    if not found.primary:
        return [
            f"The primary contrast, declared before the study was frozen, is "
            f"“{found.contrast}”; no model that was declared was asked."
        ]
    several = len(found.primary) > 1
    said = []
    for test in found.primary:
        estimate = test.estimate
        if estimate.reason or estimate.value is None:
            said.append(f"{test.label}: {limit(estimate.reason)}")
            continue
        share = estimate.null == 0.5
        value = _share(estimate.value) if share else _points(estimate.value)
        said.append(
            f"{test.label}: {value}{'' if share else ' points'}, {wording.p_clause(test.p_holm, 3)}"
        )
    how = " (p two-sided, with Holm's correction)" if several else " (p two-sided)"
    return [
        f"The primary contrast, declared before the study was frozen, is “{found.contrast}”"
        f"{how}. {'; '.join(said)}."
    ]


def _agreement(report: StudyReport) -> Section:
    """Per-pair correlation, the ceiling that people set, and models with each other."""
    found, level = report.models, report.level
    rows = []
    for each in found.runs:
        with_people = each.found.agreement
        intervals = with_people.intervals
        rows.append(
            (
                _named(each),
                f"{with_people.pairs:,}",
                wording.number(with_people.correlation),
                _with_interval(with_people.corrected, intervals.get("corrected")),
                _share(with_people.model),
                _share(with_people.people),
                _points(with_people.difference),
                _points_between(intervals.get("difference")),
            )
        )
    tables = [
        SectionTable(
            (
                "model",
                "pairs",
                "correlation",
                "corrected for people's noise",
                "agrees with a person",
                "two persons agree",
                "difference, points",
                interval_head(level),
            ),
            tuple(rows),
            f"On the pairs with two or more deciding votes. {units_sentence(_estimand(report))}",
        )
    ]
    if found.between:
        tables.append(
            SectionTable(
                (
                    "two models",
                    "pairs",
                    "answers agree",
                    "correlation",
                    "difference, points",
                    interval_head(level),
                ),
                tuple(
                    (
                        f"{first} and {second}",
                        f"{each.pairs:,}",
                        _share(each.agreement),
                        wording.number(each.correlation),
                        _points(each.difference.value),
                        _points_between(each.difference.interval(level)),
                    )
                    for first, second, each in found.between
                ),
                "Between models, on the pairs that both have a score on.",
            )
        )
    few = dict.fromkeys(
        f"{_named(each)}: {limit(each.found.agreement.too_small)}"
        for each in found.runs
        if each.found.agreement.too_small
    )
    noisy = [
        _named(each)
        for each in found.runs
        if each.found.agreement.pairs > 1 and each.found.agreement.corrected is None
    ]
    lines = [
        "The ceiling is what people reach among themselves: how often two of them agree on a pair.",
        *few,
    ]
    if noisy:
        lines.append(
            "No more than the noise of few votes is seen in how people differ between pairs, or "
            f"the model does not vary: no corrected correlation for {wording.join(noisy)}."
        )
    return Section(
        key="model-agreement",
        group="models",
        title="Do models agree with people, pair by pair?",
        lines=tuple(lines),
        tables=tuple(tables),
        explanation="The correlation is between a model's score on a pair and the share of "
        "people's votes for the lower EIC. The noise is people's: with few votes a pair that "
        "share is noisy, which lowers the correlation. The corrected one divides by the square "
        "root of the part of the share's variance that is not binomial noise, and may exceed 1 by "
        "chance; a model's own noise, of few repeats, stays in. A model's answers are "
        "compared with single votes, as votes of people are with each other, so its repeats give "
        "it no advantage.",
    )


def _estimand(report: StudyReport) -> Estimand:
    """What models are compared on: a sample, even where the headline is of these pairs alone."""
    return "problems like these" if report.sampled == "problems" else "pairs like these"


def _places(report: StudyReport) -> Section:
    runs, level = report.models.runs, report.level
    rows, biased = [], []
    for each, p in zip(runs, report.models.places_p, strict=True):
        position, orders = each.found.position, each.found.orders
        interval = position.interval(level)
        if p is not None and p < 1 - level:
            biased.append(
                f"{_named(each)} chooses the {'first' if (position.value or 0) > 0.5 else 'second'}"
                f" formula more often than chance ({_share(position.value)} first)"
            )
        within, cells = each.found.within
        decided = orders.same + orders.first + orders.second
        rows.append(
            (
                _named(each),
                _share(position.value),
                _interval(interval),
                f"{orders.same:,} of {decided:,}",
                f"{orders.first:,} / {orders.second:,}",
                _share(within) if cells else "—",
            )
        )
    judged: Judgement = (
        "look closer"
        if biased
        else "not flagged"
        if all(r.found.position.interval(level) for r in runs)
        else "cannot be told"
    )
    said = (
        "; ".join(biased) + ". Both orders weigh the same in every score, so this "
        "does not move the rates; it says that part of the answers are about the place."
        if biased
        else "For no model is the share of first formulas told apart from one half."
    )
    return Section(
        key="model-places",
        group="models",
        title="Do models answer the place instead of the formula?",
        lines=(said,),
        judgement=judged,
        tables=(
            SectionTable(
                (
                    "model",
                    "first chosen",
                    interval_head(level),
                    "same choice in both orders",
                    "follows first / second",
                    "repeats agree",
                ),
                tuple(rows),
            ),
        ),
        explanation="Pairs with a majority in both orders either keep their formula when the "
        "formulas change places, or follow the place. “Repeats agree” is within a model: two "
        "answers to one pair in one order; it says nothing of agreement between models. A model is "
        "named above if its p, corrected for the number of models (Holm, 1979), is below "
        f"{1 - level:.2g}.",
    )


def _asked(report: StudyReport) -> Section:
    """What was asked of whom, and what became of it."""
    asked, became = [], []
    prompts = dict.fromkeys(each.run.prompt_sha256 for each in report.models.runs)
    for each in report.models.runs:
        counts, (tokens_in, tokens_out) = each.found.outcomes, each.tokens
        asked.append(
            (
                _named(each),
                ", ".join(each.snapshots) or "—",
                each.run.base_url,
                f"{each.run.temperature:g}",
                f"{each.run.repeats}",
            )
        )
        became.append(
            (
                _named(each),
                f"{each.answers:,} of {each.wanted:,}",
                f"{counts['tie']:,}",
                f"{counts['refused']:,}",
                f"{counts['unparsable']:,}",
                f"{tokens_in:,}",
                f"{tokens_out:,}",
                wording.seconds(each.median_latency),
            )
        )
    incomplete = [_named(each) for each in report.models.runs if each.answers < each.wanted]
    mixed = [_named(each) for each in report.models.runs if len(each.snapshots) > 1]
    changed = (
        f"Not one model from the first answer to the last, as the endpoint says: "
        f"{wording.join(mixed)}. The rates are of a mixture of the snapshots below."
    )
    left = (
        f"Not asked to the end: {wording.join(incomplete)}. Pairs without a deciding answer in "
        "both orders have no score."
    )
    return Section(
        key="model-runs",
        group="models",
        title="What was asked",
        lines=(*((left,) if incomplete else ()), *((changed,) if mixed else ())),
        facts=(Fact("prompt, SHA-256", ", ".join(prompts), terms.PROMPT),),
        tables=(
            SectionTable(
                ("model", "snapshot", "endpoint", "temperature", "repeats of a pair"),
                tuple(asked),
            ),
            SectionTable(
                (
                    "model",
                    "answers",
                    "ties",
                    "refused",
                    "unparsable",
                    "tokens in",
                    "tokens out",
                    "median time",
                ),
                tuple(became),
                "What became of the questions.",
            ),
        ),
        explanation="Each call was a context of its own and showed what people are shown: "
        "description, sampled points, both formulas, R² and complexity. Answers are read "
        "strictly; ties, refusals and what could not be read are outcomes, are not asked again, "
        "and are in no score.",
    )


def _share(value: float | None) -> str:
    return wording.percent(value, 1, missing="—")


def _interval(interval: Interval | None) -> str:
    return "—" if interval is None else interval_text(interval)


def _points(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:+.1f}".replace("-", "−")


def _points_between(interval: Interval | None) -> str:
    return "—" if interval is None else f"[{_points(interval.low)}, {_points(interval.high)}]"


def _with_interval(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "—"
    return wording.number(value) + (
        f" [{wording.number(interval.low)}, {wording.number(interval.high)}]" if interval else ""
    )
