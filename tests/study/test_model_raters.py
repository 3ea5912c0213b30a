"""Asking models: what they are sent, what becomes of an answer, and an endpoint that misbehaves.

The endpoint is a real HTTP server that speaks the protocol (`tests/chat_server.py`).
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

import pytest

from db import open_database
from eic_core.errors import DataError
from study.ballots import BallotContent
from study.errors import DesignError, StudyError
from study.model_plan import ModelPlan
from study.model_raters.answers import outcome_of
from study.model_raters.asking import Asking, AskingProgress, Ending, ModelQuestion
from study.model_raters.endpoint import (
    Call,
    ChatEndpoint,
    EndpointError,
    EndpointTrouble,
    check_address,
    key_for,
)
from study.model_raters.prompt import PROMPT_SHA256, ShownPair
from study.model_raters.service import (
    AskedFor,
    ModelRaters,
    RunSettings,
    questions_in_order,
    seed_of,
)
from study.model_replies import ModelOutcome, ModelReply
from study.report import read_export, write_export
from study.store import ModelAnswerRow
from tests.chat_server import Body, ChatServer, Said, chat_server, choice, error, shorter
from tests.rehearsal import DESIGN, SECRET_METHOD, Rehearsal

KEY = "sk-very-secret"


def raters(rehearsal: Rehearsal) -> ModelRaters:
    return ModelRaters(rehearsal.store, rehearsal.clock)


def opened(rehearsal: Rehearsal, **changes: Any) -> int:
    design = {"ballots_per_rater": 2, **changes}
    return rehearsal.opened(problems=2, pairs=2, **design).id


@pytest.fixture
def study(rehearsal: Rehearsal) -> int:
    return opened(rehearsal)


def asked(
    rehearsal: Rehearsal,
    study: int,
    server: ChatServer,
    *,
    key: str = "",
    repeats: int = 2,
    stream: bool = False,
    timeout: float = 20.0,
    label: str = "",
    **options: Any,
) -> AskingProgress:
    """Begin and ask, without waiting between two tries."""
    service = raters(rehearsal)
    run = service.begin(study, RunSettings("m", server.url, repeats, 0.7, label))
    endpoint = ChatEndpoint(server.url, key, timeout=timeout, stream=stream)
    options.setdefault("wait", lambda _: None)
    return service.ask(run, endpoint, **options)


def answers(rehearsal: Rehearsal, run: int = 1) -> tuple[ModelAnswerRow, ...]:
    with rehearsal.store.reading() as tx:
        return tx.models.answers(run)


def sent_for(server: ChatServer) -> Counter[str]:
    """How often each question was answered: by its words and its seed."""
    return Counter(f"{seen.user} {seen.body.get('seed')}" for seen in server.answered)


# --- what is sent ---


def test_every_byte_sent_is_what_people_are_shown(rehearsal: Rehearsal, study: int) -> None:
    """Read from the wire: headers, and bodies with nothing of EIC, method, pool, ids or order."""
    with chat_server() as server:
        asked(rehearsal, study, server, key=KEY, repeats=4)
    pairs = rehearsal.organiser.pairs(study)
    with rehearsal.store.reading() as tx:
        ballots = [BallotContent.from_json(tx.materials.ballot(pair.id) or "") for pair in pairs]
        design = tx.studies.get(study).design
    assert len(server.seen) == len(pairs) * 4
    orders: Counter[tuple[str, ...]] = Counter()
    for seen in server.seen:
        body, everything = seen.body, seen.content.decode()
        assert set(body) == {
            "model",
            "messages",
            "temperature",
            "max_tokens",
            "seed",
            "response_format",
        }
        assert [m["role"] for m in body["messages"]] == ["system", "user"], "a fresh context"
        assert set(seen.headers) <= {
            "host",
            "accept",
            "accept-encoding",
            "connection",
            "content-type",
            "content-length",
            "user-agent",
            "authorization",
            "idempotency-key",
        } | {name for name in seen.headers if name.startswith("x-stainless-")}
        assert seen.headers["authorization"] == f"Bearer {KEY}" and KEY not in everything
        words = json.dumps(body["messages"], ensure_ascii=False)
        hidden = r"(?i)\beic\b|method|\bpool\b|\blower\b|\bhigher\b|information|stab|\bp0\d\d\b"
        assert not re.search(hidden, words)
        for secret in (SECRET_METHOD, "0.3217", "3.7654", "-11.86", "rehearsal", '"q0"', '"q1"'):
            assert secret not in everything
        latex = re.findall(r"^LaTeX: (.*)$", seen.user, re.MULTILINE)
        orders[tuple(latex)] += 1
        [shown] = [b for b in ballots if {b.lower.latex, b.higher.latex} == set(latex)]
        for text in (shown.title, shown.description, design.question, design.question_meaning):
            assert text in seen.user
        by_latex = {card.latex: card for card in (shown.lower, shown.higher)}
        r2 = re.findall(r"^R²: (.*)$", seen.user, re.MULTILINE)
        nodes = re.findall(r"^Complexity: (.*)$", seen.user, re.MULTILINE)
        assert [(float(a), int(b)) for a, b in zip(r2, nodes, strict=True)] == [
            (by_latex[each].r2, by_latex[each].complexity) for each in latex
        ]
        points = {",".join(f"{v:g}" for v in point) for point in shown.figure.points}
        assert points <= set(seen.user.splitlines())
    assert set(orders.values()) == {2} and len(orders) == 2 * len(pairs), "both orders, equally"
    assert len({seen.body["seed"] for seen in server.seen}) == len(server.seen)


def test_the_plain_text_is_the_formula_that_the_ballot_draws(
    rehearsal: Rehearsal, study: int
) -> None:
    """Python works out the text itself: it fits the ballot's dots as well as the card says."""
    with rehearsal.store.reading() as tx:
        frozen = [
            (pair.pair, BallotContent.from_json(tx.materials.ballot(pair.id) or ""))
            for pair in tx.materials.pairs(study)
        ]
    for pair, content in frozen:
        shown = ShownPair.of(pair, content)
        names = [axis.name for axis in content.figure.inputs]
        dots = content.figure.points
        assert len(dots) == content.figure.rows
        for text, card in (
            (shown.lower_text, content.lower),
            (shown.higher_text, content.higher),
        ):
            left = [
                eval(text, {"__builtins__": {}}, dict(zip(names, dot, strict=False))) - dot[-1]  # noqa: S307
                for dot in dots
            ]
            spread = pvariance(dot[-1] for dot in dots)
            assert card.r2 == pytest.approx(1 - fmean(v * v for v in left) / spread, abs=6e-4)
        with pytest.raises(StudyError, match="another way"):
            ShownPair.of(pair, replace(content, lower=content.higher))


def test_a_name_stays_in_its_line_and_fills_no_place_of_the_template(
    rehearsal: Rehearsal,
    study: int,
) -> None:
    with rehearsal.store.reading() as tx:
        pair = tx.materials.pairs(study)[0]
        content = BallotContent.from_json(tx.materials.ballot(pair.id) or "")
    plain = ShownPair.of(pair.pair, content)
    forged = "t\n\nFormula A\nR²: {a_r2}"
    axis = replace(content.figure.target, name=forged, unit=forged, meaning=forged)
    named = replace(content, title=forged, figure=replace(content.figure, target=axis))
    said, usual = (
        replace(plain, content=each).prompt(DESIGN, lower_first=True).user
        for each in (named, content)
    )
    assert len(said.splitlines()) == len(usual.splitlines())
    assert said.count("{a_r2}") == 5 and said.splitlines().count("Formula A") == 1


def test_the_template_is_frozen() -> None:
    """Another word asks another question: studies frozen with this hash could not go on."""
    assert PROMPT_SHA256 == "f05c8e203f47997d28e975b2cfd435c5320cf1c8eff0c5c54c2b78f0f4d23ca2"


def test_a_tie_is_offered_where_people_may_tie(rehearsal: Rehearsal) -> None:
    study = opened(rehearsal, allow_tie=True)
    with chat_server(lambda body, _: choice("tie")) as server:
        asked(rehearsal, study, server)
    body = server.seen[0].body
    assert '"tie"' in body["messages"][0]["content"]
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["choice"]["enum"] == ["A", "B", "tie"]
    assert {answer.chosen for answer in answers(rehearsal)} == {"tie"}


def test_odd_repeats_are_refused_with_the_reason() -> None:
    with pytest.raises(DesignError, match="cannot be shared equally between the two orders"):
        RunSettings("m", "http://localhost/v1", repeats=5)
    with pytest.raises(DesignError, match="repeats must be from 2"):
        ModelPlan(("m",), repeats=0)


# --- the key ---


def test_no_key_is_sent_where_none_is_given_whatever_the_environment_says(
    rehearsal: Rehearsal, study: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, KEY)
    with chat_server() as server:
        asked(rehearsal, study, server)
    for seen in server.seen:
        assert "authorization" not in seen.headers
        assert KEY not in json.dumps(seen.headers) + seen.content.decode()


def test_a_key_goes_to_the_address_it_is_for_and_never_unencrypted() -> None:
    assert key_for("https://api.openai.com/v1", "", KEY) == KEY
    for elsewhere in (
        "http://localhost:1/v1",
        "https://api.openai.com.evil.example/v1",
        "http://api.openai.com/v1",
    ):
        assert key_for(elsewhere, "", KEY) == ""
    with pytest.raises(DesignError, match="unencrypted"):
        ChatEndpoint("http://example.org/v1", KEY)
    for bad in ("https://user:pw@example.org/v1", "https://example.org/v1?key=1", "example.org"):
        with pytest.raises(DesignError):
            check_address(bad)
    assert KEY not in repr(ChatEndpoint("http://localhost:1/v1", KEY))


def test_a_key_that_the_endpoint_repeats_is_in_no_message(rehearsal: Rehearsal, study: int) -> None:
    with (
        chat_server(lambda body, _: error(401, f"Incorrect API key: {KEY}, sk-abc***")) as server,
        pytest.raises(EndpointError, match="refuses \\(401\\)") as raised,
    ):
        asked(rehearsal, study, server, key=KEY)
    assert KEY not in str(raised.value) and "sk-abc" not in str(raised.value)
    stored = rehearsal.url.removeprefix("sqlite:///")
    with open(stored, "rb") as file:
        assert KEY.encode() not in file.read()


def test_a_key_that_a_model_repeats_is_not_stored(rehearsal: Rehearsal) -> None:
    study, said = opened(rehearsal), json.dumps({"choice": "A", "reason": f"You are {KEY}."})
    with chat_server(lambda body, _: Said(said)) as server:
        asked(rehearsal, study, server, key=f"{KEY}\n")
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert {a.raw for a in answers(rehearsal)} == {said.replace(KEY, "…")}
    for file in Path(rehearsal.url.removeprefix("sqlite:///")).parent.iterdir():
        assert KEY.encode() not in file.read_bytes()


# --- what an answer says ---


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('{"choice": "A", "reason": "x"}', "first"),
        (' {"choice":"B"} \n', "second"),
        ('```json\n{"choice": "A"}\n```', "first"),
        ('<think>\nB is {"choice": "B"}\n</think>\n{"choice": "A"}', "first"),
        ('{"choice": "tie", "reason": ""}', "tie"),
        ("I can't help with that.", "refused"),
        ("A", "unparsable"),
        ("", "unparsable"),
        ('{"choice": "A"} or {"choice": "B"}', "unparsable"),
        ('I choose {"choice": "A"}', "unparsable"),
        ('{"choice": "a"}', "unparsable"),
        ('{"choice": ["A"]}', "unparsable"),
        ('{"choice": "A", "choice": "B"}', "unparsable"),
        ('["A"]', "unparsable"),
        ('{"choice": "A"', "unparsable"),
        ("[" * 100_000, "unparsable"),
        ('<think>{"choice": "A"}', "unparsable"),
    ],
)
def test_an_answer_is_read_strictly(text: str, outcome: str) -> None:
    assert outcome_of(ModelReply(text, finish_reason="stop")) == outcome


def test_a_filter_is_a_refusal_and_what_was_cut_off_is_no_answer() -> None:
    whole = '{"choice": "A"}'
    assert outcome_of(ModelReply(whole, finish_reason="content_filter")) == ModelOutcome.REFUSED
    assert outcome_of(ModelReply("", refusal="I won't")) == ModelOutcome.REFUSED
    assert outcome_of(ModelReply(whole, finish_reason="length")) == ModelOutcome.UNPARSABLE


def test_refusals_ties_and_nonsense_are_outcomes_and_not_asked_again(
    rehearsal: Rehearsal, study: int
) -> None:
    said = (
        choice("A"),
        choice("tie"),
        Said("No idea \0 \ud800"),
        Said(None, refusal="I won't"),
        Said("", finish="content_filter"),
        Said('{"choice"', finish="length"),
    )
    with chat_server(lambda body, number: said[number % len(said)]) as server:
        ended = asked(rehearsal, study, server, concurrency=1, repeats=6)
    assert ended.ending == Ending.DONE and len(server.seen) == 24
    [state] = raters(rehearsal).runs(study)
    assert dict(state.outcomes) == {"answered": 4, "tie": 4, "refused": 8, "unparsable": 8}
    stored = answers(rehearsal)
    assert {a.raw for a in stored if a.outcome == ModelOutcome.REFUSED} == {"I won't", ""}
    assert "No idea  ?" in {a.raw for a in stored}
    assert {a.snapshot for a in stored} == {"m-2026-01-01"} and stored[0].fingerprint == "fp_1"
    assert all(a.structured and a.seed and a.latency_seconds > 0 for a in stored)


# --- endpoints that misbehave ---


def once(bad: Said) -> Callable[[Body, int], Said]:
    return lambda body, number: bad if number == 1 else shorter(body, number)


@pytest.mark.parametrize(
    "bad",
    [
        Said(drop=True),
        Said(raw=b"<html>busy</html>"),
        Said(raw=b'{"choices": []}'),
        Said(raw=b'{"id": "x"'),
        Said(raw=b"[1, 2]"),
        Said(raw=b'{"error": {"message": "no such model"}}'),
        Said(raw=b"[" * 100_000),
        error(500, "overheated"),
        error(503, "loading the model", retry_after="0"),
        error(429, "slow down", retry_after="0"),
    ],
    ids=[
        "dropped",
        "html",
        "no choices",
        "half json",
        "a list",
        "an error",
        "too deep",
        "500",
        "503",
        "429",
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_call_that_fails_is_tried_again_and_leaves_nothing_behind(
    bad: Said, stream: bool
) -> None:
    with chat_server(once(replace(bad, text='{"choice": "A"}'))) as server:
        endpoint = ChatEndpoint(server.url, stream=stream)
        with pytest.raises(EndpointTrouble):
            endpoint.answer(CALL)
        assert outcome_of(endpoint.answer(CALL)) in (ModelOutcome.FIRST, ModelOutcome.SECOND)


class _Says:
    """An endpoint that always says the same."""

    def __init__(self, text: str) -> None:
        self.reply = ModelReply(text, prompt_tokens=400, completion_tokens=10)

    def answer(self, call: Call) -> ModelReply:
        return self.reply


class _Texts:
    system, user = "s", "Plain text: x\nPlain text: x + 1"
    schema: dict[str, Any] = {}


CALL = Call("m", _Texts(), 0.7, 1, 100)  # type: ignore[arg-type]


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_is_sent_to_the_given_address_alone(stream: bool) -> None:
    with chat_server() as other:
        away = Said(
            status=307,
            raw=b"",
            headers={"location": other.url.replace("127.0.0.1", "localhost") + "/chat/completions"},
        )
        with (
            chat_server(lambda body, _: away) as server,
            pytest.raises(EndpointError, match="points to another address"),
        ):
            ChatEndpoint(server.url, KEY, stream=stream).answer(CALL)
    assert len(server.seen) == 1 and not other.seen


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_without_an_end_is_given_up(
    stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("study.model_raters.endpoint.MOST_BYTES", (20_000, 0))
    with (
        chat_server(lambda body, _: Said("x" * 100_000)) as server,
        pytest.raises(EndpointTrouble, match="longer than 20,000 bytes"),
    ):
        ChatEndpoint(server.url, stream=stream).answer(CALL)
    monkeypatch.setattr("study.model_raters.endpoint.LONGEST_CALL", 0.0)
    with (
        chat_server(lambda body, _: Said("x" * 100)) as server,
        pytest.raises(EndpointTrouble, match="has not ended after 0 s"),
    ):
        ChatEndpoint(server.url, stream=stream).answer(CALL)


def test_retry_after_is_seconds_or_a_date_and_else_nothing() -> None:
    for said, least, most in (
        ("7", 7, 7),
        ("1e9", 1e9, 1e9),
        ("-5", 0, 0),
        ("nan", 0, 0),
        ("soon", 0, 0),
        ("", 0, 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("Wed, 21 Oct 2199 07:28:00 GMT", 1e9, 1e10),
    ):
        busy = error(429, "x", retry_after=said)
        with (
            chat_server(lambda *_, busy=busy: busy) as server,
            pytest.raises(EndpointTrouble) as raised,
        ):
            ChatEndpoint(server.url).answer(CALL)
        assert least <= raised.value.retry_after <= most, said


def test_an_answer_in_pieces_is_the_same_answer(rehearsal: Rehearsal, study: int) -> None:
    with chat_server() as server:
        asked(rehearsal, study, server, label="whole")
        asked(rehearsal, study, server, label="pieces", stream=True)
    whole, pieces = answers(rehearsal, 1), answers(rehearsal, 2)
    assert all(seen.body["stream"] for seen in server.seen[len(whole) :])
    key = {(a.pair_id, a.lower_first, a.repeat): a for a in whole}
    assert len(pieces) == len(whole) == 8
    for answer in pieces:
        other = key[answer.pair_id, answer.lower_first, answer.repeat]
        assert answer.snapshot == other.snapshot and answer.prompt_tokens == other.prompt_tokens
        assert answer.finish_reason == "stop" and answer.raw


def test_a_slow_endpoint_is_given_up_after_the_timeout() -> None:
    given_up = threading.Event()

    def silent(body: Body, number: int) -> Said:
        given_up.wait()
        return shorter(body, number)

    with chat_server(silent) as server:
        with pytest.raises(EndpointTrouble, match="no answer within 0.1 s"):
            ChatEndpoint(server.url, timeout=0.1).answer(CALL)
        given_up.set()


def test_retry_after_is_waited_for_and_costs_nothing(rehearsal: Rehearsal) -> None:
    study, waited = opened(rehearsal), []
    slow = error(429, "slow down", retry_after="7")
    with chat_server(lambda body, number: slow if number < 4 else shorter(body, number)) as server:
        ended = asked(rehearsal, study, server, concurrency=1, wait=waited.append)
    assert waited == [7.0, 7.0, 7.0]
    assert (ended.ending, ended.failures, ended.lost_tokens) == (Ending.DONE, 3, 0)


def test_a_dead_endpoint_ends_the_asking_and_it_goes_on_later(rehearsal: Rehearsal) -> None:
    study, alive = opened(rehearsal), [3]

    def dying(body: Body, number: int) -> Said:
        return shorter(body, number) if number <= alive[0] else Said(drop=True)

    with chat_server(dying) as server:
        ended = asked(rehearsal, study, server, concurrency=1)
        assert (ended.ending, ended.done, ended.total) == (Ending.TROUBLE, 3, 8)
        assert ended.trouble.startswith("the connection failed") and ended.lost_tokens > 0
        alive[0] = 1000
        service = raters(rehearsal)
        run = service.begin(study, RunSettings("m", server.url, 2), resume=True)
        again = service.ask(run, ChatEndpoint(server.url))
    assert (again.ending, again.done) == (Ending.DONE, 8)
    assert set(sent_for(server).values()) == {1} and len(sent_for(server)) == 8


def test_what_an_endpoint_does_not_know_is_left_out_from_then_on(
    rehearsal: Rehearsal, study: int
) -> None:
    """Whether it says so in an error of the protocol or in a bare text."""

    def old(body: Body, number: int) -> Said:
        if "response_format" in body:
            return Said(status=400, raw=b'{"error": "unknown field `response_format`"}')
        if "seed" in body:
            return error(400, "Unsupported parameter: 'seed'")
        if "max_tokens" in body:
            return error(400, "Use 'max_completion_tokens' instead of 'max_tokens'")
        return shorter(body, number)

    with chat_server(old) as server:
        ended = asked(rehearsal, study, server, concurrency=1)
    assert ended.done == 8 and len(server.seen) == 11 and ended.failures == 0
    assert all(a.seed is None and not a.structured for a in answers(rehearsal))
    assert server.seen[-1].body["max_completion_tokens"] == 1000


def test_what_will_always_be_refused_ends_at_once_with_the_reason(
    rehearsal: Rehearsal, study: int
) -> None:
    with (
        chat_server(lambda body, _: error(404, "model `m` not found")) as server,
        pytest.raises(EndpointError, match="model `m` not found: look at the address"),
    ):
        asked(rehearsal, study, server)
    assert len(server.seen) <= 8 and not answers(rehearsal)


# --- many at once, budgets, pauses ---


def test_as_many_calls_are_under_way_as_were_asked_for(rehearsal: Rehearsal) -> None:
    study, four = opened(rehearsal), threading.Barrier(4)

    def together(body: Body, number: int) -> Said:
        four.wait()
        return shorter(body, number)

    with chat_server(together) as server:
        asked(rehearsal, study, server, concurrency=4, repeats=4)
    assert server.most_together == 4


@pytest.mark.parametrize("counts", [True, False])
def test_a_budget_stops_in_time(rehearsal: Rehearsal, counts: bool) -> None:
    """Whatever the answers cost: no call is begun whose worst case would not fit."""
    spent = []

    def longwinded(body: Body, number: int) -> Said:
        text = json.dumps({"choice": "A", "reason": "x" * 2900})
        asked = sum(len(m["content"]) for m in body["messages"]) // 3
        spent.append(asked + len(text) // 3)
        return Said(text, usage=counts)

    study, budget = opened(rehearsal), 20_000
    with chat_server(longwinded) as server:
        ended = asked(rehearsal, study, server, budget_tokens=budget, repeats=6)
        assert ended.ending == Ending.BUDGET and 0 < ended.done < ended.total
        assert sum(spent) <= ended.tokens <= budget
        if counts:
            assert ended.tokens == sum(spent) and sum(spent) > budget - 4000
        service = raters(rehearsal)
        run = service.begin(study, RunSettings("m", server.url, 6), resume=True)
        more = service.ask(run, ChatEndpoint(server.url), budget_tokens=budget)
        assert (more.ending, more.done) == (Ending.BUDGET, ended.done), "of the whole run"
        last = service.ask(run, ChatEndpoint(server.url), budget_tokens=budget * 20)
    assert last.ending == Ending.DONE and set(sent_for(server).values()) == {1}


def test_a_pause_keeps_every_answer_under_way(rehearsal: Rehearsal, study: int) -> None:
    class Enough(Exception):
        pass

    def stop(state: AskingProgress) -> None:
        if state.done >= 5:
            raise Enough

    with chat_server(lambda body, n: replace(shorter(body, n), delay=0.03)) as server:
        with pytest.raises(Enough):
            asked(rehearsal, study, server, repeats=6, concurrency=4, progress=stop)
        kept = len(answers(rehearsal))
        assert 5 <= kept <= 24 and len(server.answered) == kept, "none under way was lost"
        service = raters(rehearsal)
        run = service.begin(study, RunSettings("m", server.url, 6), resume=True)
        service.ask(run, ChatEndpoint(server.url))
    assert len(sent_for(server)) == 24 and set(sent_for(server).values()) == {1}
    assert set(Counter((a.pair_id, a.lower_first) for a in answers(rehearsal)).values()) == {3}


def test_pausing_ends_a_wait_for_the_endpoint(rehearsal: Rehearsal) -> None:
    study, held, waits = opened(rehearsal), [], threading.Event()

    def later(body: Body, number: int) -> Said:
        waits.set()
        return error(429, "later", retry_after="200")

    def pause() -> None:
        waits.wait()
        held[0].pause()

    with chat_server(later) as server:
        service = raters(rehearsal)
        run = service.begin(study, RunSettings("m", server.url, 2))
        threading.Thread(target=pause).start()
        ended = service.ask(run, ChatEndpoint(server.url), started=held.append)
    assert (ended.ending, ended.done) == (Ending.PAUSED, 0)


def test_an_error_of_ours_is_raised_and_what_is_stored_stays(rehearsal: Rehearsal) -> None:
    kept: list[int] = []

    def keep(about: int, reply: ModelReply) -> None:
        if len(kept) == 2:
            raise OSError("the disk is full")
        kept.append(about)

    with chat_server() as server:
        asking = Asking(ChatEndpoint(server.url), keep, concurrency=2)
        with pytest.raises(OSError, match="disk"):
            asking.run([ModelQuestion(n, CALL) for n in range(9)], AskingProgress(0, 9))
    assert len(kept) == 2 and len(server.seen) <= 6


# --- runs ---


def test_a_run_goes_on_as_it_was_begun_and_is_not_begun_twice(rehearsal: Rehearsal) -> None:
    study, service = opened(rehearsal), raters(rehearsal)
    first = RunSettings("m", "http://localhost:1/v1")
    with pytest.raises(StudyError, match="has not been asked"):
        service.begin(study, first, resume=True)
    begun = service.begin(study, first)
    service.ask(begun, _Says('{"choice": "A"}'), budget_tokens=3000, concurrency=1)
    with pytest.raises(StudyError, match="of 16 answers are there: go on with --resume"):
        service.begin(study, first)
    run = service.begin(study, first, resume=True)
    assert (run.id, run.begun_at) == (1, begun.begun_at)
    for other in (
        replace(first, repeats=6),
        replace(first, temperature=0.1),
        replace(first, base_url="http://localhost:2/v1"),
    ):
        with pytest.raises(StudyError, match="was begun"):
            service.begin(study, other, resume=True)
    assert service.begin(study, replace(first, label="again")).id != run.id


def test_who_gave_a_wrong_address_has_begun_nothing(rehearsal: Rehearsal) -> None:
    """Else a declared model could never be asked as it was declared."""
    plan = ModelPlan(("m",), repeats=2, prompt_sha256=PROMPT_SHA256)
    study, service = opened(rehearsal, model_raters=plan), raters(rehearsal)
    with chat_server(lambda body, _: error(404, "no such model")) as server:
        with pytest.raises(EndpointError):
            asked(rehearsal, study, server)
        assert service.runs(study) == ()
    with chat_server() as server:
        assert asked(rehearsal, study, server).ending == Ending.DONE
    [state] = service.runs(study)
    assert state.run.base_url == server.url and state.complete and not state.undeclared


def test_two_who_ask_the_same_at_once_ask_nothing_twice(rehearsal: Rehearsal) -> None:
    study, held = opened(rehearsal), threading.Event()

    def holding(body: Body, number: int) -> Said:
        held.wait(30)
        return shorter(body, number)

    with chat_server(holding) as server, ThreadPoolExecutor(1) as other:
        first = other.submit(asked, rehearsal, study, server)
        while not server.seen:
            assert not first.done()
        elsewhere = ModelRaters(open_database(rehearsal.url), rehearsal.clock)
        run = elsewhere.begin(study, RunSettings("m", server.url, 2))
        with pytest.raises(StudyError, match="is being asked already"):
            elsewhere.ask(run, ChatEndpoint(server.url))
        held.set()
        assert first.result().ending == Ending.DONE
    assert len(server.seen) == len(answers(rehearsal)) == 8
    folder = Path(rehearsal.url.removeprefix("sqlite:///")).parent
    assert not list(folder.glob("*.lock"))


def test_a_draft_is_not_asked_about_and_a_closed_study_is(rehearsal: Rehearsal) -> None:
    service, settings = raters(rehearsal), RunSettings("m", "http://localhost:1/v1")
    draft = rehearsal.draft(problems=2, pairs=2)
    with pytest.raises(StudyError, match="a draft has nothing to ask about"):
        service.begin(draft.id, settings)
    rehearsal.organiser.edit(draft.id, design=replace(DESIGN, ballots_per_rater=2))
    rehearsal.organiser.freeze(draft.id)
    rehearsal.organiser.close(draft.id)
    with chat_server() as server:
        assert asked(rehearsal, draft.id, server).ending == Ending.DONE
    assert rehearsal.organiser.verify(draft.id)


def test_what_was_declared_is_frozen_and_anything_else_is_exploratory(
    rehearsal: Rehearsal,
) -> None:
    plan = ModelPlan(("m",), repeats=2, prompt_sha256=PROMPT_SHA256)
    with_plan = opened(rehearsal, model_raters=plan)
    frozen = rehearsal.organiser.study(with_plan)
    assert frozen.design.model_raters == plan and rehearsal.organiser.verify(with_plan)
    service, here, states = raters(rehearsal), "http://localhost:1/v1", []
    for settings in (
        RunSettings("m", here, 2),
        RunSettings("n", here, 2),
        RunSettings("m", here, 2, 0.7, "m2"),
    ):
        states.append(service.state(service.begin(with_plan, settings)))
    assert [bool(state.undeclared) for state in states] == [False, True, True]


def test_the_questions_of_a_run_are_the_same_each_time() -> None:
    found = questions_in_order([1, 2, 3], 6, "m")
    assert found == questions_in_order([1, 2, 3], 6, "m") != questions_in_order([1, 2, 3], 6, "n")
    assert len(set(found)) == 18
    seeds = {seed_of("m", f"p{q.pair_id}", q) for q in found}
    assert len(seeds) == 18 and all(0 <= seed < 2**31 for seed in seeds)
    assert AskedFor(1, True, 3) in found


def test_an_export_that_calls_an_exploratory_run_declared_is_refused(
    rehearsal: Rehearsal, study: int, tmp_path: Path
) -> None:
    with chat_server() as server:
        asked(rehearsal, study, server)
    rehearsal.organiser.close(study)
    export = rehearsal.organiser.monitor.export(study)
    write_export(tmp_path, export)
    assert read_export(tmp_path) == export and len(export.model_answers) == 8
    assert "prefer" not in export.model_runs[0].prompt.lower()
    [run] = export.model_runs
    write_export(tmp_path, replace(export, model_runs=(replace(run, undeclared=""),)))
    with pytest.raises(DataError, match="whether the model `m` was declared differs"):
        read_export(tmp_path)
