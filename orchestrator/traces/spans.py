"""A run's journal as spans: one trace for a run and all that it started, named as OpenTelemetry names model calls.

    run                                  invoke_workflow review
      round                              round 1
        turn, tool run, child run        chat opus, execute_tool code_graph, invoke_workflow review
      decision                           decision apply_fix

Ids are hashes of what a span tells of: whoever sends it again sends the same span. Names, numbers and moments only; no
span holds a text of anybody. Semantic conventions for generative AI, 1.38.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from shared.store.traces import TracedDecision, TracedRun, TracedStep

AttributeValue = str | int | float | bool

PROVIDERS: Mapping[str, str] = {"gemini": "gcp.gemini", "openai-responses": "openai"}
"""What OpenTelemetry calls a provider, where it is not our name for it."""


@dataclass(frozen=True)
class SpanRow:
    """A span. `error` is the kind of a failure; `outward`: somebody else was asked."""

    trace: bytes
    id: bytes
    parent: bytes | None
    name: str
    began_at: datetime
    ended_at: datetime
    attributes: Mapping[str, AttributeValue]
    error: str = ""
    outward: bool = False


def trace_id(root: str) -> bytes:
    """Of everything that hangs under a run."""
    return _hash("trace", root)[:16]


def span_id(*names: str | int) -> bytes:
    """Of what these names say."""
    return _hash("span", *names)[:8]


def _hash(*names: str | int) -> bytes:
    return hashlib.sha256("\0".join(["quorate", *map(str, names)]).encode()).digest()


def spans_of(run: TracedRun) -> Iterator[SpanRow]:
    """All spans of a run, the outermost first."""
    trace, own = trace_id(run.root), span_id(run.id)
    inside = [step.finished_at for step in run.steps]
    yield SpanRow(
        trace,
        own,
        span_id(run.parent, "step", run.parent_step or "") if run.parent else None,
        f"invoke_workflow {run.workflow}",
        run.created_at,
        max([run.finished_at, *inside]),
        _stated(
            {
                "gen_ai.operation.name": "invoke_workflow",
                "gen_ai.workflow.name": run.workflow,
                "quorate.run": run.id,
                "quorate.status": run.status,
                "quorate.verdict": run.verdict,
                "quorate.ending": run.ending,
                "quorate.batch": run.batch,
            }
        ),
        error=run.status if run.status in ("failed", "expired") else "",
    )
    yield from _of_rounds(trace, own, run)
    yield from (_of_decision(trace, own, decision) for decision in run.decisions)


def _of_rounds(trace: bytes, own: bytes, run: TracedRun) -> Iterator[SpanRow]:
    rounds: dict[int, list[TracedStep]] = defaultdict(list)
    for step in run.steps:
        rounds[step.round].append(step)
    for number, steps in rounds.items():
        around = span_id(run.id, "round", number)
        yield SpanRow(
            trace,
            around,
            own,
            f"round {number}",
            min(step.created_at for step in steps),
            max(step.finished_at for step in steps),
            {"quorate.run": run.id, "quorate.round": number},
        )
        yield from (_of_step(trace, around, step) for step in steps)


def _of_step(trace: bytes, around: bytes, step: TracedStep) -> SpanRow:
    """From when a worker took it for the last time; what it waited for before is told in numbers."""
    began_at = step.leased_at or step.created_at
    waited_until = step.held_back_at or began_at
    name, attributes = _kind_of(step)
    attributes |= {
        "quorate.run": step.run,
        "quorate.step": step.key,
        "quorate.round": step.round,
        "quorate.role": step.role,
        "quorate.attempts": step.attempts,
        "quorate.queued_s": _seconds(step.created_at, waited_until),
        "quorate.held_back_s": _seconds(waited_until, began_at),
        "quorate.cost_usd": step.cost_usd,
    }
    failed = step.failure_kind if step.status == "failed" else ""
    error = failed or ("cancelled" if step.status == "cancelled" else "")
    attributes["error.type"] = error or None
    return SpanRow(
        trace,
        span_id(step.run, "step", step.key),
        around,
        name,
        began_at,
        step.finished_at,
        _stated(attributes),
        error=error,
        outward=step.kind == "turn",
    )


def _kind_of(step: TracedStep) -> tuple[str, dict[str, AttributeValue | None]]:
    match step.kind:
        case "turn":
            provider = step.provider or ""
            return f"chat {step.model or step.wanted_model or step.participant}", {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": PROVIDERS.get(provider, provider) or None,
                "gen_ai.agent.name": step.participant,
                "gen_ai.request.model": step.wanted_model,
                "gen_ai.response.model": step.model,
                "gen_ai.usage.input_tokens": step.input_tokens,
                "gen_ai.usage.output_tokens": step.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": step.cached_tokens,
            }
        case "tool":
            return f"execute_tool {step.participant}", {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": step.participant,
            }
        case _:
            return f"child run {step.key}", {}


def _of_decision(trace: bytes, own: bytes, decision: TracedDecision) -> SpanRow:
    return SpanRow(
        trace,
        span_id(decision.run, "decision", decision.key),
        own,
        f"decision {decision.kind}",
        decision.opened_at,
        decision.answered_at,
        _stated(
            {
                "quorate.run": decision.run,
                "quorate.decision": decision.key,
                "quorate.decision.state": decision.state,
                "quorate.decision.choice": decision.choice,
                "quorate.decision.channel": decision.channel,
            }
        ),
    )


def _seconds(since: datetime, until: datetime) -> float:
    return max((until - since).total_seconds(), 0.0)


def _stated(attributes: Mapping[str, AttributeValue | None]) -> dict[str, AttributeValue]:
    return {name: value for name, value in attributes.items() if value is not None and value != ""}
