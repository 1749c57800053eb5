"""Does a query find the text that it is about, beside Postgres' own ranking (`ts_rank`)?

    python -m benchmarks.case_retrieval --data FOLDER

FOLDER holds `aci-bench` (the notes of the collection unpacked in it, or in `notes`) and `medec`, or one of them.

- notes: the three longest turns of a consultation, as they were spoken, find its note among all notes;
- sentences: a corrected sentence finds the text that has it with the error, among all texts but those that have it
  word for word;
- twins: of two texts of one vignette, one is the other's nearest neighbour among all texts.

A text is as good as its best passage. Twins are what the data's corrected texts say: the same sentences in any order.
Half of the queries, by a hash, may be looked at while rules are changed; both halves are printed. Last, the time of a
search in 10,000 passages.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import statistics
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import folder_of
from orchestrator.embedded.throwaway import throwaway
from shared.models.passages import CutPassage, QueryPart
from shared.store.database import Database
from shared.store.documents import address, put_documents
from shared.store.migrate import upgrade
from shared.store.passages import put_passages, search_passages
from shared.text.search_terms import TERMS_VERSION, search_terms
from shared.text.similarity import nearest_texts
from workers.tools.clinical.cutting import cut_passages

DEEP = 200
CUTOFFS = (1, 5, 10)
TURNS = 3
MANY_PASSAGES = 10_000
Rank = Callable[[str], list[str]]

_PLAIN_TABLE = (
    "CREATE TABLE plain AS SELECT document, number, to_tsvector('english', body) AS terms "
    "FROM unnest(%s::text[], %s::int[], %s::text[]) AS t(document, number, body)"
)
_PLAIN = """
SELECT document, ts_rank(terms, query) AS rank
  FROM plain, to_tsquery('simple', array_to_string(tsvector_to_array(to_tsvector('english', %s)), ' | ')) query
 WHERE terms @@ query ORDER BY rank DESC, document, number LIMIT %s
"""


@dataclass(frozen=True)
class Query:
    """What is asked, and the text that it is about."""

    text: str
    target: str
    verbatim: frozenset[str] = frozenset()
    """Texts that have the query word for word, and do not count."""

    @property
    def kept_back(self) -> bool:
        """Of the half that no rule was looked at with."""
        return hashlib.sha256(self.target.encode()).digest()[0] % 2 == 0


class Index:
    """Texts in both kinds of table."""

    def __init__(self, database: Database, texts: Sequence[str]) -> None:
        self._database = database
        self.names = [address(text.encode()) for text in texts]
        rows: list[tuple[str, int, str]] = []
        with database.connection() as connection:
            for name, text in zip(self.names, texts, strict=True):
                put_documents(connection, {name: text.encode()})
                places = cut_passages(text)
                cuts = [CutPassage(a, b, tuple(search_terms(text[a:b]))) for a, b in places]
                put_passages(connection, name, TERMS_VERSION, cuts)
                rows += [(name, n, text[a:b]) for n, (a, b) in enumerate(places)]
            connection.execute("DROP TABLE IF EXISTS plain")
            connection.execute(_PLAIN_TABLE, tuple(map(list, zip(*rows, strict=True))))
            connection.execute("CREATE INDEX ON plain USING gin (terms)")
            connection.execute("ANALYZE")
        self.passages = len(rows)

    def ours(self, text: str) -> list[str]:
        """The texts by their best passage, as the product ranks them."""
        parts = [QueryPart(((term,),)) for term in dict.fromkeys(search_terms(text))]
        with self._database.connection() as connection:
            found = search_passages(connection, self.names, TERMS_VERSION, parts, DEEP)
        return list(dict.fromkeys(passage.document for passage in found))

    def plain(self, text: str) -> list[str]:
        """The same with Postgres' English dictionary and `ts_rank`, any word counting."""
        with self._database.connection() as connection:
            rows = connection.execute(_PLAIN, (text, DEEP)).fetchall()
        return list(dict.fromkeys(row.document for row in rows))


def recall(queries: Iterable[Query], rank: Rank) -> dict[int, float]:
    """The share of queries whose target is among the first k, for every cutoff."""
    places = [_place(rank(query.text), query) for query in queries]
    return {k: sum(place < k for place in places) / len(places) for k in CUTOFFS}


def _place(ranked: list[str], query: Query) -> int:
    counted = [name for name in ranked if name not in query.verbatim]
    return counted.index(query.target) if query.target in counted else len(counted) + DEEP


# ---- the data -----------------------------------------------------------------------------------


def consultations(folder: Path) -> list[tuple[str, str]]:
    """Dialogues with their notes."""
    rows: list[tuple[str, str]] = []
    for name in ("train.json", "valid.json"):
        data = json.loads(_read(folder, name))["data"]
        rows += [(row["src"], row["tgt"]) for row in data]
    return rows


def _read(folder: Path, name: str) -> bytes:
    for path in (folder / name, folder / "notes" / name):
        if path.is_file():
            return path.read_bytes()
    with tarfile.open(folder / "notes.tar.gz") as archive:
        member = archive.extractfile(f"notes/{name}")
        assert member is not None
        return member.read()


def turns(dialogue: str) -> Iterator[str]:
    """The longest turns of a dialogue, without who speaks."""
    spoken = [re.sub(r"^\[\w+\]\s*", "", line) for line in dialogue.splitlines()]
    yield from sorted(spoken, key=len, reverse=True)[:TURNS]


@dataclass(frozen=True)
class Medec:
    """The texts with their hashes, a corrected sentence for each that has an error, and pairs of twins."""

    texts: list[str]
    names: list[str]
    corrections: list[Query]
    twins: list[tuple[int, int]]


def read_medec(folder: Path) -> Medec:
    """The rows of the collection's only file."""
    [path] = folder.glob("*.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = [row["Text"] for row in rows]
    flawed = [(n, row) for n, row in enumerate(rows) if row["Error Flag"] == "1"]
    names = [address(text.encode()) for text in texts]
    corrections = []
    for n, row in flawed:
        sentence = row["Corrected Sentence"].strip()
        verbatim = frozenset(names[m] for m, text in enumerate(texts) if sentence in text)
        corrections.append(Query(sentence, names[n], verbatim))
    by_words = {_words(text): n for n, text in enumerate(texts)}
    pairs = [(n, by_words.get(_words(row["Corrected Text"]))) for n, row in flawed]
    twins = [(n, other) for n, other in pairs if other is not None and other != n]
    return Medec(texts, names, corrections, twins)


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\w+", text.lower())))


# ---- what is printed ----------------------------------------------------------------------------


def compare(title: str, index: Index, queries: Sequence[Query]) -> None:
    """Both rankings, for both halves of the queries."""
    print(f"{title}: {len(index.names)} texts, {index.passages} passages, {len(queries)} queries")
    for half, chosen in (
        ("looked at", [query for query in queries if not query.kept_back]),
        ("kept back", [query for query in queries if query.kept_back]),
    ):
        for name, rank in (("passages", index.ours), ("ts_rank", index.plain)):
            figures = "  ".join(f"@{k} {value:.3f}" for k, value in recall(chosen, rank).items())
            print(f"  {half} ({len(chosen)})  {name:9} recall {figures}")


def compare_twins(medec: Medec) -> None:
    """How often a text's nearest neighbour is its twin."""
    places = []
    for text, twin in medec.twins:
        ranked = [
            place for place, _ in nearest_texts(medec.texts[text], medec.texts, CUTOFFS[-1] + 1)
        ]
        ranked = [place for place in ranked if place != text]
        places.append(ranked.index(twin) if twin in ranked else DEEP)
    figures = "  ".join(f"@{k} {sum(p < k for p in places) / len(places):.3f}" for k in CUTOFFS)
    print(
        f"twins: {len(medec.texts)} texts, {len(places)} pairs, nearest neighbours: recall {figures}"
    )


def time_searches(database: Database, texts: Sequence[str], queries: Sequence[Query]) -> None:
    """The time of a search in many passages: the texts again and again, each with a line of its own."""
    copies: list[str] = []
    passages, number = 0, 0
    while passages < MANY_PASSAGES:
        copies.append(f"{texts[number % len(texts)]}\nCopy number {number} of these texts.")
        passages += len(cut_passages(copies[-1]))
        number += 1
    index = Index(database, copies)
    times = []
    for query in queries[:60]:
        begun = time.perf_counter()
        index.ours(query.text)
        times.append((time.perf_counter() - begun) * 1000)
    words = statistics.mean(len(set(search_terms(query.text))) for query in queries[:60])
    slowest = statistics.quantiles(times, n=20)[-1]
    print(
        f"time: {index.passages} passages, queries of {words:.0f} terms: "
        f"median {statistics.median(times):.1f} ms, 95% {slowest:.1f} ms"
    )


def main() -> None:
    """Print recall of both rankings for every task, and the time of a search."""
    parser = argparse.ArgumentParser(description="Passages of cases found by queries.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    folder = parser.parse_args().data
    with tempfile.TemporaryDirectory() as root, throwaway(Path(root)) as endpoints:
        database = Database(endpoints.database_url, pool_size=1, patience_s=5)
        upgrade(database)
        rows = consultations(folder_of(folder, "aci-bench"))
        asked = [
            Query(turn, address(note.encode()))
            for dialogue, note in rows
            for turn in turns(dialogue)
        ]
        compare("notes", Index(database, [note for _, note in rows]), asked)
        medec = read_medec(folder_of(folder, "medec"))
        compare("sentences", Index(database, medec.texts), medec.corrections)
        compare_twins(medec)
        time_searches(database, medec.texts, medec.corrections)
        database.close()


if __name__ == "__main__":
    main()
