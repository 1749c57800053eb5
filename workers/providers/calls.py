"""What passes between a turn worker and a provider: the call, its completion, and the protocol of a provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import JsonValue

from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.text.bounded_json import storable
from shared.text.tokens import estimated_tokens

LONGEST_MODEL = 200
SCHEMA_INTRODUCTION = "The object follows this JSON schema:"


class Cancelled(Protocol):
    """A flag that somebody else raises; `is_set` is asked often and must be cheap."""

    def is_set(self) -> bool:
        """True once the call should be given up."""


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation after the system prompt."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """A reply model as JSON schema: `strict` for structured output, `plain` for a prompt."""

    name: str
    strict: dict[str, JsonValue] = field(repr=False)
    plain: dict[str, JsonValue] = field(repr=False)


def reply_instructions(schema: ReplySchema) -> str:
    """How to answer, for a model whose provider does not hold it to a schema."""
    compact = json.dumps(schema.plain, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with exactly one JSON object and nothing else: no text before or after it, no "
        f"Markdown. {SCHEMA_INTRODUCTION}\n{compact}"
    )


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """One call of one participant. Texts stay out of the repr.

    `repair` is an earlier answer and the objection to it. `deadline_s` is the whole time that the
    call may take, from now to its last byte: what is left of `limit_s`, the time that the turn was
    given (None: the same), of which waiting and an earlier answer have had their part. `brief` is
    the prompt's matter as data, for rule-based participants. `step` and `attempt` identify the call
    for witnesses and for deterministic doubles. With `watch` a provider that can stream hands over
    each piece of text as it arrives. `stable` is how many characters of `user` every turn of the
    participant begins with, `age_s` how long ago the turn was asked for, earlier attempts included.
    """

    participant: Participant
    role: str
    round: int
    reply_model: str
    step: str
    system: str = field(default="", repr=False)
    user: str = field(default="", repr=False)
    stable: int = 0
    repair: tuple[Message, ...] = field(default=(), repr=False)
    reply_schema: ReplySchema | None = None
    max_output_tokens: int = 8192
    temperature: float | None = None
    deadline_s: float = 300.0
    limit_s: float | None = None
    brief: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)
    attempt: int = 1
    age_s: float = 0.0
    watch: Callable[[str], None] | None = field(default=None, repr=False)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole conversation after the system prompt, oldest first."""
        return (Message("user", self.user), *self.repair)

    @property
    def as_text(self) -> str:
        """The whole conversation as one text, for anything that takes no messages."""
        parts = [self.system, self.user]
        for message in self.repair:
            parts.append("Your earlier answer was:" if message.role == "assistant" else "")
            parts.append(message.text)
        return "\n\n".join(part for part in parts if part)

    @property
    def as_json(self) -> list[JsonValue]:
        """The messages as most protocols have them."""
        return [{"role": message.role, "content": message.text} for message in self.messages]

    @property
    def prompt_tokens(self) -> int:
        """What the provider reads, as estimated."""
        texts = (self.system, *(message.text for message in self.messages))
        return sum(map(estimated_tokens, texts))

    @property
    def number(self) -> int:
        """1 for the first call of a step's attempt, 2 for its repair."""
        return 1 + len(self.repair) // 2


class Finish(StrEnum):
    """Why the text ends where it ends, the same words for every provider.

    `OTHER` is every end that is not known to be one of these: words that end so are no answer
    (replies.py). `LOST` is no answer's: it marks a call whose answer never came and that may have been charged.
    """

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    OTHER = "other"
    LOST = "lost"


def ended(known: Mapping[str, Finish], reason: str) -> Finish:
    """What a service's word for the end means: one that is unknown or missing is never a whole answer."""
    return known.get(reason, Finish.OTHER)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a call brought, usable or not: it was paid, so it is stored before anyone judges it.

    `raw` is the provider's answer as it came, `limits` its rate-limit headers (lower case). Text
    and model never hold NUL or lone surrogates.
    """

    text: str = field(repr=False)
    usage: Usage
    finish_reason: Finish = Finish.STOP
    model: str | None = None
    raw: bytes | None = field(default=None, repr=False)
    limits: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", storable(self.text))
        if self.model is not None:
            object.__setattr__(self, "model", storable(self.model)[:LONGEST_MODEL])

    def packed(self) -> bytes:
        """What has to be stored so that a later attempt can adopt it (JSON; `raw` stays out)."""
        return json.dumps(
            {
                "text": self.text,
                "usage": self.usage.model_dump(),
                "finish_reason": self.finish_reason.value,
                "model": self.model,
            },
            ensure_ascii=False,
            sort_keys=True,
        ).encode()

    @classmethod
    def unpacked(cls, stored: bytes) -> Completion:
        """The completion that `packed` gave. Raises ValueError or KeyError for anything else."""
        fields = json.loads(stored)
        return cls(
            text=fields["text"],
            usage=Usage.model_validate(fields["usage"]),
            finish_reason=Finish(fields["finish_reason"]),
            model=fields["model"],
        )


class Provider(Protocol):
    """How one kind of participant is reached; a module may be one."""

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """Answer the call within its deadline.

        Every answer that was received is returned, also a cut-off, refused or empty one. Raises
        ProviderError (only that) when there is none.
        """

    def structured(self, participant: Participant) -> bool:
        """True when the provider itself holds the answer to the call's reply schema."""
