"""What a mode does, step by step: tools, the coder's turns, patches, approvals. Handlers are made of these."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from orchestrator.core.replay.commands import Effect, ToolRun, Turn, single
from orchestrator.workflows.agent.approval_rules import (
    ApprovalRule,
    refused_paths,
    rule_for_command,
    rule_for_patch,
)
from orchestrator.workflows.agent.choices import APPROVE, BRANCH, COMMAND, HALT, REJECT, WORK
from orchestrator.workflows.agent.context import AgentContext, AgentProceedings
from orchestrator.workflows.agent.mode_context import AgentMessage, ApprovalLevel, ModeContext
from orchestrator.workflows.agent.modes import AgentMode, mode_words
from orchestrator.workflows.agent.records import IntentRecord
from orchestrator.workflows.agent.result import WrittenEntry
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.descriptor import DecisionType
from shared.models.agent import CheckedPatch, CodeProposal, ReadFiles, WrittenText
from shared.models.notices import Notice, notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.replies import reply_name
from shared.models.wire import ForeignWire, Wire
from shared.tools.agent_inputs import PatchInput, ReadInput

ReplyT = TypeVar("ReplyT", bound=ForeignWire)


@dataclass(frozen=True)
class ModeResult:
    """What came of a mode: the context afterwards, the trigger that it fires, and why.

    Where it `fell_short` and the run ends with it, the run has not done what was asked.
    """

    context: ModeContext
    trigger: str
    why: Notice | None = None
    fell_short: bool = False


@dataclass(frozen=True)
class Visit:
    """One time in a mode; `number` counts the modes of the run from 1, so that every step has a name of its own.

    `intent` is how the request was understood.
    """

    agent: AgentContext
    intent: IntentRecord
    proceedings: AgentProceedings
    context: ModeContext
    number: int
    part_number: int = 0

    @property
    def mode(self) -> AgentMode:
        """Which mode it is."""
        return self.context.mode

    def at(self, context: ModeContext) -> Visit:
        """The same visit with the context as it is now."""
        return replace(self, context=context)

    def key(self, *parts: object) -> str:
        """The name of a step: `implementation/3/coding/1`."""
        within = (self.part_number,) if self.part_number else ()
        return "/".join(map(str, (self.mode, self.number, *within, *parts)))

    def part(self, number: int) -> Visit:
        """The same mode, doing what it does once more."""
        return replace(self, part_number=number)

    def needs(self, code: str) -> None:
        """What only somebody or something could have done that is not there."""
        self.proceedings.need(notice(code, mode=mode_words(self.mode)))

    def ends(self, trigger: str, why: Notice | None = None) -> ModeResult:
        """The mode ends with this trigger."""
        return ModeResult(self.context, trigger, why)

    def falls_short(self, trigger: str, why: Notice | None = None) -> ModeResult:
        """The same where something was left undone."""
        return ModeResult(self.context, trigger, why, fell_short=True)


def use_tool(
    visit: Visit,
    name: str,
    tool: str,
    role: AgentRole,
    reply: type[ReplyT],
    inputs: Callable[[], Wire],
    timeout_s: float | None = None,
) -> Effect[ReplyT | None]:
    """Run a tool; None where it failed, which is told at the end."""
    step = ToolRun(
        key=visit.key(name),
        tool=tool,
        participant=tool,
        role=role,
        round=0,
        reply_model=reply_name(reply),
        inputs=inputs,
        timeout_s=timeout_s,
    )
    result = yield from single(step)
    visit.proceedings.note(tool, result, spoke=False)
    return None if result.reply is None else reply.model_validate(result.reply)


def read_files(visit: Visit, name: str = "files") -> Effect[ReadFiles]:
    """The files that the work is about, as documents; those that may hold secrets are left out."""
    paths = tuple(path for path in visit.context.current_files if not visit.agent.withholds(path))
    if not paths:
        return ReadFiles()
    read = yield from use_tool(
        visit,
        name,
        "agent.read",
        AgentRole.READING,
        ReadFiles,
        lambda: ReadInput(workspace=visit.context.workspace, paths=paths),
    )
    return read or ReadFiles()


def write_text(visit: Visit, template: str, title: str) -> Effect[WrittenText | None]:
    """The coder writes a text: a design, an explanation. None where there is nobody, or nothing came."""
    coder = visit.agent.coder
    if coder is None:
        return None
    files = yield from read_files(visit, "files")
    turn = Turn(
        key=visit.key("writing", coder.name),
        participant=coder,
        role=AgentRole.WRITING,
        round=0,
        reply_model="agent.text",
        prompt=lambda: visit.agent.prompts.turn(coder, template, visit.context, files),
        temperature=0.3,
    )
    result = yield from single(turn)
    visit.proceedings.note(coder.name, result, spoke=True)
    if result.reply is None:
        return None
    written = WrittenText.model_validate(result.reply)
    visit.proceedings.texts.append(WrittenEntry(title=title, by=coder.name, text=written.text))
    return written


@dataclass(frozen=True)
class Proposal:
    """What came of asking for a change: a patch that applies, or why there is none.

    `answer` is the decision on it: `approve`, `reject` or `halt`; empty where there is no patch. `complete` is what the
    coder said of it, `needs` what it asks for besides.
    """

    context: ModeContext
    patch: CheckedPatch | None = None
    answer: str = ""
    complete: bool = True
    needs: tuple[str, ...] = ()

    @property
    def taken(self) -> bool:
        """Whether there is a patch that was approved."""
        return self.patch is not None and self.answer == APPROVE

    @property
    def refused(self) -> bool:
        """Whether there is a patch that a person did not want."""
        return self.patch is not None and self.answer != APPROVE


def propose(visit: Visit, template: str) -> Effect[Proposal]:
    """A change by the coder, tried until it applies or nobody is left to try, and put to a person."""
    coder = visit.agent.coder
    if coder is None:
        visit.needs("agent_needs_coder")
        return Proposal(visit.context)
    files = yield from read_files(visit)
    for attempt in range(1, visit.agent.options.attempts + 1):
        result = yield from single(_coding(visit, coder, template, files, attempt))
        visit.proceedings.note(coder.name, result, spoke=True)
        if result.failure is not None:
            if result.failure.kind is FailureKind.UNPARSEABLE:
                continue
            return Proposal(visit.context)
        written = CodeProposal.model_validate(result.reply)
        if not written.patch.strip():
            return Proposal(visit.context, complete=written.complete, needs=written.needs)
        checked = yield from _tried(visit, written.patch, attempt)
        if checked is None:
            return Proposal(visit.context)
        problem = checked.problem or _objection(visit, written.patch, checked)
        if problem is None and checked.after is not None:
            return (yield from _decided(visit, checked, written, attempt))
        message = AgentMessage(source="patch", text=str(problem))
        visit = visit.at(visit.context.remembering(message).done("patch", succeeded=False))
    return Proposal(visit.context)


def _coding(
    visit: Visit, coder: Participant, template: str, files: ReadFiles, attempt: int
) -> Turn:
    return Turn(
        key=visit.key("coding", attempt, coder.name),
        participant=coder,
        role=AgentRole.CODING,
        round=0,
        reply_model="agent.code",
        prompt=lambda: visit.agent.prompts.turn(coder, template, visit.context, files),
        temperature=0.2,
    )


def _tried(visit: Visit, patch: str, attempt: int) -> Effect[CheckedPatch | None]:
    return (
        yield from use_tool(
            visit,
            f"patch/{attempt}",
            "agent.patch",
            AgentRole.PATCHING,
            CheckedPatch,
            lambda: PatchInput(workspace=visit.context.workspace, patch=patch),
        )
    )


def _objection(visit: Visit, patch: str, checked: CheckedPatch) -> str | None:
    """What is to be said against a patch that applies, in words that its author can act on.

    A file that may hold secrets could be moved to a name under which it would be shown, and what is taken over and over
    makes a new state each time, and no progress.
    """
    if patch in visit.proceedings.taken_patches:
        return "this very patch was taken before, and the files that you see have it"
    withheld = next(filter(visit.agent.withholds, checked.paths), None)
    if withheld is not None:
        return f"{withheld}: it may hold secrets, so only people change it (`privacy.never_send`)"
    refused = refused_paths(visit.agent.options.paths, checked.paths)
    if not refused:
        return None
    return f"{refused[0]}: a rule of the person (`agent.paths`) refuses any change of it"


def _decided(
    visit: Visit, checked: CheckedPatch, written: CodeProposal, attempt: int
) -> Effect[Proposal]:
    """Put the patch to a person, or take it where nothing is asked; what was approved becomes the state."""
    assert checked.after is not None
    answer = yield from approve_patch(visit, checked, written, attempt)
    context = visit.context
    if answer == APPROVE:
        visit.proceedings.taken_patches.add(written.patch)
        context = context.done("patch", visit.key("patch", attempt)).updated(
            workspace=checked.after,
            whole_patch=checked.whole,
            pending_files=tuple(file.path for file in checked.after.files),
            last_test_results=None,
            memory=tuple(each for each in context.memory if each.source == "person"),
        )
        context = context.with_places(checked.paths)
    return Proposal(context, checked, answer, written.complete, written.needs)


def approve_patch(
    visit: Visit, checked: CheckedPatch, written: CodeProposal, attempt: int
) -> Effect[str]:
    """Whether the patch is to be taken."""
    rule = rule_for_patch(visit.agent.options.paths, checked.paths, visit.agent.approval)
    if rule is ApprovalRule.APPROVE:
        return APPROVE
    return (
        yield from ask(
            visit,
            WORK,
            f"decision/{attempt}",
            "Take this patch into the work?",
            lambda: {
                "mode": visit.mode.value,
                "patch": checked.patch,
                "explanation": written.explanation,
                "files": list(checked.paths),
                "sha256": shown_hash(checked.patch),
            },
        )
    )


def approve_commit(visit: Visit, title: str) -> Effect[str]:
    """Whether the state is to be committed."""
    context = visit.context
    return (
        yield from ask(
            visit,
            BRANCH,
            "decision",
            "Commit this on the agent's branch?",
            lambda: {
                "mode": visit.mode.value,
                "patch": context.whole_patch,
                "explanation": title,
                "files": list(context.pending_files),
                "sha256": shown_hash(context.whole_patch),
                "tests": None
                if context.last_test_results is None
                else context.last_test_results.model_dump(mode="json"),
            },
        )
    )


def approve_result(visit: Visit, what: str, text: str) -> Effect[str]:
    """Where everything is asked: whether what a mode brought is to be built on."""
    if visit.agent.approval is not ApprovalLevel.HIGH:
        return APPROVE
    shown = {"mode": visit.mode.value, "what": what, "explanation": text}
    prompt = "Go on with what this mode brought?"
    return (yield from ask(visit, WORK, "decision/result", prompt, lambda: shown))


def may_run(visit: Visit, command: str) -> Effect[bool]:
    """Whether the rules, or a person where they say so, let a command that was entered be run; asked once a run."""
    rule = rule_for_command(visit.agent.options.commands, command)
    if rule is ApprovalRule.REFUSE:
        visit.proceedings.need(notice("agent_command_refused", command=command))
        return False
    if rule is ApprovalRule.APPROVE:
        return True
    asked = visit.proceedings.asked_commands
    if command not in asked:
        shown = {"mode": visit.mode.value, "what": "command", "explanation": command}
        prompt = "Run this command on a copy of the work?"
        asked[command] = yield from ask(visit, COMMAND, "decision/command", prompt, lambda: shown)
        if asked[command] == HALT:
            visit.proceedings.stopped = why_halted(visit)
    if asked[command] != APPROVE:
        visit.proceedings.need(notice("agent_command_not_approved", command=command))
    return asked[command] == APPROVE


def ask(
    visit: Visit,
    kind: DecisionType,
    name: str,
    prompt: str,
    shown: Callable[[], dict[str, Any]],
) -> Effect[str]:
    """Put it to a person; what was said with a rejection is kept for the next attempt by `with_words`."""
    answer = yield from kind.ask(visit.key(name), visit.agent.spec.decision, prompt, shown)
    visit.proceedings.answers.append(answer)
    return answer.choice


def why_halted(visit: Visit) -> Notice:
    """Who ended the run with the last answer: a person, a deadline, or that nobody is asked."""
    channel = visit.proceedings.answers[-1].channel
    codes = {"policy": "agent_nobody_asked", "deadline": "agent_unanswered"}
    return notice(codes.get(channel, "agent_stopped_by_person"))


def with_words(visit: Visit) -> ModeContext:
    """The context with what the person said to the last question."""
    answer = visit.proceedings.answers[-1]
    words = answer.message or ""
    if answer.choice != REJECT:
        return visit.context
    text = words or "Rejected without a reason: try another way."
    return visit.context.remembering(AgentMessage(source="person", text=text))


def shown_hash(patch: str) -> str:
    """The sha256 that binds an approval to the patch exactly as it was shown."""
    return hashlib.sha256(patch.encode("utf-8")).hexdigest()
