"""Help texts exist in Korean, too: all of them, and none that nobody shows."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from orchestrator.cli.help_texts import help_language
from orchestrator.cli.lazy_group import LazyGroup
from orchestrator.cli.main import cli
from orchestrator.cli.registry import CommandGroup
from orchestrator.presentation.locale.catalogue import help_texts


def shown(command: click.Command) -> Iterator[str]:
    context = click.Context(command)
    helps = [command.help, command.short_help]
    helps += [getattr(option, "help", None) for option in command.params]
    own = command.get_help_option(context)
    helps.append(None if own is None else own.help)
    yield from (inspect.cleandoc(text) for text in helps if text)
    if isinstance(command, LazyGroup):
        yield from (entry.help for entry in command.table.values())
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from shown(child)


def test_every_help_text_has_its_korean_and_every_korean_one_is_shown() -> None:
    texts = {*shown(cli), *CommandGroup}
    assert texts - help_texts("ko").keys() == set()
    assert help_texts("ko").keys() - texts == set()


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, ""),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}, "c"),
        ({"LANG": "ko_KR.UTF-8", "QUORATE_LANG": "en"}, "en"),
        ({"QUORATE_LANG": "ko"}, "ko"),
    ],
)
def test_the_language_is_what_was_chosen_else_the_terminals(
    environ: dict[str, str], language: str
) -> None:
    assert help_language(environ) == language


def test_the_help_speaks_korean() -> None:
    command = [sys.executable, "-c", "from orchestrator.cli.main import main; main()"]
    for words, korean in (
        (["--help"], "변경을 검토합니다"),
        (["forum", "--help"], "최대 라운드 수"),
    ):
        environ = {**os.environ, "QUORATE_LANG": "ko", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [*command, *words], env=environ, capture_output=True, text=True, check=False
        )
        assert korean in done.stdout
