"""LangGraph with its Postgres checkpointer, asynchronous: a node a turn, one that assesses after each round."""

from __future__ import annotations

import asyncio
import operator
import os
import time
from typing import Annotated, Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from benchmarks.peers.load import NAMES, REPLY, SIZES, Load, Played, overheads, serve

CONNECTIONS = 16


class State(TypedDict):
    """What a run knows: what was said, and when each stage ended."""

    replies: Annotated[list[dict[str, str]], operator.add]
    ends: Annotated[list[float], operator.add]


async def speak(_state: State, config: RunnableConfig) -> dict[str, Any]:
    """A turn."""
    await asyncio.sleep(config["configurable"]["latency_s"])
    return {"replies": [REPLY]}


async def assess(_state: State) -> dict[str, Any]:
    """A stage has ended."""
    return {"ends": [time.time()]}


def graph() -> StateGraph[State]:
    """Two rounds of three turns and a synthesis."""
    built = StateGraph(State)
    before = START
    for stage, size in enumerate(SIZES):
        turns = [f"turn-{stage}-{place}" for place in range(size)]
        assessment = f"assess-{stage}"
        for name in turns:
            built.add_node(name, speak)
            built.add_edge(before, name)
        built.add_node(assessment, assess)
        built.add_edge(turns, assessment)
        before = assessment
    built.add_edge(before, END)
    return built


def main() -> None:
    """Runs and turns are coroutines of this one process."""
    runner = asyncio.Runner()
    pool = AsyncConnectionPool(
        os.environ["BENCH_DATABASE"],
        max_size=CONNECTIONS,
        open=False,
        kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
    )

    async def compiled() -> Any:
        await pool.open()
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        return graph().compile(checkpointer=saver)

    workflow = runner.run(compiled())

    async def run_one(latency_s: float) -> list[float]:
        config = {"configurable": {"thread_id": next(NAMES), "latency_s": latency_s}}
        state = await workflow.ainvoke({"replies": [], "ends": []}, config)
        return overheads(state["ends"], latency_s)

    async def offer(load: Load) -> list[float]:
        started = time.monotonic()
        tasks = []
        for number in range(load.runs):
            if load.runs_per_s:
                due = started + number / load.runs_per_s
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(run_one(load.latency_s)))
        return [taken for run in await asyncio.gather(*tasks) for taken in run]

    def play(load: Load) -> Played:
        started = time.monotonic()
        taken = runner.run(offer(load))
        return Played(time.monotonic() - started, taken)

    serve(os.getpid(), play)
    runner.run(pool.close())
    runner.close()


if __name__ == "__main__":
    main()
