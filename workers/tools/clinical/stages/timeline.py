"""The events of a chart in the order of time."""

from __future__ import annotations

from shared.models.case import Timeline, TimelineEvent
from shared.tools.case_inputs import ChartInput
from workers.tools.clinical.chart import load_chart
from workers.tools.clinical.dates import find_dates, in_order
from workers.tools.registry import ToolContext


def run(inputs: ChartInput, context: ToolContext) -> Timeline:
    """What has a date or a time relative to the visit, without the remarks of the visit itself ("discussed today")."""
    events = find_dates(load_chart(context, inputs.subject))
    return Timeline(events=in_order(tuple(event for event in events if _is_placed(event))))


def _is_placed(event: TimelineEvent) -> bool:
    if event.offset_days is not None:
        return event.offset_days != 0 or event.kind != "other"
    return event.date is not None
