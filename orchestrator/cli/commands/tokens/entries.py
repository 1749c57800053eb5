"""What `quorate tokens` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from orchestrator.application import api_tokens
from orchestrator.application.backend import connected
from orchestrator.cli.listing import Listing, show_list
from orchestrator.cli.reader import sentence_line
from orchestrator.cli.since import seconds_of
from orchestrator.core.lines import line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.roles import Role
from shared.sentences import Sentence
from shared.store.api_tokens import ApiToken


def run_add(
    name: str,
    role: Role,
    expires: str | None,
    projects: Sequence[str],
    environ: Mapping[str, str],
    *,
    as_json: bool,
) -> int:
    """Make a token; it goes to standard output, once."""
    life_s = None if expires is None else seconds_of("--expires", expires)
    with connected(environ, workers=False) as backend:
        token = api_tokens.add(backend, name, role, life_s, projects or None)
    terminal = Terminal.of(environ)
    if as_json:
        added = {"name": name, "role": role, "token": token}
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "token": added}))
        return ExitCode.OK
    terminal.result([line(token)])
    text = Sentence(
        "The line above is the token of {name} ({role}): it is not shown again.",
        name=name,
        role=str(role),
    )
    terminal.talk([sentence_line(text, environ)])
    return ExitCode.OK


def run_list(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print who has a token; the exit code."""
    with connected(environ, workers=False) as backend:
        listed = api_tokens.tokens(backend)
    return show_list(TOKENS, listed, environ, as_json=as_json)


def run_rm(name: str, environ: Mapping[str, str]) -> int:
    """Withdraw a token; the exit code."""
    with connected(environ, workers=False) as backend:
        api_tokens.remove(backend, name)
    Terminal.of(environ).result(
        [sentence_line(Sentence("{name} is withdrawn", name=name), environ)]
    )
    return ExitCode.OK


def _row(token: ApiToken, words: Translator) -> tuple[str, ...]:
    never = words.sentence(Sentence("never"))
    expires = never if token.expires_at is None else _moment(token.expires_at)
    return (
        token.name,
        token.role,
        _moment(token.created_at),
        words.sentence(Sentence("expired")) if token.expired else expires,
        never if token.last_used_at is None else _moment(token.last_used_at),
        words.sentence(Sentence("all")) if token.projects is None else ", ".join(token.projects),
    )


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


TOKENS = Listing(
    "tokens",
    ("token", "role", "made", "expires", "last_used", "projects"),
    _row,
    Sentence("There is no token: `quorate tokens add` makes one."),
)
