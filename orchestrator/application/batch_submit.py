"""Submit a batch: check the file as a whole, capture every item, and only then let the first one begin.

Captured items are stored in portions under the batch's name, which is not open yet: a submission that is killed goes on
where it was when the same file is submitted again, and one in which an item cannot be captured leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Protocol
from uuid import uuid4

from orchestrator.application.alike import Alike
from orchestrator.application.backend import Backend
from orchestrator.application.batch_file import (
    MOST_KEPT,
    BatchFile,
    FileCheck,
    LineFault,
    fault_rows,
    read_items,
)
from orchestrator.application.batch_input import BatchItem, request_of
from orchestrator.application.batch_standing import name_in
from orchestrator.application.eval_plan import question_key
from orchestrator.application.evaluation import OnceListener
from orchestrator.application.notice_listener import NoticeListener, WarningKeeper
from orchestrator.application.pipelines import labelled
from orchestrator.application.prepare import PreparedRun, SubmissionRequest, prepare_run
from orchestrator.application.submit import allow_programs, checked_spec
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.engine.children import new_run_id
from shared.errors import ConfigurationError, DecisionConflict, QuorateError, UserError
from shared.faults import failpoint
from shared.models.batches import BatchLimits, BatchRow, BatchState
from shared.models.panel import Panel
from shared.models.run import RunSpec
from shared.sentences import Sentence
from shared.store.batch_items import NewItem, add_items, stored_positions
from shared.store.batches import (
    create_batch,
    discard_batch,
    find_batch,
    open_batch,
    set_limits,
)
from shared.store.database import Connection
from shared.store.projects import labels_of

PORTION = 64
NO_LIMITS = BatchLimits()
PAID_AT_ONCE = 20
"""How many runs of a batch with a budget are under way unless it says so itself: what is begun wants to be paid."""
_SHOWN = 100


class BatchFaults(UserError):
    """Lines of a batch that cannot be used; nothing was queued."""

    def __init__(self, name: str, faults: Iterable[LineFault], wrong: int) -> None:
        """`wrong` is how many there are."""
        self.faults = tuple(faults)
        self.wrong = wrong
        rows = fault_rows(self.faults)
        more = [f"... and {len(rows) - _SHOWN:,} more reasons"] if len(rows) > _SHOWN else []
        if wrong > len(self.faults):
            more.append(f"... and {wrong - len(self.faults):,} more faults")
        head = Sentence(
            "{name} cannot be used; nothing was queued (`quorate docs batch` has the format):",
            name=name,
        )
        super().__init__(Sentence.joined("\n  ", (head, *rows[:_SHOWN], *more)))


@dataclass(frozen=True)
class BatchRequest:
    """A batch as it is wanted: `common` is what is asked for every item that does not say otherwise.

    `check` is what the first reading of the file has seen; nothing of it is wrong. With `project` the batch and
    everything in it belongs to that.
    """

    file: BatchFile
    common: SubmissionRequest
    check: FileCheck
    limits: BatchLimits = NO_LIMITS
    name: str | None = None
    project: str | None = None


class SubmissionObserver(Protocol):
    """Whoever submits a batch."""

    def captured(self, stored: int, total: int) -> None:
        """So many items are stored."""


def submit_batch(
    backend: Backend, request: BatchRequest, listener: NoticeListener, observer: SubmissionObserver
) -> BatchRow:
    """Capture, store and open a batch; the same file again goes on with it.

    Raises BatchFaults with every line that cannot be captured, DecisionConflict where the name stands for another file.
    """
    fingerprint = _fingerprint(request)
    name = request.name or f"{request.file.stem[:80]}-{fingerprint[:8]}"
    if request.project is not None:
        name = name_in(request.project, name)
    row = backend.write(
        partial(
            create_batch,
            name=name,
            source=request.file.name,
            fingerprint=fingerprint,
            total=request.check.total,
            limits=_limits(request.limits),
            project=request.project,
        )
    )
    if row is None or row.fingerprint != fingerprint:
        raise DecisionConflict(
            "the batch {name} has other items or settings; nothing was queued: choose another --name",
            name=name,
        )
    if request.limits != NO_LIMITS:
        backend.write(partial(set_limits, name=name, limits=request.limits))
    if row.state is BatchState.FILLING:
        _fill(backend, request, row, _Capture(backend, request, row, listener), observer)
    stored = backend.read(lambda connection: find_batch(connection, name))
    assert stored is not None
    return stored


def _fingerprint(request: BatchRequest) -> str:
    asked = [request.check.sha256, request.common.alike]
    own = [] if request.project is None else [request.project]
    return hashlib.sha256(json.dumps([*asked, *own], sort_keys=True).encode()).hexdigest()


def _limits(limits: BatchLimits) -> BatchLimits:
    if limits.max_usd is None or limits.max_running is not None:
        return limits
    return replace(limits, max_running=PAID_AT_ONCE)


@dataclass(frozen=True)
class _Captured:
    """An item to be stored, with its documents."""

    item: NewItem
    documents: Mapping[str, bytes]


@dataclass
class _Capture:
    """Captures items one after the other, and remembers what is wrong with them."""

    backend: Backend
    request: BatchRequest
    row: BatchRow
    listener: NoticeListener
    faults: list[LineFault] = field(default_factory=list)
    alike: Alike = field(default_factory=Alike)

    def __post_init__(self) -> None:
        self._once = OnceListener(self.listener)

    def portion(self, items: Sequence[BatchItem]) -> list[_Captured]:
        """These items; none where one cannot be captured: nothing more is stored then, but the rest is looked at."""
        if len(self.faults) >= MOST_KEPT:
            return []
        captured = [new for item in items if (new := self._item(item)) is not None]
        return [] if self.faults else captured

    def _item(self, item: BatchItem) -> _Captured | None:
        """The item as it is stored; None where it cannot be, which is among the faults then."""
        try:
            return self._captured(item)
        except (UserError, ConfigurationError) as error:
            self.faults.append(LineFault(item.number, str(error)))
            return None

    def _captured(self, item: BatchItem) -> _Captured:
        wanted = request_of(item, self.request.common, self.request.file.folder)
        wanted = replace(wanted, batch=self.row.name)
        prepared = prepare_run(wanted, self.backend.environ, alike=self.alike)
        if self.request.project is not None:
            prepared = labelled(prepared, labels_of(project=self.request.project))
        keeper = WarningKeeper(self._once)
        self.alike.once(partial(self._ready, prepared.panel, keeper), "keys", repr(prepared.panel))
        spec = checked_spec(
            self.backend, _within(prepared, self.row.limits), keeper, with_history=False
        )
        commands = repr((spec.panel, spec.workflow, spec.options))
        self.alike.once(lambda: allow_programs(self.backend, spec), "programs", commands)
        new = NewItem(
            position=item.number,
            custom_id=item.line.custom_id,
            key=f"batch:{self.row.name}:{question_key(spec)}",
            run=new_run_id(),
            title=f"{item.line.custom_id}: {prepared.title}",
            root_task=str(uuid4()),
            spec=spec,
            body=item.body,
        )
        return _Captured(new, prepared.documents)

    def _ready(self, panel: Panel, keeper: WarningKeeper) -> None:
        hand_over_keys(self.backend, panel, keeper)


def _fill(
    backend: Backend,
    request: BatchRequest,
    row: BatchRow,
    capture: _Capture,
    observer: SubmissionObserver,
) -> None:
    """Store what is not stored yet, and open the batch; or leave nothing where an item cannot be captured."""
    known = backend.read(lambda connection: stored_positions(connection, row.name))
    stored = len(known)
    items = (item for item in read_items(request.file) if item.number not in known)
    while portion := list(islice(items, PORTION)):
        captured = _of_portion(backend, capture, portion, nothing_stored=not stored)
        if captured:
            backend.write(partial(_store, batch=row.name, captured=captured))
            failpoint("batch-portion-stored")
            stored += len(captured)
            observer.captured(stored, row.total)
    if capture.faults:
        backend.write(partial(discard_batch, name=row.name))
        raise BatchFaults(request.file.name, capture.faults, len(capture.faults))
    if not backend.write(lambda connection: open_batch(connection, row.name)):
        raise UserError(
            "{file} has changed while it was read: submit it again", file=request.file.name
        )


def _of_portion(
    backend: Backend, capture: _Capture, portion: Sequence[BatchItem], *, nothing_stored: bool
) -> list[_Captured]:
    """The portion's items; what keeps all items from being captured (no model is here) leaves no empty batch behind."""
    try:
        return capture.portion(portion)
    except QuorateError:
        if nothing_stored:
            backend.write(partial(discard_batch, name=capture.row.name))
        raise


def _store(connection: Connection, batch: str, captured: Sequence[_Captured]) -> None:
    if not add_items(
        connection,
        batch,
        [each.item for each in captured],
        _together(each.documents for each in captured),
    ):
        raise DecisionConflict(
            "the batch {batch} was cancelled while it was being submitted: nothing of it was queued",
            batch=batch,
        )


def _together(parts: Iterable[Mapping[str, bytes]]) -> dict[str, bytes]:
    return {name: content for part in parts for name, content in part.items()}


def _within(prepared: PreparedRun, limits: BatchLimits) -> PreparedRun:
    """The run with no more money than its batch has: its calls are paid from both."""
    if limits.max_usd is None:
        return prepared
    most = limits.max_usd

    def make_spec(**given: object) -> RunSpec:
        spec: RunSpec = prepared.make_spec(**given)
        own = spec.budget.max_usd
        budget = spec.budget.model_copy(update={"max_usd": most if own is None else min(own, most)})
        return spec.model_copy(update={"budget": budget})

    return replace(prepared, make_spec=make_spec)
