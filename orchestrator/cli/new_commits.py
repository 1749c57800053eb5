"""`--since last-run`: ask the store how far earlier runs have read, and say so where that is not plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.since import since_last_run
from orchestrator.application.subject_input import ChangeInput
from orchestrator.cli.archives import archive
from orchestrator.cli.notices import NoticePrinter
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal

NEWEST = ChangeInput(targets=("HEAD",))
"""What a first run reviews where nothing else is named."""


def only_new_commits(
    request: SubmissionRequest, environ: Mapping[str, str], *, quiet: bool, again: bool = False
) -> SubmissionRequest:
    """The request about what came since the last run."""
    if request.subject == ChangeInput():
        request = replace(request, subject=NEWEST)
    with archive(environ) as known:
        since = since_last_run(known, request, environ, again=again)
    if since.remark is not None:
        language = str(request.settings.get("language") or "en")
        printer = NoticePrinter(Terminal.of(environ, quiet=quiet), Translator(language))
        (printer.warn if since.misses else printer.remark)(since.remark)
    return since.request
