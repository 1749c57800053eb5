"""Command-line agents as participants: an installed claude, gemini or codex, or any command.

The prompt goes to the command's standard input, the reply comes from its standard output. There is
no shell; it runs in an empty folder of its own, in a session of its own that is killed as a whole,
with an environment that holds no secret but the ones that are named.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.programs import find_program
from shared.providers.catalogue import CATALOGUE
from shared.providers.coding_clis import CODING_CLIS, CodingCli
from shared.providers.options import CommandOptions
from shared.providers.prices import priced
from workers.providers.calls import Cancelled, Completion, ProviderCall
from workers.providers.coding_cli.outputs import OUTPUTS, CliOutput
from workers.providers.coding_cli.processes import FinishedProcess, run
from workers.providers.credentials import redact
from workers.providers.guard import Guard
from workers.providers.http.statuses import ErrorBody, Meaning, meaning_of, one_line
from workers.providers.options import options_of
from workers.temporary import own_folder
from workers.trees import temporary_folder

_PASSED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL"),
        *("LANG", "LANGUAGE", "TZ", "TMPDIR", "SYSTEMROOT"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    }
)
ROW = CATALOGUE["command"]


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:
    """Run the command once. Raises ProviderError."""
    guard = Guard.of(call, cancel)
    options = options_of(call.participant, CommandOptions)
    cli = cli_of(options)
    output = OUTPUTS[options.agent or options.output]
    named = (*cli.environment, *options.env)
    environ = _environment(named, os.environ)
    watch = call.watch
    parser = output.parser(watch) if watch is not None and output.parser is not None else None
    with temporary_folder("quorate-agent-", own_folder()) as folder:
        command = _command(call, options, cli, folder)
        command[0] = _found(call, command[0], environ)
        finished = run(command, _stdin(call, options), folder, environ, guard, parser)
    secrets = [environ[name] for name in named if name in environ]
    answer = output.read(finished.output.decode("utf-8", "replace"))
    if answer.error or finished.code != 0:
        raise _failure(call, answer, finished, secrets)
    return _completion(call, answer, finished)


def structured(participant: Participant) -> bool:
    """True for coding CLIs that hold their answer to a schema."""
    return options_of(participant, CommandOptions).holds_schema


def cli_of(options: CommandOptions) -> CodingCli:
    """What is to be run: a known coding CLI, or a command of the person's own."""
    if options.agent is not None:
        return CODING_CLIS[options.agent]
    return CodingCli("", options.command, price_of="", key_variables=(), model_flags=())


def _command(
    call: ProviderCall, options: CommandOptions, cli: CodingCli, folder: Path
) -> list[str]:
    model = call.participant.model
    words = {"{model}": model or ""}
    # An output format of the person's own keeps the plain call.
    plain = call.watch is None or "--output-format" in options.arguments
    command = list(cli.command if plain else cli.watched or cli.command)
    flags = [*(cli.model_flags if model else ()), *_schema_flags(call, options, cli, folder, words)]
    # codex's lone dash (read stdin) stays last.
    dash = [command.pop()] if command[-1] == "-" else []
    command += [*flags, *options.arguments, *dash]
    command[0] = options.program or command[0]
    _check_model(call, command)
    return [_filled(word, words) for word in command]


def _check_model(call: ProviderCall, command: Sequence[str]) -> None:
    if "{model}" in command and not call.participant.model:
        raise ProviderError(
            FailureKind.BAD_REQUEST, f"{call.participant.name} names no model; its command does."
        )


def _schema_flags(
    call: ProviderCall, options: CommandOptions, cli: CodingCli, folder: Path, words: dict[str, str]
) -> tuple[str, ...]:
    """The flags that hold the answer to the reply's schema, which is added to the `words` that fill them."""
    if call.reply_schema is None or not options.holds_schema:
        return ()
    schema = json.dumps(call.reply_schema.strict, ensure_ascii=False)
    file = folder / "schema.json"
    file.write_text(schema, encoding="utf-8")
    words |= {"{schema}": schema, "{schema_file}": str(file)}
    return cli.schema_flags


def _filled(word: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        if name in word:
            return word.replace(name, value)
    return word


def _found(call: ProviderCall, program: str, environ: Mapping[str, str]) -> str:
    path = find_program(program, environ.get("PATH"))
    if path is None:
        raise ProviderError(
            FailureKind.UNREACHABLE,
            f"{call.participant.name}: the command '{program}' is not installed where the worker "
            "runs: install it there, or name its path as `program`.",
            scope=Scope.NOBODY,
        )
    return path


def _stdin(call: ProviderCall, options: CommandOptions) -> bytes:
    if options.input == "json":
        return json.dumps(
            {
                "system": call.system,
                "messages": call.as_json,
                "schema": None if call.reply_schema is None else call.reply_schema.plain,
                "model": call.participant.model,
                "role": call.role,
                "round": call.round,
                "max_output_tokens": call.max_output_tokens,
                "temperature": call.temperature,
            },
            ensure_ascii=False,
        ).encode("utf-8", "replace")
    return call.as_text.encode("utf-8", "replace")


def _environment(named: tuple[str, ...], environ: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environ.items()
        if name in _PASSED or name.startswith("LC_") or name in named
    }
    return kept | {"TERM": "dumb", "NO_COLOR": "1", "CI": "1"}


def _completion(call: ProviderCall, answer: CliOutput, finished: FinishedProcess) -> Completion:
    model, usage = answer.model or call.participant.model, answer.usage
    if usage.cost_usd is None:
        usage = priced(usage, call.participant, model or "", ROW)
    return Completion(
        text=answer.text, usage=usage, finish_reason=answer.finish, model=model, raw=finished.output
    )


# Words of agents that statuses do not know; first match wins.
_WORDS: tuple[tuple[re.Pattern[str], Meaning], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), Meaning(kind, retryable, words))
    for pattern, kind, retryable, words in (
        (
            r"credit balance|insufficient.quota|billing",
            FailureKind.RATE_LIMITED,
            False,
            "has no credit left on this account",
        ),
        (
            r"rate.?limit|usage limit|too many requests|\b429\b|quota|resource.?exhausted",
            FailureKind.RATE_LIMITED,
            True,
            "asks for slower calls",
        ),
        (
            r"log ?in|logged in|api key|unauthori[sz]ed|authenticat|\b401\b|\b403\b|credential",
            FailureKind.CREDENTIALS,
            False,
            "is not logged in, or its key was refused",
        ),
        (r"overloaded|\b(529|503|500)\b", FailureKind.OVERLOADED, True, "is overloaded"),
        (
            r"network|ENOTFOUND|ECONN|fetch failed|connection",
            FailureKind.UNREACHABLE,
            True,
            "cannot reach its service",
        ),
    )
)
_UNKNOWN = Meaning(FailureKind.TOOL_ERROR, False, "failed")


def _failure(
    call: ProviderCall, answer: CliOutput, finished: FinishedProcess, secrets: list[str]
) -> ProviderError:
    complaint = answer.error or finished.errors.decode("utf-8", "replace")[-2000:]
    meaning = meaning_of(400, ErrorBody(message=complaint))
    if meaning.kind in (FailureKind.BAD_REQUEST, FailureKind.RATE_LIMITED):
        meaning = next((known for words, known in _WORDS if words.search(complaint)), _UNKNOWN)
    ended = f" (exit {finished.code})" if finished.code else ""
    complaint = one_line(redact(complaint, secrets))
    return ProviderError(
        meaning.kind,
        f"The command of {call.participant.name} {meaning.text}{ended}{': ' + complaint if complaint else ''}",
        retryable=meaning.retryable,
        charged=_is_charged(answer, finished, meaning),
        # A log-in is mended outside of Quorate, and nothing here shows that it was: the next call asks again.
        scope=Scope.CALL if meaning.kind is FailureKind.CREDENTIALS else Scope.ACCOUNT,
    )


def _is_charged(answer: CliOutput, finished: FinishedProcess, meaning: Meaning) -> bool:
    """Whether a failed agent may have paid: it reports usage, or says something that is not understood."""
    counted = bool(answer.usage.output_tokens or answer.usage.cost_usd)
    return counted or (meaning is _UNKNOWN and bool(finished.output.strip()))
