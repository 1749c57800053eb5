"""The coding CLIs: how each is called without tools, and what of the environment it is given.

Sources: their own references for headless use (Claude Code `-p`, Gemini CLI headless mode, `codex exec`). A new one is
a row here and the reading of its output in workers/providers/coding_cli/outputs.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class CodingCli:
    """A command line that reads a prompt on stdin.

    `model_flags` are added when the participant names a model; `{model}`, `{schema}` and `{schema_file}` are filled in.
    `key_variables` hold its keys, `variables` are others that it needs; nothing else of the worker's secrets reaches
    it. `watched` is another command line, for calls that are watched, whose output says the same in the end. `price_of`
    names the provider whose prices its model has.
    """

    name: str
    command: tuple[str, ...]
    price_of: str
    key_variables: tuple[str, ...]
    variables: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    model_flags: tuple[str, ...] = ("--model", "{model}")
    schema_flags: tuple[str, ...] = ()

    @property
    def environment(self) -> tuple[str, ...]:
        """The variables that reach it besides a program's usual ones."""
        return (*self.key_variables, *self.variables)


_WITHOUT_TOOLS = ("--tools", "", "--strict-mcp-config")

_ROWS = (
    CodingCli(
        name="claude",
        command=("claude", "-p", "--output-format", "json", *_WITHOUT_TOOLS),
        watched=(
            *("claude", "-p", "--output-format", "stream-json", "--verbose"),
            *("--include-partial-messages", *_WITHOUT_TOOLS),
        ),
        price_of="anthropic",
        schema_flags=("--json-schema", "{schema}"),
        key_variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        variables=("CLAUDE_CONFIG_DIR",),
    ),
    # Gemini CLI has a stream as well (`stream-json`), but its last event does not hold the answer: what
    # would be accepted as the reply would be put together by us.
    CodingCli(
        name="gemini",
        command=("gemini", "--output-format", "json", "--approval-mode", "default"),
        price_of="gemini",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        variables=("GOOGLE_CLOUD_PROJECT", "GOOGLE_GENAI_USE_VERTEXAI"),
    ),
    CodingCli(
        name="codex",
        command=(
            *("codex", "exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check"),
            *("--ephemeral", "-"),
        ),
        price_of="openai",
        schema_flags=("--output-schema", "{schema_file}"),
        key_variables=("OPENAI_API_KEY", "CODEX_API_KEY"),
        variables=("CODEX_HOME",),
    ),
)
CODING_CLIS: Mapping[str, CodingCli] = MappingProxyType({row.name: row for row in _ROWS})
