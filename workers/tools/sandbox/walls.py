"""Which walls this system gives a tool, found by trying, and what a confined program may read.

The order is by strength; what is missing is said by `quorate doctor`, never assumed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import shared
import workers
from workers.tools.sandbox import confine
from workers.trees import entries_of

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store", "/gnu/store"),
    *("/etc/alternatives", "/etc/ld.so.cache"),
    # Public certificates: some programs do not even start without them.
    *("/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted"),
)
START = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from workers.tools.sandbox.launcher import main; main(sys.argv[1:])"
)
# No account has these numbers; the second where a container maps 65,536 only.
NAMELESS = (0x70000000, 57_344)
NAMELESS_COUNT = 2048
PROCESSES = 256
TRIAL_S = 20.0

WORDS = {
    "namespaces": "namespaces of its own (files, processes, network, IPC)",
    "landlock": "Landlock (files, TCP, abstract sockets, signals)",
    "seccomp": "a system call filter (no sockets)",
}


@functools.cache
def walls() -> tuple[str, ...]:
    """The launcher's words for the strongest walls that hold here; tried once in a process."""
    if sys.platform != "linux":
        return ()
    files = ("landlock",) if confine.landlock_version() else ()
    calls = ("seccomp",) if confine.can_filter() else ()
    for more in _candidates():
        words = (*more, *files, *calls)
        if words and _hold(words):
            return words
    return next((wall for wall in (files, calls) if wall and _hold(wall)), ())


def _candidates() -> Iterator[tuple[str, ...]]:
    nameless = [f"uid={first}" for first in NAMELESS] if os.geteuid() == 0 else []
    for uid in nameless:
        yield ("namespaces", uid)
    if not nameless:
        yield ("namespaces", "user")
    for uid in nameless:
        yield (uid,)
    if nameless:
        yield ("namespaces", "user")
    yield ()


def _hold(words: Sequence[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(Exception):
        mine, theirs = os.pipe()
        try:
            give(words, [folder])
            command = [
                *launcher(mine, TRIAL_S, "RLIMIT_CORE=0", words, places(sys.executable), [folder]),
                *(sys.executable, "-I", "-S", "-c", "pass"),
            ]
            started = subprocess.run(
                command,
                cwd=folder,
                env={},
                pass_fds=(mine,),
                capture_output=True,
                timeout=TRIAL_S,
                check=False,
            )
            return started.returncode == 0
        finally:
            os.close(mine)
            os.close(theirs)
    return False


def launcher(
    lifeline: int,
    wall_s: float,
    limits: str,
    words: Sequence[str],
    reads: Sequence[str],
    writes: Sequence[str],
    runs: Sequence[str] = (),
) -> list[str]:
    """The command that builds the walls and then starts what follows it. In `runs` it may run what it wrote."""
    named = [part for path in reads for part in ("-r", path)]
    named += [part for path in writes for part in ("-w", path)]
    named += [part for path in runs for part in ("-x", path)]
    start = [sys.executable, "-I", "-S", "-c", START, str(Path(workers.__file__).parents[1])]
    return [*start, str(lifeline), str(wall_s), limits, ",".join(mine(words)), *named]


def mine(words: Sequence[str]) -> tuple[str, ...]:
    """The words with this process's own nameless account, so that two workers' tools do not share one."""
    return tuple(
        f"uid={int(word[4:]) + os.getpid() % NAMELESS_COUNT}" if word.startswith("uid=") else word
        for word in words
    )


def nameless(words: Sequence[str]) -> bool:
    """True when the program gets an account of its own."""
    return any(word.startswith("uid=") for word in words)


def give(words: Sequence[str], folders: Sequence[str]) -> None:
    """Make the folders, which are scratch of ours, the nameless account's own where there is one."""
    uid = next((int(word[4:]) for word in mine(words) if word.startswith("uid=")), None)
    if uid is None:
        return
    for folder in folders:
        os.lchown(folder, uid, uid)
        for entry in entries_of(folder):
            if entry is None:  # so deep only the tool itself can have gone
                continue
            status = entry.stat(follow_symlinks=False)
            if status.st_uid != uid and (status.st_nlink == 1 or stat.S_ISDIR(status.st_mode)):
                os.lchown(entry.path, uid, uid)


def counts_processes(words: Sequence[str]) -> bool:
    """True where a limit on processes counts the program's alone and not all of this account."""
    if nameless(words):
        return True
    kernel = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
    return "user" in words and kernel >= (5, 14)


@functools.cache
def places(program: str) -> list[str]:
    """What a confined program may read and execute: the system's, this interpreter's, ours, and itself."""
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    ours = [workers.__path__[0], shared.__path__[0]]
    wanted = [*SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, *packages, *ours]
    wanted += [program, os.path.realpath(program)]
    there = [path for path in dict.fromkeys(wanted) if os.path.exists(path)]
    kept = [path for path in there if not holds_home(path)]
    return [path for path in kept if os.path.realpath(path) != path or not _lies_in(path, kept)]


def holds_home(path: str) -> bool:
    """True for a person's home and what it lies in: never to be shown."""
    home = os.path.realpath(Path.home()) if "HOME" in os.environ else "/"
    return f"{home}/".startswith(f"{os.path.realpath(path).rstrip('/')}/")


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(path != folder and path.startswith(f"{folder}/") for folder in folders)


def described() -> str:
    """What confines tools here, in one sentence for people."""
    words = walls()
    named = [text for word, text in WORDS.items() if word in words]
    if nameless(words):
        named.append("an account without a name")
    missing = [text for word, text in WORDS.items() if word not in words]
    if os.geteuid() == 0 and not (nameless(words) or "user" in words):
        missing.append("an account of their own: tools run as root")
    limits = ", ".join([*named, "an empty environment and limits"])
    return limits + (f"; not available here: {', '.join(missing)}" if missing else "")


def complete() -> bool:
    """True when nothing is missing."""
    return "not available" not in described()
