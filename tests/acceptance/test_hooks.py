"""The hook of docs/exit-codes.md in a real repository: harmless commits pass in silence, bad ones are stopped."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fixtures.instance import SCRIPTS, CommandLine, git, warm_starter
from tests.support.doc_blocks import PAGES, blocks_of, is_script

pytestmark = pytest.mark.acceptance

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64)
NEVER_SENT = "hooks_never_sent_value"
PASSWORD = "k3Jd8sLq0" + "PzX71vbN2"


def hooks() -> tuple[str, str]:
    """The scripts of the page that git may run before a commit, and before it pushes."""
    page = next(page for page in PAGES if page.name == "exit-codes.md")
    before_commit, before_push = (block.body for block in blocks_of(page) if is_script(block))
    return before_commit, before_push


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the hook, some code, a picture, a link and a submodule that may move."""
    root = tmp_path_factory.mktemp("hooked")
    library, repository = root / "library", root / "repository"
    for folder in (library, repository):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        git(folder, "config", "user.name", "Test")
        git(folder, "config", "user.email", "test@localhost")
    for text in ("1\n", "2\n"):
        (library / "a.txt").write_text(text)
        git(library, "add", "-A")
        git(library, "commit", "-qm", text.strip())
    (repository / "app.py").write_text("def load(path):\n    return path\n")
    (repository / "old.py").write_text("VALUE = 1\n")
    (repository / "notes.md").write_text("# Notes\n")
    (repository / "tool.sh").write_text("echo hello\n")
    (repository / "tool.sh").chmod(0o755)
    (repository / "link").symlink_to("app.py")
    allowed = ("-c", "protocol.file.allow=always")
    git(repository, *allowed, "submodule", "add", "-q", str(library), "lib")
    git(repository / "lib", "checkout", "-q", "HEAD~1")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "start")
    place = repository / ".git" / "hooks" / "pre-commit"
    place.write_text(hooks()[0])
    place.chmod(0o755)
    return repository


@pytest.fixture
def commit(hooked: Path, live: CommandLine) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Stage everything in the repository and commit it, as somebody would who has Quorate on PATH."""
    git(hooked, "reset", "-q", "--hard")
    git(hooked, "clean", "-fdq")
    path = f"{warm_starter().scripts}{os.pathsep}{SCRIPTS}{os.pathsep}{os.environ['PATH']}"

    def run() -> subprocess.CompletedProcess[str]:
        git(hooked, "add", "-Af")
        return subprocess.run(
            ["git", "commit", "-qm", "next", "--allow-empty"],
            cwd=hooked,
            env={**live.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    return run


def rename(repository: Path) -> None:
    git(repository, "mv", "app.py", "main.py")
    git(repository, "mv", "main.py", "app2.py")


def add_text(repository: Path) -> None:
    (repository / "notes.md").write_text("# Notes\nmore\n")


def move_submodule(repository: Path) -> None:
    git(repository / "lib", "checkout", "-q", "main")


def move_link(repository: Path) -> None:
    (repository / "link").unlink()
    (repository / "link").symlink_to("notes.md")


def add_link(repository: Path) -> None:
    (repository / "README").symlink_to("notes.md")


def leave(_repository: Path) -> None:
    pass


HARMLESS: dict[str, Callable[[Path], object]] = {
    "nothing staged": leave,
    "only a rename": lambda repository: git(repository, "mv", "old.py", "new.py"),
    "only a mode": lambda repository: (repository / "tool.sh").chmod(0o644),
    "a picture": lambda repository: (repository / "logo.png").write_bytes(PNG),
    "a submodule that moved": move_submodule,
    "a link to a document": add_link,
    "an empty file": lambda repository: (repository / "__init__.py").touch(),
    "only deletions": lambda repository: (repository / "notes.md").unlink(),
    "a document renamed": lambda repository: git(repository, "mv", "notes.md", "NEWS.md"),
    "clean code": lambda repository: (repository / "app.py").write_text("VALUE = 2\n"),
    "a script that becomes executable": lambda repository: (repository / "old.py").chmod(0o755),
    "prose": add_text,
}
BAD: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "a shell injection": (
        lambda repository: (repository / "app.py").write_text(
            "import subprocess\n\n\ndef run(name):\n    subprocess.call(name, shell=True)\n"
        ),
        1,
        "app.py:5: CRITICAL",
    ),
    "a source file that nobody can read": (
        lambda repository: (repository / "data.py").write_bytes(b"\0\1\2"),
        1,
        "Nobody read data.py: it is binary",
    ),
    "a source file that is too large": (
        lambda repository: (repository / "data.py").write_text("x = 1\n" * 200_000),
        1,
        "Nobody read data.py: it is too large (over 1 MB)",
    ),
    "a password in a file that is never sent": (
        lambda repository: (repository / ".env").write_text(f"A=1\nDB_PASSWORD={PASSWORD}\n"),
        1,
        ".env:2: CRITICAL diffcheck/secret A secret is committed (assigned-secret)",
    ),
    "a password in a configuration": (
        lambda repository: (repository / "conf.yaml").write_text(f"password: {PASSWORD}\n"),
        1,
        "conf.yaml:1: CRITICAL diffcheck/secret A secret is committed (assigned-secret)",
    ),
    "a file that usually holds secrets": (
        lambda repository: (repository / ".env").write_text(f"TOKEN={NEVER_SENT}\n"),
        1,
        "Nobody read .env: it may hold secrets",
    ),
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_a_harmless_commit_passes_in_silence(kind: str, commit, hooked: Path) -> None:
    HARMLESS[kind](hooked)
    done = commit()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    git(hooked, "reset", "-q", "--hard", "HEAD~1")
    git(hooked, "submodule", "update", "-q", "--checkout")


def test_a_commit_in_a_language_that_nothing_here_reads_passes_and_says_so(
    commit, hooked: Path
) -> None:
    (hooked / "Job.java").write_text("class Job {}\n")
    done = commit()
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("⚠ No analyser here knows the language of Job.java: checked for")


@pytest.mark.parametrize("beside", [True, False])
def test_a_commit_with_data_that_nobody_can_read_passes_and_names_it(
    beside: bool, commit, hooked: Path
) -> None:
    (hooked / "data.bin").write_bytes(os.urandom(5_000) + b"\0")
    (hooked / "package-lock.json").write_text("{}\n" * 800_000)
    if beside:
        (hooked / "app.py").write_text("VALUE = 3\n")
    done = commit()
    assert (done.returncode, done.stdout) == (0, "")
    assert "data.bin was not looked at: it is binary" in done.stderr
    assert "package-lock.json was not looked at: it is too large (over 1 MB)" in done.stderr
    git(hooked, "reset", "-q", "--hard", "HEAD~1")


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_commit_is_stopped_and_says_why(kind: str, commit, hooked: Path) -> None:
    change, code, told = BAD[kind]
    change(hooked)
    done = commit()
    assert done.returncode == code
    assert told in done.stdout + done.stderr
    assert not any(secret in done.stdout + done.stderr for secret in (NEVER_SENT, PASSWORD))


def test_a_push_is_stopped_by_any_commit_of_a_branch_that_the_remote_has_not(
    live: CommandLine, tmp_path: Path
) -> None:
    remote, repository = tmp_path / "remote.git", tmp_path / "work place"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(tmp_path, "init", "-q", "-b", "main", str(repository))
    git(repository, "config", "user.name", "Test")
    git(repository, "config", "user.email", "test@localhost")
    git(repository, "remote", "add", "origin", str(remote))
    place = repository / ".git" / "hooks" / "pre-push"
    place.write_text(hooks()[1])
    place.chmod(0o755)
    path = f"{warm_starter().scripts}{os.pathsep}{SCRIPTS}{os.pathsep}{os.environ['PATH']}"

    def commit(name: str, text: str) -> None:
        (repository / name).write_text(text)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", name)

    def push(*what: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "push", "-q", "origin", *what],
            cwd=repository,
            env={**live.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    commit("app.py", "VALUE = 1\n")
    first = push("main")
    assert (first.returncode, first.stdout + first.stderr) == (0, "")
    git(repository, "checkout", "-qb", "기능")
    commit("bad.py", "import subprocess\n\n\ndef f(x):\n    subprocess.call(x, shell=True)\n")
    commit("good.py", "VALUE = 2\n")
    new = push("기능")
    assert new.returncode == 1
    assert "bad.py:5: CRITICAL" in new.stdout + new.stderr
    (repository / "bad.py").unlink()
    commit("good.py", "VALUE = 3\n")
    mended = push("기능")
    assert (mended.returncode, mended.stdout + mended.stderr) == (0, "")
    commit("worse.py", "def f(x):\n    return eval(x)\n")
    assert "worse.py:2: MAJOR" in push("기능").stdout
    assert push(":기능").returncode == 0


@pytest.mark.parametrize("named", [("-",), ("--diff", "-"), ("--diff", "empty.diff")])
@pytest.mark.parametrize("content", ["", "\n"])
def test_a_diff_without_a_line_is_no_change_unless_it_is_allowed_to_be_one(
    live: CommandLine, hooked: Path, named: tuple[str, ...], content: str
) -> None:
    """`git diff WRONG | quorate review -` must not pass."""
    (hooked / "empty.diff").write_text(content)
    done = live("review", *named, "--quiet", cwd=hooked, stdin=content)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no diff" in done.stderr
    assert "set -o pipefail" in done.stderr
    meant = live("review", *named, "--quiet", "--allow-empty", cwd=hooked, stdin=content)
    assert (meant.returncode, meant.stdout, meant.stderr) == (0, "", "")


def test_an_answer_that_is_missing_is_asked_for_with_the_words_that_there_are(
    live: CommandLine, hooked: Path, commit
) -> None:
    (hooked / "app.py").write_text("import os\n\n\ndef load(path):\n    return path\n")
    git(hooked, "add", "-A")
    live("review", "--staged", "--participants", "ruff", "--decide", "ask", "-q", cwd=hooked)
    run = json.loads(live("show", "last", "--json").stdout)["run"]["id"]
    done = live("decide", "last")
    assert done.returncode == 2
    assert f"CHOICE is missing: quorate decide {run} apply_fix|skip" in done.stderr
    assert live("decide", "last", "skip", "-q").returncode in (0, 1, 3)


# ---- what the same says in words, JSON and Markdown ------------------------------------------------


def listed(live: CommandLine) -> list[str]:
    return [run["id"] for run in json.loads(live("list", "--json").stdout)["runs"]]


def test_nothing_to_review_has_its_word_in_text_json_and_markdown(
    hooked: Path, live: CommandLine, tmp_path: Path, commit
) -> None:
    before = listed(live)
    (hooked / "app.py").unlink()
    git(hooked, "mv", "old.py", "new.py")
    git(hooked, "add", "-A")
    staged = ("review", "--staged", "--fail-on", "major")

    text = live(*staged, cwd=hooked)
    assert (text.returncode, text.stdout.splitlines()) == (
        0,
        [
            "NOTHING_TO_REVIEW · no line of the change has to be read: app.py (deleted), new.py (renamed)",
            "Gate passed: there is nothing to review",
        ],
    )
    content = json.loads(live(*staged, "--json", cwd=hooked).stdout)
    assert content["verdict"] == "NOTHING_TO_REVIEW"
    assert (content["run"]["id"], content["run"]["exit_code"]) == (None, 0)
    assert content["gate"]["outcome"] == "passed"
    assert [file["excuse"] for file in content["coverage"]["files"]] == ["deleted", "renamed"]
    markdown = tmp_path / "result.md"
    assert live(*staged, "-q", "-o", str(markdown), cwd=hooked).stdout == ""
    assert r"**NOTHING\_TO\_REVIEW**" in markdown.read_text()
    korean = live(*staged, "--lang", "ko", cwd=hooked).stdout
    assert "app.py (삭제됨)" in korean
    # Nothing was submitted for any of that.
    assert listed(live) == before


def test_somebody_who_insists_on_a_reviewer_is_not_told_that_there_is_nothing(
    hooked: Path, live: CommandLine, commit
) -> None:
    (hooked / "app.py").unlink()
    git(hooked, "add", "-A")
    done = live("review", "--staged", "--require-reviewer", "--json", cwd=hooked)
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (3, "INCONCLUSIVE")
    git(hooked, "reset", "-q", "--hard")
    add_link(hooked)
    git(hooked, "add", "-A")
    assert live("review", "--staged", "--require-reviewer", cwd=hooked).returncode == 0


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("/etc/passwd", id="out of the repository"),
        pytest.param("../../elsewhere", id="above it"),
        pytest.param("missing.txt", id="nothing that git knows"),
        pytest.param(".git/config", id="git's own files"),
    ],
)
def test_a_link_that_leads_elsewhere_stays_inconclusive(
    target: str, hooked: Path, live: CommandLine, commit
) -> None:
    (hooked / "other").symlink_to(target)
    git(hooked, "add", "-A")
    done = live("review", "--staged", "--json", "-q", cwd=hooked)
    assert (done.returncode, json.loads(done.stdout)["coverage"]["unread"]) == (3, ["other"])


def test_a_link_that_leads_to_another_file_than_before_stays_inconclusive(
    hooked: Path, live: CommandLine, commit
) -> None:
    move_link(hooked)
    git(hooked, "add", "-A")
    done = live("review", "--staged", "--json", "-q", cwd=hooked)
    assert (done.returncode, json.loads(done.stdout)["coverage"]["unread"]) == (3, ["link"])


def test_code_beside_a_submodule_that_moved_is_checked_and_not_approved(
    hooked: Path, live: CommandLine, commit
) -> None:
    move_submodule(hooked)
    (hooked / "app.py").write_text("VALUE = 3\n")
    git(hooked, "add", "-A")
    done = live("review", "--staged", "--fail-on", "major", cwd=hooked)
    assert done.returncode == 0
    assert done.stdout.startswith("CHECKS_PASSED")
    assert "What the submodule lib moves to has not been read" in done.stdout


def test_an_empty_diff_and_equal_revisions_are_nothing_to_review(
    hooked: Path, live: CommandLine
) -> None:
    diff = live(
        "review", "--diff", "-", "--allow-empty", "--fail-on", "info", cwd=hooked, stdin="\n"
    )
    same = live("review", "HEAD..HEAD", "--fail-on", "info", cwd=hooked)
    assert (diff.returncode, same.returncode) == (0, 0)
    assert "the diff is empty" in diff.stdout
    assert "HEAD and HEAD hold the same files" in same.stdout
    assert live("review", "HEAD..nowhere", cwd=hooked).returncode == 2
