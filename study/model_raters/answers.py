"""What a model's answer says: strictly read, and an outcome whatever it is."""

from __future__ import annotations

import json
import re
from typing import Any

from study.model_raters.prompt import CHOICES, TIE
from study.model_replies import ModelOutcome, ModelReply

_OUTCOMES = {
    CHOICES[0]: ModelOutcome.FIRST,
    CHOICES[1]: ModelOutcome.SECOND,
    TIE: ModelOutcome.TIE,
}
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)
_REFUSAL = re.compile(
    r"\A(i['’]?m (very )?sorry|sorry\b|i (cannot|can['’]?t|won['’]?t|am unable|am not able)\b|"
    r"as an ai\b)",
    re.IGNORECASE,
)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name stands there twice")
    return values


def outcome_of(reply: ModelReply) -> ModelOutcome:
    """Read a reply: one JSON object with a choice, and nothing else but thoughts before it.

    >>> text = '{"choice": "B", "reason": "fewer terms"}'
    >>> outcome_of(ModelReply(text)), outcome_of(ModelReply("B, I think"))
    (<ModelOutcome.SECOND: 'second'>, <ModelOutcome.UNPARSABLE: 'unparsable'>)
    >>> outcome_of(ModelReply(f"<think>A? No.</think>{text}"))
    <ModelOutcome.SECOND: 'second'>
    >>> outcome_of(ModelReply("I'm sorry, but I can't judge that."))
    <ModelOutcome.REFUSED: 'refused'>
    """
    if reply.refusal.strip() or reply.finish_reason == "content_filter":
        return ModelOutcome.REFUSED
    text = _THOUGHT.sub("", reply.text, count=1).strip()
    # Cut off: no answer, whatever it began with. Nothing is guessed from prose.
    if reply.finish_reason == "length":
        return ModelOutcome.UNPARSABLE
    fenced = _FENCE.match(text)
    try:
        answer: Any = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError):
        return ModelOutcome.REFUSED if _REFUSAL.match(text) else ModelOutcome.UNPARSABLE
    choice = answer.get("choice") if isinstance(answer, dict) else None
    if not isinstance(choice, str):
        return ModelOutcome.UNPARSABLE
    return _OUTCOMES.get(choice, ModelOutcome.UNPARSABLE)
