"""The commands that put a question to a panel: `ask`, `forum`, `plan`, `panel`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.capture import QuestionInput
from orchestrator.application.prepare import RoleOverrides, SubmissionRequest
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.submission import SubmissionOptions, run_submission


@dataclass(frozen=True)
class Casting:
    """Who was asked to take part, and as what."""

    panel: tuple[str, ...] = ()
    preset: str | None = None
    orchestrator: str | None = None
    judge: str | None = None
    moderator: str | None = None


@dataclass(frozen=True)
class Course:
    """How the discussion was wanted. None: the configuration says it.

    `turn_s` is for one answer, `discussion_s` for a whole forum.
    """

    strategy: str | None = None
    rounds: int | None = None
    revisions: int | None = None
    threshold: float | None = None
    consensus: bool | None = None
    fail_on: str | None = None
    ranking: bool | None = None
    synthesis: bool | None = None
    anonymous: bool | None = None
    turn_s: float | None = None
    discussion_s: float | None = None
    given: bool = False


_KEYS: dict[str, dict[str, str]] = {
    "ask": {"ranking": "ask.ranking", "synthesis": "ask.synthesis", "turn_s": "settings.timeout"},
    "forum": {
        "rounds": "forum.max_rounds",
        "discussion_s": "forum.timeout",
        "anonymous": "forum.anonymous",
    },
    "plan": {
        "strategy": "plan.strategy",
        "rounds": "plan.max_rounds",
        "revisions": "plan.max_revisions",
        "fail_on": "gate.fail_on",
    },
    "panel": {
        "strategy": "debate.strategy",
        "rounds": "debate.max_rounds",
        "threshold": "debate.consensus_threshold",
        "consensus": "debate.require_consensus",
    },
}
"""Which key of the configuration an option overrides, by workflow."""


def run_question(
    workflow: str,
    question: QuestionInput,
    casting: Casting,
    course: Course,
    options: SubmissionOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    """Ask; the exit code."""
    here = Path.cwd()
    request = requested_question(
        workflow, question, casting, course, options, here, output.language
    )
    return run_submission(request, options, output, environ)


def requested_question(
    workflow: str,
    question: QuestionInput,
    casting: Casting,
    course: Course,
    options: SubmissionOptions,
    directory: Path,
    language: str | None = None,
) -> SubmissionRequest:
    """What was typed, as every run takes it."""
    return SubmissionRequest(
        directory=directory,
        workflow=workflow,
        subject=question,
        panel=(*casting.panel, *_merges(workflow, casting)),
        roles=RoleOverrides(casting.orchestrator, casting.judge, casting.moderator),
        config=options.config,
        trust_project=options.trust_project,
        reuse=options.reuse,
        batch=options.batch,
        settings=_typed_settings(workflow, casting, course, options.settings(language)),
        options={"given": True} if course.given else {},
        turn_s=course.turn_s,
    )


def _merges(workflow: str, casting: Casting) -> tuple[str, ...]:
    """Where nobody gives the floor, the orchestrator is who merges."""
    named = workflow == "ask" and casting.orchestrator is not None
    return (f"chair={casting.orchestrator}",) if named else ()


def _typed_settings(
    workflow: str, casting: Casting, course: Course, common: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """The configuration keys that were typed."""
    typed = {key: getattr(course, name) for name, key in _KEYS[workflow].items()}
    typed |= {**common, "preset": casting.preset}
    return {key: value for key, value in typed.items() if value is not None}
