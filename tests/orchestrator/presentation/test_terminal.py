"""stdout is the result, stderr is talk, and neither is coloured unless it is a terminal."""

import pytest

from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.terminal import Terminal

LINES = [line(Span("bad", Style.BAD), " and plain")]


def test_away_from_a_terminal_nothing_is_coloured_live_or_asked(
    capsys: pytest.CaptureFixture[str],
):
    terminal = Terminal.of({"TERM": "xterm"})
    assert (terminal.colour_out, terminal.live, terminal.can_ask) == (False, False, False)
    terminal.result(LINES)
    terminal.talk(LINES)
    shown = capsys.readouterr()
    assert shown.out == shown.err == "bad and plain\n"


@pytest.mark.parametrize(
    ("environ", "coloured"),
    [
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, False),
    ],
)
def test_colour_follows_the_usual_variables(
    environ: dict[str, str], coloured: bool, capsys: pytest.CaptureFixture[str]
):
    Terminal.of(environ).result(LINES)
    assert ("\x1b[" in capsys.readouterr().out) is coloured


def test_quiet_silences_talk_and_not_warnings(capsys: pytest.CaptureFixture[str]):
    terminal = Terminal.of({}, quiet=True)
    terminal.talk(LINES)
    assert capsys.readouterr().err == ""
    terminal.warn(LINES)
    assert capsys.readouterr().err != ""
