"""What every command does that submits a run: capture, start what is needed, submit, follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.prepare import PreparedRun, SubmissionRequest, prepare_run
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Span, Style, line
from orchestrator.embedded.starting import Starting
from orchestrator.presentation.locale.words import translate
from shared.settings import Settings


@dataclass(frozen=True)
class RunOptions:
    """What was typed that all these commands know. `watch_s`: how long the run is followed."""

    estimate: bool = False
    max_cost: float | None = None
    max_calls: int | None = None
    batch: str | None = None
    reuse: bool = False
    no_external: bool = False
    config: Path | None = None
    trust_project: bool = False
    decide: str | None = None
    no_wait: bool = False
    watch_s: float | None = None
    output: Path | None = None
    as_json: bool = False
    language: str | None = None
    quiet: bool = False
    max_findings: int | None = None
    everything: bool = False

    @property
    def settings(self) -> dict[str, JsonValue]:
        """The configuration keys that were typed."""
        mode = "ask" if self.decide == "later" else self.decide
        return {
            "language": self.language,
            "decision.mode": mode,
            "budget.per_run_usd": self.max_cost,
            "budget.per_run_calls": self.max_calls,
            "privacy.allow_external": False if self.no_external else None,
        }


def run(wanted: SubmissionRequest, options: RunOptions, environ: Mapping[str, str]) -> int:
    """Work on what is wanted; the exit code. Nothing is started for a command that cannot work."""
    settings = Settings.from_environment(environ)
    prepared = prepare_run(wanted, environ)
    tell_notices(prepared, Terminal.of(environ, quiet=options.quiet))
    if options.estimate:
        from orchestrator.cli.estimating import show_estimate

        return show_estimate(prepared, environ, as_json=options.as_json)
    starting = Starting(settings, environ, workers=True)
    from orchestrator.cli.submitting import submit_and_follow  # loads the store while servers start

    return submit_and_follow(starting, prepared, options, environ)


def tell_notices(prepared: PreparedRun, terminal: Terminal) -> None:
    """What the repository's own file and the change do to the panel: not even `--quiet` hides it."""
    told = [f"⚠ {translate(notice, prepared.language)}" for notice in prepared.notices]
    terminal.warn([line(Span(text, Style.WARNING)) for text in told])
