"""`quorate "question"`: when what was typed is a question, and when it is a mistyped command.

Asking costs money, so what may be a slip is not asked. A question is quoted (a blank within a word), has a question
mark, letters beyond ASCII, four words, or begins as questions do. Up to three plain words are a slip: on a terminal a
person may confirm them, elsewhere they are refused. `quorate ask ...` asks whatever stands there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import takewhile

import click

ASK = "ask"
HELP = "help"
VERSION = "version"
IMPLICIT = "quorate.implicit"
"""In click's `meta`: nobody typed `ask`."""
CONFIRMED = "quorate.confirmed"
"""In click's `meta`: a person at the terminal has said that these words are a question."""

_NAMES_SOMETHING = re.compile(r"[A-Za-z_./~@*$%\\][!-~]*")
_PUNCTUATION = ".,;:!'\"`"
_FEWEST_LETTERS = 4
_FEWEST_WORDS = 4
_INTERROGATIVES = frozenset(
    "am are can could did do does had has have how if is may might must shall should was were what when where which "
    "who whom whose why will would".split()
)
_CHOICES = frozenset({"or", "vs", "versus", "and/or"})
# What other programs call it, and what it is called here.
INSTEAD = {
    "abort": "`quorate cancel RUN` ends a run",
    "add": "`quorate keys set NAME` stores a key, and participants stand in the configuration",
    "apply": "`quorate decide RUN apply_fix` has a fix applied",
    "approve": "`quorate decide RUN` answers a decision",
    "auth": "`quorate keys set NAME` stores a provider's key",
    "check": "`quorate review` reviews a change, `quorate doctor` checks this machine",
    "chat": "`quorate forum` lets a panel discuss a question",
    "clean": "`quorate down` ends servers and workers",
    "continue": "`quorate resume RUN` looks at a blocked run again, `quorate watch RUN` follows one",
    "delete": "runs are kept; `quorate cancel RUN` ends one",
    "discuss": "`quorate forum` lets a panel discuss a question",
    "edit": "`quorate config show --sources` names the files to edit",
    "env": "`quorate doctor` says what is set here, `quorate config show` what holds",
    "exec": "`quorate ask`, `forum`, `plan`, `panel` and `review` start runs",
    "exit": "there is no session to leave; `quorate down` ends servers and workers",
    "export": "`quorate show RUN -o FILE` writes a result",
    "get": "`quorate show RUN` shows a run, `quorate config show` the settings",
    "history": "`quorate list` shows the runs",
    "info": "`quorate status` and `quorate doctor` tell about this machine",
    "init": "nothing has to be set up; `quorate doctor` says what is missing, `quorate config presets` what there is",
    "install": "`quorate up` starts everything, `quorate doctor` says what is missing",
    "join": "`quorate answer` takes your turn as a participant",
    "kill": "`quorate cancel RUN` ends a run, `quorate down` ends servers and workers",
    "login": "`quorate keys set NAME` stores a provider's key",
    "logout": "`quorate keys rm NAME` forgets a provider's key",
    "ls": "`quorate list` shows the runs",
    "model": "`quorate participants models` shows the models",
    "models": "`quorate participants models` shows the models",
    "new": "`quorate ask`, `forum`, `plan`, `panel` and `review` start runs",
    "open": "`quorate show RUN` shows a run",
    "presets": "`quorate config presets` shows the presets",
    "providers": "`quorate participants` shows who can take part",
    "ps": "`quorate status` shows processes and runs",
    "purge": "runs are kept; `quorate cancel RUN` ends one",
    "quit": "there is no session to leave; `quorate down` ends servers and workers",
    "remove": "runs are kept; `quorate cancel RUN` ends one",
    "reset": "`quorate down` ends servers and workers",
    "restart": "`quorate down` and then `quorate up` start everything again",
    "retry": "`quorate fork RUN` continues a run from one of its steps, `quorate resume RUN` looks at a blocked one",
    "rm": "runs are kept; `quorate cancel RUN` ends one",
    "run": "`quorate ask`, `forum`, `plan`, `panel` and `review` start runs, `quorate show RUN` shows one",
    "runs": "`quorate list` shows the runs",
    "server": "`quorate serve` offers runs over HTTP, `quorate up` starts the servers",
    "set": "`quorate keys set NAME` stores a key, `quorate config show --sources` names the files to edit",
    "settings": "`quorate config show` shows the settings",
    "setup": "nothing has to be set up; `quorate doctor` says what is missing",
    "start": "`quorate up` starts servers and workers, and so does every command that needs them",
    "stop": "`quorate cancel RUN` ends a run, `quorate down` ends servers and workers",
    "submit": "`quorate review --no-wait` (and `ask`, `forum`, `plan`, `panel`) submit without waiting",
    "tail": "`quorate watch RUN` follows a run, `quorate logs` shows the logs",
    "test": "`quorate participants test` tries the participants, `quorate doctor` checks this machine",
    "top": "`quorate status` shows processes and runs",
    "uninstall": "`quorate down` ends servers and workers; then uninstall the package as it was installed",
    "update": "upgrade the package as it was installed; `quorate db upgrade` is for an external database",
    "upgrade": "upgrade the package as it was installed; `quorate db upgrade` is for an external database",
    "whoami": "`quorate doctor` says what is set here",
}  # fmt: skip
_KNOWN_ELSEWHERE = frozenset({*INSTEAD, HELP, VERSION})


def leading_words(arguments: Sequence[str]) -> list[str]:
    """What stands before the first option; a lone `-` is a word."""
    return list(takewhile(lambda one: one == "-" or not one.startswith("-"), arguments))


def objection(words: Sequence[str], commands: Collection[str]) -> str | None:
    """Why `words`, typed without a command, are not asked; None when they are a question or nothing."""
    if not words or words[0] == "-" or not _NAMES_SOMETHING.fullmatch(words[0]):
        return None
    if any("?" in word or not word.isascii() for word in words):
        return None
    first, rest = _as_command(words[0]), words[1:]
    ask = f"To ask it as a question: `quorate {ASK} {words[0]}{' ...' if rest else ''}`"
    ask += ", or put it in quotation marks." if rest else "."
    if first in commands:
        return (
            f"{first!r} is a command, and its options come after it: `quorate {first} ...`. {ask}"
        )
    typo = next((name for name in commands if _is_typo(first, name)), None)
    if typo is not None or first in _KNOWN_ELSEWHERE:
        asked = _is_sentence(words)
    else:
        asked = len(words) >= _FEWEST_WORDS or _begins_as_question(first, words)
    hint = _hint(words[0], typo, commands)
    return None if asked else f"There is no command {first!r}. {hint}{ask}"


def require_question(ctx: click.Context, words: Sequence[str], commands: Collection[str]) -> None:
    """A person at the terminal may insist on several words, and is asked once. Raises UsageError for a slip."""
    reason = objection(words, commands)
    if reason is None or ctx.meta.get(CONFIRMED, False):
        return
    if len(words) > 1 and _as_command(words[0]) not in commands and _somebody_answers():
        click.echo(reason, err=True)
        ctx.meta[CONFIRMED] = click.confirm(
            f"Ask a panel `{' '.join(words)}`?", default=False, err=True
        )
        if ctx.meta[CONFIRMED]:
            return
        reason = "nothing was asked"
    raise click.UsageError(reason, ctx)


def objection_to_subject(words: Sequence[str], commands: Collection[str]) -> str | None:
    """Why the only word after `forum`, `plan` or `panel` is not what a panel should work on: it is a command's."""
    word = _as_command(words[0]) if len(words) == 1 else ""
    if word not in commands and word not in _KNOWN_ELSEWHERE:
        return None
    hint = f"`quorate {word}` is a command of its own. " if word in commands else ""
    hint = hint or _hint(word, None, commands)
    return f"{word!r} looks like a command and not like a subject. {hint}To have it worked on, say it in a sentence."


def with_help(arguments: Sequence[str], commands: Collection[str]) -> list[str]:
    """`help`, `help CMD`, `CMD help` and `version` as the options that they mean; everything else as it is."""
    words = leading_words(arguments)
    options = list(arguments[len(words) :])
    match [word.lower() for word in words]:
        case ["help" | "version" as word]:
            return [f"--{word}", *options]
        case ["help", command, *more] if command in commands and len(words) < _FEWEST_WORDS:
            return [command, *more, f"--{HELP}", *options]
        case ["help", word] if word in _KNOWN_ELSEWHERE:
            return with_help(words[1:], commands)
        case [command, "help"] if command in commands:
            return [command, f"--{HELP}", *options]
    return list(arguments)


def _somebody_answers() -> bool:
    from orchestrator.cli.terminal import Terminal  # loads what most commands do without

    return Terminal.of(os.environ).can_ask


def _as_command(word: str) -> str:
    return word.strip(_PUNCTUATION).lower() or word


def _begins_as_question(first: str, words: Sequence[str]) -> bool:
    """`who should decide`, `tabs or spaces`; a word with a blank was put in quotation marks."""
    return len(words) > 1 and (
        first in _INTERROGATIVES
        or any(word.lower() in _CHOICES for word in words[1:-1])
        or any(" " in word.strip() for word in words)
    )


def _is_sentence(words: Sequence[str]) -> bool:
    """Enough words, and none that names a file, a run, a revision or a number."""
    return len(words) >= _FEWEST_WORDS and all(
        re.sub(r"[\s'-]", "", word.strip(_PUNCTUATION)).isalpha() for word in words
    )


def _hint(word: str, typo: str | None, commands: Collection[str]) -> str:
    first = _as_command(word)
    if typo is not None:
        return f"Did you mean `quorate {typo}`? "
    if first in INSTEAD:
        return f"{INSTEAD[first][0].upper()}{INSTEAD[first][1:]}. "
    if first in (HELP, VERSION):
        return "`quorate --help` lists the commands. "
    if re.search(r"[./]", word.strip(_PUNCTUATION)):
        return f"`--file {word}` asks what is written in it. "
    near = get_close_matches(first, commands, n=1, cutoff=0.6)
    return f"Did you mean `quorate {near[0]}`? " if near else ""


def _is_typo(word: str, command: str) -> bool:
    """One letter more, less, other, or two neighbours exchanged; short words are too much alike for that."""
    if min(len(word), len(command)) < _FEWEST_LETTERS or abs(len(word) - len(command)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, command, strict=False)) if a != b), None)
    if start is None:
        return True
    ours, theirs = word[start:], command[start:]
    swapped = ours[1:2] + ours[:1] == theirs[:2] and ours[2:] == theirs[2:]
    return swapped or ours[1:] == theirs[1:] or ours[1:] == theirs or ours == theirs[1:]
