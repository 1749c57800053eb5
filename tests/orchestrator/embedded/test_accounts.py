"""As root the servers get an account that nothing else uses."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.embedded.processes import foreign_programs
from shared.accounts import (
    DEDICATED,
    SHARED_ACCOUNTS,
    VARIABLE,
    Account,
    make_account,
    other_users,
    server_account,
)
from shared.errors import EnvironmentFault
from shared.folders import hand_over
from tests.orchestrator.embedded.faults import as_ordinary_user

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root hands its servers over")


def test_an_ordinary_user_keeps_the_own_account_whatever_is_asked_for() -> None:
    def work() -> str:
        return str(server_account({VARIABLE: "root"}))

    assert as_ordinary_user(work) == "None"


@as_root
@pytest.mark.parametrize("name", sorted(SHARED_ACCOUNTS))
def test_an_account_that_others_use_is_refused(name: str) -> None:
    with pytest.raises(EnvironmentFault, match=f"{VARIABLE} is '{name}'.*nothing else uses"):
        server_account({VARIABLE: name})


@as_root
def test_a_named_account_that_is_missing_is_not_made_but_the_command_is_told() -> None:
    with pytest.raises(EnvironmentFault, match=r"useradd --system .*no-such-account"):
        server_account({VARIABLE: "no-such-account"})


@as_root
def test_an_account_that_cannot_be_added_is_told_with_the_reason_and_the_command() -> None:
    with pytest.raises(
        EnvironmentFault, match=r"cannot be added \(.+\): add it with `useradd --sys"
    ):
        make_account("no:name")


@as_root
def test_the_default_account_has_an_id_of_its_own_and_no_login() -> None:
    account = server_account({})

    assert account is not None
    assert account.name == DEDICATED
    assert account.uid not in {0, 65534}
    assert Path(pwd.getpwnam(DEDICATED).pw_shell).name in {"nologin", "false"}


@pytest.fixture
def used_account() -> Iterator[Account]:
    """An id without a name that runs something."""
    account = Account("nameless", 54321, 54321)
    process = subprocess.Popen(("sleep", "60"), user=54321, group=54321, extra_groups=[])
    yield account
    process.kill()
    process.wait()


@as_root
def test_who_else_uses_the_account_is_told(used_account: Account) -> None:
    assert foreign_programs(used_account.uid, ("postgres",), settled_s=0) == ("sleep",)
    assert foreign_programs(used_account.uid, ("sleep",), settled_s=0) == ()
    assert foreign_programs(used_account.uid, ("postgres",), settled_s=600) == ()
    assert other_users(used_account, ("sleep",)) == ("it runs sleep",)
    shell = pwd.getpwnam("root").pw_shell
    assert other_users(Account("root", 0, 0), ()) == (f"it has the login shell {shell}",)


@as_root
def test_handing_a_folder_over_takes_links_to_other_files_not_along(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").write_text("data")
    for path in (folder, folder / "inner", folder / "inner" / "file"):
        os.chown(path, 54321, 54321)
    outside = tmp_path / "outside"
    outside.write_text("root's")
    theirs = tmp_path / "theirs"
    theirs.write_text("with two names")
    os.chown(theirs, 54321, 54321)
    os.link(outside, folder / "hard")
    os.link(theirs, folder / "hard too")
    (folder / "soft").symlink_to(outside)

    hand_over(folder, Account("new", 54322, 54322))

    assert {path.stat().st_uid for path in (folder, folder / "inner", folder / "inner/file")} == {
        54322
    }
    assert outside.stat().st_uid == 0
    assert theirs.stat().st_uid == 54321


def _own_mounts() -> bool:
    command = ("unshare", "--mount", "true")
    found = shutil.which("unshare") and Path("/usr/sbin/useradd").exists()
    return bool(found) and subprocess.run(command, check=False).returncode == 0


@as_root
@pytest.mark.skipif(not _own_mounts(), reason="no mount namespace or no useradd here")
def test_many_that_need_the_account_at_once_are_all_given_the_same_one(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    shutil.copytree("/etc", etc, symlinks=True, ignore_dangling_symlinks=True)
    for name in ("passwd", "shadow", "group", "gshadow"):
        lines = (etc / name).read_text().splitlines(keepends=True)
        (etc / name).write_text("".join(ln for ln in lines if not ln.startswith(f"{DEDICATED}:")))
    real, slow, calls = tmp_path / "useradd", tmp_path / "slow", tmp_path / "calls"
    shutil.copy("/usr/sbin/useradd", real)
    slow.write_text(f'#!/bin/sh\necho called >> {calls}\nsleep 0.3\nexec {real} "$@"\n')
    slow.chmod(0o755)
    script = (
        "import shared.accounts as a, sys; sys.stdout.write(str(a.server_account({})) + chr(10))"
    )
    many = f"for i in 1 2 3 4 5 6 7 8; do {sys.executable} -c '{script}' & done; wait"
    mounts = f"mount --bind {etc} /etc && mount --bind {slow} /usr/sbin/useradd"
    answer = subprocess.run(
        ("unshare", "--mount", "sh", "-c", f"{mounts} && {{ {many}; }}"),
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        check=False,
    )
    accounts = answer.stdout.splitlines()
    assert len(accounts) == 8, answer.stderr
    assert len(set(accounts)) == 1, answer.stdout
    assert calls.read_text() == "called\n"
