"""From a draft to a frozen study, its links, its live list and its export."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import io
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from eic_core.errors import DataError
from study import pairing
from study.ballots import make_content
from study.clock import SystemChance
from study.design import StudyDesign, StudyStatus
from study.errors import DesignError, FrozenStudyError, NotFoundError, StudyError
from study.freezing import _unexplained, column_names
from study.links import links_csv
from study.matching import MatchingRules
from study.material import Column, Pool, Problem
from study.organising import OrganiserService
from study.pairing import match_study, problems_from_folder, read_upload
from study.report.exported import read_export, write_export
from tests.rehearsal import DESIGN, SECRET_METHOD, Rehearsal, pair, problem, token_of


def test_a_draft_says_what_is_missing(rehearsal: Rehearsal) -> None:
    study = rehearsal.organiser.create("empty", StudyDesign())
    readiness = rehearsal.organiser.readiness(study.id)
    assert not readiness.ready and len(readiness.missing) == 2
    assert "this computer only" in readiness.warnings[0]
    with pytest.raises(StudyError, match="no pairs"):
        rehearsal.organiser.freeze(study.id)
    assert rehearsal.organiser.study(study.id).status == StudyStatus.DRAFT


def test_problems_without_a_description_are_named_if_raters_would_see_them(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.draft(problems=3)
    warnings = rehearsal.organiser.readiness(study.id).warnings
    assert not any("description" in line for line in warnings)
    bare = [replace(problem(q), description="" if q != 1 else "told") for q in (0, 1, 2, 7)]
    rehearsal.organiser.set_problems(study.id, bare)
    rehearsal.organiser.set_pairs(study.id, [pair(q, i) for q in range(3) for i in range(4)])
    (line,) = [w for w in rehearsal.organiser.readiness(study.id).warnings if "description" in w]
    assert line == "raters get no description of `q0`, `q2`"


def test_a_name_that_says_nothing_needs_a_meaning_before_freezing(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft(problems=3)
    named = problem(0).csv.partition("\n")[0].split(",")[-1]
    nameless = replace(problem(0), csv=problem(0).csv.replace(named, "target", 1), columns=())
    rehearsal.organiser.set_problems(study.id, [nameless, problem(1), problem(2)])
    rehearsal.organiser.set_pairs(study.id, [pair(q, i) for q in range(3) for i in range(4)])
    (missing,) = rehearsal.organiser.readiness(study.id).missing
    assert missing == "the name `target` in `q0` tells raters nothing: say what it means in step 1"
    with pytest.raises(StudyError, match="tells raters nothing"):
        rehearsal.organiser.freeze(study.id)
    rehearsal.organiser.set_problems(
        study.id,
        [replace(nameless, columns=(Column("target", "", "height"),)), problem(1), problem(2)],
    )
    rehearsal.organiser.set_pairs(study.id, [pair(q, i) for q in range(3) for i in range(4)])
    assert rehearsal.organiser.readiness(study.id).ready


def test_more_ballots_than_a_rater_can_get_are_refused(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft(problems=2, pairs=4)
    twin = replace(pair(0, 2), lower=pair(0, 1).lower)
    rehearsal.organiser.set_pairs(study.id, [pair(0, 1), twin, *map(pair, [1] * 4, range(4))])
    (missing,) = rehearsal.organiser.readiness(study.id).missing
    assert missing.startswith("one rater can get 5 of these pairs")


def test_a_dropped_pair_needs_a_reason_can_be_taken_back_and_is_not_given_to_raters(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.draft(replace(DESIGN, ballots_per_rater=3), problems=2, pairs=2)
    first, *rest = rehearsal.organiser.pairs(study.id)
    with pytest.raises(DesignError):
        rehearsal.organiser.drop_pair(study.id, first.id, "  ")
    for _ in range(2):
        assert rehearsal.organiser.restore_pair(study.id, first.id).in_study
        assert rehearsal.organiser.drop_pair(study.id, first.id, "unfit").dropped == "unfit"
    rehearsal.organiser.freeze(study.id)
    rehearsal.rate(rehearsal.rater(study), 3)
    counts = rehearsal.organiser.monitor.live(study.id).pairs
    assert {count.pair_id for count in counts} == {other.id for other in rest}
    with rehearsal.store.reading() as tx:
        frozen = json.loads(tx.studies.configuration(study.id))
    assert [p["dropped"] for p in frozen["pairs"]] == ["unfit", "", "", ""]


def test_the_preview_is_what_raters_get(rehearsal: Rehearsal) -> None:
    study, organiser = rehearsal.draft(), rehearsal.organiser
    previews = [
        organiser.preview(study.id, pair.id, lower_left=side).ballot
        for pair in organiser.pairs(study.id)
        for side in (True, False)
    ]
    organiser.freeze(study.id)
    bare = replace(rehearsal.ballot(rehearsal.rater(study)), token="", number=0)
    assert bare in [replace(shown, token="", number=0) for shown in previews]


def test_problems_with_three_inputs_or_one_name_are_refused_and_studies_of_one_name(
    rehearsal: Rehearsal,
) -> None:
    study = rehearsal.organiser.create("s")
    with pytest.raises(StudyError, match="same name"):
        rehearsal.organiser.set_problems(study.id, [problem(0), problem(0)])
    with pytest.raises(StudyError, match="has 3 inputs"):
        rehearsal.organiser.set_problems(study.id, [replace(problem(0), csv="a,b,c,y\n1,2,3,4\n")])
    with pytest.raises(DesignError, match="already"):
        rehearsal.organiser.create(" s ")


def test_nothing_that_affects_inference_changes_after_freezing(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    service, pair_id = rehearsal.organiser, rehearsal.organiser.pairs(study.id)[0].id
    for change in (
        lambda: service.edit(study.id, name="other"),
        lambda: service.edit(study.id, design=replace(study.design, exclusion_seconds=1.0)),
        lambda: service.edit(study.id, design=replace(study.design, consent_text="other")),
        lambda: service.set_problems(study.id, [problem(0)]),
        lambda: service.describe_problem(study.id, "q0", title="x", description="y"),
        lambda: service.set_pool(study.id, Pool("p", "problem,formula\n")),
        lambda: service.set_pairs(study.id, [pair(0, 1)]),
        lambda: service.drop_pair(study.id, pair_id, "late"),
        lambda: service.restore_pair(study.id, pair_id),
        lambda: service.delete_draft(study.id),
    ):
        with pytest.raises(FrozenStudyError):
            change()
    with pytest.raises(StudyError):
        service.freeze(study.id)
    assert service.verify(study.id)
    moved = replace(study.design, public_base_url="https://study.example.org")
    assert service.edit(study.id, design=moved).design == moved
    assert service.verify(study.id) and service.study(study.id).hash == study.hash


def test_votes_do_not_change_the_hash_but_equal_drafts_have_equal_hashes(
    rehearsal: Rehearsal,
) -> None:
    first = rehearsal.opened()
    rehearsal.rate(rehearsal.rater(first), 3)
    assert rehearsal.organiser.verify(first.id)
    assert rehearsal.organiser.freeze(rehearsal.draft(name="again").id).hash == first.hash
    other = rehearsal.draft(replace(DESIGN, question="Which is simpler?"), name="third")
    assert rehearsal.organiser.freeze(other.id).hash != first.hash


def test_freezing_reports_progress_and_makes_every_ballot(rehearsal: Rehearsal) -> None:
    study = rehearsal.draft(replace(DESIGN, practice=True, attention_checks=2))
    seen: list[tuple[int, int]] = []
    rehearsal.organiser.freeze(study.id, progress=lambda done, all_: seen.append((done, all_)))
    assert seen[0] == (1, 23) and len(seen) == 20
    with rehearsal.store.reading() as tx:
        pairs = tx.materials.pairs(study.id)
        assert len(pairs) == 23 and all(tx.materials.ballot(p.id) for p in pairs)
        stored = tx.materials.ballot(pairs[0].id)
    main = next(p for p in pairs if p.id == pairs[0].id)
    problems = {p.name: p for p in rehearsal.organiser.problems(study.id)}
    if main.pair.problem in problems:
        assert stored == make_content(problems[main.pair.problem], main.pair).to_json()


def test_links_are_stored_hashed_and_shown_once(rehearsal: Rehearsal, tmp_path: Path) -> None:
    study = rehearsal.opened()
    made = rehearsal.organiser.invitations.invite(study.id, ["Ann", "=cmd()"])
    rows = list(csv.DictReader(io.StringIO(links_csv(made))))
    assert [row["label"] for row in rows] == ["Ann", "'=cmd()"]
    assert rows[0]["link"] == made[0].link
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("eic_lab.sqlite3*"))
    assert token_of(made[0]).encode() not in stored
    listed = rehearsal.organiser.invitations.every(study.id)
    assert [view.state for view in listed] == ["unused", "unused"]
    assert all("link" not in field.name for field in dataclasses.fields(listed[0]))


def test_the_list_of_invitations_tells_how_far_each_has_come(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(ballots_per_rater=2)
    desk = rehearsal.organiser.invitations
    desk.invite(study.id, ["unused"])
    rehearsal.rate(rehearsal.rater(study, "half"), 1)
    rehearsal.rate(rehearsal.rater(study, "done"), 2)
    rehearsal.rating.withdraw(rehearsal.rater(study, "gone"))
    desk.revoke(study.id, desk.invite(study.id, ["back"])[0].id)
    rehearsal.rating.consent(token_of(desk.open_link(study.id, 5)), degree="a", field="b")
    states = [(view.label, view.state) for view in desk.every(study.id)]
    assert states == [
        ("unused", "unused"),
        ("half", "consented"),
        ("done", "finished"),
        ("", "withdrawn"),
        ("back", "revoked"),
        ("", "consented"),
    ]
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.invited, live.consented, live.finished, live.withdrawn) == (6, 4, 1, 1)
    assert live.open_places == 4


def test_the_live_list_and_the_export_count_the_same_people_as_invited(
    rehearsal: Rehearsal,
) -> None:
    """Five personal links, of which one is revoked unused, and two who came by open links."""
    study = rehearsal.opened(ballots_per_rater=2)
    desk = rehearsal.organiser.invitations
    desk.revoke(study.id, desk.invite(study.id, ["a", "b", "c"])[2].id)
    rehearsal.rate(rehearsal.rater(study, "d"), 2)
    rehearsal.rating.withdraw(rehearsal.rater(study, "e"))
    links = [desk.open_link(study.id, quota) for quota in (30, 40)]
    for link in links:
        rehearsal.rating.consent(token_of(link), degree="a", field="b")
    desk.revoke(study.id, links[1].id)
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.invited, live.open_places, live.consented) == (7, 29, 4)
    rehearsal.organiser.close(study.id)
    assert rehearsal.organiser.monitor.live(study.id).invited == 7
    assert rehearsal.organiser.monitor.export(study.id).raters.invited == 7


def test_a_draft_and_a_closed_study_invite_nobody(rehearsal: Rehearsal) -> None:
    draft = rehearsal.draft()
    with pytest.raises(StudyError, match="freeze"):
        rehearsal.organiser.invitations.invite(draft.id, [""])
    rehearsal.organiser.freeze(draft.id)
    rehearsal.organiser.close(draft.id)
    with pytest.raises(StudyError, match="closed"):
        rehearsal.organiser.invitations.open_link(draft.id, 5)


def test_a_demo_makes_links_for_this_machine_only(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    demo = OrganiserService(rehearsal.store, rehearsal.clock, SystemChance(), demo=True)
    assert demo.invitations.invite(study.id, [""])
    assert "this computer" in demo.invitations.warning(study.id)
    demo.edit(study.id, design=replace(study.design, public_base_url="https://study.example.org"))
    assert demo.invitations.warning(study.id) == ""
    with pytest.raises(StudyError, match="demo invites nobody"):
        demo.invitations.invite(study.id, [""])


def test_the_live_list_holds_no_result(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(ballots_per_rater=4)
    rehearsal.rate(rehearsal.rater(study), 4, seconds=30)
    rehearsal.rate(rehearsal.rater(study), 1, seconds=10)
    rehearsal.clock.advance(25 * 3600)
    live = rehearsal.organiser.monitor.live(study.id)
    assert (live.finished, live.dropped_out, live.active, live.votes) == (1, 1, 0, 5)
    assert live.median_seconds == 30 and live.votes_wanted == 100
    text = json.dumps(dataclasses.asdict(live), default=str).lower()
    for word in ("lower", "higher", "left", "right", "prefer", "eic", SECRET_METHOD.lower()):
        assert word not in text


def test_the_inspector_is_closed_while_a_blind_study_is_open(rehearsal: Rehearsal) -> None:
    assert rehearsal.organiser.inspector_is_open()
    deadline = rehearsal.clock.now() + timedelta(days=2)
    study = rehearsal.opened(deadline=deadline)
    assert not rehearsal.organiser.inspector_is_open()
    rehearsal.clock.advance(2 * 86400)
    assert rehearsal.organiser.inspector_is_open()
    rehearsal.organiser.close(study.id)
    rehearsal.organiser.freeze(
        rehearsal.draft(replace(DESIGN, inspector_open_during_study=True), name="second").id
    )
    assert rehearsal.organiser.inspector_is_open()


def test_the_export_has_every_vote_and_the_hash(rehearsal: Rehearsal, tmp_path: Path) -> None:
    study = rehearsal.opened(practice=True, attention_checks=1, ballots_per_rater=4)
    for seconds in (30, 5):
        rehearsal.rate(rehearsal.rater(study), 6, seconds=seconds)
    rehearsal.rating.withdraw(rehearsal.rater(study))
    with pytest.raises(StudyError, match="still open"):
        rehearsal.organiser.monitor.export(study.id)
    rehearsal.organiser.close(study.id)
    export = rehearsal.organiser.monitor.export(study.id)
    assert export.hash == study.hash and len(export.pairs) == 20
    assert dataclasses.astuple(export.raters) == (3, 3, 2, 1, 0)
    assert sum(vote.on_a_pair for vote in export.votes) == 8
    assert {vote.session_seconds for vote in export.votes} == {150.0, 25.0}
    with rehearsal.store.reading() as tx:
        rows = {f"v{vote.id}": vote for vote in tx.votes.every(study.id)}
    for vote in export.votes:
        assert vote.choice == ("lower" if vote.lower_side == "left" else "higher")
        assert rows[vote.vote].choice == "left"
    write_export(tmp_path / "out", export)
    assert read_export(tmp_path / "out") == export


def test_unknown_ids_are_named(rehearsal: Rehearsal) -> None:
    study, organiser = rehearsal.draft(), rehearsal.organiser
    for ask in (
        lambda: organiser.study(99),
        lambda: organiser.preview(study.id, 999),
        lambda: organiser.invitations.revoke(study.id, 5),
    ):
        with pytest.raises(NotFoundError):
            ask()


def test_from_a_pool_file_to_pairs(rehearsal: Rehearsal, tmp_path: Path) -> None:
    folder = tmp_path / "problems"
    folder.mkdir()
    rows = "\n".join(f"{x},{3 * x + 1}" for x in range(1, 30))
    (folder / "line.csv").write_text(f"t,y\n{rows}\n")
    (folder / "wide.csv").write_text("a,b,c,y\n1,2,3,4\n")
    problems = problems_from_folder(folder)
    assert [p.name for p in problems] == ["line"]
    texts = ("3*x1+1", "1+3*x1", "x1*3+1.01", "99999*x1-99996*x1+1", "lg(x")
    pool = "problem,formula,method\n" + "\n".join(f"line,{text},m" for text in texts)
    study = rehearsal.organiser.create("s", DESIGN)
    rehearsal.organiser.set_problems(study.id, problems)
    upload = read_upload("pool.csv", pool.encode(), problems, jobs=1)
    assert upload.scored_here and [row.row for row in upload.refused] == [5]
    again = read_upload("scored.csv", upload.pool.csv.encode(), problems)
    assert not again.scored_here and again.refused == upload.refused
    rehearsal.organiser.set_pool(study.id, upload.pool)
    result, pairs = match_study(rehearsal.organiser, study.id, MatchingRules(max_complexity_gap=4))
    assert len(pairs) == len(result.pairs) == 1
    member = pairs[0].pair.higher
    assert (member.formula, member.row, member.index_base) == ("99999*x1-99996*x1+1", 3, 1)
    assert rehearsal.organiser.study(study.id).rules["max_complexity_gap"] == 4
    assert "t" in rehearsal.organiser.preview(study.id, pairs[0].id).lower_latex


@pytest.mark.outside
def test_the_shared_pool_takes_the_same_steps(rehearsal: Rehearsal, shared: Path) -> None:
    problems = problems_from_folder(shared / "data" / "problems", ["nikuradse_1", "nikuradse_2"])
    packed = (shared / "data" / "pools" / "sr_fronts_1d2d.csv.gz").read_bytes()
    upload = read_upload("sr_fronts_1d2d.csv.gz", packed, problems, jobs=1)
    study = rehearsal.organiser.create("shared", DESIGN)
    rehearsal.organiser.set_problems(study.id, problems)
    rehearsal.organiser.set_pool(study.id, upload.pool)
    _, pairs = match_study(rehearsal.organiser, study.id, MatchingRules())
    assert len(pairs) > 100
    missing = rehearsal.organiser.readiness(study.id).missing
    assert sum("give a symbol" in why for why in missing) == len(problems)
    assert [why.partition(" tell")[0] for why in missing if " tell" in why] == [
        f"the names of `r_k`, `log_Re` and `target` in `{each.name}`"
        if number == 1
        else f"the names of `log_v_k_nu` and `target` in `{each.name}`"
        for number, each in enumerate(problems, start=1)
    ]
    for each in problems:
        named = tuple(
            Column(name, "", f"what {name} is", name.replace("log_", "L_"))
            for name in column_names(each)
        )
        rehearsal.organiser.describe_problem(
            study.id, each.name, title="Pipes", description="Friction.", columns=named
        )
    assert rehearsal.organiser.verify(rehearsal.organiser.freeze(study.id).id)
    previews = [rehearsal.organiser.preview(study.id, p.id) for p in pairs]
    for seen in previews:
        assert 4 <= seen.digits <= 17 and seen.r2_change <= 0.001
        shown = {seen.ballot.left.r2, seen.ballot.right.r2}
        wanted = (seen.pair.pair.lower.r2, seen.pair.pair.higher.r2)
        assert all(min(abs(r2 - s) for s in shown) < 0.002 for r2 in wanted)


def test_a_pool_that_unpacks_to_more_than_the_machine_can_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairing, "MAX_UNPACKED", 1_000_000)
    bomb = gzip.compress(b"problem,formula\n" + b"\n" * 2_000_000)
    assert len(bomb) < 5_000
    with pytest.raises(DataError, match=r"the file pool\.csv\.gz holds more than 1 MB"):
        read_upload("pool.csv.gz", bomb, [problem(0)])


PACKED = gzip.compress(b"problem,formula\nq0,x\n" * 50)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("pool.csv", b"", "pool.csv has no rows"),
        (
            "pool.csv",
            b"a,b\n1,2\n",
            "a pool needs the columns `problem` (or `dataset`) and `formula`",
        ),
        ("pool.csv", b"\x00\xff\xfe" * 20, "cannot read pool.csv"),
        (
            "pool.csv",
            b'problem,formula\nq0,"' + b"x+" * 100_000 + b'x"\n',
            "field larger than field limit",
        ),
        *(("pool.csv.gz", PACKED[:cut], "cannot unpack pool.csv.gz") for cut in (4, 20, -9)),
    ],
)
def test_a_pool_that_cannot_be_read_is_named_without_a_path_of_this_machine(
    name: str, data: bytes, why: str
) -> None:
    with pytest.raises(DataError) as caught:
        read_upload(name, data, [problem(0)])
    assert why in str(caught.value) and "/" not in str(caught.value)


def test_freezing_asks_for_symbols_of_names_that_a_formula_cannot_have() -> None:
    def asked(*columns: Column) -> list[str]:
        table = Problem("p", "rotation speed [km/s],log_Re,mass\n1,2,3\n2,3,5\n", columns=columns)
        return [line.partition(":")[0] for line in _unexplained([table])]

    log = Column("log_Re", "", "logarithm of Re", "L")
    assert asked(log) == [
        "a formula with `rotation speed` of `p` in it would be read as something else"
    ]
    assert asked(log, Column("rotation speed", "km/s", "", "L")) == [
        "two columns of `p` have one symbol"
    ]
    assert asked(log, Column("rotation speed", "km/s", "", "v")) == []
