"""`quorate review`: from its options to what every run wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.capture import ChangeInput
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.submission import SubmissionOptions, run_submission


@dataclass(frozen=True)
class Options:
    """What was typed after `quorate review` that only a review knows."""

    strategy: str | None = None
    rounds: int | None = None
    panel: tuple[str, ...] = ()
    preset: str | None = None
    fail_on: str | None = None
    apply: str | None = None

    @property
    def settings(self) -> dict[str, JsonValue]:
        """The configuration keys that were typed."""
        return {
            "preset": self.preset,
            "review.strategy": self.strategy,
            "review.max_rounds": self.rounds,
            "review.apply": self.apply,
            "gate.fail_on": self.fail_on,
        }


def run_review(
    change: ChangeInput,
    typed: Options,
    options: SubmissionOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
    directory: Path,
) -> int:
    """Review; the exit code."""
    settings = {**typed.settings, **options.settings(output.language)}
    request = SubmissionRequest(
        directory=directory,
        subject=change,
        panel=typed.panel,
        config=options.config,
        trust_project=options.trust_project,
        reuse=options.reuse,
        batch=options.batch,
        settings={key: value for key, value in settings.items() if value is not None},
    )
    return run_submission(request, options, output, environ)
