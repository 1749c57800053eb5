"""`quorate keys`, as a process with a keyring of its own: what is stored is never printed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
KEY = "sk-" + "canary0123456789abcdefABCDEF"
RUN = "import sys; from orchestrator.cli.main import main; sys.exit(main())"


def quorate(
    tmp_path: Path, *arguments: str, typed: str = "", backend: str = "file_keyring.FileKeyring"
) -> subprocess.CompletedProcess[str]:
    """The command, with standard input piped in."""
    environ = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'support'}",
        "PYTHON_KEYRING_BACKEND": backend,
        "QUORATE_TEST_KEYRING": str(tmp_path / "ring"),
    }
    return subprocess.run(
        [sys.executable, "-c", RUN, "keys", *arguments],
        input=typed, capture_output=True, text=True, check=False, env=environ, cwd=tmp_path,
    )  # fmt: skip


def test_a_key_is_piped_in_listed_by_name_and_forgotten(tmp_path: Path):
    stored = quorate(tmp_path, "set", "claude", typed=f"{KEY}\n")
    listed = quorate(tmp_path, "list", "--json")
    forgotten = quorate(tmp_path, "rm", "claude")
    again = quorate(tmp_path, "rm", "claude")
    assert [one.returncode for one in (stored, listed, forgotten, again)] == [0, 0, 0, 2]
    assert "api_key_keyring: claude" in stored.stderr
    assert json.loads(listed.stdout) == {"schema_version": 1, "keys": [{"name": "claude"}]}
    everything = "".join(one.stdout + one.stderr for one in (stored, listed, forgotten, again))
    assert KEY not in everything
    assert KEY not in (tmp_path / "ring").read_text()


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (("set", "claude"), ""),
        (("set", "claude"), f"{KEY} {KEY}"),
        (("set", KEY), KEY),
        (("set", f"my {KEY}"), KEY),
        (("rm", KEY), ""),
    ],
)
def test_what_is_no_key_or_no_name_is_refused_without_being_repeated(
    tmp_path: Path, arguments: tuple[str, ...], typed: str
):
    refused = quorate(tmp_path, *arguments, typed=typed)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert KEY not in refused.stdout + refused.stderr
    assert not (tmp_path / "ring").exists()


@pytest.mark.parametrize(
    ("backend", "said"),
    [("keyring.backends.fail.Keyring", "no keyring"), ("file_keyring.LockedKeyring", "locked")],
)
def test_without_a_usable_keyring_it_says_so_in_one_line(tmp_path: Path, backend: str, said: str):
    failed = quorate(tmp_path, "set", "claude", typed=KEY, backend=backend)
    assert failed.returncode == 5
    assert said in failed.stderr
    assert KEY not in failed.stderr
    assert "Traceback" not in failed.stderr
