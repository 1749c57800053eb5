"""Where paid answers go before anybody reads them: Postgres, many with one commit; a file first while it is away."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import structlog

from shared.errors import EnvironmentFault
from shared.faults import failpoint
from shared.store.database import Database
from shared.store.ends import StoredResponse, store_response, store_responses
from workers.gathering import Gatherer
from workers.turns.spool import Spool

PATIENCE_S = 0.5
SPOOLED_PATIENCE_S = 600.0

log = structlog.get_logger(__name__)


class AnswerStore:
    """Stores answers for all threads of a process."""

    def __init__(self, database: Database, spool: Spool) -> None:
        """Begins at once."""
        self._database = database
        self._spool = spool
        self._gatherer: Gatherer[StoredResponse, None] = Gatherer("answers", self._store_all)

    def store(self, response: StoredResponse) -> None:
        """Durable when this returns: in Postgres. Raises EnvironmentFault when it stays away; a file has it then."""
        try:
            self._gatherer.put(response).result()
        except EnvironmentFault:
            kept = self._spool.keep(response)
            log.warning("response.spooled", run=response.run, step=response.step)
            failpoint("response-spooled")
            self._database.run(
                partial(store_response, response=response), patience_s=SPOOLED_PATIENCE_S
            )
            kept.unlink(missing_ok=True)

    def close(self) -> None:
        """End; nothing may be stored afterwards."""
        self._gatherer.close()

    def _store_all(self, responses: Sequence[StoredResponse]) -> Sequence[None]:
        failpoint("answers-gathered")
        self._database.run(partial(store_responses, responses=responses), patience_s=PATIENCE_S)
        return [None] * len(responses)
