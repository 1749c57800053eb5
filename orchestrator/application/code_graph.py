"""Ask about the graph of a repository's code: a small run of its own, because only tool workers read repositories."""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from orchestrator.application.backend import Backend
from orchestrator.application.documents import DocumentCollector
from orchestrator.application.report import load_report
from orchestrator.application.submit import store_run
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.subjects.task import capture_task
from orchestrator.workflows import GRAPH
from orchestrator.workflows.graph import GraphOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import UnknownRun
from shared.models.code_answers import GraphAnswer
from shared.models.code_graph import CodeGraph
from shared.models.code_graph_document import from_document
from shared.models.code_graph_index import GraphIndex
from shared.models.panel import Panel, Participant
from shared.models.rows import ASIDE, REPOSITORY
from shared.models.run import NEWEST_RULES, Budget, RunSpec
from shared.models.workspace import CodingTask
from shared.store.documents import get_documents

MOST_S = 1800.0


def capture_code(directory: Path, revision: str | None, environ: Mapping[str, str]) -> CodingTask:
    """The state of the repository around a directory. Raises SubjectError where there is none, or no such revision."""
    return capture_task(GRAPH, directory, environ, revision=revision)


def question_spec(task: CodingTask, options: GraphOptions, documents: DocumentCollector) -> RunSpec:
    """The run that answers, and its documents."""
    # Nobody speaks: the panel is a formality.
    nobody = Participant(name=GRAPH, provider="rules")
    return RunSpec(
        workflow=GRAPH,
        workflow_version=WORKFLOWS[GRAPH].version,
        rules_version=NEWEST_RULES,
        subject=documents.put(task.model_dump_json().encode()),
        prompts=documents.put(json.dumps({}).encode()),
        panel=Panel(critics=(nobody,), author=nobody, chair=nobody),
        options=options.model_dump(mode="json"),
        budget=Budget(max_seconds=MOST_S),
        watched=True,
        seed=secrets.token_hex(16),
        labels={REPOSITORY: Path(task.workspace.repository).name, ASIDE: True},
    )


def submit_question(backend: Backend, task: CodingTask, options: GraphOptions) -> str:
    """Ask; the id of the run that answers."""
    documents = DocumentCollector()
    spec = question_spec(task, options, documents)
    title = " ".join(filter(None, (options.question, *options.names, options.text)))
    return store_run(backend, spec, title, documents.gathered)


def answer_of(backend: Backend, run: str) -> GraphAnswer | str:
    """What a settled run answers, or why it has no answer."""
    steps = backend.read(lambda connection: load_report(connection, run)).steps
    last = steps[-1] if steps else None
    if last is not None and last.reply is not None:
        return GraphAnswer.model_validate(last.reply)
    failures = (step.failure_message for step in steps if step.failure_message)
    return ENGLISH.column(next(failures, None)) or "it took too long"


class GraphShelf:
    """The graphs that a service looked at last, ready for questions."""

    def __init__(self, most: int = 4) -> None:
        self._most = most
        self._graphs: OrderedDict[str, GraphIndex] = OrderedDict()
        self._lock = threading.Lock()

    def index(self, backend: Backend, document: str) -> GraphIndex | None:
        """The graph of a document; None where it is not stored any more."""
        with self._lock:
            if document not in self._graphs:
                try:
                    stored = backend.read(lambda connection: get_documents(connection, [document]))
                except UnknownRun:
                    return None
                self._graphs[document] = GraphIndex(from_document(stored[document]))
            self._graphs.move_to_end(document)
            while len(self._graphs) > self._most:
                self._graphs.popitem(last=False)
            return self._graphs[document]


def graph_of(backend: Backend, answer: GraphAnswer) -> CodeGraph:
    """The whole graph that an answer comes from."""
    documents = backend.read(lambda connection: get_documents(connection, [answer.document]))
    return from_document(documents[answer.document])
