"""Many calls at once: retries, waiting when told to, a budget of tokens, and no lost answer."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from queue import Empty, Queue
from typing import Generic, TypeVar

from study.errors import DesignError
from study.model_raters.endpoint import Call, Endpoint, EndpointTrouble
from study.model_replies import ModelReply

T = TypeVar("T")
Wait = Callable[[float], object]
"""Waits so many seconds, or less if the asking ends meanwhile."""

MAX_CONCURRENCY = 64
MAX_ATTEMPTS = 6
"""Tries of one call, before it is left for another day."""
LONGEST_WAIT = 300.0
GIVEN_UP_IN_A_ROW = 3
"""So many calls left in a row, and the endpoint is taken for dead."""
TEMPLATE_TOKENS = 200
"""Allowed for what a server's chat template adds to the messages."""
BEAT = 0.2
"""Seconds between two signs of life."""
SPARE = 1.1
"""Calls may need so many times as many tokens a byte as the worst one so far."""


class Ending(StrEnum):
    DONE = "done"
    BUDGET = "budget"
    PAUSED = "paused"
    TROUBLE = "trouble"


@dataclass(frozen=True)
class AskingProgress:
    # done, total: answers there, and wanted; earlier ones of the same run included
    done: int
    total: int
    # prompt_tokens, completion_tokens: as the endpoint counted them, earlier ones included
    prompt_tokens: int = 0
    completion_tokens: int = 0
    lost_tokens: int = 0  # The most that calls without an answer may have cost, in this asking
    failures: int = 0  # Calls that failed, and were tried again or left
    trouble: str = ""  # The last of them; ""
    ending: Ending | None = None  # None while it goes on

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens + self.lost_tokens


def most_tokens(call: Call, tokens_per_byte: float = 1.0) -> int:
    """The most tokens that a call can cost: a token is at least a byte."""
    return int(tokens_per_byte * _bytes(call)) + TEMPLATE_TOKENS + call.max_tokens


def _bytes(call: Call) -> int:
    return len((call.prompt.system + call.prompt.user + str(call.prompt.schema)).encode())


@dataclass
class _Budget:
    """Tokens that may be spent: a call is begun if even its worst case would fit."""

    limit: int | None
    spent: int
    reserved: int = 0
    tokens_per_byte: float | None = None

    def worst(self, call: Call) -> int:
        rate = self.tokens_per_byte
        return most_tokens(call, 1.0 if rate is None else min(1.0, SPARE * rate))

    def learn(self, call: Call, prompt_tokens: int) -> None:
        rate = max(0.0, (prompt_tokens - TEMPLATE_TOKENS) / _bytes(call))
        # Known from the first answer on; the worst so far, as other prompts may be dearer.
        self.tokens_per_byte = max(rate, self.tokens_per_byte or 0.0)

    def fits(self, tokens: int) -> bool:
        return self.limit is None or self.spent + self.reserved + tokens <= self.limit


@dataclass(frozen=True)
class ModelQuestion(Generic[T]):
    about: T
    call: Call


@dataclass(frozen=True)
class _Event(Generic[T]):
    question: ModelQuestion[T] | None
    reply: ModelReply | None = None
    error: BaseException | None = None
    lost_tokens: int = 0
    stored: threading.Event = field(default_factory=threading.Event)


class Asking(Generic[T]):
    """Asks questions of an endpoint, several at once; one thread hands each answer to `keep`."""

    def __init__(
        self,
        endpoint: Endpoint,
        keep: Callable[[T, ModelReply], None],
        *,
        concurrency: int = 8,
        budget_tokens: int | None = None,
        wait: Wait | None = None,
    ) -> None:
        if not 1 <= concurrency <= MAX_CONCURRENCY:
            raise DesignError(
                f"from 1 to {MAX_CONCURRENCY} calls can be under way at a time", field="concurrency"
            )
        if budget_tokens is not None and budget_tokens < 1:
            raise DesignError("a budget is a number of tokens, 1 or more", field="budget_tokens")
        self._endpoint = endpoint
        self._keep = keep
        self._concurrency = concurrency
        self._limit = budget_tokens
        self._stop = threading.Event()
        self._wait = wait or self._stop.wait
        self._lock = threading.Condition()
        self._ending: Ending | None = None

    def run(
        self,
        questions: Sequence[ModelQuestion[T]],
        start: AskingProgress,
        progress: Callable[[AskingProgress], None] = lambda _: None,
    ) -> AskingProgress:
        """Ask all questions in order, once; what `progress` raises is raised after a pause."""
        self._state = start
        self._waiting = deque(questions)
        self._budget = _Budget(self._limit, start.tokens)
        self._given_up = 0
        events: Queue[_Event[T] | None] = Queue()
        count = min(self._concurrency, max(1, len(questions)))
        for number in range(count):
            threading.Thread(
                target=self._work, args=(events,), daemon=True, name=f"asking {number}"
            ).start()
        # Whatever ends the asking, calls under way are waited for: none is paid for twice.
        raised = self._collect(events, count, progress)
        if raised is not None:
            raise raised
        ended = Ending.DONE if self._state.done >= start.total else self._ending
        self._state = replace(self._state, ending=ended or Ending.TROUBLE)
        progress(self._state)
        return self._state

    def pause(self) -> None:
        self._ending = self._ending or Ending.PAUSED
        self._stop.set()

    def _collect(
        self,
        events: Queue[_Event[T] | None],
        working: int,
        progress: Callable[[AskingProgress], None],
    ) -> BaseException | None:
        """Store answers until every worker has ended; returns what is to be raised then."""
        raised: BaseException | None = None
        while working:
            try:
                event = events.get(timeout=BEAT)
            except Empty:
                event = _Event(None)
            if event is None:
                working -= 1
                continue
            try:
                self._take(event)
                if raised is None:
                    progress(self._state)
            except BaseException as error:
                raised = raised or error
                self.pause()
            finally:
                event.stored.set()
        return raised

    def _take(self, event: _Event[T]) -> None:
        state, reply = self._state, event.reply
        if reply is not None:
            assert event.question is not None
            self._keep(event.question.about, reply)
            state = replace(
                state,
                done=state.done + 1,
                prompt_tokens=state.prompt_tokens + (reply.prompt_tokens or 0),
                completion_tokens=state.completion_tokens + (reply.completion_tokens or 0),
            )
        elif isinstance(event.error, EndpointTrouble):
            state = replace(state, failures=state.failures + 1, trouble=str(event.error))
        elif event.error is not None:
            raise event.error
        self._state = replace(state, lost_tokens=state.lost_tokens + event.lost_tokens)

    # --- in the workers ---

    def _work(self, events: Queue[_Event[T] | None]) -> None:
        try:
            while (task := self._next()) is not None:
                event = self._ask(*task, events)
                events.put(event)
                event.stored.wait()  # what is not stored yet would be asked again after a kill
        except BaseException as error:  # the collector raises it
            events.put(_Event(None, error=error))
        finally:
            events.put(None)

    def _next(self) -> tuple[ModelQuestion[T], int] | None:
        with self._lock:
            while self._waiting and not self._stop.is_set():
                reserved = self._reserve(self._waiting[0].call)
                if reserved is not None:
                    return self._waiting.popleft(), reserved
                if not self._budget.reserved:
                    self._ending = self._ending or Ending.BUDGET
                    return None
                # Calls under way may turn out cheaper than their worst case: then this one fits.
                self._lock.wait(BEAT)
            return None

    def _reserve(self, call: Call) -> int | None:
        worst = self._budget.worst(call)
        if not self._budget.fits(worst):
            return None
        self._budget.reserved += worst
        return worst

    def _ask(
        self, question: ModelQuestion[T], reserved: int | None, events: Queue[_Event[T] | None]
    ) -> _Event[T]:
        call, attempt = question.call, 0
        while True:
            assert reserved is not None
            attempt += 1
            try:
                reply = self._endpoint.answer(call)
            except EndpointTrouble as trouble:
                lost = reserved if trouble.may_have_cost else 0
                self._settle(call, reserved, lost, None)
                failed = _Event(question, error=trouble, lost_tokens=lost)
                if attempt == MAX_ATTEMPTS:
                    self._give_up()
                    return failed
                events.put(failed)
                self._wait(min(trouble.retry_after or float(2 ** (attempt - 1)), LONGEST_WAIT))
                with self._lock:
                    # Reserved anew: while this call waited, others may have spent the budget.
                    reserved = None if self._stop.is_set() else self._reserve(call)
                    if reserved is None:
                        self._waiting.appendleft(question)
                        return _Event(None)
            except BaseException:
                self._settle(call, reserved, 0, None)
                self._ending = Ending.TROUBLE
                self._stop.set()
                raise
            else:
                counted = (reply.prompt_tokens, reply.completion_tokens)
                is_counted = None not in counted
                spent = sum(each or 0 for each in counted) if is_counted else reserved
                self._settle(call, reserved, spent, reply.prompt_tokens)
                self._given_up = 0
                return _Event(question, reply, lost_tokens=0 if is_counted else spent)

    def _give_up(self) -> None:
        with self._lock:
            self._given_up += 1
            if self._given_up >= GIVEN_UP_IN_A_ROW:
                self._ending = self._ending or Ending.TROUBLE
                self._stop.set()

    def _settle(self, call: Call, reserved: int, spent: int, prompt_tokens: int | None) -> None:
        with self._lock:
            self._budget.reserved -= reserved
            self._budget.spent += spent
            if prompt_tokens is not None:
                self._budget.learn(call, prompt_tokens)
            self._lock.notify_all()
