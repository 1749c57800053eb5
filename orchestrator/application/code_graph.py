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
from orchestrator.application.submit import allow_programs, store_run
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.holders import is_nobody
from orchestrator.participants.request import named_participant
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from orchestrator.subjects.task import capture_task
from orchestrator.workflows import GRAPH
from orchestrator.workflows.graph.options import GraphOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import UnknownRun
from shared.models.code_answers import GraphAnswer
from shared.models.code_graph import CodeGraph
from shared.models.code_graph_document import from_document
from shared.models.code_graph_index import GraphIndex
from shared.models.notices import read_notice
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


def find_embedder(
    name: str | None, config: Path | None, environ: Mapping[str, str], directory: Path
) -> Participant | None:
    """Whose vectors find code: who is named, else the configuration's `panel.embedder`; None for nobody.

    Raises ConfigurationError for somebody who makes none.
    """
    configuration = load_configuration(directory, environ, explicit=config, workflow=GRAPH)
    named = name or configuration.settings.panel.embedder
    if named is None or is_nobody(named):
        return None
    catalogue = Catalogue(configuration.settings, environ, directory, kept_by=configuration.kept_by)
    (part,) = (part for part in WORKFLOWS[GRAPH].parts if part.silent)
    return named_participant(named, catalogue, (), part)


def submit_question(backend: Backend, task: CodingTask, options: GraphOptions) -> str:
    """Ask; the id of the run that answers."""
    documents = DocumentCollector()
    spec = question_spec(task, options, documents)
    allow_programs(backend, spec)
    title = " ".join(filter(None, (options.question, *options.names, options.text)))
    return store_run(backend, spec, title, documents.gathered)


def answer_of(backend: Backend, run: str) -> GraphAnswer | str:
    """What a settled run answers, or why it has no answer."""
    report = backend.read(lambda connection: load_report(connection, run))
    replies = (step.reply for step in reversed(report.steps) if step.role == GRAPH and step.reply)
    answer = next(filter(_answers, map(GraphAnswer.model_validate, replies)), None)
    if answer is not None:
        warnings = map(read_notice, (report.run.outcome or {}).get("warnings") or ())
        return answer.model_copy(update={"problems": (*warnings, *answer.problems)})
    failures = (step.failure_message for step in report.steps if step.failure_message)
    return ENGLISH.column(next(failures, None)) or "it took too long"


def _answers(answer: GraphAnswer) -> bool:
    """Whether the code was read; else it says how much has to be read before."""
    return not answer.portions


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
