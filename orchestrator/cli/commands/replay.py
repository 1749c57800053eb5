"""`quorate replay`: a stored run under its own rules, or under others."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.application.backend import connected
from orchestrator.application.replay import ReplayRequest, ReplayResult
from orchestrator.application.replay import replay as replay_run
from orchestrator.cli.notices import warning
from orchestrator.cli.options import example, json_option, language_option, run_argument
from orchestrator.cli.reader import words_for
from orchestrator.cli.setting_options import rule_options, take_rules
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from orchestrator.presentation.whatif import check_lines, sweep_lines, variant_lines
from orchestrator.presentation.whatif_json import check_json, what_if_json

DIFFERENT = 1


@click.command(
    epilog=example(
        "quorate replay last                    (is it computed as it is stored?)",
        "quorate replay last --agreement 0.5 --rounds 2",
        "quorate replay last --detector lexical --json | jq .variants[0].would_be.ending",
        "quorate replay last --sweep agreement=0.5:0.9:0.1 --sweep detector=stance,lexical",
        "quorate replay last --set thresholds.stalled_stability=0.1",
    )
)
@run_argument
@rule_options
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar="NAME=VALUES",
    help="One row per value: START:STOP:STEP, or values with commas.",
)
@json_option
@language_option
def replay(
    run: str,
    settings: tuple[str, ...],
    sweeps: tuple[str, ...],
    as_json: bool,
    language: str | None,
    **typed: Any,
) -> int:
    """What RUN would have come to under other rules, from its stored turns. Nobody is asked.

    Without options: is everything computed as it is stored? Exit code 1 if not.
    """
    request = ReplayRequest(run, take_rules(typed), settings, sweeps)
    with connected(os.environ, workers=False) as backend:
        result = replay_run(backend, request)
    terminal = Terminal.of(os.environ)
    _print(result, terminal, words_for(language, result.recording.spec.language), as_json=as_json)
    return DIFFERENT if result.checked is not None and not result.checked.same else ExitCode.OK


def _print(result: ReplayResult, terminal: Terminal, words: Translator, *, as_json: bool) -> None:
    run, remark = result.recording.run, result.remark
    if result.checked is not None:
        if as_json:
            terminal.result(dumps(check_json(run, result.checked, remark)))
        else:
            terminal.result(check_lines(run, result.checked, remark, words))
        return
    found = result.what_if
    assert found is not None
    if as_json:
        terminal.result(dumps(what_if_json(run, found, remark)))
        return
    if remark is not None:
        terminal.warn([warning(words.translate(remark))])
    if result.swept:
        terminal.result(sweep_lines(run, found, words))
    else:
        terminal.result(variant_lines(run, found.stored, found.variants[0], words))
