"""The sections of `.quorate.yaml` that several workflows share: each key is a field, which says everything about it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from orchestrator.core.formats import FORMATS
from orchestrator.core.setting import Flag, Setting, Trust
from orchestrator.workflows.registry import WORKFLOWS
from shared.configuration import Seconds, Section
from shared.models.findings import Severity
from shared.models.outcomes import FINAL_STATUSES
from shared.models.retention import RetentionRule
from shared.models.run import ASK, DecisionPolicy, Thresholds
from shared.tools.rules import COMPLEXITY, AnalyserRules, GivenSeverity, Glob, RuleName

INTEGER = 2**31 - 1
"""The largest number of calls that the store's column holds."""
BIG_INTEGER = 2**63 - 1
"""The largest number of tokens that the store's column holds."""
DEFAULT_TURN_S = 300.0
THRESHOLDS = Thresholds()
DECISIONS = tuple(decision for workflow in WORKFLOWS.values() for decision in workflow.decisions)
MODES = (ASK, *dict.fromkeys(word for decision in DECISIONS for word in decision.words))
SILENCES = tuple(dict.fromkeys(decision.on_timeout for decision in DECISIONS))
ANSWERS = ", ".join(
    dict.fromkeys(
        f"{' or '.join(f'`{word}`' for word in decision.words)} (`{name}`)"
        for name, workflow in WORKFLOWS.items()
        for decision in workflow.decisions
    )
)
FORMAT_NAMES = tuple(row.name for row in FORMATS)

Lower = BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)
_Share = Annotated[float, Field(ge=0, le=1)]
_GATES = (*(severity.lower() for severity in Severity), "none")


def _gate(value: object) -> object:
    """The word in capitals; refused here, because a union names a problem of each of its members."""
    if not isinstance(value, str) or value.strip().lower() not in _GATES:
        raise PydanticCustomError("literal_error", "not a gate", {"expected": str(_GATES)})
    return value.strip().upper()


_Gate = Annotated[Severity | Literal["NONE"], BeforeValidator(_gate)]


def _part(help_text: str, shown: str | None = None) -> Setting:
    """Who has a part."""
    return Setting(help_text, shown=shown, trust=Trust.PART)


class OrchestratorSection(Section):
    """Who moderates and merges: `ai` is the name of a participant."""

    ai: Annotated[str | None, _part("who leads a forum, and merges or judges elsewhere")] = None


class ParticipantEntry(Section):
    """One participant of the panel: a name with what is special about it here.

    `label` is how a persona is called in the participant's name, when its own words would be too long for that.
    """

    name: str = Field(min_length=1)
    persona: str | None = None
    label: str | None = Field(default=None, pattern=r"^[\w.-]{1,24}$")
    temperature: float | None = Field(default=None, ge=0, le=2)
    timeout: Seconds | None = None

    @field_validator("label")
    @classmethod
    def _names_a_persona(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and info.data.get("persona", "") is None:
            raise PydanticCustomError("label", "`label` names a persona, and there is none")
        return value


class SettingsSection(Section):
    """The original settings: `timeout` is for one turn, and for the whole of a forum."""

    max_rounds: Annotated[
        int | None,
        Setting(
            "rounds, where the workflow has no number of its own; never more than the workflow allows",
            trust=Trust.UNHURRIED,
        ),
    ] = Field(default=None, ge=1, le=20)
    timeout: Annotated[
        Seconds | None,
        Setting(
            "for one turn, and for the whole of a forum",
            shown=f"`{DEFAULT_TURN_S:g}`",
            variable="QUORATE_TIMEOUT",
            trust=Trust.UNHURRIED,
        ),
    ] = None

    @property
    def turn_s(self) -> float:
        """How long a turn may take."""
        return self.timeout or DEFAULT_TURN_S


class PanelSection(Section):
    """Who has which part, when that should not be chosen automatically. Moderator and embedder may be `none`."""

    author: Annotated[
        str | None,
        _part(
            "who speaks for the author, or plans; a name, in a review also `rules`",
            "the first model",
        ),
    ] = None
    chair: Annotated[
        str | None, _part("who writes the synthesis", "`orchestrator.ai`, else the last model")
    ] = None
    judge: Annotated[
        str | None,
        _part(
            "who judges a panel",
            "`panel.chair`, `orchestrator.ai`, else a model that does not debate",
        ),
    ] = None
    moderator: Annotated[
        str | None,
        _part(
            "who moderates a panel; `none`: nobody",
            "the judge's model, where a preset or `delphi` has one",
        ),
    ] = None
    embedder: Annotated[
        str | None,
        _part("whose vectors find code for `graph search` and `agent`; a model on this machine"),
    ] = None


class ConvergenceSection(Section):
    """When a discussion has converged or stalled. `weights` are for agreement and stability."""

    detector: Annotated[Literal["stance", "text", "lexical"], Lower, Setting("{words}")] = "stance"
    agreement: Annotated[
        _Share, Setting("least agreement for `converged`", trust=Trust.NO_LOWER)
    ] = THRESHOLDS.agreement
    stability: Annotated[
        _Share, Setting("least stability for `converged`", trust=Trust.NO_LOWER)
    ] = THRESHOLDS.stability
    stalled_stability: Annotated[
        _Share, Setting("a discussion below it that does not improve has stalled")
    ] = THRESHOLDS.stalled_stability
    weights: Annotated[
        tuple[_Share, _Share], Setting("of agreement and stability in the overall score")
    ] = (THRESHOLDS.agreement_weight, THRESHOLDS.stability_weight)

    @property
    def thresholds(self) -> Thresholds:
        """The convergence rule's numbers."""
        agreement_weight, stability_weight = self.weights
        return Thresholds(
            agreement=self.agreement,
            stability=self.stability,
            stalled_stability=self.stalled_stability,
            agreement_weight=agreement_weight,
            stability_weight=stability_weight,
        )


class GateSection(Section):
    """What makes a review or a plan fail: a finding as bad as `fail_on`; in a review fewer answers than `quorum`, or
    with `require_reviewer` that only rules have looked."""

    fail_on: Annotated[
        _Gate | None,
        Setting(
            "{words}: findings of a review or a plan that are at least that bad end with exit code 1",
            words=_GATES,
            flag=Flag("--fail-on", "Exit 1 when a finding this severe stands."),
            variable="QUORATE_FAIL_ON",
            trust=Trust.GATE,
        ),
    ] = None
    require_reviewer: Annotated[
        bool,
        Setting(
            "a review is inconclusive (exit code 3) where no model and no person has read the whole change",
            flag=Flag(
                "--require-reviewer/--no-require-reviewer",
                "Inconclusive (exit 3) where only rules have looked.",
            ),
            variable="QUORATE_REQUIRE_REVIEWER",
            trust=Trust.KEPT_ON,
        ),
    ] = False
    quorum: Annotated[
        int | None,
        Setting("critics that must have answered", shown="more than half", trust=Trust.QUORUM),
    ] = Field(default=None, ge=1)


class AnalyserRulesSection(Section):
    """Which rules of the analysers count; a code may have its analyser's name before it, where codes collide."""

    ignore: Annotated[
        tuple[RuleName, ...],
        Setting(
            "rules of analysers that do not count: `B101`, `bandit/B101`, a family as in ruff (`PLE`), `eslint/no-*`",
            trust=Trust.NO_MORE,
        ),
    ] = ()
    select: Annotated[
        tuple[RuleName, ...],
        Setting("more rules of `ruff` and `bandit` than those that are on", trust=Trust.NO_FEWER),
    ] = ()
    severity: Annotated[
        dict[RuleName, GivenSeverity],
        Setting(
            "how bad a rule's findings are: `{{C901: minor, bandit/B602: critical}}`",
            trust=Trust.AT_WORST,
        ),
    ] = Field(default_factory=dict)
    per_file: Annotated[
        dict[Glob, tuple[RuleName, ...]],
        Setting(
            "rules that do not count in files: `{{tests/*: [B101, S101]}}`, globs as in ruff's `per-file-ignores`",
            trust=Trust.NO_MORE,
        ),
    ] = Field(default_factory=dict)
    complexity: Annotated[
        int, Setting("cyclomatic complexity that a function may have", trust=Trust.LIMIT)
    ] = Field(default=COMPLEXITY, ge=1, le=1000)

    baseline: Annotated[
        str | None,
        Setting(
            "a result as JSON (`quorate show last --json`): what it found is known, and left out"
        ),
    ] = Field(default=None, min_length=1)

    @property
    def captured(self) -> AnalyserRules:
        """The same as a run keeps it."""
        return AnalyserRules.model_validate(
            self.model_dump(include=set(AnalyserRules.model_fields))
        )


class DecisionSection(Section):
    """Who decides: `ask` a person, or take the word as the answer at once.

    The words of another workflow's decision ask. Nobody's silence applies a fix or spends on another version: what
    `on_timeout` may say leaves things as they are.
    """

    mode: Annotated[
        Literal[MODES],  # type: ignore[valid-type]  # read from the workflows
        Lower,
        Setting(
            f"`ask` a person, or answer at once: {ANSWERS}; another workflow's words mean `ask`",
            variable="QUORATE_DECIDE",
            trust=Trust.ASKS,
        ),
    ] = ASK
    timeout: Annotated[Seconds | None, Setting("how long the question stays open")] = (
        DecisionPolicy().timeout_s
    )
    on_timeout: Annotated[
        Literal[SILENCES],  # type: ignore[valid-type]  # read from the workflows
        Lower,
        Setting(
            "{words}, which mean the same: nobody's silence applies a fix or orders another version"
        ),
    ] = DecisionPolicy().on_timeout


class BudgetSection(Section):
    """Hard limits of one run, checked before every call."""

    per_run_usd: Annotated[
        float | None,
        Setting(
            "US dollars",
            flag=Flag("--max-cost", "Make no call beyond this cost.", "USD"),
            variable="QUORATE_MAX_COST",
            trust=Trust.NO_HIGHER,
        ),
    ] = Field(default=None, ge=0, allow_inf_nan=False)
    per_run_calls: Annotated[
        int | None,
        Setting(
            "calls of models",
            flag=Flag("--max-calls", "Make at most N calls.", "N", open_ended=True),
            trust=Trust.NO_HIGHER,
        ),
    ] = Field(default=None, ge=0, le=INTEGER)
    per_run_tokens: Annotated[int | None, Setting("tokens, in and out", trust=Trust.NO_HIGHER)] = (
        Field(default=None, ge=0, le=BIG_INTEGER)
    )
    per_run_time: Annotated[Seconds | None, Setting("from submission", trust=Trust.DEADLINE)] = (
        3600.0
    )


class PrivacySection(Section):
    """What leaves this machine. `never_send` and `may_send` are globs, added to the built-in ones; without
    `allow_models` analysers, rules and people take part alone."""

    never_send: Annotated[
        tuple[str, ...], Setting("more globs of files whose text stays here", shown="see below")
    ] = ()
    may_send: Annotated[
        tuple[str, ...], Setting("exceptions to them", shown="`.env.example` and the like")
    ] = ()
    allow_external: Annotated[
        bool,
        Setting(
            "`false`: only endpoints on this machine",
            flag=Flag("--no-external", "Nothing leaves this machine."),
            trust=Trust.STAYS_HERE,
        ),
    ] = True
    allow_models: Annotated[
        bool,
        Setting(
            "`false`: no model is asked at all; analysers, rules and people take part",
            trust=Trust.SAME_MODELS,
        ),
    ] = True


class McpSection(Section):
    """What coding assistants may do that are connected by `quorate mcp`."""

    decide: Annotated[
        bool, Setting("`true`: an assistant may answer decisions; `false`: only people do")
    ] = False
    wait: Annotated[
        Seconds, Setting("how long a tool waits for a run before it answers that it goes on")
    ] = 50.0


class RetentionEntry(Section):
    """A rule by which ended runs are purged: which ones, and how long they are kept after their end."""

    keep: Seconds | Literal["forever"]
    workflow: Literal[tuple(WORKFLOWS)] | None = None  # type: ignore[valid-type]  # a table
    status: Literal[tuple(sorted(FINAL_STATUSES))] | None = None  # type: ignore[valid-type]  # a table

    @property
    def rule(self) -> RetentionRule:
        """As the store reads it."""
        keep_s = None if self.keep == "forever" else self.keep
        return RetentionRule(keep_s, self.workflow, self.status)


class OutputEntry(Section):
    """One report: its format and where it goes (`-` is standard output)."""

    format: Annotated[Literal[FORMAT_NAMES], Lower] = "text"  # type: ignore[valid-type]  # a table
    path: str = "-"
