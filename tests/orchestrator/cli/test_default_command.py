"""What was typed without a command: a question, or a mistyped command that nobody should pay for."""

import click
import pytest

from orchestrator.cli.default_command import leading_words, objection
from orchestrator.cli.main import LazyGroup, cli
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
    ],
)
def test_what_looks_like_a_command_is_not_asked(words: tuple[str, ...], said: str):
    reason = objection(words, COMMANDS)
    assert reason is not None
    assert said in reason


def test_what_stands_before_the_first_option_is_what_was_said():
    assert leading_words(["why", "-", "not", "--json", "now"]) == ["why", "-", "not"]
    assert leading_words(["--json", "why"]) == []


def parsed(*arguments: str) -> list[str]:
    """What the group makes of a command line: the command's name and what is left for it."""
    assert isinstance(cli, LazyGroup)
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
    ],
)
def test_ask_stands_where_no_command_does(typed: tuple[str, ...], understood: list[str]):
    assert parsed(*typed) == understood


def test_a_mistyped_command_is_refused_before_ask_is_loaded():
    with pytest.raises(click.UsageError, match="Did you mean `quorate status`"):
        parsed("statsu", "--json")
