"""git as a subprocess that runs git and nothing else.

A repository under review may be hostile, and its own configuration can name programs: a file system monitor,
clean and smudge filters, textconv and external diff drivers, hooks, transports of a partial clone. Settings
in the environment outrank every configuration file, so all of them are silenced there; filters have names of
the repository's choosing and are silenced one by one. Replacement objects and grafts would show another history than
the one that is merged, so they are not followed.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shared.errors import EnvironmentFault, QuorateError, SubjectError
from shared.programs import find_program

OLDEST_GIT = (2, 31)
"""The first git that reads GIT_CONFIG_COUNT; an older one would not be silenced."""

SILENCED: tuple[tuple[str, str], ...] = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.alternateRefsCommand", ""),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.suppressBlankEmpty", "false"),
    ("diff.autoRefreshIndex", "true"),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
)

# What a hook or an administrator may say about the repository at hand; every other GIT_ variable is dropped.
KEPT_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
        "GIT_OBJECT_DIRECTORY",
    }
)

_COMPLAINTS: tuple[tuple[str, type[QuorateError], str], ...] = (
    (
        r"not a git repository",
        SubjectError,
        "{where} is not inside a git repository. Go into one, or give a diff with --diff FILE.",
    ),
    (
        r"dubious ownership|unsafe repository",
        EnvironmentFault,
        "git refuses the repository at {where}, because it belongs to somebody else. If you trust it: "
        "git config --global --add safe.directory {where}",
    ),
    (
        r"not allowed|lazy fetch|promisor",
        EnvironmentFault,
        "The repository at {where} is a partial clone and lacks contents that the review needs; nothing is "
        "fetched during a capture. Get them first, for example with `git diff` or a full clone.",
    ),
    (
        r"[Pp]ermission denied",
        EnvironmentFault,
        "No permission to read the repository at {where}: {said}",
    ),
    (
        r"No space left",
        EnvironmentFault,
        "The disk is full: {said}",
    ),
)


class OutputTooLarge(QuorateError):
    """git wrote more than the caller wants to hold; callers turn this into their own sentence."""


@dataclass(frozen=True)
class Git:
    """git in one directory, silenced. `timeout_s` bounds every call."""

    executable: str
    directory: Path
    environment: Mapping[str, str]
    timeout_s: float = 60.0

    def run(self, *arguments: str, given: bytes = b"", limit: int | None = None) -> bytes:
        """What git writes; raises SubjectError or EnvironmentFault when it fails, OutputTooLarge beyond `limit`."""
        code, output, complaint = self._call(arguments, given, limit)
        if code:
            raise self._fault(arguments, complaint)
        return output

    def head(self, *arguments: str, size: int) -> bytes:
        """The first bytes of what git writes."""
        code, output, complaint = self._call(arguments, b"", size, cut=True)
        if code > 0:
            raise self._fault(arguments, complaint)
        return output[:size]

    def ask(self, *arguments: str) -> str | None:
        """What git answers, without its last newline; None when it says no."""
        code, output, _ = self._call(arguments, b"", None)
        return None if code else os.fsdecode(output).removesuffix("\n")

    def _call(
        self, arguments: tuple[str, ...], given: bytes, limit: int | None, *, cut: bool = False
    ) -> tuple[int, bytes, str]:
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
            stdin.write(given)
            stdin.seek(0)
            try:
                process = subprocess.Popen(
                    [self.executable, *arguments],
                    cwd=self.directory,
                    env=dict(self.environment),
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise EnvironmentFault(
                    f"git cannot be started in {self.directory}: {error.strerror}."
                ) from error
            output = self._read(process, limit, cut)
            stderr.seek(0)
            return process.returncode, output, stderr.read(65536).decode("utf-8", "replace")

    def _read(self, process: subprocess.Popen[bytes], limit: int | None, cut: bool) -> bytes:
        late = threading.Event()

        def stop() -> None:
            late.set()
            _kill(process)

        watchdog = threading.Timer(self.timeout_s, stop)
        watchdog.daemon = True
        watchdog.start()
        output = b""
        try:
            if process.stdout is not None:
                with process.stdout as pipe:
                    output = pipe.read() if limit is None else pipe.read(limit + 1)
            if limit is not None and len(output) > limit:
                if cut:
                    return output
                raise OutputTooLarge(f"git wrote more than {limit} bytes")
            process.wait()
        finally:
            watchdog.cancel()
            if process.poll() is None:
                _kill(process)
                process.wait()
        if late.is_set():
            raise EnvironmentFault(
                f"git did not answer within {self.timeout_s:g} s in {self.directory}."
            )
        return output

    def _fault(self, arguments: tuple[str, ...], complaint: str) -> QuorateError:
        lines = [line.strip() for line in complaint.splitlines() if line.strip()]
        said = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
        said = said or (lines[0] if lines else "no reason given")
        for pattern, kind, sentence in _COMPLAINTS:
            if re.search(pattern, complaint):
                return kind(sentence.format(where=self.directory, said=said))
        return EnvironmentFault(f"`git {arguments[0]}` failed in {self.directory}: {said}")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@dataclass(frozen=True)
class Repository:
    """A repository and where we stand in it. `top` is None when it is bare."""

    git: Git
    git_dir: Path
    top: Path | None

    @property
    def place(self) -> Path:
        """The directory that names the repository to people."""
        return self.top or self.git_dir


def open_repository(directory: Path, environ: Mapping[str, str]) -> Repository:
    """The repository that `directory` lies in, silenced.

    Raises SubjectError when there is none, EnvironmentFault when git is missing, too old or refuses.
    """
    if not directory.is_dir():
        raise SubjectError(f"{directory} is not a directory that can be read.")
    git = Git(_find_git(environ), directory, _hardened(environ, SILENCED))
    _check_version(git)
    facts = os.fsdecode(git.run("rev-parse", "--is-inside-work-tree", "--is-bare-repository"))
    git_dir = Path(os.fsdecode(git.run("rev-parse", "--absolute-git-dir")).removesuffix("\n"))
    inside, bare = (line == "true" for line in facts.split()[:2])
    top = None if bare else _find_top(git, git_dir, inside)
    git = replace(git, environment=_with_index(_without_filters(git, environ), environ, git_dir))
    return Repository(git, git_dir, top)


def _find_git(environ: Mapping[str, str]) -> str:
    found = find_program("git", environ.get("PATH"))
    if found is None:
        raise EnvironmentFault(
            "git is not installed, or not on PATH. Install it, or review a diff outside of a repository."
        )
    return found


def _check_version(git: Git) -> None:
    answer = git.run("--version").decode("ascii", "replace")
    found = re.search(r"(\d+)\.(\d+)", answer)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise EnvironmentFault(
            f"git {oldest} or newer is needed, and {git.executable} says {answer.strip()!r}."
        )


def _find_top(git: Git, git_dir: Path, inside: bool) -> Path:
    here = git.directory.resolve()
    if not inside and here.is_relative_to(git_dir.resolve()):
        raise SubjectError(
            f"{git.directory} lies inside a repository's .git directory. Go to its working tree."
        )
    top = git.ask("rev-parse", "--show-toplevel") if inside else None
    # core.worktree could point at any directory of this machine and have its files read and sent.
    if top is None or not here.is_relative_to(Path(top).resolve()):
        raise SubjectError(
            f"The configuration of the repository at {git_dir} moves its working tree away from "
            f"{git.directory}. Go there if that is what should be reviewed."
        )
    return Path(top)


def _hardened(environ: Mapping[str, str], settings: tuple[tuple[str, str], ...]) -> dict[str, str]:
    clean = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in KEPT_VARIABLES
    }
    clean |= {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ASKPASS": "false",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "LANGUAGE": "",
        "LC_ALL": "C",
    }
    pairs = (*_inherited_settings(environ), *settings)
    clean["GIT_CONFIG_COUNT"] = str(len(pairs))
    for number, (key, value) in enumerate(pairs):
        clean[f"GIT_CONFIG_KEY_{number}"] = key
        clean[f"GIT_CONFIG_VALUE_{number}"] = value
    return clean


def _inherited_settings(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the caller set through GIT_CONFIG_COUNT (CI systems set safe.directory so); ours come later and win."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    if not count.isdigit():
        return []
    keys = [environ.get(f"GIT_CONFIG_KEY_{number}") for number in range(min(int(count), 100))]
    return [
        (key, environ.get(f"GIT_CONFIG_VALUE_{number}", ""))
        for number, key in enumerate(keys)
        if key
    ]


def _without_filters(git: Git, environ: Mapping[str, str]) -> dict[str, str]:
    listed = git.ask("config", "-z", "--name-only", "--get-regexp", r"^filter\.") or ""
    drivers = {key.rpartition(".")[0] for key in listed.split("\0") if key.count(".") >= 2}
    silenced = tuple(
        (f"{driver}.{setting}", "false" if setting == "required" else "")
        for driver in sorted(drivers)
        for setting in ("clean", "smudge", "process", "required")
    )
    return _hardened(environ, SILENCED + silenced)


def _with_index(
    environment: dict[str, str], environ: Mapping[str, str], git_dir: Path
) -> dict[str, str]:
    """Honour the index that `git commit -a` shows to its hooks, when it is this repository's."""
    index = environ.get("GIT_INDEX_FILE")
    if index and Path(index).resolve().is_relative_to(git_dir.resolve()):
        return environment | {"GIT_INDEX_FILE": str(Path(index).resolve())}
    return environment
