"""Settings that several workflows have: declared once, named in the annotations of their options."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from orchestrator.core.consensus.detectors import Detector
from orchestrator.core.setting import Flag, ReplayRule, Setting, Trust
from shared.models.findings import Severity
from shared.models.run import Thresholds

ROUNDS = ReplayRule("rounds", "Maximum number of rounds.", "N")
QUORUM = ReplayRule("quorum", "How many must answer.", "N")
CONSENSUS = ReplayRule("consensus", "Support that ballots need ({workflows}).", "X")
DETECTOR = ReplayRule(
    "detector", "Which figures decide: stance, lexical, ... ({workflows}).", "NAME"
)
THRESHOLDS = (
    ReplayRule("agreement", "Agreement required, {least} to {most}.", "X"),
    ReplayRule("stability", "Stability required, {least} to {most}.", "X"),
    ReplayRule("agreement-weight"),
    ReplayRule("stability-weight"),
)
FAIL_ON = ReplayRule("fail-on", "The gate ({workflows}).")


def rounds_setting(flag: Flag, variable: str | None = None) -> Setting:
    """The maximum number of rounds of a workflow."""
    return Setting(
        "{least} to {most}; takes precedence over {falls_back}",
        key="max_rounds",
        falls_back="settings.max_rounds",
        trust=Trust.UNHURRIED,
        rules=(ROUNDS,),
        flag=replace(flag, also="--max-rounds"),
        variable=variable,
    )


def quorum_setting(help_text: str) -> Setting:
    """How many have to answer, or to take a position."""
    return Setting(
        help_text, key="quorum", shown="more than half", trust=Trust.QUORUM, rules=(QUORUM,)
    )


DetectorOption = Annotated[
    str, Setting(key="convergence.detector", words=tuple(Detector), rules=(DETECTOR,))
]
ThresholdsOption = Annotated[Thresholds, Setting(key="convergence.thresholds", rules=THRESHOLDS)]
FailOnOption = Annotated[
    Severity | None, Setting(key="gate.fail_on", nothing="NONE", rules=(FAIL_ON,))
]
