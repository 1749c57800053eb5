"""Every tool, one row each. A new one is a module in `workers/tools/` and a row here (docs/design/analysers.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shared.delivery.contracts import QUEUE_APPLY
from shared.errors import ToolError
from shared.models.replies import Applied, CheckedFixes, Critique, SuiteReport, Undone
from shared.models.subject import PYTHON_SUFFIXES
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits, ToolScope
from shared.tools.inputs import (
    AnalyserInput,
    ApplyInput,
    CommandInput,
    FixCheckInput,
    SuiteInput,
    UndoInput,
)

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
        name="fixes.check",
        purpose="Tries proposed fixes on the captured state and puts those that apply together.",
        kind=ToolKind.CHECK,
        module="workers.tools.fixes.check_fixes",
        inputs=FixCheckInput,
        reply=CheckedFixes,
        cost=ToolCost(seconds=0.5),
        packages=("ruff",),
    ),
    ToolCard(
        name="tests.run",
        purpose="Runs the project's tests in the sandbox, as it was reviewed and with each patch, where switched on.",
        kind=ToolKind.CHECK,
        module="workers.tools.fixes.suite",
        inputs=SuiteInput,
        reply=SuiteReport,
        cost=ToolCost(seconds=60),
        limits=ToolLimits(timeout_s=600.0),
        command="command",
    ),
    ToolCard(
        name="apply",
        purpose="Applies the patch that a person approved, on a branch or in the working tree.",
        kind=ToolKind.FIX,
        module="workers.tools.fixes.apply",
        inputs=ApplyInput,
        reply=Applied,
        cost=ToolCost(seconds=0.8),
        packages=("ruff",),
        queue=QUEUE_APPLY,
        read_only=False,
    ),
    ToolCard(
        name="undo",
        purpose="Takes an applied fix back, if the branch or the files are still as it left them.",
        kind=ToolKind.FIX,
        module="workers.tools.fixes.undo",
        inputs=UndoInput,
        reply=Undone,
        cost=ToolCost(seconds=0.1),
        queue=QUEUE_APPLY,
        read_only=False,
    ),
)
CARDS: Mapping[str, ToolCard] = {card.name: card for card in _CARDS}


def find_card(name: str) -> ToolCard:
    """The card of that name; raises `ToolError` for an unknown one."""
    try:
        return CARDS[name]
    except KeyError:
        known = ", ".join(sorted(CARDS))
        raise ToolError(f"There is no tool called {name!r}; known are: {known}.") from None


def cards(
    *,
    kind: ToolKind | None = None,
    read_only: bool | None = None,
    applies_to: Collection[str] | None = None,
) -> tuple[ToolCard, ...]:
    """The cards in their order, narrowed: of one kind, that write or do not, that can read one of these paths."""
    return tuple(
        card
        for card in _CARDS
        if kind in (None, card.kind)
        and read_only in (None, card.read_only)
        and (applies_to is None or card.scope.reads_any(applies_to))
    )
