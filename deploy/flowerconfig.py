"""Settings of Flower 2.2 for Quorate. Given by path (--conf or FLOWER_CONF), never found by chance:
without one Flower executes a flowerconfig.py of the directory it is started in.

The command line wins over this file, and this file over FLOWER_* variables.
"""

# The name has the role, kwargs begin with the participant, exception is the kind of failure of a turn (timeout, ...).
tasks_columns = "name,kwargs,state,exception,received,runtime,worker,uuid"
natural_time = True

# Flower is a picture, Postgres is the truth: look, do not touch.
read_only = True

max_tasks = 20_000
purge_offline_workers = 300

# Turns take seconds to minutes; the default buckets end at ten seconds.
task_runtime_metric_buckets = [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0]

# Longer than any representation that Quorate writes (ids only), shorter than any text.
SHOWN = 300


def format_task(task):
    """Belt and braces: a representation that is longer than ids can be is not shown."""
    for name in ("args", "kwargs", "result"):
        shown = getattr(task, name, None)
        if isinstance(shown, str) and len(shown) > SHOWN:
            setattr(task, name, f"({len(shown)} characters, not shown)")
    if getattr(task, "traceback", None):
        # Frames quote source lines, messages quote what was said.
        task.traceback = "(in the worker's log)"
    return task
