"""`quorate replay`, `quorate fork` and `quorate diff`, with real servers and workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.instance import CommandLine
from tests.support.model_process import ModelServer
from tests.support.what_if import config_of, panel, script

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]


def reviewed(live: CommandLine, repository: Path, *more: str) -> dict[str, Any]:
    done = live("review", "--decide", "skip", "--json", "-q", *more, cwd=repository)
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def data(live: CommandLine, *arguments: str, code: int = 0) -> Any:
    done = live(*arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def scripted(changed_repository: Path, tmp_path: Path) -> tuple[str, ...]:
    """Two scripted critics that hold on to their finding, an author that denies it for three rounds."""
    file = script(tmp_path / "cast.yaml")
    return (
        "--panel",
        f"scripted:{file}#ada,scripted:{file}#bob,author=scripted:{file}#eve,chair=rules",
    )


# ---- replay -------------------------------------------------------------------------------------


def test_a_run_is_replayed_exactly_and_nobody_is_asked(
    live: CommandLine, changed_repository: Path
) -> None:
    run = reviewed(live, changed_repository)["run"]["id"]
    before = data(live, "show", run)

    done = live("replay", run)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("same: ")
    assert data(live, "replay", run)["same"] is True
    assert data(live, "show", run) == before


def test_other_rules_are_one_table_or_one_row_each(
    live: CommandLine, changed_repository: Path, scripted: tuple[str, ...]
) -> None:
    found = reviewed(live, changed_repository, *scripted, "--rounds", "4")
    run = found["run"]["id"]
    assert found["run"]["ending"] != "converged"

    one = live("replay", run, "--agreement", "0.1", "--fail-on", "major")
    assert one.returncode == 0, one.stderr
    assert "What if agreement=0.1 fail-on=MAJOR" in one.stdout
    assert "gate: - → tripped" in one.stdout

    swept = data(live, "replay", run, "--sweep", "agreement=0.1:0.9:0.4", "--sweep", "rounds=1,9")
    assert len(swept["variants"]) == 6
    fewer = next(v for v in swept["variants"] if v["options"] == {"agreement": 0.9, "rounds": 1})
    assert [need["key"] for need in fewer["needs"]] == ["synthesis/rules"]
    assert "rebuttal/2/eve" in [one["key"] for one in fewer["not_needed"]]
    table = live("replay", run, "--sweep", "detector=stance,lexical,lexical-published").stdout
    assert len(table.splitlines()) >= 5


def test_what_cannot_be_replayed_says_why(live: CommandLine, changed_repository: Path) -> None:
    run = reviewed(live, changed_repository, "--panel", "ruff")["run"]["id"]
    for arguments, said in (
        (("no-such-run",), "there is no run 'no-such-run'"),
        ((run, "--consensus", "0.9"), "a review run has no consensus"),
        ((run, "--weights", "0.6"), "expected A:S"),
        ((run, "--agreement", "2"), "0<=x<=1"),
        ((run, "--set", "rounds"), "expected KEY=VALUE"),
        ((run, "--set", "roundz=2"), "did you mean"),
        ((run, "--rounds", "2", "--set", "review.rounds=3"), "given twice"),
        ((run, "--sweep", "agreement=0.5"), None),
        ((run, "--sweep", "agreement"), "expected NAME=START:STOP:STEP"),
    ):
        done = live("replay", *arguments)
        if said is None:
            assert done.returncode == 0, done.stderr
            continue
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


# ---- fork ---------------------------------------------------------------------------------------


def test_a_fork_asks_only_from_its_step_and_pays_only_for_that(
    live: CommandLine, model_server: ModelServer, changed_repository: Path, tmp_path: Path
) -> None:
    config, model = config_of(tmp_path, model_server, "fork")
    found = reviewed(
        live, changed_repository, "--config", config, *panel("priced"), "--rounds", "3"
    )
    run, paid = found["run"]["id"], len(model_server.calls(model))
    assert paid == 2
    assert found["usage"]["cost_usd"] > 0

    fork = data(live, "fork", run, "--from", "critique/3/priced", "-q", "--decide", "skip")

    assert len(model_server.calls(model)) == paid + 1
    assert fork["run"]["forked_from"] == run
    assert fork["run"]["forked_at"] == "critique/3/priced"
    assert fork["usage"]["calls"] < found["usage"]["calls"]
    steps = {step["key"]: step for stage in fork["rounds"] for step in stage["steps"]}
    copied = steps["critique/1/priced"]
    assert copied["note"].startswith(f"copied from {run}")
    assert copied["cost_usd"] == 0
    origin = {step["key"]: step for stage in found["rounds"] for step in stage["steps"]}
    assert copied["reply"] == origin["critique/1/priced"]["reply"]
    assert steps["critique/3/priced"]["note"] == ""
    shown = live("show", fork["run"]["id"]).stdout
    assert shown.splitlines()[1].startswith(f"Fork of {run} from critique/3/priced: ")
    assert live("show", fork["run"]["id"], "--prompt", "critique/1/priced").returncode == 0
    assert live("replay", fork["run"]["id"]).returncode == 0
    compared = data(live, "diff", run, fork["run"]["id"])
    assert compared["relation"].endswith(f"is a fork of {run} from critique/3/priced")
    assert compared["same"]


def test_a_fork_goes_on_with_more_rounds_other_rules_and_other_participants(
    live: CommandLine, changed_repository: Path, scripted: tuple[str, ...], tmp_path: Path
) -> None:
    found = reviewed(live, changed_repository, *scripted, "--rounds", "2")
    run = found["run"]["id"]
    assert found["run"]["ending"] == "exhausted"

    plan = data(live, "fork", run, "--from", "round:3", "--rounds", "3", "--dry-run")["fork"]
    assert plan["then"] == ["critique/3/ada", "critique/3/bob"]
    assert [one["key"] for one in plan["copied"]] == [
        "callers",
        "critique/1/ada",
        "critique/1/bob",
        "rebuttal/2/eve",
    ]
    more = data(live, "fork", run, "--from", "round:3", "--rounds", "3", "-q")
    assert len([one for one in more["rounds"] if one["assessment"]]) == 3

    other = script(tmp_path / "other.yaml")
    seats = ("--participants", f"ada=scripted:{other}#zoe,chair=scripted:{other}#zoe")
    seated = data(live, "fork", run, "--from", "round:3", "--rounds", "3", "-q", *seats)
    keys = [step["key"] for stage in seated["rounds"] for step in stage["steps"]]
    assert "critique/3/ada" in keys
    assert "synthesis/zoe" in keys
    assert "zoe takes the seat of ada" in live("show", seated["run"]["id"]).stdout


def test_a_fork_is_submitted_and_left_alone_when_that_is_wanted(
    live: CommandLine, changed_repository: Path, scripted: tuple[str, ...]
) -> None:
    run = reviewed(live, changed_repository, *scripted)["run"]["id"]

    left = live("fork", run, "--from", "round:2", "--no-wait", "--lang", "ko", "--max-calls", "9")

    forked = left.stdout.strip()
    assert left.returncode == 0, left.stderr
    assert live("watch", forked, "-q").returncode == 0
    shown = data(live, "show", forked)
    assert shown["run"]["language"] == "ko"
    compared = live("diff", run, forked)
    assert "budget.max_calls" in compared.stdout
    assert "language" in compared.stdout


def test_an_applied_fix_is_never_repeated_by_a_fork(
    live: CommandLine, changed_repository: Path
) -> None:
    done = live("review", "--decide", "apply_fix", "--json", "-q", cwd=changed_repository)
    run = json.loads(done.stdout)["run"]["id"]
    assert json.loads(done.stdout)["applied"]

    refused = live("fork", run, "--from", "apply")
    assert refused.returncode == 2
    assert "neither an approval nor what wrote" in refused.stderr
    assert "--from decision" in refused.stderr
    waits = live("fork", run, "--from", "decision", "--decide", "ask", "--json", "-q")
    assert waits.returncode == 8, waits.stderr
    assert json.loads(waits.stdout)["decision"]["state"] == "open"
    assert json.loads(waits.stdout)["applied"] == []


@pytest.mark.parametrize("gate", [(), ("--fail-on", "info")])
def test_a_fork_that_nobody_attends_leaves_no_question_open(
    live: CommandLine, changed_repository: Path, gate: tuple[str, ...]
) -> None:
    run = reviewed(live, changed_repository, "--decide", "apply_fix")["run"]["id"]

    done = live("fork", run, "--from", "decision", *gate)

    assert done.returncode == (1 if gate else 0), done.stderr
    told = "Nobody could be asked here, so the answer was `skip`" in done.stderr
    assert told is not bool(gate)  # whoever sets a gate expects no question
    fork = data(live, "show", "last")
    assert (fork["run"]["status"], fork["applied"]) == ("completed", [])


def test_what_cannot_be_forked_says_why_and_stores_nothing(
    live: CommandLine, changed_repository: Path
) -> None:
    run = reviewed(live, changed_repository, "--panel", "ruff")["run"]["id"]
    before = len(data(live, "list")["runs"])
    for arguments, said in (
        (("no-such-run", "--from", "round:1"), "there is no run"),
        ((run,), "--from"),
        ((run, "--from", "critque/1/ruff"), "did you mean critique/1/ruff"),
        ((run, "--from", "round:9"), "has no round 9"),
        ((run, "--from", "synthesis", "--rounds", "1"), "would have ended"),
        ((run, "--from", "round:2", "--set", "seed=x"), "seed cannot be changed"),
        ((run, "--from", "round:2", "--participants", "nobody=ruff"), "no seat 'nobody'"),
        ((run, "--from", "round:2", "--participants", "chair=gtp"), "gtp"),
        ((run, "--from", "round:2", "-o", "x.pdf"), ".json, .md"),
        ((run, "--from", "round:2", "--max-cost", "nan"), "nan"),
        ((run, "--from", "round:2", "--max-cost", "inf"), "inf"),
        ((run, "--from", "round:2", "--max-calls", "99999999999"), "too large"),
        ((run, "--from", "round:2", "--set", "budget.max_tokens=1e30"), "max_tokens"),
    ):
        done = live("fork", *arguments)
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert len(data(live, "list")["runs"]) == before


def test_what_may_not_leave_the_machine_does_not_leave_it_in_a_fork(
    live: CommandLine, changed_repository: Path
) -> None:
    run = reviewed(live, changed_repository, "--panel", "ruff", "--no-external")["run"]["id"]

    refused = live(
        *("fork", run, "--from", "synthesis", "--participants", "chair=openai:gpt-5-mini"),
        environ={"OPENAI_API_KEY": "nothing"},
    )

    assert refused.returncode == 2, refused.stdout
    assert "external" in refused.stderr


# ---- diff ---------------------------------------------------------------------------------------


def test_two_reviews_of_one_change_by_two_panels_are_compared(
    live: CommandLine, changed_repository: Path
) -> None:
    one = reviewed(live, changed_repository, "--panel", "ruff,bandit")["run"]["id"]
    other = reviewed(live, changed_repository, "--panel", "bandit", "--rounds", "1")["run"]["id"]

    done = live("diff", one, other)

    assert done.returncode == 1, done.stderr
    assert "differ in verdict and findings\n" in done.stdout
    assert "ruff" in done.stdout
    found = data(live, "diff", one, other, code=1)
    assert [row["changed"] for row in found["findings"]].count(True) >= 1
    assert {row["name"] for row in found["participants"]} == {"critic ruff"}
    assert data(live, "diff", one, one)["same"] is True
    assert live("diff", one, "no-such-run").returncode == 2
    assert live("diff").returncode == 2
