"""What was typed without a command: a question, or a mistyped command that nobody should pay for."""

import click
import pytest

from orchestrator.cli.default_command import (
    INSTEAD,
    leading_words,
    objection,
    objection_to_subject,
)
from orchestrator.cli.main import QuorateGroup, cli
from orchestrator.cli.registry import COMMANDS


@pytest.mark.parametrize(
    "words",
    [
        ("Is a monolith right for three people?",),
        ("why?",),
        ("왜",),
        ("두", "사람에게", "모놀리스가", "맞을까"),
        ("how", "do", "they", "do", "it"),
        ("what", "is", "a", "monad"),
        ("who", "should", "decide"),
        ("can", "this", "fail"),
        ("is", "it", "safe"),
        ("should", "we", "split", "it"),
        ("list the pros and cons",),
        (),
        ("-",),
        ("2+2",),
        ("2", "+", "2"),
        ("tabs", "or", "spaces"),
        ("rust", "vs", "go"),
        ("rust", "ownership", "explained", "simply"),
        ("Should", "we", "split"),
        ("stop all runs now please",),
        ("Stop all of it",),
        ("stop", "it?"),
        ("help", "me?"),
        ("모노레포가", "나을까"),
        ("어떤", "데이터베이스"),
        ("モノリスは正しいですか",),
        ("stop", "모두", "멈춰도", "될까?"),
        ("Compare", "a.py", "with", "b.py"),
        ("how", "now", "–", "really"),
        ("review our release process",),
        ("run", "tests", "before", "merging"),
        ("help", "me", "choose", "a", "database"),
        ("name", "five", "good", "databases"),
        ("lists", "are", "better", "than", "tuples"),
        ("explain", "this error message"),
        ("don't", "we", "need", "tests,", "really"),
    ],
)
def test_a_question_is_asked(words: tuple[str, ...]):
    assert objection(words, COMMANDS) is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("reveiw",), "Did you mean `quorate review`?"),
        (("satrt",), "There is no command 'satrt'."),
        (("start",), "`quorate ask start`"),
        (("why",), "`quorate ask why`"),
        (("reveiw", "HEAD~1"), "Did you mean `quorate review`?"),
        (("reviews", "HEAD~1"), "Did you mean `quorate review`?"),
        (("shwo", "last"), "Did you mean `quorate show`?"),
        (("panl", "x", "y"), "`quorate ask panl ...`"),
        (("review",), "its options come after it: `quorate review ...`"),
        (("list", "the", "pros"), "'list' is a command"),
        (("help", "nonsense"), "`quorate --help`"),
        (("run", "list"), "`quorate show RUN`"),
        (("models", "list"), "`quorate participants models`"),
        (("analysers",), "`quorate participants` shows"),
        (("rules", "list"), "`quorate docs configuration`"),
        (("history", "last"), "`quorate list`"),
        (("stop", "all"), "`quorate cancel RUN`"),
        (("STOP", "ALL"), "`quorate cancel RUN`"),
        (("Stop", "all."), "`quorate cancel RUN`"),
        (("stop", "my run"), "`quorate cancel RUN`"),
        (("stop", "r1abc", "r2abc", "r3abc"), "`quorate cancel RUN`"),
        (("setup",), "`quorate doctor`"),
        (("setup.",), "`quorate init`"),
        (("Configure",), "`quorate config show`"),
        (("manual",), "`quorate docs`"),
        (("login", "openai"), "`quorate keys set NAME`"),
        (("sho", "last"), "Did you mean `quorate show`?"),
        (("decide-all",), "There is no command 'decide-all'"),
        (("decide-all", "skip"), "There is no command 'decide-all'"),
        (("review.",), "'review' is a command"),
        (("REVIEW", "HEAD~1"), "'review' is a command"),
        (("reveiw", "a/b.py", "c.py", "d.py"), "Did you mean `quorate review`?"),
        (("keyless", "review"), "There is no command 'keyless'"),
        (("frobnicate", "x"), "There is no command 'frobnicate'"),
        (("docker", "ps"), "There is no command 'docker'"),
        (("src/app.py",), "`--file src/app.py`"),
        (("HEAD~1..HEAD",), "There is no command"),
        (("./run.sh", "x"), "There is no command"),
        (("모두", "멈춰"), "There is no command"),
        (("stop", "모두"), "`quorate cancel RUN`"),
        (("목록",), "Did you mean `quorate list`?"),
        (("상태", "보기"), "Did you mean `quorate status`?"),
        (("도움말",), "`quorate --help`"),
        (("ㅣㅑㄴㅅ",), "Did you mean `quorate list`?"),
        (("노ㅐㅈ", "ㅣㅁㄴㅅ"), "Did you mean `quorate show`?"),
        (("ｌｉｓｔ",), "'list' is a command"),
        (("review\u200b",), "'review' is a command"),
        (("–help",), "`--help`"),
        (("Is it good?", "—estimate"), "`--estimate`"),
        (("Is", "it", "good?", "–-no-external"), "`--no-external`"),
        (("list?",), "'list' is a command"),
        (("?",), "There is no command"),
        (("4a3eb31f",), "There is no command"),
        (("4a3eb31f..HEAD",), "There is no command"),
        (("12",), "There is no command"),
        (("#12",), "There is no command"),
        (("<run>",), "There is no command"),
        (("git", "add", "src/a.py", "src/b.py"), "There is no command 'git'"),
        (("docker", "compose", "up", "postgres"), "There is no command 'docker'"),
        (("make", "test", "lint", "docs"), "There is no command 'make'"),
        (("lint", "a.py", "b.py", "c.py"), "There is no command 'lint'"),
        (("stop", "all", "runs", "now"), "`quorate cancel RUN`"),
        (("is", "up"), "There is no command 'is'"),
        (("do", "review"), "There is no command 'do'"),
        (("review --staged",), "in quotation marks"),
        (("show last",), "in quotation marks"),
    ],
)
def test_what_looks_like_a_command_is_not_asked(words: tuple[str, ...], said: str):
    reason = objection(words, COMMANDS)
    assert reason is not None
    assert said in reason


@pytest.mark.parametrize(
    "task",
    [
        "add a --quiet flag",
        "fix the --help output",
        "review --staged 옵션을 추가해줘",
        "create an option --dry-run for the import",
    ],
)
def test_a_task_that_mentions_an_option_is_a_task(task: str):
    assert objection_to_subject([task], COMMANDS) is None


def test_what_stands_before_the_first_option_is_what_was_said():
    assert leading_words(["why", "-", "not", "--json", "now"]) == ["why", "-", "not"]
    assert leading_words(["--json", "why"]) == []


def parsed(*arguments: str) -> list[str]:
    """What the group makes of a command line: the command's name and what is left for it."""
    assert isinstance(cli, QuorateGroup)
    return cli.understood(click.Context(cli, info_name="quorate"), list(arguments))


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        (("why so?",), ["ask", "why so?"]),
        (("-d", "why so?"), ["ask", "-d", "why so?"]),
        (("--file", "q.md"), ["ask", "--file", "q.md"]),
        (("-p", "a,b", "why so?"), ["ask", "-p", "a,b", "why so?"]),
        (("why", "so", "--json"), ["ask", "why", "so", "--json"]),
        (("review", "--json"), ["review", "--json"]),
        (("ask", "review"), ["ask", "review"]),
        (("debate", "why so?"), ["debate", "why so?"]),
        (("--help",), ["--help"]),
        (("--version",), ["--version"]),
        (("--", "-x is", "what?"), ["ask", "--", "-x is", "what?"]),
        (("help",), ["--help"]),
        (("HELP",), ["--help"]),
        (("version",), ["--version"]),
        (("help", "help"), ["--help"]),
        (("help", "version"), ["--version"]),
        (("help", "review"), ["review", "--help"]),
        (("help", "Review", "--json"), ["review", "--help", "--json"]),
        (("help", "keys", "set"), ["keys", "set", "--help"]),
        (("review", "help"), ["review", "--help"]),
        (("panel", "help"), ["panel", "--help"]),
        (
            ("help", "me", "choose", "a", "database"),
            ["ask", "help", "me", "choose", "a", "database"],
        ),
    ],
)
def test_ask_stands_where_no_command_does(typed: tuple[str, ...], understood: list[str]):
    assert parsed(*typed) == understood


def test_a_mistyped_command_is_refused_before_ask_is_loaded():
    with pytest.raises(click.UsageError, match="Did you mean `quorate status`"):
        parsed("statsu", "--json")


@pytest.mark.parametrize("command", ["forum", "debate", "plan", "panel"])
@pytest.mark.parametrize("word", ["list", "status", "run", "stop", "version", "Show"])
def test_a_commands_name_is_no_subject(command: str, word: str):
    with pytest.raises(click.UsageError, match="looks like a command"):
        parsed(command, word, "--json")


@pytest.mark.parametrize("command", ["forum", "debate", "plan", "panel"])
@pytest.mark.parametrize(
    "typed",
    [
        ("-q", "list"),
        ("--lang", "en", "stop", "all"),
        ("reviw",),
        ("lst",),
        ("watch", "rhjdqdbxrh"),
        ("show", "last"),
        ("decide", "last", "accept"),
        ("help", "me"),
        ("목록",),
        ("Is it good?", "—no-external"),
        ("show last",),
    ],
)
def test_a_command_among_the_options_of_a_discussion_is_no_subject(
    command: str, typed: tuple[str, ...]
):
    with pytest.raises(click.UsageError, match=r"looks like a command|long dash|quotation marks"):
        cli.main([command, *typed], standalone_mode=False)


def test_everything_else_is_a_subject():
    for typed in (
        ("plan", "migrate"),
        ("panel", "list the options"),
        ("ask", "stop"),
        ("plan",),
        ("plan", "update", "dependencies"),
        ("forum", "review", "the", "release", "process"),
        ("panel", "Kubernetes", "or", "Nomad"),
    ):
        assert parsed(*typed) == list(typed)


def test_no_command_of_ours_is_explained_as_missing():
    assert not set(INSTEAD) & {name for name, entry in COMMANDS.items() if not entry.hidden}
