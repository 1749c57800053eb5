"""The first half of `quorate review`: capture everything, then start what is needed to work on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from orchestrator.cli.starting import Starting
from orchestrator.cli.submission import Wanted, prepare
from shared.settings import Settings


@dataclass(frozen=True)
class Options:
    """What was typed after `quorate review`."""

    target: str | None = None
    staged: bool = False
    base: str | None = None
    diff: str | None = None
    strategy: str | None = None
    rounds: int | None = None
    panel: tuple[str, ...] = ()
    fail_on: str | None = None
    decide: str | None = None
    apply: str | None = None
    estimate: bool = False
    max_cost: float | None = None
    max_calls: int | None = None
    reuse: bool = False
    batch: str | None = None
    max_findings: int | None = None
    everything: bool = False
    timeout: float | None = None
    config: Path | None = None
    trust_project: bool = False
    no_wait: bool = False
    output: Path | None = None
    as_json: bool = False
    language: str | None = None
    quiet: bool = False

    @property
    def settings(self) -> dict[str, JsonValue]:
        """The configuration keys that were typed."""
        mode = "ask" if self.decide == "later" else self.decide
        return {
            "language": self.language,
            "review.strategy": self.strategy,
            "review.max_rounds": self.rounds,
            "review.apply": self.apply,
            "gate.fail_on": self.fail_on,
            "decision.mode": mode,
            "budget.per_run_usd": self.max_cost,
            "budget.per_run_calls": self.max_calls,
        }


def run_review(options: Options, environ: Mapping[str, str], directory: Path) -> int:
    """Review; the exit code. Nothing is started for a command that cannot work."""
    settings = Settings.from_environment(environ)
    prepared = prepare(_wanted(options, directory), environ)
    if options.estimate:
        from orchestrator.cli.estimating import show_estimate

        return show_estimate(prepared, environ, as_json=options.as_json)
    starting = Starting(settings, environ, workers=True)
    from orchestrator.cli.submitting import submit_and_follow  # loads the store while servers start

    return submit_and_follow(starting, prepared, options, environ)


def _wanted(options: Options, directory: Path) -> Wanted:
    return Wanted(
        directory=directory,
        target=options.target,
        staged=options.staged,
        base=options.base,
        diff=options.diff,
        panel=options.panel,
        config=options.config,
        trust_project=options.trust_project,
        reuse=options.reuse,
        batch=options.batch,
        settings={key: value for key, value in options.settings.items() if value is not None},
    )
