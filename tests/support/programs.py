"""Random workflows for property tests: groups, decisions, records, phases, and branches on failures and answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from orchestrator.core.replay.commands import (
    Outcome,
    Prompt,
    RoundRecord,
    ToolRun,
    Turn,
    Workflow,
    decide,
    phase,
    record,
    together,
)
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
from shared.models.decision import DecisionQuestion
from shared.models.outcomes import Verdict
from shared.models.panel import Participant
from shared.models.steps import PromptPart
from shared.tools.inputs import AnalyserInput


@dataclass(frozen=True)
class Group:
    """Steps side by side; `spare` more are asked for when one of them failed."""

    size: int
    spare: int


@dataclass(frozen=True)
class Ask:
    """A decision; the answer `again` asks one more group."""


@dataclass(frozen=True)
class Note:
    """A record."""


@dataclass(frozen=True)
class Name:
    """A phase."""


Instruction = Group | Ask | Note | Name
Program = tuple[Instruction, ...]

PROGRAMS: st.SearchStrategy[Program] = st.lists(
    st.one_of(
        st.builds(Group, size=st.integers(0, 4), spare=st.integers(0, 2)),
        st.builds(Ask),
        st.builds(Note),
        st.builds(Name),
    ),
    max_size=7,
).map(tuple)

SPEAKER = Participant(name="speaker", provider="scripted")


def turn(key: str, **fields: object) -> Turn:
    """A turn whose prompt names it."""
    values: dict[str, object] = {
        "key": key,
        "participant": SPEAKER,
        "role": "critique",
        "round": 1,
        "reply_model": "critique.review",
        "prompt": lambda: Prompt(user=(PromptPart(text=key),)),
    }
    return Turn(**{**values, **fields})  # type: ignore[arg-type]


def tool(key: str) -> ToolRun:
    """A tool run."""
    inputs = AnalyserInput(subject=hashlib.sha256(key.encode()).hexdigest())
    return ToolRun(key, "ruff", "ruff", "critique", 1, "critique.review", lambda: inputs)


def round_record(number: int) -> RoundRecord:
    """Any record."""
    metrics = ConvergenceMetrics(
        detector="stance",
        agreement_ratio=0.5,
        avg_stability=None,
        overall_score=0.5,
        recommendation=Recommendation.CONTINUE,
    )
    assessment = Assessment(round=number, metrics=metrics, answered=1, expected=1, quorum=1)
    return RoundRecord(assessment=assessment, findings=(), stances=())


def starter(program: Program) -> Callable[[], Workflow]:
    """What `replay` is given. The outcome's summary tells everything that the workflow was sent."""
    return lambda: _run(program)


def _run(program: Program) -> Workflow:
    heard: list[str] = []
    for number, instruction in enumerate(program, 1):
        match instruction:
            case Group(size, spare):
                keys = [f"{number}/{member}" for member in range(size)]
                results = yield from together(
                    (tool if index % 3 == 2 else turn)(key) for index, key in enumerate(keys)
                )
                heard += [
                    f"{key}={result.model_dump_json()}"
                    for key, result in zip(keys, results, strict=True)
                ]
                if any(result.failure is not None for result in results):
                    more = yield from together(turn(f"{number}/spare{n}") for n in range(spare))
                    heard += [result.model_dump_json() for result in more]
            case Ask():
                question = DecisionQuestion(kind="q", prompt="?", options=("on", "again"), shown={})
                answer = yield from decide(f"ask{number}", question)
                heard.append(f"{number}:{answer.choice}")
                if answer.choice == "again":
                    yield from together((turn(f"{number}/again"),))
            case Note():
                written = yield from record(
                    f"note{number}", RoundRecord, partial(round_record, number)
                )
                heard.append(f"{number}:{written.assessment.round}")
            case Name():
                yield from phase(f"phase{number}")
    return Outcome(Verdict.INCONCLUSIVE, None, "\n".join(heard))
