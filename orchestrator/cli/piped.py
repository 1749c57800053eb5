"""Standard input as part of a question, without ever waiting for somebody who says nothing.

A pipe that was inherited (cron, CI, a program that starts commands) looks like one that will bring text. So a command
that has a question already waits `MOMENT_S` for a first byte and goes on without; one that has none waits `PATIENCE_S`.
Whoever writes `-` says that text will come, and is waited for.
"""

from __future__ import annotations

import io
import os
import select
import stat
import sys

from orchestrator.application.subject_input import Piped
from orchestrator.cli.error_handler import report
from shared.errors import SubjectError, UserError
from shared.models.notices import notice
from shared.sentences import Sentence

MOMENT_S = 3.0
PATIENCE_S = 30.0


class ProcessInput:
    """Standard input of this process, for what a run captures."""

    def diff(self, limit: int) -> bytes:
        """All of it, up to `limit` bytes; a closed standard input holds nothing."""
        return b"" if _descriptor() is None else _read(limit)

    def text(self, limit: int, *, named: bool, has_words: bool) -> Piped:
        """Words or material. Raises UserError beyond `limit` bytes, and when nothing comes that could be asked."""
        piped = read_piped(limit, None if named else MOMENT_S if has_words else PATIENCE_S)
        silent = notice("stdin_silent") in piped.notices
        if silent and not has_words:
            raise SubjectError(
                "Nothing was asked: nothing came on standard input in {seconds:g} s. Give the text "
                "after the command or with --file PATH; `-` waits for standard input indefinitely.",
                seconds=PATIENCE_S,
            )
        return piped


def has_input() -> bool:
    """True when standard input is no terminal and brings something; nothing of it is taken."""
    descriptor = _descriptor()
    if descriptor is None or os.isatty(descriptor):
        return False
    stream = sys.stdin.buffer
    assert isinstance(stream, io.BufferedReader)
    try:
        return _is_ready(descriptor, PATIENCE_S) and bool(stream.peek(1))
    except OSError:
        return False


def read_piped(limit: int, wait_s: float | None) -> Piped:
    """Read standard input to its end once a first byte has come within `wait_s` (None: whenever it comes).

    A terminal, a closed and an empty standard input are nothing; a notice says it of the last, and of one that is open
    and from which nothing came in time. Raises UserError beyond `limit` bytes.
    """
    descriptor = _descriptor()
    if descriptor is None or (wait_s is not None and os.isatty(descriptor)):
        return Piped()
    if not _is_ready(descriptor, wait_s):
        return Piped(notices=(notice("stdin_silent"),))
    content = _read(limit + 1)
    if len(content) > limit:
        raise UserError(
            "standard input is too long (the limit is {megabytes:g} MB): give the part that matters",
            megabytes=limit / 1_000_000,
        )
    if content.strip():
        return Piped(content)
    # A pipe whose other end closed it without a word.
    empty = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    return Piped(notices=(notice("stdin_empty"),) if empty else ())


def _read(limit: int) -> bytes:
    """Raises UserError."""
    try:
        return sys.stdin.buffer.read(limit)
    except OSError as error:
        raise UserError("standard input cannot be read: {why}", why=error.strerror) from error


def _descriptor() -> int | None:
    """The number of standard input; None when it is closed."""
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None


def _is_ready(descriptor: int, wait_s: float | None) -> bool:
    """True when bytes, or the end, have come within `wait_s`. Whoever waits long is told for what."""
    first = MOMENT_S if wait_s is None else min(wait_s, MOMENT_S)
    if select.select([descriptor], [], [], first)[0]:
        return True
    rest = None if wait_s is None else wait_s - first
    if rest == 0:
        return False
    text = Sentence("waiting for standard input (`quorate --help` shows what else you can type)")
    if rest is not None:
        text = Sentence(
            "waiting for standard input, {s:g} s at most (`quorate --help` shows what else you can type)",
            s=rest,
        )
    from orchestrator.cli.reader import words_in  # hardly ever needed, and the first thing to load

    report(words_in().sentence(text))
    return bool(select.select([descriptor], [], [], rest)[0])
