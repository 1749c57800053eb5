"""The cards of what takes part in a review: analysers, any linter, and a linter's report that was handed in.

Apart from the catalogue of all tools, which loads what the tools of every workflow read and answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from shared.models.review_replies import Critique
from shared.models.subject import PYTHON_SUFFIXES
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits, ToolScope
from shared.tools.inputs import AnalyserInput, CommandInput, ReportInput

_PYTHON = ToolScope("python", PYTHON_SUFFIXES)

_CARDS = (
    ToolCard(
        name="ruff",
        purpose="Looks for defects in changed Python lines by ruff's rules; proposes ruff's safe fixes.",
        kind=ToolKind.ANALYSER,
        module="workers.tools.analysers.ruff",
        inputs=AnalyserInput,
        reply=Critique,
        cost=ToolCost(seconds=0.1),
        scope=_PYTHON,
        packages=("ruff",),
    ),
    ToolCard(
        name="bandit",
        purpose="Looks for security weaknesses in changed Python lines by bandit's rules.",
        kind=ToolKind.ANALYSER,
        module="workers.tools.analysers.bandit",
        inputs=AnalyserInput,
        reply=Critique,
        cost=ToolCost(seconds=0.5),
        scope=_PYTHON,
        packages=("bandit",),
    ),
    ToolCard(
        name="complexity",
        purpose="Measures cyclomatic complexity of the functions that the change touches, before and after.",
        kind=ToolKind.ANALYSER,
        module="workers.tools.analysers.complexity",
        inputs=AnalyserInput,
        reply=Critique,
        cost=ToolCost(seconds=0.3),
        scope=_PYTHON,
        packages=("radon",),
    ),
    ToolCard(
        name="diffcheck",
        purpose="Looks for secrets, hidden characters, merge leftovers and broken data files in any language.",
        kind=ToolKind.ANALYSER,
        module="workers.tools.analysers.diffcheck",
        inputs=AnalyserInput,
        reply=Critique,
        cost=ToolCost(seconds=0.1),
        limits=ToolLimits(memory_mb=1024),
    ),
    ToolCard(
        name="command",
        purpose="Runs a linter on the changed files that it reads, and reads its report.",
        kind=ToolKind.COMMAND,
        module="workers.tools.analysers.command",
        inputs=CommandInput,
        reply=Critique,
        cost=ToolCost(seconds=1),
        command="program",
    ),
    ToolCard(
        name="report",
        purpose="Reads a linter's report that was handed in, and keeps what is on changed lines.",
        kind=ToolKind.REPORT,
        module="workers.tools.analysers.report",
        inputs=ReportInput,
        reply=Critique,
        cost=ToolCost(seconds=0.3),
    ),
)
ANALYSER_CARDS: Mapping[str, ToolCard] = {card.name: card for card in _CARDS}

ANALYSERS = tuple(card.name for card in _CARDS if card.kind is ToolKind.ANALYSER)
"""The tools that can take part as analysers, in the order of the default panel."""
COMMAND = next(card.name for card in _CARDS if card.kind is ToolKind.COMMAND)
"""The tool that runs any linter."""
REPORT = next(card.name for card in _CARDS if card.kind is ToolKind.REPORT)
"""The tool that reads a linter's report."""
