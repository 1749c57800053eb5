"""`quorate participants test`: one short question to each, asked here or by a service."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from orchestrator.application.backend import connected
from orchestrator.application.installation import QuorateInstallation, StoredInstallation
from orchestrator.application.trials import (
    AskedModel,
    ParticipantDesk,
    StoredParticipants,
    Trial,
    TrialRequest,
)
from orchestrator.cli.elsewhere import refuse_configuration, server_of
from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.options import Finite, config_option, example, json_option
from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.core.lines import line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from shared.models.rows import StepRow
from shared.sentences import Sentence
from shared.store.spending import Grouping

_LOOK_S = 0.2
LATE = Sentence("no answer in time")


@click.command(
    "test", epilog=example("quorate participants test", "quorate participants test claude,codex")
)
@click.argument("names", nargs=-1, metavar="[NAMES]")
@config_option
@click.option("--timeout", "timeout_s", type=Finite(1, 3600), default=60.0, help="Seconds (60).")
@json_option
def test(names: tuple[str, ...], config: Path | None, timeout_s: float, as_json: bool) -> int:
    """Ask each model one short question, through the workers. This costs what a short call costs.

    Exit code 3 when one of them does not answer.
    """
    terminal, request = Terminal.of(os.environ), TrialRequest(names, timeout_s)
    words = words_in()
    with trial_place(os.environ, config) as (desk, place):
        trial = desk.begin_trial(request, NoticePrinter(terminal, words))
        steps = _followed(place, trial.run, timeout_s + 30.0)
        paid = place.spent(Grouping.PARTICIPANT, run=trial.run, since_s=None)
    if as_json:
        terminal.result(dumps(_json(trial, steps)))
    else:
        rows = _rows(trial.asked, steps, {row.key for row in paid.rows}, words)
        names_of = heads(("name", "outcome", "took", "call_tokens", "cost", "said"), words)
        terminal.result(table(names_of, rows))
        failed = failures(steps, words)
        terminal.talk([line(f"{participant}: {why}") for participant, why in failed])
        terminal.talk([sentence_line(Sentence("run {run}: `quorate show {run}`", run=trial.run))])
    answered = {step.participant for step in steps if step.status == "done"}
    everybody = {participant.name for participant in trial.asked}
    return ExitCode.OK if answered == everybody else ExitCode.INCONCLUSIVE


@contextmanager
def trial_place(
    environ: Mapping[str, str], config: Path | None
) -> Iterator[tuple[ParticipantDesk, QuorateInstallation]]:
    """Where participants are tried, and where their run is."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_installation import RemoteInstallation, client_of
        from orchestrator.client.remote_participants import RemoteParticipants

        refuse_configuration(config)
        with client_of(environ) as client:
            yield RemoteParticipants(client), RemoteInstallation(client)
        return
    with connected(environ) as backend:
        desk = StoredParticipants(backend, environ, Path.cwd(), config)
        yield desk, StoredInstallation(backend)


def _followed(place: QuorateInstallation, run: str, patience_s: float) -> Sequence[StepRow]:
    """The run's steps once all are final, or when patience ends."""
    place.care(lambda _notice: None)  # a service that is away is waited for
    ends_at = time.monotonic() + patience_s
    while time.monotonic() < ends_at:
        if place.heartbeat(run).status.final:
            break
        time.sleep(_LOOK_S)
    return place.report(run).steps


def failures(steps: Sequence[StepRow], words: Translator = ENGLISH) -> list[tuple[str, str]]:
    """Who did not answer, and why, in full: the failure, or what a turn still waits for."""
    return [
        (step.participant, words.column(step.failure_message or step.note) or words.sentence(LATE))
        for step in steps
        if step.status != "done"
    ]


def _rows(
    asked: Sequence[AskedModel],
    steps: Sequence[StepRow],
    called: Collection[str],
    words: Translator,
) -> list[tuple[str, ...]]:
    """`called` are those with a call that may have been charged; a refused one costs nothing."""
    by_name = {step.participant: step for step in steps}
    return [
        _row(participant, by_name.get(participant.name), words, charged=participant.name in called)
        for participant in asked
    ]


def _row(
    participant: AskedModel, step: StepRow | None, words: Translator, *, charged: bool
) -> tuple[str, ...]:
    if step is None:
        return (participant.name, words.sentence(LATE), "-", "-", "-", "-")
    if step.status not in ("done", "failed"):
        return (
            participant.name,
            words.sentence(LATE),
            "-",
            "-",
            "-",
            words.column(step.note) or "-",
        )
    outcome = words.word(f"kind_{step.failure_kind}", str(step.failure_kind))
    if step.status == "done":
        outcome = words.message("trial_answered")
    unpriced = words.message("trial_unknown") if charged else "-"
    cost = unpriced if step.cost_usd is None else f"${step.cost_usd:.6f}"
    return (
        participant.name,
        outcome,
        _took(step),
        str(step.tokens or "-"),
        cost,
        _answer(step, words) or "-",
    )


def _answer(step: StepRow, words: Translator) -> str:
    """What was answered, or why not, in a few words."""
    answered = " ".join(str((step.reply or {}).get("answer", "")).split())
    return words.column(step.failure_message) or answered[:60]


def _took(step: StepRow) -> str:
    if step.finished_at_s is None or step.leased_at_s is None:
        return "-"
    return f"{step.finished_at_s - step.leased_at_s:.1f} s"


def _json(trial: Trial, steps: Sequence[StepRow]) -> dict[str, object]:
    by_name = {step.participant: step for step in steps}
    listed = []
    for participant in trial.asked:
        step = by_name.get(participant.name)
        listed.append(
            {
                "name": participant.name,
                "provider": participant.provider,
                "model": participant.model,
                "answered": step is not None and step.status == "done",
                "failure": None
                if step is None or step.failure_kind is None
                else {"kind": step.failure_kind, "message": ENGLISH.column(step.failure_message)},
                "tokens": None if step is None else step.tokens,
                "cost_usd": None if step is None else step.cost_usd,
            }
        )
    return {"schema_version": SCHEMA_VERSION, "run": trial.run, "participants": listed}
