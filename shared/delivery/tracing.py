"""What Celery's tracer does around a task for those who listen to its signals (OpenTelemetry, Sentry, ...).

Nobody listens as a rule, and then nothing is done: Celery's own tracer costs more than a turn.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from celery._state import _task_stack
from celery.app.task import Context
from celery.app.trace import ExceptionInfo
from celery.signals import task_failure, task_postrun, task_prerun, task_success
from celery.worker.request import Request

T = TypeVar("T")
_SIGNALS = (task_prerun, task_postrun, task_success, task_failure)


def is_traced() -> bool:
    """Whether somebody listens."""
    return any(signal.receivers for signal in _SIGNALS)


def completed(result: T) -> Future[T]:
    """What came of work that is done already."""
    done: Future[T] = Future()
    done.set_result(result)
    return done


def traced(
    request: Request, work: Callable[[], Future[T]], shown: Callable[[T], object]
) -> Future[T]:
    """Call `work`; while somebody listens, wait for what comes of it, with the task as the current one.

    They are told of it as `shown` gives it: what Celery would call the task's result.
    """
    if not is_traced():
        return work()
    task, names = (
        request.task,
        {"task_id": request.id, "args": request.args, "kwargs": request.kwargs},
    )
    _, _, canvas = request.message.payload
    context = Context(
        request.request_dict,
        called_directly=False,
        args=request.args,
        kwargs=request.kwargs,
        **canvas,
    )
    _task_stack.push(task)
    task.request_stack.push(context)
    retval: object = None
    state = "FAILURE"
    try:
        task_prerun.send(sender=task, task=task, **names)
        done = work()
        retval, state = shown(done.result()), "SUCCESS"
        task_success.send(sender=task, result=retval)
    except Exception as error:
        retval = error
        task_failure.send(
            sender=task,
            exception=error,
            traceback=error.__traceback__,
            einfo=ExceptionInfo(),
            **names,
        )
        raise
    else:
        return done
    finally:
        task_postrun.send(sender=task, task=task, retval=retval, state=state, **names)
        task.request_stack.pop()
        _task_stack.pop()
