"""Command-line agents as participants: an installed claude, gemini or codex, or any command.

The prompt goes to the command's standard input, the reply comes from its standard output. There is
no shell; it runs in an empty folder of its own, in a session of its own that is killed as a whole,
with an environment that holds no secret but the ones that are named.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.wire import Wire
from shared.programs import find_program
from workers.providers.calls import Cancelled, Completion, ProviderCall
from workers.providers.coding_cli.agents import AGENTS, READERS, STREAM_PARSERS, Agent, Said
from workers.providers.coding_cli.processes import Finished, run
from workers.providers.coding_cli.stream_parser import StreamParser
from workers.providers.credentials import redact
from workers.providers.guard import Guard
from workers.providers.http.options import options_of
from workers.providers.http.statuses import ErrorBody, Meaning, meaning_of, one_line
from workers.providers.prices import priced
from workers.temporary import own_folder
from workers.trees import temporary_folder

_PASSED = frozenset(
    {
        *(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "LANGUAGE",
            "TZ",
            "TMPDIR",
            "SYSTEMROOT",
        ),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    }
)
_URLS = {"claude": "https://api.anthropic.com", "codex": "https://api.openai.com/v1"}
_URLS["gemini"] = "https://generativelanguage.googleapis.com"


class Options(Wire):
    """Either a known `agent` (with `program` where it is not on PATH) or a `command`.

    `command` is a list of arguments; `{model}` in it is the participant's model. `input` is what
    it reads: the prompt as text, or a JSON object with system, messages and schema; `output` names
    the reader of what it prints. `env` names variables of the worker that it may see.
    """

    agent: Literal["claude", "gemini", "codex"] | None = None
    program: str | None = None
    command: tuple[str, ...] = ()
    input: Literal["text", "json"] = "text"
    output: Literal["text", "claude", "gemini", "codex"] = "text"
    env: tuple[str, ...] = ()
    json_schema: bool = True
    external: bool | None = None
    arguments: tuple[str, ...] = ()
    price: dict[Literal["in", "out", "cached"], float] | None = Field(default=None)

    @model_validator(mode="after")
    def _names_one_command(self) -> Options:
        if (self.agent is None) == (not self.command):
            raise ValueError("give either `agent` (claude, gemini, codex) or `command`")
        return self

    def line(self) -> Agent:
        """What is to be run, and how its output is read."""
        if self.agent is None:
            return Agent(
                command=self.command, read=READERS[self.output], parser=STREAM_PARSERS[self.output]
            )
        return AGENTS[self.agent]


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:
    """Run the command once. Raises ProviderError."""
    guard = Guard.of(call, cancel)
    options = options_of(call.participant, Options)
    agent = options.line()
    environ = _environment((*agent.env, *options.env), os.environ)
    with temporary_folder("quorate-agent-", own_folder()) as folder:
        command = _command(call, options, agent, folder)
        command[0] = _found(call, command[0], environ)
        parser = _parser(call, agent)
        finished = run(command, _stdin(call, options), folder, environ, guard, parser)
    secrets = [environ[name] for name in (*agent.env, *options.env) if name in environ]
    return _completion(call, options, agent, finished, secrets)


def structured(participant: Participant) -> bool:
    """True for agents that hold their answer to a schema."""
    options = options_of(participant, Options)
    return options.json_schema and bool(options.line().schema_flags)


def _parser(call: ProviderCall, agent: Agent) -> StreamParser | None:
    """Who hears the output as it comes; None when nobody watches or nothing is to be heard."""
    return agent.parser(call.watch) if call.watch is not None and agent.parser is not None else None


def _command(call: ProviderCall, options: Options, agent: Agent, folder: Path) -> list[str]:
    words = {"{model}": call.participant.model or ""}
    streams = call.watch is not None and "--output-format" not in options.arguments
    command = list(agent.watched if agent.watched and streams else agent.command)
    flags = list(agent.model_flags) if call.participant.model else []
    if call.reply_schema is not None and options.json_schema and agent.schema_flags:
        schema = json.dumps(call.reply_schema.strict, ensure_ascii=False)
        file = folder / "schema.json"
        file.write_text(schema, encoding="utf-8")
        words |= {"{schema}": schema, "{schema_file}": str(file)}
        flags += agent.schema_flags
    # codex's lone dash (read stdin) stays last.
    at = len(command) - 1 if command[-1] == "-" else len(command)
    command[at:at] = [*flags, *options.arguments]
    if options.program is not None:
        command[0] = options.program
    if "{model}" in command and not call.participant.model:
        raise ProviderError(
            FailureKind.BAD_REQUEST, f"{call.participant.name} names no model, its command does."
        )
    return [_filled(word, words) for word in command]


def _filled(word: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        if name in word:
            return word.replace(name, value)
    return word


def _found(call: ProviderCall, program: str, environ: Mapping[str, str]) -> str:
    found = find_program(program, environ.get("PATH"))
    if found is None:
        raise ProviderError(
            FailureKind.UNREACHABLE,
            f"{call.participant.name}: the command '{program}' is not installed where the worker "
            "runs: install it there, or name its path as `program`.",
            scope=Scope.NOBODY,
        )
    return found


def _stdin(call: ProviderCall, options: Options) -> bytes:
    if options.input == "json":
        return json.dumps(
            {
                "system": call.system,
                "messages": [
                    {"role": message.role, "content": message.text} for message in call.messages
                ],
                "schema": None if call.reply_schema is None else call.reply_schema.plain,
                "model": call.participant.model,
                "role": call.role,
                "round": call.round,
                "max_output_tokens": call.max_output_tokens,
                "temperature": call.temperature,
            },
            ensure_ascii=False,
        ).encode("utf-8", "replace")
    parts = [call.system, call.user]
    for message in call.repair:
        parts.append("Your earlier answer was:" if message.role == "assistant" else "")
        parts.append(message.text)
    return "\n\n".join(part for part in parts if part).encode("utf-8", "replace")


def _environment(named: tuple[str, ...], environ: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in environ.items()
        if name in _PASSED or name.startswith("LC_") or name in named
    }
    return kept | {"TERM": "dumb", "NO_COLOR": "1", "CI": "1"}


def _completion(
    call: ProviderCall, options: Options, agent: Agent, finished: Finished, secrets: list[str]
) -> Completion:
    said = agent.read(finished.output.decode("utf-8", "replace"))
    if said.error or finished.code != 0:
        raise _failure(call, said, finished, secrets)
    model = said.model or call.participant.model
    usage = said.usage
    if usage.cost_usd is None:
        url = _URLS.get(options.agent or "", "")
        usage = priced(usage, call.participant, model or "", url)
    return Completion(
        text=said.text, usage=usage, finish_reason=said.finish, model=model, raw=finished.output
    )


# Words of agents that statuses do not know; first match wins.
_WORDS: tuple[tuple[re.Pattern[str], Meaning], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), Meaning(kind, retryable, said))
    for pattern, kind, retryable, said in (
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
    call: ProviderCall, said: Said, finished: Finished, secrets: list[str]
) -> ProviderError:
    told = said.error or finished.errors.decode("utf-8", "replace")[-2000:]
    meaning = meaning_of(400, ErrorBody(message=told))
    if meaning.kind in (FailureKind.BAD_REQUEST, FailureKind.RATE_LIMITED):
        meaning = next((known for words, known in _WORDS if words.search(told)), _UNKNOWN)
    ended = f" (exit {finished.code})" if finished.code else ""
    told = one_line(redact(told, secrets))
    return ProviderError(
        meaning.kind,
        f"The command of {call.participant.name} {meaning.text}{ended}{': ' + told if told else ''}",
        retryable=meaning.retryable,
        charged=_is_charged(said, finished, meaning),
    )


def _is_charged(said: Said, finished: Finished, meaning: Meaning) -> bool:
    """Whether a failed agent may have paid: it tells of usage, or says something that nobody understands."""
    told = bool(said.usage.output_tokens or said.usage.cost_usd)
    return told or (meaning is _UNKNOWN and bool(finished.output.strip()))
