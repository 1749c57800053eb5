"""What keeps git from running anything but git, as settings and as environment variables.

A repository's own configuration can name programs: a file system monitor, clean and smudge filters, textconv and
external diff drivers, hooks, signing, transports of a partial clone. Settings in the environment outrank every
configuration file, so all of them are silenced there; filters have names of the repository's choosing and are silenced
one by one. Replacement objects and grafts would show another history than the one that is merged, so they are not
followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

OLDEST_GIT = (2, 31)
"""The first git that reads GIT_CONFIG_COUNT; an older one would not be silenced."""

Settings = Iterable[tuple[str, str]]

_SILENCED = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.alternateRefsCommand", ""),
    ("commit.gpgSign", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.suppressBlankEmpty", "false"),
    ("diff.autoRefreshIndex", "true"),
    ("gc.auto", "0"),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
)
# Where contents are computed, nobody's attributes and conversions count, either.
_ALONE = (
    ("core.attributesFile", os.devnull),
    ("core.excludesFile", os.devnull),
    ("core.autocrlf", "false"),
    ("apply.whitespace", "nowarn"),
    # We name the directory ourselves and run nothing that it configures.
    ("safe.directory", "*"),
)
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "false",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LANGUAGE": "",
    "LC_ALL": "C",
}
_VARIABLES_ALONE = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
# What a hook or an administrator may say about the repository at hand; every other GIT_ variable is dropped.
_KEPT = frozenset(
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CEILING_DIRECTORIES GIT_CONFIG_GLOBAL "
        "GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_EXEC_PATH "
        "GIT_OBJECT_DIRECTORY"
    ).split()
)


def silenced(environ: Mapping[str, str], settings: Settings = ()) -> dict[str, str]:
    """The environment for reading a person's repository as that person; `settings` come on top of ours."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    return kept | _VARIABLES | _as_variables((*_inherited(environ), *_SILENCED, *settings))


def without_configuration() -> dict[str, str]:
    """git's part of the environment for work that no configuration but ours may influence."""
    return _VARIABLES | _VARIABLES_ALONE | _as_variables((*_SILENCED, *_ALONE))


def silenced_filters(keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The settings that switch off the filter drivers that the configuration's `keys` name."""
    drivers = {key.rpartition(".")[0] for key in keys if key.count(".") >= 2}
    return tuple(
        (f"{driver}.{setting}", "false" if setting == "required" else "")
        for driver in sorted(drivers)
        for setting in ("clean", "smudge", "process", "required")
    )


def _as_variables(settings: Settings) -> dict[str, str]:
    pairs = tuple(settings)
    variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def _inherited(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the caller set through GIT_CONFIG_COUNT (CI systems set safe.directory so); ours come later and win."""
    count = environ.get("GIT_CONFIG_COUNT", "")
    if not count.isdigit():
        return []
    keys = [environ.get(f"GIT_CONFIG_KEY_{number}") for number in range(min(int(count), 100))]
    return [
        (key, environ.get(f"GIT_CONFIG_VALUE_{number}", ""))
        for number, key in enumerate(keys)
        if key
    ]
