"""What an agent needs beyond what every run captures."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from orchestrator.core.setting import Flag, Setting
from orchestrator.workflows.agent.approval_rules import ApprovalRule
from orchestrator.workflows.agent.mode_context import ApprovalLevel
from orchestrator.workflows.agent.modes import AgentMode
from shared.models.panel import Participant
from shared.models.wire import Wire
from shared.tools.rules import Glob


class IntentReader(StrEnum):
    """Who reads what a request asks for."""

    RULES = "rules"
    UNSURE = "unsure"
    """A participant where the rules are not sure."""
    ALWAYS = "always"


RuleWord = Annotated[
    ApprovalRule,
    BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value),
]


class AgentOptions(Wire):
    """How the agent works. Without a `coder` it finds, examines, runs and explains, and changes nothing.

    An `embedder` makes vectors for the search; without it names, words and structure alone find.

    See docs/design/agent.md. Nothing here is taken from the file of the repository that is worked on.
    """

    mode: Annotated[
        AgentMode | None,
        Setting(
            key=None,
            words=tuple(AgentMode),
            flag=Flag("--mode", "Begin in this mode (`quorate agent modes`).", "MODE"),
        ),
    ] = None
    intent: Annotated[
        str,
        Setting(
            "who says what a request without `--mode` asks for: `rules`, `unsure` (a model of the run where the rules "
            "are not sure) or `always` (a model; [how](agent.md#modes))",
            words=tuple(IntentReader),
            flag=Flag("--intent", "Who reads what is asked for: {choices}.", "WHO"),
        ),
    ] = IntentReader.UNSURE.value
    approval: Annotated[
        str,
        Setting(
            "what is put to a person: `low` nothing, `medium` code and commits, `high` everything",
            words=tuple(ApprovalLevel),
            variable="QUORATE_APPROVAL",
            flag=Flag("--approval", "What is put to you: {choices}.", "LEVEL"),
        ),
    ] = ApprovalLevel.MEDIUM.value
    auto_test: Annotated[
        bool,
        Setting(
            "the project's tests (`agent.tests`) are run after every change",
            flag=Flag("--auto-test/--no-auto-test", "Run the tests after every change."),
        ),
    ] = True
    auto_commit: Annotated[
        bool,
        Setting(
            "what was approved and passed is committed on the agent's branch without a further question",
            flag=Flag("--auto-commit/--no-auto-commit", "Commit what passed, unasked."),
        ),
    ] = False
    tests: Annotated[
        str | None,
        Setting(
            "a command that runs the project's tests, in the sandbox on a copy; without it none are run",
            flag=Flag("--tests", "The command that runs the tests.", "COMMAND"),
        ),
    ] = Field(default=None, min_length=1, max_length=2000)
    command: Annotated[
        str | None,
        Setting(
            "a command that is measured, verified or reproduced, in the sandbox on a copy",
            key=None,
            flag=Flag("--command", "What to measure, verify or reproduce.", "COMMAND"),
        ),
    ] = Field(default=None, min_length=1, max_length=2000)
    paths: Annotated[
        dict[Glob, RuleWord],
        Setting(
            "rules for the files of a patch, above the approval level: a glob, and `approve`, `ask` or `refuse`; "
            "the strictest counts ([rules](agent.md#rules))"
        ),
    ] = Field(default_factory=dict)
    commands: Annotated[
        dict[Glob, RuleWord],
        Setting("the same for commands before they are run; without a rule they are run"),
    ] = Field(default_factory=dict)
    command_timeout_s: Annotated[
        float,
        Setting(
            "seconds until a command (`agent.tests`, `--command`) is stopped, its repeats together",
            key="command_timeout",
            seconds=True,
            flag=Flag("--command-timeout", "Stop a command after S seconds ({default}).", "S"),
        ),
    ] = Field(default=600.0, ge=1, le=1500)
    repeats: Annotated[
        int,
        Setting(
            "how often a command is run to measure it, {least} to {most}",
            flag=Flag("--repeats", "How often a measured command is run ({default}).", "N"),
        ),
    ] = Field(default=5, ge=1, le=50)
    attempts: Annotated[
        int,
        Setting(
            "how often in one mode the coder is asked for a patch that applies, {least} to {most}"
        ),
    ] = Field(default=3, ge=1, le=10)
    max_modes: Annotated[
        int,
        Setting(
            "how many modes a run may go through, {least} to {most}",
            flag=Flag("--max-modes", "How many modes it may go through ({default}).", "N"),
        ),
    ] = Field(default=30, ge=1, le=500)
    coder: Annotated[Participant | None, Setting(key=None)] = None
    embedder: Annotated[
        Participant | None,
        Setting(key=None),
        Field(exclude_if=lambda value: value is None),
    ] = None
