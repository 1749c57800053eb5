"""What code alone can say before anybody writes: where the matter of a task stands, what depends on it, which command
the project tests itself with, and what the author of the task has changed."""

from __future__ import annotations

from orchestrator.core.discussion.embedding import CodeEmbedding, meaning_of
from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.agent.mode_context import AgentMessage
from orchestrator.workflows.agent.quoted_material import own_lines
from orchestrator.workflows.agent.result import OWN_CHANGE
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.agent.work import Visit, use_tool
from shared.models.agent import (
    ChangeSubject,
    CodeHit,
    CodeImpact,
    Navigation,
    RepositoryExamination,
)
from shared.models.embeddings import SearchVector
from shared.models.notices import notice
from shared.tools.agent_inputs import (
    ExaminationInput,
    ImpactInput,
    NavigationInput,
    WorkspaceInput,
)

OCCURRENCES, LARGEST = "occurrences", "largest"
"""Ways to search that no request names: every line with a name, and the longest functions."""
MOST_SYMBOLS, MOST_OCCURRENCES, MOST_NAMED, MOST_PLACES = 3, 200, 6, 20
TESTS_COMMAND = "exam_verification_tests"
"""The code of the fact that says by which command a project tests itself."""


def searched(visit: Visit, intent: str = "", *, most: int = 20) -> Effect[Visit]:
    """The visit with the files and symbols that were found; the hits are in the result."""
    context, wanted = visit.context, visit.intent
    query = "\n".join((context.task, *context.words))
    meaning = yield from _meaning(visit, intent or "search", query)

    def inputs() -> NavigationInput:
        asked = NavigationInput(
            workspace=context.workspace,
            intent=intent or wanted.navigation,
            query=query,
            target=wanted.target,
            limit=most,
        )
        return asked.model_copy(update={"meaning": meaning}) if meaning else asked

    navigation = yield from use_tool(
        visit, intent or "search", "agent.navigate", AgentRole.NAVIGATION, Navigation, inputs
    )
    navigation = navigation or Navigation()
    hits = navigation.hits
    _show(visit, intent, navigation)
    files = tuple(dict.fromkeys(hit.place.path for hit in hits))
    symbols = tuple(dict.fromkeys(hit.symbol for hit in hits if hit.symbol))
    context = context.done("search", visit.key(intent or "search"), succeeded=bool(hits))
    context = context.updated(graph_document=navigation.graph or context.graph_document)
    return visit.at(context.with_places(files, symbols))


def _meaning(visit: Visit, name: str, query: str) -> Effect[SearchVector | None]:
    """What is searched for as a vector, where an embedder takes part and words are searched; its failure is told."""
    agent = visit.agent
    embedder = agent.options.embedder
    if embedder is None or name in (OCCURRENCES, LARGEST):
        return None
    task = agent.task.model_copy(update={"workspace": visit.context.workspace})
    embedding = CodeEmbedding(embedder, task, visit.key(name, "meaning"), AgentRole.EMBEDDING)
    meaning = yield from meaning_of(embedding, own_lines(query), agent.document)
    for problem in meaning.problems:
        visit.proceedings.warn(problem)
    return meaning.vector


def _show(visit: Visit, intent: str, navigation: Navigation) -> None:
    """The hits go into the result; those of a further search are added to the first one's."""
    proceedings = visit.proceedings
    if intent == OCCURRENCES:
        counted = notice("agent_occurrences", n=navigation.total, files=navigation.files)
        proceedings.facts.append(counted)
    known = proceedings.hits if intent else []
    proceedings.hits[:] = [*known, *(hit for hit in navigation.hits if hit not in known)]


def survey(visit: Visit, intent: str = "") -> Effect[Visit]:
    """Where the matter of a task stands and what depends on it, unless that was looked at before.

    A coder is shown it, a panel is told it, and without either it is the result.
    """
    if visit.context.current_files:
        return visit
    most = MOST_OCCURRENCES if intent == OCCURRENCES else 20
    visit = yield from searched(visit, intent if visit.intent.target else "", most=most)
    if intent == LARGEST and not visit.intent.target:
        visit = yield from searched(visit, LARGEST, most=10)
    symbols = matter_of(visit)
    return (yield from reached(visit, symbols)) if symbols else visit


def matter_of(visit: Visit) -> tuple[str, ...]:
    """The symbols that a task is about: what it names, else the first definitions that were found."""
    target = visit.intent.target
    if target:
        return (target,)
    defined = (hit.symbol for hit in visit.proceedings.hits if hit.symbol and hit.kind != "text")
    return tuple(dict.fromkeys(defined))[:MOST_SYMBOLS]


def reached(visit: Visit, symbols: tuple[str, ...]) -> Effect[Visit]:
    """Who depends on the symbols, or on the work where none is given; it is told in figures and names."""
    context = visit.context
    impact = yield from use_tool(
        visit,
        "impact",
        "agent.impact",
        AgentRole.IMPACT,
        CodeImpact,
        lambda: ImpactInput(workspace=context.workspace, symbols=symbols),
    )
    impact = impact or CodeImpact()
    visit = visit.at(
        context.done("impact", visit.key("impact"), succeeded=bool(impact.symbols)).updated(
            impact=impact,
            graph_document=impact.graph or context.graph_document,
            impact_nodes=impact.symbols,
            dependency_chain=tuple(filter(None, (hit.symbol for hit in impact.callers))),
        )
    )
    if impact.symbols:
        _tell(visit, impact)
    return visit


def _tell(visit: Visit, impact: CodeImpact) -> None:
    """Of what is reached, the symbols and the tests by name."""
    facts = [
        notice(
            "agent_reach",
            symbols=_named(impact.symbols),
            callers=len(impact.callers),
            files=len(impact.files),
        )
    ]
    tested = notice("agent_reach_tests", tests=_named(impact.tests), n=len(impact.tests))
    facts.append(tested if impact.tests else notice("agent_reach_untested"))
    visit.proceedings.facts += [fact for fact in facts if fact not in visit.proceedings.facts]


def _named(names: tuple[str, ...]) -> str:
    """`a, b +3`"""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" +{more}" if more > 0 else "")


def remembered_places(visit: Visit) -> Visit:
    """With the places that were found among what a panel is told."""
    rows = [_row(hit) for hit in visit.proceedings.hits[:MOST_PLACES]]
    if not rows:
        return visit
    text = "\n".join((visit.agent.templates.line("places"), *rows))
    return visit.at(visit.context.remembering(AgentMessage(source="examination", text=text)))


def _row(hit: CodeHit) -> str:
    return f"- {hit.place.shown} {hit.symbol or ''}".rstrip()


def tests_command(visit: Visit) -> Effect[str]:
    """The command by which the project seems to test itself, to be proposed and never to be run unasked."""
    seen = yield from use_tool(
        visit,
        "commands",
        "examine.verification",
        AgentRole.EXAMINATION,
        RepositoryExamination,
        lambda: ExaminationInput(workspace=visit.context.workspace, task=visit.context.task),
    )
    facts = () if seen is None else seen.facts
    named = [fact.params for fact in facts if fact.code == TESTS_COMMAND]
    at_root = [fact for fact in named if fact.get("folder") == "."]
    return str((at_root or named)[0].get("command")) if named else ""


def with_own_change(visit: Visit) -> Effect[Visit]:
    """The visit with the author's uncommitted change as the work; without a change it stays what it is."""
    own, context = visit.agent.task.own_change, visit.context
    for path in () if own is None else own.left_out:
        visit.proceedings.warn(notice("agent_own_left_out", path=path))
    if own is None or not own.files:
        return visit
    workspace = context.workspace.changed(*own.files)
    change = yield from use_tool(
        visit,
        "own",
        "agent.change",
        AgentRole.CAPTURE,
        ChangeSubject,
        lambda: WorkspaceInput(workspace=workspace),
    )
    if change is None or not change.whole:
        return visit
    visit.proceedings.facts.append(notice(OWN_CHANGE, n=len(change.files)))
    changed = context.updated(
        workspace=workspace, whole_patch=change.whole, pending_files=change.files
    )
    return visit.at(changed.with_places(change.files))
