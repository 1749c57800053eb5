"""git as a calculator: no configuration but ours, no hook, no filter, no prompt, no network.

A repository's own configuration can name programs (filters, textconv, fsmonitor, hooks, signing). Therefore
content is always computed in a repository of our making whose configuration is empty; a person's repository
lends its objects (`GIT_OBJECT_DIRECTORY`) and, where its references are read or moved, its directory, with
everything executable switched off on the command line, which outranks its files.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from shared.errors import ToolError
from workers.tools.sandbox.sandbox import (
    Confinement,
    Countdown,
    Finished,
    execute,
    find_program,
    scratch,
)

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_PAGER": "cat",
}
SETTINGS = (
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    f"core.excludesFile={os.devnull}",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.autocrlf=false",
    "core.quotePath=false",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=false",
    "commit.gpgSign=false",
    "gpg.program=false",
    "log.showSignature=false",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "apply.whitespace=nowarn",
    "protocol.allow=never",
    # We name the directory ourselves and run nothing that it configures.
    "safe.directory=*",
)
MEMORY_MB = 2048


@dataclass(frozen=True)
class Git:
    """Calls of git on one repository. `index` and `objects` replace the repository's own when given.

    `isolate` runs git without network and rights, for work on hostile text; it is off where the person's
    repository is written, since files must belong to that person.
    """

    git_dir: Path
    home: Path
    countdown: Countdown
    index: Path | None = None
    objects: Path | None = None
    isolate: bool = True
    object_format: str = "sha1"
    environment: Mapping[str, str] = field(default_factory=dict)

    def attempt(self, *arguments: str, stdin: bytes = b"") -> Finished:
        """Run git; the exit code is for the caller to judge. Raises `ToolError` when the time is over."""
        environment = {**ENVIRONMENT, "GIT_DIR": str(self.git_dir), **self.environment}
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        if self.objects is not None:
            environment["GIT_OBJECT_DIRECTORY"] = str(self.objects)
        finished = execute(
            [str(find_program("git")), *_settings(), *arguments],
            cwd=self.home,
            home=self.home,
            timeout_s=self.countdown.remaining_s(),
            stdin=stdin,
            environment=environment,
            confinement=Confinement(memory_mb=MEMORY_MB, isolate=self.isolate, brief=True),
        )
        if finished.timed_out or finished.truncated:
            what = "took too long" if finished.timed_out else "wrote too much"
            raise ToolError(f"git {arguments[0]} was stopped: it {what}.")
        return finished

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """The output of a git command that must succeed; raises `ToolError` with git's own words."""
        finished = self.attempt(*arguments, stdin=stdin)
        if finished.code != 0:
            raise ToolError(f"git {arguments[0]} failed: {first_complaint(finished)}.")
        return finished.stdout

    def line(self, *arguments: str, stdin: bytes = b"") -> str:
        """Like `run`, for commands that answer one line."""
        return self.run(*arguments, stdin=stdin).decode("utf-8", "replace").strip()

    @property
    def no_object(self) -> str:
        """The id that stands for no object."""
        return "0" * (64 if self.object_format == "sha256" else 40)

    def with_new_index(self) -> Git:
        """The same repository with an empty index of its own."""
        return replace(self, index=Path(tempfile.mkdtemp(dir=self.home)) / "index")

    def write_blob(self, data: bytes) -> str:
        """Store a blob exactly as it is and return its id."""
        return self.line("hash-object", "-w", "--no-filters", "--stdin", stdin=data)

    def write_blobs(self, contents: Iterable[bytes]) -> None:
        """Store many blobs by one process; the stream counts bytes, so contents need no escaping."""
        stream = [b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents]
        self.run("fast-import", "--quiet", stdin=b"".join(stream))

    def stage(self, entries: Mapping[str, tuple[str, str] | None]) -> None:
        """Put (mode, blob id) into the index for each path, or remove the path where it is None."""
        nothing = ("0", self.no_object)
        records = []
        for path, entry in entries.items():
            mode, blob = entry or nothing
            records.append(f"{mode} {blob}\t{path}\0")
        self.run("update-index", "-z", "--index-info", stdin="".join(records).encode())

    def entries(self) -> dict[str, tuple[str, str]]:
        """(mode, blob id) of every path in the index."""
        listed: dict[str, tuple[str, str]] = {}
        for record in self.run("ls-files", "-s", "-z").split(b"\0")[:-1]:
            head, _, path = record.partition(b"\t")
            mode, blob, stage = head.decode().split(" ")
            if stage == "0":
                listed[path.decode("utf-8", "surrogateescape")] = (mode, blob)
        return listed


def _settings() -> list[str]:
    return [part for setting in SETTINGS for part in ("-c", setting)]


def first_complaint(finished: Finished) -> str:
    """The line in which git says what is wrong; what follows is advice."""
    lines = finished.stderr.decode("utf-8", "replace").splitlines()
    telling = (line for line in lines if line.startswith(("fatal: ", "error: ")))
    return next(telling, finished.complaint)[:300].rstrip(".")


@contextmanager
def own_repository(
    countdown: Countdown, *, objects: Path | None = None, object_format: str = "sha1", isolate: bool
) -> Iterator[Git]:
    """A new bare repository with an empty index, gone afterwards; `objects` is where its objects are kept."""
    with scratch() as home:
        git = Git(home / "own.git", home, countdown, isolate=isolate, object_format=object_format)
        git.run("init", "--bare", "-q", "--template=", f"--object-format={object_format}")
        yield replace(git, index=home / "index", objects=objects)
