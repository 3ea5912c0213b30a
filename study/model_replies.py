"""What a model was heard to say: the reply of an endpoint, and its outcome as a vote."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ModelOutcome(StrEnum):
    FIRST = "first"  # formula A
    SECOND = "second"
    TIE = "tie"
    REFUSED = "refused"
    UNPARSABLE = "unparsable"  # neither an answer nor a refusal


@dataclass(frozen=True)
class ModelReply:
    text: str  # As it was written
    refusal: str = ""  # What the endpoint gives as a refusal; "" if nothing
    finish_reason: str = ""  # Why it ended: "stop", "length", "content_filter", …
    # snapshot, fingerprint: what the endpoint calls the model that answered, and its configuration;
    # "" if it does not say
    snapshot: str = ""
    fingerprint: str = ""
    # prompt_tokens, completion_tokens: as the endpoint counts them; None if it does not
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_seconds: float = 0.0  # From the request to the end of the reply
    structured: bool = False  # Whether the model was held to the JSON schema
    seed: int | None = None  # The seed that was sent; None where the endpoint takes none
