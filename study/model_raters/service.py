"""A study's runs of models: begun, asked, gone on with, and counted."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from study.ballots import BallotContent
from study.clock import Clock
from study.design import StudyStatus
from study.errors import NotFoundError, StudyError
from study.material import PairKind, Study
from study.model_plan import (
    SETTINGS,
    ModelPlan,
    check_name,
    check_repeats,
    check_temperature,
    why_undeclared,
)
from study.model_raters.answers import outcome_of
from study.model_raters.asking import (
    Asking,
    AskingProgress,
    Ending,
    ModelQuestion,
    Wait,
    most_tokens,
)
from study.model_raters.endpoint import Call, Endpoint, check_address
from study.model_raters.prompt import PROMPT_SHA256, TEMPLATE, ShownPair
from study.model_replies import ModelOutcome, ModelReply
from study.store import ModelAnswerRow, ModelRunRow, Store, Tx, require_study

# A run is one model at one endpoint, asked about every pair of a frozen study, in both orders
# equally often. Nothing here says which formula a model preferred.
MAX_TOKENS = 1000
"""The longest answer, thoughts included, unless another limit is given."""


@dataclass(frozen=True)
class RunSettings:
    model: str  # As the endpoint knows it
    base_url: str
    repeats: int = 4  # Even; half of them in either order
    temperature: float = 0.7
    label: str = ""  # The run's name in the study; "": the model's

    def __post_init__(self) -> None:
        check_name(self.model, "model")
        check_name(self.name, "label")
        check_repeats(self.repeats)
        check_temperature(self.temperature)
        check_address(self.base_url)

    @property
    def name(self) -> str:
        return self.label.strip() or self.model.strip()


class AskedFor(NamedTuple):
    pair_id: int
    lower_first: bool
    repeat: int


@dataclass(frozen=True)
class RunState:
    """How far a run has come; says nothing of what the model preferred."""

    run: ModelRunRow
    questions: int  # Pairs times repeats
    # "answered" (one formula or the other), "tie", "refused", "unparsable"
    outcomes: Mapping[str, int]
    prompt_tokens: int
    completion_tokens: int
    uncounted: int  # Answers whose tokens the endpoint did not count
    undeclared: str  # Why the run is exploratory; "" if it was declared before the study was frozen

    @property
    def answers(self) -> int:
        return sum(self.outcomes.values())

    @property
    def complete(self) -> bool:
        return self.answers >= self.questions

    def price(self, per_million_in: float, per_million_out: float) -> float:
        """The cost of the counted tokens, in the unit of the two rates a million tokens."""
        return (
            self.prompt_tokens * per_million_in + self.completion_tokens * per_million_out
        ) / 1e6


def questions_in_order(pairs: Sequence[int], repeats: int, name: str) -> tuple[AskedFor, ...]:
    """Every answer that a run needs: rounds of all pairs in both orders, shuffled within a round.

    >>> order = questions_in_order([7, 9], 4, "m")
    >>> len(order), {(q.pair_id, q.lower_first) for q in order[:4]} == {
    ...     (7, True), (7, False), (9, True), (9, False)}
    (8, True)
    """
    # Whoever stops early has asked every pair equally often, but for the last round.
    rng = random.Random(name)
    order: list[AskedFor] = []
    for repeat in range(1, repeats // 2 + 1):
        questions = [AskedFor(pair, first, repeat) for pair in pairs for first in (True, False)]
        rng.shuffle(questions)
        order += questions
    return tuple(order)


def seed_of(run: str, pair: str, key: AskedFor) -> int:
    """A seed of its own for each call, 0 to 2³¹ - 1, the same at every attempt."""
    text = json.dumps([run, pair, key.lower_first, key.repeat])
    # A hash: the seed must tell the endpoint nothing of the order.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


class ModelRaters:
    """What the command and the organiser's page call.

    Parameters
    ----------
    store
    clock
        Where answers are stored, and what time it is.
    actor
        Who is written into the audit lines.
    """

    def __init__(self, store: Store, clock: Clock, *, actor: str = "organiser") -> None:
        self._store = store
        self._clock = clock
        self._actor = actor

    def runs(self, study_id: int) -> tuple[RunState, ...]:
        """The runs of a study that have an answer.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[RunState, ...]
            Oldest first.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            return tuple(self._state(tx, study, run) for run in tx.models.runs(study_id))

    def state(self, run: ModelRunRow) -> RunState:
        """How far a run has come, one without an answer included.

        Parameters
        ----------
        run
            From `begin`.

        Returns
        -------
        RunState
            As stored now.
        """
        with self._store.reading() as tx:
            stored = _run_by_label(tx, run.study_id, run.label) or run
            return self._state(tx, require_study(tx, run.study_id), stored)

    def plan(self, study_id: int) -> ModelPlan | None:
        """The models that a study has declared.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        ModelPlan | None
            None if it has declared none.
        """
        with self._store.reading() as tx:
            return require_study(tx, study_id).design.model_raters

    def begin(self, study_id: int, settings: RunSettings, *, resume: bool = False) -> ModelRunRow:
        """A run to ask, or the one to go on with; a new one is stored with its first answer.

        Parameters
        ----------
        study_id
            Of a frozen study.
        settings
            The model, the endpoint, and how to ask.
        resume
            Whether to go on with the run of this name.

        Returns
        -------
        ModelRunRow
            For `ask`; its id is 0 before the first answer.

        Raises
        ------
        StudyError
            If the study is a draft, there is such a run (without `resume`) or none (with it), or
            it was begun with other settings.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft has nothing to ask about", hint="freeze the study first")
            old = _run_by_label(tx, study_id, settings.name)
            if old is None:
                if resume:
                    raise NotFoundError(
                        f"`{settings.name}` has not been asked about this study",
                        hint="leave --resume away",
                    )
                return ModelRunRow(
                    0,
                    study_id,
                    settings.name,
                    settings.model.strip(),
                    check_address(settings.base_url),
                    settings.temperature,
                    settings.repeats,
                    json.dumps(TEMPLATE, sort_keys=True),
                    PROMPT_SHA256,
                    self._clock.now(),
                )
            self._same(old, settings)
            if not resume:
                state = self._state(tx, study, old)
                raise StudyError(
                    f"`{old.label}` has been asked already: {state.answers:,} of "
                    f"{state.questions:,} answers are there",
                    hint="go on with --resume, or give another run a --label of its own",
                )
            return old

    def ask(
        self,
        run: ModelRunRow,
        endpoint: Endpoint,
        *,
        concurrency: int = 8,
        budget_tokens: int | None = None,
        max_tokens: int = MAX_TOKENS,
        progress: Callable[[AskingProgress], None] = lambda _: None,
        wait: Wait | None = None,
        started: Callable[[Asking[AskedFor]], None] = lambda _: None,
    ) -> AskingProgress:
        """Ask what has no answer yet, and store each answer as it comes.

        Parameters
        ----------
        run
            From `begin`.
        endpoint
            Answers the calls.
        concurrency
            Calls under way at a time, 1 to 64.
        budget_tokens
            Of the whole run, earlier answers included; None: no limit.
        max_tokens
            The longest answer.
        progress
            May raise to pause; answers under way are stored.
        wait
            Waits so many seconds before another attempt; for tests.
        started
            Gets the asking, which can be paused.

        Returns
        -------
        AskingProgress
            With its ending.

        Raises
        ------
        StudyError
            If somebody else is asking the same: nothing is asked twice.
        """
        with self._store.alone(f"asking {run.study_id} {run.label}") as free:
            if not free:
                raise StudyError(
                    f"`{run.label}` is being asked already, by another page or command",
                    hint="wait until it ends, or pause it there",
                )
            return self._ask(
                run,
                endpoint,
                concurrency=concurrency,
                budget_tokens=budget_tokens,
                max_tokens=max_tokens,
                progress=progress,
                wait=wait,
                started=started,
            )

    def _ask(
        self,
        run: ModelRunRow,
        endpoint: Endpoint,
        *,
        concurrency: int,
        budget_tokens: int | None,
        max_tokens: int,
        progress: Callable[[AskingProgress], None],
        wait: Wait | None,
        started: Callable[[Asking[AskedFor]], None],
    ) -> AskingProgress:
        with self._store.reading() as tx:
            old = _run_by_label(tx, run.study_id, run.label)
            if old is not None and old.id != run.id:
                raise StudyError(f"`{run.label}` has been asked meanwhile", hint="go on with it")
            study = require_study(tx, run.study_id)
            pairs = {
                pair.id: pair
                for pair in tx.materials.pairs(study.id, PairKind.MAIN)
                if pair.in_study
            }
            pair_views = {}
            for pair in pairs.values():
                ballot = tx.materials.ballot(pair.id)
                assert ballot is not None
                pair_views[pair.id] = ShownPair.of(pair.pair, BallotContent.from_json(ballot))
            answered = {
                AskedFor(answer.pair_id, answer.lower_first, answer.repeat): answer
                for answer in tx.models.answers(run.id)
            }
        if run.prompt_sha256 != PROMPT_SHA256:
            raise StudyError(
                "this run was begun with another prompt", hint="go on with the version that did"
            )

        def call(key: AskedFor) -> Call:
            return Call(
                model=run.model,
                prompt=pair_views[key.pair_id].prompt(study.design, lower_first=key.lower_first),
                temperature=run.temperature,
                seed=seed_of(run.label, pairs[key.pair_id].name, key),
                max_tokens=max_tokens,
            )

        questions = questions_in_order(sorted(pairs), run.repeats, run.label)
        before = AskingProgress(
            done=len(answered),
            total=len(questions),
            prompt_tokens=sum(answer.prompt_tokens or 0 for answer in answered.values()),
            completion_tokens=sum(answer.completion_tokens or 0 for answer in answered.values()),
            lost_tokens=sum(
                most_tokens(call(key)) for key, answer in answered.items() if not answer.counted
            ),
        )

        stored = old

        def keep(key: AskedFor, reply: ModelReply) -> None:
            nonlocal stored
            with self._store.writing() as tx:
                # Not before: a wrong address, key or name asks nothing, and leaves no run.
                target = stored or self._add(tx, run)
                tx.models.add_answer(
                    target.id,
                    key.pair_id,
                    lower_first=key.lower_first,
                    repeat=key.repeat,
                    outcome=outcome_of(reply),
                    reply=reply,
                    at=self._clock.now(),
                )
            stored = target

        asking = Asking(
            endpoint, keep, concurrency=concurrency, budget_tokens=budget_tokens, wait=wait
        )
        started(asking)
        missing = [ModelQuestion(key, call(key)) for key in questions if key not in answered]
        return asking.run(missing, before, progress)

    def _add(self, tx: Tx, run: ModelRunRow) -> ModelRunRow:
        tx.audit.add(run.begun_at, self._actor, "began to ask a model", run.study_id, run.label)
        return tx.models.add_run(
            run.study_id,
            label=run.label,
            model=run.model,
            base_url=run.base_url,
            temperature=run.temperature,
            repeats=run.repeats,
            prompt=run.prompt,
            prompt_sha256=run.prompt_sha256,
            at=run.begun_at,
        )

    def _same(self, run: ModelRunRow, settings: RunSettings) -> None:
        for name in ("model", "repeats", "temperature"):
            old, new = getattr(run, name), getattr(settings, name)
            if old != new:
                raise StudyError(
                    f"`{run.label}` was begun with {name} {old}, not {new}",
                    hint="a run goes on as it was begun; give another one a --label of its own",
                )
        if run.base_url != check_address(settings.base_url):
            raise StudyError(
                f"`{run.label}` was begun at {run.base_url}",
                hint="a run goes on at the endpoint where it was begun",
            )

    def _state(self, tx: Tx, study: Study, run: ModelRunRow) -> RunState:
        answers = tx.models.answers(run.id)
        pairs = [p for p in tx.materials.pairs(study.id, PairKind.MAIN) if p.in_study]
        return RunState(
            run=run,
            questions=len(pairs) * run.repeats,
            outcomes=Counter(_blind(answer) for answer in answers),
            prompt_tokens=sum(answer.prompt_tokens or 0 for answer in answers),
            completion_tokens=sum(answer.completion_tokens or 0 for answer in answers),
            uncounted=sum(not answer.counted for answer in answers),
            undeclared=undeclared(study, run),
        )


def undeclared(study: Study, run: ModelRunRow) -> str:
    settings = {name: getattr(run, name) for name in SETTINGS}
    return why_undeclared(study.design.model_raters, run.model, run.label, settings)


def _blind(answer: ModelAnswerRow) -> str:
    chosen = answer.outcome in (ModelOutcome.FIRST, ModelOutcome.SECOND)
    return "answered" if chosen else str(answer.outcome)


def _run_by_label(tx: Tx, study_id: int, label: str) -> ModelRunRow | None:
    return next((run for run in tx.models.runs(study_id) if run.label == label), None)


__all__ = [
    "AskedFor",
    "Ending",
    "ModelRaters",
    "RunSettings",
    "RunState",
    "questions_in_order",
    "seed_of",
    "undeclared",
]
