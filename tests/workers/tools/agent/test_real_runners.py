"""What runners of other languages really write is read as their results: tiny projects, the runner that is here."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from workers.tools.agent.junit import TestResults
from workers.tools.agent.runner_texts import read_runner_text

NODE = {
    "package.json": '{"name": "tiny", "version": "1.0.0", "scripts": {"test": "node --test"}}',
    "sum.test.js": (
        "const {test} = require('node:test');\nconst assert = require('node:assert');\n"
        "test('adds', () => assert.equal(1 + 1, 2));\n"
        "test('subtracts', () => assert.equal(3 - 1, 1));\n"
        "test('later', {skip: true}, () => {});\n"
    ),
}
CARGO = {
    "Cargo.toml": '[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": (
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(1 + 1, 2); }\n"
        "    #[test]\n    fn subtracts() { assert_eq!(3 - 1, 1); }\n"
        "    #[test]\n    #[ignore]\n    fn later() {}\n}\n"
    ),
}
GO = {
    "go.mod": "module example.com/tiny\n\ngo 1.19\n",
    "tiny_test.go": (
        'package tiny\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {}\n\n'
        'func TestSubtracts(t *testing.T) { t.Error("3 - 1") }\n\n'
        'func TestLater(t *testing.T) { t.Skip("later") }\n'
    ),
}


def results(folder: Path, files: Mapping[str, str], *command: str, **environ: str) -> TestResults:
    """What is read of the runner's own text. Skips where the runner is not here."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **environ},
        timeout=200,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode != 0, text
    read = read_runner_text(text)
    assert read is not None, text
    return read


def counts(read: TestResults) -> tuple[int, int, int]:
    return read.passed, read.failed, read.skipped


@pytest.mark.parametrize("command", [("node", "--test"), ("npm", "test", "--offline")])
def test_node_s_own_tests(tmp_path: Path, command: tuple[str, ...]) -> None:
    read = results(tmp_path, NODE, *command)
    assert counts(read) == (1, 1, 1)
    assert [failure.name for failure in read.failures] == ["subtracts"]


@pytest.mark.parametrize("arguments", [(), ("-v",)])
def test_go_s_tests(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    cache = str(tmp_path / "cache")
    read = results(
        tmp_path / "tiny", GO, "go", "test", *arguments, "./...", GOCACHE=cache, GOFLAGS="-mod=mod"
    )
    assert read.failed == 1
    assert [failure.name for failure in read.failures] == ["TestSubtracts"]
    if arguments:
        assert counts(read) == (1, 1, 1)


def test_cargo_s_tests(tmp_path: Path) -> None:
    # rustup's toolchain lies in the home of whoever installed it; nothing is written there.
    toolchains = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".rustup"
    homes = {"CARGO_HOME": str(tmp_path / "home")}
    if toolchains.is_dir():
        homes["RUSTUP_HOME"] = str(toolchains)
    read = results(tmp_path / "tiny", CARGO, "cargo", "test", "--offline", **homes)
    assert counts(read) == (1, 1, 1)
    assert [failure.name for failure in read.failures] == ["tests::subtracts"]
