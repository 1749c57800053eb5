"""What a tool must not be able to do, tried from inside the sandbox: with all walls, and with each kind alone."""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shared.errors import ToolError
from workers.tools.sandbox import confine
from workers.tools.sandbox.sandbox import Confinement, ProgramResult, execute
from workers.tools.sandbox.walls import PROCESSES, counts_processes, described, walls
from workers.trees import remove_tree

INSIDE = Path(__file__).with_name("inside.py")
LANDLOCK = confine.landlock_version()

FILES = (
    *("read home", "read password file", "list home", "list temporary folder"),
    *("write home", "write temporary folder", "write the interpreter's folder"),
    *("read shadow", "read passwd", "read worker environment", "read worker command"),
)
SOCKETS = ("connect unix", "connect abstract", "connect tcp", "send udp", "io_uring")
PROCESSES_OF_OTHERS = ("signal worker", "trace worker")
RIGHTS = ("new user namespace", "setuid")
ALWAYS = ("descriptors",)
ALL = (*FILES, *SOCKETS, *PROCESSES_OF_OTHERS, *RIGHTS, *ALWAYS, "rights of root")


@dataclass(frozen=True)
class Place:
    """What an attempt may aim at, and the scratch folder of the tool."""

    given: dict[str, Any]
    scratch: Path

    def tries(self, attempts: tuple[str, ...], confinement: Confinement) -> dict[str, str]:
        """What came of the attempts inside."""
        (self.scratch / "inside.py").write_bytes(INSIDE.read_bytes())
        given = {**self.given, "attempts": attempts}
        done = run_in(self.scratch, str(self.scratch / "inside.py"), given, confinement)
        assert done.code == 0, done
        outcomes: dict[str, str] = json.loads(done.stdout)
        return outcomes


def run_in(scratch: Path, script: str, given: object, confinement: Confinement) -> ProgramResult:
    return execute(
        [sys.executable, "-I", script],
        cwd=scratch,
        home=scratch,
        timeout_s=60,
        stdin=json.dumps(given).encode(),
        confinement=confinement,
    )


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    for folder in (home, scratch):
        folder.mkdir()
    home.joinpath(".bashrc").write_text("# a person's\n")
    password = home / "redis.password"
    password.write_text("secret")
    password.chmod(0o600)
    abstract = f"quorate-{os.getpid()}"
    with (
        tempfile.TemporaryDirectory() as short,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as unnamed,
        socket.create_server(("127.0.0.1", 0)) as tcp,
    ):
        named.bind(f"{short}/redis.sock")
        named.listen()
        unnamed.bind(f"\0{abstract}")
        unnamed.listen()
        given = {
            "home": str(home),
            "home_file": str(home / ".bashrc"),
            "password_file": str(password),
            "scratch": str(scratch),
            "temporary": short,
            "socket": f"{short}/redis.sock",
            "abstract": abstract,
            "port": tcp.getsockname()[1],
            "pid": os.getpid(),
        }
        yield Place(given, scratch)
    Path("/tmp/quorate-inside-test").unlink(missing_ok=True)


def all_refused(outcomes: dict[str, str]) -> bool:
    allowed = {name: said for name, said in outcomes.items() if not said.startswith("refused: ")}
    assert not allowed
    return True


def test_every_attempt_but_those_at_the_kernel_works_without_walls(place: Place) -> None:
    """A promise that cannot be broken proves nothing: outside the walls these succeed."""
    outside = place.tries(ALL, Confinement(isolate=False))
    allowed = {name for name, said in outside.items() if said.startswith("allowed")}
    expected = {*FILES, *SOCKETS, "signal worker", "setuid"} - {"io_uring", "read shadow"}
    assert expected <= allowed, outside
    assert "refused" in outside["descriptors"]


def test_a_tool_with_all_walls_is_refused_everything(place: Place) -> None:
    missing = [word for word in ("landlock", "seccomp", "namespaces") if word not in walls()]
    if missing:
        pytest.skip(f"this system lacks {', '.join(missing)}")
    assert all_refused(place.tries(ALL, Confinement()))
    assert "mine" not in Path(place.given["home_file"]).read_text()


@pytest.mark.skipif(not LANDLOCK, reason="this kernel has no Landlock")
def test_landlock_alone_keeps_files_and_tcp(place: Place) -> None:
    alone = Confinement(walls=("landlock",))
    attempts = FILES if LANDLOCK < 4 else (*FILES, "connect tcp")
    attempts = attempts if LANDLOCK < 6 else (*attempts, "connect abstract", "signal worker")
    assert all_refused(place.tries(attempts, alone))


@pytest.mark.skipif(not confine.can_filter(), reason="no filter for this machine's system calls")
def test_the_filter_alone_keeps_every_socket_away(place: Place) -> None:
    alone = Confinement(walls=("seccomp",))
    assert all_refused(place.tries((*SOCKETS, "trace worker", *RIGHTS), alone))


@pytest.mark.parametrize("account", ["user", "uid=1879048192"])
def test_namespaces_alone_hide_files_processes_and_networks(place: Place, account: str) -> None:
    if account != "user" and os.geteuid() != 0:
        pytest.skip("only root can give a tool an account of its own")
    if "namespaces" not in walls():
        pytest.skip("this system gives no namespaces")
    alone = Confinement(walls=("namespaces", account))
    attempts = (*FILES, "connect unix", "connect abstract", "connect tcp", *PROCESSES_OF_OTHERS)
    assert all_refused(place.tries((*attempts, "rights of root"), alone))


@pytest.mark.skipif(not LANDLOCK, reason="this kernel has no Landlock")
def test_brief_programs_are_kept_from_files_and_sockets_as_well(place: Place) -> None:
    brief = Confinement(brief=True, walls=tuple(w for w in walls() if w in ("landlock", "seccomp")))
    assert all_refused(place.tries((*FILES, "connect unix", "connect tcp"), brief))


def code_in(tmp_path: Path, code: str, confinement: Confinement | None = None) -> ProgramResult:
    return execute(
        [sys.executable, "-I", "-c", code],
        cwd=tmp_path,
        home=tmp_path,
        timeout_s=60,
        confinement=confinement,
    )


def test_a_tool_is_never_root(tmp_path: Path) -> None:
    if not any(word == "user" or word.startswith("uid=") for word in walls()):
        pytest.skip("no namespaces and no second account here")
    done = code_in(tmp_path, "import os; print(os.getuid(), os.geteuid(), os.getgroups())")
    uid, effective, groups = done.stdout.decode().split(" ", 2)
    assert uid == effective != "0"
    assert "0" not in groups.strip("[]\n").split(", ")


def test_a_fork_bomb_ends_at_its_limit(tmp_path: Path) -> None:
    if not counts_processes(walls()):
        pytest.skip("this kernel counts an account's processes together")
    bomb = """
import os
born = 0
try:
    while born < 5000:
        if os.fork() == 0:
            import time; time.sleep(100); os._exit(0)
        born += 1
except OSError:
    pass
print(born)
"""
    done = code_in(tmp_path, bomb)
    assert 0 < int(done.stdout) < PROCESSES


def test_a_tool_that_fills_the_disk_is_stopped(tmp_path: Path) -> None:
    filling = """
n = 0
while True:
    with open(f"f{n}", "wb") as file:
        file.write(b"x" * 1_000_000)
    n += 1
"""
    done = code_in(tmp_path, filling, Confinement(scratch_mb=20))
    assert done.truncated
    assert not done.timed_out


def test_a_tool_hides_nothing_in_folders_that_are_too_deep_to_be_measured(tmp_path: Path) -> None:
    hiding = """
import os
for _ in range(1_500):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
n = 0
while True:
    with open(f"f{n}", "wb") as file:
        file.write(b"x" * 1_000)
    n = (n + 1) % 100
"""
    done = code_in(tmp_path, hiding, Confinement(scratch_mb=20))
    assert done.truncated
    assert not done.timed_out
    remove_tree(tmp_path)


def test_a_tool_may_write_in_its_scratch_and_read_what_it_was_given(tmp_path: Path) -> None:
    scratch, given = tmp_path / "scratch", tmp_path / "given"
    for folder in (scratch, given):
        folder.mkdir()
    given.joinpath("a.py").write_text("x = 1\n")
    code = """
import pathlib, sys
pathlib.Path("deep/er").mkdir(parents=True)
pathlib.Path("deep/er/file").write_text(pathlib.Path(sys.argv[1], "a.py").read_text())
pathlib.Path("deep/er/file").rename("moved")
print(pathlib.Path("moved").read_text())
"""
    done = execute(
        [sys.executable, "-I", "-c", code, str(given)],
        cwd=scratch,
        home=scratch,
        reads=(given,),
        timeout_s=60,
    )
    assert done.stdout == b"x = 1\n\n", done
    assert scratch.joinpath("moved").read_text() == "x = 1\n"


def test_a_wall_that_cannot_be_built_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="sandbox cannot be built"):
        code_in(tmp_path, "print('ran')", Confinement(walls=("moat",)))


def test_what_confines_tools_here_is_said_truthfully() -> None:
    said = described()
    for word, text in (
        ("landlock", "Landlock"),
        ("seccomp", "filter"),
        ("namespaces", "namespace"),
    ):
        here, _, missing = said.partition("not available")
        assert (text in here) == (word in walls())
        assert (text in missing) == (word not in walls())
    assert platform.system() == "Linux" or not walls()


def test_a_tool_sees_itself_and_the_machine_in_proc_but_no_other_process(tmp_path: Path) -> None:
    if "namespaces" not in walls():
        pytest.skip("this system gives no namespaces")
    code = """
import os
print(os.path.realpath("/proc/self/exe") == os.path.realpath(os.sys.executable))
print(os.path.getsize("/proc/cpuinfo") == 0 and "processor" in open("/proc/cpuinfo").read())
print(sorted(name for name in os.listdir("/proc") if name.isdecimal()) == [str(os.getpid())])
try:
    open("/proc/self/comm", "w").write("x")
except OSError:
    print("read only")
"""
    done = code_in(tmp_path, code)
    if b"No such file" in done.stderr:
        pytest.skip("this container mounts no /proc")
    assert done.stdout.split() == [b"True", b"True", b"True", b"read", b"only"], done
