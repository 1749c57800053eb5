"""Recorded discussions to measure consensus on: read from a folder that stays outside of the project.

DIR/delidata/groups.tar.gz           human groups (DeliData: a TSV a group, a message a row)
DIR/mad-commonmt/debates.tar.gz      two models and a moderator (Multi-Agents-Debate: a JSON a debate)
DIR/klue-nli/*.json                  Korean sentence pairs (KLUE-NLI)
DIR/xnli-ko-dev/*.tsv                Korean sentence pairs (XNLI, translated by people)
DIR/subreddit-mask/*.csv             quotes and replies of an argument on Reddit
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.consensus.detectors.acts import AGREE, DISAGREE, OTHER, PROPOSE

ROLE = "debate"
_ACTS = {"Agree": AGREE, "Disagree": DISAGREE, "Solution": PROPOSE}
_PREFERENCE = re.compile(r"Whether there is a preference['\"]\s*:\s*['\"](\w+)")


@dataclass(frozen=True)
class Message:
    """What somebody said, and what annotators say it does."""

    speaker: str
    text: str
    act: str = OTHER


@dataclass(frozen=True)
class Group:
    """A human group. `positions`: the last answer of everybody who spoke, as recorded outside of the text."""

    name: str
    messages: tuple[Message, ...]
    positions: dict[str, frozenset[str]]
    submitted: dict[str, frozenset[str]]

    @property
    def consensus(self) -> bool:
        """Everybody who spoke ended with the same answer (the last one submitted, or the last one tracked)."""
        return len(set(self.positions.values())) == 1

    @property
    def submitted_the_same(self) -> bool:
        """The narrower reading: at least two submitted, and all that did submitted the same."""
        return len(self.submitted) > 1 and len(set(self.submitted.values())) == 1


@dataclass(frozen=True)
class Debate:
    """Two debaters' turns, round by round; `settled` when the moderator had a preference in the last round."""

    name: str
    rounds: tuple[tuple[str, str], ...]
    settled: bool


@dataclass(frozen=True)
class Reply:
    """A reply to somebody's words; `side` is agree, disagree or other."""

    said: str
    text: str
    side: str


@dataclass(frozen=True)
class Pair:
    """A premise and a claim; `relation` is entailment, neutral or contradiction."""

    premise: str
    claim: str
    relation: str


def digest(path: Path) -> str:
    """The first 16 hex digits of a file's SHA-256: which data a model was trained on."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


# ---- DeliData -----------------------------------------------------------------------------------


def groups_file(data: Path) -> Path:
    """Where the groups are."""
    return data / "delidata" / "groups.tar.gz"


def load_groups(data: Path) -> list[Group]:
    """All groups, by name."""
    return sorted(
        (_group(name, text) for name, text in _members(groups_file(data))), key=lambda one: one.name
    )


def _members(archive: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            opened = tar.extractfile(member) if member.isfile() else None
            if opened is not None:
                yield member.name.rpartition("/")[2], opened.read().decode("utf-8")


def _group(name: str, text: str) -> Group:
    header, *lines = text.rstrip("\n").split("\n")
    columns = header.split("\t")
    rows = [dict(zip(columns, line.rstrip("\r").split("\t"), strict=False)) for line in lines]
    messages = tuple(
        Message(
            row["origin"], _plain(row["original_text"]), _ACTS.get(row["annotation_target"], OTHER)
        )
        for row in rows
        if row["message_type"] == "MESSAGE"
    )
    submitted = {
        row["origin"]: _answer(row["original_text"].split(","))
        for row in rows
        if row["message_type"] == "SUBMIT"
    }
    tracked = {who: _answer(held) for who, held in json.loads(rows[-1]["sol_tracker_all"]).items()}
    spoke = {message.speaker for message in messages}
    positions = {who: submitted.get(who, tracked.get(who, frozenset())) for who in sorted(spoke)}
    return Group(name, messages, positions, submitted)


def _plain(text: str) -> str:
    """Some messages are kept in SQL quotes."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def _answer(cards: list[str]) -> frozenset[str]:
    return frozenset(card for card in cards if len(card) == 1)  # a few forms sent "on" as a card


# ---- Multi-Agents-Debate ------------------------------------------------------------------------


def load_debates(data: Path) -> list[Debate]:
    """All debates, by name. The first text of the affirmative side is the bare translation, no turn of the debate."""
    found = []
    for name, text in _members(data / "mad-commonmt" / "debates.tar.gz"):
        players = json.loads(text)["players"]
        affirmative, negative, moderator = (
            [said["content"] for said in players[side] if said["role"] == "assistant"]
            for side in ("Affirmative side", "Negative side", "Moderator")
        )
        preference = _PREFERENCE.search(moderator[-1])
        settled = preference is not None and preference[1].lower() == "yes"
        found.append(Debate(name, tuple(zip(affirmative[1:], negative, strict=False)), settled))
    return sorted(found, key=lambda one: one.name)


# ---- Reddit -------------------------------------------------------------------------------------


def replies_files(data: Path) -> list[Path]:
    """Where the replies are."""
    return sorted((data / "subreddit-mask").glob("*.csv"))


def load_replies(data: Path) -> list[Reply]:
    """All replies with their quotes."""
    sides = {"0": DISAGREE, "1": OTHER, "2": AGREE}
    rows = [
        row
        for path in replies_files(data)
        for row in csv.DictReader(
            path.read_text(encoding="cp1252", errors="replace").splitlines(True)
        )
    ]
    return [Reply(row["quote_text"], row["response_text"], sides[row["relation"]]) for row in rows]


# ---- Korean pairs -------------------------------------------------------------------------------


def pairs_files(data: Path) -> list[Path]:
    """Where the sentence pairs of KLUE-NLI are."""
    return sorted((data / "klue-nli").glob("*.json"))


def translated_files(data: Path) -> list[Path]:
    """Where the sentence pairs of XNLI are."""
    return sorted((data / "xnli-ko-dev").glob("*.tsv"))


def load_pairs(data: Path) -> list[Pair]:
    """All sentence pairs of KLUE-NLI, those of one premise together."""
    pairs = [
        Pair(one["premise"], one["hypothesis"], one["gold_label"])
        for path in pairs_files(data)
        for one in json.loads(path.read_text(encoding="utf-8"))
    ]
    return sorted(pairs, key=lambda one: (one.premise, one.claim))


def load_translated(data: Path) -> list[Pair]:
    """All sentence pairs of XNLI, those of one premise together."""
    pairs = [
        Pair(*line.split("\t"))
        for path in translated_files(data)
        for line in path.read_text(encoding="utf-8").splitlines()[1:]
    ]
    return sorted(pairs, key=lambda one: (one.premise, one.claim))
