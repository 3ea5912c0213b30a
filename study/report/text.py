"""A report as plain text for a terminal."""

from __future__ import annotations

from study.report.analysis import StudyReport
from study.report.exported import utc_text
from study.statistics.preference import Interval, Preference


def percent(rate: float | None) -> str:
    """A rate for display.

    Examples
    --------
    >>> percent(0.69762), percent(None)
    ('69.8 %', 'not defined')
    """
    return "not defined" if rate is None else f"{100 * rate:.1f} %"


def p_text(value: float | None) -> str:
    """A p value for display.

    Examples
    --------
    >>> p_text(2.7e-31), p_text(0.0312), p_text(None), p_text(1.0)
    ('2.7e-31', '0.031', 'not defined', '1.000')
    """
    if value is None:
        return "not defined"
    return f"{value:.1e}" if value < 1e-3 else f"{value:.3f}"


def interval_text(interval: Interval | None) -> str:
    """An interval for display.

    Examples
    --------
    >>> interval_text(Preference(586, 254).wilson())
    '[0.666, 0.728]'
    """
    return "not defined" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"


def kappa_text(report: StudyReport) -> str:
    """Fleiss' kappa for display, or why there is none."""
    agreement = report.agreement
    return agreement.reason if agreement.value is None else f"{agreement.value:.3f}"


def seconds_text(value: float | None) -> str:
    """A time for display."""
    return "not defined" if value is None else f"{value:.1f} s"


def date_text(report: StudyReport, which: str) -> str:
    """A date of the study for display, to the minute."""
    text = utc_text(getattr(report.export, which))
    return "not yet" if text is None else text[:16].replace("T", " ") + " UTC"


def facts(report: StudyReport) -> list[tuple[str, list[tuple[str, str]]]]:
    """The report as headed lists of (name, value): what text and page both show."""
    export, preference, level = report.export, report.preference, report.level
    raters, votes = export.raters, report.votes_per_pair.values()
    counted = Preference(preference.lower, preference.higher)
    excluded = [(f"left out: {why}", f"{n:,}") for why, n in report.excluded.items()]
    attention = report.attention
    agreement = report.agreement
    return [
        ("Study", [
            ("title", export.title),
            ("id", export.study),
            ("frozen", date_text(report, "frozen_at")),
            ("closed", date_text(report, "closed_at")),
            ("exported", date_text(report, "exported_at")),
            ("hash", export.hash),
        ]),
        ("Raters", [
            ("invited", f"{raters.invited:,}"),
            ("consented", f"{raters.consented:,}"),
            ("finished", f"{raters.finished:,}"),
            ("withdrawn", f"{raters.withdrawn:,}"),
            ("left out entirely", f"{report.excluded_raters:,}"),
        ]),
        ("Votes", [
            ("rule", export.exclusion.sentence),
            ("cast", f"{len(report.cast):,}"),
            *excluded,
            ("valid", f"{len(report.valid):,}"),
            ("attention checks", f"{attention.passed} of {attention.answered} passed"),
            ("median time of a vote", seconds_text(report.median_seconds)),
            ("median time of a session", seconds_text(report.median_session_seconds)),
        ]),
        ("Preference for the lower EIC", [
            ("lower / higher / tie",
             f"{preference.lower:,} / {preference.higher:,} / {preference.ties:,}"),
            ("rate", percent(preference.rate)),
            ("p, exact, one-sided", p_text(preference.p_value)),
            (f"{100 * level:g} % interval, Wilson", interval_text(counted.wilson(level))),
            (f"{100 * level:g} % interval, Clopper–Pearson",
             interval_text(counted.clopper_pearson(level))),
            ("rate before exclusions", percent(report.preference_of_all.rate)),
            ("formula on the left chosen", percent(report.left_chosen.rate)),
        ]),
        ("Agreement", [
            ("Fleiss' kappa (low / high coding)", kappa_text(report)),
            ("pairs with two or more votes", f"{agreement.subjects:,}"),
            ("votes a pair",
             f"{min(votes, default=0)} to {max(votes, default=0)} on {len(votes):,} pairs"),
        ]),
    ]  # fmt: skip


def render_text(report: StudyReport) -> str:
    """The whole report as plain text."""
    lines: list[str] = []
    for heading, rows in facts(report):
        width = max(len(name) for name, _ in rows)
        lines += [heading, *(f"  {name:<{width}}  {value}" for name, value in rows), ""]
    lines.append("By problem")
    width = max([len(p.problem) for p in report.by_problem] + [1])
    for p in report.by_problem:
        lines.append(
            f"  {p.problem:<{width}}  {p.preference.lower:>5} of {p.preference.votes:<5} "
            f"{percent(p.preference.rate):>11}  {interval_text(p.preference.wilson(report.level))}"
        )
    return "\n".join([*lines, "", *(f"note: {note}" for note in report.notes)])
