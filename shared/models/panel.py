"""Participants, and the panel that a run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints, model_validator

from shared.models.wire import Wire

RoleName = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=48)
]
"""What a turn is for: a word of its workflow. Flower and logs show the turn as `quorate.turn.<role>`."""


class Participant(Wire):
    """Who speaks, and how it is reached.

    `provider` names an entry of the workers' provider registry (`openai`, `scripted`, `rules`, ...) or
    `analyser`, whose turns are tool runs of the tool named in `tool`. `family` groups models of one origin.
    `options` are the provider's own (base_url, api_key_env, script, ...); a key itself is never here.
    `fallback` speak in its place, in order, while its account cannot be used. `context_tokens` is how much it can
    read and write in one call, None where nobody knows.
    """

    name: str = Field(pattern=r"^[\w.@/-]{1,64}$")
    provider: str
    model: str | None = None
    family: str = "unknown"
    persona: str | None = None
    tool: str | None = None
    temperature: float | None = None
    timeout_s: float = Field(default=300.0, gt=0)
    max_output_tokens: int = Field(default=8192, gt=0)
    context_tokens: int | None = Field(default=None, gt=0)
    options: dict[str, JsonValue] = Field(default_factory=dict)
    fallback: tuple[Participant, ...] = ()

    @property
    def rule_based(self) -> bool:
        """True for participants that compute and do not speak for a model."""
        return self.provider in ("analyser", "rules")

    @property
    def reads_brief(self) -> bool:
        """True for participants that are given a turn's matter as data: they compute, and read no prompt."""
        return self.rule_based or self.provider == "embeddings"

    @property
    def is_person(self) -> bool:
        """True for a person, who is asked through the inbox."""
        return self.provider == "person"

    @property
    def is_model(self) -> bool:
        """True for participants that speak for a model: neither people nor rules."""
        return not (self.rule_based or self.is_person)


class Panel(Wire):
    """The participants of a run: `critics` speak for themselves, `author` answers, `chair` synthesises."""

    critics: tuple[Participant, ...] = Field(min_length=1)
    author: Participant
    chair: Participant

    @property
    def by_rules(self) -> bool:
        """True when nobody but rules judges and answers, so that nothing is debated."""
        return all(holder.rule_based for holder in (*self.critics, self.author))

    @model_validator(mode="after")
    def _names_are_unique(self) -> Panel:
        names = [critic.name for critic in self.critics]
        if len(set(names)) != len(names):
            raise ValueError(f"two critics share a name: {', '.join(sorted(names))}")
        return self
