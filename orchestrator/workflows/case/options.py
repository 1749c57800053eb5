"""What a case needs beyond what every run captures."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from orchestrator.core.discussion.options import FailOnOption
from orchestrator.core.setting import Flag, Setting, Trust
from shared.models.panel import Participant
from shared.models.wire import Wire

HEURISTIC, LLM = "heuristic", "llm"
Router = Literal["heuristic", "llm"]


class Restart(StrEnum):
    """Where a further iteration begins."""

    CRITIC = "critic"
    EVIDENCE = "evidence"
    FULL = "full"


class SolutionsOption(StrEnum):
    """The design's options A, B and C: who makes solutions of points."""

    VERIFIER = "verifier"
    CRITICS = "critics"
    BOTH = "both"


def _switch(value: Any) -> Any:
    """The design's variable is a switch: 1 is the model, 0 the rules."""
    return {"1": LLM, "0": HEURISTIC}.get(str(value).strip(), value)


class CaseOptions(Wire):
    """How the critic works. `analyst` and `verifier` are models, or nobody: then code does what code can.

    `embedder` makes vectors for evidence; without it words alone count.

    See docs/design/case.md.
    """

    router: Annotated[
        Router,
        BeforeValidator(_switch),
        Setting(
            "who picks the critic's tools: `heuristic`, by rules, or `llm`, the analyst",
            variable="CARE_CRITIC_ROUTER_LLM",
            trust=Trust.SAME,
            flag=Flag("--router", "Who picks the critic's tools: rules, or the analyst."),
        ),
    ] = "heuristic"
    max_tools: Annotated[
        int,
        Setting(
            "how many tools the critic may run, {least} to {most}",
            trust=Trust.UNHURRIED,
            flag=Flag("--max-tools", "Tools that the critic may run ({default}).", "N"),
        ),
    ] = Field(default=4, ge=1, le=20)
    feedback_rounds: Annotated[
        int,
        Setting(
            "how often within an iteration a critique may be sent back, {least} to {most}",
            trust=Trust.UNHURRIED,
            flag=Flag(
                "--feedback-rounds", "How often a critique may be sent back ({default}).", "N"
            ),
        ),
    ] = Field(default=1, ge=0, le=5)
    max_iterations: Annotated[
        int,
        Setting(
            "how often the critic is run at most, {least} to {most}",
            trust=Trust.UNHURRIED,
            flag=Flag("--max-iterations", "How often the critic is run ({default}).", "N"),
        ),
    ] = Field(default=3, ge=1, le=10)
    confidence: Annotated[
        float,
        Setting(
            "the critic is run again while its confidence is not higher than this, {least} to {most}",
            trust=Trust.NO_LOWER,
            flag=Flag("--confidence", "The confidence above which it ends ({default}).", "X"),
        ),
    ] = Field(default=0.8, ge=0, le=1)
    restart: Annotated[
        str,
        Setting(
            "where a further iteration begins: {words}",
            words=tuple(Restart),
            trust=Trust.SAME,
            flag=Flag("--restart", "Where a further iteration begins: {choices}.", "NAME"),
        ),
    ] = Restart.CRITIC.value
    solutions: Annotated[
        str,
        Setting(
            "who makes solutions of points: {words} (the design's options A, B and C)",
            words=tuple(SolutionsOption),
            trust=Trust.SAME,
            flag=Flag("--solutions", "Who makes solutions of points: {choices}.", "NAME"),
        ),
    ] = SolutionsOption.BOTH.value
    neighbours: Annotated[
        int,
        Setting(
            "how many of the most similar cases count, {least} to {most}",
            trust=Trust.SAME,
            flag=Flag("--neighbours", "How many similar cases count ({default}).", "N"),
        ),
    ] = Field(default=3, ge=1, le=20)
    allow_external: Annotated[
        bool,
        Setting(
            "`true`: a case may leave this machine, where `privacy.allow_external` lets anything leave it",
            flag=Flag(
                "--allow-external", "Let participants elsewhere read the case; else none does."
            ),
        ),
    ] = False
    mask_identifiers: Annotated[
        bool,
        Setting(
            "names, numbers, addresses and birth dates are masked for participants elsewhere, and put back in results",
            trust=Trust.TIGHTENS,
            tightens=True,
            flag=Flag(
                "--mask-identifiers", "Mask identifiers in what leaves; the result has them."
            ),
        ),
    ] = False
    analyst: Annotated[Participant | None, Setting(key=None)] = None
    verifier: Annotated[Participant | None, Setting(key=None)] = None
    embedder: Annotated[Participant | None, Setting(key=None)] = None
    fail_on: FailOnOption = None
