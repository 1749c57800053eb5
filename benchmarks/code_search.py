"""Whether vectors help the hybrid search: python -m benchmarks.code_search --address URL [--model NAME] [--store FILE]

Thirty-two questions about `orchestrator/application` of this repository, written from the first lines of docstrings in
words that do not name what is meant, before the search was first run on them. Each is searched with and without vectors
from an embedding model at an OpenAI-compatible address (`http://127.0.0.1:PORT/v1`); a hit is a definition that is
meant among the first one, five or ten. `--store` keeps the vectors, so that the next run embeds nothing again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
from pydantic import JsonValue

from shared.models.code_answers import CodeTexts, UnembeddedCode
from shared.models.embeddings import SearchVector
from shared.models.workspace import Workspace
from shared.text.vectors import packed
from workers.tools.agent.code_base import MEMORY
from workers.tools.agent.code_vectors import near_spots
from workers.tools.agent.search import Spot, search
from workers.tools.agent.search_words import read_query
from workers.tools.agent.workspace import open_workspace
from workers.tools.code_facts import MemoryCodeFacts
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

ROOT = Path(__file__).parents[1]
FOLDER = "orchestrator/application"
FIRST = (1, 5, 10)
QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "whose credential string is this, unless it ran out or was revoked",
        ("api_tokens.holder_of", "api_tokens.recognise"),
    ),
    ("what may be frozen for a while", ("pausing.pausable_names",)),
    ("lift the freeze on a model", ("pausing.resume_participant",)),
    ("is the daemon stuck and in need of a reboot", ("health.check_liveness",)),
    ("generate a random secret for a client", ("api_tokens.new_token",)),
    ("revoke a credential", ("api_tokens.remove",)),
    ("dump everything to disk", ("backup.back_up",)),
    ("strip the prose from an exported account", ("redacting.redacted",)),
    ("side by side difference of two executions", ("replay.compare_runs", "replay.RunComparison")),
    ("answer all the pending questions in one go", ("decide.decide_all",)),
    ("which git history becomes work", ("batch_from_git.HistoryRange",)),
    ("GitHub is down or throttles us", ("code_hosts.HostUnavailable",)),
    ("the remark was turned down by the forge", ("code_hosts.CommentRefused",)),
    (
        "branch off an earlier execution with other parameters",
        ("fork.submit_fork", "fork.ForkRequest"),
    ),
    (
        "get something going again that got stuck, after the cause was repaired",
        ("lifecycle.resume",),
    ),
    ("cron expression to the next moment", ("schedules.timetable_of",)),
    ("how old data gets deleted, by policy", ("retention.configured_rules",)),
    ("log of deletions", ("retention.purges",)),
    ("upper bounds on the size of an imported archive", ("run_file.FileLimits",)),
    ("number of tasks that are pending on humans", ("listings.count_waiting",)),
    ("malformed row in the JSON Lines input", ("batch_file.LineFault",)),
    ("follow progress without repeating what was shown", ("watch.RunWatcher",)),
    ("keep background daemons alive while someone looks on", ("watch.ProcessCare",)),
    ("most recent benchmarks with their results", ("evaluation.all_evals",)),
    ("avoid printing the same message a thousand times", ("evaluation.OnceListener",)),
    ("would everything altogether cost too much", ("preflight.short_of",)),
    ("hold texts in memory deduplicated by hash", ("documents.DocumentCollector",)),
    ("CI job for the same revision is not done twice", ("pipelines.submission_key",)),
    ("persist the reply a human gave to their part", ("decide.take_turn",)),
    ("from which machine this account was brought over", ("run_details.imported_from",)),
    ("a diff handed over by the caller", ("subject_input.GivenChange",)),
    (
        "what kinds of models and linters does this computer have",
        ("initial_configuration.Surroundings",),
    ),
)


class Embedder:
    """An embedding model at an address."""

    def __init__(self, address: str, model: str) -> None:
        self._address, self._model, self.seconds, self.texts = address, model, 0.0, 0

    def vectors(self, texts: Sequence[str]) -> tuple[str, ...]:
        """A vector for each text."""
        began = time.monotonic()
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        reply = httpx.post(f"{self._address}/embeddings", json=body, timeout=None).json()
        self.seconds, self.texts = self.seconds + time.monotonic() - began, self.texts + len(texts)
        rows = sorted(reply["data"], key=lambda row: row["index"])
        return tuple(packed(row["embedding"]) for row in rows)


def main() -> None:
    """Print hits among the first one, five and ten."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", required=True)
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    embedder = Embedder(asked.address, asked.model)
    stored = json.loads(asked.store.read_text()) if asked.store and asked.store.exists() else {}
    facts = MemoryCodeFacts()
    facts.keep_facts({key: bytes.fromhex(data) for key, data in stored.items()})
    context = ToolContext(MemoryDocuments(), 600.0, code=facts)
    with tempfile.TemporaryDirectory() as folder:
        workspace = copied(Path(folder))
        kept = embed_all(workspace, context, embedder, asked.model)
        if asked.store:
            asked.store.write_text(json.dumps({**stored, **kept}))
        print(f"{embedder.texts} definitions embedded in {embedder.seconds:.0f} s")
        measure(workspace, context, embedder, asked.model, misses=asked.misses)


def copied(folder: Path) -> Workspace:
    """A repository of the folder that is asked about, as the last commit of this one has it."""
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "HEAD", FOLDER], check=True, stdout=subprocess.PIPE
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    identity = ("-c", "user.name=b", "-c", "user.email=b@localhost")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "code")):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    head = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE
    )
    return Workspace(repository=str(folder), commit=head.stdout.decode().strip())


def embed_all(
    workspace: Workspace, context: ToolContext, embedder: Embedder, space: str
) -> dict[str, str]:
    """What is stored for the definitions that had no vector."""
    given: dict[str, JsonValue] = {
        "workspace": workspace.model_dump(mode="json"),
        "space": space,
    }
    missing = run_tool("graph.unembedded", given, context)
    assert isinstance(missing, UnembeddedCode)
    keys: list[str] = []
    for portion in missing.portions:
        texts = CodeTexts.model_validate_json(context.documents.get(portion))
        row: dict[str, JsonValue] = {
            "document": portion,
            "vectors": [*embedder.vectors(texts.texts)],
        }
        run_tool("graph.embedded", {"portions": [row]}, context)
        keys += [key for key, _ in texts.keys]
    return {key: data.hex() for key, data in context.code.facts(keys).items()}


def measure(
    workspace: Workspace, context: ToolContext, embedder: Embedder, space: str, *, misses: bool
) -> None:
    """Print how often what is meant is among the first."""
    ways = ("without vectors", "with vectors", "vectors alone")
    ranks: dict[str, list[int]] = {way: [] for way in ways}
    with open_workspace(workspace, context) as tree:
        code = MEMORY.whole(tree, context)
        for question, meant in QUESTIONS:
            vector = SearchVector(space=space, vector=embedder.vectors([question])[0])
            near = near_spots(code, context.code, vector)
            query = read_query(question)
            found = {
                "without vectors": [each.spot for each in search(tree, code.index, query)],
                "with vectors": [each.spot for each in search(tree, code.index, query, near)],
                "vectors alone": near,
            }
            for way, spots in found.items():
                names = [
                    _name(code.index.node(spot.place).id, spot) for spot in spots if spot.place
                ]
                places = [names.index(name) + 1 for name in meant if name in names]
                ranks[way].append(min(places, default=0))
            if misses:
                print([ranks[way][-1] for way in ways], question, meant)
    for way in ways:
        hits = (f"hit@{most} {_hits(ranks[way], most)}" for most in FIRST)
        print(f"{way:16} {'  '.join(hits)}  of {len(QUESTIONS)}")


def _name(full: str, spot: Spot) -> str:
    """`file.Class.method`"""
    stem = Path(spot.path).stem
    return f"{stem}.{full.split(f'.{stem}.', 1)[-1]}"


def _hits(ranks: Sequence[int], most: int) -> int:
    return sum(1 <= rank <= most for rank in ranks)


if __name__ == "__main__":
    main()
