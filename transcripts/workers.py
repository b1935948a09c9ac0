"""Work shared between processes: the caller's own and forked ones, each taking the next task when it has done one.

The tasks' numbers stand in a pipe, from which each process reads the next: whoever is free takes it, and no process
waits for another. A forked process keeps its answers and hands them over at the end.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

_NUMBER = struct.Struct("<H")
_ANSWER = struct.Struct("<HQ")
MOST = 16_000  # tasks whose numbers a pipe surely holds


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share(
    tasks: int, work: Callable[[int], T], pack: Callable[[T], bytes], unpack: Callable[[memoryview], T], processes: int
) -> Iterator[tuple[int, T]]:
    """Each task's number and answer, in no order; what a process that died had in hand is done by the caller.

    Args:
        tasks: how many.
        work: does the task of a number.
        pack: makes bytes of an answer, which take it from one process to another.
        unpack: the answer again.
        processes: this one and those forked.
    """
    if processes < 2 or not 1 < tasks <= MOST or not hasattr(os, "fork"):
        yield from ((number, work(number)) for number in range(tasks))
        return
    queue = _queue(tasks)
    helpers = [_fork(queue, work, pack) for _ in range(min(processes, tasks) - 1)]
    missing = set(range(tasks))
    for number in _numbers(queue):
        missing.discard(number)
        yield number, work(number)
    for process, answers in helpers:
        with open(answers, "rb") as pipe:
            for number, answer in _received(memoryview(pipe.read())):
                missing.discard(number)
                yield number, unpack(answer)
        os.waitpid(process, 0)
    yield from ((number, work(number)) for number in missing)


def _queue(tasks: int) -> int:
    """The reading end of a pipe with every task's number in it."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(map(_NUMBER.pack, range(tasks))))
    os.close(writing)
    return reading


def _numbers(queue: int) -> Iterator[int]:
    while taken := os.read(queue, _NUMBER.size):
        yield _NUMBER.unpack(taken)[0]
    os.close(queue)


def _fork(queue: int, work: Callable[[int], T], pack: Callable[[T], bytes]) -> tuple[int, int]:
    """Start a process that works; its id and where its answers are to be read."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    status = 1
    try:
        answers = [(number, pack(work(number))) for number in _numbers(queue)]
        with open(writing, "wb") as pipe:
            for number, answer in answers:
                pipe.write(_ANSWER.pack(number, len(answer)))
                pipe.write(answer)
        status = 0
    finally:
        os._exit(status)  # nothing of the caller's own may run in here


def _received(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The whole answers in what a process handed over."""
    place = 0
    while place + _ANSWER.size <= len(data):
        number, size = _ANSWER.unpack_from(data, place)
        place += _ANSWER.size
        if place + size > len(data):
            return
        yield number, data[place : place + size]
        place += size
