"""Runs one command and writes what it took to a file: `measured_process.py RESULT LIMIT COMMAND…`.

A process of its own, and a small one: on Linux the peak memory of a process starts with that of the process that made
it, so one that has llvmlite loaded could measure nothing smaller than itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main(result: str, limit: str, *command: str) -> None:
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(process, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, float(limit))
    _, status, usage = os.wait4(process, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.perf_counter() - started
    with open(result, "w", encoding="utf-8") as file:
        json.dump({"seconds": seconds, "peak": usage.ru_maxrss * 1024, "code": os.waitstatus_to_exitcode(status)}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
