"""`review --estimate`, `--max-calls`, `--max-cost`, `--reuse` and `quorate cost`, with real servers and workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cli.commands.cost import GROUPINGS
from shared.store.spending import Grouping
from tests.fixtures.instance import CommandLine
from tests.support.model_process import ModelServer

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(180)]

PRICE = {"input": 3.0, "output": 15.0}
ONE_ROUND = ("--rounds", "1", "--decide", "skip", "-q")


def config_of(folder: Path, server: ModelServer, test: str) -> tuple[str, str, str]:
    """A file with `priced` and `unpriced`, and their models."""
    models = (f"stub--priced={test}", f"stub--unpriced={test}")
    entries: list[dict[str, Any]] = [
        {"type": "openai", "model": model, "base_url": server.base_url} for model in models
    ]
    entries[0]["price"] = PRICE
    file = folder / "quorate.yaml"
    providers = dict(zip(("priced", "unpriced"), entries, strict=True))
    file.write_text(yaml.safe_dump({"providers": providers}), encoding="utf-8")
    return str(file), *models


def panel(*names: str) -> tuple[str, str]:
    return "--panel", ",".join((*names, "author=rules", "chair=rules"))


def run_ids(live: CommandLine) -> list[str]:
    """Only these stand still: runs that other tests left may go on meanwhile."""
    return [run["id"] for run in json.loads(live("list", "--json").stdout)["runs"]]


def test_an_estimate_starts_nothing_and_asks_nobody(
    quiet_home: CommandLine, model_server: ModelServer, changed_repository: Path, tmp_path: Path
) -> None:
    config, *models = config_of(tmp_path, model_server, "estimate")
    arguments = ("review", "--estimate", "--config", config, "--rounds", "3")
    done = quiet_home(
        *arguments, *panel("priced", "unpriced"), "--max-cost", "2", cwd=changed_repository
    )
    assert done.returncode == 0, done.stderr
    assert "calls: 2 to " in done.stdout
    assert "unknown price, not in the cost: unpriced" in done.stdout
    assert "$" in done.stdout
    whole = quiet_home(*arguments, *panel("unpriced"), "--json", cwd=changed_repository)
    found = json.loads(whole.stdout)
    assert found["estimate"]["cost_usd"] is None
    assert found["estimate"]["calls"]["low"] == 1
    assert found["estimate"]["unpriced"] == ["unpriced"]
    assert not (quiet_home.home / ".local" / "share").exists()
    assert not any(model_server.calls(model) for model in models)


def test_an_estimate_of_rules_alone_costs_nothing(
    quiet_home: CommandLine, changed_repository: Path
) -> None:
    done = quiet_home("review", "--estimate", "--panel", "ruff", "--json", cwd=changed_repository)
    found = json.loads(done.stdout)["estimate"]
    assert found["calls"] == {"low": 0, "high": 0}
    assert found["cost_usd"] == {"low": 0, "high": 0}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--max-cost", "-1"),
        ("--max-cost", "nan"),
        ("--max-cost", "inf"),
        ("--max-cost", "much"),
        ("--max-calls", "-1"),
        ("--max-calls", "1.5"),
        ("--max-calls", "99999999999"),
        ("--estimate", "-o", "result.json"),
    ],
)
def test_a_wrong_limit_is_refused_before_anything_starts(
    quiet_home: CommandLine, changed_repository: Path, arguments: tuple[str, ...]
) -> None:
    done = quiet_home("review", *arguments, cwd=changed_repository)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert not (quiet_home.home / ".local" / "share").exists()


@pytest.mark.parametrize("since", ["soon", "-3d", "0", "nan", "7 dogs", ""])
def test_a_wrong_duration_is_refused_before_anything_starts(
    quiet_home: CommandLine, since: str
) -> None:
    done = quiet_home("cost", f"--since={since}")
    assert done.returncode == 2, done.stderr
    assert "--since" in done.stderr
    assert not (quiet_home.home / ".local" / "share").exists()


def test_every_grouping_can_be_asked_for() -> None:
    assert {*GROUPINGS, Grouping.TOTAL.value} == {one.value for one in Grouping}


def reviewed(live: CommandLine, repository: Path, config: str, *more: str) -> dict[str, Any]:
    done = live("review", "--config", config, *ONE_ROUND, "--json", *more, cwd=repository)
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_what_was_spent_is_summed_and_unknown_prices_are_counted_apart(
    live: CommandLine, model_server: ModelServer, changed_repository: Path, tmp_path: Path
) -> None:
    config, *_ = config_of(tmp_path, model_server, "sums")
    found = reviewed(live, changed_repository, config, *panel("priced", "unpriced", "ruff"))
    run = found["run"]["id"]
    assert found["usage"]["unknown_costs"] == 1

    cost = json.loads(live("cost", "--run", run, "--json").stdout)
    rows = {row["key"]: row for row in cost["spending"]}
    priced, unpriced = rows["priced"], rows["unpriced"]
    assert priced["cost_usd"] == pytest.approx(
        (priced["input_tokens"] * 3 + priced["output_tokens"] * 15) / 1e6
    )
    assert priced["cost_usd"] > 0
    assert (unpriced["cost_usd"], unpriced["unknown_costs"]) == (None, 1)
    assert cost["total"]["cost_usd"] == pytest.approx(priced["cost_usd"])
    assert cost["total"]["unknown_costs"] == 1

    text = live("cost", "--run", run).stdout
    assert "unknown" in next(one for one in text.splitlines() if one.startswith("unpriced"))
    assert "1 calls" in text.splitlines()[-1]
    shown = live("show", run).stdout
    assert "Used: " in shown
    assert "and 1 call of unknown price" in shown

    (of_run,) = [
        row
        for row in json.loads(live("cost", "--by", "run", "--since", "7d", "--json").stdout)[
            "spending"
        ]
        if row["key"] == run
    ]
    assert of_run["calls"] == cost["total"]["calls"]
    days = json.loads(live("cost", "--by", "day", "--json").stdout)["spending"]
    assert len(days[0]["key"]) == len("2026-11-21")
    assert live("cost", "--since", "99999999w").returncode == 0
    assert live("cost", "--run", "no-such-run").returncode == 2


def test_a_limit_of_calls_or_of_money_is_kept_and_said(
    live: CommandLine, model_server: ModelServer, changed_repository: Path, tmp_path: Path
) -> None:
    config, priced, unpriced = config_of(tmp_path, model_server, "limits")
    both = panel("priced", "unpriced")
    nothing = reviewed(live, changed_repository, config, *both, "--max-calls", "0")
    assert model_server.calls(priced) == model_server.calls(unpriced) == []
    assert nothing["usage"]["calls"] == 0
    reviewed(live, changed_repository, config, *both, "--max-calls", "1")
    assert len(model_server.calls(priced) + model_server.calls(unpriced)) == 1

    before = len(model_server.calls(priced))
    reviewed(live, changed_repository, config, *panel("priced"), "--max-cost", "5")
    assert len(model_server.calls(priced)) == before + 1


@pytest.mark.parametrize(
    ("members", "limit", "said"),
    [
        (("priced", "unpriced"), ("--max-cost", "5"), "the price of stub--unpriced"),
        (("priced",), ("--max-cost", "0.0001"), "one call of priced may cost $0.1"),
    ],
)
def test_a_limit_that_one_call_may_exceed_is_told_before_anybody_is_asked(
    live: CommandLine,
    model_server: ModelServer,
    changed_repository: Path,
    tmp_path: Path,
    members: tuple[str, ...],
    limit: tuple[str, str],
    said: str,
) -> None:
    config, *models = config_of(tmp_path, model_server, f"before{len(members)}")
    before = run_ids(live)
    done = live(
        "review", "--config", config, *ONE_ROUND, *panel(*members), *limit, cwd=changed_repository
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert not any(model_server.calls(model) for model in models)
    assert run_ids(live) == before


def test_an_identical_turn_is_reused_only_when_asked_for(
    live: CommandLine, model_server: ModelServer, changed_repository: Path, tmp_path: Path
) -> None:
    config, model, _ = config_of(tmp_path, model_server, "reuse")
    first = reviewed(live, changed_repository, config, *panel("priced"))
    reviewed(live, changed_repository, config, *panel("priced"))
    assert len(model_server.calls(model)) == 2
    third = reviewed(live, changed_repository, config, *panel("priced"), "--reuse")
    assert len(model_server.calls(model)) == 2
    (before,), (step,) = (
        [step for stage in run["rounds"] for step in stage["steps"] if "critique" in step["key"]]
        for run in (first, third)
    )
    assert "reused" in step["note"]
    assert step["reply"] == before["reply"]
    assert third["usage"]["cost_usd"] in (None, 0.0)
