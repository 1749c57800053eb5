"""`quorate participants test`: one short question to each, through the workers like every other call.

The command line holds no key and no provider, so the trial is an ask run of one turn a participant: limits, budget,
masking, ledger and costs are those of any run, and the run can be looked at afterwards.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import click

from orchestrator.application.backend import Backend, connected
from orchestrator.application.listings import spent
from orchestrator.application.prepare import DocumentCollector
from orchestrator.application.submit import store_run
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.options import Finite, config_option, example, json_option
from orchestrator.core.document import line
from orchestrator.participants.casting import build_cast
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.builtin_prompts import load as load_prompts
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.sections import PrivacySection
from orchestrator.workflows import DEFAULT
from orchestrator.workflows.registry import WORKFLOWS, workflow_of_everybody
from shared.allowed import Allowed
from shared.errors import UserError
from shared.models.deliberation import Question
from shared.models.panel import Panel, Participant
from shared.models.rows import StepRow
from shared.models.run import NEWEST_RULES, Budget, RunSpec
from shared.store.spending import Grouping
from shared.store.views import list_steps, run_heartbeat

QUESTION = "This is a test of the connection. Answer with the one word: ready."
MAX_ANSWER_TOKENS = 512
_LOOK_S = 0.2
_RULES = Participant(name="rules", provider="rules", family="rules")


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
    configuration = load_configuration(Path.cwd(), os.environ, explicit=config)
    workflow, tell = workflow_of_everybody(), ENGLISH.translate
    cast = build_cast(workflow, names or None, configuration, os.environ, Path.cwd(), tell=tell)
    asked = _asked(cast.everybody.values(), timeout_s)
    terminal = Terminal.of(os.environ)
    with connected(os.environ) as backend:
        panel = Panel(critics=asked, author=_RULES, chair=_RULES)
        hand_over_keys(backend, panel, NoticePrinter(terminal, ENGLISH))
        Allowed.of(backend.settings.instance, os.environ).allow_all(asked)
        spec, documents = _spec(panel, timeout_s, configuration.settings.privacy)
        run = store_run(backend, spec, "participants test", documents)
        steps = _followed(backend, run, timeout_s + 30.0)
        paid = spent(backend, Grouping.PARTICIPANT, run=run, since_s=None)
    if as_json:
        terminal.result(dumps(_json(run, asked, steps)))
    else:
        rows = _rows(asked, steps, {row.key for row in paid.rows})
        terminal.result(table(("name", "outcome", "took", "tokens", "cost", "said"), rows))
        terminal.talk([line(f"{participant}: {why}") for participant, why in failures(steps)])
        terminal.talk([line(f"run {run}: `quorate show {run}`")])
    answered = {step.participant for step in steps if step.status == "done"}
    return (
        ExitCode.OK
        if answered == {participant.name for participant in asked}
        else ExitCode.INCONCLUSIVE
    )


def _asked(members: Iterable[Participant], timeout_s: float) -> tuple[Participant, ...]:
    """The models among them, with little time and a short answer. Raises UserError when there are none."""
    models = [participant for participant in members if participant.is_model]
    if not models:
        raise UserError(
            "no model takes part here, and analysers need no test: `quorate participants list` says what is missing"
        )
    short = {"max_output_tokens": MAX_ANSWER_TOKENS, "persona": None}
    return tuple(
        participant.model_copy(update={**short, "timeout_s": min(participant.timeout_s, timeout_s)})
        for participant in models
    )


def _spec(
    panel: Panel, timeout_s: float, privacy: PrivacySection
) -> tuple[RunSpec, Mapping[str, bytes]]:
    documents = DocumentCollector()
    described = WORKFLOWS[DEFAULT]
    templates = load_prompts(DEFAULT, "en")
    spec = RunSpec(
        workflow=DEFAULT,
        workflow_version=described.version,
        rules_version=NEWEST_RULES,
        subject=documents.put(Question(text=QUESTION).model_dump_json().encode()),
        prompts=documents.put(json.dumps(templates, ensure_ascii=False, sort_keys=True).encode()),
        panel=panel,
        options=described.options(quorum=1).model_dump(mode="json"),
        budget=Budget(max_seconds=timeout_s + 20.0),
        allow_external=privacy.allow_external,
        allow_models=privacy.allow_models,
        watched=True,
        seed=secrets.token_hex(16),
    )
    return spec, documents.gathered


def _followed(backend: Backend, run: str, patience_s: float) -> list[StepRow]:
    """The run's steps once all are final, or when patience ends."""
    ends_at = time.monotonic() + patience_s
    while time.monotonic() < ends_at:
        heartbeat = backend.read(lambda connection: run_heartbeat(connection, run))
        if heartbeat.status.final:
            break
        time.sleep(_LOOK_S)
    return backend.read(lambda connection: list_steps(connection, run))


def failures(steps: Sequence[StepRow]) -> list[tuple[str, str]]:
    """Who did not answer, and why, in full: the failure, or what a turn still waits for."""
    return [
        (step.participant, ENGLISH.column(step.failure_message or step.note) or "no answer in time")
        for step in steps
        if step.status != "done"
    ]


def _rows(
    asked: Sequence[Participant], steps: Sequence[StepRow], called: Collection[str]
) -> list[tuple[str, ...]]:
    """`called` are those with a call that may have been charged; a refused one costs nothing."""
    by_name = {step.participant: step for step in steps}
    return [
        _row(participant, by_name.get(participant.name), charged=participant.name in called)
        for participant in asked
    ]


def _row(participant: Participant, step: StepRow | None, *, charged: bool) -> tuple[str, ...]:
    if step is None:
        return (participant.name, "no answer in time", "-", "-", "-", "-")
    if step.status not in ("done", "failed"):
        return (
            participant.name,
            "no answer in time",
            "-",
            "-",
            "-",
            ENGLISH.column(step.note) or "-",
        )
    outcome = "answered" if step.status == "done" else str(step.failure_kind)
    unpriced = "unknown" if charged else "-"
    cost = unpriced if step.cost_usd is None else f"${step.cost_usd:.6f}"
    return (
        participant.name,
        outcome,
        _took(step),
        str(step.tokens or "-"),
        cost,
        _answer(step) or "-",
    )


def _answer(step: StepRow) -> str:
    """What was answered, or why not, in a few words."""
    answered = " ".join(str((step.reply or {}).get("answer", "")).split())
    return ENGLISH.column(step.failure_message) or answered[:60]


def _took(step: StepRow) -> str:
    if step.finished_at_s is None or step.leased_at_s is None:
        return "-"
    return f"{step.finished_at_s - step.leased_at_s:.1f} s"


def _json(run: str, asked: Sequence[Participant], steps: Sequence[StepRow]) -> dict[str, object]:
    by_name = {step.participant: step for step in steps}
    listed = []
    for participant in asked:
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
    return {"schema_version": SCHEMA_VERSION, "run": run, "participants": listed}
