"""The flow of `quorate diff`: two stored runs beside each other."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.application.backend import Backend, connected
from orchestrator.cli.replaying import DIFFERENT, load_recording
from orchestrator.cli.terminal import Terminal
from orchestrator.presentation.comparison import comparison_json, comparison_lines
from orchestrator.presentation.exit_codes import ExitCode
from orchestrator.presentation.formats.json import dumps
from orchestrator.whatif.comparing import Side, compare
from shared.store.views import run_usage


def run_diff(
    first: str,
    second: str,
    environ: Mapping[str, str],
    *,
    as_json: bool,
    language: str | None = None,
) -> int:
    """Compare; the exit code: 0 for the same verdict and findings, 1 when they differ."""
    terminal = Terminal.of(environ)
    with connected(environ, workers=False) as backend:
        one, other = _side(backend, first), _side(backend, second)
    found = compare(one, other)
    if as_json:
        terminal.result(dumps(comparison_json(one, other, found)))
    else:
        terminal.result(comparison_lines(one, other, found, language or _shared(one, other)))
    return ExitCode.OK if found.same else DIFFERENT


def _shared(one: Side, other: Side) -> str:
    """The language of both runs; English where they speak two."""
    spoken = {one.recording.spec.language, other.recording.spec.language}
    return spoken.pop() if len(spoken) == 1 else "en"


def _side(backend: Backend, name: str) -> Side:
    recording = load_recording(backend, name)
    usage = backend.read(lambda connection: run_usage(connection, recording.run.id))
    return Side(recording, usage)
