"""What a step was asked, to be shown elsewhere: with the texts that its prompt is made of."""

from __future__ import annotations

from orchestrator.application.rows_text import AskedStep
from orchestrator.application.run_details import StepRequest
from orchestrator.presentation.sent import prompt


def asked_step(asked: StepRequest) -> AskedStep:
    """The request with its documents: those that making its prompt asks for."""
    documents: dict[str, bytes] = {}

    def resolve(name: str) -> bytes:
        documents[name] = asked.document(name)
        return documents[name]

    prompt(dict(asked.request), asked.kind, resolve, leaves=False)
    return AskedStep(dict(asked.request), documents)


def step_request(asked: AskedStep) -> StepRequest:
    """The request as it is known where it is stored."""
    return StepRequest(asked.request, asked.documents.__getitem__)
