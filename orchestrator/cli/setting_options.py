"""A command's options from the settings of its workflow: flag, range, words and help stand with the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click
from pydantic import JsonValue
from pydantic.fields import FieldInfo

from orchestrator.cli.options import (
    Decorator,
    Finite,
    config_option,
    in_this_order,
    json_option,
    language_option,
    quiet_option,
)
from orchestrator.cli.work_options import (
    models_option,
    no_wait_option,
    output_option,
    participants_option,
    reuse_option,
)
from orchestrator.core.setting import (
    Flag,
    ReplayRule,
    Setting,
    blanks_of,
    bound,
    plain_type,
    settings_of,
)
from orchestrator.settings.schema import KEYS, Key
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.run import ASK
from shared.sentences import Sentence


class SettingOption(click.Option):
    """An option whose help has blanks, which are filled in when it is shown: the catalogues have the text with them."""

    def __init__(self, *declarations: Any, blanks: Mapping[str, Any], **attributes: Any) -> None:
        """As click's own."""
        super().__init__(*declarations, **attributes)
        self.blanks = blanks

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """As click's own, filled in."""
        record = super().get_help_record(ctx)
        return record and (record[0], record[1].format(**self.blanks))


def setting_options(workflow: str) -> Decorator:
    """An option for every setting of the workflow that has a flag; what is typed stands under the field's name."""
    model = WORKFLOWS[workflow].options
    return in_this_order(
        *(
            _option(name, Key(model.model_fields[name], setting), setting.flag)
            for name, setting in settings_of(model)
            if setting.flag is not None
        )
    )


def key_option(key: str) -> Decorator:
    """The option of a key that several workflows share; what is typed stands under `parameter(key)`."""
    flag = KEYS[key].setting.flag
    assert flag is not None, f"{key} has no flag"
    return _option(parameter(key), KEYS[key], flag)


def parameter(key: str) -> str:
    """Under which name click gives what was typed for a key."""
    return key.replace(".", "__")


def flags_of(workflow: str) -> dict[str, str]:
    """The flags of the workflow's settings as they are typed to switch something on, by the field's name."""
    settings = settings_of(WORKFLOWS[workflow].options)
    return {
        name: setting.flag.spelling.partition("/")[0]
        for name, setting in settings
        if setting.flag is not None
    }


def holder_options(workflow: str) -> Decorator:
    """An option for every part of the workflow whose holder has one; what is typed stands under the flag's name."""
    flags = [part.flag for part in WORKFLOWS[workflow].parts if part.flag is not None]
    return in_this_order(
        *(click.option(flag.spelling, metavar=flag.metavar, help=flag.help) for flag in flags)
    )


def take_holders(workflow: str, typed: dict[str, Any]) -> dict[str, str]:
    """Who was named for a part, by the part's name. It is no longer in `typed` then."""
    named = {
        part.name: typed.pop(part.flag.spelling.lstrip("-"), None)
        for part in WORKFLOWS[workflow].parts
        if part.flag is not None
    }
    return {part: name for part, name in named.items() if name is not None}


def decide_option(*workflows: str) -> Decorator:
    """`--decide` with the answers of those workflows' decisions; what leaves things as they are comes first."""
    decisions = [decision for name in workflows for decision in WORKFLOWS[name].decisions]
    words = [word for decision in decisions for word in reversed(decision.words)]
    return click.option(
        "--decide",
        type=click.Choice([ASK, *words, "later"]),
        help="The decision: ask here (default), take an answer at once, or leave it open.",
    )


def take_settings(
    workflow: str, typed: dict[str, Any]
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """What was typed, as keys of the configuration and as options that no configuration has.

    It is no longer in `typed` then.
    """
    described = WORKFLOWS[workflow]
    keys = {key: typed.pop(parameter(key), None) for key, row in KEYS.items() if row.setting.flag}
    options: dict[str, JsonValue] = {}
    for name, setting in settings_of(described.options):
        if setting.flag is None:
            continue
        target, place = (
            (options, name) if setting.key is None else (keys, setting.path(described.section))
        )
        target[place] = typed.pop(name, None)
    stated = {key: value for key, value in keys.items() if value is not None}
    return stated, {name: value for name, value in options.items() if value}


def _option(name: str, key: Key, flag: Flag, **more: str) -> Decorator:
    return click.option(
        *filter(None, (flag.spelling, flag.also)),
        name,
        metavar=flag.metavar,
        help=flag.help,
        cls=SettingOption,
        blanks=blanks_of(key.setting, key.field) | more,
        **_accepted(key.setting, key.field, flag),
    )


def _is_closed(setting: Setting, flag: Flag) -> bool:
    """Whether click refuses other words; with a key the configuration does, which may know more."""
    return bool(setting.words) and (flag.metavar is None or setting.key is None)


def _accepted(setting: Setting, field: FieldInfo, flag: Flag) -> dict[str, Any]:
    """What the option takes, in click's words."""
    kind = plain_type(field.annotation)
    least, most = bound(field, "ge", "gt"), None if flag.open_ended else bound(field, "le")
    if kind is bool:
        if field.default is True and "/" not in flag.spelling:
            return {"flag_value": False, "default": None, "type": bool}
        return {"is_flag": True, "default": None if "/" in flag.spelling else False}
    if _is_closed(setting, flag):
        return {"type": click.Choice(list(map(str, setting.words)), case_sensitive=False)}
    if kind is int:
        return {"type": click.IntRange(least, most)}
    if kind is float:
        return {"type": Finite(least, most, min_open=bound(field, "gt") is not None)}
    return {}


# ---- what a command takes that submits a run ----------------------------------------------------

LONGEST_KEY = 200
LOCK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


def _checked_key(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> str | None:
    """An empty key is refused, not taken for none: a script's variable may be empty."""
    if typed is not None and not 0 < len(typed.strip()) <= LONGEST_KEY:
        raise click.BadParameter(f"1 to {LONGEST_KEY} characters are expected")
    return typed


def _checked_lock(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> str | None:
    if typed is not None and LOCK_NAME.fullmatch(typed) is None:
        raise click.BadParameter("up to 64 letters, digits, '.', '_' and '-', a letter first")
    return typed


cast_options = in_this_order(participants_option, models_option, key_option("preset"))
submission_options = in_this_order(
    click.option(
        "--estimate", is_flag=True, help="Print the expected calls and cost; start nothing."
    ),
    key_option("budget.per_run_usd"),
    key_option("budget.per_run_calls"),
    click.option("--batch", metavar="NAME", help="Count this run's costs under a name."),
    key_option("project"),
    click.option(
        "--idempotency-key",
        metavar="KEY",
        callback=_checked_key,
        help="The run that has this key already is the one meant: none is started twice.",
    ),
    click.option(
        "--lock",
        metavar="NAME",
        callback=_checked_lock,
        help="Start nothing (exit code 6) while another command on this machine holds the lock NAME.",
    ),
    reuse_option,
    key_option("privacy.allow_external"),
    config_option,
    click.option(
        "--trust-project", is_flag=True, help="Let the repository's own file set everything."
    ),
    no_wait_option,
    output_option,
    json_option,
    language_option,
    quiet_option,
)
"""What every command that submits a run takes: limits, configuration, and how its result is wanted."""


# ---- the rules of a discussion, for the commands that compute with others -----------------------


def _changed(rule: ReplayRule, option: Key) -> Key:
    """What the rule changes: a field of the option, or the option as the configuration knows it."""
    if len(option.setting.rules) > 1:
        return Key(plain_type(option.field.annotation).model_fields[rule.field], option.setting)
    return KEYS.get(str(option.setting.key), option)


def _changed_by_rules() -> Mapping[ReplayRule, Mapping[str, Key]]:
    changed: dict[ReplayRule, dict[str, Key]] = {}
    for workflow, described in WORKFLOWS.items():
        for name, setting in settings_of(described.options):
            option = Key(described.options.model_fields[name], setting)
            for rule in setting.rules:
                changed.setdefault(rule, {})[workflow] = _changed(rule, option)
    return changed


RULES = _changed_by_rules()
"""Every rule of a replay, and what it changes in each workflow."""


def _rule_option(rule: ReplayRule) -> Decorator:
    """The flag of a rule; its range is open where the workflows differ."""
    keys = [*RULES[rule].values()]
    open_ended = len({bound(key.field, "le") for key in keys}) > 1
    flag = Flag(f"--{rule.name}", rule.help, rule.metavar, open_ended)
    return _option(rule.field, keys[0], flag, workflows=", ".join(RULES[rule]))


rule_options = in_this_order(
    *(_rule_option(rule) for rule in RULES if rule.help),
    click.option(
        "--weights", metavar="A:S", help="Weights of agreement and stability in the score."
    ),
    click.option(
        "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any option of the run."
    ),
)


def take_rules(typed: dict[str, Any]) -> dict[str, str]:
    """What was typed of them, by their names; it is no longer in `typed` then. Raises click.UsageError."""
    given = {rule.name: typed.pop(rule.field, None) for rule in RULES}
    rules = {name: str(value) for name, value in given.items() if value is not None}
    weights = typed.pop("weights", None)
    if weights is None:
        return rules
    parts = [part.strip() for part in weights.replace(",", ":").split(":")]
    if len(parts) != 2 or not all(parts):
        raise click.UsageError(
            Sentence("--weights {weights}: expected A:S, as in 0.6:0.4", weights=weights)
        )
    return {**rules, "agreement-weight": parts[0], "stability-weight": parts[1]}
