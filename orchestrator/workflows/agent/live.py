"""How an agent is followed: its modes as phases, what each tool brought, and what the coder proposes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.views.context import shortened, took_s
from orchestrator.core.views.live import SHORT, LiveView, RenderContext, Reply, note
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.result import how_ended
from orchestrator.workflows.agent.roles import AgentRole
from shared.models.agent import CommandReport, RequestReading
from shared.models.rows import StepRow

Summary = Callable[[Reply, RenderContext], str]


def _length(reply: Reply, name: str) -> int:
    entries = reply.get(name)
    return len(entries) if isinstance(entries, list) else 0


def _counted(word: str, name: str) -> Summary:
    return lambda reply, context: context.message(word, n=_length(reply, name))


def _patch(reply: Reply, context: RenderContext) -> str:
    if problem := reply.get("problem"):
        return context.message("agent_patch_refused", why=shortened(str(problem), SHORT))
    counts = {"added": reply.get("added", 0), "removed": reply.get("removed", 0)}
    return context.message("agent_patch_applies", n=_length(reply, "paths"), **counts)


def _command(reply: Reply, context: RenderContext) -> str:
    tests = reply.get("tests")
    if isinstance(tests, Mapping):
        failed = int(tests.get("failed", 0)) + int(tests.get("errors", 0))
        return context.message("agent_tests_ran", passed=tests.get("passed", 0), failed=failed)
    ended = how_ended(CommandReport.model_validate(reply))
    return context.message(ended.code, **ended.params)


def _commit(reply: Reply, context: RenderContext) -> str:
    commit, branch = str(reply.get("commit", ""))[:12], str(reply.get("branch", ""))
    return context.message("agent_committed", commit=commit, branch=branch)


def _proposal(reply: Reply, _context: RenderContext) -> str:
    return shortened(str(reply.get("explanation") or reply.get("text") or ""), SHORT)


def _reading(reply: Reply, context: RenderContext) -> str:
    return context.message(f"agent_mode_{RequestReading.model_validate(reply).mode}")


def _ended(summary: Summary) -> Callable[[StepRow, Reply, RenderContext], list[Line]]:
    """`agent.patch: applies, 2 files, +12 -1 (0.1 s)`"""

    def lines(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
        took = Span(f" ({context.message('seconds', s=took_s(step) or 0.0)})", Style.DIM)
        name = context.words.word(f"agent_step_{step.participant}", step.participant)
        head = Span(name, context.voice(step))
        return [line(head, f": {summary(reply, context)}", took, note(step, context))]

    return lines


LIVE = LiveView(
    ends={
        AgentRole.NAVIGATION: _ended(_counted("agent_hits_counted", "hits")),
        AgentRole.READING: _ended(_counted("agent_files_counted", "files")),
        AgentRole.PATCHING: _ended(_patch),
        AgentRole.RUNNING: _ended(_command),
        AgentRole.LOCATING: _ended(_counted("agent_frames_counted", "frames")),
        AgentRole.EXAMINATION: _ended(_counted("agent_points_counted", "points")),
        AgentRole.IMPACT: _ended(_counted("agent_callers_counted", "callers")),
        AgentRole.CAPTURE: _ended(_counted("agent_files_counted", "files")),
        AgentRole.COMMIT: _ended(_commit),
        AgentRole.INTENT: _ended(_reading),
        AgentRole.CODING: _ended(_proposal),
        AgentRole.WRITING: _ended(_proposal),
    },
    silent=frozenset(
        {
            *(AgentRole.NAVIGATION, AgentRole.READING, AgentRole.PATCHING, AgentRole.LOCATING),
            *(AgentRole.EXAMINATION, AgentRole.IMPACT, AgentRole.CAPTURE, AgentRole.COMMIT),
        }
    ),
    phases=frozenset(mode.value for mode in AgentMode),
)
