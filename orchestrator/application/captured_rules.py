"""What analysers are told about a repository: its ruff settings as they were before the change, and the baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.settings.baseline import Baseline, read_baseline
from orchestrator.settings.loading import Configuration
from orchestrator.settings.projects import Reviewed
from orchestrator.settings.ruff_settings import project_rules
from shared.tools.rules import AnalyserRules


def with_captured_rules(
    options: Any, configuration: Configuration, reviewed: Reviewed | None, paths: tuple[str, ...]
) -> Any:
    """The options of a workflow with analysers, with the project's own ruff settings and the baseline."""
    own = getattr(options, "rules", None)
    if not isinstance(own, AnalyserRules):
        return options
    baseline = configuration.settings.rules.baseline
    earlier = Baseline(()) if baseline is None else read_baseline(baseline, reviewed)
    captured = {
        "project": project_rules(reviewed, paths),
        "known": earlier.known,
        "known_from": "" if baseline is None else Path(baseline).name,
        "known_cut": earlier.cut,
    }
    return options.model_copy(update={"rules": own.model_copy(update=captured)})
