"""A run of an agent as the store would have it, in the middle of its way, and the graph of the code that it asked."""

from __future__ import annotations

import json
from textwrap import dedent

from orchestrator.workflows.agent.mode_context import ModeContext
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.records import TransitionRecord
from shared.models.code_graph import CodeGraph
from shared.models.code_graph_document import to_document
from shared.store.database import Database
from shared.store.ends import finish
from shared.store.runs import NewRecord
from tests.support.agent_cast import WORKSPACE, submitted_task
from tests.support.review_panel import sha
from tests.support.runs import new_run, new_step, take
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.python_outline import outline_python

FILES = {
    "shop": """
        class Item:
            \"\"\"Something to sell.\"\"\"

            def price(self):
                return rounded(3)


        class Gift(Item):
            def wrapped(self):
                return self.price()


        def rounded(amount):
            return round(amount)


        def total(items):
            return rounded(sum(item for item in items))
        """,
    "test_shop": """
        from shop import total


        def test_total():
            assert total([1, 2]) == 3
        """,
}
M = AgentMode
WAY = (
    (M.IDLE, M.CONTEXT_NAV, "search_intent"),
    (M.CONTEXT_NAV, M.IMPLEMENTATION, "target_found"),
    (M.IMPLEMENTATION, M.TEST, "code_complete"),
    (M.TEST, M.IMPLEMENTATION, "test_failed"),
    (M.IMPLEMENTATION, M.TEST, "code_complete"),
)


def shop_graph() -> CodeGraph:
    """The graph of FILES."""
    return make_graph(
        [outline_python(f"{name}.py", dedent(text).encode(), name) for name, text in FILES.items()]
    )


def way(*steps: tuple[AgentMode, AgentMode, str]) -> list[TransitionRecord]:
    """The records of a way through the modes."""
    context = ModeContext(
        task="add it", workspace=WORKSPACE, current_symbols=("shop.Item", "shop.total")
    )
    return [
        TransitionRecord(
            number=number,
            from_mode=origin,
            to_mode=target,
            trigger=trigger,
            context=context.updated(mode=target),
        )
        for number, (origin, target, trigger) in enumerate(steps, 1)
    ]


def walked_run(database: Database) -> str:
    """An agent's run that goes on, which has searched the code and come as far as WAY."""
    document = to_document(shop_graph())
    records = [
        NewRecord(f"transition/{row.number}", row.kind, 10 + row.number, row.model_dump_json())
        for row in way(*WAY)
    ]
    run = new_run(
        database,
        new_step("search", kind="tool", role="navigation"),
        spec=submitted_task("add it").spec,
        title="Add it",
        documents={sha(document): document},
        records=records,
    )
    reply = json.dumps({"hits": [], "graph": sha(document)})
    claimed = take(database, run, "search")
    database.run(lambda c: finish(c, claimed, reply=reply, failure=None), atomic=True)
    return run
