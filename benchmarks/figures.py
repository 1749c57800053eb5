"""The picture and the table of docs/performance.md, from the figures that `make bench ARGS=--write` kept.

python -m benchmarks.figures
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs/design/figures/bench.json"
PICTURE = FIGURES.with_suffix(".svg")
PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- figures of make bench -->\n", "<!-- end of figures -->\n"

Kept = Mapping[str, Any]


def cell(figure: Any, *, full: bool = False) -> str:
    """A figure: its median, or with its spread; or why there is none."""
    if isinstance(figure, str):
        return figure
    median, low, high = (_short(figure[name]) for name in ("median", "low", "high"))
    return f"{median} ({low}-{high})" if full and low != high else median


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


COLUMNS = (
    ("all at once: CPU per turn, µs", "burst", "w_o_us"),
    ("Redis, µs", "burst", "redis_us"),
    ("Postgres, µs", "burst", "postgres_us"),
    ("turns/s", "burst", "turns_per_s"),
    ("80 turns/s: CPU per turn, µs", "trickle", "w_o_us"),
    ("round overhead, ms", "trickle", "round_ms"),
    ("p99, ms", "trickle", "round_p99_ms"),
    ("idle: round overhead, ms", "alone", "round_ms"),
    ("p99, ms", "alone", "round_p99_ms"),
)


def markdown(kept: Kept) -> str:
    """The table of those who were measured side by side, and what was measured of Quorate alone."""
    heads = [head for head, _, _ in COLUMNS]
    lines = [f"| | {' | '.join(heads)} |", "| --- |" + " --- |" * len(heads)]
    for name, row in kept["burst"]["rows"].items():
        if "absent" in row:
            lines.append(f"| {name} | {row['absent']} |" + " |" * (len(heads) - 1))
            continue
        cells = (
            cell(kept[measure]["rows"].get(name, {}).get(figure, ""), full=figure == "w_o_us")
            for _, measure, figure in COLUMNS
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    tools = ", ".join(f"{name} {version}" for name, version in kept["burst"]["versions"].items())
    lines += ["", *(f"* {line}." for line in _alone(kept)), ""]
    lines.append(
        f"{_all(kept, 'machine')}, load average before each measure {_all(kept, 'load_before')}; {tools}; "
        f"commit {_all(kept, 'commit')}. Every figure with its spread: [bench.json](design/figures/bench.json)."
    )
    return "\n".join(lines) + "\n"


def _all(kept: Kept, fact: str) -> str:
    """What was the case when something was measured, each once."""
    return ", ".join(dict.fromkeys(str(measure[fact]) for measure in kept.values()))


def _alone(kept: Kept) -> Iterator[str]:
    """Sentences about Quorate by itself."""

    def get(measure: str, row: str, figure: str) -> str:
        return cell(kept[measure]["rows"][row][figure])

    burst = {n: r["w_o_us"]["median"] for n, r in kept["burst"]["rows"].items() if "w_o_us" in r}
    ours = burst["Quorate, trivial workflow"]
    beside = (
        f"{name} {ours / other:.2g}" for name, other in burst.items() if "Quorate" not in name
    )
    yield f"CPU time per turn of the trivial workflow as a multiple of the others': {'; '.join(beside)}"
    yield f"An idle orchestrator uses {get('idle', 'orchestrator', 'ms_per_s')} ms of CPU time per second"
    advances = (
        f"{get('advance', row, 'advance_ms')} ms at {row}" for row in kept["advance"]["rows"]
    )
    yield f"Advancing a run takes {', '.join(advances)}"
    waits = (
        f"of {row}, {get('waiting', row, 'in_flight')} in flight, {get('waiting', row, 'memory_mb')} MB"
        for row in kept["waiting"]["rows"]
    )
    yield f"Waiting in one worker process: {'; '.join(waits)}"
    alone, behind = kept["interactive"]["rows"]
    yield (
        f"A review that somebody is waiting for takes {get('interactive', alone, 'seconds')} s alone and "
        f"{get('interactive', behind, 'seconds')} s {behind} others"
    )
    ways = (f"{get('consumers', way, 'w_o_us')} µs ({way})" for way in kept["consumers"]["rows"])
    yield f"CPU time per turn by how messages are taken from Redis: {', '.join(ways)}"


# ---- the picture ---------------------------------------------------------------------------------

WIDTH, LABELS, BAR, GAP = 860, 250, 18, 10
WORKERS, ORCHESTRATOR, SERVERS = "#1f5fa8", "#6ba3d6", "#c9ced6"
PANELS = (
    (
        "CPU time per turn, all runs at once, µs (number and line: workers + orchestrator, with spread)",
        "burst",
        (("workers_us", WORKERS), ("orchestrator_us", ORCHESTRATOR), ("redis_us", SERVERS),
         ("postgres_us", SERVERS)),
        "w_o_us",
    ),
    (
        "CPU time per turn, 80 turns/s offered, µs (number and line: the same)",
        "trickle",
        (("workers_us", WORKERS), ("orchestrator_us", ORCHESTRATOR), ("redis_us", SERVERS),
         ("postgres_us", SERVERS)),
        "w_o_us",
    ),
    (
        "a round beyond its slowest turn, 80 turns/s offered, ms: median, then 99th percentile",
        "trickle",
        (("round_ms", WORKERS), ("round_p99_ms", SERVERS)),
        "",
    ),
)  # fmt: skip
LEGEND = ((WORKERS, "workers"), (ORCHESTRATOR, "orchestrator"), (SERVERS, "Redis and Postgres"))


def svg(kept: Kept) -> str:
    """Bars of those who were measured side by side."""
    parts: list[str] = []
    top = 16
    for place, (colour, label) in enumerate(LEGEND):
        parts.append(_box(LABELS + 150 * place, top - 10, 12, colour, 12))
        parts.append(_text(LABELS + 150 * place + 18, top, label))
    for title, measure, figures, whisker in PANELS:
        top += 34
        parts.append(_text(10, top, title, weight="bold"))
        rows = {n: row for n, row in kept[measure]["rows"].items() if "absent" not in row}
        added = "round_ms" not in dict(figures)
        longest = max(
            _ends(row, [name for name, _ in figures], added=added)[-1] for row in rows.values()
        )
        scale = (WIDTH - LABELS - 120) / longest
        top += 8
        for name, row in rows.items():
            parts.extend(_bar(name, row, figures, whisker, top, scale))
            top += BAR + GAP
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 10}" '
        f'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )


def _ends(row: Kept, figures: Sequence[str], *, added: bool) -> list[float]:
    """Where each part of a bar ends: parts are added up, or the later one contains the earlier."""
    ends: list[float] = []
    for figure in figures:
        value = float(row[figure]["median"]) if figure in row else 0.0
        ends.append(value + (ends[-1] if ends and added else 0.0))
    return ends


def _bar(
    name: str,
    row: Kept,
    figures: Sequence[tuple[str, str]],
    whisker: str,
    top: float,
    scale: float,
) -> Iterator[str]:
    ends = _ends(row, [figure for figure, _ in figures], added=bool(whisker))
    yield _text(LABELS - 8, top + BAR - 5, name, anchor="end")
    start = 0.0
    for end, (_, colour) in zip(ends, figures, strict=True):
        yield _box(LABELS + start * scale, top, (end - start) * scale, colour, BAR)
        start = end
    shown = (
        cell(row[whisker]) if whisker else f"{cell(row['round_ms'])} / {cell(row['round_p99_ms'])}"
    )
    yield _text(LABELS + ends[-1] * scale + 6, top + BAR - 5, shown)
    if whisker:
        low, high = (LABELS + row[whisker][end] * scale for end in ("low", "high"))
        middle = top + BAR / 2
        yield f'<path d="M{low:.1f} {middle}H{high:.1f}" stroke="black" stroke-width="2"/>'


def _box(left: float, top: float, width: float, colour: str, height: float) -> str:
    return f'<rect x="{left:.1f}" y="{top}" width="{max(width, 0):.1f}" height="{height}" fill="{colour}"/>'


def _text(
    left: float, top: float, text: str, *, anchor: str = "start", weight: str = "normal"
) -> str:
    return f'<text x="{left:.1f}" y="{top}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'


def save(kept: Kept) -> None:
    """Keep the figures, one a line."""
    text = json.dumps(kept, indent=1)
    lines = re.sub(
        r"{\s+(\"median\": \S+)\s+(\"low\": \S+)\s+(\"high\": \S+)\s+}", r"{\1 \2 \3}", text
    )
    FIGURES.write_text(lines + "\n", encoding="utf-8")


def write() -> None:
    """Renew the picture and the table of the page."""
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    PICTURE.write_text(svg(kept), encoding="utf-8")
    PAGE.write_text(in_page(PAGE.read_text(encoding="utf-8"), kept), encoding="utf-8")


def in_page(page: str, kept: Kept) -> str:
    """The page with these figures."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{markdown(kept)}{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    write()
