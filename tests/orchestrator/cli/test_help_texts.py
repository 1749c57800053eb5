"""Help texts exist in Korean, too: all of them, and none that nobody shows."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from orchestrator.cli.default_command import INSTEAD, objection, objection_to_subject
from orchestrator.cli.help_texts import HEADINGS, epilog_lines
from orchestrator.cli.lazy_group import LazyGroup
from orchestrator.cli.main import cli
from orchestrator.cli.registry import CommandGroup
from orchestrator.cli.usage_words import SENTENCES, in_language
from orchestrator.presentation.locale.catalogue import help_texts
from orchestrator.settings.languages import help_language
from tests.support.english import english_left


def shown(command: click.Command) -> Iterator[str]:
    context = click.Context(command)
    helps = [command.help, command.short_help]
    helps += [getattr(option, "help", None) for option in command.params]
    own = command.get_help_option(context)
    helps.append(None if own is None else own.help)
    yield from (inspect.cleandoc(text) for text in helps if text)
    yield from epilog_lines(command.epilog or "")
    if isinstance(command, LazyGroup):
        yield from (entry.help for entry in command.table.values())
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from shown(child)


def test_every_help_text_has_its_korean_and_every_korean_one_is_shown() -> None:
    hints = {f"{hint[0].upper()}{hint[1:]}" for hint in INSTEAD.values()}
    texts = {*shown(cli), *CommandGroup, *HEADINGS, *SENTENCES, *hints}
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
        (["--help"], "사용법: quorate [OPTIONS]"),
        (["batch", "--help"], "\n명령:\n"),
        (["batch", "list", "--help"], "\n옵션:\n"),
    ):
        environ = {**os.environ, "QUORATE_LANG": "ko", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [*command, *words], env=environ, capture_output=True, text=True, check=False
        )
        assert korean in done.stdout


@pytest.mark.parametrize(
    ("words", "korean"),
    [
        (["review", "--fail-on", "zz"], "'--fail-on'의 값이 잘못되었습니다. 'zz': 'critical'"),
        (["review", "--fail-onn", "x"], "'--fail-onn' 옵션은 없습니다. '--fail-on' 말씀입니까?"),
        (["list", "-n", "0"], "'-n'의 값이 잘못되었습니다. 0: 범위 1<=x<=10000 밖입니다."),
        (["config", "chek"], "'chek' 명령은 없습니다. 'check' 말씀입니까?"),
        (["decide"], "'RUN' 인수가 빠졌습니다. (설명: `quorate decide --help`)"),
        (["list", "more"], "남는 인수가 있습니다: more"),
        (["list", "--status"], "'--status' 옵션에는 값이 필요합니다."),
    ],
)
def test_what_was_typed_wrongly_is_told_in_korean(words: list[str], korean: str) -> None:
    with pytest.raises(click.UsageError) as wrong:
        cli.main(args=words, prog_name="quorate", standalone_mode=False)
    where = wrong.value.ctx.command_path if wrong.value.ctx else "quorate"
    told = f"{wrong.value.format_message()} (`{where} --help` explains)"

    assert korean in in_language(told, help_texts("ko"))
    assert in_language(told, {}) == told


@pytest.mark.parametrize(
    "words",
    [
        ["reviw"],
        ["abort"],
        ["review", "it"],
        ["review --staged"],
        ["app.py"],
        ["show", "—all"],
        ["nosuch", "thing"],
        ["apply_fix"],
    ],
)
def test_a_mistyped_command_is_told_in_korean(words: list[str]) -> None:
    commands = cli.list_commands(click.Context(cli))
    told = objection(words, commands) or objection_to_subject(words, commands)

    assert told is not None
    assert english_left(in_language(told, help_texts("ko"))) == []
