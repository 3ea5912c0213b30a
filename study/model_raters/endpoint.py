"""One call to an OpenAI-compatible endpoint, by the `openai` client.

What failed for a while is an `EndpointTrouble`, what will fail again an `EndpointError`. The key is
an argument, in memory alone, and in no message.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from study.design import LOCAL_HOSTS
from study.errors import DesignError, StudyError
from study.model_raters.prompt import Prompt
from study.model_replies import ModelReply

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI_HOST = "api.openai.com"
MOST_BYTES = (1_000_000, 1000)
"""Of an answer: so many, and so many more for each token that it may have."""
LONGEST_CALL = 10.0
"""A call that goes on sending is given up after so many times the timeout."""


class EndpointError(StudyError):
    """The endpoint will not answer this question, now or later."""


class EndpointTrouble(Exception):
    """A call failed, and the next one may not; `retry_after` in seconds, 0 if unknown."""

    def __init__(
        self, message: str, *, retry_after: float = 0.0, may_have_cost: bool = True
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.may_have_cost = may_have_cost


@dataclass(frozen=True)
class Call:
    model: str
    prompt: Prompt
    temperature: float
    seed: int
    max_tokens: int  # The longest answer


class Endpoint(Protocol):
    def answer(self, call: Call) -> ModelReply: ...


def check_address(base_url: str, key: str = "") -> str:
    """The address without a slash at its end, if it may be asked with this key.

    Raises `DesignError` if it is no http(s) address, holds a name, password or query, or the key
    would travel unencrypted to another machine.

    >>> check_address("http://localhost:8080/v1/")
    'http://localhost:8080/v1'
    >>> check_address("http://example.org/v1", key="secret")
    Traceback (most recent call last):
        ...
    study.errors.DesignError: the key would travel to example.org unencrypted: use https
    """
    address = base_url.strip()
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DesignError(
            f"`{address[:200]}` is no address of an endpoint",
            field="base_url",
            hint="write something like http://localhost:11434/v1",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise DesignError(
            "the address of an endpoint holds no name, password or query",
            field="base_url",
            hint="a key belongs into the environment",
        )
    if key and not (key.isascii() and key.isprintable() and key.split() == [key]):
        raise DesignError(
            "the key holds a space, a line break or a letter that no key has",
            field="key",
            hint="look at EIC_LAB_MODEL_KEY",
        )
    if key and parts.scheme == "http" and parts.hostname not in LOCAL_HOSTS:
        raise DesignError(
            f"the key would travel to {parts.hostname} unencrypted",
            field="base_url",
            hint="use https",
        )
    return address.rstrip("/")


def is_on_this_machine(base_url: str) -> bool:
    """Whether an address is of this machine.

    >>> is_on_this_machine("http://127.0.0.1:1234/v1"), is_on_this_machine("https://a.example/v1")
    (True, False)
    """
    return (urlsplit(base_url).hostname or "") in LOCAL_HOSTS


def key_for(base_url: str, key: str, openai_key: str) -> str:
    """The key that an address gets; ``OPENAI_API_KEY`` goes to OpenAI's own address alone.

    >>> key_for("http://localhost:11434/v1", "", "sk-openai")
    ''
    >>> key_for("https://api.openai.com/v1", "", "sk-openai")
    'sk-openai'
    """
    parts = urlsplit(base_url)
    if not key and parts.scheme == "https" and parts.hostname == OPENAI_HOST:
        return openai_key
    return key


@dataclass
class ChatEndpoint:
    """An OpenAI-compatible endpoint: ``POST {base_url}/chat/completions``.

    Attributes
    ----------
    base_url
        Checked by `check_address`.
    key
        "" where none is needed: then no Authorization header is sent.
    timeout
        Seconds until a call that is silent is given up; streamed, until the next piece.
    stream
        Whether answers come in pieces, so that a long one shows signs of life.

    Notes
    -----
    What an endpoint does not know (a JSON schema, a seed, ``max_tokens``) is found out by asking:
    a call that is refused for it is sent again without it, and so are all later ones.
    """

    base_url: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    stream: bool = False
    _dropped: set[str] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _client: Any = field(default=None, repr=False)
    _headers: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.key = self.key.strip()  # a key from a file often ends in a line break
        self.base_url = check_address(self.base_url, self.key)

    def answer(self, call: Call) -> ModelReply:
        """Ask, and wait for the whole reply.

        Parameters
        ----------
        call
            One question.

        Returns
        -------
        ModelReply
            Without the key, even where the endpoint repeats it.

        Raises
        ------
        EndpointTrouble
            If it may go better the next time.
        EndpointError
            If it will not.
        """
        while True:
            dropped = frozenset(self._dropped)
            try:
                return self._ask(call, dropped)
            except _NotKnown as error:
                if error.what in dropped:
                    raise EndpointError(self._safe_text(error.message)) from None
                # Remembered: later calls are sent without it at once.
                self._dropped.add(error.what)

    def _ask(self, call: Call, dropped: frozenset[str]) -> ModelReply:
        import httpx2
        import openai

        options, seed = _options(call, dropped, self.stream), call.seed
        client, began = self._open(), ""
        most, each = MOST_BYTES
        limit = _LIMITS.set((most + each * call.max_tokens, LONGEST_CALL * self.timeout))
        started = time.perf_counter()
        try:
            if self.stream:
                pieces: Any = client.chat.completions.create(**options, extra_headers=self._headers)
                reply = _streamed(pieces)
            else:
                raw = client.chat.completions.with_raw_response.create(
                    **options, extra_headers=self._headers
                )
                began = raw.text
                reply = _whole(raw.parse())
        except openai.APITimeoutError:
            raise EndpointTrouble(f"no answer within {self.timeout:g} s") from None
        except openai.APIStatusError as error:
            raise self._refused(error, dropped) from None
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise EndpointTrouble(
                self._safe_text(f"the connection failed ({_cause(error)})")
            ) from None
        except _NO_COMPLETION:
            begins = f", it begins with `{self._safe_text(began)[:80]}`" if began.strip() else ""
            # A proxy, say, may answer 200 with a page of its own.
            raise EndpointTrouble(f"what came back is no chat completion{begins}") from None
        finally:
            _LIMITS.reset(limit)
        return self._without_key(
            ModelReply(
                **reply,
                latency_seconds=time.perf_counter() - started,
                structured="schema" not in dropped,
                seed=None if "seed" in dropped else seed,
            )
        )

    def _without_key(self, reply: ModelReply) -> ModelReply:
        """The reply as it may be stored: the endpoint might repeat the key."""
        if not self.key:
            return reply
        texts = ("text", "refusal", "finish_reason", "snapshot", "fingerprint")
        texts_without_key = {name: getattr(reply, name).replace(self.key, "…") for name in texts}
        return replace(reply, **texts_without_key)

    def _open(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                try:
                    from openai import DefaultHttpxClient, OpenAI, omit
                except ImportError:
                    raise StudyError(
                        "asking a model needs the package `openai`",
                        hint="pip install -r requirements.txt",
                    ) from None
                # Nothing of the environment: neither OPENAI_API_KEY nor an organisation's name.
                silent = {
                    "OpenAI-Organization": omit,
                    "OpenAI-Project": omit,
                    "Accept-Encoding": "identity",
                }
                # An answer goes to the address that was given and to no other that it points to.
                http = DefaultHttpxClient(
                    timeout=self.timeout,
                    follow_redirects=False,
                    event_hooks={"response": [_limited]},
                )
                self._client = OpenAI(
                    base_url=self.base_url,
                    api_key=self.key or "none",
                    timeout=self.timeout,
                    max_retries=0,
                    http_client=http,
                    default_headers=silent,  # type: ignore[arg-type]
                )
                self._headers = {} if self.key else {"Authorization": omit}
            client: OpenAI = self._client
            return client

    def _refused(self, error: Any, dropped: frozenset[str]) -> Exception:
        status, message = int(error.status_code), _error_message(error)
        if 300 <= status < 400:
            return EndpointError(
                f"the endpoint points to another address ({status})",
                hint="nothing was sent there; if it is right, give that one",
            )
        if status in (400, 404, 422) and (what := _unknown(message, dropped)):
            return _NotKnown(what, message)
        if status == 429 and "insufficient_quota" not in message:
            after = _retry_after(error.response.headers)
            return EndpointTrouble(
                "the endpoint asks to wait", retry_after=after, may_have_cost=False
            )
        if status in (408, 409) or status >= 500:
            after = _retry_after(error.response.headers)
            return EndpointTrouble(
                f"the endpoint failed ({status})", retry_after=after, may_have_cost=False
            )
        hint = {
            401: "it takes no call with this key: look at EIC_LAB_MODEL_KEY"
            if self.key
            else "it wants a key: set EIC_LAB_MODEL_KEY, and for the page EIC_LAB_MODEL_URL, too",
            403: "it wants another key",
            404: "look at the address and at the name of the model",
        }.get(status, "")
        return EndpointError(
            f"the endpoint refuses ({status}): {self._safe_text(message)}", hint=hint
        )

    def _safe_text(self, text: str) -> str:
        """A message of the endpoint, short and without any key."""
        plain = text.replace(self.key, "…") if self.key else text
        plain = re.sub(r"\bsk-\S+|\bBearer \S+", "…", plain)
        return " ".join(plain.split())[:300]


def _error_message(error: Any) -> str:
    message = str(error.message).removeprefix(f"Error code: {error.status_code} - ")
    if message != f"Error code: {error.status_code}":
        return message
    try:
        return f"{message} {error.response.text}"
    except Exception:  # an answer in pieces that was not read has no text
        return message


_LIMITS: ContextVar[tuple[float, float]] = ContextVar("limits", default=(float("inf"),) * 2)
"""The most bytes and seconds of the answer that is being read."""


def _limited(response: Any) -> None:
    """Read no more of an answer than an answer can have, and not for ever."""
    import httpx2

    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise httpx2.ReadError("the answer is compressed, which was not asked for")
    stream, (most, longest), until = response.stream, _LIMITS.get(), time.monotonic()

    class Limited(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            rest = most
            for piece in stream:
                rest -= len(piece)
                if rest < 0:
                    raise httpx2.ReadError(f"the answer is longer than {most:,} bytes")
                if time.monotonic() - until > longest:
                    raise httpx2.ReadError(f"the answer has not ended after {longest:g} s")
                yield piece

        def close(self) -> None:
            stream.close()

    response.stream = Limited()


_NO_COMPLETION = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What reading anything else than a completion raises."""


class _NotKnown(Exception):
    """The endpoint does not know something that a call may do without."""

    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what, self.message = what, message


_OPTIONAL = (
    ("schema", re.compile(r"response_format|json_schema|structured|grammar", re.IGNORECASE)),
    ("max_tokens", re.compile(r"max_tokens", re.IGNORECASE)),
    ("seed", re.compile(r"\bseed\b", re.IGNORECASE)),
    ("usage", re.compile(r"stream_options|include_usage", re.IGNORECASE)),
)


def _unknown(message: str, dropped: frozenset[str]) -> str:
    return next(
        (what for what, sign in _OPTIONAL if what not in dropped and sign.search(message)), ""
    )


def _options(call: Call, dropped: frozenset[str], stream: bool) -> dict[str, Any]:
    options: dict[str, Any] = {
        "model": call.model,
        "messages": [
            {"role": "system", "content": call.prompt.system},
            {"role": "user", "content": call.prompt.user},
        ],
        "temperature": call.temperature,
    }
    longest = "max_completion_tokens" if "max_tokens" in dropped else "max_tokens"
    options[longest] = call.max_tokens
    if "seed" not in dropped:
        options["seed"] = call.seed
    if "schema" not in dropped:
        options["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": call.prompt.schema},
        }
    if stream:
        options["stream"] = True
        if "usage" not in dropped:
            options["stream_options"] = {"include_usage": True}
    return options


def _whole(completion: Any) -> dict[str, Any]:
    choice = completion.choices[0]
    text = choice.message.content
    if text is not None and not isinstance(text, str):
        raise ValueError("content")
    refusal = getattr(choice.message, "refusal", None)
    if text is None and not refusal and choice.finish_reason is None:
        raise ValueError("content")
    return {
        "text": text or "",
        "refusal": str(refusal or ""),
        "finish_reason": str(choice.finish_reason or ""),
        **_about(completion),
    }


def _streamed(chunks: Iterable[Any]) -> dict[str, Any]:
    """The same of an answer in pieces; one that ends without a reason was cut off."""
    text, refusal, reason, about = [], [], "", _about(None)
    for chunk in chunks:
        about |= {key: value for key, value in _about(chunk).items() if value not in ("", None)}
        if not chunk.choices:
            continue
        choice = chunk.choices[0]
        text.append(choice.delta.content or "")
        refusal.append(getattr(choice.delta, "refusal", None) or "")
        reason = choice.finish_reason or reason
    if not reason:
        raise ValueError("the stream ended early")
    return {"text": "".join(text), "refusal": "".join(refusal), "finish_reason": reason, **about}


def _about(source: Any) -> dict[str, Any]:
    usage = getattr(source, "usage", None)
    return {
        "snapshot": str(getattr(source, "model", None) or "")[:200],
        "fingerprint": str(getattr(source, "system_fingerprint", None) or "")[:200],
        "prompt_tokens": _tokens(getattr(usage, "prompt_tokens", None)),
        "completion_tokens": _tokens(getattr(usage, "completion_tokens", None)),
    }


def _tokens(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e9 else None


def _retry_after(headers: Any) -> float:
    """Seconds of a Retry-After header, which may be a date; 0 without sense."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _seconds_until(value)
        if seconds > 0:  # false for what is no number, too
            return seconds
    return 0.0


def _seconds_until(date: str) -> float:
    try:
        return (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0.0


def _cause(error: BaseException) -> str:
    text = re.sub(r"^\[Errno -?\d+\] ", "", str(error.__cause__ or error))
    return text or type(error).__name__
