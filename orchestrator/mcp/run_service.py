"""What an assistant may do, over the use cases: typed values in, typed values out; no protocol in here.

An assistant is not the person at the terminal. It names participants that the configuration knows, lowers the limit of
costs but never raises it, decides only with `mcp.decide`, and does not read runs that stay on this machine.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.application.backend import Backend, connect
from orchestrator.application.capture import SubjectInput
from orchestrator.application.decide import DecisionRequest, decide
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.lifecycle import cancel
from orchestrator.application.listings import inbox, runs
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.participants import list_participants
from orchestrator.application.place import run_from
from orchestrator.application.prepare import (
    NO_INPUT,
    SubmissionRequest,
    prepare_run,
)
from orchestrator.application.remote_requests import plain_names, stays_here, with_cost_limit
from orchestrator.application.report import report_of
from orchestrator.application.subject_input import GivenMaterial
from orchestrator.application.submit import submit_run
from orchestrator.application.unasked import unasked_report
from orchestrator.application.watch import RunObserver, RunWatcher
from orchestrator.core.formats import format_named
from orchestrator.embedded.starting import Starting
from orchestrator.mcp.outputs import (
    MAX_ROWS,
    DecisionOutput,
    InboxOutput,
    ParticipantPage,
    RunOutput,
    RunPage,
    TextPart,
    decision_output,
    inbox_output,
    part_of,
    participant_page,
    run_entry,
    run_output,
)
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.sections import McpSection
from shared.errors import UserError
from shared.settings import ServiceSettings
from shared.store.run_filter import RunFilter
from shared.store.views import find_run

CHANNEL = "mcp"


@dataclass(frozen=True)
class Wish:
    """What an assistant asks for besides the subject; None and nothing: the configuration says it."""

    participants: Sequence[str] = ()
    max_cost_usd: float | None = None
    material: str = ""


@dataclass
class RunService:
    """The runs of one installation, seen from one directory. The servers are started by the first call."""

    directory: Path
    environ: Mapping[str, str]
    actor: str
    config: Path | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _backend: Backend | None = None

    @property
    def settings(self) -> McpSection:
        """What the configuration allows assistants, as it stands now."""
        loaded = load_configuration(self.directory, self.environ, explicit=self.config)
        section: McpSection = loaded.settings.mcp
        return section

    def close(self) -> None:
        """Drop the connections."""
        if self._backend is not None:
            self._backend.close()

    # ---- work -----------------------------------------------------------------------------------

    def submit(self, workflow: str, subject: SubjectInput, wish: Wish) -> str | RunOutput:
        """Submit a run; its id, or its result where nobody has to be asked. Raises QuorateError."""
        request = SubmissionRequest(
            directory=self.directory,
            workflow=workflow,
            subject=subject,
            panel=plain_names(wish.participants),
            config=self.config,
        )
        if wish.max_cost_usd is not None:
            request = with_cost_limit(request, self.environ, wish.max_cost_usd)
        material = GivenMaterial(wish.material.encode()) if wish.material else NO_INPUT
        prepared = prepare_run(request, self.environ, material)
        if prepared.is_change and (report := unasked_report(prepared)) is not None:
            return run_output(report, Translator(report.spec.language))
        return submit_run(self._open(), prepared, NoticeList())

    def watch(self, run: str, observer: RunObserver, wait_s: float) -> bool:
        """Wait until the run is settled; False when the time was over before."""
        return RunWatcher(StoredInstallation(self._open()), run, observer).watch_until_settled(
            wait_s
        )

    def cancel(self, run: str, actor: str) -> str:
        """End a run; its id. Raises UserError when it has ended already."""
        return cancel(self._open(), self.visible(run), actor)

    def decide(self, request: DecisionRequest) -> DecisionOutput:
        """Answer a decision, where assistants may. Raises UserError, UnknownRun or DecisionConflict."""
        if not self.settings.decide:
            raise UserError(
                "an assistant may not decide here: `mcp.decide` is false (`quorate docs mcp`). A person "
                "answers with `quorate decide {run} {choice}`",
                run=request.run,
                choice=request.choice,
            )
        meant = replace(request, run=self.visible(request.run))
        return decision_output(decide(self._open(), meant))

    # ---- looks ----------------------------------------------------------------------------------

    def visible(self, run: str) -> str:
        """The id of the run that is meant; `last` is the newest of the directory's repository.

        Raises UnknownRun, or UserError for one that assistants do not see.
        """
        name = run_from(self.directory, run)
        row = self._open().read(lambda connection: find_run(connection, name))
        if stays_here(row.workflow):
            raise UserError(
                "run {run} is about a {workflow}, whose texts stay on this machine: a person reads it "
                "with `quorate show {run}`",
                run=row.id,
                workflow=row.workflow,
            )
        return row.id

    def show(self, run: str, offset: int = 0) -> RunOutput:
        """The run as it stands."""
        report = self._report(run)
        return run_output(report, Translator(report.spec.language), offset)

    def written(self, run: str, form: str, offset: int = 0) -> TextPart:
        """A part of the run's result in a format."""
        chosen = format_named(form)
        report = self._report(run)
        text, next_offset = part_of(chosen.render(report, Translator(report.spec.language)), offset)
        return TextPart(
            run=report.run.id,
            format=chosen.name,
            media_type=chosen.media_type,
            text=text,
            next_offset=next_offset,
        )

    def whole(self, run: str, form: str, limit: int) -> str:
        """The run's whole result in a format. Raises UserError for one that is longer than `limit`."""
        report = self._report(run)
        text = format_named(form).render(report, Translator(report.spec.language))
        if len(text) > limit:
            raise UserError(
                "the result of {run} as {form} has {count} characters: read it in parts with the tool "
                "`results`, or write it with `quorate show {run} -o {form}:FILE`",
                run=report.run.id,
                form=form,
                count=len(text),
            )
        return text

    def runs(self, status: str | None, workflow: str | None, repository: str | None) -> RunPage:
        """The newest runs that assistants see."""
        wanted = RunFilter(status=status, workflow=workflow, repository=repository)
        listed = runs(self._open(), limit=MAX_ROWS, wanted=wanted)
        rows = [run_entry(row) for row in listed.rows if not stays_here(row.workflow)]
        return RunPage(runs=rows, has_more=listed.has_more)

    def inbox(self) -> InboxOutput:
        """What waits for a person, as far as assistants see it."""
        backend = self._open()
        waiting = inbox(backend)
        return inbox_output(
            [row for row in waiting.decisions if not stays_here(row.workflow)],
            [turn for turn in waiting.turns if not stays_here(turn.workflow)],
        )

    def participants(self) -> ParticipantPage:
        """Who can take part; nothing is started."""
        return participant_page(list_participants((), self.config, self.environ, self.directory))

    # ---- inside ---------------------------------------------------------------------------------

    def _report(self, run: str) -> RunReport:
        return report_of(self._open(), self.visible(run))

    def _open(self) -> Backend:
        with self._opening:
            if self._backend is None:
                settings = ServiceSettings.from_environment(self.environ)
                self._backend = connect(Starting(settings, self.environ, workers=True))
            return self._backend
