"""`quorate "question"`: when what was typed is a question, and when it is a mistyped command.

Asking costs money, so what may be a slip is not asked. A question is quoted (a blank within its first word), has two
words and a question mark, begins or ends as questions do, or is a sentence: four words or more, which begin with no
command of ours or of another program. Everything else is a slip: on a terminal a person may confirm it, elsewhere it
is refused. `quorate ask ...` asks whatever is there; what follows `forum`, `plan` and `panel` is refused when it
is a command. `slips.py` has the signs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import takewhile

import click

from orchestrator.cli.slips import (
    KOREAN,
    TOOLS,
    asks,
    has_function_word,
    is_arithmetic,
    long_dash,
    on_latin_keys,
    plain,
)
from orchestrator.workflows import DEFAULT

HELP = "help"
VERSION = "version"
IMPLICIT = "quorate.implicit"
"""In click's `meta`: nobody typed `ask`."""
CONFIRMED = "quorate.confirmed"
"""In click's `meta`: a person at the terminal has said that these words are a question."""

_PUNCTUATION = ".,;:!?'\"`"
_FEWEST_LETTERS = 4
_FEWEST_WORDS = 4
_RUN_ID = re.compile(r"r[0-9a-z]{9}")
_BESIDE_COMMANDS = frozenset({"all", "last", "me", "my", "now", "please"})
_NO_SLIPS = frozenset({"rust"})
"""Words of their own that are a letter away from a command."""
_CHOICES = frozenset({"or", "vs", "versus", "and/or"})
# What other programs call it, and what it is called here.
INSTEAD = {
    "abort": "`quorate cancel RUN` ends a run",
    "add": "`quorate keys set NAME` stores a key; participants are listed in the configuration",
    "apply": "`quorate decide RUN apply_fix` has a fix applied",
    "approve": "`quorate decide RUN` answers a decision",
    "auth": "`quorate keys set NAME` stores a provider's key",
    "check": "`quorate review` reviews a change, `quorate config check` settings, `quorate doctor` this machine",
    "analysers": "`quorate participants` shows who can take part, analysers among them",
    "analyzers": "`quorate participants` shows who can take part, analysers among them",
    "linters": "`quorate participants` shows who can take part, analysers among them",
    "rules": "`rules` in the configuration switches rules on and off: `quorate docs configuration`",
    "chat": "`quorate forum` lets a panel discuss a question",
    "clean": "`quorate down` ends servers and workers",
    "continue": "`quorate resume RUN` tries a blocked run again, `quorate watch RUN` follows one",
    "delete": "`quorate purge` removes old runs, `quorate cancel RUN` ends one",
    "discuss": "`quorate forum` lets a panel discuss a question",
    "edit": "`quorate config show --sources` names the files to edit, `quorate config check` checks them",
    "env": "`quorate doctor` says what is set here, `quorate config show` what applies",
    "exec": "`quorate ask`, `forum`, `plan`, `panel` and `review` start runs",
    "configure": "`quorate init` writes a configuration, `quorate config show` what applies",
    "exit": "there is no session to leave; `quorate down` ends servers and workers",
    "get": "`quorate show RUN` shows a run, `quorate config show` the settings",
    "history": "`quorate list` shows the runs",
    "info": "`quorate status` and `quorate doctor` describe this machine",
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
    "man": "`quorate docs` has the manual",
    "manual": "`quorate docs` has the manual",
    "quit": "there is no session to leave; `quorate down` ends servers and workers",
    "remove": "`quorate purge` removes old runs, `quorate cancel RUN` ends one",
    "reset": "`quorate down` ends servers and workers",
    "restart": "`quorate down` and then `quorate up` start everything again",
    "retry": "`quorate fork RUN` continues a run from one of its steps, `quorate resume RUN` tries a blocked one again",
    "rm": "runs are kept; `quorate cancel RUN` ends one",
    "run": "`quorate ask`, `forum`, `plan`, `panel` and `review` start runs, `quorate show RUN` shows one",
    "runs": "`quorate list` shows the runs",
    "server": "`quorate serve` offers runs over HTTP, `quorate up` starts the servers",
    "set": "`quorate keys set NAME` stores a key, `quorate config show --sources` names the files to edit",
    "settings": "`quorate config show` shows the settings",
    "setup": "`quorate init` writes a configuration, `quorate doctor` says what is missing",
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


@cache
def instead() -> Mapping[str, str]:
    """The same with the answers of decisions, which are no commands."""
    from orchestrator.workflows.registry import decision_choices  # loads the workflows

    answer = "`quorate decide RUN {word}` answers a decision"
    return {**INSTEAD, **{word: answer.format(word=word) for word in decision_choices()}}


def is_known_elsewhere(word: str) -> bool:
    """Whether another program has a command of that name, or people look for it here."""
    return word in (HELP, VERSION) or word in instead()


def leading_words(arguments: Sequence[str]) -> list[str]:
    """What stands before the first option; a lone `-` is a word."""
    return list(takewhile(lambda word: word == "-" or not word.startswith("-"), arguments))


def objection(words: Sequence[str], commands: Collection[str]) -> str | None:
    """Why `words`, typed without a command, are not asked; None when they are a question or nothing."""
    seen = [plain(word).strip() for word in words]
    if not any(seen) or words[0] == "-":
        return None
    if (reason := _mistyped(words, seen, commands)) is not None:
        return reason
    if _is_quoted(seen[0]) or _is_asked(seen, commands):
        return None
    return _no_question(words, _as_command(seen[0]), seen, commands)


def _mistyped(words: Sequence[str], seen: Sequence[str], commands: Collection[str]) -> str | None:
    """Why no subject can be meant, whatever was to be done with it."""
    if (option := long_dash(words)) is not None:
        return f"There is a long dash where `{option}` was meant: type plain hyphens."
    if len(seen) == 1 and _is_command_line(seen[0], commands):
        return (
            f"{seen[0]!r} is a command in quotation marks: leave them out, or make it a sentence."
        )
    return None


def _no_question(
    words: Sequence[str], first: str, seen: Sequence[str], commands: Collection[str]
) -> str:
    several = len(words) > 1
    ask = f"To ask it as a question: `quorate {DEFAULT} {words[0]}{' ...' if several else ''}`"
    ask += ", or put it in quotation marks." if several else "."
    if first in commands:
        return (
            f"{first!r} is a command, and its options come after it: `quorate {first} ...`. {ask}"
        )
    return (
        f"There is no command {first!r}. {_hint(seen[0], _meant(first, commands), commands)}{ask}"
    )


def _is_asked(words: Sequence[str], commands: Collection[str]) -> bool:
    first = _as_command(words[0])
    if is_arithmetic(words):
        return True
    names_program = _names_program(first, commands)
    if len(words) == 1:
        return not names_program and _is_one_word_question(words[0], first)
    if any(word.endswith("?") and len(word) > 1 for word in words):
        return True
    if names_program:
        return first not in commands and _is_statement(words)
    return _is_long_enough(words) or _begins_as_question(words, commands)


def _is_statement(words: Sequence[str]) -> bool:
    return _is_sentence(words) and (has_function_word(words) or not "".join(words).isascii())


def _is_long_enough(words: Sequence[str]) -> bool:
    return len(words) >= _FEWEST_WORDS and (_is_sentence(words) or has_function_word(words))


def _names_program(first: str, commands: Collection[str]) -> bool:
    """A command of ours or of another program, or a slip of one."""
    known = first in commands or is_known_elsewhere(first) or first in TOOLS
    return known or _meant(first, commands) is not None


def _is_one_word_question(word: str, first: str) -> bool:
    marked = word.endswith("?") and any(letter.isalpha() for letter in first)
    return marked or asks([word])


def _is_command_line(text: str, commands: Collection[str]) -> bool:
    """`"review --staged"`, `"show last"`: a whole command within one pair of quotation marks."""
    first, *rest = text.split() or [""]
    first = first.lower()
    if not rest or not (first in commands or is_known_elsewhere(first)):
        return False
    # `add a --quiet flag`: a sentence may mention an option.
    if any(word.startswith("-") for word in rest):
        return text.isascii() and not has_function_word(rest)
    return len(rest) < _FEWEST_WORDS - 1 and _only_commands(rest, commands)


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
    """Why the words after `forum`, `plan` or `panel` are not what a panel should work on: they are a command."""
    if not words or words[0] == "-":
        return None
    seen = [plain(word).strip() for word in words]
    if (reason := _mistyped(words, seen, commands)) is not None:
        return reason
    first, rest = _as_command(seen[0]), seen[1:]
    if _is_quoted(seen[0]) or any(word.endswith("?") for word in rest):
        return None
    meant = _meant_subject(first, commands, alone=not rest)
    if not _is_refused_subject(seen, first, meant, commands):
        return None
    return (
        f"{' '.join(seen)!r} looks like a command and not like a subject. {_subject_hint(seen[0], meant, commands)}"
        "If it is the subject, make it a sentence in quotation marks."
    )


def _meant_subject(first: str, commands: Collection[str], *, alone: bool) -> str | None:
    """The command that the first word is a slip of; alone it need be less like one."""
    meant = None if first in commands else _meant(first, commands)
    if meant is None and alone:
        return next(iter(get_close_matches(first, commands, n=1, cutoff=0.8)), None)
    return meant


def _subject_hint(word: str, meant: str | None, commands: Collection[str]) -> str:
    first = _as_command(word)
    if first in commands:
        return f"`quorate {first}` is a command of its own. "
    return _hint(word, meant, commands)


def _is_refused_subject(
    seen: Sequence[str], first: str, meant: str | None, commands: Collection[str]
) -> bool:
    if first in commands and not (_is_sentence(seen) and has_function_word(seen)):
        return True
    known = meant is not None or is_known_elsewhere(first)
    return known and _only_commands(seen[1:], commands)


def require_subject(ctx: click.Context, words: Sequence[str], commands: Collection[str]) -> None:
    """Raise UsageError when the words, wherever they stood among the options, are a command's."""
    reason = objection_to_subject(words, commands)
    if reason is not None:
        raise click.UsageError(reason, ctx)


def _only_commands(words: Sequence[str], commands: Collection[str]) -> bool:
    known = {*commands, *instead(), HELP, VERSION, *_BESIDE_COMMANDS, *KOREAN}
    return all(
        _as_command(word) in known or _RUN_ID.fullmatch(word) or not any(map(str.isalpha, word))
        for word in words
    )


def _is_quoted(word: str) -> bool:
    return any(letter.isspace() for letter in word)


def with_help(arguments: Sequence[str], commands: Collection[str]) -> list[str]:
    """`help`, `help CMD`, `CMD help` and `version` as the options that they mean; everything else as it is."""
    words = leading_words(arguments)
    options = list(arguments[len(words) :])
    match [word.lower() for word in words]:
        case ["help" | "version" as word]:
            return [f"--{word}", *options]
        case ["help", command, *more] if command in commands and len(words) < _FEWEST_WORDS:
            return [command, *more, f"--{HELP}", *options]
        case ["help", word] if is_known_elsewhere(word):
            return with_help(words[1:], commands)
        case [command, "help"] if command in commands:
            return [command, f"--{HELP}", *options]
    return list(arguments)


def _somebody_answers() -> bool:
    from orchestrator.presentation.terminal import Terminal  # loads what most commands do without

    return Terminal.of(os.environ).can_ask


def _as_command(word: str) -> str:
    return word.strip(_PUNCTUATION).lower() or word


def _begins_as_question(words: Sequence[str], commands: Collection[str]) -> bool:
    """`who should decide`, `tabs or spaces`; a word with a blank was put in quotation marks."""
    if len(words) == 2 and _only_commands(words[1:], commands):
        return False
    return (
        asks(words)
        or any(word.lower() in _CHOICES for word in words[1:-1])
        or any(map(_is_quoted, words))
    )


def _is_sentence(words: Sequence[str]) -> bool:
    """Enough words, and none that names a file, a run, a revision or a number."""
    return len(words) >= _FEWEST_WORDS and all(
        re.sub(r"[\s'-]", "", word.strip(_PUNCTUATION)).isalpha() for word in words
    )


def _meant(word: str, commands: Collection[str]) -> str | None:
    """The command that a slip means: a letter wrong, the Korean word for it, or the Korean keyboard."""
    latin = on_latin_keys(word)
    if latin != word and (latin in commands or is_known_elsewhere(latin)):
        return latin
    translated = KOREAN.get(word)
    if translated or word.lower() in _NO_SLIPS:
        return translated
    return next((name for name in commands if _is_typo(latin, name)), None)


def _hint(word: str, meant: str | None, commands: Collection[str]) -> str:
    first = _as_command(word) if meant is None or meant in commands else meant
    if meant is not None and meant in commands:
        return f"Did you mean `quorate {meant}`? "
    if (hint := instead().get(first)) is not None:
        return f"{hint[0].upper()}{hint[1:]}. "
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
