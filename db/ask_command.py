"""`python -m db ask`: ask a language model what raters are asked, about every pair of a study."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eic_core import wording
from eic_core.errors import UserError
from study.clock import SystemClock
from study.errors import DesignError, StudyError
from study.model_plan import ModelPlan
from study.model_raters.asking import Asking, AskingProgress, Ending
from study.model_raters.endpoint import ChatEndpoint, is_on_this_machine, key_for
from study.model_raters.service import MAX_TOKENS, ModelRaters, RunSettings, RunState
from study.store import Store

KEY, OPENAI_KEY = "EIC_LAB_MODEL_KEY", "OPENAI_API_KEY"
EVERY = 0.5
"""Seconds between two lines of progress on a terminal; elsewhere, ten times as many."""
INTERRUPTED = 130


def add_ask_parser(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "ask",
        help="ask a language model about every pair of a frozen study",
        description="Ask a language model, over an OpenAI-compatible endpoint, what raters are "
        "asked: every pair, in both orders equally often. Answers are stored as they come, in "
        "tables of their own; a model is no rater. Ctrl-C pauses.",
        epilog=f"A key is read from {KEY} and sent to the address given ({OPENAI_KEY}: to OpenAI's "
        "alone); it is never stored. A local endpoint (llama.cpp, vLLM, Ollama) needs none.",
    )
    command.add_argument("study", metavar="STUDY", help="its name or number")
    command.add_argument("--model", metavar="NAME", required=True, help="as the endpoint knows it")
    command.add_argument(
        "--base-url", metavar="URL", required=True, help="such as http://localhost:11434/v1"
    )
    command.add_argument(
        "--repeats",
        metavar="N",
        type=int,
        help="of each pair, half of them in either order; even; default: as the "
        "study has declared, else 4",
    )
    command.add_argument(
        "--temperature",
        metavar="T",
        type=float,
        help="default: as the study has declared, else 0.7",
    )
    command.add_argument(
        "--concurrency",
        metavar="N",
        type=int,
        default=8,
        help="calls under way at a time; default: 8",
    )
    command.add_argument(
        "--budget-tokens",
        metavar="N",
        type=int,
        help="no call is begun that might exceed it, earlier answers of the run "
        "included; needed unless the endpoint is on this machine",
    )
    command.add_argument("--resume", action="store_true", help="go on with a run")
    command.add_argument(
        "--label",
        metavar="NAME",
        default="",
        help="name of the run, to ask one model in two ways; default: the model",
    )
    command.add_argument(
        "--max-tokens",
        metavar="N",
        type=int,
        default=MAX_TOKENS,
        help=f"the longest answer, thoughts included; default: {MAX_TOKENS}",
    )
    command.add_argument(
        "--timeout",
        metavar="S",
        type=float,
        default=120.0,
        help="seconds until a silent call is given up; default: 120",
    )
    command.add_argument(
        "--stream",
        action="store_true",
        help="take answers in pieces: a slow model shows signs of life",
    )
    return command


def run_ask(store: Store, study_id: int, options: argparse.Namespace) -> int:
    """Ask, and print how it ended. Returns the exit status: 0, or 130 after Ctrl-C."""
    service = ModelRaters(store, SystemClock(), actor="command line")
    usual = service.plan(study_id) or ModelPlan(("none",))
    settings = RunSettings(
        options.model,
        options.base_url,
        usual.repeats if options.repeats is None else options.repeats,
        usual.temperature if options.temperature is None else options.temperature,
        options.label,
    )
    if options.budget_tokens is None and not is_on_this_machine(options.base_url):
        raise UserError("say how many tokens this may cost", hint="--budget-tokens N")
    for name in ("max_tokens", "timeout"):
        if getattr(options, name) <= 0:
            raise DesignError(f"{name.replace('_', ' ')} must be above 0", field=name)
    key = key_for(options.base_url, os.environ.get(KEY, ""), os.environ.get(OPENAI_KEY, ""))
    endpoint = ChatEndpoint(options.base_url, key, timeout=options.timeout, stream=options.stream)
    run = service.begin(study_id, settings, resume=options.resume)
    line = _Line()
    with _paused_by_ctrl_c() as held:

        def started(asking: Asking[Any]) -> None:
            held.append(asking)
            if why := service.state(run).undeclared:
                print(f"This run is exploratory: {why}.", file=sys.stderr)

        ended = service.ask(
            run,
            endpoint,
            concurrency=options.concurrency,
            budget_tokens=options.budget_tokens,
            max_tokens=options.max_tokens,
            progress=line.show,
            started=started,
        )
    line.end()
    print(outcome_sentence(service.state(run)), file=sys.stderr)
    return _ending(ended)


def _ending(ended: AskingProgress) -> int:
    missing = wording.count(ended.total - ended.done, "answer")
    again = "Go on with --resume and" if ended.done else "Ask again with"
    match ended.ending:
        case Ending.PAUSED:
            print(
                f"Paused; {missing} to go. {'Go on with --resume' if ended.done else 'Ask again'}.",
                file=sys.stderr,
            )
            return INTERRUPTED
        case Ending.BUDGET:
            print(
                f"The budget allows no further call ({ended.tokens:,} tokens are spent); {missing} "
                f"to go. {again} a larger --budget-tokens.",
                file=sys.stderr,
            )
        case Ending.TROUBLE:
            raise StudyError(
                f"the endpoint does not answer ({ended.trouble}); {missing} to go",
                hint="go on with --resume when it does" if ended.done else "ask again when it does",
            )
    return 0


def outcome_sentence(state: RunState) -> str:
    """The outcomes and tokens of a run; never which formula the model preferred."""
    parts = [
        f"{number:,} {name}"
        for name in ("tie", "refused", "unparsable")
        if (number := state.outcomes.get(name, 0))
    ]
    others = f", {wording.join(parts)} among them" if parts else ""
    tokens = f"{state.prompt_tokens:,} + {state.completion_tokens:,} tokens"
    return (
        f"`{state.run.label}`: {state.answers:,} of {state.questions:,} answers{others}; {tokens}"
        + (f", {state.uncounted:,} answers uncounted" if state.uncounted else "")
        + "."
    )


class _Line:
    """Progress on standard error: one changing line on a terminal, else a line now and then."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = 0.0
        self._printed = False

    def show(self, state: AskingProgress) -> None:
        now = time.monotonic()
        if now < self._next and state.ending is None:
            return
        self._next = now + (EVERY if self._terminal else 10 * EVERY)
        trouble = f"; {state.failures:,} failed: {state.trouble}" if state.failures else ""
        text = f"{state.done:,} of {state.total:,} answers, {state.tokens:,} tokens{trouble}"
        print(
            *(("\r", f"{wording.shorten(text, 118):<119}") if self._terminal else (text,)),
            sep="",
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )
        self._printed = True

    def end(self) -> None:
        if self._terminal and self._printed:
            print(file=sys.stderr)


@contextmanager
def _paused_by_ctrl_c() -> Iterator[list[Asking[Any]]]:
    """The first Ctrl-C pauses the askings put into the list, a second one ends at once."""
    held: list[Asking[Any]] = []
    before = signal.getsignal(signal.SIGINT)

    def pause(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        print("", "Waiting for the answers that are under way…", sep="\n", file=sys.stderr)
        for asking in held:
            asking.pause()

    signal.signal(signal.SIGINT, pause)
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, before)
