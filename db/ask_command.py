"""`python -m db ask`: ask a language model what raters are asked, about every pair of a study."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eic_core import wording
from eic_core.cli.command_table import OptionRow, Options
from eic_core.cli.progress import ProgressLine
from eic_core.errors import UserError
from study.clock import SystemClock
from study.errors import DesignError, StudyError
from study.model_plan import ModelPlan
from study.model_raters.asking import Asking, AskingProgress, Ending
from study.model_raters.endpoint import ChatEndpoint, is_on_this_machine, key_for
from study.model_raters.service import MAX_TOKENS, ModelRaters, RunSettings, RunState
from study.store import Store

KEY, OPENAI_KEY = "EIC_LAB_MODEL_KEY", "OPENAI_API_KEY"
INTERRUPTED = 130


ASK_DESCRIPTION = (
    "Ask a language model, over an OpenAI-compatible endpoint, what raters are asked: every pair, "
    "in both orders equally often. Answers are stored as they come, in tables of their own; a "
    "model is no rater. Ctrl-C pauses."
)
ASK_EPILOG = (
    f"A key is read from {KEY} and sent to the address given ({OPENAI_KEY}: to OpenAI's alone); it "
    "is never stored. A local endpoint (llama.cpp, vLLM, Ollama) needs none."
)
ASK_OPTIONS = (
    OptionRow("--model", "NAME", "as the endpoint knows it", required=True),
    OptionRow("--base-url", "URL", "such as http://localhost:11434/v1", required=True),
    OptionRow(
        "--repeats",
        "N",
        "of each pair, half of them in either order; even; default: as the study has declared, "
        "else 4",
        kind=int,
    ),
    OptionRow("--temperature", "T", "default: as the study has declared, else 0.7", kind=float),
    OptionRow("--concurrency", "N", "calls under way at a time", default=8),
    OptionRow(
        "--budget-tokens",
        "N",
        "no call is begun that might exceed it, earlier answers of the run included; needed unless "
        "the endpoint is on this machine",
        kind=int,
    ),
    OptionRow("--resume", help="go on with a run"),
    OptionRow(
        "--label",
        "NAME",
        "name of the run, to ask one model in two ways; default: the model",
        default="",
    ),
    OptionRow("--max-tokens", "N", "the longest answer, thoughts included", default=MAX_TOKENS),
    OptionRow("--timeout", "S", "seconds until a silent call is given up", default=120.0),
    OptionRow("--stream", help="take answers in pieces: a slow model shows signs of life"),
)


def run_ask(store: Store, study_id: int, options: Options) -> int:
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
    line = ProgressLine(every=0.5, elsewhere=5)

    def progress(state: AskingProgress) -> None:
        trouble = f"; {state.failures:,} failed: {state.trouble}" if state.failures else ""
        text = f"{state.done:,} of {state.total:,} answers, {state.tokens:,} tokens{trouble}"
        line.show(wording.shorten(text, 118), last=state.ending is not None)

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
            progress=progress,
            started=started,
        )
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
