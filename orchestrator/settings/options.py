"""What a run captures of the settings, in the run's own words."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo

from orchestrator.core.setting import bound, settings_of
from orchestrator.settings.schema import SECTIONS, Settings
from orchestrator.subjects.request import MAY_BE_SENT, NEVER_SENT, Screen
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.run import ASK, Budget, DecisionPolicy


def workflow_options(workflow: str, settings: Settings, **given: object) -> Any:
    """A workflow's options as the settings have them, with what is `given` for this run alone."""
    described = WORKFLOWS[workflow]
    stated: dict[str, object] = {}
    for name, setting in settings_of(described.options):
        if setting.key is None:
            continue
        value = settings.value(setting.path(described.section))
        if value is None and setting.falls_back is not None:
            value = _within(
                described.options.model_fields[name], settings.value(setting.falls_back)
            )
        elif value == setting.nothing:
            value = None
        if value is not None or setting.falls_back is None:
            stated[name] = value
    return described.options.model_validate(stated | given)


def _within(field: FieldInfo, value: Any) -> Any:
    """The value as far as the field's range allows: a limit for all may be more than this workflow takes."""
    most = bound(field, "le")
    return value if value is None or most is None else min(value, most)


def budget(settings: Settings) -> Budget:
    """The limits of one run."""
    limits = settings.budget
    return Budget(
        max_calls=limits.per_run_calls,
        max_tokens=limits.per_run_tokens,
        max_usd=limits.per_run_usd,
        max_seconds=limits.per_run_time,
    )


def decision_policy(settings: Settings, workflow: str) -> DecisionPolicy:
    """How a run of that workflow asks. The words of another workflow decide nothing here: a person is asked."""
    policy, decisions = settings.decision, WORKFLOWS[workflow].decisions
    known = [word for decision in decisions for word in decision.words]
    silence = {"on_timeout": decisions[0].on_timeout} if decisions else {}
    return DecisionPolicy(
        mode=policy.mode if policy.mode in known else ASK, timeout_s=policy.timeout, **silence
    )


def screen(settings: Settings) -> Screen:
    """Which files of a change stay on this machine."""
    privacy = settings.privacy
    return Screen(
        never_sent=(*NEVER_SENT, *privacy.never_send),
        may_be_sent=(*MAY_BE_SENT, *privacy.may_send),
        exclude=tuple(
            pattern
            for section in SECTIONS.values()
            for pattern in getattr(settings.section(section), "exclude", ())
        ),
    )
