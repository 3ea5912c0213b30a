"""Reports of exported studies: what counts, what is shown, in text, JSON and HTML."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.report import html_report
from study.report import RaterCounts
from study.report.analysis import StudyReport, analyse
from study.report.document import document
from study.report.figures import FIGURES
from study.report.page import render_html
from study.report.sections import sections_of
from study.report.tables import long_csv, numbers_csv
from study.report.text import render_text
from study.statistics.exclusions import ExclusionRule
from tests.study.exports import export_of, page_of, pair, rows, vote


@pytest.fixture(scope="module")
def paper() -> StudyReport:
    """The size of Yu et al.'s study: 108 raters, ten votes each, 24 hasty sessions, 586 of 840."""
    votes = []
    for rater in range(108):
        for i in range(10):
            nth = rater * 10 + i
            more = {"seconds": 5.0, "session_seconds": 50.0} if rater >= 84 else {}
            choice = "lower" if nth < 586 else "higher"
            votes.append(vote(rater, nth % 172, choice, 19, **more))
    raters, rules = RaterCounts(120, 110, 108, 2), {"max_r2_gap": 0.02}
    return analyse(export_of(votes, 172, 19, title="Pairs <of> 2025", raters=raters, rules=rules))


def test_the_papers_counts_come_out_of_an_export(paper: StudyReport) -> None:
    assert len(paper.votes_cast) == 1080 and len(paper.valid_votes) == 840
    assert paper.votes_excluded == {"session under the threshold": 240}
    assert paper.excluded_raters == 24 and paper.unfinished_excluded_raters == 0
    found = document(paper)
    assert found["preference"]["lower"] == 586
    assert found["preference"]["p_value"] == pytest.approx(2.7e-31, rel=0.02)
    assert round(found["preference"]["wilson"]["low"], 3) == 0.666
    assert found["preference_before_exclusions"]["votes"] == 1080
    assert found["pairs"]["mean_votes"] == pytest.approx(840 / 172)
    assert found["fleiss_kappa"]["subjects"] == 172
    assert sum(p["votes"] for p in found["by_problem"]) == 840
    assert sum(found["left_chosen"].values()) == 840
    assert found["seconds"] == {
        "by_rater_clock": 0,
        "median_vote": 20.0,
        "median_session": 200.0,
    }


def test_a_completed_report_has_nothing_left_to_compute() -> None:
    choices = ("lower", "lower", "higher")
    votes = [vote(r, n, choices[(r + n) % 3]) for r in range(12) for n in range(9)]
    before = analyse(export_of(votes))
    assert "inference" not in vars(before)
    done = before.complete()
    assert done is before
    known = dict(vars(done))
    json.dumps(document(done), default=str)
    render_text(done)
    assert vars(done).keys() == known.keys()
    assert all(vars(done)[name] is value for name, value in known.items())


def test_the_text_says_the_numbers(paper: StudyReport) -> None:
    text = render_text(paper)
    for said in (
        "69.8 %",
        "2.7·10⁻³¹",
        "[0.666, 0.728]",
        "Sessions of under 60",
        "24 raters: session under the threshold",
        "Fleiss' kappa",
    ):
        assert said in " ".join(text.split())


def test_what_left_the_page_stands_in_the_numbers_of_the_archive(paper: StudyReport) -> None:
    text, numbers = render_text(paper), numbers_csv(paper)
    by_name = {row["number"]: row for row in rows(numbers)}
    exact = by_name["paper_comparable.preference.clopper_pearson"]
    assert [f"{float(exact[end]):.3f}" for end in ("low", "high")] == ["0.665", "0.729"]
    assert "0.665, 0.729" not in text and "bootstrap" not in text and "alpha" not in text
    names = ("headline.bootstrap", "headline.two_way_bootstrap")
    assert all(float(by_name[name]["low"]) < float(by_name[name]["high"]) for name in names)
    assert float(by_name["headline.p_value"]["value"]) == paper.inference.p_value
    assert by_name["fleiss_kappa_by_side.value"]["value"]
    points = [name for name in by_name if name.startswith("threats.sensitivity.points.")]
    assert len([name for name in points if name.endswith(".threshold_seconds")]) == 38
    assert not [name for name in by_name if "sentence" in name]


def test_practice_and_attention_ballots_are_no_votes() -> None:
    votes = (
        vote(1, 0, "lower"),
        vote(1, 1, "higher", is_practice=True, position=0),
        vote(1, 2, "higher", is_attention=True, attention_ok=True, pair=""),
        vote(1, 3, "higher", is_attention=True, attention_ok=False, pair=""),
    )
    report = analyse(export_of(votes))
    assert len(report.votes_cast) == 1
    assert report.preference.lower == 1 and report.preference.higher == 0
    checks = report.threats.attention
    assert (checks.answered, checks.passed) == (2, 1)


def test_the_side_is_told_apart_from_the_formula() -> None:
    votes = (
        vote(1, 0, "lower", lower_side="left"),
        vote(1, 1, "higher", lower_side="right"),
        vote(1, 2, "lower", lower_side="right"),
        vote(1, 3, "tie"),
    )
    sides = analyse(export_of(votes)).threats.sides
    assert (sides.left, sides.right, sides.ties) == (2, 1, 1)


def test_votes_may_be_left_out_one_by_one() -> None:
    votes = (vote(1, 0, "lower", seconds=70), vote(1, 1, "higher", seconds=70, idle_seconds=20))
    report = analyse(export_of(votes, exclusion=ExclusionRule(60, "vote")))
    assert report.votes_excluded == {"vote under the threshold": 1}
    assert report.excluded_raters == 0


def test_kappa_counts_deciding_votes_on_each_pair() -> None:
    votes = (
        vote(1, 0, "lower"),
        vote(2, 0, "lower"),
        vote(3, 0, "tie"),
        vote(1, 1, "higher"),
        vote(2, 1, "higher"),
        vote(3, 1, "lower"),
        vote(1, 2, "lower"),
        vote(2, 2, "tie"),
    )
    agreement = analyse(export_of(votes)).agreement.fleiss_kappa
    assert (agreement.pairs, agreement.left_out, agreement.votes) == (2, 1, 5)


def test_the_page_has_two_coefficients_beside_raw_agreement(paper: StudyReport) -> None:
    (found,) = (s for s in sections_of(paper) if s.key == "agreement")
    assert [row[0] for row in found.tables[0].rows] == [
        "raw agreement",
        "Fleiss' kappa",
        "Gwet's AC1",
    ]


class Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_is_self_contained_and_escapes_what_people_wrote(paper: StudyReport) -> None:
    text = page_of(paper)
    page = Page(text)
    names = [tag for tag, _ in page.tags]
    pictures = [section.figure for section in sections_of(paper) if section.figure]
    assert names.count("svg") == 1 + len(pictures) and {*pictures, "preference"} == set(FIGURES)
    assert not {"script", "link", "iframe", "img", "object"} & set(names)
    assert "Pairs <of> 2025" in page.words and "<of>" not in text
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href"):
                assert (value or "").startswith(("#", "data:text/csv")), (tag, name)


def test_its_page_has_the_policy_and_the_colours_of_the_report_of_an_inspection(
    paper: StudyReport,
) -> None:
    inspection = inspect(read("x + 1").formula, Samples.from_columns({"x": [1.0]}))
    pages = page_of(paper), html_report(inspection, with_repair=False)
    policies = [
        [a["content"] for tag, a in Page(text).tags if tag == "meta" and "http-equiv" in a]
        for text in pages
    ]
    assert policies == 2 * [["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]]
    named, other = (re.findall(r"--(\w+): (#\w+)", text) for text in pages)
    assert named == other and len(named) == 27  # nine of a light page, of a dark one, on paper
    for text in pages:
        used = set(re.findall(r"var\(--(\w+)\)", text))
        assert used and used <= {name for name, _ in named}


def test_backticks_dollars_and_angles_that_people_wrote_stay_as_they_are() -> None:
    names = ("a `b` c", "$x^{<&")
    odd = replace(
        export_of((), title="`t` <x>"),
        pairs=tuple(pair(n, problem=name) for n, name in enumerate(names)),
        votes=tuple(
            vote(r, n, "lower" if r % 2 else "higher", problem=name)
            for r in range(10)
            for n, name in enumerate(names)
        ),
    )
    text = render_html(analyse(odd))
    assert {*names, "`t` <x>"} <= {*Page(text).words} and "$x^{&lt;&amp;" in text


def test_the_page_carries_all_votes_as_csv(paper: StudyReport) -> None:
    link = next(a["href"] for tag, a in Page(page_of(paper)).tags if tag == "a")
    assert link is not None
    text = base64.b64decode(link.partition(",")[2]).decode()
    assert text == long_csv(paper)
    votes = rows(text)
    assert len(votes) == 1080
    assert sum(row["excluded"] == "false" for row in votes) == 840


def test_votes_csv_is_safe_in_a_spreadsheet() -> None:
    report = analyse(export_of((vote(1, 0, "lower", reason="=cmd|' /C calc'!A0"),)))
    assert "\"'=cmd" in long_csv(report) or ",'=cmd" in long_csv(report)


def test_the_first_screen_has_the_verdict_one_figure_and_the_flow_and_the_rest_is_folded(
    paper: StudyReport,
) -> None:
    page = page_of(paper)
    first, _, rest = page.partition("</header>")
    assert first.count("<svg") == 1 and "people preferred the formula" in first
    assert "<table" not in first and "session under the threshold" in first
    main = rest.partition("</main>")[0]
    outside = [part.partition('<details class="part">')[0] for part in main.split("</section>")]
    assert not any("<table" in part or "<svg" in part for part in outside)
    assert "<details open" not in page
