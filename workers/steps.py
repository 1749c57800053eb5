"""Work on one step: claim it, do it, finish it under the claim's token. A step task's whole body.

Whatever happens on the way ends in a typed outcome in the step's row; nothing is raised to Celery,
so a chord's header always returns a receipt.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import structlog
from pydantic import JsonValue

from shared.contracts import Receipt, StepPayload
from shared.errors import ConfigurationError, EnvironmentFault, ProviderError, QuorateError
from shared.faults import reach
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepKind, ToolRequest, TurnRequest, Usage
from shared.presence import Presence
from shared.store.database import Database
from shared.store.documents import address, get_documents, put_documents
from shared.store.steps import (
    Claim,
    Refusal,
    StoredResponse,
    claim,
    finish,
    hand_back,
    store_response,
)
from workers.prompting import render
from workers.providers.registry import Completion, Finish, ProviderCall, entry, lookup
from workers.replies import obtain, schema_of
from workers.spool import Spool
from workers.tools import registry as tools
from workers.tools.registry import ToolContext

FINISH_PATIENCE_S = 600.0
MAX_PAUSE_S = 300.0
LONGEST_MESSAGE = 2_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Ended:
    """How the work on a claim ended; exactly one of `reply` (JSON) and `failure`."""

    reply: str | None = None
    failure: Failure | None = None
    note: str = ""
    usage: tuple[Usage, ...] = ()
    pause_s: float | None = None


@dataclass(frozen=True)
class StoredDocuments:
    """The document store as tools see it."""

    database: Database

    def get(self, sha256: str) -> bytes:
        """The document of that hash."""
        return self.database.run(lambda connection: get_documents(connection, [sha256]))[sha256]

    def put(self, data: bytes) -> str:
        """Store a document; its hash."""
        name = address(data)
        self.database.run(lambda connection: put_documents(connection, {name: data}))
        return name


@dataclass
class StepWorker:
    """What a worker process needs to work on steps; shared by its threads."""

    database: Database
    presence: Presence
    spool: Spool
    documents: StoredDocuments = field(init=False)

    def __post_init__(self) -> None:
        self.documents = StoredDocuments(self.database)

    def work(self, payload: StepPayload) -> Receipt:
        """Do a step if it is there to be done. Never raises an expected error."""
        try:
            return self._work(payload)
        except EnvironmentFault as fault:
            log.error("step.abandoned", run=payload.run, step=payload.step, why=str(fault))
            return Receipt(step=payload.step, status="abandoned")

    def _work(self, payload: StepPayload) -> Receipt:
        nonce = uuid.uuid4().hex
        owner = self.presence.process_id
        claimed = self.database.run(
            lambda connection: claim(connection, payload.run, payload.step, owner, nonce)
        )
        if isinstance(claimed, Refusal):
            ready = claimed.open_steps == 0 and claimed.status in ("done", "failed")
            return Receipt(step=payload.step, status=claimed.status, ready=ready)
        reach("claimed")
        holding = (claimed.run, claimed.step, claimed.token)
        flag = self.presence.in_flight.add(holding)
        try:
            ended = self._outcome(claimed, flag)
            return self._finish(claimed, ended)
        finally:
            self.presence.in_flight.remove(holding)

    def _outcome(self, claimed: Claim, flag: Event) -> Ended:
        """The work itself, with every expected error as a typed failure."""
        try:
            match claimed.kind:
                case StepKind.TURN:
                    return self._speak(claimed, TurnRequest.model_validate(claimed.request), flag)
                case _:
                    return self._run_tool(ToolRequest.model_validate(claimed.request))
        except ProviderError as error:
            return _failed(error.kind, str(error), _pause(error, claimed))
        except ConfigurationError as error:
            return _failed(FailureKind.BAD_REQUEST, str(error))
        except EnvironmentFault:
            raise
        except QuorateError as error:
            return _failed(FailureKind.TOOL_ERROR, str(error))
        except (
            Exception
        ) as error:  # a bug of ours must not stop the run: it is a failed step, loudly
            log.exception("step.bug", run=claimed.run, step=claimed.step)
            return _failed(
                FailureKind.TOOL_ERROR,
                f"internal error ({type(error).__name__}); see the worker's log",
            )

    def _speak(self, claimed: Claim, request: TurnRequest, flag: Event) -> Ended:
        participant = request.participant
        registered = entry(participant.provider)
        provider = lookup(participant.provider)
        structured = provider.structured(participant)
        prompt = render(request, self._resolver(request), structured=structured)
        call = ProviderCall(
            participant=participant,
            role=request.role,
            round=request.round,
            reply_model=request.reply_model,
            step=f"{claimed.run}/{claimed.step}",
            system=prompt.system,
            user=prompt.user,
            reply_schema=schema_of(request.reply_model) if structured else None,
            max_output_tokens=participant.max_output_tokens,
            temperature=_first(participant.temperature, request.temperature),
            deadline_s=participant.timeout_s,
            brief=request.brief,
            attempt=claimed.attempts,
        )
        stored = [_completion(content) for content in claimed.responses]
        calls: list[Completion] = []

        def keep(completion: Completion) -> None:
            calls.append(completion)
            reach("response-received")
            if not participant.rule_based:
                self._store(claimed, request, registered.paid, completion, len(stored) + len(calls))
                reach("response-stored")

        reach("calling")
        obtained = obtain(provider, call, flag, keep, stored)
        notes = ["adopted"] if stored else []
        notes += ["repaired"] if obtained.repaired else []
        return Ended(
            reply=obtained.reply.model_dump_json(exclude_defaults=True),
            note=", ".join(notes),
            usage=tuple(completion.usage for completion in (*stored, *calls)),
        )

    def _resolver(self, request: TurnRequest) -> Callable[[str], bytes]:
        parts = (*request.system, *request.prompt)
        names = sorted({part.document for part in parts if part.document is not None})
        found = (
            self.database.run(lambda connection: get_documents(connection, names)) if names else {}
        )
        return found.__getitem__

    def _store(
        self,
        claimed: Claim,
        request: TurnRequest,
        paid: bool,
        completion: Completion,
        number: int,
    ) -> None:
        """Store a response before it is looked at; into the spool when Postgres is away."""
        participant = request.participant
        response = StoredResponse(
            run=claimed.run,
            step=claimed.step,
            token=claimed.token,
            worker=self.presence.process_id,
            participant=participant.name,
            provider=participant.provider,
            model=completion.model or participant.model,
            request_sha=_hash(claimed.request),
            content=_content(completion),
            usage=completion.usage,
            attempt=f"{claimed.token}:{number}",
        )
        try:
            self.database.run(
                lambda connection: store_response(connection, response), patience_s=0.5
            )
        except EnvironmentFault:
            if paid:
                self.spool.keep(response)
                log.warning("response.spooled", run=claimed.run, step=claimed.step)
                reach("response-spooled")
            self.database.run(
                lambda connection: store_response(connection, response),
                patience_s=FINISH_PATIENCE_S,
            )
            self.spool.drain(self.database)

    def _run_tool(self, request: ToolRequest) -> Ended:
        tool = tools.lookup(request.tool)
        inputs = {name: self._resolved(value) for name, value in request.inputs.items()}
        context = ToolContext(documents=self.documents, deadline_s=request.timeout_s)
        reply = tool.run(inputs, context)
        reach("tool-done")
        return Ended(reply=reply.model_dump_json(exclude_defaults=True))

    def _resolved(self, value: JsonValue) -> JsonValue:
        """Large inputs travel as {"document": sha256}; tools see the values themselves."""
        if isinstance(value, Mapping) and value.keys() == {"document"}:
            resolved: JsonValue = json.loads(self.documents.get(str(value["document"])))
            return resolved
        return value

    def _finish(self, claimed: Claim, ended: Ended) -> Receipt:
        if ended.pause_s is not None:
            pause_s = ended.pause_s
            self.database.run(lambda connection: hand_back(connection, claimed, pause_s))
            return Receipt(step=claimed.step, status="handed back")
        tokens, cost_usd = _sums(ended.usage)
        open_steps = self.database.run(
            lambda connection: finish(
                connection,
                claimed,
                reply=ended.reply,
                failure=ended.failure,
                note=ended.note,
                tokens=tokens,
                cost_usd=cost_usd,
            ),
            patience_s=FINISH_PATIENCE_S,
        )
        reach("finished")
        if open_steps is None:
            return Receipt(step=claimed.step, status="stale")
        status = "done" if ended.failure is None else "failed"
        return Receipt(step=claimed.step, status=status, ready=open_steps == 0)


def _failed(kind: FailureKind, message: str, pause_s: float | None = None) -> Ended:
    return Ended(failure=Failure(kind=kind, message=message[:LONGEST_MESSAGE]), pause_s=pause_s)


def _pause(error: ProviderError, claimed: Claim) -> float | None:
    """How long a step waits before it is tried again; None when it is not. Attempts bound it."""
    if not error.retryable or claimed.attempts >= 3:
        return None
    asked = error.retry_after_s if error.retry_after_s is not None else 2.0**claimed.attempts
    return asked if asked <= MAX_PAUSE_S else None


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _sums(usage: Sequence[Usage]) -> tuple[int | None, float | None]:
    """Tokens and money of all calls; unknown as soon as one of them is unknown."""
    tokens = [(u.input_tokens, u.output_tokens) for u in usage]
    known = bool(usage) and all(i is not None and o is not None for i, o in tokens)
    priced = bool(usage) and all(u.cost_usd is not None for u in usage)
    return (
        sum((i or 0) + (o or 0) for i, o in tokens) if known else None,
        sum(u.cost_usd or 0.0 for u in usage) if priced else None,
    )


def _hash(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()


def _content(completion: Completion) -> bytes:
    fields = {
        "text": completion.text,
        "finish_reason": completion.finish_reason,
        "model": completion.model,
        "usage": completion.usage.model_dump(),
    }
    return json.dumps(fields, ensure_ascii=False).encode()


def _completion(content: bytes) -> Completion:
    fields = json.loads(content)
    return Completion(
        text=fields["text"],
        usage=Usage.model_validate(fields["usage"]),
        finish_reason=Finish(fields["finish_reason"]),
        model=fields["model"],
    )
