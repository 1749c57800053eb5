"""A command's options from the settings of its workflow: flag, range, words and help stand with the field."""

from __future__ import annotations

import types
from typing import Any, Union, get_args, get_origin

import click
from pydantic import JsonValue
from pydantic.fields import FieldInfo

from orchestrator.cli.options import Decorator, Finite, in_this_order
from orchestrator.core.setting import Flag, Setting, settings_of
from orchestrator.workflows.descriptor import ASK
from orchestrator.workflows.registry import WORKFLOWS


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
    kind = _plain(field.annotation)
    if kind is bool:
        paired = "/" in flag.spelling
        return click.option(
            *spellings, is_flag=True, default=None if paired else False, help=flag.help
        )
    accepted: Any = None
    if setting.words and flag.metavar is None:
        accepted = click.Choice(list(setting.words), case_sensitive=False)
    elif kind is int:
        most = None if flag.open_ended else _bound(field, "le")
        accepted = click.IntRange(_bound(field, "ge"), most)
    elif kind is float:
        above = _bound(field, "gt")
        least = _bound(field, "ge") if above is None else above
        accepted = Finite(least, _bound(field, "le"), min_open=above is not None)
    return click.option(*spellings, type=accepted, metavar=flag.metavar, help=flag.help)


def _plain(annotation: Any) -> Any:
    """The type without `| None`."""
    if get_origin(annotation) in (types.UnionType, Union):
        return next(kind for kind in get_args(annotation) if kind is not type(None))
    return annotation


def _bound(field: FieldInfo, name: str) -> Any:
    found = (getattr(fact, name, None) for fact in field.metadata)
    return next((bound for bound in found if bound is not None), None)
