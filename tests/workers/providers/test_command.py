"""Command-line agents: real processes, killed as a group, without a shell and without our secrets."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import time
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from tests.support.promptness import promptly
from tests.workers.providers.calls import call_of
from workers.limits.limited import effect_of
from workers.limits.state import Effect
from workers.providers.calls import Completion, ProviderCall
from workers.providers.coding_cli import command
from workers.turns.replies import obtain

pytestmark = pytest.mark.component

NO_CANCEL = threading.Event()
GOOD = '{"verdict": "APPROVED", "summary": "fine"}'


def program(folder: Path, text: str, name: str = "agent") -> str:
    """A Python program that is an executable file."""
    file = folder / name
    file.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def call(
    options: dict[str, JsonValue], model: str | None = None, deadline_s: float = 60.0
) -> ProviderCall:
    return call_of("command", model, options=options, deadline_s=deadline_s)


def run(folder: Path, text: str, **options: JsonValue) -> Completion:
    return command.complete(call({"command": [program(folder, text)], **options}), NO_CANCEL)


def failure(folder: Path, text: str, *, agent: str | None = None, **fields: float) -> ProviderError:
    path = program(folder, text)
    options: dict[str, JsonValue] = (
        {"command": [path]} if agent is None else {"agent": agent, "program": path}
    )
    with pytest.raises(ProviderError) as caught:
        command.complete(call(options, **fields), NO_CANCEL)
    return caught.value


def test_the_prompt_comes_as_text_and_the_output_is_the_reply(tmp_path: Path) -> None:
    completion = run(tmp_path, "print(sys.stdin.read().upper())")
    assert completion.text == "YOU ARE A REVIEWER.\n\nREVIEW THIS CHANGE."
    assert completion.usage.output_tokens is None
    assert completion.usage.cost_usd is None


def test_the_prompt_can_come_as_json(tmp_path: Path) -> None:
    text = "asked = json.load(sys.stdin)\nprint(json.dumps([asked['system'], asked['messages'], asked['round']]))"
    system, messages, round_number = json.loads(run(tmp_path, text, input="json").text)
    assert system == "You are a reviewer."
    assert messages == [{"role": "user", "content": "Review this change."}]
    assert round_number == 1


def test_a_large_prompt_and_a_large_answer_cross_without_a_deadlock(tmp_path: Path) -> None:
    text = "sys.stdout.write('x' * 3_000_000)\nsys.stdout.flush()\nprint(len(sys.stdin.read()))"
    big = call_of(
        "command", None, options={"command": [program(tmp_path, text)]}, user="y" * 3_000_000
    )
    completion = command.complete(big, NO_CANCEL)
    assert completion.text.endswith("3000021")


def test_a_command_that_reads_nothing_still_answers(tmp_path: Path) -> None:
    big = call_of(
        "command", None, options={"command": [program(tmp_path, "print('ok')")]}, user="y" * 500_000
    )
    assert command.complete(big, NO_CANCEL).text == "ok"


def test_there_is_no_shell(tmp_path: Path) -> None:
    path = program(tmp_path, "print(json.dumps(sys.argv[1:]))")
    words: list[JsonValue] = [path, "$(touch x)", "; echo", "`id`", "{model}"]
    completion = command.complete(call({"command": words}, model="$HOME"), NO_CANCEL)
    assert json.loads(completion.text) == ["$(touch x)", "; echo", "`id`", "$HOME"]


def test_it_runs_in_an_empty_folder_of_its_own_that_is_removed(tmp_path: Path) -> None:
    folder, content = json.loads(
        run(tmp_path, "print(json.dumps([os.getcwd(), os.listdir()]))").text
    )
    assert content == []
    assert folder != os.getcwd()
    assert not Path(folder).exists()


def test_it_sees_no_secret_but_the_named_ones(tmp_path: Path) -> None:
    os.environ["QUORATE_TEST_HIDDEN"] = "hidden"
    os.environ["QUORATE_TEST_NAMED"] = "named"
    try:
        text = "print(json.dumps(dict(os.environ)))"
        seen = json.loads(run(tmp_path, text, env=["QUORATE_TEST_NAMED"]).text)
    finally:
        del os.environ["QUORATE_TEST_HIDDEN"], os.environ["QUORATE_TEST_NAMED"]
    assert seen["QUORATE_TEST_NAMED"] == "named"
    assert "QUORATE_TEST_HIDDEN" not in seen
    assert seen["PATH"] == os.environ["PATH"]


GRANDCHILD = (
    "import subprocess\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(90)'])\n"
    "open(os.environ['QUORATE_TEST_PIDS'], 'w').write(f'{os.getpid()} {child.pid}')\n"
)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("ending", ["time.sleep(60)", "print('ok')"])
def test_the_whole_process_group_is_gone_afterwards(tmp_path: Path, ending: str) -> None:
    pids = tmp_path / "pids"
    os.environ["QUORATE_TEST_PIDS"] = str(pids)
    options: dict[str, JsonValue] = {
        "command": [program(tmp_path, GRANDCHILD + ending)],
        "env": ["QUORATE_TEST_PIDS"],
    }
    try:
        if ending.startswith("print"):
            began = time.monotonic()
            assert command.complete(call(options), NO_CANCEL).text == "ok"
            assert time.monotonic() - began < 30  # the child holds its outputs for longer
        else:
            for deadline_s in (1.0, 20.0):  # more than it needs to start its child
                with pytest.raises(ProviderError) as caught:
                    command.complete(call(options, deadline_s=deadline_s), NO_CANCEL)
                assert caught.value.kind is FailureKind.TIMEOUT
                if pids.exists():
                    break
    finally:
        del os.environ["QUORATE_TEST_PIDS"]
    deadline = time.monotonic() + 30
    while any(alive(int(pid)) for pid in pids.read_text().split()):
        assert time.monotonic() < deadline, "a process outlived its call"
        time.sleep(0.01)


def test_a_cancelled_command_ends_within_a_second(tmp_path: Path) -> None:
    def cancelled() -> ProviderError:
        cancel = threading.Event()
        threading.Timer(0.2, cancel.set).start()
        with pytest.raises(ProviderError) as caught:
            command.complete(call({"command": [program(tmp_path, "time.sleep(60)")]}), cancel)
        return caught.value

    assert promptly(1.2, cancelled).kind is FailureKind.CANCELLED


def test_a_command_that_closes_its_output_and_goes_on_keeps_its_deadline(tmp_path: Path) -> None:
    error = failure(tmp_path, "os.close(1); os.close(2); time.sleep(60)", deadline_s=0.5)
    assert error.kind is FailureKind.TIMEOUT


def test_endless_output_is_given_up(tmp_path: Path) -> None:
    error = failure(tmp_path, "while True: sys.stdout.write('x' * 65536)")
    assert error.kind is FailureKind.TRUNCATED


@pytest.mark.parametrize(
    ("stderr", "kind"),
    [
        ("Please run /login first", FailureKind.CREDENTIALS),
        ("Error: 429 Too Many Requests", FailureKind.RATE_LIMITED),
        ("Credit balance is too low", FailureKind.RATE_LIMITED),
        ("Overloaded, try again", FailureKind.OVERLOADED),
        ("prompt is too long: 300000 tokens > 200000 maximum", FailureKind.CONTEXT_OVERFLOW),
        ("The model `x` does not exist", FailureKind.UNKNOWN_MODEL),
        ("getaddrinfo ENOTFOUND api.example", FailureKind.UNREACHABLE),
        ("Segmentation fault", FailureKind.TOOL_ERROR),
    ],
)
def test_a_failing_command_says_why(tmp_path: Path, stderr: str, kind: FailureKind) -> None:
    error = failure(tmp_path, f"sys.stderr.write({stderr!r}); sys.exit(3)")
    assert error.kind is kind
    assert "exit 3" in str(error)


def test_after_a_log_in_was_mended_the_next_call_asks_the_command_again(tmp_path: Path) -> None:
    error = failure(tmp_path, "sys.stderr.write('Please run /login first'); sys.exit(1)")
    # What says nothing about the account opens no breaker: tests/workers/limits/test_limited.py.
    assert effect_of(error) is Effect.ANSWERED


def test_a_missing_command_says_what_to_do() -> None:
    with pytest.raises(ProviderError, match="not installed where the worker runs") as caught:
        command.complete(call({"command": ["quorate-no-such-agent"]}), NO_CANCEL)
    assert caught.value.kind is FailureKind.UNREACHABLE
    assert not caught.value.retryable


def test_a_file_that_is_no_program_says_so(tmp_path: Path) -> None:
    file = tmp_path / "agent"
    file.write_bytes(b"\x00\x01\x02")
    file.chmod(0o755)
    with pytest.raises(ProviderError, match="cannot be started") as caught:
        command.complete(call({"command": [str(file)]}), NO_CANCEL)
    assert caught.value.kind is FailureKind.UNREACHABLE


@pytest.mark.parametrize(
    "options", [{}, {"agent": "claude", "command": ["x"]}, {"agent": "clippy"}]
)
def test_options_name_exactly_one_command(options: dict[str, JsonValue]) -> None:
    with pytest.raises(ProviderError) as caught:
        command.complete(call(options), NO_CANCEL)
    assert caught.value.kind is FailureKind.BAD_REQUEST


CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "done",
    "structured_output": json.loads(GOOD),
    "total_cost_usd": 0.25,
    "usage": {
        "input_tokens": 10,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 5,
        "output_tokens": 7,
    },
    "modelUsage": {"claude-sonnet-5": {}},
}
GEMINI = {
    "response": f"```json\n{GOOD}\n```",
    "stats": {
        "models": {
            "gemini-2.5-pro": {
                "tokens": {"prompt": 30, "candidates": 5, "thoughts": 2, "cached": 20, "tool": 5}
            }
        }
    },
}
CODEX = [
    {"type": "thread.started", "thread_id": "1"},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "thinking"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": GOOD}},
    {
        "type": "turn.completed",
        "usage": {"input_tokens": 35, "cached_input_tokens": 20, "output_tokens": 7},
    },
]


@pytest.mark.parametrize(
    ("agent", "output", "expected"),
    [
        ("claude", json.dumps(CLAUDE), ["--tools", "", "--json-schema"]),
        ("claude", "a warning\n" + json.dumps(CLAUDE), ["--strict-mcp-config"]),
        ("gemini", json.dumps(GEMINI, indent=1), ["--approval-mode", "default"]),
        ("codex", "\n".join(map(json.dumps, CODEX)), ["--sandbox", "read-only", "--output-schema"]),
    ],
)
def test_a_known_agent_is_called_without_tools_and_its_output_understood(
    tmp_path: Path, agent: str, output: str, expected: list[str]
) -> None:
    log = tmp_path / "log"
    text = (
        "prompt = sys.stdin.read()\n"
        f"json.dump([sys.argv[1:], prompt, os.listdir()], open({str(log)!r}, 'w'))\n"
        f"print({output!r})"
    )
    options: dict[str, JsonValue] = {"agent": agent, "program": program(tmp_path, text)}
    got = obtain(command, call(options, model="m-1"), NO_CANCEL, lambda _: None)
    argv, prompt, _ = json.loads(log.read_text())
    assert "Review this change." in prompt
    assert "--model" in argv
    assert "m-1" in argv
    assert set(expected) <= set(argv)
    assert argv[-1] == "-" or agent != "codex"
    usage = got.completions[0].usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (35, 7, 20)
    if agent == "claude":
        assert usage.cost_usd == 0.25
        assert got.completions[0].model == "claude-sonnet-5"


@pytest.mark.parametrize(
    ("agent", "output", "kind"),
    [
        (
            "claude",
            json.dumps(
                CLAUDE | {"is_error": True, "result": "Invalid API key · Please run /login"}
            ),
            FailureKind.CREDENTIALS,
        ),
        ("claude", "not json", FailureKind.TOOL_ERROR),
        ("claude", "[]", FailureKind.TOOL_ERROR),
        (
            "gemini",
            json.dumps({"error": {"type": "ApiError", "message": "quota exceeded", "code": 429}}),
            FailureKind.RATE_LIMITED,
        ),
        (
            "codex",
            json.dumps(
                {"type": "turn.failed", "error": {"message": "You've hit your usage limit"}}
            ),
            FailureKind.RATE_LIMITED,
        ),
    ],
)
def test_an_agents_own_error_is_typed(
    tmp_path: Path, agent: str, output: str, kind: FailureKind
) -> None:
    assert failure(tmp_path, f"print({output!r})", agent=agent).kind is kind


def test_a_repair_quotes_the_earlier_answer(tmp_path: Path) -> None:
    text = (
        "prompt = sys.stdin.read()\n"
        f"print({GOOD!r} if 'Your earlier answer was:' in prompt else 'no json')"
    )
    got = obtain(command, call({"command": [program(tmp_path, text)]}), NO_CANCEL, lambda _: None)
    assert got.repaired


# ---- what may have been charged ------------------------------------------------------------------


def test_an_agent_that_was_given_up_may_have_been_charged(tmp_path: Path) -> None:
    error = failure(tmp_path, "time.sleep(60)", deadline_s=0.5)
    assert (error.kind, error.charged) == (FailureKind.TIMEOUT, True)


@pytest.mark.parametrize(
    ("text", "charged"),
    [
        (
            "print(json.dumps({'type': 'result', 'is_error': True, 'subtype': 'error_max_turns', "
            "'total_cost_usd': 0.31, 'usage': {'input_tokens': 900, 'output_tokens': 70}}))",
            True,
        ),
        ("print('Here is my review, as prose.')", True),
        (
            "print(json.dumps({'type': 'result', 'is_error': True, 'result': 'Invalid API key'}))",
            False,
        ),
        ("sys.stderr.write('rate limit reached'); sys.exit(1)", False),
        ("sys.exit(1)", False),
    ],
)
def test_a_failed_agent_was_charged_when_it_worked(
    tmp_path: Path, text: str, charged: bool
) -> None:
    assert failure(tmp_path, text, agent="claude").charged is charged


def test_an_agent_that_could_not_be_started_was_not_charged() -> None:
    with pytest.raises(ProviderError) as caught:
        command.complete(call({"command": ["no-such-agent-here"]}), NO_CANCEL)
    assert not caught.value.charged
