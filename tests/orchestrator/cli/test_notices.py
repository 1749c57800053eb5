"""Advice is given once on a machine."""

from pathlib import Path

from orchestrator.cli.notices import first_time
from shared.instance import Instance


def test_advice_first_time_once_and_again_when_it_has_changed(tmp_path: Path) -> None:
    instance = Instance.at(tmp_path)
    instance.state_dir.mkdir(parents=True)

    heard = [first_time(instance, advice) for advice in (["a"], ["a"], ["b"], ["a"], [])]

    assert heard == [True, False, True, False, False]


def test_where_nothing_can_be_remembered_advice_stays_news(tmp_path: Path) -> None:
    instance = Instance.at(tmp_path / "nowhere")

    assert [first_time(instance, ["a"]) for _ in range(2)] == [True, True]
