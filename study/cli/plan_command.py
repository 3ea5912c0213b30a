"""`python -m study plan`: what a study of this size will find."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from study.planning import PAPER, PAPER_ASSUMES, Advice, Plan, Target, advise, plan
from study.planning.words import advice_sentences, design_sentence, sentences
from study.statistics.simulation import StudyModel

_DEFAULTS = StudyModel()
_OPTIONS: Mapping[str, tuple[str, str]] = {
    "pairs": ("N", "matched pairs"),
    "raters": ("N", "people who rate"),
    "ballots": ("N", "ballots of each rater"),
    "problems": ("N", "problems that the pairs come from"),
    "preference": ("X", "share of votes for lower EIC that is supposed to be true"),
    "kappa": ("X", "agreement of two raters on a pair: Fleiss' kappa of a long study"),
    "problem_share": ("X", "how much of that belongs to the problems, 0 to 1"),
    "rater_correlation": ("X", "correlation of one rater's votes"),
    "drop_out": ("X", "share of raters who stop early"),
    "excluded": ("X", "share of sessions that do not count"),
    "tie_share": ("X", "share of votes that decide for neither"),
    "unequal": ("X", "unevenness of the votes on pairs, 0 to 2"),
}


def add_parser(commands: Any) -> None:
    """Register the command with an ``argparse`` sub-parser collection."""
    parser = commands.add_parser(
        "plan",
        help="what a study of some size will find",
        description="Simulate studies of a design, and say how sharp they are and what would "
        "make them sharper.",
    )
    parser.add_argument(
        "--paper",
        action="store_true",
        help="start from the study of Yu et al.; other options change it",
    )
    for name, (metavar, words) in _OPTIONS.items():
        kind = type(getattr(_DEFAULTS, name))
        parser.add_argument(f"--{name.replace('_', '-')}", metavar=metavar, type=kind,
                            help=f"{words}; default: {getattr(_DEFAULTS, name):g}")  # fmt: skip
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--half-width",
        metavar="X",
        type=float,
        help="find designs whose interval is ± X, such as 0.04",
    )
    target.add_argument(
        "--power",
        metavar="X",
        type=float,
        help="find designs whose test finds the preference so often, such as 0.9",
    )
    parser.add_argument(
        "--studies",
        metavar="N",
        type=int,
        default=1000,
        help="simulated studies; default: %(default)s",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: %(default)s")
    parser.add_argument(
        "--level",
        metavar="X",
        type=float,
        default=0.95,
        help="confidence level; default: %(default)s",
    )
    parser.add_argument(
        "--alpha",
        metavar="X",
        type=float,
        default=0.05,
        help="level of the one-sided test; default: %(default)s",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Simulate, and print."""
    target = None
    if options.half_width is not None or options.power is not None:
        target = Target(options.half_width, options.power)
    given = {n: getattr(options, n) for n in _OPTIONS if getattr(options, n) is not None}
    model = replace(PAPER if options.paper else _DEFAULTS, **given)
    settings: dict[str, Any] = {
        "studies": options.studies, "seed": options.seed,
        "level": options.level, "alpha": options.alpha, "progress": _progress,
    }  # fmt: skip
    found = plan(model, **settings)
    advice = advise(model, target, start=found, **settings) if target else None
    if options.json:
        value = {"plan": found.to_json(), "advice": advice.to_json() if advice else None}
        print(json.dumps(value, indent=2, allow_nan=False))
        return
    print(_text(found, advice, assumed=PAPER_ASSUMES if options.paper else ""))


def _text(found: Plan, advice: Advice | None, assumed: str) -> str:
    parts = [design_sentence(found.model), *([assumed] if assumed else []), ""]
    parts += sentences(found)
    parts += ["", *_table(found)]
    if advice is not None:
        parts += ["", *advice_sentences(advice)]
    parts += ["", f"{found.studies:,} simulated studies, seed {found.seed}."]
    return "\n".join(parts)


def _table(found: Plan) -> list[str]:
    rows = (
        ("power, clustered test", found.power),
        ("power, binomial test", found.naive_power),
        ("half-width, clustered", found.half_width),
        ("half-width, Wilson", found.naive_half_width),
        ("coverage, clustered", found.coverage),
        ("coverage, Wilson", found.naive_coverage),
        ("design effect", found.design_effect),
        ("effective votes", found.effective_votes),
        ("called too small", found.too_small),
    )
    lines = [f"{'':24}{'value':>9}  {'MC error':>9}"]
    for name, value in rows:
        if value is None:
            lines.append(f"{name:24}{'none':>9}")
            continue
        digits = 1 if value.value >= 10 else 2 if value.value > 1 else 4
        lines.append(f"{name:24}{value.value:9.{digits}f}  {value.error:9.{digits}f}")
    return lines


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r{done:,} of {total:,} studies", end=end, file=sys.stderr, flush=True)
