"""The agent's prompts; the templates are in orchestrator/workflows/agent/prompts."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.replay.commands import Prompt
from orchestrator.workflows.agent.mode_context import AgentMessage, ModeContext
from shared.models.agent import ReadFiles
from shared.models.panel import Participant
from shared.models.steps import PromptPart
from shared.models.workspace import CodingTask

MOST_CALLERS = 20
MOST_REQUEST = 6_000
"""Characters of a request that whoever reads what it asks for is shown."""


@dataclass(frozen=True)
class AgentPrompts:
    """How the coder is asked: the task in its author's words; code, errors and reviews as data."""

    templates: Templates
    task: CodingTask

    def turn(
        self, coder: Participant, template: str, context: ModeContext, files: ReadFiles
    ) -> Prompt:
        """One thing to write, with everything that is known."""
        parts = [
            self.templates.part("task"),
            PromptPart(text=self.task.text, stable=True),
            *(data(f"file {file.path}", document=file.document) for file in files.files),
            *self._known(context),
            self.templates.part(template),
        ]
        return self.templates.prompt(self.templates.part("agent"), coder, parts)

    def intent(self) -> Prompt:
        """What the request asks for; it is data here, for a pasted log or issue may say anything."""
        parts = (data("request", text=self.task.text[:MOST_REQUEST]), self.templates.part("intent"))
        return Prompt((self.templates.part("reader"),), parts)

    def _known(self, context: ModeContext) -> list[PromptPart]:
        """What was found out and said before: a person's words are instructions, all else is data."""
        error = context.last_error
        texts = {
            "changes so far": context.whole_patch,
            "callers": _callers(context),
            "error": f"{error.kind}: {error.message}" if error and error.message else "",
            "output": context.error_text,
        }
        parts = [data(label, text=text) for label, text in texts.items() if text]
        return [*parts, *map(self._remembered, context.memory)]

    def _remembered(self, message: AgentMessage) -> PromptPart:
        if message.source == "person":
            return self.templates.part("rejected", words=message.text)
        return data(message.source, text=message.text)


def _callers(context: ModeContext) -> str:
    callers = () if context.impact is None else context.impact.callers[:MOST_CALLERS]
    rows = (f"{hit.place.shown} {hit.symbol or ''}".rstrip() for hit in callers)
    return "\n".join(rows)
