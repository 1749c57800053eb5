"""Settings that several workflows have: declared once, named in the annotations of their options."""

from __future__ import annotations

from typing import Annotated

from orchestrator.core.consensus.convergence import Detector
from orchestrator.core.setting import Flag, Setting, Trust
from shared.models.findings import Severity
from shared.models.run import Thresholds


def rounds_setting(flag: Flag, variable: str | None = None) -> Setting:
    """How many rounds a workflow takes at most."""
    return Setting(
        key="max_rounds",
        help="{least} to {most}; counts before {falls_back}",
        falls_back="settings.max_rounds",
        trust=Trust.UNHURRIED,
        rules=("rounds",),
        flag=flag,
        variable=variable,
    )


def quorum_setting(help_text: str) -> Setting:
    """How many have to answer, or to take a position."""
    return Setting(
        key="quorum",
        help=help_text,
        shown="more than half",
        trust=Trust.QUORUM,
        rules=("quorum",),
    )


DetectorOption = Annotated[
    str, Setting(key="convergence.detector", words=tuple(Detector), rules=("detector",))
]
ThresholdsOption = Annotated[
    Thresholds,
    Setting(
        key="convergence.thresholds",
        rules=("agreement", "stability", "agreement-weight", "stability-weight"),
    ),
]
FailOnOption = Annotated[
    Severity | None, Setting(key="gate.fail_on", nothing="NONE", rules=("fail-on",))
]
