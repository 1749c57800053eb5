"""The flow of `quorate replay`: a stored run under its own rules or others. Nothing is written, nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from orchestrator.application.backend import Backend, connected
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.exit_codes import ExitCode
from orchestrator.presentation.formats.json import dumps
from orchestrator.presentation.locale.sentences import told
from orchestrator.presentation.whatif import check_lines, sweep_lines, variant_lines
from orchestrator.presentation.whatif_json import check_json, what_if_json
from orchestrator.whatif.changes import Change, change_of
from orchestrator.whatif.recording import Recording, make_recording
from orchestrator.whatif.replaying import check, computed_otherwise, what_if
from orchestrator.whatif.sweeps import sweep_of, variants
from shared.errors import UserError
from shared.models.run import RunSpec
from shared.store.database import Connection
from shared.store.documents import get_documents
from shared.store.runs import load_journal
from shared.store.views import find_run


@dataclass(frozen=True)
class Options:
    """What was typed after `quorate replay RUN`: rules by name, `--set` and `--sweep` as they were typed."""

    rules: Mapping[str, str]
    settings: tuple[str, ...] = ()
    sweeps: tuple[str, ...] = ()
    as_json: bool = False
    language: str | None = None


def run_replay(run: str, options: Options, environ: Mapping[str, str]) -> int:
    """Replay; the exit code: 1 when a replay without other rules differs from what is stored."""
    terminal = Terminal.of(environ)
    with connected(environ, workers=False) as backend:
        recording = load_recording(backend, run)
        language = options.language or recording.spec.language
        changes = changes_of(recording.spec, options.rules, options.settings)
        sweeps = [sweep_of(recording.spec, text) for text in options.sweeps]
        if not changes and not sweeps:
            return _check(recording, terminal, language, as_json=options.as_json)
        found = what_if(recording, variants(sweeps, changes))
        remark = recording.other_version or computed_otherwise(recording)
    if options.as_json:
        terminal.result(dumps(what_if_json(recording.run, found, remark)))
        return ExitCode.OK
    if remark is not None:
        terminal.warn([line(Span(f"⚠ {told(remark, language)}", Style.WARNING))])
    if sweeps:
        terminal.result(sweep_lines(recording.run, found, language))
    else:
        terminal.result(variant_lines(recording.run, found.stored, found.variants[0], language))
    return ExitCode.OK


def _check(recording: Recording, terminal: Terminal, language: str, *, as_json: bool) -> int:
    found, remark = check(recording), recording.other_version
    if as_json:
        terminal.result(dumps(check_json(recording.run, found, remark)))
    else:
        terminal.result(check_lines(recording.run, found, remark, language))
    return ExitCode.OK if found.same else DIFFERENT


DIFFERENT = 1


def load_recording(backend: Backend, name: str) -> Recording:
    """Everything recorded of the run that `name` means. Raises UnknownRun, UserError or ReplayMismatch."""

    def read(connection: Connection) -> Recording:
        run = find_run(connection, name)
        return make_recording(run, load_journal(connection, run), document)

    @lru_cache(maxsize=256)
    def document(sha256: str) -> bytes:
        return backend.read(lambda connection: get_documents(connection, [sha256]))[sha256]

    return backend.read(read)


def changes_of(
    spec: RunSpec,
    rules: Mapping[str, str],
    settings: tuple[str, ...],
    open_fields: tuple[str, ...] = (),
) -> list[Change]:
    """The changes that were typed. Raises UserError."""
    changes = [change_of(spec, name, text) for name, text in rules.items()]
    for text in settings:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise UserError(f"--set {text}: expected KEY=VALUE, as in thresholds.agreement=0.6")
        changes.append(change_of(spec, name.strip(), value, open_fields=open_fields))
    paths = [change.path for change in changes]
    for change in changes:
        if paths.count(change.path) > 1:
            raise UserError(f"{'.'.join(change.path)} is given twice")
    return changes
