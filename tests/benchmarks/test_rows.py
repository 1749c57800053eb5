"""`python -m benchmarks.rows`: sizes take turns, and its table divides the last by the first.

What it does to a database, tests/shared/store/test_scans.py does to one of ten thousand steps.
"""

from functools import partial

from benchmarks.rows import Stopwatch, alternate, table


def test_sizes_take_turns_and_the_first_looks_are_not_measured() -> None:
    done: list[tuple[int, str]] = []
    works = {
        size: {name: partial(done.append, (size, name)) for name in ("list", "show")}
        for size in (1, 10)
    }
    watches = {size: Stopwatch() for size in works}

    alternate(works, watches, 2, unmeasured=1)

    assert done == [(1, "list"), (10, "list")] * 3 + [(1, "show"), (10, "show")] * 3
    assert {name: len(times) for name, times in watches[10].times.items()} == {"list": 2, "show": 2}


def test_the_table_has_a_column_a_size_and_what_the_last_is_of_the_first() -> None:
    head, row = table({1_000: {"cost": 0.5}, 1_000_000: {"cost": 0.75}}).splitlines()

    assert head.split() == ["ms", "1,000", "1,000,000", "ratio"]
    assert row.split() == ["cost", "0.50", "0.75", "1.5"]
