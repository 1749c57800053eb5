"""The consensus benchmark: its figures, its reading of recordings, and fitting that always gives the same."""

from __future__ import annotations

import io
import json
import math
import tarfile
from pathlib import Path

import pytest

from benchmarks.consensus import measure
from benchmarks.consensus_data import (
    Group,
    Message,
    Reply,
    load_debates,
    load_groups,
    load_pairs,
    load_replies,
)
from benchmarks.consensus_examples import written_arguments, written_examples
from benchmarks.consensus_fitting import Example, Fit, cross_fit, fit
from benchmarks.consensus_groups import measure_groups
from benchmarks.consensus_measures import Judged, auc, f1_by_class, interval, precision, recall
from benchmarks.consensus_turns import measure_turns
from orchestrator.core.consensus.detectors.acts import AGREE, CLASSES, DISAGREE, OTHER, PROPOSE
from orchestrator.core.consensus.detectors.arguments import SIDES

COLUMNS = "group_id message_id message_type origin original_text annotation_target sol_tracker_all"


def add(archive: Path, name: str, text: str) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo(f"corpus/{name}")
        member.size = len(text.encode())
        tar.addfile(member, io.BytesIO(text.encode()))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    tracked = json.dumps({"Ann": ["A"], "Bob": ["B"], "Silent": ["C"]})
    rows = [
        ("INITIAL", "SYSTEM", "Ann,Bob&&A,B,C", ""),
        ("MESSAGE", "Ann", "'it''s A'", "Solution"),
        ("MESSAGE", "Bob", "yes, A", "Agree"),
        ("SUBMIT", "Bob", "A,on", ""),
    ]
    lines = [COLUMNS.replace(" ", "\t")]
    lines += ["\t".join(("g", "m", kind, who, text, act, tracked)) for kind, who, text, act in rows]
    add(tmp_path / "delidata" / "groups.tar.gz", "g", "\n".join(lines))

    def spoke(*texts: str) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": text} for text in texts]

    players = {
        "Affirmative side": spoke("bare", "mine is right", "mine still"),
        "Negative side": spoke("mine instead", "mine still"),
        "Moderator": spoke(
            "{'Whether there is a preference': 'No'}", "{'Whether there is a preference': 'Yes'}"
        ),
    }
    add(tmp_path / "mad-commonmt" / "debates.tar.gz", "0.json", json.dumps({"players": players}))
    pair = {
        "premise": "가게가 열렸다.",
        "hypothesis": "가게가 닫혔다.",
        "gold_label": "contradiction",
    }
    (tmp_path / "klue-nli").mkdir()
    (tmp_path / "klue-nli" / "dev.json").write_text(json.dumps([pair, pair]), encoding="utf-8")
    (tmp_path / "xnli-ko-dev").mkdir()
    (tmp_path / "xnli-ko-dev" / "dev.tsv").write_text(
        "sentence1\tsentence2\tgold_label\n문이 열렸다.\t문이 닫혔다.\tcontradiction\n",
        encoding="utf-8",
    )
    (tmp_path / "subreddit-mask").mkdir()
    (tmp_path / "subreddit-mask" / "replies.csv").write_bytes(
        'quote_text,response_text,relation\nIt’s late.,"Yes, sadly\nit is.",2\n'.encode("cp1252")
    )
    return tmp_path


def test_a_group_is_read_with_its_last_positions(data: Path) -> None:
    (group,) = load_groups(data)
    assert [(said.speaker, said.text) for said in group.messages] == [
        ("Ann", "it's A"),
        ("Bob", "yes, A"),
    ]
    assert group.positions == {"Ann": {"A"}, "Bob": {"A"}}
    assert group.consensus
    assert not group.submitted_the_same


def test_a_debate_is_read_without_its_bare_translation(data: Path) -> None:
    (debate,) = load_debates(data)
    assert debate.rounds == (("mine is right", "mine instead"), ("mine still", "mine still"))
    assert debate.settled


def test_every_part_that_is_there_is_measured(data: Path) -> None:
    assert [one.relation for one in load_pairs(data)] == ["contradiction", "contradiction"]
    (data / "delidata" / "groups.tar.gz").unlink()
    report = measure(data)
    assert set(report) == {
        "debates (mad-commonmt)",
        "replies (subreddit-mask)",
        "Korean pairs (klue-nli)",
        "Korean pairs (xnli-ko-dev)",
    }
    (row,) = [row for row in report["replies (subreddit-mask)"] if "shipped" in row.title]
    assert row.figures["examples"] == 1
    rows = {row.title: row.figures for row in report["debates (mad-commonmt)"]}
    assert {"published", "lexical", "text"} < set(rows)


def test_a_reply_is_read_with_what_it_replies_to(data: Path) -> None:
    assert load_replies(data) == [Reply("It’s late.", "Yes, sadly\nit is.", AGREE)]


def group(name: str, cards: str, *said: str) -> Group:
    positions = {"Ann": frozenset("A"), "Bob": frozenset(cards)}
    acts = (PROPOSE, AGREE, OTHER)
    messages = tuple(
        Message(("Ann", "Bob")[at % 2], text, acts[at % 3]) for at, text in enumerate(said)
    )
    return Group(name, messages, positions, {})


def test_every_group_is_heard_by_a_model_that_has_not_seen_it() -> None:
    groups = [group(str(at), "AB"[at % 2], "I take A", "yes, A", "A then") for at in range(4)]
    (fit_,) = cross_fit(groups, repetitions=1, parts=2)
    assert sorted(fit_.part_of) == [0, 0, 1, 1]
    assert fit_.model_for(0) is fit_.models[fit_.part_of[0]]
    rows = {row.title: row.figures for row in measure_groups(groups, [fit_], trained_on=False)}
    held_out = rows["text, held out (model; constants as shipped)"]
    assert (held_out["groups"], held_out["consensus"]) == (4, 2)
    assert rows["text, shipped, never seen these data"]["fires"] <= 4
    (*_, turns) = measure_turns(groups, [fit_], trained_on=False)
    assert turns.figures["examples"] == 12


def test_the_area_under_the_curve_counts_pairs_in_order() -> None:
    scored = [Judged(0.9, True, True), Judged(0.5, True, False), Judged(0.5, False, True)]
    assert auc(scored) == 0.75
    assert (precision(scored), recall(scored)) == (0.5, 0.5)
    assert math.isnan(auc(scored[:1]))
    low, high = interval(scored, precision)
    assert 0 <= low <= high <= 1


def test_macro_f1_is_the_mean_of_the_classes() -> None:
    figures = f1_by_class(["a", "a", "b"], ["a", "b", "b"], ["a", "b"])
    assert figures == {"a": pytest.approx(2 / 3), "b": pytest.approx(2 / 3)}


def test_fitting_learns_and_always_gives_the_same() -> None:
    examples = 20 * [Example(("q1",), AGREE), Example(("q0",), DISAGREE)]
    how = Fit(passes=6, rate=0.3, decay=0.001, at_least=5, cue_at_least=5)
    model = fit(examples, CLASSES, how)
    assert model.probabilities(["q1"])[AGREE] > 0.7
    assert model.probabilities(["q0"])[DISAGREE] > 0.7
    assert fit(examples, CLASSES, how).weights == model.weights


def test_the_written_examples_are_complete() -> None:
    acts = {act for text, before, act in written_examples() if text and before}
    assert {AGREE, DISAGREE} < acts
    sides = [side for reply, said, side in written_arguments() if reply and said]
    assert set(sides) == set(SIDES)
    assert min(map(sides.count, SIDES)) > 100
