"""A command's options from the settings of its workflow: flag, range, words and help stand with the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from pydantic import JsonValue
from pydantic.fields import FieldInfo

from orchestrator.cli.options import Decorator, Finite, in_this_order
from orchestrator.core.setting import Flag, Setting, blanks_of, bound, plain_type, settings_of
from orchestrator.workflows.descriptor import ASK
from orchestrator.workflows.registry import WORKFLOWS


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
            _option(name, setting, setting.flag, model.model_fields[name])
            for name, setting in settings_of(model)
            if setting.flag is not None
        )
    )


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
    keys: dict[str, JsonValue] = {}
    options: dict[str, JsonValue] = {}
    for name, setting in settings_of(described.options):
        value = typed.pop(name, None) if setting.flag is not None else None
        if setting.key is None and value:
            options[name] = value
        elif setting.key is not None and value is not None:
            keys[f"{described.section}.{setting.key}" if setting.own else setting.key] = value
    return keys, options


def _option(name: str, setting: Setting, flag: Flag, field: FieldInfo) -> Decorator:
    spellings = (flag.spelling, name)
    text, blanks = flag.help, blanks_of(setting, field)
    kind = plain_type(field.annotation)
    if kind is bool:
        paired = "/" in flag.spelling
        default = None if paired else False
        return click.option(
            *spellings, is_flag=True, default=default, help=text, cls=SettingOption, blanks=blanks
        )
    accepted: Any = None
    if setting.words and flag.metavar is None:
        accepted = click.Choice(list(setting.words), case_sensitive=False)
    elif kind is int:
        most = None if flag.open_ended else bound(field, "le")
        accepted = click.IntRange(bound(field, "ge"), most)
    elif kind is float:
        above = bound(field, "gt")
        accepted = Finite(bound(field, "gt", "ge"), bound(field, "le"), min_open=above is not None)
    return click.option(
        *spellings,
        type=accepted,
        metavar=flag.metavar,
        help=text,
        cls=SettingOption,
        blanks=blanks,
    )
