"""A question that cannot be asked gets one sentence and its code, and nothing is started for it."""

from pathlib import Path

import pytest

from tests.fixtures.instance import SCRIPTS, CommandLine
from tests.support.terminals import terminal

SCRIPT = "- reply: {answer: so}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    (place / "sub").mkdir(parents=True)
    (place / "d.md").mkdir()
    (place / "s.yaml").write_text(SCRIPT)
    (place / "q.md").write_text("Why?")
    (place / ".env").write_text("KEY=1")
    (place / "cp949.txt").write_bytes("한글".encode("cp949"))
    return place


def refused(command_line: CommandLine, done, code: int = 2) -> str:
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("quorate: ")
    assert all(further.startswith("  ") for further in done.stderr.splitlines()[1:])
    assert not (command_line.home / ".local" / "share").exists()
    return done.stderr


TWO = ("-p", "scripted:s.yaml#a,scripted:s.yaml#b")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("start",), "There is no command 'start'"),
        (("-q", "review", "HEAD~1"), "its options come after it"),
        (("stop", "all", *TWO), "`quorate cancel RUN`"),
        (("-d", "stop", "all", *TWO), "`quorate cancel RUN`"),
        ((*TWO, "run", "list", "--json"), "`quorate show RUN`"),
        ((*TWO, "--", "stop", "all"), "`quorate cancel RUN`"),
        (("models", "list", *TWO), "`quorate participants models`"),
        (("sho", "last", *TWO), "Did you mean `quorate show`?"),
        (("panel", "list", *TWO), "`quorate list` is a command of its own"),
        (("help", "nonsense", *TWO), "There is no command 'help'"),
        (("q.md",), "`--file q.md` asks what is written in it"),
        (("ask",), "Nothing was asked"),
        (("  ",), "Nothing was asked"),
        (("--file", "missing.md"), "--file missing.md: there is no such file"),
        (("why so?", "--context", "sub"), "it is a folder"),
        (("why so?", "--context", ".env"), "privacy.never_send"),
        (("why so?", "--context", "s.yaml", "q.md"), "write `--context q.md`"),
        (("why so?", "--context", "cp949.txt"), "iconv"),
        (("why so?", "--nonsense"), "quorate ask --help"),
        (("-what is it?",), "after `--`"),
        (("why so?", "-p", " , "), "names nobody"),
        (("why so?", "-o", "d.md"), "it is a folder"),
        (("plan", "move it", "--timeout", "nan", *TWO), "--timeout"),
        (("why so?", "--lang", "fr"), "'en', 'ko'"),
        (("why so?", "-o", "result.pdf"), ".json, .md"),
        (("why so?", "-o", "r.md", "--estimate"), "--estimate makes none"),
        (("why so?", "--config", "missing.yaml"), "missing.yaml"),
        (("why so?", "-p", "ruff"), "answers no questions"),
        (("why so?", "-p", "clude"), "clude"),
        (("why so?", "--preset", "decision", *TWO), "decision"),
        (("why so?", "--max-rounds", "3"), "--forum"),
        (("why so?", "--orchestrator", "claude"), "--forum"),
        (("why so?", "--timeout", "0"), "--timeout"),
        (("why so?", "-d", "--ranking", *TWO), "--forum has none"),
        (("why so?", "-d", "-p", "scripted:s.yaml#a"), "two participants"),
        (("forum", "why so?", "--max-rounds", "51", *TWO), "forum.max_rounds"),
        (("plan", "move it", "--strategy", "quick"), "'debate', 'perspectives'"),
        (("plan", "move it", "--decide", "skip"), "'accept', 'revise'"),
        (("plan", "move it", "--max-revisions", "9", *TWO), "--max-revisions"),
        (("panel", "why so?", "--strategy", "loud"), "'delphi'"),
        (("panel", "why so?", "--strategy", "quick", "--moderator", "x"), "nobody moderates"),
        (("panel", "why so?", "--preset", "decisoin"), "did you mean 'decision'?"),
        (("panel", "why so?", "--threshold", "0.4"), "--threshold"),
        (("panel", "why so?", "-p", "scripted:s.yaml#a"), "A debate takes two"),
    ],
)
def test_a_wrong_question_says_what_is_wrong(
    quiet_home: CommandLine, folder: Path, typed: tuple[str, ...], said: str
):
    assert said in refused(quiet_home, quiet_home(*typed, cwd=folder))


@pytest.mark.parametrize(
    "typed", [("why so?",), ("forum", "why?"), ("plan", "a b"), ("panel", "x y")]
)
def test_without_anybody_who_can_answer_nothing_is_started_and_the_way_out_is_shown(
    quiet_home: CommandLine, folder: Path, typed: tuple[str, ...]
):
    nobody = {"QUORATE_DISCOVER": "off", "QUORATE_OPENAI_MODEL": ""}
    said = refused(quiet_home, quiet_home(*typed, cwd=folder, environ=nobody), 4)
    assert "ANTHROPIC_API_KEY" in said


def test_a_key_that_is_missing_is_code_four(quiet_home: CommandLine, folder: Path):
    done = quiet_home("why so?", "-p", "openai:gpt-5-mini", cwd=folder)
    assert "OPENAI_API_KEY" in refused(quiet_home, done, 4)


@pytest.mark.parametrize("content", ["\x00\x01", " \n"])
def test_a_pipe_that_brings_no_text_is_no_question(
    quiet_home: CommandLine, folder: Path, content: str
):
    refused(quiet_home, quiet_home("--json", *TWO, cwd=folder, stdin=content))


def test_a_pipe_alone_is_a_question(quiet_home: CommandLine, folder: Path):
    done = quiet_home(cwd=folder, stdin="Why so?\n", environ={"QUORATE_DISCOVER": "off"})
    assert "No model can answer" in refused(quiet_home, done, 4)


def test_an_estimate_is_printed_and_nothing_is_started(quiet_home: CommandLine, folder: Path):
    for workflow in ("ask", "forum", "plan", "panel"):
        done = quiet_home(workflow, "why so?", "--estimate", *TWO, cwd=folder)
        assert (done.returncode, "calls: " in done.stdout) == (0, True), done.stderr
    assert not (quiet_home.home / ".local" / "share").exists()


@pytest.mark.parametrize(("key", "code"), [("n", 2), ("\r", 2), ("y", 4)])
def test_at_a_terminal_a_person_may_insist_on_several_words(
    quiet_home: CommandLine, folder: Path, key: str, code: int
):
    environ = {**quiet_home.environ, "QUORATE_DISCOVER": "off", "QUORATE_OPENAI_MODEL": ""}
    environ = {
        name: value for name, value in environ.items() if name not in ("CI", "QUORATE_NO_INPUT")
    }
    with terminal([str(SCRIPTS / "quorate"), "stop", "all"], environ, folder) as typed:
        typed.until(lambda text: "Ask a panel `stop all`? [y/N]" in text)
        typed.type(f"{key}\r" if key != "\r" else key)
        assert typed.end() == code  # 4: nobody can answer here
    assert not (quiet_home.home / ".local" / "share").exists()


@pytest.mark.parametrize("typed", [("help", "review"), ("review", "help"), ("help",)])
def test_help_is_a_word_too(quiet_home: CommandLine, typed: tuple[str, ...]):
    done = quiet_home(*typed)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: quorate")


def test_version_is_a_word_too(quiet_home: CommandLine):
    assert quiet_home("version").stdout == quiet_home("--version").stdout


@pytest.mark.parametrize(
    ("typed", "former", "new"),
    [
        (("debate", "why so?"), "quorate debate", "quorate forum"),
        (("why so?", "--debate"), "--debate", "--forum"),
        (("why so?", "--timeout", "9"), "--timeout of ask", "--answer-timeout"),
        (("why so?", "-d", "--timeout", "9"), "--timeout of forum", "--discussion-timeout"),
        (("forum", "why so?", "--timeout", "9"), "--timeout of forum", "--discussion-timeout"),
    ],
)
def test_a_former_name_works_and_is_answered_with_the_new_one(
    quiet_home: CommandLine, folder: Path, typed: tuple[str, ...], former: str, new: str
):
    done = quiet_home(*typed, *TWO, "--estimate", "--json", cwd=folder)
    assert done.returncode == 0
    assert f"`{former}` is called `{new}` now" in done.stderr


def test_a_limit_under_both_of_its_names_is_refused(quiet_home: CommandLine, folder: Path):
    done = quiet_home("why so?", "--timeout", "9", "--answer-timeout", "8", *TWO, cwd=folder)
    assert "former name of --answer-timeout" in refused(quiet_home, done)
