"""When a schedule is due: cron expressions in a time zone, as Debian's cron reads them.

A time that the clocks skip in spring is taken right after the gap, one that they repeat in autumn is taken once; a
schedule that names every hour or every minute goes by elapsed time. Ours is the jitter: it is fixed for each due time,
so that every process computes the same moment.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from shared.errors import UserError

LATE_S = 300.0
"""A start later than this counts as missed."""


class Missed(StrEnum):
    """What becomes of due times at which nothing could be started."""

    ONCE = "once"
    SKIP = "skip"


@dataclass(frozen=True)
class Timetable:
    """The times of the schedule `name`: `cron` has five fields, `timezone` is a name of the IANA database.

    A start comes up to `jitter_s` after its due time.
    """

    name: str
    cron: str
    timezone: str = "UTC"
    jitter_s: float = 0.0

    def check(self, now: datetime) -> None:
        """Raise UserError for an unknown time zone, and for an expression that is wrong or never due."""
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise UserError(
                "--timezone {timezone}: no such time zone; names look like Europe/Berlin or Asia/Seoul",
                timezone=self.timezone,
            ) from None
        if len(self.cron.split()) != 5:
            raise UserError(
                "--cron {cron!r}: five fields are expected, minute hour day-of-month month day-of-week, "
                "as in '30 7 * * MON-FRI'",
                cron=self.cron,
            )
        try:
            first = self.next_due(now)
        except CronSimError as error:
            reason = str(error)[:1].lower() + str(error)[1:]
            raise UserError(
                "--cron {cron!r}: {reason}, as in '30 7 * * MON-FRI'", cron=self.cron, reason=reason
            ) from None
        if first is None:
            raise UserError("--cron {cron!r}: this is never due", cron=self.cron)

    def next_due(self, after: datetime) -> datetime | None:
        """The first due time after a moment, in UTC; None when there is none within fifty years."""
        try:
            return next(CronSim(self.cron, self._local(after))).astimezone(UTC)
        except StopIteration:
            return None

    def last_due(self, until: datetime) -> datetime:
        """The last due time at or before a moment that follows one, in UTC."""
        just_after = self._local(until.replace(microsecond=0) + timedelta(seconds=1))
        return next(CronSim(self.cron, just_after, reverse=True)).astimezone(UTC)

    def start_of(self, due: datetime) -> datetime:
        """When the run that is due then is started."""
        drawn = hashlib.sha256(f"{self.name}\n{due.timestamp():.0f}".encode()).digest()
        share = int.from_bytes(drawn[:8]) / 2**64
        return due + timedelta(seconds=int(self.jitter_s * share))

    def _local(self, moment: datetime) -> datetime:
        return moment.astimezone(ZoneInfo(self.timezone))


@dataclass(frozen=True)
class DueTime:
    """What a look at a schedule comes to: the due time to act on, whether it is missed, and the one after it."""

    due: datetime
    missed: bool
    next_due: datetime | None


def tick(table: Timetable, due: datetime, now: datetime, missed: Missed) -> DueTime:
    """What happens to a schedule whose start for `due` lies at or before `now`. Of several missed times one counts."""
    latest = max(due, table.last_due(now))
    while latest > due and table.start_of(latest) > now:
        latest = max(due, table.last_due(latest - timedelta(seconds=1)))
    late_s = (now - table.start_of(latest)).total_seconds()
    return DueTime(latest, missed is Missed.SKIP and late_s > LATE_S, table.next_due(latest))
