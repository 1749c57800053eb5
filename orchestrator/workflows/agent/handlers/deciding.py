"""Modes that think before anything is changed: a design, a plan, research; and the one that commits."""

from __future__ import annotations

import hashlib
import re

from orchestrator.core.replay.commands import (
    ChildOutcome,
    ChildRequest,
    Effect,
    child_request,
    spawn,
)
from orchestrator.workflows.agent.choices import APPROVE
from orchestrator.workflows.agent.handlers.examining import examine
from orchestrator.workflows.agent.handlers.finding import after_refusal
from orchestrator.workflows.agent.handlers.surveying import (
    remembered_places,
    survey,
    with_own_change,
)
from orchestrator.workflows.agent.mode_context import AgentMessage, ApprovalLevel
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.quoted_material import own_lines
from orchestrator.workflows.agent.result import WrittenEntry
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.agent.transitions import DONE, LARGE_CHANGE_FILES
from orchestrator.workflows.agent.work import (
    ModeResult,
    Visit,
    approve_commit,
    approve_result,
    shown_hash,
    use_tool,
    write_text,
)
from shared.models.agent import BranchCommit
from shared.models.deliberation import Question
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import CommitInput

MOST_TITLE = 72
_QUOTED = re.compile(r"[\"'“‘`]([^\"'“”‘’`\n]{3,200})[\"'”’`]")


def design(visit: Visit) -> Effect[ModeResult]:
    """How the code is laid out, as code sees it; the design itself is the coder's."""
    visit = yield from examine(visit, "design")
    written = yield from write_text(visit, "design", "design")
    if written is None:
        visit.needs("agent_needs_coder")
        return visit.ends(DONE)
    answer = yield from approve_result(visit, "design", written.text)
    if answer != APPROVE:
        return after_refusal(visit, answer)
    if not visit.context.wants_change:
        return visit.ends(DONE, notice("agent_designed"))
    context = visit.context.remembering(AgentMessage(source="plan", text=written.text))
    large = len(written.files) > LARGE_CHANGE_FILES
    trigger = "large_change_planned" if large else "design_approved"
    return visit.at(context).ends(trigger, notice("agent_designed"))


def plan(visit: Visit) -> Effect[ModeResult]:
    """A plan that the panel has challenged, in a run of its own; it is told what code sees of the task's matter."""
    visit = remembered_places((yield from survey(visit)))
    child = yield from _deliberate(visit, "plan")
    if child is None:
        return visit.ends(DONE)
    text = _text_of(child, "plan")
    if not text:
        return visit.falls_short(DONE, notice("agent_child_ended", run=child.run, workflow="plan"))
    visit.proceedings.texts.append(WrittenEntry(title="plan", by="panel", text=text))
    answer = yield from approve_result(visit, "plan", text)
    if answer != APPROVE:
        return after_refusal(visit, answer)
    why = notice("agent_child_ended", run=child.run, workflow="plan")
    if not visit.context.wants_change:
        return visit.ends(DONE, why)
    context = visit.context.remembering(AgentMessage(source="plan", text=text))
    return visit.at(context).ends(_after_plan(visit), why)


def _after_plan(visit: Visit) -> str:
    if visit.context.goal is AgentMode.MIGRATION:
        return "migration_plan"
    large = len(visit.context.current_files) > LARGE_CHANGE_FILES
    return "complex_plan" if large else "plan_ready"


def research(visit: Visit) -> Effect[ModeResult]:
    """What the panel answers, in a run of its own, with what the repository has on the question."""
    visit = remembered_places((yield from survey(visit)))
    child = yield from _deliberate(visit, "ask")
    if child is None:
        return visit.ends(DONE)
    why = notice("agent_child_ended", run=child.run, workflow="ask")
    if not child.completed:
        return visit.falls_short(DONE, why)
    visit.proceedings.texts.append(WrittenEntry(title="research", by="panel", text=child.summary))
    if not visit.context.wants_change:
        return visit.ends(DONE, why)
    context = visit.context.remembering(AgentMessage(source="plan", text=child.summary))
    return visit.at(context).ends("findings_ready", why)


def _deliberate(visit: Visit, workflow: str) -> Effect[ChildOutcome | None]:
    """A child run about the task; None where nobody is there who could think."""
    if not visit.agent.models:
        visit.needs("agent_needs_panel")
        return None
    child = yield from spawn(visit.key(workflow), workflow, lambda: _question(visit, workflow))
    visit.proceedings.children.append((workflow, child))
    return child


def _question(visit: Visit, workflow: str) -> ChildRequest:
    agent, memory = visit.agent, visit.context.memory
    words = "\n\n".join((agent.task.text, *(message.text for message in memory)))
    question = Question(text=words, contexts=())
    document = question.model_dump_json().encode()
    models = agent.models
    panel = agent.spec.panel.model_copy(
        update={"critics": models, "author": models[0], "chair": models[-1]}
    )
    request = child_request(question.title, agent.spec, workflow, agent.templates.texts)
    decision = agent.spec.decision
    if agent.approval is not ApprovalLevel.HIGH:
        decision = decision.model_copy(update={"mode": "accept"})
    subject = hashlib.sha256(document).hexdigest()
    spec = request.spec.model_copy(
        update={"subject": subject, "panel": panel, "decision": decision}
    )
    return ChildRequest(request.title, spec, (*request.documents, document))


def _text_of(child: ChildOutcome, field: str) -> str:
    detail = (child.outcome or {}).get("detail")
    text = detail.get(field) if isinstance(detail, dict) else None
    return text if isinstance(text, str) else ""


def commit(visit: Visit) -> Effect[ModeResult]:
    """What was approved, or what the task's author has changed, becomes a commit on a branch of the agent's own.

    It is never pushed.
    """
    if not visit.context.pending_files:
        visit = yield from with_own_change(visit)
    context = visit.context
    if not context.pending_files or context.staged_files == context.pending_files:
        return visit.ends(DONE, notice("agent_nothing_to_commit"))
    title = _title(visit)
    if (why := _why_uncommitted(visit)) is not None:
        visit.proceedings.warn(why)
        return visit.falls_short(DONE, why)
    if _asks(visit):
        answer = yield from approve_commit(visit, title)
        if answer != APPROVE:
            return after_refusal(visit, answer)
    made = yield from use_tool(
        visit,
        "commit",
        "agent.commit",
        AgentRole.COMMIT,
        BranchCommit,
        lambda: CommitInput(
            workspace=context.workspace,
            run=visit.agent.run,
            effect=f"{visit.agent.run}/{visit.key('commit')}",
            approved=shown_hash(context.whole_patch),
            title=title,
        ),
    )
    if made is None:
        return visit.falls_short(DONE)
    visit.proceedings.commits.append(made)
    context = context.done("commit", visit.key("commit")).updated(staged_files=made.files)
    why = notice("agent_committed", commit=made.commit[:12], branch=made.branch)
    return visit.at(context).ends("committed", why)


def _title(visit: Visit) -> str:
    """The task; of a request to commit, the message that it quotes, else the files."""
    context = visit.context
    if context.goal is not AgentMode.GIT:
        return " ".join(context.task.split())[:MOST_TITLE]
    if quoted := _QUOTED.search(own_lines(context.task)):
        return " ".join(quoted.group(1).split())[:MOST_TITLE]
    first, *more = (path.rpartition("/")[2] for path in context.pending_files)
    return f"Change {first}{f' and {len(more)} more' if more else ''}"[:MOST_TITLE]


def _asks(visit: Visit) -> bool:
    """Whether a person is asked: always where the review came to no judgement."""
    is_asked = visit.agent.approval is not ApprovalLevel.LOW
    return is_asked and not (visit.context.auto_commit and _judged(visit))


def _why_uncommitted(visit: Visit) -> Notice | None:
    """Why nothing is committed where nobody is asked; None where it may be."""
    if visit.agent.approval is not ApprovalLevel.LOW:
        return None
    if not visit.agent.options.auto_commit:
        return notice("agent_not_committed")
    if not visit.context.auto_commit:
        return notice("agent_commit_only_read")
    return None if _judged(visit) else notice("agent_commit_unjudged")


def _judged(visit: Visit) -> bool:
    return all(row.trigger != "unjudged" for row in visit.proceedings.transitions[-1:])
