"""`--estimate`: what the run would take, from what would be submitted. Nothing is started."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.cli.submission import Prepared
from orchestrator.cli.terminal import Terminal
from orchestrator.core.estimate import estimate
from orchestrator.views.json_report import SCHEMA_VERSION, dumps
from orchestrator.views.lines import Span, Style, line
from orchestrator.views.money import estimate_json, estimate_lines
from orchestrator.workflows import EXPECTED
from shared.models.deliberation import Question
from shared.models.run import RunSpec
from shared.models.subject import Subject
from shared.prices import expected_usd
from shared.tokens import estimated_tokens


def show_estimate(prepared: Prepared, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the estimate; the exit code."""
    # No generator replays this specification, so its version does not matter.
    spec = prepared.make_spec(workflow_version=0)
    found = estimate(spec, estimated_tokens(_text(prepared, spec)), expected_usd, EXPECTED)
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **estimate_json(found, spec)}))
        return 0
    terminal.talk([line(Span(text, Style.DIM)) for text in prepared.panel_report.lines()])
    terminal.result(estimate_lines(found, spec, prepared.title))
    return 0


def _text(prepared: Prepared, spec: RunSpec) -> str:
    """What every participant reads of the subject: the diff, or the question with its files."""
    documents = prepared.documents
    if spec.workflow == "review":
        subject = Subject.model_validate_json(documents[spec.subject])
        return documents[subject.diff].decode("utf-8", "replace")
    question = Question.model_validate_json(documents[spec.subject])
    files = (documents[one.document].decode("utf-8", "replace") for one in question.contexts)
    return "\n".join((question.text, *files))
