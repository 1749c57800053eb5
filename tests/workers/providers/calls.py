"""Calls as tests of providers make them."""

from __future__ import annotations

from pydantic import JsonValue

from shared.models.panel import Participant
from tests.support.model_process import ModelServer
from workers.providers.calls import ProviderCall
from workers.turns.replies import schema_of


def call_of(
    provider: str = "openai",
    model: str | None = "stub",
    *,
    options: dict[str, JsonValue] | None = None,
    name: str = "gpt",
    role: str = "critique",
    round_number: int = 1,
    reply_model: str = "critique.review",
    deadline_s: float = 60.0,
    user: str = "Review this change.",
    temperature: float | None = 0.7,
    brief: dict[str, JsonValue] | None = None,
    attempt: int = 1,
    schema: bool = True,
) -> ProviderCall:
    """A call with everything that a test does not care about filled in."""
    return ProviderCall(
        participant=Participant(name=name, provider=provider, model=model, options=options or {}),
        role=role,
        round=round_number,
        reply_model=reply_model,
        step=f"run-1/{role}/{round_number}/{name}",
        system="You are a reviewer.",
        user=user,
        reply_schema=schema_of(reply_model) if schema else None,
        deadline_s=deadline_s,
        temperature=temperature,
        brief=brief or {},
        attempt=attempt,
    )


def at(server: ModelServer, **options: JsonValue) -> dict[str, JsonValue]:
    """Options that lead to the stand-in's OpenAI address."""
    return {"base_url": server.base_url, **options}
