"""The two doors out of a command: expected errors leave with a sentence, bugs with a file to send in."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.cli.ownership import diagnosis
from orchestrator.settings.languages import help_language

BUG = 70
FULL = (errno.ENOSPC, errno.EDQUOT)


def handle_error(error: Exception, environ: Mapping[str, str]) -> int:
    """Say what happened on stderr; the exit code."""
    # It loads pydantic, and `quorate --help` has nothing to report.
    from shared.errors import QuorateError

    if isinstance(error, QuorateError) and type(error).exit_code != BUG:
        from orchestrator.presentation.locale.translator import Translator

        report(Translator(help_language(environ)).error(error))
        return error.exit_code
    if isinstance(error, ImportError) and (sentence := diagnosis()):
        report(sentence)
        return 5
    if isinstance(error, OSError) and error.errno in FULL:
        where = f" ({os.fsdecode(error.filename)})" if error.filename else ""
        report(f"what was to be written found no room: {error.strerror}{where}.")
        return 5
    file = write_traceback(error, environ)
    report(
        f"this is a bug ({type(error).__name__}: {error}). The traceback is in {file}: please send it with the "
        "command that you typed."
    )
    return BUG


def report_bug(error: Exception, environ: Mapping[str, str]) -> None:
    """Say on stderr that a request of a service ended in a bug."""
    file = write_traceback(error, environ)
    report(f"a request ended in a bug ({type(error).__name__}); the traceback is in {file}")


def report(text: str) -> None:
    """One message on stderr, under our name and without control characters."""
    # It loads pydantic, and `quorate --help` has nothing to report.
    from orchestrator.core.lines import drop_unseen

    sys.stderr.write(f"quorate: {drop_unseen(text).strip()}\n")
    sys.stderr.flush()


def write_traceback(error: Exception, environ: Mapping[str, str]) -> Path:
    """Store the traceback where only the user can read it; the file."""
    state = environ.get("XDG_STATE_HOME") or f"{environ.get('HOME', '')}/.local/state"
    folder = Path(state) / "quorate" / "crashes"
    now = datetime.now(UTC)
    name = f"{now:%Y%m%dT%H%M%S}-{os.getpid()}.txt"
    text = "".join(traceback.format_exception(error))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / name
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        descriptor, path = tempfile.mkstemp(prefix="quorate-", suffix=".txt")
        file = Path(path)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
    return file
