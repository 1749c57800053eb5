"""Whether the running workers have the keys that a panel needs."""

import stat
from pathlib import Path

from orchestrator.embedded.key_marks import unknown_keys, write_marks
from shared.instance import Instance

STARTED_WITH = {"OPENAI_API_KEY": "sk-one", "PATH": "/usr/bin"}


def started(tmp_path: Path) -> Instance:
    instance = Instance.at(tmp_path)
    instance.state_dir.mkdir(parents=True)
    write_marks(instance, STARTED_WITH)
    return instance


def test_a_key_that_is_the_same_is_known(tmp_path: Path):
    assert unknown_keys(started(tmp_path), STARTED_WITH, ["OPENAI_API_KEY"]) == ()


def test_a_key_that_was_changed_or_set_later_is_named(tmp_path: Path):
    now = {"OPENAI_API_KEY": "sk-two", "MY_KEY": "x"}
    wanted = ["OPENAI_API_KEY", "MY_KEY", "MY_KEY", "UNSET_KEY"]
    assert unknown_keys(started(tmp_path), now, wanted) == ("OPENAI_API_KEY", "MY_KEY")


def test_the_marks_hold_no_key_and_are_private(tmp_path: Path):
    instance = started(tmp_path)
    (file,) = instance.state_dir.iterdir()
    assert "sk-one" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_without_marks_nobody_is_accused(tmp_path: Path):
    assert unknown_keys(Instance.at(tmp_path), STARTED_WITH, ["OPENAI_API_KEY"]) == ()
