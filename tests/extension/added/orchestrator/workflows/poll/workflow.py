"""The poll: its generator, and what it says of itself."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from orchestrator.workflows.poll.options import PollOptions
from orchestrator.workflows.poll.result import PollResult

from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.parts import CHAIR, CRITIC, PartType
from orchestrator.core.replay.commands import (
    Outcome,
    Prompt,
    RecordBody,
    Turn,
    Workflow,
    child_request,
    phase,
    record,
    single,
    spawn,
    together,
)
from orchestrator.core.replay.materials import Materials
from orchestrator.workflows.descriptor import (
    Choice,
    DecisionType,
    SubjectKind,
    WorkflowLogic,
    WorkflowType,
)
from shared.models.notices import notice
from shared.models.outcomes import Ending, Verdict
from shared.models.panel import Participant
from shared.models.run import RunSpec

ESTIMATE, TELL = "estimate", "tell"
DECISION = DecisionType(
    kind="publish",
    choices=(Choice("publish", "p"), Choice("withhold", "w")),
    on_timeout="withhold",
)


class Tally(RecordBody):
    """Who answered."""

    kind: ClassVar[str] = "tally"

    answered: tuple[str, ...]


def poll(spec: RunSpec, materials: Materials) -> Workflow:
    """The whole run."""
    options = PollOptions.model_validate(spec.options)
    templates = Templates(materials.prompts(spec.prompts))
    asked = templates.question(materials.question(spec.subject))

    def estimate(speaker: Participant) -> Prompt:
        parts = (*asked, templates.part("estimate"))
        return templates.prompt(templates.part("participant"), speaker, parts)

    def tell(answers: dict[str, str]) -> Prompt:
        texts = (data(f"answer {name}", text=text) for name, text in answers.items())
        parts = (*asked, *texts, templates.part("tell", count=len(answers)))
        return templates.prompt(templates.part("teller"), spec.panel.chair, parts)

    yield from phase("Polling")
    results = yield from together(
        _turn(f"estimate/{who.name}", who, ESTIMATE, partial(estimate, who))
        for who in spec.panel.critics
    )
    answers = {
        who.name: str((result.reply or {}).get("answer"))
        for who, result in zip(spec.panel.critics, results, strict=True)
        if result.reply
    }
    tally = yield from record("tally", Tally, lambda: Tally(answered=tuple(answers)))
    if len(tally.answered) < options.least:
        few = notice("poll_too_few", n=len(tally.answered), least=options.least)
        return Outcome(Verdict.INCONCLUSIVE, Ending.DEGRADED, few, warnings=(few,))
    yield from phase("Telling")
    told = yield from single(_turn("tell", spec.panel.chair, TELL, partial(tell, answers)))
    sentence = str((told.reply or {}).get("answer") or "-")
    yield from phase("Comparing")
    beside = yield from spawn(
        "beside", "ask", lambda: child_request("asked beside", spec, "ask", templates.texts)
    )
    yield from phase("WaitingForDecision")
    shown = {"sentence": sentence}
    answer = yield from DECISION.ask(
        "publish", spec.decision, f"Publish: {sentence}?", lambda: shown
    )
    yield from phase("Closed")
    result = PollResult(
        answered=len(answers),
        asked=len(spec.panel.critics),
        told=sentence,
        compared=beside.summary or beside.reason,
        choice=answer.choice,
    )
    return Outcome(Verdict.ANSWERED, None, sentence, result=result)


def _turn(key: str, who: Participant, role: str, prompt: partial[Prompt]) -> Turn:
    return Turn(key=key, participant=who, role=role, round=1, reply_model="answer", prompt=prompt)


WORKFLOW: WorkflowType[PollOptions] = WorkflowType(
    name="poll",
    version=1,
    options=PollOptions,
    display="orchestrator.workflows.poll.view",
    section="poll",
    logic=WorkflowLogic(poll),
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(CRITIC, "answers", (ESTIMATE,), many=True),
        PartType(CHAIR, "teller", (TELL,), task="tell what they hold"),
    ),
    record_types=(Tally,),
    decisions=(DECISION,),
    starts=("ask",),
)
