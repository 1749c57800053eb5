"""git in the sandbox, for work on hostile text and on a person's repository.

Content is always computed in a repository of our making whose configuration is empty; a person's repository lends its
objects (`GIT_OBJECT_DIRECTORY`) and, where its references are read or moved, its directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.errors import QuorateError, ToolError
from shared.git.process import Git, GitOutput
from shared.git.silence import without_configuration
from workers.tools.sandbox.sandbox import Countdown, execute, find_program, scratch

MEMORY_MB = 2048
LARGEST_FILE_MB = 256
# The first to count: contents are bytes, whatever a `.gitattributes` among them says.
ATTRIBUTES = "* -text !eol !crlf -ident -filter !working-tree-encoding !diff !merge !whitespace\n"


@dataclass(frozen=True)
class SandboxRunner:
    """git within limits, and with `isolate` without network and rights.

    That is off where the person's repository is written, since its files must belong to that person.
    """

    home: Path
    countdown: Countdown
    isolate: bool

    def call(
        self,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        given: bytes,
        limit: int | None,
    ) -> GitOutput:
        """Run git to its end; raises `ToolError` when the time is over or it writes beyond the sandbox's limit."""
        finished = execute(
            [str(find_program("git")), *arguments],
            cwd=self.home,
            home=self.home,
            timeout_s=self.countdown.remaining_s(),
            stdin=given,
            environment=environment,
            confinement=self.countdown.confinement(
                memory_mb=MEMORY_MB,
                output_mb=LARGEST_FILE_MB,
                isolate=self.isolate,
                brief=True,
            ),
        )
        if finished.timed_out or finished.truncated:
            what = "took too long" if finished.timed_out else "wrote too much"
            raise ToolError(
                "git {command} was stopped: it {what}.", command=arguments[0], what=what
            )
        stdout = finished.stdout if limit is None else finished.stdout[: limit + 1]
        return GitOutput(finished.code, stdout, finished.stderr)

    def failure(self, arguments: tuple[str, ...], output: GitOutput) -> QuorateError:
        """git's own words."""
        return ToolError(
            "git {command} failed: {why}.",
            command=arguments[0],
            why=output.complaint.rstrip("."),
        )


def sandboxed_git(git_dir: Path, home: Path, countdown: Countdown, *, isolate: bool) -> Git:
    """git on a repository without any configuration but ours and the repository's own."""
    environment = without_configuration() | {"GIT_DIR": str(git_dir)}
    return Git(SandboxRunner(home, countdown, isolate), environment)


@contextmanager
def own_repository(
    countdown: Countdown, *, objects: Path | None = None, object_format: str = "sha1", isolate: bool
) -> Iterator[tuple[Git, Path]]:
    """A new bare repository with an empty index, gone afterwards, and the folder around it.

    `objects` is where its objects are kept.
    """
    with scratch() as home:
        git = sandboxed_git(home / "own.git", home, countdown, isolate=isolate)
        git.run("init", "--bare", "-q", "--template=", f"--object-format={object_format}")
        (home / "own.git" / "info").mkdir(exist_ok=True)
        (home / "own.git" / "info" / "attributes").write_text(ATTRIBUTES, "ascii")
        git = Git(git.runner, git.environment, object_format).with_index(home / "index")
        if objects is not None:
            git = git.with_environment({"GIT_OBJECT_DIRECTORY": str(objects)})
        yield git, home
